"""Motion control of robots: models, kinematics, dynamics, trajectories, servos, recordings.

    import sinew

    robot = sinew.load("robots/arm6.urdf")
    arm = robot.chain("base_link", "tool0")
    pose = arm.fk([0.1, 0.4, -0.2, 0.0, 0.7, 0.0])
    q = arm.ik(pose)

    with sinew.connect() as r:          # a robot that runs: `sinew run robots/arm6.yaml`
        r.move({"joint1": 0.3}, duration=2)

Vectors are in rad or m, in the order of `Chain.joints` or `Robot.joints`; everything else is in SI
units. docs/python.md has more.
"""
from ._sinew import Chain, Error, NoSolution, Robot, Trajectory, load
from .recording import read
from .remote import Remote, Subscription, connect
from .servo import Identification, Servo, identify, load_servos

__all__ = ["Chain", "Error", "Identification", "NoSolution", "Remote", "Robot", "Servo",
           "Subscription", "Trajectory", "connect", "identify", "load", "load_servos", "read"]
