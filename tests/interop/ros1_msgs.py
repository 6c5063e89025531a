"""The generated package `sinew_msgs`: Debian's generators accept it, its MD5 sums match those of the
node, and `rostopic echo` decodes its types."""
import importlib
import os
import socket
import struct
import subprocess
import sys

from ros1_graph import Failure, check

# control_msgs is not in Debian; these are the types used from it.
CONTROL_MSGS = {
    "JointTolerance": "string name\nfloat64 position\nfloat64 velocity\nfloat64 acceleration\n",
    "GripperCommand": "float64 position\nfloat64 max_effort\n",
}
# Neither is the generator of the messages of actions, nor the package that they use.
ACTIONLIB_MSGS = {
    "GoalID": "time stamp\nstring id\n",
    "GoalStatus": "GoalID goal_id\nuint8 status\n" + "".join(
        "uint8 %s=%d\n" % (name, number) for number, name in enumerate(
            ("PENDING", "ACTIVE", "PREEMPTED", "SUCCEEDED", "ABORTED", "REJECTED", "PREEMPTING",
             "RECALLING", "RECALLED", "LOST"))) + "string text\n",
}


def write_messages(folder, messages):
    os.makedirs(os.path.join(folder, "msg"), exist_ok=True)
    for name, text in messages.items():
        with open(os.path.join(folder, "msg", name + ".msg"), "w") as f:
            f.write(text)
    return folder


def action_messages(name, text):
    """The seven messages of an action."""
    goal, result, feedback = text.split("---\n")
    head = "std_msgs/Header header\nactionlib_msgs/"
    parts = {"ActionGoal": head + "GoalID goal_id\n%sGoal goal\n" % name,
             "ActionResult": head + "GoalStatus status\n%sResult result\n" % name,
             "ActionFeedback": head + "GoalStatus status\n%sFeedback feedback\n" % name}
    whole = "".join("%s%s %s\n" % (name, part, field) for part, field in
                    (("ActionGoal", "action_goal"), ("ActionResult", "action_result"),
                     ("ActionFeedback", "action_feedback")))
    parts.update({"Goal": goal, "Result": result, "Feedback": feedback, "Action": whole})
    return {name + part: definition for part, definition in parts.items()}


def generate(graph, package):
    """Generates importable Python modules from the definitions with genpy."""
    modules = os.path.join(graph.folder, "modules")
    packages = os.path.join(graph.folder, "packages")
    control = write_messages(os.path.join(packages, "control_msgs"), CONTROL_MSGS)
    actionlib = write_messages(os.path.join(packages, "actionlib_msgs"), ACTIONLIB_MSGS)
    for entry in os.scandir(os.path.join(package, "action")):
        with open(entry.path) as f:
            write_messages(package, action_messages(entry.name.partition(".")[0], f.read()))
    includes = ["-Isinew_msgs:%s/msg" % package, "-Icontrol_msgs:%s/msg" % control,
                "-Iactionlib_msgs:%s/msg" % actionlib]
    for other in ("std_msgs", "geometry_msgs", "trajectory_msgs"):
        includes.append("-I%s:/usr/share/%s/msg" % (other, other))
    for source, kind in ((control, "msg"), (actionlib, "msg"), (package, "msg"), (package, "srv")):
        name = os.path.basename(source)
        out = os.path.join(modules, name, kind)
        files = [entry.path for entry in os.scandir(os.path.join(source, kind))]
        tool = ["/usr/bin/python3", "/usr/lib/genpy/gen%s_py.py" % kind, "-p", name, "-o", out]
        graph.tool(*tool, *includes, *files)
        graph.tool(*tool, "--initpy")
        open(os.path.join(modules, name, "__init__.py"), "w").close()
    sys.path.insert(0, modules)
    graph.environment["PYTHONPATH"] = modules
    return (importlib.import_module("sinew_msgs.msg"), importlib.import_module("sinew_msgs.srv"))


def ask(port, *fields):
    """The header with which the node responds to ours."""
    with socket.create_connection(("127.0.0.1", port)) as s:
        s.settimeout(30)
        header = b"".join(struct.pack("<I", len(f)) + f for f in (t.encode() for t in fields))
        s.sendall(struct.pack("<I", len(header)) + header)
        stream = s.makefile("rb")
        rest = stream.read(struct.unpack("<I", stream.read(4))[0])
    answer = {}
    while rest:
        size = struct.unpack("<I", rest[:4])[0]
        name, _, value = rest[4:4 + size].partition(b"=")
        answer[name.decode()] = value.decode()
        rest = rest[4 + size:]
    return answer


def compare_sums(graph, messages, services):
    """All topics and services with types of `sinew_msgs`."""
    _, port = graph.ports()
    _, _, state = graph.master().getSystemState("/check")
    counts = [0, 0]
    for topic, kind in graph.master().getPublishedTopics("/check", "")[2]:
        if kind.startswith("sinew_msgs/"):
            theirs = getattr(messages, kind.split("/")[1])._md5sum
            answer = ask(port, "callerid=/check", "topic=" + topic, "type=" + kind, "md5sum=" + theirs)
            check_sum(answer, theirs, topic)
            counts[0] += 1
    for name, nodes in state[2]:
        probe = ("callerid=/check", "service=" + name, "probe=1")
        kind = ask(port, *probe, "md5sum=*")["type"] if "/sinew" in nodes else ""
        if kind.startswith("sinew_msgs/"):
            theirs = getattr(services, kind.split("/")[1])._md5sum
            answer = ask(port, *probe, "md5sum=" + theirs)
            check_sum(answer, theirs, name)
            counts[1] += 1
    check(min(counts) > 5, "MD5 sums of %d topics and %d services match those of genpy" % tuple(counts))


def check_sum(answer, theirs, name):
    if answer.get("md5sum") != theirs:
        raise Failure("%s: %s, genpy says %s" % (name, answer, theirs))


def definitions(graph):
    package = os.path.join(graph.folder, "packages", "sinew_msgs")
    os.makedirs(os.path.dirname(package))
    print(graph.tool(graph.program, "msgs", package).strip())
    messages, services = generate(graph, package)
    check(True, "genpy generates modules from all definitions")
    environment = dict(graph.environment, ROS_PACKAGE_PATH=os.path.dirname(package) + ":/usr/share")
    shown = subprocess.run(["rosmsg", "show", "sinew_msgs/ResourceRequest"], env=environment,
                           capture_output=True, text=True, check=False).stdout
    check("string[] resources" in shown, "rosmsg show")
    compare_sums(graph, messages, services)
    echo = graph.tool("rostopic", "echo", "-n", "1", "/resources_control/assignment")
    check("owners:" in echo and "- hold" in echo, "rostopic echo: the latched table of owners")
    try:
        from rosidl_adapter import parser
    except ImportError:
        print("rosidl_adapter is missing: the ROS 2 definitions are not checked")
        return
    count = 0
    for kind, parse in (("msg", parser.parse_message_file), ("srv", parser.parse_service_file)):
        folder = os.path.join(package, "ros2", kind)
        for name in sorted(os.listdir(folder)):
            parse("sinew_msgs", os.path.join(folder, name))
            count += 1
    check(count > 20, "rosidl parses %d ROS 2 definitions" % count)
