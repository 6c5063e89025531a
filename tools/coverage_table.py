#!/usr/bin/env python3
"""Prints line and branch coverage by folder, and by file for the safety core.

usage: coverage_table.py SUMMARY.json     as written by gcovr --json-summary
"""
import collections
import json
import pathlib
import re
import sys

# What stands between a wrong command and the servos.
CORE = re.compile(r"src/(gate/|guard/|rt/estop/|rt/overruns\.c|bus/driver/servo_watch(dog)?\.c|arbiter/(arbiter|decide|events|hand_over|ownership|actions|resource_set|owners)\.c)")
KEYS = ("line_covered", "line_total", "branch_covered", "branch_total")


def share(covered, total):
    return 100.0 if total == 0 else 100.0 * covered / total


def row(name, counts):
    lines, all_lines, branches, all_branches = counts
    print(f"{name:42} {share(lines, all_lines):6.1f} % of {all_lines:6} lines {share(branches, all_branches):6.1f} % of {all_branches:6} branches")


def main():
    files = json.load(open(sys.argv[1], encoding="utf-8"))["files"]
    folders = collections.defaultdict(lambda: [0, 0, 0, 0])
    total = [0, 0, 0, 0]
    for file in files:
        counts = [file[key] for key in KEYS]
        for target in (folders[str(pathlib.PurePath(file["filename"]).parent)], total):
            for i, count in enumerate(counts):
                target[i] += count
    for name in sorted(folders):
        row(name, folders[name])
    print()
    for file in sorted(files, key=lambda f: f["filename"]):
        if CORE.match(file["filename"]):
            row(file["filename"], [file[key] for key in KEYS])
    print()
    row("all", total)


if __name__ == "__main__":
    main()
