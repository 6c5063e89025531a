#!/usr/bin/env python3
"""Checks what the documents refer to: links, files, and commands.

usage: links.py SINEW ROOT | --self-test

- A relative link leads to a file, and its anchor to a heading.
- A path in `code` that begins with a folder of this tree exists; a bare file name is that of some file of the tree.
  Placeholders (<noun>, NAME, …) match anything. CHANGELOG.md may name files that are gone.
- A command exists: `sinew` with its subcommand and options, `make` with its target, `npm run`, `cmake --preset`, and the programs in
  build/.

Prints file:line: message for each finding; exit 0 if there is none, 1 otherwise.
"""
import fnmatch
import json
import os
import re
import subprocess
import sys

SKIPPED = {"build", "node_modules", "dist", "install", "__pycache__"}
HISTORY = "CHANGELOG.md"
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`((?:[^`\n]|\n(?!\s*\n))+)`")
FENCE = re.compile(r"^\s*```(\w*)\s*$")
SOURCE = re.compile(r"^[\w.-]+\.(?:c|h|cpp|py|sh|mjs|ts|css|md|cmake)$")
PLACEHOLDER = re.compile(r"<\w+>|…|\b[A-Z]{3,}\b")
# Files that readers write, or that a program makes.
WRITTEN_BY_READERS = {"move.c", "main.c", "my_controller.c"}


class Tree:
    """The files of the repository."""

    def __init__(self, root):
        self.root = root
        self.files = set()
        for folder, folders, names in os.walk(root):
            folders[:] = [f for f in folders if f not in SKIPPED and not f.startswith(".")]
            self.files.update(os.path.relpath(os.path.join(folder, name), root) for name in names)
        self.names = {os.path.basename(f) for f in self.files}
        self.folders = {parent for f in self.files for parent in parents(f)}
        self.top = {f.split("/")[0] for f in self.folders}

    def has(self, path):
        pattern = PLACEHOLDER.sub("*", path.rstrip("/"))
        return any(fnmatch.fnmatch(f, pattern) for f in self.files | self.folders)


def parents(path):
    while "/" in path:
        path = path.rsplit("/", 1)[0]
        yield path


def anchors(text):
    """Of all headings, as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        plain = re.sub(r"[^\w\- ]", "", heading.strip().lower())
        found.add(plain.replace(" ", "-"))
    return found


def check_link(tree, document, target, text):
    if re.match(r"[a-z]+:", target):
        return None
    path, _, anchor = target.partition("#")
    if path:
        path = os.path.normpath(os.path.join(os.path.dirname(document), path))
        if path not in tree.files and path not in tree.folders:
            return "link to %s, which does not exist" % target
    if anchor:
        if path:
            with open(os.path.join(tree.root, path), encoding="utf-8") as file:
                text = file.read()
        if anchor not in anchors(text):
            return "link to %s, which has no such heading" % target
    return None


def check_path(tree, document, word):
    """@param word  one word of code: a path of this tree, a file name, or something else"""
    word = word.strip("\"'(),;:").removeprefix("./")
    if word.startswith("sinew/") and word.endswith(".h"):
        word = "include/" + word
    here = os.path.join(os.path.dirname(document), word)
    if "/" in word and word.split("/")[0] in tree.top:
        if not tree.has(word) and not tree.has(here):
            return "%s does not exist" % word
    elif SOURCE.match(word) and not PLACEHOLDER.search(word):
        if word not in tree.names and word not in WRITTEN_BY_READERS:
            return "no file is named %s" % word
    return None


class Commands:
    """What can be run."""

    def __init__(self, tree, sinew):
        self.tree = tree
        self.sinew = sinew
        self.helps = {}
        self.make = set(re.findall(r"^([\w-]+):", self.read("Makefile"), re.M))
        self.scripts = set(json.loads(self.read("web/package.json"))["scripts"])
        presets = json.loads(self.read("CMakePresets.json"))
        self.presets = {p["name"] for kind in presets if kind.endswith("Presets") for p in presets[kind]}

    def read(self, path):
        with open(os.path.join(self.tree.root, path), encoding="utf-8") as file:
            return file.read()

    def help(self, words):
        """What `sinew WORDS --help` prints; "" if it fails."""
        key = tuple(words)
        if key not in self.helps:
            run = subprocess.run([self.sinew, *words, "--help"], text=True, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.helps[key] = run.stdout if run.returncode == 0 else ""
        return self.helps[key]

    def check_sinew(self, words):
        if not words or not re.match(r"[a-z-]", words[0]):
            return None
        options = {w.split("=")[0] for w in words if re.match(r"--[a-z]", w)}
        if words[0].startswith("--"):
            text = self.help([])
        else:
            subcommand = [w for w in words[:2] if re.fullmatch(r"[a-z][a-z-]*", w)]
            text = self.help(subcommand) + self.help(subcommand[:1])
            if text == "":
                return "unknown command 'sinew %s'" % words[0]
        missing = sorted(o for o in options - {"--help"} if not re.search(re.escape(o) + r"(?![\w-])", text))
        return "'sinew %s' has no option %s" % (words[0], missing[0]) if missing else None

    def check(self, words):
        """@param words  a command line, without comments"""
        program, rest = words[0], words[1:]
        base = program.rsplit("/", 1)[-1]
        if base == "sinew":
            return self.check_sinew(rest)
        if program.startswith("build/") and re.match(r"(test|bench)_", base):
            return None if base + ".c" in self.tree.names else "%s is not built" % program
        if program == "make":
            missing = [w for w in rest if re.fullmatch(r"[a-z][\w-]*", w) and w not in self.make]
            return "make has no target '%s'" % missing[0] if missing else None
        if program == "npm" and rest[:1] == ["run"]:
            return None if rest[1] in self.scripts else "npm has no script '%s'" % rest[1]
        if program in ("cmake", "ctest") and "--preset" in rest:
            name = rest[rest.index("--preset") + 1]
            return None if name in self.presets else "unknown preset '%s'" % name
        return None


def command_lines(code):
    """Simple commands of a line of shell: what is between pipes, `&&`, `;` and comments, quotes kept whole."""
    code = re.sub(r"'[^']*'|\"[^\"]*\"", "TEXT", code)
    code = re.sub(r"(^|\s)#.*", "", code)
    for part in re.split(r"\|\|?|&&?|;|\$\(|\)|<\(", code):
        words = part.replace("[", " ").replace("]", " ").split()
        while words and (words[0] in ("sudo", "$", "time") or re.match(r"[A-Z_]+=", words[0])):
            words = words[1:]
        if words:
            yield words


def check_code(tree, commands, document, code):
    problems = [commands.check(words) for words in command_lines(code)]
    if os.path.basename(document) != HISTORY:
        problems += [check_path(tree, document, word) for word in code.split()]
    return [p for p in problems if p is not None]


def blocks(text):
    """The document in two: its prose with empty lines for blocks of code, and the lines of code that are a shell's."""
    prose, shell = [], []
    language, before = None, ""
    for number, line in enumerate(text.split("\n"), 1):
        fence = FENCE.match(line)
        prose.append("" if fence or language is not None else line)
        if fence:
            language = fence.group(1) or "text" if language is None else None
        elif language in ("sh", "bash", "console", "text"):
            line = before + line
            before = line[:-1] if line.endswith("\\") else ""
            if not before and (language != "text" or re.match(r"\s*(\$ |sinew [a-z]+( |$)|tools/)", line)):
                shell.append((number, line))
    return "\n".join(prose), shell


def check_document(tree, commands, document, text):
    """@return [(line, problem)]"""
    prose, shell = blocks(text)
    codes = [(prose.count("\n", 0, m.start()) + 1, m.group(1)) for m in CODE.finditer(prose)]
    found = [(number, problem) for number, code in codes + shell
             for problem in check_code(tree, commands, document, code.replace("\n", " "))]
    plain = CODE.sub(lambda m: "\n" * m.group(0).count("\n"), prose)
    for match in LINK.finditer(plain):
        problem = check_link(tree, document, match.group(1), text)
        if problem is not None:
            found.append((plain.count("\n", 0, match.start()) + 1, problem))
    return sorted(found)


def self_test():
    """Each kind of mistake is found, and its correct form is not."""
    class NoTree:
        root = "."
        files = {"docs/a.md", "src/rt/system.c", "include/sinew/model.h", "bench/bench_ik.c"}
        names = {os.path.basename(f) for f in files}
        folders = {"docs", "src", "src/rt", "include", "include/sinew", "bench"}
        top = {"docs", "src", "include", "bench"}
        has = Tree.has
    commands = Commands.__new__(Commands)
    commands.tree, commands.sinew = NoTree(), None
    commands.helps = {(): "--version", ("run",): "--port N", ("run", "robot"): "", ("fly",): ""}
    commands.make, commands.scripts, commands.presets = {"test"}, {"check"}, {"dev"}
    good = ["[a](a.md) [h](#a-heading)\n# A heading!", "`src/rt/system.c` `src/<folder>/<noun>.c` `sinew/model.h` `system.c`",
            "`sinew run robot --port 1`", "`make test STEPS=x`", "```sh\nbuild/x/bench_ik 3 # sinew fly\n```",
            "```c\n#include \"own.h\"\n```", "`cmake --preset dev && npm run check`",
            "`sinew run --port\n1` must `src` make it"]
    bad = ["[a](b.md)", "[h](#other)", "`src/rt/sistem.c`", "`sinew/modell.h`", "`sistem.c`", "`sinew fly`", "`sinew run --prot 1`",
           "`make tset`", "```sh\nbuild/x/bench_ikk\n```", "`npm run chek`", "`cmake --preset deb`", "```sh\ntrue | sinew fly\n```",
           "```\nsinew fly\n```", "`sinew run\n--prot`", "[a\nb](b.md)"]
    for text in good:
        assert not check_document(commands.tree, commands, "docs/x.md", text), text
    for text in bad:
        assert check_document(commands.tree, commands, "docs/x.md", text), text


def main():
    self_test()
    if sys.argv[1:] == ["--self-test"]:
        return 0
    tree = Tree(sys.argv[2])
    commands = Commands(tree, os.path.abspath(sys.argv[1]))
    count = 0
    documents = sorted(f for f in tree.files if f.endswith(".md"))
    for document in documents:
        with open(os.path.join(tree.root, document), encoding="utf-8") as file:
            for line, problem in check_document(tree, commands, document, file.read()):
                print("%s:%d: %s" % (document, line, problem))
                count += 1
    print("%d documents, %d findings" % (len(documents), count))
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
