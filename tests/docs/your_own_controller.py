#!/usr/bin/env python3
"""Builds and checks the controller of docs/your-own-controller.md with the lines of that page.

usage: your_own_controller.py PROGRAM ROOT
"""
import os
import re
import subprocess
import sys
import tempfile


def block_of(text, language):
    return re.search(r"```%s\n(.*?)```" % language, text, re.S).group(1)


def without_comments(text):
    return [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def main():
    program, root = sys.argv[1:]
    with open(os.path.join(root, "docs", "your-own-controller.md"), encoding="utf-8") as file:
        page = file.read()
    with open(os.path.join(root, "examples", "06_controller.yaml"), encoding="utf-8") as file:
        deployment = file.read()
    if without_comments(block_of(page, "yaml")) != without_comments(deployment):
        sys.exit("the deployment on the page is not that of examples/06_controller.yaml")
    build = next(line for line in block_of(page, "sh").splitlines() if line.startswith("cc "))
    with tempfile.TemporaryDirectory() as folder:
        for name in ("include", "robots"):
            os.symlink(os.path.join(root, name), os.path.join(folder, name))
        examples = os.path.join(folder, "examples")
        os.mkdir(examples)
        for name in ("06_controller.c", "06_controller.yaml"):
            os.symlink(os.path.join(root, "examples", name), os.path.join(examples, name))
        subprocess.run(build, shell=True, check=True, cwd=examples)
        # Paths are relative to the file: a copy, not a link.
        with open(os.path.join(examples, "own.yaml"), "w", encoding="utf-8") as file:
            file.write(deployment)
        subprocess.run([program, "check", "--plugins", "own.yaml"], check=True, cwd=examples)


if __name__ == "__main__":
    main()
