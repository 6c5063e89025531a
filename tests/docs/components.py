#!/usr/bin/env python3
"""Checks that docs/components.md is what `sinew types --markdown` prints, and that its examples are valid.

usage: components.py SINEW ROOT

Every example, laid over standard.yaml with the quadruped, must pass `sinew check`.
"""
import difflib
import os
import re
import subprocess
import sys
import tempfile

SKIPPED = 77


def run(*command):
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def deployment_of(example, robot):
    """An example as a file of its own."""
    example = re.sub(r"^robot: quadruped.yaml", "robot: " + robot, example, flags=re.M)
    head = "include: [standard.yaml]\n"
    return head + ("" if re.search(r"^robot:", example, re.M) else "robot: %s\n" % robot) + example


def main():
    sinew, root = sys.argv[1:]
    printed = run(sinew, "types", "--markdown").stdout
    path = os.path.join(root, "docs", "components.md")
    with open(path, encoding="utf-8") as file:
        stored = file.read()
    sections = re.findall(r"^## (\w+)\n.*?^```yaml\n(.*?)^```", stored, re.M | re.S)
    built = [line.split()[0] for line in run(sinew, "types").stdout.splitlines()]
    if not {"cockpit", "ros1", "ros2"} <= set(built):
        print("skipped: this program is built without cockpit or ROS")
        return SKIPPED
    failed = printed != stored
    if failed:
        sys.stdout.writelines(list(difflib.unified_diff(
            stored.splitlines(True), printed.splitlines(True), "docs/components.md", "sinew types"))[:40])
        print("docs/components.md is out of date: sinew types --markdown > docs/components.md")
    if [name for name, _ in sections] != built:
        print("the document has other types than the program: %s" % built)
        failed = True
    robot = os.path.abspath(os.path.join(root, "robots", "quadruped.yaml"))
    with tempfile.TemporaryDirectory() as folder:
        for name, example in sections:
            if run(sinew, "types", name).stdout not in printed:
                print("'sinew types %s' differs from the document" % name)
                failed = True
            file_name = os.path.join(folder, name + ".yaml")
            with open(file_name, "w", encoding="utf-8") as file:
                file.write(deployment_of(example, robot))
            verdict = run(sinew, "check", file_name)
            if verdict.returncode != 0:
                print("the example of %s is invalid:\n%s" % (name, verdict.stdout))
                failed = True
    print("%d types%s" % (len(sections), "" if failed else ", each with a valid example"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
