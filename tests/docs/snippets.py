#!/usr/bin/env python3
"""Compiles or runs every snippet of a document in docs/.

usage: snippets.py SINEW ROOT CC DOCUMENT

C is compiled inside a function that declares the names the snippets take for granted. YAML must pass `sinew check` with
the quadruped and without plugins, and so must every `--set` of the text; servo models and scripts are written to files
that commands use. Commands run in a folder with two deployments, walk.yaml and other.yaml, robots and movements; those
that ask a running system have one, and those that run until they are interrupted are. Commands that use the serial port
/dev/ttyUSB0 get one with a simulated servo. Programs of OTHERS are not tried here.
"""
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# Programs of ROS, of this tree's build and of the installed system; other tests use them.
OTHERS = {"cmake", "colcon", "export", "git", "make", "ros2", "rosbag", "roscore", "rosdep", "rosnode", "rosrun",
          "rosservice", "rostopic", "rviz2", "source", "sudo"}
NEEDS_A_LOG = "ident"  # of moving servos, or a servo: unit/apps/test_program_ident, test_program_ident_bench
PATIENCE_S = 120.0  # on a busy machine
PREAMBLE = """#include <sinew/sinew.h>
#include <stdio.h>
static sn_arena arena;
static sn_clock clock;
static sn_report *report;
static sn_system *system;
static const sn_names *names;
static sn_error err;
void snippet(void);
void snippet(void) {
"""


def blocks(text):
    """Language and content of each, in the order of the document."""
    return re.findall(r"^ *```(\w+)\n(.*?)^ *```", text, re.M | re.S)


def command_lines(text):
    """The words of each command, which may extend over several lines."""
    line = ""
    for part in text.replace("\\\n", " ").splitlines():
        line += part
        try:
            words = shlex.split(line, comments=True)
        except ValueError:  # within a quotation
            continue
        line = ""
        if words:
            yield words


def wait(is_ready, process):
    end = time.monotonic() + PATIENCE_S
    while not is_ready():
        if time.monotonic() > end or process.poll() is not None:
            process.kill()
            sys.exit("%s does not start" % " ".join(process.args))
        time.sleep(0.1)


class Checker:
    def __init__(self, sinew, root, cc, folder):
        self.sinew, self.cc, self.folder, self.failed, self.count = sinew, cc, folder, 0, 0
        self.include = os.path.join(root, "include")
        self.robot = os.path.join(root, "robots", "quadruped.yaml")
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=folder,
                                PATH=os.path.dirname(sinew) + os.pathsep + os.environ["PATH"])
        os.symlink(os.path.join(root, "robots"), os.path.join(folder, "robots"))
        for name in ("walk.yaml", "other.yaml"):
            self.write(name, "include: [standard.yaml]\nrobot: %s\n" % self.robot)
        for name in ("any", "my_robot"):
            shutil.copy(os.path.join(root, "robots", "arm6.urdf"), os.path.join(folder, name + ".urdf"))
        os.makedirs(os.path.join(folder, "ws", "src"))
        os.mkdir(os.path.join(folder, "movements"))
        os.chmod(self.write("token", "open-sesame-0123456789\n"), 0o600)
        for name in ("bow", "nod", "stand_up", "wave"):
            joint = "leg1_joint3" if name == "wave" else "head_joint2"
            self.write("movements/%s.json" % name, json.dumps({"trajectory": {"joint_names": [joint], "points": [
                {"positions": [0.1], "time_from_start": {"secs": 0, "nsecs": 100000000}}]}}))

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run(self, what, command, good=(0,)):
        self.count += 1
        done = subprocess.run(command, cwd=self.folder, env=self.environment, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        is_refused = done.stdout.startswith("success: false")  # the answer of many operations
        if done.returncode not in good or is_refused:
            print("%s: %s\nexit code %d\n%s" % (what, " ".join(command), done.returncode, done.stdout[-2000:]))
            self.failed += 1

    def compile(self, name, text):
        path = self.write("snippet.c", PREAMBLE + text + "}\n")
        self.run(name, [self.cc, "-std=c17", "-Wall", "-Wextra", "-Werror", "-Wno-unused", "-fsyntax-only",
                        "-I", self.include, path])

    def check(self, name, text):
        if "moveit_simple_controller_manager:" in text or "kinematics_solver:" in text:  # a file of MoveIt
            return
        if text.startswith("servo_models:"):
            self.write("servo_models.yaml", text)
            return
        if text.startswith("script:"):
            self.write("movements/script.yaml", text)
            self.commands(name, "sinew call movements.playMovement name=script")
            return
        text = re.sub(r"^plugins:.*\n", "", text, flags=re.M)
        text = re.sub(r"^robot:.*\n", "", text, flags=re.M) + "robot: %s\n" % self.robot
        text = text.replace("/etc/sinew/token", "token")
        if "include:" not in text and "activities:" not in text:
            text = "include: [standard.yaml]\n" + text
        self.run(name, [self.sinew, "check", self.write("snippet.yaml", text)])

    def settings(self, name, text):
        for quoted in re.findall(r"`--set ('[^']*'|[^`]*)`", text):
            setting = quoted.strip("'")
            if setting != "component.property=value":
                self.run(name, [self.sinew, "check", "walk.yaml", "--set", setting])

    def commands(self, name, text):
        needs_system = re.search(r"^sinew (call|get|set|echo|pub|top|log|ls)\b", text, re.M)
        process = self.start() if needs_system else None
        try:
            for words in command_lines(text):
                if words[0] == "cd":  # what follows is tried in that folder by docs/your_own_controller
                    return
                if words[0] in OTHERS or words[1:2] == [NEEDS_A_LOG]:
                    continue
                words = [word.replace("~", self.folder) for word in words if word != "&"]
                if words[1:2] in (["run"], ["demo"]) and "--duration" not in words:
                    words += ["--clock", "sim", "--duration", "1", "--headless"]
                if words[1:2] == ["view"]:
                    words += ["--port", "0"]
                if "--follow" in words or words[1:2] in (["top"], ["view"]) or (words[1] == "pub" and "--rate" in words):
                    self.interrupt(name, words)
                    continue
                # Other settings make other messages, which is what such a replay is to show.
                good = (0, 1) if words[:2] == ["sinew", "replay"] and "--set" in words else (0,)
                if words[2:] == ["servo_ident.undoIdentification"]:  # no model has changed yet
                    good = (0, 1)
                self.run(name, words, good)
                if words[2:3] == ["movements.recordMovement"]:
                    time.sleep(1)  # the time in which a person moves the limb
        finally:
            if process is not None:
                process.terminate()
                process.wait(60)

    def interrupt(self, name, command):
        """Run a command that does not end, and interrupt it as Ctrl-C does."""
        self.count += 1
        process = subprocess.Popen(command, cwd=self.folder, env=self.environment, text=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            process.communicate(timeout=2)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        output = process.communicate(timeout=PATIENCE_S)[0]
        if process.returncode not in (0, 130, -signal.SIGINT):
            print("%s: %s\nexit code %d\n%s" % (name, " ".join(command), process.returncode, output))
            self.failed += 1

    def serial(self, name, lines):
        """Run the lines with one servo behind the port: of their family and baud rate, and the id of the first line."""
        words = " ".join(lines)
        family = re.search(r"--family (\w+)", words).group(1)
        servo = re.search(r"sinew bus \S+ (\d+)", words).group(1)
        baud = re.search(r"--baud \d+", words)
        port = os.path.join(self.folder, "port")
        process = subprocess.Popen([self.sinew, "bus", "simulate", "--port", port, "--family", family, "--ids", servo] +
                                   (baud.group().split() if baud else []), env=self.environment,
                                   stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        try:
            wait(lambda: os.path.exists(port), process)
            for line in lines:
                words = shlex.split(line.replace("/dev/ttyUSB0", port), comments=True)
                if words[2] == "scan":  # of all families it takes most of a minute
                    words += ["--family", family]
                self.run(name, words)
        finally:
            process.terminate()
            process.wait(60)

    def start(self):
        process = subprocess.Popen([self.sinew, "run", "walk.yaml", "--headless", "--quiet"], cwd=self.folder,
                                   env=self.environment, stdin=subprocess.DEVNULL)
        wait(lambda: subprocess.run([self.sinew, "ls"], env=self.environment, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL).returncode == 0, process)
        return process


def main():
    sinew, root, cc, name = sys.argv[1:]
    with open(os.path.join(root, "docs", name), encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(os.path.abspath(sinew), os.path.abspath(root), cc, folder)
        checker.settings(name, text)
        for command in re.findall(r"`(sinew bus [^`]*--port /dev/ttyUSB0[^`]*)`", text):
            checker.serial(name, [command])
        for language, block in blocks(text):
            if language == "c":
                checker.compile(name, block)
            elif language == "yaml":
                checker.check(name, block)
            elif language == "sh" and "/dev/ttyUSB0" in block and "sinew ident" not in block:
                checker.serial(name, block.strip().splitlines())
            elif language == "sh":
                checker.commands(name, block)
                if os.path.exists(os.path.join(folder, "walk.mcap")):  # a recording of another machine, too
                    shutil.copy(os.path.join(folder, "walk.mcap"), os.path.join(folder, "theirs.mcap"))
    print("%s: %d snippets, %d problems" % (name, checker.count, checker.failed))
    return 1 if checker.failed else 0


if __name__ == "__main__":
    sys.exit(main())
