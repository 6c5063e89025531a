#!/usr/bin/env python3
"""Measures the Python module beside C: one FK call, and batches of inverse kinematics.

usage: PYTHONPATH=build/bench/python bench/python.py PEER_PYTHON ROBOT.urdf

The peer (peer_python.c) does the same in C; both run in turn, many times and shortly, and the best
of each counts. The rate of one thread is by the time of the processor, which a busy machine hardly
changes; that of two is by the clock.
"""
import json
import subprocess
import sys
import time
import timeit

import numpy as np

import sinew

ROUNDS = 150
CALLS = 4000
POSES = 3000


def python_figures(arm, q, poses):
    fk = min(timeit.repeat("fk(q)", globals={"fk": arm.fk, "q": q}, number=CALLS, repeat=1)) / CALLS
    rates = []
    for jobs, now in ((1, time.process_time), (2, time.perf_counter)):
        start = now()
        arm.ik_batch(poses, jobs=jobs)
        rates.append(POSES / (now() - start))
    return fk, rates


def main(peer, path):
    arm = sinew.load(path).chain("arm")
    random = np.random.default_rng(1)
    lower, upper = np.maximum(arm.lower, -3), np.minimum(arm.upper, 3)
    vectors = lower + (upper - lower) * random.uniform(0.1, 0.9, (POSES, arm.dof))
    poses = arm.fk(vectors)
    arm.ik_batch(poses[:100], jobs=2)
    lines = "\n".join(" ".join(repr(float(x)) for x in row) for row in vectors)
    best = {"fk": [np.inf, np.inf], 1: [0.0, 0.0], 2: [0.0, 0.0]}
    for _ in range(ROUNDS):
        fk, rates = python_figures(arm, vectors[0], poses)
        c = json.loads(subprocess.run([peer, path, arm.base, arm.tip], input=lines, text=True,
                                      capture_output=True, check=True).stdout)
        best["fk"] = [min(best["fk"][0], fk * 1e9), min(best["fk"][1], c["fk_ns"])]
        for i, jobs in enumerate((1, 2)):
            best[jobs] = [max(best[jobs][0], rates[i]), max(best[jobs][1], c["ik_per_s"][i])]
    print(json.dumps({"case": "python fk", "python_ns": round(best["fk"][0], 1),
                      "c_ns": round(best["fk"][1], 1),
                      "above_c_ns": round(best["fk"][0] - best["fk"][1], 1)}))
    for jobs in (1, 2):
        print(json.dumps({"case": f"python ik_batch jobs={jobs}", "python_per_s": round(best[jobs][0]),
                          "c_per_s": round(best[jobs][1]),
                          "ratio": round(best[jobs][0] / best[jobs][1], 3)}))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
