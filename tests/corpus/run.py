#!/usr/bin/env python3
"""Run `sinew check` on every file of a generated corpus and compare with its manifest.

usage: run.py SINEW DIRECTORY [PART-OF-A-NAME...]

Each file is checked twice, with --json and without, and some a third time under strace. A run may
take CPU_LIMIT_S of processor time (so that a busy machine changes nothing) and MEMORY_LIMIT bytes.
"""
import dataclasses
import json
import multiprocessing
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unicodedata

CPU_LIMIT_S = 1.0
HANG_S = 60.0  # wall-clock time
MEMORY_LIMIT = 2 << 30
SANITIZER_SLOWDOWN = 20.0
# By default the undefined-behaviour sanitizer ends with 1, which means "not valid" here.
SANITIZER_OPTIONS = {"ASAN_OPTIONS": "exitcode=99", "UBSAN_OPTIONS": "exitcode=99", "TSAN_OPTIONS": "exitcode=99"}
JSON_KEYS = {"ok", "robot", "links", "joints", "dof", "root", "pose", "chains", "contacts", "problems"}
# A problem that concerns a file as a whole (too large, not readable) has no line.
PROBLEM_LINE = re.compile(r"(?P<file>.*?)(:(?P<line>\d+):(?P<column>\d+))?: (?P<severity>error|warning): (?P<text>.+)")


@dataclasses.dataclass
class Program:
    path: str
    directory: pathlib.Path
    sanitized: bool

    def cpu_limit_s(self):
        return CPU_LIMIT_S * (SANITIZER_SLOWDOWN if self.sanitized else 1.0)

    def arguments(self, entry):
        if entry["kind"] == "properties":
            return [self.path, "check", "good.urdf", "--properties", entry["file"]]
        return [self.path, "check", entry["file"]]


class Failure(Exception):
    """An expectation about a file that does not hold."""


def is_sanitized(path):
    data = pathlib.Path(path).read_bytes()
    return any(mark in data for mark in (b"__asan_init", b"__tsan_init", b"__ubsan_handle"))


def limit_memory(program):
    """Of a worker, which its children inherit."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not program.sanitized:  # a sanitizer reserves terabytes
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))


def limit_cpu(child, limit_s):
    """The kernel ends a process that runs far beyond the limit."""
    hard_s = int(limit_s) + 1
    try:
        resource.prlimit(child.pid, resource.RLIMIT_CPU, (hard_s, hard_s))
    except ProcessLookupError:
        pass  # so quick that it is over


def used_cpu_s():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(program, arguments, locale):
    """Exit code, standard output, standard error and seconds of processor time."""
    before = used_cpu_s()
    environment = {**os.environ, "LC_ALL": locale, **SANITIZER_OPTIONS}
    with subprocess.Popen(arguments, cwd=program.directory, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        limit_cpu(child, program.cpu_limit_s())
        try:
            output, errors = child.communicate(timeout=HANG_S)
        except subprocess.TimeoutExpired:
            child.kill()
            raise Failure(f"hangs: no answer after {HANG_S:g} s") from None
    cpu_s = used_cpu_s() - before
    if cpu_s > program.cpu_limit_s():
        raise Failure(f"slow: {cpu_s:.2f} s of processor time, limit {program.cpu_limit_s():g} s")
    if child.returncode not in (0, 1):
        tail = errors.decode(errors="replace").strip()[-2000:]
        raise Failure(f"crash: exit code {child.returncode}\n{tail}")
    return child.returncode, output, errors, cpu_s


def control_characters(text, allowed=""):
    return sorted({f"U+{ord(c):04X}" for c in text if unicodedata.category(c) == "Cc" and c not in allowed})


def decode(data, what):
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Failure(f"{what} is not UTF-8: {error}") from None


def check_texts(value):
    """No text in the JSON holds control characters."""
    if isinstance(value, str) and control_characters(value):
        raise Failure(f"JSON text holds {control_characters(value)}: {value[:200]!r}")
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        check_texts(item)


def parse_json(text):
    try:
        answer = json.loads(text)
    except ValueError as error:
        raise Failure(f"not JSON: {error}: {text[:300]!r}") from None
    missing = JSON_KEYS - set(answer) if answer.get("ok") else {"ok", "problems"} - set(answer)
    if missing:
        raise Failure(f"JSON lacks {sorted(missing)}")
    check_texts(answer)
    return answer


def verdict_of(answer):
    severities = {problem["severity"] for problem in answer["problems"]}
    if severities - {"error", "warning"}:
        raise Failure(f"unknown severity among {severities}")
    if answer["ok"] == ("error" in severities):
        raise Failure(f"ok is {answer['ok']}, but the severities are {severities}")
    if not answer["ok"]:
        return "reject"
    return "warn" if severities else "accept"


def has_message(problem, parts):
    message = problem["message"].lower()
    return all(any(choice in message for choice in part.lower().split("|")) for part in parts)


def is_at(problem, places):
    return not places or any(problem["line"] == place["line"] and place["column"] in (None, problem["column"])
                             for place in places)


def check_problem(entry, answer, verdict):
    """One problem of the right severity says the right thing about the right place."""
    wanted = {"reject": "error", "warn": "warning"}.get(verdict)
    if wanted is None:
        return
    candidates = [p for p in answer["problems"] if p["severity"] == wanted]
    speaking = [p for p in candidates if has_message(p, entry["message"])]
    if not speaking:
        raise Failure(f"no {wanted} says {entry['message']}")
    if not any(is_at(p, entry["places"]) for p in speaking):
        raise Failure(f"no such {wanted} at {entry['places']}")
    if not any(os.path.basename(p["file"]) == entry["file"] for p in speaking):
        raise Failure(f"the problem's file is {speaking[0]['file']!r}")


def matches(actual, expected):
    """Equal, where an object may have more keys than expected."""
    if isinstance(expected, dict):
        return isinstance(actual, dict) and all(k in actual and matches(actual[k], v)
                                                for k, v in expected.items())
    if isinstance(expected, list):
        return (isinstance(actual, list) and len(actual) == len(expected)
                and all(map(matches, actual, expected)))
    return actual == expected


def check_json(program, entry):
    code, output, _, cpu_s = run(program, program.arguments(entry) + ["--json"], "C")
    answer = parse_json(decode(output, "JSON"))
    verdict = verdict_of(answer)
    if code != (1 if verdict == "reject" else 0):
        raise Failure(f"exit code {code}, but {verdict}", answer)
    try:
        if verdict not in entry["verdict"].split("|"):
            raise Failure(f"expected {entry['verdict']}, got {verdict}")
        check_problem(entry, answer, verdict)
        for key, value in entry["expect"].items():
            if answer["ok"] and not matches(answer[key], value):
                raise Failure(f"expected {key} {value}, got {str(answer[key])[:300]}")
    except Failure as failure:
        raise Failure(str(failure), answer) from None
    return answer, cpu_s


def check_text(program, entry, answer):
    """Without --json: the same problems, a line each, and nothing that a terminal would obey."""
    _, output, errors, _ = run(program, program.arguments(entry), "de_DE.UTF-8")
    text = decode(output + errors, "output")
    if control_characters(text, allowed="\n"):
        raise Failure(f"output holds {control_characters(text, allowed=chr(10))}", answer)
    found = [match for match in map(PROBLEM_LINE.fullmatch, text.split("\n")) if match]
    if len(found) != len(answer["problems"]):
        raise Failure(f"{len(found)} lines of the form file:line:column: error|warning: text, but "
                      f"{len(answer['problems'])} problems in the JSON; output begins\n{text[:600]}")
    for match, problem in zip(found, answer["problems"]):
        shown = (int(match["line"] or 0), int(match["column"] or 0), match["severity"])
        if shown != (problem["line"], problem["column"], problem["severity"]):
            raise Failure(f"JSON has {problem}, the line is {match[0][:300]}")
        if not match["text"].startswith(problem["message"]):
            raise Failure(f"message {problem['message'][:300]!r} is printed as {match['text'][:300]!r}")


def opened_files(program, entry, strace):
    """Paths that a run opens and addresses that it connects to."""
    with tempfile.NamedTemporaryFile() as log:
        environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0", "LC_ALL": "C"}
        subprocess.run([strace, "-f", "-qq", "-e", "trace=open,openat,creat,connect", "-o", log.name,
                        *program.arguments(entry)], cwd=program.directory, env=environment,
                       timeout=HANG_S, capture_output=True, check=False)
        lines = pathlib.Path(log.name).read_text(errors="replace").splitlines()
    calls = [line.split(None, 1)[1] for line in lines if re.search(r"\b(open|openat|creat|connect)\(", line)]
    paths = {re.search(r'"((?:[^"\\]|\\.)*)"', call)[1] if '"' in call else call for call in calls}
    return {path for path in paths if not path.startswith("/proc/")}


def check_trace(program, entry, strace, baseline):
    extra = opened_files(program, entry, strace) - baseline[entry["kind"]] - {entry["file"]}
    # A robot with meshes makes it look for packages: folders are listed, their package.xml is read.
    # Its SRDF is looked for beside it and where MoveIt has it.
    srdf = pathlib.Path(entry["file"]).stem + ".srdf"
    looked_for = {"package.xml", srdf, srdf + ".xacro"}
    extra = {path for path in extra if not os.path.isdir(path) and os.path.basename(path) not in looked_for}
    if extra:
        raise Failure(f"opens {sorted(extra)}")


def check(task):
    """The failure of one entry as text (None if there is none), and its processor time."""
    program, entry, strace, baseline = task
    cpu_s = 0.0
    try:
        answer, cpu_s = check_json(program, entry)
        check_text(program, entry, answer)
        if strace and entry["trace"]:
            check_trace(program, entry, strace, baseline)
    except Failure as failure:
        return entry["file"], describe(failure), cpu_s
    return entry["file"], None, cpu_s


def describe(failure):
    lines = [str(failure.args[0])]
    for problem in failure.args[1]["problems"][:5] if len(failure.args) > 1 else ():
        lines.append(f"{problem['line']}:{problem['column']}: {problem['severity']}: {problem['message'][:200]}")
    return "\n".join("    " + line for text in lines for line in text.split("\n"))


def find_strace(program):
    """strace and what a run on a good robot opens, or a word why not."""
    strace = shutil.which("strace")
    if strace is None:
        return None, {}, "strace is not installed"
    good = {"urdf": {"kind": "urdf", "file": "good.urdf"},
            "properties": {"kind": "properties", "file": "properties-good-cpf.cpf"}}
    baseline = {kind: opened_files(program, entry, strace) for kind, entry in good.items()}
    if "good.urdf" not in baseline["urdf"]:
        return None, {}, "strace may not trace here"
    return strace, baseline, None


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    directory = pathlib.Path(sys.argv[2])
    path = os.path.abspath(sys.argv[1])
    program = Program(path, directory, is_sanitized(path))
    entries = json.loads((directory / "manifest.json").read_text())
    if sys.argv[3:]:
        entries = [e for e in entries if any(part in e["file"] for part in sys.argv[3:])]
    strace, baseline, why_not = find_strace(program)
    if why_not:
        print(f"not checked which files are opened: {why_not}")
    tasks = [(program, entry, strace, baseline) for entry in entries]
    failed, slowest = 0, (0.0, "")
    with multiprocessing.Pool(initializer=limit_memory, initargs=(program,)) as pool:
        for name, failure, cpu_s in pool.imap(check, tasks):
            slowest = max(slowest, (cpu_s, name))
            if failure:
                failed += 1
                print(f"FAIL {name}\n{failure}")
    print(f"slowest: {slowest[1]}, {slowest[0]:.2f} s of processor time")
    print(f"{len(entries) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
