"""Runs a robot as a ROS 2 node.

ros2 launch sinew sinew.launch.py robot:=my_robot.urdf [namespace:=/left] [clock:=sim duration:=60] [use_sim_time:=true]
"""
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration

ARGUMENTS = [
    # name, default (None: required), description
    ("robot", None, "URDF of the robot, or a deployment"),
    ("name", "sinew", "Name of the node"),
    ("namespace", "", "Its namespace; empty: ROS_NAMESPACE, or /"),
    ("clock", "real", "Clock of the robot: real, sim or xFACTOR; unless it is real, the node publishes /clock"),
    ("duration", "", "Seconds after which the robot stops; empty: it runs until it is stopped"),
    ("use_sim_time", "false", "Follow /clock; the robot itself runs in real time"),
    ("headless", "true", "Without the cockpit in the browser"),
]


def command(value):
    """The command line of the program. value: the arguments by name."""
    words = ["sinew", "run", value["robot"], "--ros2", "--clock", value["clock"]]
    words += ["--duration", value["duration"]] if value["duration"] else []
    words += ["--headless"] if value["headless"] == "true" else []
    properties = {"node_name": value["name"], "namespace": value["namespace"], "use_sim_time": value["use_sim_time"]}
    for name, text in properties.items():
        words += ["--set", "ros2.%s=%s" % (name, text)] if text else []
    return words


def start(context):
    value = {name: LaunchConfiguration(name).perform(context) for name, _, _ in ARGUMENTS}
    return [ExecuteProcess(cmd=command(value), output="screen", on_exit=Shutdown())]


def generate_launch_description():
    declared = [DeclareLaunchArgument(name, description=text, **({} if default is None else {"default_value": default}))
                for name, default, text in ARGUMENTS]
    return LaunchDescription(declared + [OpaqueFunction(function=start)])
