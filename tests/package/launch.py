#!/usr/bin/env python3
"""The launch file, with a stand-in for the package `launch`: its command line is one that the program takes.

usage: launch.py LAUNCH_FILE PROGRAM ROBOT
"""
import os
import runpy
import subprocess
import sys
import types

path, program, robot = sys.argv[1:]
chosen = {}


class Recorded:
    def __init__(self, *args, **kwargs):
        self.args, self.kwargs = args, kwargs


class Configuration(Recorded):
    def perform(self, context):
        return context[self.args[0]]


def check(is_good, what):
    if not is_good:
        sys.exit("launch: " + what)


modules = {"launch": ["LaunchDescription"],
           "launch.actions": ["DeclareLaunchArgument", "ExecuteProcess", "OpaqueFunction", "Shutdown"],
           "launch.substitutions": []}
for name, classes in modules.items():
    module = types.ModuleType(name)
    for each in classes:
        setattr(module, each, type(each, (Recorded,), {}))
    sys.modules[name] = module
sys.modules["launch.substitutions"].LaunchConfiguration = Configuration

names = runpy.run_path(path)
description = names["generate_launch_description"]()
entities = description.args[0]
declared = {e.args[0]: e.kwargs for e in entities if type(e).__name__ == "DeclareLaunchArgument"}
check("default_value" not in declared["robot"], "the robot is not required")
check(all(e["description"] for e in declared.values()), "an argument without a description")
starter = [e for e in entities if type(e).__name__ == "OpaqueFunction"]
check(len(starter) == 1, "nothing is started")


def words(**given):
    values = {name: e.get("default_value") for name, e in declared.items()}
    values.update(robot=robot, **given)
    processes = starter[0].kwargs["function"](values)
    check(len(processes) == 1, "%d processes" % len(processes))
    return processes[0].kwargs["cmd"]


check(words()[0] == "sinew", "the program is not sinew")
# The deployment that the command describes has the values.
cases = ({}, {"name": "left_arm", "namespace": "/left", "use_sim_time": "true"},
         {"clock": "sim", "duration": "0.1", "headless": "false"})
for case in cases:
    line = [program] + words(**case)[1:] + ["--print-deployment"]
    result = subprocess.run(line, capture_output=True, text=True, env=dict(os.environ, ROS_DOMAIN_ID="0"))
    check(result.returncode == 0, "%s: %s" % (line, result.stderr))
    for value in (case.get("name"), case.get("namespace")):
        check(value is None or value in result.stdout, "%s is not in the deployment" % value)
print("launch: the command lines are good")
