#!/usr/bin/env python3
"""Runs every program of docs/your-own-program.md against a running quadruped and looks whether the
joint went where the program says.

usage: your_own_program.py SINEW DOCUMENT ROBOT
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

JOINT = "head_joint2"
PATIENCE_S = 120.0  # with a machine that is busy


class Robot:
    def __init__(self, sinew, robot, folder):
        self.sinew = sinew
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=folder,
                                PATH=os.path.dirname(sinew) + os.pathsep + os.environ["PATH"])
        self.process = subprocess.Popen([sinew, "run", robot, "--headless", "--quiet"],
                                        env=self.environment, stdin=subprocess.DEVNULL)
        self.wait(lambda: self.ask("ls") is not None, "no system answers")

    def ask(self, *words):
        result = subprocess.run([self.sinew, *words, "--json"], env=self.environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return json.loads(result.stdout) if result.returncode == 0 else None

    def position(self):
        message = self.ask("echo", "plant.joints_measured", "--count", "1")
        return message["position"][message["name"].index(JOINT)]

    def wait(self, condition, complaint):
        end = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > end or self.process.poll() is not None:
                sys.exit("your_own_program: " + complaint)
            time.sleep(0.05)

    def end(self):
        self.process.terminate()
        return self.process.wait(PATIENCE_S)


def snippets(document):
    with open(document, encoding="utf-8") as file:
        return re.findall(r"^```(sh|python|c)\n(.*?)^```", file.read(), re.S | re.M)


def command(language, text, folder):
    """How to run a snippet."""
    if language == "sh":
        return ["sh", "-e", "-c", text]
    if language == "python":
        return [sys.executable, "-c", text]
    source, program = os.path.join(folder, "move.c"), os.path.join(folder, "move")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-o", program, source], check=True)
    return [program]


def main():
    sinew, document, robot_file = (os.path.abspath(path) for path in sys.argv[1:4])
    found = snippets(document)
    if [language for language, _ in found] != ["sh", "python", "c"]:
        sys.exit("your_own_program: expected one program each in sh, python and c")
    with tempfile.TemporaryDirectory() as folder:
        robot = Robot(sinew, robot_file, folder)
        try:
            for language, text in found:
                goal = float(re.search(r'position[^\d-]*(-?\d+\.\d+)', text).group(1))
                before = robot.position()
                subprocess.run(command(language, text, folder), env=robot.environment, check=True,
                               stdout=subprocess.DEVNULL, timeout=PATIENCE_S)
                after = robot.position()
                print("%s: %s went from %.3f to %.3f, asked for %.3f"
                      % (language, JOINT, before, after, goal))
                if abs(after - goal) > 0.03 or abs(before - goal) < 0.1:
                    sys.exit("your_own_program: %s did not move the robot" % language)
                held = robot.ask("call", "follow.rosSetOperational", "data=false")
                if held is None:
                    sys.exit("your_own_program: follow does not answer")
        finally:
            code = robot.end()
    return code


if __name__ == "__main__":
    sys.exit(main())
