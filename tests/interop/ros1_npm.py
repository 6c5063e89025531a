#!/usr/bin/env python3
"""A client of another make, `@foxglove/ros1` of npm, in the graph of the demo quadruped: first with
Debian's master, then with a master of that make.

usage: ros1_npm.py PROGRAM FOLDER [--own-network]     FOLDER holds node_modules
"""
import os
import signal

from ros1_graph import check, run, wait_for

HERE = os.path.dirname(os.path.abspath(__file__))
NODE = os.environ["SINEW_NODE"]


def client(graph, folder):
    print(graph.tool(NODE, os.path.join(HERE, "ros1_client.mjs"), folder,
                     os.path.join(HERE, "../../robots/quadruped.urdf")).rstrip(), flush=True)


def npm(graph, folder):
    graph.tool(graph.program, "call", "--socket", graph.control, "follow.rosSetOperational", "data=true")
    client(graph, folder)
    check(True, "@foxglove/ros1 with Debian's master")
    if graph.port != 11311:
        print("the master of @foxglove/ros1 knows one port only, which is not ours: not tried")
        return
    losses = graph.state()["master_losses"]
    graph.stop(next(c for c in graph.children if c.name == "master"), signal.SIGKILL)
    wait_for(lambda: graph.state()["master_losses"] > losses, "the loss is noticed")
    graph.start("other_master", NODE, os.path.join(
        folder, "node_modules/@foxglove/ros1/dist/nodejs/roscore.js"))
    wait_for(lambda: graph.state()["connected"], "the other master is noticed")
    client(graph, folder)
    check(True, "@foxglove/ros1 with a master of its own")


if __name__ == "__main__":
    run([npm], HERE)
