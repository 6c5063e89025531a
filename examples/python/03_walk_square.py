"""Walk a square: four times forward and a quarter turn to the left.

    sinew run robots/quadruped.yaml &
    python3 examples/python/03_walk_square.py
"""
import math
import sys

import sinew

SPEED = 0.1  # m/s
SIDE = 0.15  # m
TURN = 0.6  # rad/s


def base(robot):
    """Place and heading of the base, as the robot estimates them."""
    with robot.subscribe("state_estimator.out_base", count=1) as messages:
        state = next(messages)
    place, turn = state["pose"][0]["position"], state["pose"][0]["orientation"]
    heading = 2 * math.atan2(turn["z"], turn["w"])
    return place["x"], place["y"], heading


with sinew.connect() as robot:
    corners = [base(robot)]
    for _ in range(4):
        robot.walk(vx=SPEED, duration=SIDE / SPEED)
        corners.append(base(robot))
        robot.walk(wz=TURN, duration=math.pi / 2 / TURN)
for x, y, heading in corners:
    print(f"x {x:6.3f} m, y {y:6.3f} m, heading {math.degrees(heading):6.1f} degrees")

farthest = max(math.dist(c[:2], corners[0][:2]) for c in corners)
if farthest < SIDE / 2:
    sys.exit("the robot did not walk")
