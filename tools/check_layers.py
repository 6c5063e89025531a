#!/usr/bin/env python3
"""Checks that dependencies point one way and that the library keeps to itself.

usage: check_layers.py [ROOT] | --picture | --self-test

- An include goes from a folder of src/ to itself or to a folder below it (BELOW). ARCHITECTURE.md shows that table as a
  picture; --picture brings it up to date. Its table of folders has a row for each.
- A public header belongs to the folder of its noun, or to the one that holds the source file of its
  noun, or to the one that HEADER_FOLDER names, and obeys the same order. include/sinew/sinew.h includes every other one.
- The program uses public headers, those of OF_THE_PROGRAM, and internal ones that export what it calls (SN_API).
  Examples use public headers only.
- The library reads no clock, prints nothing, ends no process and starts no thread, but for the
  places in RULES.

Prints file:line: message for each finding; exit 0 if there is none, 1 otherwise.
"""
import os
import re
import sys
import tempfile

# What each folder of src/ depends on directly, in the order of the data flow; what those depend on is allowed as well.
# Folders inside a folder are one layer with it. ARCHITECTURE.md shows this table as a picture.
BELOW = {
    "base": [],
    "math": ["base"],
    "files": ["math"],
    "xacro": ["files"],
    "mjcf": ["files"],
    "model": ["xacro", "mjcf"],
    "kin": ["model"],
    "mesh": ["files"],
    "collision": ["kin", "mesh"],
    "guard": ["collision"],
    "dyn": ["kin"],
    "ik": ["dyn"],
    "avoid": ["ik", "collision"],
    "legs": ["ik"],
    "traj": ["model"],
    "path": ["ik", "traj"],
    "msg": ["math"],
    "steps": ["legs", "msg"],
    "gait": ["collision", "steps"],
    "walk": ["gait"],
    "rt": ["ik", "traj", "msg"],
    "client": ["msg", "model"],
    "arbiter": ["rt"],
    "controllers": ["arbiter", "path", "walk", "servo"],
    "gate": ["arbiter", "guard"],
    "robot": ["controllers", "gate", "avoid", "movements"],
    "estimation": ["rt"],
    "servo": ["rt"],
    "ident": ["servo"],
    "plant": ["servo", "legs", "mesh"],
    "bus": ["servo"],
    "record": ["rt"],
    "movements": ["rt"],
    "deploy": ["robot", "estimation", "ident", "plant", "bus", "record", "movements"],
    "remote": ["rt"],
    "foxglove": ["remote", "robot", "record"],
    "ros": ["remote", "robot"],
}

# Folders that are not part of libsinew but of the program, which may use their headers. They use public headers, as the
# program does.
OF_THE_PROGRAM = ["remote", "foxglove", "ros"]

# Public headers whose noun is neither a folder nor a source file of exactly one folder.
HEADER_FOLDER = {
    "api": "base",
    "pose": "math",
    "msg_wire": "msg",
    "tree": "model",
    "ik_solver": "ik",
    "component": "rt",
    "components": "rt",
    "mcap": "record",
}

UMBRELLA = "include/sinew/sinew.h"
ARCHITECTURE = "ARCHITECTURE.md"


class Rule:
    """Words that are allowed only in some places of src/; `calls` are followed by a bracket."""

    def __init__(self, what, allowed, calls, words=()):
        self.what = what
        self.allowed = allowed  # files or folders, below src/
        pattern = r"(?<![\w.>])(?:(?:%s)\s*\(" % "|".join(calls)
        pattern += "".join(r"|%s\b" % word for word in words) + ")"
        self.pattern = re.compile(pattern)

    def covers(self, path):
        return not any(path == "src/" + a or path.startswith("src/" + a + "/") for a in self.allowed)


RULES = [
    Rule("reads a clock or sleeps: take the time as an argument",
         ["base/clock.c", "rt", "ros/wall_clock.c"],
         ["time", "clock", "clock_gettime", "clock_getres", "clock_nanosleep", "gettimeofday",
          "timespec_get", "nanosleep", "usleep", "sleep"]),
    Rule("asks the wall clock, which somebody may set: there is sinew/clock.h",
         ["ros/wall_clock.c"],  # the time of a ROS graph is that of the wall clock
         ["gettimeofday", "timespec_get", "ftime"], ["CLOCK_REALTIME"]),
    Rule("prints: return a status and a text instead", ["base/fault.c"],
         ["printf", "vprintf", "puts", "putchar", "perror", "dprintf"], ["stdout", "stderr"]),
    Rule("ends the process: return a status, or SN_ASSERT for a programmer's mistake",
         ["base/fault.c", "bus/guard/guard.c", "bus/guard/guard_process.c"], ["exit", "_exit", "_Exit", "quick_exit", "abort"], ["assert"]),
    # The recorder and scripts wait for the disk, which nothing on the real-time path may; a bus for its bytes.
    Rule("starts a thread or a process: that is for rt",
         ["rt", "remote", "record/recorder.c", "movements/movements_thread.c", "bus/bus_thread.c", "bus/guard/guard.c"],
         ["pthread_create", "thrd_create", "timer_create", "fork", "vfork", "posix_spawnp?",
          "system", "popen"]),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def closure(folder):
    """The folder and everything that it depends on."""
    found, todo = set(), [folder]
    while todo:
        one = todo.pop()
        if one not in found:
            found.add(one)
            todo += BELOW[one]
    return found


def reduced(folder):
    """What a folder depends on directly, without what it gets through another one."""
    direct = BELOW[folder]
    return [d for d in direct if not any(d != e and d in closure(e) for e in direct)]


def picture():
    """BELOW as a Mermaid graph, data flow from top to bottom: an arrow points from the user to the used."""
    lines = ["```mermaid", "graph BT"]
    for group, title in ((False, "libsinew"), (True, "libsinew_bridges")):
        members = [f for f in BELOW if (f in OF_THE_PROGRAM) == group]
        lines += ["  subgraph %s" % title] + ["    %s" % f for f in members] + ["  end"]
    for folder in BELOW:
        lines += ["  %s --> %s" % (folder, d) for d in reduced(folder)]
    lines += ["  program[apps/sinew] --> %s" % f for f in OF_THE_PROGRAM + ["deploy"]]
    return "\n".join(lines + ["```"])


PICTURE = re.compile(r"```mermaid\n.*?\n```", re.DOTALL)


def code_lines(text):
    """The text without comments and without the contents of literals; lines keep their numbers."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)

    def blank(match):
        piece = match.group()
        if piece[0] == "/":
            return " " + "\n" * piece.count("\n")
        return piece[0] * 2

    return token.sub(blank, text).split("\n")


class Tree:
    def __init__(self, root):
        self.root = root
        self.findings = []
        self.files = sorted(self.list_files())
        self.header_folder = self.place_headers()

    def list_files(self):
        for top in ("include", "src", "apps", "examples"):
            for folder, _, names in os.walk(os.path.join(self.root, top)):
                for name in names:
                    if name.endswith((".c", ".h")):
                        path = os.path.join(folder, name)
                        yield os.path.relpath(path, self.root).replace(os.sep, "/")

    def find(self, path, line, message):
        self.findings.append("%s:%d: %s" % (path, line, message))

    def place_headers(self):
        """Public header -> folder of src/."""
        source_folders = {}
        for path in self.files:
            parts = path.split("/")
            if parts[0] == "src" and len(parts) > 2 and path.endswith(".c"):
                source_folders.setdefault(parts[-1][:-2], []).append(parts[1])
        placed = {}
        for path in self.files:
            if path.startswith("include/sinew/") and path != UMBRELLA:
                noun = os.path.basename(path)[:-2]
                folders = [noun] if noun in BELOW else source_folders.get(noun, [])
                folder = HEADER_FOLDER.get(noun, folders[0] if len(folders) == 1 else None)
                if folder is not None:
                    placed[path] = folder
                else:
                    self.find(path, 1, "belongs to no folder, or to several: add '%s' to "
                              "HEADER_FOLDER in tools/check_layers.py" % noun)
        return placed

    def folder_of(self, path):
        """The folder of src/ that a file belongs to; None if it is not part of the library."""
        if path in self.header_folder:
            return self.header_folder[path]
        parts = path.split("/")
        return parts[1] if parts[0] == "src" and len(parts) > 2 else None

    def resolve(self, path, name):
        """The file that an include means, or None."""
        here = os.path.dirname(path) + "/" + name
        for candidate in ("include/" + name, "src/" + name, "apps/sinew/" + name, os.path.normpath(here)):
            if candidate in self.files:
                return candidate
        return None

    def check(self):
        known = set(self.files)
        for path in self.files:
            with open(os.path.join(self.root, path), encoding="utf-8") as f:
                text = f.read()
            folder = path.split("/")[1] if path.startswith("src/") else None
            if folder is not None and folder not in BELOW:
                self.find(path, 1, "src/%s is not a layer: add it to BELOW in tools/check_layers.py"
                          % folder)
                continue
            for number, line in enumerate(text.split("\n"), 1):
                match = INCLUDE.match(line)
                if match:
                    self.check_include(path, number, match.group(1))
            if folder is not None:
                self.check_words(path, code_lines(text))
        self.check_architecture()
        if UMBRELLA in known:
            self.check_umbrella()
        else:
            self.find(UMBRELLA, 1, "is missing")
        return sorted(self.findings)

    def exports(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as f:
            return "SN_API" in f.read()

    def check_include(self, path, number, name):
        target = self.resolve(path, name)
        if target is None:
            self.find(path, number, "there is no header \"%s\"" % name)
            return
        if path == UMBRELLA:
            return  # has its own check
        library = path.startswith(("src/", "include/"))
        if target == UMBRELLA and library:
            self.find(path, number, "sinew.h is for users of the library: include what is needed")
            return
        there = target.split("/")[1] if target.startswith("src/") else None
        is_within = path.startswith("src/") and path.split("/")[1] not in OF_THE_PROGRAM
        is_program = path.startswith(("apps/", "src/"))
        if there is not None and not is_within and there not in OF_THE_PROGRAM and not (
                is_program and self.exports(target)):
            self.find(path, number, "\"%s\" is internal to the library" % name)
            return
        here, there = self.folder_of(path), self.folder_of(target)
        if here is not None and there in BELOW and there not in closure(here):
            self.find(path, number, "%s may not depend on %s (\"%s\")" % (here, there, name))

    def check_architecture(self):
        """The document shows the layers as they are. A tree without the document has nothing to check."""
        path = os.path.join(self.root, ARCHITECTURE)
        if not os.path.exists(path):
            return
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if picture() not in text:
            self.find(ARCHITECTURE, 1, "the picture of the layers is out of date: run tools/check_layers.py --picture")
        folders = {os.path.dirname(p) for p in self.files if p.startswith("src/")}
        for folder in sorted(folders):
            if "| `%s` |" % folder not in text:
                self.find(ARCHITECTURE, 1, "the table of folders has no row for `%s`" % folder)

    def check_words(self, path, lines):
        for rule in RULES:
            if not rule.covers(path):
                continue
            for number, line in enumerate(lines, 1):
                match = rule.pattern.search(line)
                if match:
                    word = match.group().rstrip("( ")
                    self.find(path, number, "'%s' %s" % (word, rule.what))

    def check_umbrella(self):
        with open(os.path.join(self.root, UMBRELLA), encoding="utf-8") as f:
            lines = f.read().split("\n")
        included = ["include/" + m.group(1) for m in map(INCLUDE.match, lines) if m]
        for path in sorted(self.header_folder):
            if path not in included and self.header_folder[path] not in OF_THE_PROGRAM:
                self.find(UMBRELLA, 1, "does not include \"%s\"" % path[len("include/"):])


CLEAN = {
    UMBRELLA: '#include "sinew/api.h"\n#include "sinew/vec3.h"\n#include "sinew/model.h"\n',
    "include/sinew/api.h": "",
    "include/sinew/vec3.h": '#include "sinew/api.h"\n',
    "include/sinew/model.h": '#include "sinew/vec3.h"\n',
    "src/base/clock.c": "long now(void) { return clock_gettime(0); }\n",
    "src/base/text.h": "",
    "src/base/exported.h": "SN_API void f(void);",
    "src/base/fault.c": "void f(void) { fprintf(stderr, \"x\"); abort(); }\n",
    "src/math/vec3.c": '#include "sinew/vec3.h"\n#include "base/text.h"\n',
    "src/model/model.c": '#include "sinew/model.h"\n/* printf( and\n exit( in a comment */\n'
                         'const char *t = "time(x) stdout"; // abort()\n'
                         "int g(void) { return snprintf(0) + runtime(1) + a.time(2) + p->exit(3); }\n",
    "src/rt/cycle.c": "void f(void) { clock_nanosleep(1); pthread_create(0); }\n",
    "apps/sinew/main.c": '#include "command.h"\n#include "sinew/sinew.h"\n#include "base/exported.h"\n'
                         "int main(void) { puts(\"x\"); exit(1); }\n",
    "apps/sinew/command.h": "",
    "examples/01_fk.c": '#include "sinew/model.h"\n',
}

CLEAN_ROWS = "".join("| `src/%s` | x |\n" % f for f in list(BELOW) + ["extra"])
CLEAN[ARCHITECTURE] = picture() + "\n" + CLEAN_ROWS

# What is added to or put in place of CLEAN, and the finding that must come of it.
BROKEN = [
    ("src/base/text.h", '\n#include "sinew/vec3.h"\n', "src/base/text.h:2: base may not depend on math"),
    ("include/sinew/vec3.h", '#include "sinew/model.h"\n', "include/sinew/vec3.h:1: math may not"),
    ("src/servo/x.c", '#include "gate/y.h"\n', 'src/servo/x.c:1: there is no header "gate/y.h"'),
    ("src/kin/x.c", '#include "../rt/x.h"\n', "src/kin/x.c:1: kin may not depend on rt"),
    ("src/extra/x.c", "", "src/extra/x.c:1: src/extra is not a layer"),
    ("src/math/x.c", '#include "sinew/sinew.h"\n', "src/math/x.c:1: sinew.h is for users"),
    ("include/sinew/vec3.h", '#include "base/text.h"\n', "include/sinew/vec3.h:1: \"base/text.h\" is internal"),
    ("apps/sinew/main.c", '#include "base/text.h"\n', "apps/sinew/main.c:1: \"base/text.h\" is internal"),
    ("examples/01_fk.c", '#include "base/exported.h"\n', "examples/01_fk.c:1: \"base/exported.h\" is internal"),
    ("include/sinew/novel.h", "", "include/sinew/novel.h:1: belongs to no folder"),
    (UMBRELLA, '#include "sinew/api.h"\n#include "sinew/model.h"\n', "sinew.h:1: does not include \"sinew/vec3.h\""),
    ("src/dyn/x.c", "\n\ndouble t(void) { return clock_gettime(0); }\n", "src/dyn/x.c:3: 'clock_gettime' reads"),
    ("src/gate/x.c", "long t = time(0);\n", "src/gate/x.c:1: 'time' reads"),
    ("src/model/x.c", "void f(void) { printf(\"%d\", 1); }\n", "src/model/x.c:1: 'printf' prints"),
    ("src/model/x.c", "/* a\nb */ void f(void) { fputs(\"x\", stdout); }\n", "src/model/x.c:2: 'stdout' prints"),
    ("src/ik/x.c", "void f(void) { exit (1); }\n", "src/ik/x.c:1: 'exit' ends"),
    ("src/traj/x.c", "void f(void) { assert(1); }\n", "src/traj/x.c:1: 'assert' ends"),
    ("src/arbiter/x.c", "void f(void) { pthread_create(0); }\n", "src/arbiter/x.c:1: 'pthread_create' starts"),
    (ARCHITECTURE, "```mermaid\n```\n" + CLEAN_ROWS, "ARCHITECTURE.md:1: the picture of the layers"),
    (ARCHITECTURE, picture() + "\n" + CLEAN_ROWS.replace("| `src/math` |", ""), "no row for `src/math`"),
]


def findings_of(files):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as f:
                f.write(text)
        return Tree(root).check()


def self_test():
    """A clean tree has no finding; each broken one has exactly the one expected."""
    failures = 0
    if findings_of(CLEAN):
        failures += 1
        print("self-test: the clean tree gives %s" % findings_of(CLEAN))
    for path, text, expected in BROKEN:
        files = dict(CLEAN)
        files[path] = text
        files.setdefault("src/rt/x.h", "")
        found = findings_of(files)
        if len(found) != 1 or expected not in found[0]:
            failures += 1
            print("self-test: expected '%s', found %s" % (expected, found))
    print("check_layers: self-test, %d of %d cases failed" % (failures, len(BROKEN) + 1))
    return 1 if failures else 0


def update_picture(root):
    path = os.path.join(root, ARCHITECTURE)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    with open(path, "w", encoding="utf-8") as f:
        f.write(PICTURE.sub(lambda _: picture(), text, count=1))
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if sys.argv[1:] == ["--picture"]:
        return update_picture(os.path.join(os.path.dirname(__file__), ".."))
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")
    tree = Tree(root)
    findings = tree.check()
    for line in findings:
        print(line)
    print("check_layers: %d files, %d findings" % (len(tree.files), len(findings)))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
