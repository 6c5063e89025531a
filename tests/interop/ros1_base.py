#!/usr/bin/env python3
"""Debian's ROS 1 and a robot with a moving base: odometry, frames, IMU, poses and points, and the actions
SetOperational and FollowStepSequence.

usage: ros1_base.py PROGRAM PLUGIN [--own-network]     the plugin has the type Base: on a circle of 2 m with 0.5 rad/s
"""
import math
import os
import sys
import time

from ros1_ear import Ear
from ros1_graph import Failure, check, run_client, wait_for

try:
    import actionlib
    import rospy
    from actionlib_msgs.msg import GoalStatus
    import genpy.dynamic
    from geometry_msgs.msg import PointStamped, PoseStamped, PoseWithCovariance, Twist, TwistWithCovariance
    from sensor_msgs.msg import Imu
    from tf2_msgs.msg import TFMessage
except ImportError as missing:
    print("interop: %s, skipped" % missing)
    sys.exit(77)  # skipped in ctest
from ros1_actions import FollowStepSequence, Point, SetOperational, Trajectory
from ros1_follow import BAR, HEADER

RATE, RADIUS = 0.5, 2.0
# Its package is optional in Debian; that of its parts is needed by others.
Odometry = genpy.dynamic.generate_dynamic(
    "nav_msgs/Odometry",
    "Header header\nstring child_frame_id\ngeometry_msgs/PoseWithCovariance pose\n"
    "geometry_msgs/TwistWithCovariance twist\n" + HEADER + BAR + "MSG: geometry_msgs/PoseWithCovariance\n"
    + PoseWithCovariance._full_text + BAR + "MSG: geometry_msgs/TwistWithCovariance\n"
    + TwistWithCovariance._full_text)["nav_msgs/Odometry"]


def near(a, b, tolerance=1e-9):
    return abs(a - b) <= tolerance


def yaw_of(q):
    return 2.0 * math.atan2(q.z, q.w)


def check_odometry():
    ear = Ear("/odom", Odometry)
    poses = []
    for _ in range(5):
        m = ear.wait("odometry")
        poses.append(m)
        yaw = yaw_of(m.pose.pose.orientation)
        p, lin, ang = m.pose.pose.position, m.twist.twist.linear, m.twist.twist.angular
        if not (near(p.x, RADIUS * math.sin(yaw)) and near(p.y, RADIUS * (1.0 - math.cos(yaw))) and near(p.z, 0.2)):
            raise Failure("not on the circle: %s" % p)
        if not (near(lin.x, RATE * RADIUS) and near(lin.y, 0.0) and near(lin.z, 0.0) and near(ang.z, RATE)):
            raise Failure("the twist is not that of the base in its own frame: %s" % m.twist.twist)
    m = poses[-1]
    check(m.header.frame_id == "odom" and m.child_frame_id == "base_link", "odom: base_link in odom")
    check(abs(m.header.stamp.to_sec() - time.time()) < 10.0, "its time is that of the graph")
    turned = (yaw_of(m.pose.pose.orientation) - yaw_of(poses[0].pose.pose.orientation)) % (2.0 * math.pi)
    took = (m.header.stamp - poses[0].header.stamp).to_sec()
    check(near(turned, RATE * took, 1e-6), "odom: pose, stamps and twist agree")
    ear.close()


def check_frames():
    """The frame of the base has one parent, and the links hang below it."""
    found = {}

    def take(message):
        for t in message.transforms:
            found.setdefault(t.child_frame_id, set()).add(t.header.frame_id)
            if t.child_frame_id == "base_link":
                found["at"] = t.transform

    topic = rospy.Subscriber("/tf", TFMessage, take)
    wait_for(lambda: "base_link" in found and len(found) > 20, "frames of base and links")
    at = found["at"]
    yaw = yaw_of(at.rotation)
    check(found["base_link"] == {"odom"}, "tf: odom -> base_link")
    check(near(at.translation.x, RADIUS * math.sin(yaw)) and near(at.translation.z, 0.2), "tf: its pose")
    topic.unregister()


def check_echo(kind, name, message):
    """What a node sends arrives in the component with every field."""
    ear = Ear("/base/out_" + name, kind)
    publisher = rospy.Publisher("/base/in_" + name, kind, queue_size=10)
    wait_for(lambda: publisher.get_num_connections() > 0 and ear.subscriber.get_num_connections() > 0, name)

    def send():
        message.header.stamp = rospy.Time.from_sec(time.time())
        publisher.publish(message)
        return ear.count > 0

    wait_for(send, name + " comes back")
    found = ear.last
    check(abs(found.header.stamp.to_sec() - time.time()) < 10.0, name + ": time")
    found.header.seq = message.header.seq = 0
    found.header.stamp = message.header.stamp
    check(found == message, name + ": all other fields")
    publisher.unregister()
    ear.close()


def check_sensors():
    imu = Imu()
    imu.header.frame_id = "base_link"
    imu.orientation.w, imu.orientation_covariance[0] = 1.0, -1.0
    imu.angular_velocity.x, imu.linear_acceleration.z = 0.25, 9.81
    imu.angular_velocity_covariance[4] = imu.linear_acceleration_covariance[8] = 0.5
    check_echo(Imu, "imu", imu)
    pose = PoseStamped()
    pose.header.frame_id = "odom"
    pose.pose.position.x, pose.pose.orientation.z = 1.5, 1.0
    check_echo(PoseStamped, "pose", pose)
    point = PointStamped()
    point.header.frame_id, point.point.y = "head", -3.25
    check_echo(PointStamped, "point", point)


class Sent:
    """A goal and its outcome."""

    def __init__(self, client, goal):
        self.feedback = []
        self.handle = client.send_goal(goal, feedback_cb=lambda handle, feedback: self.feedback.append(feedback))

    def is_active(self):
        return self.handle.get_goal_status() == GoalStatus.ACTIVE

    def expect(self, state, error_code, text=""):
        wait_for(lambda: self.handle.get_comm_state() == actionlib.CommState.DONE, "the end of a goal")
        found, result = self.handle.get_terminal_state(), self.handle.get_result()
        check(found == state and result.error_code == error_code and text in result.error_string,
              "state %d, error %d '%s'" % (found, result.error_code, result.error_string))


def open_client(name, kind):
    client = actionlib.ActionClient(name, kind)
    check(client.wait_for_server(rospy.Duration(60)), name)
    return client


def operational(is_on, *resources):
    return SetOperational.Goal(operational=is_on, resources=list(resources))


def check_operational():
    """A goal is active as long as the controller is; cancelling deactivates it."""
    client = open_client("/follow/set_operational", SetOperational)
    Sent(client, operational(True, "no_such_limb")).expect(GoalStatus.REJECTED, -2, "no_such_limb")
    sent = Sent(client, operational(True, "leg1", "head"))
    wait_for(sent.is_active, "an active goal")
    wait_for(lambda: sent.feedback and sorted(sent.feedback[-1].resources) == ["head", "leg1"], "feedback: the limbs")
    sent.handle.cancel()
    sent.expect(GoalStatus.PREEMPTED, 0)
    sent = Sent(client, operational(True))
    wait_for(sent.is_active, "an active goal")
    other = Sent(client, operational(True, "leg2"))
    sent.expect(GoalStatus.PREEMPTED, -4, "replaced")
    wait_for(lambda: other.feedback and other.feedback[-1].resources == ["leg2"], "the limbs of the new goal")
    Sent(client, operational(False)).expect(GoalStatus.SUCCEEDED, 0)
    other.expect(GoalStatus.PREEMPTED, -4, "replaced")
    sent = Sent(client, operational(True))
    wait_for(sent.is_active, "an active goal")
    return sent


def check_deactivated(graph, sent):
    """By somebody else."""
    graph.tool(graph.program, "call", "--socket", graph.control, "follow.rosSetOperational", "data=false")
    sent.expect(GoalStatus.ABORTED, 0, "no longer active")


def steps(limb, duration_s):
    goal = FollowStepSequence.Goal()
    goal.header.frame_id = "base_link_path"
    goal.time_from_start = [0.0, duration_s]
    goal.base_motion = Trajectory(name="base_link", points=[Point(), Point()])
    goal.ee_motion = [Trajectory(name=limb, points=[Point(), Point()])]
    return goal


def check_steps():
    client = open_client("/base/follow_step_sequence", FollowStepSequence)
    Sent(client, steps("wing", 1.0)).expect(GoalStatus.REJECTED, -2, "expected the limb leg1")
    bad = steps("leg1", 1.0)
    bad.position_tolerance = math.nan
    Sent(client, bad).expect(GoalStatus.REJECTED, -1, "NaN")
    sent = Sent(client, steps("leg1", 1.0))
    wait_for(sent.is_active, "an active goal")
    sent.expect(GoalStatus.SUCCEEDED, 0)
    times = [f.time_from_start.to_sec() for f in sent.feedback]
    check(times and times == sorted(times) and times[-1] <= 1.5, "%d times feedback" % len(times))
    sent = Sent(client, steps("leg1", 1000.0))
    wait_for(sent.is_active, "an active goal")
    sent.handle.cancel()
    sent.expect(GoalStatus.PREEMPTED, 0)


def check_cmd_vel(graph):
    """A velocity makes a robot that walks take its legs."""
    publisher = rospy.Publisher("/cmd_vel", Twist, queue_size=1)
    wait_for(lambda: publisher.get_num_connections() > 0, "the node subscribes to cmd_vel")
    velocity = Twist()
    velocity.linear.x = 0.05

    def is_walking():
        publisher.publish(velocity)
        owners = graph.tool(graph.program, "call", "--socket", graph.control, "resources_control.getOwners")
        return "walk" in owners

    wait_for(is_walking, "the walking controller takes the legs")
    publisher.unregister()


def check_all(graph):
    check_odometry()
    check_frames()
    check_sensors()
    check_deactivated(graph, check_operational())
    check_steps()
    check_cmd_vel(graph)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    run_client("include: [%s/../../deployments/quadruped.yaml]\nplugins: ['%s']\n"
               "components: {base: {type: Base}, walk: {type: Walk}}\n"
               "connections: [timer.sync -> walk.sync, aggregator.joints_sorted -> walk.in_joints_sorted,\n"
               "  walk.out_joints_ref -> aggregator.in_joints]\n" % (here, os.path.abspath(sys.argv[2])),
               check_all, options=("--set", "ros1.odometry=base.out_base"))


if __name__ == "__main__":
    main()
