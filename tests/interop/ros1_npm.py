#!/usr/bin/env python3
"""Another client library, `@foxglove/ros1` of npm, with the demo quadruped: first with Debian's master, then
with the master of that library.

usage: ros1_npm.py PROGRAM FOLDER [--own-network]     FOLDER contains node_modules
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
        print("the master of @foxglove/ros1 supports one port only, which is not the test's: skipped")
        return
    losses = graph.state()["master_losses"]
    graph.stop(next(c for c in graph.children if c.name == "master"), signal.SIGKILL)
    wait_for(lambda: graph.state()["master_losses"] > losses, "the loss is detected")
    graph.start("other_master", NODE, os.path.join(
        folder, "node_modules/@foxglove/ros1/dist/nodejs/roscore.js"))
    wait_for(lambda: graph.state()["connected"], "connected to the other master")
    client(graph, folder)
    check(True, "@foxglove/ros1 with a master of its own")


if __name__ == "__main__":
    run([npm], HERE)
