"""What the tests of the Python module share. The environment has the program and the robots."""
import contextlib
import os
import shutil
import socket as sockets
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml

import numpy as np

import sinew

PROGRAM = os.environ["SINEW_PROGRAM"]
ROBOTS = os.environ["SINEW_ROBOTS"]
# A sanitizer that is loaded before the interpreter is not meant for the program, which has its own.
PROGRAM_ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
ARMS = ("arm6", "arm7", "arm_ur")


def robot_file(name):
    return os.path.join(ROBOTS, name + ".urdf")


def load_arm(name):
    return sinew.load(robot_file(name)).chain("arm")


def random_positions(arm, count, seed=1):
    """Vectors well inside the limits."""
    random = np.random.default_rng(seed)
    lower = np.maximum(arm.lower, -3.0)
    upper = np.minimum(arm.upper, 3.0)
    return lower + (upper - lower) * random.uniform(0.1, 0.9, (count, arm.dof))


def run_program(*arguments, text=None):
    done = subprocess.run([PROGRAM, *arguments], input=text, capture_output=True, text=True,
                          env=PROGRAM_ENVIRONMENT)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: {done.stderr}")
    return done.stdout


# ---- an oracle: kinematics from the file, by numpy alone ----

def _rotation(axis, angle):
    x, y, z = axis
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def _transform(rotation=None, position=(0, 0, 0)):
    pose = np.eye(4)
    pose[:3, :3] = np.eye(3) if rotation is None else rotation
    pose[:3, 3] = position
    return pose


def _numbers(text):
    return np.array([float(t) for t in text.split()])


def oracle_fk(path, base, tip, positions):
    """Pose of tip in base; positions: a dict from joint to its value."""
    joints = {j.find("child").get("link"): j for j in xml.parse(path).getroot().iter("joint")
              if j.find("child") is not None}
    pose = np.eye(4)
    while tip != base:
        joint = joints[tip]
        origin = joint.find("origin")
        rpy = _numbers(origin.get("rpy", "0 0 0")) if origin is not None else np.zeros(3)
        xyz = _numbers(origin.get("xyz", "0 0 0")) if origin is not None else np.zeros(3)
        turn = (_rotation((0, 0, 1), rpy[2]) @ _rotation((0, 1, 0), rpy[1])
                @ _rotation((1, 0, 0), rpy[0]))
        own = _transform(turn, xyz)
        if joint.get("type") in ("revolute", "continuous", "prismatic"):
            axis = joint.find("axis")
            axis = _numbers(axis.get("xyz")) if axis is not None else np.array([1.0, 0, 0])
            axis = axis / np.linalg.norm(axis)
            value = positions[joint.get("name")]
            own = own @ (_transform(position=axis * value) if joint.get("type") == "prismatic"
                         else _transform(_rotation(axis, value)))
        pose = own @ pose
        tip = joint.find("parent").get("link")
    return pose


# ---- a running robot ----

def _listens(path):
    """The file of a socket is there a moment before it listens."""
    with sockets.socket(sockets.AF_UNIX) as s:
        return s.connect_ex(path) == 0


@contextlib.contextmanager
def running(*arguments):
    """A system that runs; the path of its socket."""
    folder = tempfile.mkdtemp(prefix="sinew-python-")
    os.chmod(folder, 0o700)
    socket = os.path.join(folder, "robot.sock")
    log = open(os.path.join(folder, "log"), "w+")
    process = subprocess.Popen([PROGRAM, "run", *arguments, "--headless", "--socket", socket],
                               stdout=log, stderr=log, cwd=folder, env=PROGRAM_ENVIRONMENT)
    try:
        while not _listens(socket):
            if process.poll() is not None:
                log.seek(0)
                raise AssertionError("the system has ended: " + log.read())
            time.sleep(0.02)
        yield socket
    finally:
        process.terminate()
        process.wait()
        log.close()
        shutil.rmtree(folder)


def main():
    unittest.main(verbosity=2)
