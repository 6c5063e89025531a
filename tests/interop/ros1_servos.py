"""Simulated servos on a bus (`sinew bus simulate`), read through their own interface."""
import os
import re
import subprocess
import time

from ros1_graph import Failure, wait_for

JOINTS = ["joint%d" % i for i in range(1, 7)]
LINE = re.compile(r" *(\d+)  at +(\S+) rad, goal +(\S+), (torque|limp), (\d+) goals")


class Servos:
    """Six of them, for the joints of arm6."""

    def __init__(self, graph):
        self.graph = graph
        self.port = os.path.join(graph.folder, "bus")
        self.child = subprocess.Popen(
            [graph.program, "bus", "simulate", "--family", "feetech_sts", "--ids", "1-6", "--port", self.port],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, start_new_session=True)
        self.child.name = "servos"
        graph.children.append(self.child)
        self.child.stdout.readline()
        wait_for(lambda: os.path.exists(self.port), "the port of the servos")

    def driver(self):
        """Their part of a deployment."""
        servos = "".join("        - {joint: %s, id: %d}\n" % (joint, i + 1) for i, joint in enumerate(JOINTS))
        return ("  plant:\n    type: driver_feetech\n    properties:\n      ports: [%s]\n      period: 0.05\n"
                "      answer_time: 0.02\n      stop: hold\n      goal_timeout: 10\n      guard_timeout: 10\n"
                "      servos:\n%s" % (self.port, servos))

    def show(self):
        """Position and goal of each, rad."""
        self.child.stdin.write("show\n")
        found = [LINE.match(self.child.stdout.readline()) for _ in JOINTS]
        if not all(found):
            raise Failure("the servos do not answer")
        return [(float(m[2]), float(m[3])) for m in found]

    def moves(self):
        """By how much the farthest position changes within a second, rad."""
        first = self.show()
        worst = 0.0
        for _ in range(20):
            time.sleep(0.05)
            worst = max([worst] + [abs(a[0] - b[0]) for a, b in zip(first, self.show())])
        return worst

    def close(self):
        self.graph.stop(self.child)
