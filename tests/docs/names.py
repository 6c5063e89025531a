#!/usr/bin/env python3
"""Checks that limbs, joints, components, ports and operations in the documents exist.

usage: names.py SINEW ROOT

Each document refers to one robot, `robots/NAME.yaml` or `.urdf`. In its code blocks, words that look like a part of the
quadruped must be chains or joints of that robot, and the names after `sinew call`, `pub` and `echo` must exist.
"""
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time

DOCUMENTS = ("control.md", "ros.md", "your-own-program.md")
PART = re.compile(r"\b(?:leg\d|head|nose|tail)(?:_\w+)?\b")
CALLED = re.compile(r"\bsinew (call|pub|echo) ([\w.]+)")
LIFECYCLE = {"configure", "start", "stop", "cleanup", "recover"}


def parts_of(sinew, robot):
    """Names of chains and joints, as `sinew check` prints them."""
    text = subprocess.run([sinew, "check", robot], text=True, stdout=subprocess.PIPE, check=True).stdout
    names = set()
    for line in re.findall(r"^\s+chain\s+(\S+)\s.*?: (.*)$", text, re.M):
        names.update((line[0], *line[1].split()))
    return names


def connect(path):
    """A connection to a control socket that appears within two minutes."""
    for _ in range(1200):
        s = socket.socket(socket.AF_UNIX)
        try:
            s.connect(path)
            return s
        except OSError:  # not there yet, or not yet listened to
            s.close()
            time.sleep(0.1)
    raise TimeoutError("no control socket at %s" % path)


def system_of(sinew, robot):
    """The names in a running system of that robot: the answer of the verb `names`."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "socket")
        process = subprocess.Popen([sinew, "run", robot, "--headless", "--quiet", "--socket", path],
                                   stdin=subprocess.DEVNULL)
        try:
            with connect(path) as s:
                s.sendall(b'{"verb":"names"}\n')
                return json.loads(s.makefile().readline())["result"]
        finally:
            process.terminate()
            process.wait(60)


def callable_names(answer):
    found = {"call": set(), "pub": set(), "echo": set()}
    for component in answer["components"] if isinstance(answer, dict) else answer:
        name = component["component"]
        found["call"].update("%s.%s" % (name, o) for o in list(component["operations"]) + list(LIFECYCLE))
        found["pub"].update("%s.%s" % (name, p) for p in component["inputs"])
        found["echo"].update("%s.%s" % (name, p) for p in component["outputs"])
    return found


def check(document, parts, names):
    with open(document, encoding="utf-8") as file:
        text = file.read()
    problems = []
    for block in re.findall(r"^```\w*\n(.*?)^```", text, re.S | re.M):
        problems += ["%s is not a limb or joint" % word for word in PART.findall(block) if word not in parts]
        problems += ["sinew %s: %s does not exist" % (verb, name) for verb, name in CALLED.findall(block)
                     if name not in names[verb]]
    return ["%s: %s" % (os.path.basename(document), p) for p in problems]


def main():
    sinew, root = os.path.abspath(sys.argv[1]), sys.argv[2]
    problems = []
    answers = {}
    for name in DOCUMENTS:
        document = os.path.join(root, "docs", name)
        with open(document, encoding="utf-8") as file:
            robots = set(re.findall(r"\brobots/\w+\.(?:yaml|urdf)", file.read()))
        if len(robots) != 1:
            problems.append("%s: names %s, expected one robot" % (name, sorted(robots)))
            continue
        robot = os.path.join(root, robots.pop())
        if robot not in answers:
            answers[robot] = parts_of(sinew, robot), callable_names(system_of(sinew, robot))
        problems += check(document, *answers[robot])
    print("\n".join(problems) or "docs: all names exist")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
