#!/usr/bin/env python3
"""Debian's ROS 1 and a robot on its feet: the action MoveBase, and velocities on cmd_vel.

usage: ros1_walk.py PROGRAM [--own-network]
"""
import math
import os
import sys

from ros1_graph import Failure, check, run_client, wait_for

try:
    import rospy
    from actionlib_msgs.msg import GoalStatus
    from geometry_msgs.msg import Twist
except ImportError as missing:
    print("interop: %s, skipped" % missing)
    sys.exit(77)  # skipped in ctest
from ros1_actions import FootGoal, MoveBase
from ros1_base import Odometry, Sent, open_client
from ros1_ear import Ear


def request(gait, duration_s, steps, x):
    """The height of the base is free."""
    goal = MoveBase.Goal(gait_type=gait, duration=duration_s, n_steps=steps, base_goal_bounds=32)
    goal.header.frame_id = "base_link_path"
    goal.base_goal.position.x, goal.base_goal.orientation.w = x, 1.0
    return goal


def check_rejected(client):
    Sent(client, request("gallop", 3.0, 2, 0.1)).expect(GoalStatus.REJECTED, -2, "unknown gait 'gallop'")
    Sent(client, request("walk", 0.0, 2, 0.1)).expect(GoalStatus.REJECTED, -2, "the duration is 0")
    Sent(client, request("walk", 3.0, 0, 0.1)).expect(GoalStatus.REJECTED, -2, "n_steps is 0")
    Sent(client, request("walk", 3.0, 2, math.nan)).expect(GoalStatus.REJECTED, -2, "NaN")
    twice = request("walk", 3.0, 2, 0.0)
    twice.ee_goal = [FootGoal(name="leg1", contact=True), FootGoal(name="leg1", contact=True)]
    Sent(client, twice).expect(GoalStatus.REJECTED, -2, "limb 'leg1' appears twice")
    Sent(client, request("walk", 3.0, 1, 50.0)).expect(GoalStatus.REJECTED, -1, "reach")


def send_when_standing(client, goal):
    """A robot that has just been started settles first."""
    for _ in range(100):
        sent = Sent(client, goal)
        wait_for(lambda: sent.handle.get_goal_status() not in (GoalStatus.PENDING, GoalStatus.RECALLING), "an answer")
        if sent.handle.get_goal_status() != GoalStatus.REJECTED:
            return sent
        rospy.rostime.wallsleep(0.2)
    raise Failure("a valid goal was rejected")


def check_moves(client):
    plan = request("walk", 4.0, 2, 0.05)
    plan.visualize_only = True
    send_when_standing(client, plan).expect(GoalStatus.SUCCEEDED, 0)
    sent = send_when_standing(client, request("stand", 1.0, 0, 0.01))
    sent.expect(GoalStatus.SUCCEEDED, 0)
    times = [f.time_from_start for f in sent.feedback]
    check(times and times == sorted(times), "%d times feedback" % len(times))
    sent = send_when_standing(client, request("stand", 100.0, 0, 0.0))
    wait_for(sent.is_active, "an active goal")
    sent.handle.cancel()
    sent.expect(GoalStatus.PREEMPTED, 0)


def check_cmd_vel():
    """Commands are repeated, as of a stick: silence is a stop."""
    publisher = rospy.Publisher("/cmd_vel", Twist, queue_size=1)
    wait_for(lambda: publisher.get_num_connections() > 0, "the node subscribes to cmd_vel")
    ear = Ear("/odom", Odometry)
    start = ear.wait("odometry").pose.pose.position.x
    velocity = Twist()
    velocity.linear.x = 0.08

    def has_walked():
        publisher.publish(velocity)
        return ear.last.pose.pose.position.x - start > 0.1

    wait_for(has_walked, "the robot walks 0.1 m")
    publisher.unregister()
    ear.close()


def check_all(_graph):
    client = open_client("/move_base/move_base", MoveBase)
    check_rejected(client)
    check_moves(client)
    check_cmd_vel()


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    run_client("include: [%s/../../deployments/walking.yaml]\nrobot: %s/../../robots/quadruped.yaml\n" % (here, here),
               check_all)


if __name__ == "__main__":
    main()
