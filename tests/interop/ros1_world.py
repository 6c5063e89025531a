#!/usr/bin/env python3
"""Objects around the robot by Debian's ROS 1: they come, move and go on a topic, and another topic lists them.

usage: ros1_world.py PROGRAM [--own-network]
"""
import os
import sys

from ros1_graph import check, run, wait_for

try:
    import rospy
except ImportError as missing:
    print("interop: %s, skipped" % missing)
    sys.exit(77)  # skipped in ctest
from ros1_ear import Ear
from ros1_msgs import generate


class World:
    """What the gate knows, and how it is changed."""

    def __init__(self, messages):
        self.messages = messages
        self.list = Ear("/aggregator/world", messages.WorldObjectList)
        self.publisher = rospy.Publisher("/aggregator/in_world", messages.WorldChange, queue_size=10)
        wait_for(lambda: self.publisher.get_num_connections() > 0, "the node subscribes to in_world")

    def change(self, operation, name, x=2.0, frame="", shape="box", size=(0.2, 0.3, 0.4)):
        change = self.messages.WorldChange(operation=operation)
        change.header.frame_id = frame
        change.object.name, change.object.shape, change.object.size = name, shape, list(size)
        change.object.pose.position.x, change.object.pose.orientation.w = x, 1.0
        self.publisher.publish(change)

    def places(self):
        """Of all objects: name and x."""
        return {o.name: o.pose.position.x for o in self.list.last.objects} if self.list.last else None

    def expect(self, places, what):
        wait_for(lambda: self.places() == places, what)
        check(True, what)


def world(graph):
    package = os.path.join(graph.folder, "packages", "sinew_msgs")
    os.makedirs(os.path.dirname(package))
    graph.tool(graph.program, "msgs", package)
    messages, _ = generate(graph, package)
    rospy.init_node("scene", disable_signals=True)
    w = World(messages)
    w.expect({}, "the list is latched: it is empty at the start")
    w.change("add", "shelf", 2.0)
    w.expect({"shelf": 2.0}, "an object is added")
    w.change("", "ball", 3.0, shape="sphere", size=[0.1])
    w.expect({"shelf": 2.0, "ball": 3.0}, "another one, without an operation")
    w.change("add", "shelf", 2.5)
    w.expect({"shelf": 2.5, "ball": 3.0}, "an object of the same name is moved")
    for arguments, reason in (
            (("add", "nan", float("nan")), "rejected: it contains NaN"),
            (("add", "flat", 1.0, "", "box", (0.2, 0.0, 0.4)), "shape 'box' with 3 sizes"),
            (("add", "lost", 1.0, "moon"), "frame 'moon', expected"),
            (("remove", "nothing"), "unknown object 'nothing'"),
            (("burn", "shelf"), "operation 'burn', expected add, remove or clear")):
        def is_refused():
            w.change(*arguments)  # repeated: the log is limited to one line per second
            return reason in graph.log("sinew")
        wait_for(is_refused, reason)
        check(w.places() == {"shelf": 2.5, "ball": 3.0}, "refused: " + reason)
    echo = graph.tool("rostopic", "echo", "-n", "1", "/aggregator/world")
    check("shelf" in echo and "ball" in echo, "a late subscriber gets the list")
    w.change("remove", "ball")
    w.expect({"shelf": 2.5}, "an object is removed")
    w.change("clear", "")
    w.expect({}, "all objects are removed")


if __name__ == "__main__":
    run([world], os.path.dirname(os.path.abspath(__file__)))
