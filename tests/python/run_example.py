"""Run an example as its text says: the commands above its own line first, those with & beside it.

usage: run_example.py EXAMPLE.py
"""
import ast
import os
import shlex
import subprocess
import sys
import tempfile
import time

example = os.path.abspath(sys.argv[1])
program = os.environ["SINEW_PROGRAM"]
root = os.path.dirname(os.path.abspath(os.environ["SINEW_ROBOTS"]))

with open(example) as file:
    text = ast.get_docstring(ast.parse(file.read()), clean=False)
lines = [line.strip() for line in text.splitlines()
         if line.startswith("    ") and "LOG" not in line and "ROBOT" not in line]


def command(line):
    """The words of a line, with the program and the robots where they are."""
    words = [os.path.join(root, w) if w.startswith("robots/") else w for w in shlex.split(line)]
    return [program] + words[1:] if words[0] == "sinew" else words


def wait_for(process, socket):
    while not os.path.exists(socket):
        if process.poll() is not None:
            sys.exit("the system has ended")
        time.sleep(0.05)


with tempfile.TemporaryDirectory() as folder:
    environment = {**os.environ, "XDG_RUNTIME_DIR": folder}
    # A sanitizer that is loaded before the interpreter is not meant for the program.
    program_environment = {k: v for k, v in environment.items() if k != "LD_PRELOAD"}
    beside = []
    code = 0
    try:
        arguments = []
        for line in lines:
            if line.startswith("python3"):
                arguments = shlex.split(line)[2:]
            elif line.endswith("&"):
                words = command(line[:-1]) + ["--headless", "--quiet"]
                beside.append(subprocess.Popen(words, cwd=folder, env=program_environment))
                wait_for(beside[-1], os.path.join(folder, "sinew", "default.sock"))
            else:
                subprocess.run(command(line) + ["--quiet"], cwd=folder, env=program_environment,
                               check=True)
        code = subprocess.run([sys.executable, "-B", example, *arguments], cwd=folder,
                              env=environment).returncode
    finally:
        for process in beside:
            process.terminate()
            process.wait()
sys.exit(code)
