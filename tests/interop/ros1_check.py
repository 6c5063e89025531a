#!/usr/bin/env python3
"""The demo quadruped with Debian's ROS 1: tools, publishers, a recorder.

usage: ros1_check.py PROGRAM [--own-network]
"""
import math
import os
import signal
import subprocess
import time

from ros1_ear import Ear, distance, pose
from ros1_graph import check, run, wait_for
from ros1_msgs import definitions

import rosbag
import rospy
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger
from tf2_msgs.msg import TFMessage

COMMANDED = "/aggregator/joints_sorted"  # measured joints include friction and gravity
FOLLOW = "/follow/in_joints_ref"
RESET = "/follow/out_joints_src_reset"
HERE = os.path.dirname(os.path.abspath(__file__))

def rates(text):
    """Rates printed by `rostopic hz`."""
    return [float(line.split(":")[1]) for line in text.splitlines() if "average rate" in line]


# ---- one function per chapter ----

def tools(graph):
    """rosnode, rostopic, rosservice, rosparam as users call them."""
    listed = graph.tool("rostopic", "list").split()
    for topic in ("/joint_states", "/tf", "/tf_static", "/robot_description", FOLLOW, RESET,
                  "/resources_control/assignment", "/aggregator/supports"):
        check(topic in listed, "rostopic list: " + topic)
    check("xmlrpc reply" in graph.tool("rosnode", "ping", "-c", "1", "/sinew"), "rosnode ping")
    echo = graph.tool("rostopic", "echo", "-n", "1", "/joint_states")
    check("leg1_joint1" in echo and "position:" in echo, "rostopic echo /joint_states")
    hz = graph.start("hz", "rostopic", "hz", "-w", "50", "/joint_states")
    # On a busy machine the first figures may include queued messages.
    rate = wait_for(lambda: next((r for r in rates(graph.log("hz")) if 90 < r < 110), None),
                    "rostopic hz: 100 a second")
    graph.stop(hz)
    check(True, "rostopic hz: %.1f, expected 100" % rate)
    info = graph.tool("rosnode", "info", "/sinew")
    check("/joint_states [sensor_msgs/JointState]" in info and "Pid:" in info, "rosnode info")
    check("std_srvs/SetBool" in graph.tool("rosservice", "type", "/follow/rosSetOperational"),
          "rosservice type")
    check("leg1" in graph.tool("rosparam", "get", "/robot_description"), "rosparam get")
    pub = graph.tool("rostopic", "info", "/joint_states")
    check("Publishers:" in pub and "/sinew" in pub, "rostopic info")
    urdf = open(os.path.join(HERE, "../../robots/quadruped.urdf")).read()
    check(rospy.get_param("/robot_description") == urdf, "parameter robot_description is the file")
    check(rospy.wait_for_message("/robot_description", String, 10).data == urdf,
          "latched topic robot_description is the file")


def statistics(graph):
    """The statistics that `rosnode info` and rqt read: connections and their traffic."""
    ear = Ear("/joint_states", JointState)
    wait_for(lambda: ear.count >= 20, "joint states")
    code, _, connections = graph.node().getBusInfo("/check")
    mine = [c for c in connections if c[1:5] == ["/walker", "o", "TCPROS", "/joint_states"]]
    check(code == 1 and len(mine) == 1 and mine[0][5], "getBusInfo: this connection")
    before = ear.count
    code, _, (published, subscribed, services_) = graph.node().getBusStats("/check")
    sent = {topic: connections for topic, _, connections in published}["/joint_states"]
    _, byte_count, message_count, is_connected = next(c for c in sent if c[0] == mine[0][0])
    check(code == 1 and is_connected and message_count >= before and byte_count > 100 * before and
          FOLLOW in [s[0] for s in subscribed] and len(services_) == 3,
          "getBusStats: %d messages, %d bytes" % (message_count, byte_count))
    code, _, topics = graph.node().getPublications("/check")
    check(code == 1 and ["/joint_states", "sensor_msgs/JointState"] in topics, "getPublications")
    code, _, topics = graph.node().getSubscriptions("/check")
    check(code == 1 and [FOLLOW, "sensor_msgs/JointState"] in topics, "getSubscriptions")
    ear.close()
    wait_for(lambda: "/walker" not in graph.listeners("/joint_states"), "getBusInfo: the connection is gone")


def services(graph):
    """With a tool, and ten times over one connection."""
    answer = graph.tool("rosservice", "call", "/follow/rosSetOperational", "false")
    check("success: True" in answer, "rosservice call")
    calls = graph.state()["calls"]
    proxy = rospy.ServiceProxy("/follow/rosSetOperational", SetBool, persistent=True)
    check(all([proxy(False).success for _ in range(10)]), "persistent service")
    proxy.close()
    check(graph.state()["calls"] == calls + 10, "each call was counted once")
    stop = rospy.ServiceProxy("/aggregator/emergencyStop", Trigger)
    resume = rospy.ServiceProxy("/aggregator/resume", Trigger)
    check(stop().success, "emergency stop")
    stopped = graph.tool(graph.program, "call", "--socket", graph.control, "aggregator.getStop")
    check("stopped: true" in stopped and 'who: "/walker"' in stopped, "the requester of the stop is recorded")
    check(resume().success and not resume().success, "resume succeeds once")


def move(graph, joints):
    """The robot follows `rostopic pub`, then its limbs are released."""
    check("success: True" in graph.tool("rosservice", "call", "/follow/rosSetOperational", "true"),
          "follow is active")
    ear = Ear(COMMANDED, JointState)
    text = "{name: [%s], position: [%s]}" % (", ".join(joints),
                                             ", ".join("%.3f" % q for q in joints.values()))
    pub = graph.start("pub", "rostopic", "pub", "-r", "20", FOLLOW, "sensor_msgs/JointState", text)
    ear.wait("joint states")
    wait_for(lambda: all(abs(pose(ear.last)[j] - q) < 1e-3 for j, q in joints.items()),
             "the robot follows rostopic pub")
    graph.stop(pub)
    graph.tool("rosservice", "call", "/follow/rosSetOperational", "false")
    check(True, "the robot follows rostopic pub")
    ear.close()


def sliders(graph):
    """The main use case: joint_state_publisher starts at another pose, adopts that of the robot, and
    only then does the robot follow it."""
    robot = Ear(COMMANDED, JointState)
    measured = Ear("/joint_states", JointState)
    source = Ear(FOLLOW, JointState)
    graph.start("joint_state_publisher", "/usr/lib/joint_state_publisher/joint_state_publisher",
                "joint_states:=" + FOLLOW, "_source_list:=[%s, /slider]" % RESET, "_rate:=20")
    before = pose(robot.wait("commanded pose"))
    stood = pose(measured.wait("joint states"))
    first = pose(source.wait("joint_state_publisher publishes"))
    # It has 1.5 s to adopt the pose once it subscribes; its start-up time does not count.
    wait_for(lambda: "/joint_state_publisher" in graph.listeners(RESET), "it subscribes to the robot")
    check(distance(first, before) > 0.1, "joint_state_publisher starts at another pose")
    worst = [0.0]
    watch = rospy.Subscriber(COMMANDED, JointState,
                             lambda m: worst.__setitem__(0, max(worst[0], distance(pose(m), before))))
    check(rospy.ServiceProxy("/follow/rosSetOperational", SetBool)(True).success, "activated")
    wait_for(lambda: distance(pose(source.last), before) < 1e-9, "the publisher adopts the pose")
    end = time.monotonic() + 3.0  # the activation delay is 1.5 s
    wait_for(lambda: time.monotonic() > end, "time")
    check(worst[0] < 1e-6, "on activation the robot does not move (%.1e rad)" % worst[0])
    check(distance(pose(measured.last), stood) < 0.02, "the measured joints do not move either")
    watch.unregister()
    slider = rospy.Publisher("/slider", JointState, queue_size=1, latch=True)
    slider.publish(JointState(name=["head_joint1", "leg2_joint3"], position=[0.25, -0.4]))
    wait_for(lambda: abs(pose(robot.last)["head_joint1"] - 0.25) < 1e-3 and
             abs(pose(robot.last)["leg2_joint3"] + 0.4) < 1e-3, "the robot follows the sliders")
    check(abs(pose(robot.last)["leg1_joint2"] - before["leg1_joint2"]) < 1e-6,
          "only the joints of moved sliders follow")
    slider.unregister()
    for ear in (robot, measured, source):
        ear.close()


def remote_controller(graph):
    """A node requests a limb, moves it, stops its heartbeat and loses the limb."""
    from sinew_msgs.msg import ResourceAssignment, ResourceRequest  # made by definitions()
    owners = {}
    table = rospy.Subscriber("/resources_control/assignment", ResourceAssignment,
                             lambda m: owners.update(zip(m.resources, m.owners)), queue_size=100)
    robot = Ear(COMMANDED, JointState)
    request = rospy.Publisher("/resources_control/requests", ResourceRequest, queue_size=10)
    reference = rospy.Publisher("/walker/in_joints_ref", JointState, queue_size=10)
    wait_for(lambda: request.get_num_connections() and reference.get_num_connections(),
             "the node subscribes to the controller")
    wait_for(lambda: owners.get("leg3") == "follow", "the latched table of owners")
    first = pose(robot.wait("commanded pose"))["leg3_joint2"]

    def speak(name="walker"):
        request.publish(ResourceRequest(request_id=7, name=name, resources=["leg3"]))
        reference.publish(JointState(name=["leg3_joint2"], position=[first + 0.2]))

    refused = graph.state()["refused_messages"]
    speak("follow")
    wait_for(lambda: graph.state()["refused_messages"] > refused, "a request with another name is rejected")
    check(owners["leg3"] == "follow", "a request with another name is rejected")

    def moved():
        speak()
        time.sleep(0.1)
        return (abs(pose(robot.last)["leg3_joint2"] - first - 0.2) < 1e-3 and
                owners["leg3"] == "walker")  # received on another connection

    wait_for(moved, "the remote controller owns and moves its limb")
    check(True, "the remote controller owns and moves its limb")
    wait_for(lambda: owners["leg3"] != "walker", "the silent controller loses its limb")
    check(True, "the silent controller loses its limb, %s gets it" % owners["leg3"])
    for port in (table, request, reference):
        port.unregister()
    robot.close()


def frames(graph):
    """Frames compared with those of robot_state_publisher for the same joint states."""
    graph.start("robot_state_publisher", "/usr/lib/robot_state_publisher/robot_state_publisher",
                "tf:=/tf_other", "tf_static:=/tf_static_other")
    seen = {}

    def keep(side):
        def take(message):
            for t in message.transforms:
                seen.setdefault(t.child_frame_id, {}).setdefault(side, {})[t.header.stamp] = t
        return take

    ears = [rospy.Subscriber(topic, TFMessage, keep(side), queue_size=1000)
            for topic, side in (("/tf", 0), ("/tf_static", 0), ("/tf_other", 1),
                                ("/tf_static_other", 1))]

    def numbers(t):
        q, p = t.transform.rotation, t.transform.translation
        sign = math.copysign(1.0, q.w)
        return [p.x, p.y, p.z, sign * q.x, sign * q.y, sign * q.z, sign * q.w]

    def compared():
        result = {}
        for child, sides in list(seen.items()):
            ours, theirs = sides.get(0, {}), sides.get(1, {})
            for stamp in list(ours):
                other = theirs.get(stamp)
                if other is None and len(ours) == 1 and len(theirs) == 1:
                    other = list(theirs.values())[0]  # fixed ones: each has its own time
                if other is not None:
                    assert other.header.frame_id == ours[stamp].header.frame_id
                    result[child] = max(abs(a - b) for a, b in
                                        zip(numbers(ours[stamp]), numbers(other)))
        return result

    links = graph_links()
    wait_for(lambda: len(compared()) == links, "frames of all %d links from both" % links)
    worst = max(compared().values())
    check(worst < 1e-9, "frames agree with robot_state_publisher (%.1e)" % worst)
    for ear in ears:
        ear.unregister()


def graph_links():
    return rospy.get_param("/robot_description").count("<joint name=")


def recorder(graph):
    """rosbag records and plays back types it does not know."""
    bag = os.path.join(graph.folder, "all.bag")
    kinds = {"/joint_states": "sensor_msgs/JointState",
             "/aggregator/supports": "sinew_msgs/SupportState",
             "/kinematics_fwd/limbs": "sinew_msgs/LimbState",
             "/resources_control/assignment": "sinew_msgs/ResourceAssignment"}
    child = graph.start("rosbag", "rosbag", "record", "-O", bag, *kinds)

    def listens():  # it subscribes to one topic after the other, with a thread for each
        return all(any("/record" in name for name in graph.listeners(topic)) for topic in kinds)

    wait_for(listens, "rosbag subscribes to all topics")
    size = os.path.getsize(bag + ".active")
    wait_for(lambda: os.path.getsize(bag + ".active") > size + 50000, "rosbag record")
    os.killpg(child.pid, signal.SIGINT)  # SIGINT, so that rosbag finishes its file
    wait_for(lambda: os.path.exists(bag), "the bag")
    graph.stop(child)
    with rosbag.Bag(bag) as b:
        topics = b.get_type_and_topic_info().topics
        check(set(topics) == set(kinds), "rosbag record: all topics")
        for topic, kind in kinds.items():
            check(topics[topic].msg_type == kind and topics[topic].message_count > 0,
                  "rosbag record: %s, %d messages" % (topic, topics[topic].message_count))
        limbs = next(m for _, m, _ in b.read_messages(["/kinematics_fwd/limbs"]))
        check("leg1" in limbs.name and len(limbs.pose) == len(limbs.name),
              "the definition in the bag decodes its messages")
        recorded = [m.position for _, m, _ in b.read_messages(["/joint_states"])]
    played = []
    ear = rospy.Subscriber("/played", JointState, lambda m: played.append(m.position),
                           queue_size=1000)
    graph.tool("rosbag", "play", "--quiet", "-r", "10", "--wait-for-subscribers", "--topics",
               "/joint_states", "--bags=" + bag, "/joint_states:=/played")
    wait_for(lambda: len(played) >= len(recorded), "rosbag play")
    check(played == recorded, "rosbag play: %d messages, as recorded" % len(played))
    ear.unregister()


def leave(graph):
    """It unregistered from the master before it ended."""
    wait_for(lambda: "/sinew" not in graph.tool("rosnode", "list"), "the node leaves the graph")
    check(True, "the node leaves the graph")


def main():
    def begin(graph):
        rospy.init_node("walker", disable_signals=True)

    run([begin, definitions, tools, statistics, services,
         lambda graph: move(graph, {"leg1_joint2": 0.3, "head_joint2": -0.2}),
         sliders, remote_controller, frames, recorder], HERE, has_master_first=False, last=leave)


if __name__ == "__main__":
    main()
