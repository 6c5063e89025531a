#!/usr/bin/env python3
"""Compares the binary interface of libsinew with cmake/abi.txt.

usage: check_abi.py [LIBRARY]     compare; with libsinew.so also its exported symbols and its soname
       check_abi.py --update      write cmake/abi.txt anew
       check_abi.py --release     the same, and mark the interface as released
       check_abi.py --self-test

The interface is what the public headers declare, after the preprocessor: exported functions and constants, and the
types that they use. SINEW_ABI in cmake/library.cmake is its version and the number in the soname, libsinew.so.N.

What to do after a change:
  only additions                    check_abi.py --update
  removals or changes, unreleased   check_abi.py --update
  removals or changes, released     raise SINEW_ABI, then check_abi.py --update: programs must be built again
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIST = os.path.join(ROOT, "cmake", "abi.txt")
EXPORTED = '__attribute__((visibility("default")))'


def die(text):
    print("check_abi: %s" % text, file=sys.stderr)
    sys.exit(1)


def preprocess(include):
    """The text of the public headers without comments, macros and everything from other headers."""
    command = [os.environ.get("CC", "cc"), "-E", "-x", "c", "-std=c17", "-I", include,
               os.path.join(include, "sinew", "sinew.h")]
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        die(done.stderr)
    kept, is_ours = [], False
    for line in done.stdout.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            is_ours = "/sinew/" in marker.group(1) and marker.group(1).startswith(include)
        elif is_ours:
            kept.append(line)
    return re.sub(r"\s+", " ", " ".join(kept))


def declarations(text):
    """Top-level declarations; a function body ends one, too."""
    start = depth = 0
    for i, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        is_body = letter == "}" and depth == 0 and re.match(r"\s*(static|inline)\b", text[start:])
        if depth == 0 and (letter == ";" or is_body):
            yield text[start:i + 1].strip()
            start = i + 1


def interface(include):
    """Name of each exported symbol and public type -> its declaration."""
    found = {}
    for text in declarations(preprocess(include)):
        if EXPORTED in text:
            text = text.replace(EXPORTED, "").replace("extern ", "")
            text = re.sub(r"__attribute__ ?\(\(.*?\)\)\)?|_Noreturn", "", text).replace(" ;", ";").strip()
            name = re.match(r"[^(;]*?(\w+)\s*(?:\[[^]]*\])*\s*[(;]", text).group(1)
            found["symbol " + name] = text
        elif "{" in text and not re.match(r"static|inline", text):
            name = re.search(r"(?:struct|union|enum)\s+(\w+)\s*\{", text) or re.search(r"\{\s*(\w+)", text)
            found["type " + name.group(1)] = text
        elif text.startswith("typedef"):
            found["type " + re.findall(r"\w+", text.split("(")[0] if "(*" not in text else text)[-1]] = text
    return found


def version():
    with open(os.path.join(ROOT, "cmake", "library.cmake"), encoding="utf-8") as file:
        return int(re.search(r"set\(SINEW_ABI (\d+)\)", file.read()).group(1))


def read_list():
    with open(LIST, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file if not line.startswith("#")]
    number, state = re.match(r"version (\d+) (released|unreleased)$", lines[0]).groups()
    return int(number), state == "released", dict(line.split(": ", 1) for line in lines[1:])


def write_list(number, is_released, now):
    with open(LIST, "w", encoding="utf-8") as file:
        file.write("# The binary interface of libsinew, written by tools/check_abi.py --update.\n")
        file.write("version %d %s\n" % (number, "released" if is_released else "unreleased"))
        file.writelines("%s: %s\n" % item for item in sorted(now.items()))


def differences(before, now):
    """Lines to print, and whether a program that was built before may break."""
    lines = ["- %s: %s" % (k, before[k]) for k in sorted(before.keys() - now.keys())]
    for key in sorted(before.keys() & now.keys()):
        if before[key] != now[key]:
            lines += ["- %s: %s" % (key, before[key]), "+ %s: %s" % (key, now[key])]
    is_breaking = bool(lines)
    return lines + ["+ %s: %s" % (k, now[k]) for k in sorted(now.keys() - before.keys())], is_breaking


def advice(is_breaking, is_released, recorded, number):
    if is_breaking and is_released and number <= recorded:
        return "incompatible with the release: raise SINEW_ABI in cmake/library.cmake, then tools/check_abi.py --update"
    return "if this is intended: tools/check_abi.py --update"


def check_library(path, now, number):
    symbols = subprocess.run(["nm", "-D", "--defined-only", path], text=True, stdout=subprocess.PIPE, check=True).stdout
    declared = {key.split()[1] for key in now if key.startswith("symbol ")}
    names = {line.split()[-1] for line in symbols.splitlines()}
    exported = {name for name in names if name in declared or not name.startswith("sn__")}  # those are internal
    if exported != declared:
        die("declared, but not exported: %s; exported, but not declared: %s"
            % (sorted(declared - exported), sorted(exported - declared)))
    dynamic = subprocess.run(["readelf", "-d", path], text=True, stdout=subprocess.PIPE, check=True).stdout
    if "[libsinew.so.%d]" % number not in dynamic:
        die("the soname is not libsinew.so.%d" % number)


def compare(library):
    recorded, is_released, before = read_list()
    now, number = interface(os.path.join(ROOT, "include")), version()
    lines, is_breaking = differences(before, now)
    if lines or recorded != number:
        print("\n".join(lines))
        die("the interface has changed; " + advice(is_breaking, is_released, recorded, number))
    if library:
        check_library(library, now, number)
    print("check_abi: version %d, %d symbols and types as in cmake/abi.txt" % (number, len(now)))


def update(is_release):
    now, number = interface(os.path.join(ROOT, "include")), version()
    recorded, was_released, before = read_list() if os.path.exists(LIST) else (number, False, {})
    lines, is_breaking = differences(before, now)
    if is_breaking and was_released and number <= recorded:
        print("\n".join(lines))
        die(advice(True, True, recorded, number))
    write_list(number, is_release or (was_released and number == recorded), now)


def self_test():
    header = """#include <stddef.h>
    #define SN_API __attribute__((visibility("default")))
    /** Comment. */ typedef struct sn_a { int x; /* y */ } sn_a;
    enum { SN_B = 1 };
    typedef int sn_hook(void *context);
    SN_API int sn_f(const sn_a *a, %s b);
    SN_API extern const sn_a sn_constant;
    static inline int sn_g(void) { return 1; }
    SN_API void sn_h(void);"""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "sinew"))

        def read(argument):
            with open(os.path.join(folder, "sinew", "sinew.h"), "w", encoding="utf-8") as file:
                file.write(header % argument)
            return interface(folder)
        before, now = read("int"), read("long")
    assert set(before) == {"type sn_a", "type SN_B", "type sn_hook", "symbol sn_f", "symbol sn_constant",
                           "symbol sn_h"}, before
    assert before["type sn_a"] == "typedef struct sn_a { int x; } sn_a;", before
    lines, is_breaking = differences(before, now)
    assert is_breaking and len(lines) == 2 and "long b" in lines[1], lines
    more = dict(before, **{"symbol sn_new": "void sn_new(void);"})
    assert differences(before, more) == (["+ symbol sn_new: void sn_new(void);"], False)
    assert differences(more, before)[1]
    assert "raise SINEW_ABI" in advice(True, True, 1, 1)
    assert "raise SINEW_ABI" not in advice(True, True, 1, 2) + advice(True, False, 1, 1) + advice(False, True, 1, 1)
    print("check_abi: self-test passed")


def main(arguments):
    if arguments == ["--self-test"]:
        self_test()
    elif arguments in (["--update"], ["--release"]):
        update(arguments == ["--release"])
    elif len(arguments) <= 1 and not "".join(arguments).startswith("-"):
        compare(arguments[0] if arguments else None)
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
