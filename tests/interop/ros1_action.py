#!/usr/bin/env python3
"""Clients of Debian's actionlib send trajectories to the demo quadruped.

usage: ros1_action.py PROGRAM [FOLDER] [--own-network]
"""
import math
import os
import random
import sys
import time

from ros1_graph import Failure, check, run_client, wait_for

try:
    import actionlib
    import rospy
    from actionlib_msgs.msg import GoalID, GoalStatus, GoalStatusArray
    from sensor_msgs.msg import JointState
except ImportError as missing:
    print("interop: %s, skipped" % missing)
    sys.exit(77)  # skipped in ctest
import ros1_follow as follow

ACTION = "/execute/follow_joint_trajectory"
JOINTS = ["head_joint1", "head_joint2"]
WORDS = {value: word for word, value in vars(GoalStatus).items() if word.isupper() and isinstance(value, int)}


class Robot:
    """Positions of its joints."""

    def __init__(self):
        self.positions = {}
        rospy.Subscriber("/joint_states", JointState, self.take)
        wait_for(lambda: self.positions, "joint states")

    def take(self, message):
        self.positions = dict(zip(message.name, message.position))

    def goal(self, to, duration_s):
        """A goal with these positions, on a straight line."""
        start = [self.positions[j] for j in JOINTS]
        goal = follow.Goal()
        goal.trajectory.joint_names = list(JOINTS)
        for part in (1 / 3, 2 / 3, 1.0):
            point = follow.Point()
            point.positions = [a + part * (b - a) for a, b in zip(start, to)]
            point.time_from_start = rospy.Duration(part * duration_s)
            goal.trajectory.points.append(point)
        return goal

    def is_at(self, to):
        return all(abs(self.positions[j] - q) < 0.06 for j, q in zip(JOINTS, to))


class Sent:
    """A goal and its outcome."""

    def __init__(self, client, goal):
        self.feedback = []
        self.handle = client.send_goal(goal, feedback_cb=lambda handle, feedback: self.feedback.append(feedback))

    def status(self):
        return self.handle.get_goal_status()

    def end(self, patience_s=10.0):
        wait_for(lambda: self.handle.get_comm_state() == actionlib.CommState.DONE, "the end of a goal", patience_s)
        return self.handle.get_terminal_state(), self.handle.get_result()

    def expect(self, state, error_code, text=""):
        found, result = self.end()
        check(found == state and result.error_code == error_code and text in result.error_string,
              "%s, error %d '%s'" % (WORDS[found], result.error_code, result.error_string))


def check_success(client, robot):
    sent = Sent(client, robot.goal([0.3, -0.2], 1.0))
    wait_for(lambda: sent.status() == GoalStatus.ACTIVE, "a goal is active", 5.0)
    sent.expect(GoalStatus.SUCCEEDED, 0)
    check(2 <= len(sent.feedback) <= 200, "%d times feedback within a second" % len(sent.feedback))
    times = [f.desired.time_from_start.to_sec() for f in sent.feedback]
    check(times == sorted(times), "its times increase")
    for f in sent.feedback:
        if f.joint_names != JOINTS or abs(f.header.stamp.to_sec() - time.time()) > 10.0 or any(
                abs(d - a - e) > 1e-12
                for d, a, e in zip(f.desired.positions, f.actual.positions, f.error.positions)):
            raise Failure("feedback %s" % f)
    wait_for(lambda: robot.is_at([0.3, -0.2]), "the joints reach the goal", 5.0)


def check_simple_client(robot):
    """SimpleActionClient, which most programs use."""
    client = actionlib.SimpleActionClient(ACTION, follow.FollowJointTrajectoryAction)
    check(client.wait_for_server(rospy.Duration(10)), "a simple client finds the server")
    state = client.send_goal_and_wait(robot.goal([0.0, 0.0], 0.5), rospy.Duration(5))
    check(state == GoalStatus.SUCCEEDED and client.get_result().error_code == 0, "it succeeds")
    client.send_goal(robot.goal([0.5, 0.0], 5.0))
    time.sleep(0.3)
    client.cancel_goal()
    check(client.wait_for_result(rospy.Duration(5)) and client.get_state() == GoalStatus.PREEMPTED, "and can be cancelled")


def check_cancel(client, robot):
    cancels = rospy.Publisher(ACTION + "/cancel", GoalID, queue_size=10)
    wait_for(lambda: cancels.get_num_connections() > 0, "a subscriber of cancel")
    sent = Sent(client, robot.goal([-0.4, 0.0], 5.0))
    wait_for(lambda: sent.status() == GoalStatus.ACTIVE, "a goal is active", 5.0)
    before = rospy.Time.from_sec(time.time() - 60.0)
    cancels.publish(GoalID(stamp=before))
    cancels.publish(GoalID(id="no such goal"))
    time.sleep(0.3)
    check(sent.status() == GoalStatus.ACTIVE, "cancelling another goal does not cancel it")
    cancels.publish(GoalID())
    sent.expect(GoalStatus.PREEMPTED, 0)
    check(robot.positions[JOINTS[0]] > -0.35, "it stopped on the way")
    sent = Sent(client, robot.goal([-0.4, 0.0], 5.0))
    wait_for(lambda: sent.status() == GoalStatus.ACTIVE, "a goal is active", 5.0)
    cancels.publish(GoalID(stamp=rospy.Time.from_sec(time.time() + 60.0)))
    sent.expect(GoalStatus.PREEMPTED, 0)
    Sent(client, robot.goal([0.0, 0.0], 0.5)).expect(GoalStatus.SUCCEEDED, 0)  # later goals are accepted


def recall(action, goal, name):
    """The status changes of a goal that was cancelled before it arrived."""
    statuses, ends = [], []

    def take_status(message):
        statuses.extend(s.status for s in message.status_list if s.goal_id.id == name and s.status not in statuses[-1:])

    kinds = follow.FollowJointTrajectoryAction()
    topics = [rospy.Subscriber(action + "/status", GoalStatusArray, take_status),
              rospy.Subscriber(action + "/result", type(kinds.action_result),
                               lambda m: ends.append(m.status.status) if m.status.goal_id.id == name else None)]
    cancels = rospy.Publisher(action + "/cancel", GoalID, queue_size=10)
    goals = rospy.Publisher(action + "/goal", type(kinds.action_goal), queue_size=10)
    wait_for(lambda: all(t.get_num_connections() > 0 for t in topics + [cancels, goals]), "topics of " + action)
    cancels.publish(GoalID(id=name))
    wait_for(lambda: statuses, "status of a cancelled goal that has not arrived from " + action)
    message = type(kinds.action_goal)()
    message.goal_id.id, message.goal_id.stamp, message.goal = name, rospy.Time.now(), goal
    goals.publish(message)
    wait_for(lambda: ends and statuses[-1] == ends[-1], "its end from " + action)
    for topic in topics + [cancels, goals]:
        topic.unregister()
    return statuses, ends


def check_recall(robot):
    """Compared with actionlib's own server."""
    began = []
    server = actionlib.ActionServer("/reference", follow.FollowJointTrajectoryAction, began.append, auto_start=False)
    server.start()
    before = robot.positions[JOINTS[0]]
    expected = recall("/reference", robot.goal([before + 0.3, 0.0], 0.5), "early")
    found = recall(ACTION, robot.goal([before + 0.3, 0.0], 0.5), "early")
    check(found == expected == ([GoalStatus.RECALLING, GoalStatus.RECALLED], [GoalStatus.RECALLED]) and not began,
          "a goal that was cancelled before it arrived: %s, actionlib %s" % (found, expected))
    server.stop()
    check(abs(robot.positions[JOINTS[0]] - before) < 0.1, "it is not executed")


def check_replace(client, robot):
    first = Sent(client, robot.goal([-0.4, 0.0], 5.0))
    wait_for(lambda: first.status() == GoalStatus.ACTIVE, "a goal is active", 5.0)
    second = Sent(client, robot.goal([0.1, 0.1], 0.5))
    first.expect(GoalStatus.PREEMPTED, -1, "replaced")
    second.expect(GoalStatus.SUCCEEDED, 0)


def check_reject(client, robot):
    good = Sent(client, robot.goal([0.2, 0.0], 1.5))
    bad = robot.goal([0.0, 0.0], 1.0)
    bad.trajectory.joint_names[1] = "no_such_joint"
    Sent(client, bad).expect(GoalStatus.REJECTED, -2, "no_such_joint")
    bad = robot.goal([0.0, 0.0], 1.0)
    bad.trajectory.points[1].positions = [0.0]
    Sent(client, bad).expect(GoalStatus.REJECTED, -1, "point 1")
    bad = robot.goal([0.0, math.nan], 1.0)
    Sent(client, bad).expect(GoalStatus.REJECTED, -1, "NaN")
    bad = robot.goal([0.0, 0.0], 1.0)
    bad.trajectory.header.stamp = rospy.Time.from_sec(time.time() - 100.0)
    Sent(client, bad).expect(GoalStatus.REJECTED, -3)
    good.expect(GoalStatus.SUCCEEDED, 0)


def check_tolerance(client, robot):
    goal = robot.goal([-0.3, 0.0], 0.5)
    tolerance = follow.Tolerance()
    tolerance.name, tolerance.position = JOINTS[0], 1e-6
    goal.path_tolerance = [tolerance]
    Sent(client, goal).expect(GoalStatus.ABORTED, -4, JOINTS[0])


class Garbage(rospy.AnyMsg):
    """Random bytes with a valid type name."""
    _type = follow.NAME + "ActionGoal"
    _md5sum = follow.GOALS[_type]._md5sum

    def serialize(self, buff):
        buff.write(self._buff)


def check_garbage(graph, client, robot):
    before = graph.state()["refused_messages"]
    goals = rospy.Publisher(ACTION + "/goal", Garbage, queue_size=1000)
    wait_for(lambda: goals.get_num_connections() > 0, "a subscriber of garbage")
    chance = random.Random(3)
    for _ in range(200):
        garbage = Garbage()
        garbage._buff = bytes(chance.randrange(256) if chance.randrange(3) == 0 else 0 for _ in range(chance.randrange(300)))
        goals.publish(garbage)
        time.sleep(0.002)
    wait_for(lambda: graph.state()["refused_messages"] - before >= 200, "all garbage is rejected")
    check(True, "200 goals without sense are refused")
    goals.unregister()
    Sent(client, robot.goal([0.0, 0.0], 0.5)).expect(GoalStatus.SUCCEEDED, 0)


def check_all(graph):
    robot = Robot()
    client = actionlib.ActionClient(ACTION, follow.FollowJointTrajectoryAction)
    check(client.wait_for_server(rospy.Duration(10)), "the server is available")
    check_success(client, robot)
    check_simple_client(robot)
    check_cancel(client, robot)
    check_recall(robot)
    check_replace(client, robot)
    check_reject(client, robot)
    check_tolerance(client, robot)
    check_garbage(graph, client, robot)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    run_client(os.path.join(here, "../../deployments/quadruped.yaml"), check_all,
               options=("--set", "execute.goal_time=10"))  # however slow the machine is


if __name__ == "__main__":
    main()
