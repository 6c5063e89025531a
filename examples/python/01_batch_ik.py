"""Inverse kinematics of many poses on all processors.

    python3 examples/python/01_batch_ik.py
"""
import os
import sys
import time

import numpy as np

import sinew

here = os.path.dirname(os.path.abspath(__file__))
path = os.path.join(here, "../../robots/arm6.urdf")
arm = sinew.load(path).chain("arm")
print(arm)

random = np.random.default_rng(0)
lower = np.maximum(arm.lower, -np.pi)
upper = np.minimum(arm.upper, np.pi)
poses = arm.fk(lower + (upper - lower) * random.random((20000, arm.dof)))

start = time.perf_counter()
solutions = arm.ik_batch(poses)
duration = time.perf_counter() - start

found = ~np.isnan(solutions[:, 0])
error = np.abs(arm.fk(solutions[found]) - poses[found]).max()
print(f"{found.sum()} of {len(poses)} poses in {duration:.3f} s, largest error {error:.1e}")
if not found.all() or error > 1e-5:
    sys.exit("a pose that the arm can reach was not solved")
