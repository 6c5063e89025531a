#!/usr/bin/env python3
"""Slow and silent clients of the cockpit's server, floods of requests, and that the robot can be stopped meanwhile;
memory in a long run.

usage: foxglove_floods.py PROGRAM DEPLOYMENT ROBOT [CASE ...]
"""
import json
import os
import socket
import statistics
import struct
import sys
import threading
import time

from rig import PATIENCE_S, Client, Failure, Robot, check, run_cases, until

PROGRAM, BASE, ROBOT = (os.path.abspath(a) for a in sys.argv[1:4])


def start(options=(), priority=0, **properties):
    return Robot(PROGRAM, BASE, ROBOT, options, priority, **properties)


def ends_well(robot):
    code = robot.end()
    check(code == 0, "the program ended with %s" % code)


def idle_connections_make_room():
    r = start(clients_max=4)
    clients = [Client(r).ready() for _ in range(4)]
    check(r.get("/health")[0] == 200, "pages while clients are full")
    idle = [r.connect() for _ in range(200)]
    check(b"" == idle[0].recv(1), "the first of 200 connections is still open")
    check(r.get("/health")[0] == 200, "pages while connections are full")
    idle[-1].sendall(b"GET /health HTTP/1.1\r\nHost: " + r.name.encode() + b"\r\n\r\n")
    check(b"200" in idle[-1].recv(20), "the last of 200 connections")
    check(b"listJoints" not in clients[1].call("/robot_model/listJoints"), "a client meanwhile")
    for s in idle:
        s.close()
    until("pages again", lambda: r.get("/health")[0] == 200)
    ends_well(r)


def slow_connections_are_dropped():
    r = start()
    begun = time.monotonic()
    lorises = [r.connect() for _ in range(40)]
    for s in lorises:
        s.sendall(b"GET / HTTP/1.1\r\nHost: " + r.name.encode() + b"\r\n")
        s.settimeout(0.01)
    silent = [r.connect() for _ in range(10)]
    ended = 0
    while time.monotonic() < begun + PATIENCE_S and ended < len(lorises):
        ended = 0
        for s in lorises:
            try:
                s.sendall(b"X-a: b\r\n")
                ended += s.recv(1) == b""
            except socket.timeout:
                pass
            except OSError:
                ended += 1
        check(r.get("/health")[0] == 200, "pages meanwhile")
        time.sleep(0.5)
    check(ended == len(lorises), "%d of %d slow requests have ended" % (ended, len(lorises)))
    for s in silent:
        s.settimeout(PATIENCE_S)
        check(s.recv(1) == b"", "a silent connection is still open")
    ends_well(r)


def client_that_does_not_read_is_dropped():
    r = start()
    before = r.rss_kB()
    sleepers = [Client(r).ready() for _ in range(3)]
    for c in sleepers:
        c.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        c.subscribe(*c.channels)
        try:
            for _ in range(3000):  # the answers would take 200 MB
                c.send({"op": "getParameters", "parameterNames": ["/robot_description"] * 4, "id": "x"})
        except OSError:
            pass
    awake = Client(r).ready()
    awake.subscribe("/timer/sync")
    end = time.monotonic() + 2 * PATIENCE_S
    names = lambda: json.loads(r.get("/health")[2])["clients"]
    while names() > 1 and time.monotonic() < end:
        awake.pump(0.2)
    check(names() == 1, "%d clients are there" % names())
    count = len(awake.messages("/timer/sync"))
    awake.wait("more messages", lambda: len(awake.messages("/timer/sync")) > count + 5)
    growth = r.rss_kB() - before
    print("hostile: %d kB more memory" % growth)
    check(growth < 60000, "%d kB more memory" % growth)
    check("does not read" in r.log(), "nothing in the log")
    ends_well(r)


def cycles(client):
    message = json.loads(client.messages("/sinew/timing")[-1])
    return message["activities"][0]["cycles"], message["now_ns"]


def is_stopped(client):
    """The latest StopState; it follows the stamp and an empty frame id."""
    return client.messages("/aggregator/stop")[-1][17] == 1


class Watch:
    """Stops the robot in a loop and measures the time until the stop is seen."""

    def __init__(self, client, counts=None):
        self.client = client
        self.counts = {} if counts is None else counts
        self.delays = []
        self.others = []  # requests of the flood that were served meanwhile
        self.first = cycles(client)

    def stop_once(self):
        c = self.client
        c.wait("a robot that is not stopped", lambda: not is_stopped(c))
        begun, served = time.monotonic(), sum(self.counts.values())
        c.begin_call("/aggregator/emergencyStop", b'{"who":"the test","why":"flood"}')
        c.wait("the stop", lambda: is_stopped(c))
        self.delays.append(time.monotonic() - begun)
        self.others.append(sum(self.counts.values()) - served)
        c.wait("rest", lambda: isinstance(c.call("/aggregator/resume", {"name": "test"}), bytes))
        c.binary = [m for m in c.binary if m[:1] == b"\x01"]
        time.sleep(0.1)

    def middle_ms(self):
        return 1e3 * statistics.median(self.delays)

    def cycles_Hz(self):
        count = len(self.client.messages("/sinew/timing"))
        self.client.wait("the timing", lambda: len(self.client.messages("/sinew/timing")) > count)
        last = cycles(self.client)
        return (last[0] - self.first[0]) / (1e-9 * (last[1] - self.first[1]))


def flood(r, done, counts, kind):
    while not done.is_set():
        try:
            if kind == "connect":
                socket.create_connection((r.host, r.port), 1).close()
            elif kind == "hold":
                s = r.connect()
                s.sendall(b"GET / HT")
                time.sleep(0.05)
                s.close()
            else:
                c = Client(r)
                c.send_frame(1, b"[" * 10000)
                c.close()
            counts[kind] += 1
        except (OSError, Failure):
            counts["refused"] += 1


def robot_stops_in_a_flood():
    r = start(priority=50)  # real-time priority where permitted, as on a robot
    c = Client(r).ready()
    c.subscribe("/aggregator/stop", "/sinew/timing")
    c.wait("the first messages", lambda: c.messages("/sinew/timing") and c.messages("/aggregator/stop"))
    calm = Watch(c)
    for _ in range(10):
        calm.stop_once()
    calm_Hz = calm.cycles_Hz()
    done, counts = threading.Event(), dict.fromkeys(("connect", "hold", "nonsense", "refused"), 0)
    threads = [threading.Thread(target=flood, args=(r, done, counts, kind)) for kind in ("connect", "connect", "hold", "nonsense")]
    for t in threads:
        t.start()
    wild = Watch(c, counts)
    end = time.monotonic() + 300
    while time.monotonic() < end and (counts["connect"] < 10000 or len(wild.delays) < 10):
        wild.stop_once()
    wild_Hz = wild.cycles_Hz()
    done.set()
    for t in threads:
        t.join()
    others = statistics.median(wild.others)
    print("hostile: %s; a stop is seen after %.1f ms, %.1f without the flood, %.1f at most, and %d of the flood; "
          "%.0f cycles a second, %.0f without" % (
              counts, wild.middle_ms(), calm.middle_ms(), 1e3 * max(wild.delays), others, wild_Hz, calm_Hz))
    check(counts["connect"] >= 10000, "the flood was too slow: %s" % counts)
    # A busy machine takes longer without the flood, too.
    check(wild.middle_ms() < max(100.0, 3.0 * calm.middle_ms()),
          "half of the stops take %g ms and more, %g without the flood" % (wild.middle_ms(), calm.middle_ms()))
    check(max(wild.delays) < max(1.0, 10.0 * max(calm.delays)),
          "a stop takes %g s, %g without the flood" % (max(wild.delays), max(calm.delays)))
    check(wild_Hz > 0.2 * calm_Hz, "%g cycles a second in the flood, %g without" % (wild_Hz, calm_Hz))
    check(r.log().count("cockpit") < 300, "the log is flooded")
    until("pages afterwards", lambda: r.get("/health")[0] == 200)
    ends_well(r)


def listen(r, done, number, counts):
    """A well-behaved client that reads everything, sends requests now and then, and reconnects."""
    while not done.is_set():
        c = Client(r).ready()
        c.subscribe(*c.channels)
        c.send({"op": "subscribeParameterUpdates", "parameterNames": []})
        c.send({"op": "advertise", "channels": [{"id": 1, "topic": "/follow/in_joints_ref", "encoding": "json"}]})
        end = time.monotonic() + 3 + number
        while not done.is_set() and time.monotonic() < end and c.pump(0.05):
            if len(c.binary) > 200:
                counts[number] += len(c.binary)
                c.binary, c.json = [], []
                c.send_frame(2, struct.pack("<BI", 1, 1) + b'{"name":[],"position":[]}')
                c.send({"op": "getParameters", "parameterNames": [], "id": "x"})
                c.begin_call("/robot_model/listJoints")
        c.close()


def memory_does_not_grow():
    seconds = float(os.environ.get("SINEW_SECONDS", "16"))
    r = start(options=("--clock", "x100"))
    done, counts = threading.Event(), [0] * 5
    threads = [threading.Thread(target=listen, args=(r, done, i, counts)) for i in range(5)]
    for t in threads:
        t.start()
    time.sleep(seconds / 4)
    sizes = [r.rss_kB()]
    for _ in range(3):
        time.sleep(seconds / 4)
        sizes.append(r.rss_kB())
    done.set()
    for t in threads:
        t.join()
    print("hostile: %s kB after each quarter of %g s at x100, %d messages" % (sizes, seconds, sum(counts)))
    check(sum(counts) > 1000, "%d messages" % sum(counts))
    check(sizes[-1] - sizes[0] < 6000, "memory grows: %s kB" % sizes)
    ends_well(r)


CASES = [idle_connections_make_room, slow_connections_are_dropped, client_that_does_not_read_is_dropped,
         robot_stops_in_a_flood, memory_does_not_grow]


if __name__ == "__main__":
    sys.exit(run_cases(CASES))
