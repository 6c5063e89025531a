"""Draw a square with the tool of a running arm.

    sinew run robots/arm6.yaml &
    python3 examples/python/02_draw_square.py
"""
import os
import sys

import numpy as np

import sinew

here = os.path.dirname(os.path.abspath(__file__))
arm = sinew.load(os.path.join(here, "../../robots/arm6.urdf")).chain("arm")

# The corners around a pose in front of the arm, the tool pointing as it does there.
ready = np.array([0.0, 0.5, 0.6, 0.0, 0.5, 0.0])
middle = arm.fk(ready)
corners = 0.05 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]])

# Points on the edges: each solution starts from the one before, so that the arm keeps its branch.
path = []
seed = ready
for a, b in zip(corners, corners[1:]):
    for part in np.linspace(0.0, 1.0, 20, endpoint=False):
        pose = middle.copy()
        pose[1:3, 3] += a + part * (b - a)
        seed = arm.ik(pose, seed=seed)
        path.append(seed)
path.append(path[0])
motion = arm.retime(path, velocity=0.5, tool_speed=0.1)
print(motion)

# How far the tool is from the edges in between.
tool = arm.fk(motion.at(np.linspace(0, motion.duration, 500))[0])[:, :3, 3] - middle[:3, 3]
off = max(np.abs(tool[:, 0]).max(), np.abs(np.abs(tool[:, 1:]).max(axis=1) - 0.05).max())
print(f"the tool leaves the square by {1000 * off:.2f} mm at most")
if off > 0.002:
    sys.exit("this is not a square")

with sinew.connect() as robot:
    robot.move(dict(zip(arm.joints, path[0])), duration=2)
    robot.play(motion, arm.joints)
    error = max(abs(robot.joints[n] - x) for n, x in zip(arm.joints, path[-1]))
print(f"back at the first corner, {error:.3f} rad off")
