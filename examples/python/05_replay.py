"""Read a recording: how well do the joints follow their commands, and where was the tool?

    sinew demo robots/arm6.yaml --headless --clock sim --duration 5 --record sway.mcap
    python3 examples/python/05_replay.py sway.mcap
"""
import os
import sys

import numpy as np

import sinew

here = os.path.dirname(os.path.abspath(__file__))
topics = sinew.read(sys.argv[1])
for name, records in topics.items():
    print(f"{name:36} {len(records):6} messages")

measured = topics["/plant/joints_measured"]
wanted = topics["/aggregator/joints_sorted"]
names = measured["name"][0].tolist()
t = measured["header"]["stamp"] / 1e9

# A command arrives one cycle before its result: compare at equal times.
at_same_time = np.stack([np.interp(t, wanted["header"]["stamp"] / 1e9, wanted["position"][:, i])
                         for i in range(len(names))], axis=1)
error = np.abs(at_same_time - measured["position"])
for i, name in enumerate(names):
    print(f"{name}: {1000 * error[:, i].mean():6.2f} mrad off on average, "
          f"{1000 * error[:, i].max():6.2f} at most")

arm = sinew.load(os.path.join(here, "../../robots/arm6.urdf")).chain("arm")
tool = arm.fk(measured["position"])[:, :3, 3]
way = np.linalg.norm(np.diff(tool, axis=0), axis=1).sum()
print(f"the tool moved {way:.3f} m in {t[-1] - t[0]:.1f} s")
if not way > 0.0:
    sys.exit("the tool did not move")
