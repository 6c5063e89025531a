"""A ROS 1 graph for one test: master, nodes and tools from Debian, and `sinew`."""
import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
import xmlrpc.client

PATIENCE_S = 60.0  # nothing here takes long, but the machine may be slow


class Failure(Exception):
    pass


START_S = time.monotonic()


def check(is_good, what):
    if not is_good:
        raise Failure(what)
    print("%6.1f s  %s" % (time.monotonic() - START_S, what), flush=True)


def wait_for(condition, what, patience_s=PATIENCE_S):
    """Returns the first true value of the condition."""
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise Failure("timeout: " + what)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Graph:
    def __init__(self, program, has_own_network):
        self.program = program
        self.folder = tempfile.mkdtemp(prefix="sinew-ros1-")
        self.children = []
        if has_own_network:
            subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        self.port = 11311 if has_own_network else free_port()
        self.control = os.path.join(self.folder, "control")
        self.environment = dict(os.environ, ROS_MASTER_URI="http://127.0.0.1:%d" % self.port,
                                ROS_IP="127.0.0.1", HOME=self.folder, ROS_HOME=self.folder,
                                PYTHONUNBUFFERED="1", PYTHONDONTWRITEBYTECODE="1")
        for name in ("ROS_NAMESPACE", "ROS_HOSTNAME"):
            self.environment.pop(name, None)
        os.environ.update(self.environment)

    def start(self, name, *command):
        """A child that runs until it is stopped; its output goes to a file."""
        log = open(os.path.join(self.folder, name + ".log"), "a")
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                 env=self.environment, start_new_session=True, cwd=self.folder)
        child.name = name
        self.children.append(child)
        return child

    def stop(self, child, number=signal.SIGINT):
        """Stops a child and its descendants."""
        if child.poll() is None:
            try:
                os.killpg(child.pid, number)
                child.wait(10)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                pass
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()
        if child in self.children:
            self.children.remove(child)

    def start_master(self, is_whole=False):
        """roscore, or only its master, which starts faster."""
        command = ("roscore",) if is_whole else ("rosmaster", "--core")
        return self.start("master", *command, "-p", str(self.port))

    def kill_master(self, child):
        """Kills the master, which roscore runs in its own session; roscore then exits."""
        _, _, pid = self.master().getPid("/check")
        os.kill(pid, signal.SIGKILL)
        self.stop(child)

    def master(self):
        return xmlrpc.client.ServerProxy(self.environment["ROS_MASTER_URI"])

    def node(self):
        """XML-RPC proxy of `sinew`."""
        _, _, api = self.master().lookupNode("/check", "/sinew")
        return xmlrpc.client.ServerProxy(api)

    def ports(self):
        """The XML-RPC and TCPROS ports of `sinew`."""
        _, _, api = self.master().lookupNode("/check", "/sinew")
        _, _, protocol = xmlrpc.client.ServerProxy(api).requestTopic("/check", "/joint_states",
                                                                     [["TCPROS"]])
        return int(api.rstrip("/").rsplit(":", 1)[1]), protocol[2]

    def listeners(self, topic):
        """The subscribers of a topic, as reported by `sinew`."""
        _, _, connections = self.node().getBusInfo("/check")
        return [c[1] for c in connections if c[2] == "o" and c[4] == topic]

    def start_sinew(self, deployment, name="sinew", socket_path=None, options=(), may_have_priority=True):
        """With real-time scheduling if permitted, so that other load does not affect the cycle."""
        file = os.path.join(self.folder, name + ".yaml")
        may_have_priority = may_have_priority and subprocess.run(
            ["chrt", "-f", "50", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0
        with open(file, "w") as f:
            f.write("include: [%s]\nactivities: {control: {period: 0.001, priority: %d}}\n" %
                    (os.path.abspath(deployment), 50 if may_have_priority else 0))
        return self.start(name, self.program, "run", file, "--headless", "--socket",
                          socket_path or self.control, *options)

    def tool(self, *command, patience_s=PATIENCE_S):
        """Output of a tool, which must succeed."""
        result = subprocess.run(command, env=self.environment, capture_output=True, text=True,
                                timeout=patience_s, cwd=self.folder)
        if result.returncode != 0:
            raise Failure("%s: %s%s" % (" ".join(command), result.stdout, result.stderr))
        return result.stdout

    def state(self):
        """Counters of the bridge, read through the control socket."""
        lines = self.tool(self.program, "call", "--socket", self.control, "ros1.getState")
        pairs = (line.split(": ", 1) for line in lines.splitlines() if ": " in line)
        return {k: json.loads(v) for k, v in pairs}

    def log(self, name):
        path = os.path.join(self.folder, name + ".log")
        return open(path).read() if os.path.exists(path) else ""

    def close(self, has_failed):
        for child in list(self.children):
            self.stop(child)
        if has_failed:
            for file in sorted(os.listdir(self.folder)):
                if file.endswith(".log"):
                    sys.stderr.write("---- %s\n%s\n" % (file, self.log(file[:-4])[-4000:]))
        shutil.rmtree(self.folder, ignore_errors=True)


def run(chapters, here, has_master_first=True, last=None):
    """One test: a master, `sinew` in its graph, then the chapters; ends the process.
    usage: SCRIPT PROGRAM [--own-network] [ARGUMENT...]     arguments are passed to the chapters"""
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("arguments", nargs="*")
    parser.add_argument("--own-network", action="store_true")
    options = parser.parse_args()
    graph = Graph(options.program, options.own_network)
    has_failed = True
    try:
        if has_master_first:
            graph.start_master()
        sinew = graph.start_sinew(os.path.join(here, "ros1.yaml"))
        if not has_master_first:
            wait_for(lambda: "no ROS master" in graph.log("sinew"), "sinew waits for a master")
            check(sinew.poll() is None, "sinew runs without a master")
            graph.start_master(is_whole=True)
        wait_for(lambda: "node /sinew is running" in graph.log("sinew"), "the log line of a running node")
        wait_for(lambda: os.path.exists(graph.control) and graph.state()["connected"],
                 "connected to the master")
        wait_for(lambda: ["/tf", "tf2_msgs/TFMessage"] in graph.master().getPublishedTopics(
            "/check", "")[2], "topics")
        for chapter in chapters:
            chapter(graph, *options.arguments)
        check(sinew.poll() is None, "sinew still runs")
        graph.stop(sinew, signal.SIGTERM)
        check(sinew.returncode == 0, "sinew exits with success")
        if last is not None:
            last(graph)
        has_failed = False
    except Exception:  # print the logs for any failure
        print("FAILED:", flush=True)
        traceback.print_exc()
    finally:
        graph.close(has_failed)
    os._exit(1 if has_failed else 0)  # threads of rospy would wait for a master


def run_client(deployment, chapter, options=()):
    """One test of a client in rospy: a master, `sinew` in its graph, then the chapter, which gets the graph; ends the process.
    The deployment is a file, or its text.
    usage: SCRIPT PROGRAM [--own-network]"""
    import rospy  # not above: scripts skip their test if it is missing, and others do not need it
    graph = Graph(sys.argv[1], "--own-network" in sys.argv)
    if "\n" in deployment:
        text, deployment = deployment, os.path.join(graph.folder, "robot.yaml")
        with open(deployment, "w") as f:
            f.write(text)
    has_failed = True
    try:
        graph.start_master()
        sinew = graph.start_sinew(deployment, options=("--ros1", *options))
        wait_for(lambda: os.path.exists(graph.control) and graph.state()["connected"], "connected to the master")
        rospy.init_node("client", disable_signals=True)
        chapter(graph)
        check(sinew.poll() is None, "sinew still runs")
        graph.stop(sinew, signal.SIGTERM)
        check(sinew.returncode == 0, "sinew exits with success")
        has_failed = False
    except Failure as failure:
        print("FAILED:", failure, flush=True)
    finally:
        graph.close(has_failed)
    os._exit(1 if has_failed else 0)  # threads of rospy would wait for a master
