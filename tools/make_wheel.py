#!/usr/bin/env python3
"""Write a wheel of the built Python module.

usage: make_wheel.py FOLDER OUT     FOLDER holds the package `sinew`, OUT receives the wheel
"""
import base64
import hashlib
import os
import platform
import re
import sys
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def version():
    with open(os.path.join(ROOT, "CMakeLists.txt")) as file:
        return re.search(r"project\(sinew VERSION (\S+)", file.read()).group(1)


def metadata(number):
    with open(os.path.join(ROOT, "docs", "python.md")) as file:
        text = file.read()
    return (f"Metadata-Version: 2.1\nName: sinew\nVersion: {number}\n"
            "Summary: Motion control of robots: models, kinematics, dynamics, recordings\n"
            "License: Apache-2.0\nRequires-Python: >=3.11\nRequires-Dist: numpy\n"
            f"Description-Content-Type: text/markdown\n\n{text}")


def package_files(folder):
    names = sorted(os.listdir(os.path.join(folder, "sinew")))
    files = {}
    for name in names:
        if not name.startswith(".") and not name.startswith("__pycache__"):
            with open(os.path.join(folder, "sinew", name), "rb") as file:
                files["sinew/" + name] = file.read()
    if "sinew/_sinew.abi3.so" not in files:
        sys.exit(f"make_wheel: {folder}/sinew has no _sinew.abi3.so: build the module first")
    return files


def record(files, path):
    lines = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    return "".join(lines) + f"{path},,\n"


def write_wheel(folder, out):
    number = version()
    # The stable interface of Python 3.11; the libraries are those of the distribution.
    tag = f"cp311-abi3-linux_{platform.machine()}"
    info = f"sinew-{number}.dist-info"
    files = package_files(folder)
    files[f"{info}/METADATA"] = metadata(number).encode()
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: sinew\nRoot-Is-Purelib: false\n"
                              f"Tag: {tag}\n").encode()
    files[f"{info}/RECORD"] = record(files, f"{info}/RECORD").encode()
    path = os.path.join(out, f"sinew-{number}-{tag}.whl")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))  # equal contents, equal wheels
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    return path


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(write_wheel(sys.argv[1], sys.argv[2]))
