#!/usr/bin/env python3
"""A ROS 1 node stops the demo quadruped, with working components and with one in an endless loop.

usage: ros1_stop.py PROGRAM PLUGIN [--own-network]     the plugin has the type Obstacle
"""
import math
import os
import signal
import threading
import time

from ros1_ear import Ear, distance, pose
from ros1_graph import check, run, wait_for
from ros1_servos import JOINTS, Servos

import rospy
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger

HERE = os.path.dirname(os.path.abspath(__file__))
COMMANDED = "/aggregator/joints_sorted"
MEASURED = "/joint_states"
FOLLOW = "/follow/in_joints_ref"
STOP = "/aggregator/emergencyStop"
RESUME = "/aggregator/resume"


class Sway:
    """References that swing joints, from before the stop until after it."""

    def __init__(self, joints):
        self.joints = joints
        self.count = 0
        self.has_ended = False
        self.publisher = rospy.Publisher(FOLLOW, JointState, queue_size=10)
        wait_for(lambda: self.publisher.get_num_connections() > 0, "the references have a subscriber")
        self.thread = threading.Thread(target=self.swing, daemon=True)
        self.thread.start()

    def swing(self):
        while not self.has_ended:
            position = 0.3 * math.sin(2.0 * time.monotonic())
            self.publisher.publish(JointState(name=self.joints, position=[position] * len(self.joints)))
            self.count += 1
            time.sleep(0.02)

    def wait(self, count):
        """Waits until more references have been sent."""
        end = self.count + count
        wait_for(lambda: self.count >= end, "references")

    def close(self):
        self.has_ended = True
        self.thread.join()
        self.publisher.unregister()


def trigger(service):
    rospy.wait_for_service(service, 60)
    return rospy.ServiceProxy(service, Trigger)()


def get_stop(graph):
    return graph.tool(graph.program, "call", "--socket", graph.control, "aggregator.getStop")


def moves(ear, sway):
    """Largest change of a pose during 30 references, rad."""
    first = pose(ear.wait("a pose"))
    worst = 0.0
    for _ in range(15):
        sway.wait(2)
        worst = max(worst, distance(pose(ear.wait("a pose")), first))
    return worst


def set_off(joints):
    rospy.wait_for_service("/follow/rosSetOperational", 60)
    operate = rospy.ServiceProxy("/follow/rosSetOperational", SetBool)
    wait_for(lambda: operate(True).success, "follow is active")  # not before positions are measured
    sway, measured = Sway(joints), Ear(MEASURED, JointState)
    wait_for(lambda: moves(measured, sway) > 0.1, "the robot moves")
    return sway, measured


def is_confirmed():
    """On a busy machine servos may confirm a stop too late, which the response must report."""
    answer = trigger(STOP)
    check(answer.success or "did not obey: 'plant" in answer.message,
          "stopped: %s '%s'" % (answer.success, answer.message))
    return answer.success


def stops_and_goes_on(graph, _plugin):
    """The service stops a moving robot; references do not move it until it is resumed."""
    sway, measured = set_off(["head_joint1", "head_joint2"])
    commanded = Ear(COMMANDED, JointState)
    wait_for(is_confirmed, "a stop")
    state = get_stop(graph)
    check("stopped: true" in state and 'who: "/stopper"' in state, "the requester of the stop is recorded")
    wait_for(lambda: moves(commanded, sway) == 0.0, "it has braked")
    check(moves(commanded, sway) == 0.0, "references do not change the command")
    check(moves(measured, sway) < 2e-3, "and nothing moves")
    rospy.ServiceProxy("/follow/rosSetOperational", SetBool)(False)
    rospy.ServiceProxy("/follow/rosSetOperational", SetBool)(True)
    check(moves(commanded, sway) == 0.0, "nor does a new activation")
    check("stopped: true" in get_stop(graph), "the stop is still in force")
    check(trigger(RESUME).success, "resumed")
    wait_for(lambda: moves(measured, sway) > 0.1, "the robot moves again")
    check("stopped: false" in get_stop(graph), "the stop is over")
    check(not trigger(RESUME).success, "resume fails without a stop")
    for end in (sway, measured, commanded):
        end.close()


def start(graph, name, text):
    file = os.path.join(graph.folder, name + "_robot.yaml")
    with open(file, "w") as f:
        f.write(text)
    if os.path.exists(graph.control):
        os.remove(graph.control)
    # Without real-time priority: the loop would starve the other threads.
    child = graph.start_sinew(file, name=name, may_have_priority=False)
    wait_for(lambda: os.path.exists(graph.control) and graph.state()["connected"], name + " is there")
    return child


def loop(graph):
    graph.tool(graph.program, "set", "--socket", graph.control, "obstacle.loops", "true")


def plant_cannot_obey(graph, plugin):
    """Simulated servos are stepped by the cycle: if it hangs, the response must report a failure."""
    child = start(graph, "loop_plant", "include: [%s/ros1.yaml]\nplugins: ['%s']\n"
                  "components: {obstacle: {type: Obstacle}}\n" % (HERE, plugin))
    sway, measured = set_off(["head_joint2"])
    loop(graph)
    answer = trigger(STOP)
    check(not answer.success and "'plant' (the step of 'obstacle' does not end)" in answer.message,
          "not stopped: '%s'" % answer.message)
    sway.close()
    measured.close()
    graph.stop(child, signal.SIGKILL)


def driver_obeys(graph, plugin):
    """The bus thread stops servos on a bus even if the cycle hangs."""
    servos = Servos(graph)
    child = start(graph, "loop_driver", "include: [standard.yaml]\nrobot: %s/../../robots/arm6.yaml\n"
                  "plugins: ['%s']\ncomponents:\n  obstacle: {type: Obstacle}\n  ros1: {type: ros1}\n%s" %
                  (HERE, plugin, servos.driver()))
    sway, measured = set_off(JOINTS[:2])
    wait_for(lambda: servos.moves() > 0.05, "the servos move")
    loop(graph)
    wait_for(is_confirmed, "a stop by the thread of the bus")
    first = servos.show()
    sway.wait(50)
    wait_for(lambda: servos.moves() <= 0.001, "they come to rest")
    last = servos.show()
    check([goal for _, goal in first] == [goal for _, goal in last], "their goals stay as they are")
    check(max(abs(a - b) for (a, _), (b, _) in zip(first, last)) < 0.15, "and so do they")
    sway.close()
    measured.close()
    graph.stop(child, signal.SIGKILL)
    servos.close()


def main():
    plugin = []

    def begin(_graph, path):
        plugin.append(path)
        rospy.init_node("stopper", disable_signals=True)

    def hanging(graph):
        plant_cannot_obey(graph, plugin[0])
        driver_obeys(graph, plugin[0])

    run([begin, stops_and_goes_on], HERE, last=hanging)


if __name__ == "__main__":
    main()
