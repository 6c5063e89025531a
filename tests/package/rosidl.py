#!/usr/bin/env python3
"""The definitions of sinew_msgs through the generators of ROS 2: each becomes an IDL, a C and a C++ header.

usage: rosidl.py SINEW_MSGS     the folder of the package
"""
import json
import pathlib
import re
import sys
import tempfile

try:
    from rosidl_adapter.msg import convert_msg_to_idl
    from rosidl_adapter.srv import convert_srv_to_idl
    from rosidl_generator_c import generate_c
    from rosidl_generator_cpp import generate_cpp
    TEMPLATES = {generate_c: pathlib.Path("/usr/share/rosidl_generator_c/resource"),
                 generate_cpp: pathlib.Path("/usr/share/rosidl_generator_cpp/resource")}
except ImportError:
    TEMPLATES = {}
if not TEMPLATES or not all(folder.is_dir() for folder in TEMPLATES.values()):
    print("package: the generators of rosidl are missing, nothing was checked")
    sys.exit(77)  # what ctest takes as skipped


def check(is_good, what):
    if not is_good:
        sys.exit("package: " + what)


def translate(source, target):
    """All definitions as IDL. Returns their names: `msg/BalanceState`."""
    names = []
    for kind, convert in (("msg", convert_msg_to_idl), ("srv", convert_srv_to_idl)):
        for path in sorted((source / kind).glob("*." + kind)):
            convert(source, "sinew_msgs", path.relative_to(source), target / kind)
            names.append("%s/%s" % (kind, path.stem))
    return names


def generate(generator, folder, names, target):
    arguments = {"package_name": "sinew_msgs", "output_dir": str(target), "template_dir": str(TEMPLATES[generator]),
                 "idl_tuples": ["%s:%s.idl" % (folder, name) for name in names], "ros_interface_dependencies": [],
                 "target_dependencies": []}
    path = target / "arguments.json"
    target.mkdir()
    path.write_text(json.dumps(arguments))
    generator(str(path))


def snake(name):
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


with tempfile.TemporaryDirectory() as scratch:
    root = pathlib.Path(scratch)
    names = translate(pathlib.Path(sys.argv[1]).resolve() / "ros2", root)
    check(len(names) > 20, "only %d definitions" % len(names))
    for generator, suffix in ((generate_c, ".h"), (generate_cpp, ".hpp")):
        target = root / suffix[1:]
        generate(generator, root, names, target)
        for name in names:
            kind, stem = name.split("/")
            struct = target / kind / "detail" / ("%s__struct%s" % (snake(stem), suffix))
            check(struct.is_file() and "sinew_msgs" in struct.read_text(), "%s: no %s" % (name, struct.name))
    print("package: %d definitions passed the generators of C and C++" % len(names))
