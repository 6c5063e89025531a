#!/usr/bin/env python3
"""A node to be killed. Once it is served it creates a file, and continues.

usage: ros1_victim.py listener|speaker|caller NAME
"""
import os
import sys
import time

import rospy
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool


def served():
    open("served_%d" % os.getpid(), "w").close()


def listener():
    """Four topics, large and small."""
    heard = set()

    def hear(topic):
        def take(_):
            if topic not in heard:
                heard.add(topic)
                if len(heard) == 4:
                    served()
        return take

    for topic in ("/joint_states", "/tf", "/robot_description", "/kinematics_fwd/limbs"):
        rospy.Subscriber(topic, rospy.AnyMsg, hear(topic))
    rospy.spin()


def speaker():
    """References at 200 Hz, to a follower that is not active."""
    publisher = rospy.Publisher("/follow/in_joints_ref", JointState, queue_size=10)
    message = JointState(name=["head_joint1"], position=[0.1])
    while True:
        publisher.publish(message)
        if publisher.get_num_connections() > 0:
            served()
        time.sleep(0.005)


def caller():
    """One call after the other, half of them over one connection, so that it is killed during a call."""
    while True:
        try:
            rospy.wait_for_service("/follow/rosSetOperational")
            held = rospy.ServiceProxy("/follow/rosSetOperational", SetBool, persistent=True)
            for _ in range(100):
                held(False)
                rospy.ServiceProxy("/follow/rosSetOperational", SetBool)(False)
                served()
            held.close()
        except (rospy.ServiceException, rospy.ROSException):
            time.sleep(0.05)  # the master is gone


rospy.init_node(sys.argv[2], disable_signals=True)
{"listener": listener, "speaker": speaker, "caller": caller}[sys.argv[1]]()
