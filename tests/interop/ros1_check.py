#!/usr/bin/env python3
"""Debian's ROS 1 looks at the demo quadruped: its tools, its publishers, a recorder, bad peers, and a
master that comes and goes.

usage: ros1_check.py PROGRAM FOLDER [--own-network]     FOLDER: of this file
"""
import math
import os
import socket
import struct
import subprocess
import sys
import time
import xmlrpc.client

from ros1_graph import Failure, Graph, check, wait_for

import genpy.dynamic
import rosbag
import rospy
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger
from tf2_msgs.msg import TFMessage

COMMANDED = "/aggregator/joints_sorted"  # what is measured has friction and gravity in it
FOLLOW = "/follow/in_joints_ref"
RESET = "/follow/out_joints_src_reset"

REQUEST = """std_msgs/Header header
uint64 request_id
string name
string[] resources
int32 priority
bool wait
================================================================================
MSG: std_msgs/Header
uint32 seq
time stamp
string frame_id
"""


class Ear:
    """The last message of a topic, and how many there were."""

    def __init__(self, topic, kind):
        self.last = None
        self.count = 0
        self.gaps = 0
        self.subscriber = rospy.Subscriber(topic, kind, self.take, queue_size=1000)

    def take(self, message):
        header = getattr(message, "header", None)
        if self.last is not None and header is not None:
            self.gaps += header.seq != self.last.header.seq + 1
        self.last = message
        self.count += 1

    def wait(self, what):
        before = self.count
        wait_for(lambda: self.count > before, what)
        return self.last

    def close(self):
        self.subscriber.unregister()


def pose(message):
    return dict(zip(message.name, message.position))


def distance(a, b):
    return max(abs(a[joint] - b[joint]) for joint in a)


# ---- one chapter each ----

def tools(graph, here):
    """rosnode, rostopic, rosservice, rosparam as users type them."""
    listed = graph.tool("rostopic", "list").split()
    for topic in ("/joint_states", "/tf", "/tf_static", "/robot_description", FOLLOW, RESET,
                  "/resources_control/assignment", "/aggregator/supports"):
        check(topic in listed, "rostopic list: " + topic)
    check("xmlrpc reply" in graph.tool("rosnode", "ping", "-c", "1", "/sinew"), "rosnode ping")
    echo = graph.tool("rostopic", "echo", "-n", "1", "/joint_states")
    check("leg1_joint1" in echo and "position:" in echo, "rostopic echo /joint_states")
    hz = subprocess.Popen(["rostopic", "hz", "-w", "50", "/joint_states"], env=graph.environment,
                          stdout=subprocess.PIPE, text=True)
    try:
        rate = next(float(line.split(":")[1]) for line in hz.stdout if "average rate" in line)
    finally:
        hz.terminate()
        hz.wait()
    check(50 < rate < 150, "rostopic hz: %.1f, 100 asked for" % rate)
    info = graph.tool("rosnode", "info", "/sinew")
    check("/joint_states [sensor_msgs/JointState]" in info and "Pid:" in info, "rosnode info")
    check("std_srvs/SetBool" in graph.tool("rosservice", "type", "/follow/rosSetOperational"),
          "rosservice type")
    urdf = open(os.path.join(here, "../../robots/quadruped.urdf")).read()
    check(rospy.get_param("/robot_description") == urdf, "parameter robot_description is the file")
    check(rospy.wait_for_message("/robot_description", String, 10).data == urdf,
          "latched topic robot_description is the file")


def services(graph):
    """By a tool, and ten times over one connection."""
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
    check("stopped: true" in stopped and 'who: "/walker"' in stopped, "who stopped is known")
    check(resume().success and not resume().success, "resumed, which can be done once")


def move(graph, joints):
    """The robot by `rostopic pub`, then everybody lets go."""
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
    """The main use: joint_state_publisher, which starts at another pose, adopts that of the robot
    before it is listened to; then the robot follows it."""
    robot = Ear(COMMANDED, JointState)
    measured = Ear("/joint_states", JointState)
    source = Ear(FOLLOW, JointState)
    graph.start("joint_state_publisher", "/usr/lib/joint_state_publisher/joint_state_publisher",
                "joint_states:=" + FOLLOW, "_source_list:=[%s, /slider]" % RESET, "_rate:=20")
    before = pose(robot.wait("commanded pose"))
    stood = pose(measured.wait("joint states"))
    first = pose(source.wait("joint_state_publisher publishes"))
    check(distance(first, before) > 0.1, "joint_state_publisher starts at another pose")
    worst = [0.0]
    watch = rospy.Subscriber(COMMANDED, JointState,
                             lambda m: worst.__setitem__(0, max(worst[0], distance(pose(m), before))))
    check(rospy.ServiceProxy("/follow/rosSetOperational", SetBool)(True).success, "activated")
    wait_for(lambda: distance(pose(source.last), before) < 1e-9, "the publisher adopts the pose")
    end = time.monotonic() + 3.0  # the activation delay is 1.5 s
    wait_for(lambda: time.monotonic() > end, "time")
    check(worst[0] < 1e-6, "on activation the robot does not move (%.1e rad)" % worst[0])
    check(distance(pose(measured.last), stood) < 0.02, "nor does what is measured")
    watch.unregister()
    slider = rospy.Publisher("/slider", JointState, queue_size=1, latch=True)
    slider.publish(JointState(name=["head_joint1", "leg2_joint3"], position=[0.25, -0.4]))
    wait_for(lambda: abs(pose(robot.last)["head_joint1"] - 0.25) < 1e-3 and
             abs(pose(robot.last)["leg2_joint3"] + 0.4) < 1e-3, "the robot follows the sliders")
    check(abs(pose(robot.last)["leg1_joint2"] - before["leg1_joint2"]) < 1e-6,
          "the robot follows the sliders, and only where they moved")
    slider.unregister()
    for ear in (robot, measured, source):
        ear.close()


def remote_controller(graph):
    """A node asks for a limb, moves it, falls silent and loses it."""
    kind = genpy.dynamic.generate_dynamic("sinew_msgs/ResourceRequest", REQUEST)
    request_type = kind["sinew_msgs/ResourceRequest"]
    owners = {}

    def note(message):
        text = message._connection_header["message_definition"]
        types = genpy.dynamic.generate_dynamic("sinew_msgs/ResourceAssignment", text)
        table = types["sinew_msgs/ResourceAssignment"]().deserialize(message._buff)
        owners.update(zip(table.resources, table.owners))

    table = rospy.Subscriber("/resources_control/assignment", rospy.AnyMsg, note, queue_size=100)
    robot = Ear(COMMANDED, JointState)
    request = rospy.Publisher("/resources_control/requests", request_type, queue_size=10)
    reference = rospy.Publisher("/walker/in_joints_ref", JointState, queue_size=10)
    wait_for(lambda: request.get_num_connections() and reference.get_num_connections(),
             "the node listens to the controller")
    wait_for(lambda: owners.get("leg3") == "follow", "the latched table of owners")
    first = pose(robot.wait("commanded pose"))["leg3_joint2"]

    def speak(name="walker"):
        request.publish(request_type(request_id=7, name=name, resources=["leg3"]))
        reference.publish(JointState(name=["leg3_joint2"], position=[first + 0.2]))

    refused = graph.state()["refused_messages"]
    speak("follow")
    wait_for(lambda: graph.state()["refused_messages"] > refused, "a foreign name is refused")
    check(owners["leg3"] == "follow", "a foreign name is refused")

    def moved():
        speak()
        time.sleep(0.1)
        return abs(pose(robot.last)["leg3_joint2"] - first - 0.2) < 1e-3

    wait_for(moved, "the remote controller moves its limb")
    check(owners["leg3"] == "walker", "the remote controller owns and moves its limb")
    wait_for(lambda: owners["leg3"] != "walker", "the silent controller loses its limb")
    check(True, "the silent controller loses its limb, %s gets it" % owners["leg3"])
    for port in (table, request, reference):
        port.unregister()
    robot.close()


def frames(graph):
    """Our frames beside those of robot_state_publisher, for the same joint states."""
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
    """rosbag knows nothing of our types and records them all the same."""
    bag = os.path.join(graph.folder, "all.bag")
    child = graph.start("rosbag", "rosbag", "record", "-O", bag, "/joint_states",
                        "/aggregator/supports", "/resources_control/assignment",
                        "/kinematics_fwd/limbs")
    wait_for(lambda: os.path.exists(bag + ".active") and
             os.path.getsize(bag + ".active") > 20000, "rosbag record")
    graph.stop(child)
    wait_for(lambda: os.path.exists(bag), "the bag")
    with rosbag.Bag(bag) as b:
        topics = b.get_type_and_topic_info().topics
        for topic, kind in (("/joint_states", "sensor_msgs/JointState"),
                            ("/kinematics_fwd/limbs", "sinew_msgs/LimbState"),
                            ("/resources_control/assignment", "sinew_msgs/ResourceAssignment")):
            check(topics[topic].msg_type == kind and topics[topic].message_count > 0,
                  "rosbag record: %s, %d messages" % (topic, topics[topic].message_count))
        limbs = next(m for _, m, _ in b.read_messages(["/kinematics_fwd/limbs"]))
        check("leg1" in limbs.name and len(limbs.pose) == len(limbs.name),
              "the bag's definition of our type reads its messages")


def ports(graph):
    """Where the node listens for XML-RPC, and for TCPROS."""
    master = xmlrpc.client.ServerProxy(graph.environment["ROS_MASTER_URI"])
    _, _, api = master.lookupNode("/check", "/sinew")
    _, _, protocol = xmlrpc.client.ServerProxy(api).requestTopic("/check", "/joint_states",
                                                                 [["TCPROS"]])
    return int(api.rstrip("/").rsplit(":", 1)[1]), protocol[2]


def bad_peers(graph):
    """What is no ROS is refused and counted, and who listens loses nothing."""
    ear = Ear("/joint_states", JointState)
    ear.wait("joint states")
    xml_port, port = ports(graph)
    header = b"".join(struct.pack("<I", len(f)) + f for f in
                      (b"callerid=/bad", b"topic=/joint_states", b"md5sum=" + b"0" * 32, b"type=*"))
    whole = struct.pack("<I", len(header)) + header
    cases = [
        ("a wrong MD5", port, whole, True),
        ("a giant length", port, b"\xff\xff\xff\xff" + header, True),
        ("random bytes", port, bytes(range(256)) * 16, True),
        ("a header that is cut short", port, whole[:20], False),
        ("garbage for XML-RPC", xml_port,
         b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n<garbage>", True),
        ("a call that is cut short", xml_port,
         b"POST / HTTP/1.1\r\nContent-Length: 999\r\n\r\n<methodCall>", False),
        ("an entity bomb", xml_port,
         b"POST / HTTP/1.1\r\nContent-Length: 46\r\n\r\n<!DOCTYPE a [<!ENTITY b 'c'>]><methodCall/>   ",
         True),
    ]
    for what, where, data, counts in cases:
        before = graph.state()["refused"]
        with socket.create_connection(("127.0.0.1", where)) as s:
            s.settimeout(30)
            s.sendall(data)
            if counts:
                while s.recv(4096):  # until it is closed
                    pass
        if counts:
            wait_for(lambda: graph.state()["refused"] == before + 1, what + " is counted")
        check(True, "refused: " + what)
    ear.wait("joint states after all that")
    check(ear.gaps == 0, "no message was lost meanwhile (%d came)" % ear.count)
    ear.close()


def come_and_go(graph, times):
    """Master and subscribers are killed again and again; the cycle goes on."""
    master = next(c for c in graph.children if c.name == "master")

    def cycles():
        return int(graph.tool(graph.program, "echo", "--socket", graph.control, "timer.sync",
                              "--count", "1").split("cycle: ")[1].split()[0])
    def rate_since(first, start):
        return (cycles() - first) / (time.monotonic() - start)
    first, start = cycles(), time.monotonic()
    time.sleep(2)
    calm = rate_since(first, start)
    first, start = cycles(), time.monotonic()
    for _ in range(times):
        graph.kill_master(master)
        wait_for(lambda: not graph.state()["connected"], "the loss is noticed")
        master = graph.start_master()
        wait_for(lambda: "/joint_states" in
                 subprocess.run(["rostopic", "list"], env=graph.environment, capture_output=True,
                                text=True).stdout, "registered anew")
    check(graph.state()["master_losses"] >= times, "the master was killed %d times" % times)
    _, port = ports(graph)
    answered = 0
    for _ in range(10 * times):
        with socket.create_connection(("127.0.0.1", port)) as s:
            fields = (b"callerid=/brief", b"topic=/joint_states", b"md5sum=*", b"type=*")
            header = b"".join(struct.pack("<I", len(f)) + f for f in fields)
            s.sendall(struct.pack("<I", len(header)) + header)
            answered += len(s.recv(1000)) > 0
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    check(answered == 10 * times, "%d subscribers were answered and killed" % answered)
    killing = rate_since(first, start)
    check(killing > 0.5 * calm, "cycles a second: %.0f, %.0f without killing" % (killing, calm))
    ear = Ear("/joint_states", JointState)
    ear.wait("joint states from the new master")
    check(True, "joint states come through the new master")
    ear.close()


def main():
    program, here = sys.argv[1], sys.argv[2]
    graph = Graph(program, "--own-network" in sys.argv)
    times = int(os.environ.get("SINEW_ROS1_KILLS", "3"))
    has_failed = True
    try:
        sinew = graph.start_sinew(os.path.join(here, "ros1.yaml"))
        wait_for(lambda: "no ROS master" in graph.log("sinew"), "sinew waits for a master")
        check(sinew.poll() is None, "sinew runs without a master")
        graph.start_master(is_whole=True)
        wait_for(lambda: os.path.exists(graph.control) and graph.state()["connected"],
                 "the master is noticed")
        rospy.init_node("walker", disable_signals=True)
        wait_for(lambda: ["/tf", "tf2_msgs/TFMessage"] in rospy.get_published_topics(), "topics")
        tools(graph, here)
        services(graph)
        move(graph, {"leg1_joint2": 0.3, "head_joint2": -0.2})
        sliders(graph)
        remote_controller(graph)
        frames(graph)
        recorder(graph)
        bad_peers(graph)
        come_and_go(graph, times)
        check(sinew.poll() is None, "sinew still runs")
        graph.stop(sinew, 15)
        check(sinew.returncode == 0, "sinew ends well")
        wait_for(lambda: "/sinew" not in graph.tool("rosnode", "list"), "the node leaves the graph")
        check(True, "the node leaves the graph")
        has_failed = False
    except Failure as failure:
        print("FAILED:", failure, flush=True)
    finally:
        graph.close(has_failed)
    os._exit(1 if has_failed else 0)  # threads of rospy would wait for a master


if __name__ == "__main__":
    main()
