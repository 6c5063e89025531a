#!/usr/bin/env python3
"""Compiles or runs every snippet of the DOCUMENTS in docs/.

usage: snippets.py SINEW ROOT CC

C is compiled inside a function that declares the names the snippets take for granted. YAML must pass `sinew check` with
the quadruped and without plugins, and so must every `--set` of the text. Commands run in a folder with two deployments,
walk.yaml and other.yaml, and the robots; those that ask a running system have one. Commands that use the serial port
/dev/ttyUSB0 get one with a simulated servo.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

DOCUMENTS = ("control.md", "deployment.md", "hardware.md", "messages.md", "recordings.md")
PATIENCE_S = 120.0  # on a busy machine
PREAMBLE = """#include <sinew/sinew.h>
static sn_arena arena;
static sn_clock clock;
static sn_report *report;
static sn_system *system;
static const sn_names *names;
void snippet(void);
void snippet(void) {
  sn_error err;
"""


def blocks(text, language):
    return re.findall(r"^ *```%s\n(.*?)^ *```" % language, text, re.M | re.S)


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

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run(self, what, command, good=(0,)):
        self.count += 1
        done = subprocess.run(command, cwd=self.folder, env=self.environment, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode not in good:
            print("%s: %s\nexit code %d\n%s" % (what, " ".join(command), done.returncode, done.stdout[-2000:]))
            self.failed += 1

    def compile(self, name, text):
        path = self.write("snippet.c", PREAMBLE + text + "}\n")
        self.run(name, [self.cc, "-std=c17", "-Wall", "-Wextra", "-Werror", "-Wno-unused", "-fsyntax-only",
                        "-I", self.include, path])

    def check(self, name, text):
        text = re.sub(r"^plugins:.*\n", "", text, flags=re.M)
        text = re.sub(r"^robot:.*\n", "", text, flags=re.M) + "robot: %s\n" % self.robot
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
            for line in text.splitlines():
                words = shlex.split(line, comments=True)
                if words[:2] == ["sinew", "run"] and "--duration" not in words:
                    words += ["--clock", "sim", "--duration", "1"]
                # Other settings make other messages, which is what such a replay is to show.
                good = (0, 1) if words[:2] == ["sinew", "replay"] and "--set" in words else (0,)
                self.run(name, words, good)
        finally:
            if process is not None:
                process.terminate()
                process.wait(60)

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
    sinew, root, cc = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(os.path.abspath(sinew), os.path.abspath(root), cc, folder)
        for name in DOCUMENTS:
            with open(os.path.join(root, "docs", name), encoding="utf-8") as file:
                text = file.read()
            for block in blocks(text, "c"):
                checker.compile(name, block)
            for block in blocks(text, "yaml"):
                checker.check(name, block)
            checker.settings(name, text)
            for command in re.findall(r"`(sinew bus [^`]*--port /dev/ttyUSB0[^`]*)`", text):
                checker.serial(name, [command])
            for block in blocks(text, "sh"):
                if "/dev/ttyUSB0" in block:
                    checker.serial(name, block.strip().splitlines())
                    continue
                checker.commands(name, block)
                if os.path.exists(os.path.join(folder, "walk.mcap")):  # a recording of another machine, too
                    shutil.copy(os.path.join(folder, "walk.mcap"), os.path.join(folder, "theirs.mcap"))
    print("%d snippets, %d problems" % (checker.count, checker.failed))
    return 1 if checker.failed else 0


if __name__ == "__main__":
    sys.exit(main())
