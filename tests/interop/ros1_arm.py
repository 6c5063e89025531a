#!/usr/bin/env python3
"""Clients of Debian's actionlib move the tool and the gripper of the desktop arm.

usage: ros1_arm.py PROGRAM [--own-network]
"""
import math
import os
import subprocess
import sys

from ros1_graph import check, run_client, wait_for

try:
    import actionlib
    import rospy
    from actionlib_msgs.msg import GoalStatus
    from sensor_msgs.msg import JointState
except ImportError as missing:
    print("interop: %s, skipped" % missing)
    sys.exit(77)  # skipped in ctest
import ros1_actions as actions
from ros1_action import Sent

JOINTS = ["shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll"]
READY = [0.3, -0.5, 0.7, 0.8, 0.1]


class Robot:
    """Positions of its joints."""

    def __init__(self):
        self.positions = {}
        rospy.Subscriber("/joint_states", JointState, self.take)
        wait_for(lambda: self.positions, "joint states")

    def take(self, message):
        self.positions = dict(zip(message.name, message.position))

    def is_at(self, to):
        return all(abs(self.positions[j] - q) < 0.06 for j, q in zip(JOINTS, to))


def tool_goal(joints, kind="ptp", speed=0.5):
    target = actions.ToolTarget()
    target.kind, target.joints = kind, list(joints)
    target.pose.orientation.w = 1.0
    goal = actions.MoveTool.Goal()
    goal.targets, goal.speed = [target], speed
    return goal


def check_tool(client, robot):
    sent = Sent(client, tool_goal(READY))
    sent.expect(GoalStatus.SUCCEEDED, 0)
    check(len(sent.feedback) >= 2, "%d times feedback" % len(sent.feedback))
    last = sent.feedback[-1]
    check(0.0 < last.time_from_start.to_sec() <= last.duration.to_sec() + 30.0, "with the duration of the motion")
    wait_for(lambda: robot.is_at(READY), "the joints reach the goal")


def check_tool_cancel(client, robot):
    far = [-1.2] + READY[1:]
    sent = Sent(client, tool_goal(far, speed=0.02))
    wait_for(lambda: sent.status() == GoalStatus.ACTIVE, "a motion is active")
    sent.handle.cancel()
    sent.expect(GoalStatus.PREEMPTED, 0)
    check(robot.positions[JOINTS[0]] > -1.0, "it stopped on the way")


def check_tool_rejections(graph, client):
    Sent(client, tool_goal(READY, kind="fly")).expect(GoalStatus.REJECTED, -1, "expected ptp, lin, circ or spline")
    Sent(client, tool_goal(READY, speed=2.0)).expect(GoalStatus.REJECTED, -1, "a speed of 2")
    Sent(client, tool_goal([math.nan] * 5)).expect(GoalStatus.REJECTED, -1, "NaN")
    turned = tool_goal([])
    turned.targets[0].pose.orientation.z = 1.0
    Sent(client, turned).expect(GoalStatus.REJECTED, -1, "or its quaternion not of unit length")
    # A wall that the arm would have to go through.
    subprocess.run([graph.program, "call", "aggregator.addObject", "name=wall", "shape=box", "size=[0.6,0.02,0.6]",
                    'pose={"position":{"x":0.4,"y":-0.1,"z":0.3},"orientation":{"x":0,"y":0,"z":0,"w":1}}',
                    "--socket", graph.control], check=True, stdout=subprocess.DEVNULL)
    Sent(client, tool_goal([-0.8] + READY[1:])).expect(GoalStatus.REJECTED, -1, "'wall' would touch after")


def command(position, effort=0.0):
    goal = actions.GripperCommand.Goal()
    goal.command.position, goal.command.max_effort = position, effort
    return goal


def check_gripper(client, robot):
    sent = Sent(client, command(0.8))
    state, result = sent.end(60.0)
    check(state == GoalStatus.SUCCEEDED and result.reached_goal and not result.stalled, "the gripper opens")
    check(abs(result.position - robot.positions["gripper"]) < 0.06 and abs(result.position - 0.8) < 0.06,
          "its result has the position %g" % result.position)
    check(sent.feedback and abs(sent.feedback[-1].position - 0.8) < 0.1, "and so has its feedback")
    state, result = Sent(client, command(math.nan)).end(60.0)
    check(state == GoalStatus.REJECTED, "NaN is rejected")
    state, result = Sent(client, command(0.2, 0.5)).end(60.0)
    check(state == GoalStatus.SUCCEEDED and result.reached_goal, "it closes with bounded force")


def connect(name, action):
    client = actionlib.ActionClient(name, action)
    check(client.wait_for_server(rospy.Duration(30)), "the server %s is available" % name)
    return client


def check_all(graph):
    robot = Robot()
    tool = connect("/tool/move_tool", actions.MoveTool)
    check_tool(tool, robot)
    check_tool_cancel(tool, robot)
    check_tool_rejections(graph, tool)
    check_gripper(connect("/gripper/gripper_cmd", actions.GripperCommand), robot)


def main():
    run_client(os.path.join(os.path.dirname(os.path.abspath(__file__)), "arm_actions.yaml"), check_all)


if __name__ == "__main__":
    main()
