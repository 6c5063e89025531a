#!/usr/bin/env python3
"""Invalid and misleading data is rejected and counted; the demo quadruped is not affected, and a subscriber
loses nothing.

usage: ros1_hostile.py PROGRAM [--own-network]
"""
import os
import random
import socket
import struct
import threading
import time
import xmlrpc.client
from xmlrpc.server import SimpleXMLRPCServer

from ros1_ear import Ear
from ros1_graph import Failure, check, run, wait_for

import rospy
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool

HERE = os.path.dirname(os.path.abspath(__file__))
FOLLOW = "/follow/in_joints_ref"
SERVICE = "/follow/rosSetOperational"
SETBOOL_MD5 = SetBool._md5sum


def header(*fields):
    body = b"".join(struct.pack("<I", len(f)) + f for f in (t.encode() for t in fields))
    return struct.pack("<I", len(body)) + body


def topic_header(md5="*", topic="/joint_states"):
    return header("callerid=/bad", "topic=" + topic, "md5sum=" + md5, "type=*")


def service_header(*more):
    return header("callerid=/bad", "service=" + SERVICE, "md5sum=" + SETBOOL_MD5, *more)


def post(body, *fields):
    return ("\r\n".join(("POST / HTTP/1.1", "Content-Length: %d" % len(body)) + fields) +
            "\r\n\r\n").encode() + body


def connect(port):
    s = socket.create_connection(("127.0.0.1", port))
    s.settimeout(30)
    return s


def is_closed(s):
    """Waits until the peer closes, and discards its output."""
    try:
        while s.recv(65536):
            pass
    except ConnectionError:
        pass
    return True


def counted(graph, name, before, what):
    wait_for(lambda: graph.state()[name] > before, what + " is counted")
    check(True, "rejected: " + what)


# ---- one function per chapter ----

def bad_bytes(graph):
    """Each of these is closed immediately and counted."""
    xml_port, port = graph.ports()
    deep = b"<methodCall><methodName>getPid</methodName><params><param>" + b"<value><array><data>" * 5000
    bomb = b"<!DOCTYPE a [<!ENTITY b 'c'>]><methodCall/>"
    cases = [
        ("a wrong MD5", port, topic_header("0" * 32)),
        ("another topic", port, topic_header(topic="/nothing")),
        ("a header without a topic", port, header("callerid=/bad", "md5sum=*")),
        ("a giant length", port, b"\xff\xff\xff\xff" + topic_header()[4:]),
        ("a header of 0 bytes", port, struct.pack("<I", 0)),
        ("a field longer than its header", port, struct.pack("<II", 8, 1 << 30) + b"a=bc"),
        ("a thousand fields", port, header(*["a=b"] * 1000)),
        ("random bytes", port, random.Random(1).randbytes(4096)),
        ("a service's wrong MD5", port, header("service=" + SERVICE, "md5sum=" + "0" * 32)),
        ("another service", port, header("service=/nothing", "md5sum=*")),
        ("a giant request", port, service_header("persistent=1") + b"\xff\xff\xff\x7f"),
        ("garbage for XML-RPC", xml_port, post(b"<garbage>")),
        ("a GET", xml_port, b"GET / HTTP/1.1\r\n\r\n"),
        ("a giant Content-Length", xml_port, b"POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n"),
        ("a negative Content-Length", xml_port, b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"),
        ("chunks", xml_port, b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n"),
        ("a head without end", xml_port, b"POST / HTTP/1.1\r\n" + b"X: y\r\n" * 20000),
        ("arrays in arrays", xml_port, post(deep)),
        ("an entity bomb", xml_port, post(bomb)),
    ]
    for what, where, data in cases:
        before = graph.state()["refused"]
        with connect(where) as s:
            try:
                s.sendall(data)
            except ConnectionError:  # it need not hear all of it
                pass
            is_closed(s)
        counted(graph, "refused", before, what)


def cut_short(graph):
    """Peers that disconnect in the middle of a message."""
    xml_port, port = graph.ports()
    call = post(xmlrpc.client.dumps(("/bad",), "getPid").encode())
    request = service_header() + struct.pack("<I", 1) + b"\0"
    for where, data in ((port, topic_header()), (xml_port, call), (port, request)):
        for size in range(0, len(data), 7):
            with connect(where) as s:
                s.sendall(data[:size])
                if size % 2:  # by a reset
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    check(True, "headers, calls and requests, truncated at any length")


def bad_requests(graph):
    """An invalid SetBool request gets a reason and is counted; the next one is served."""
    _, port = graph.ports()
    with connect(port) as s:
        s.sendall(service_header("persistent=1"))
        stream = s.makefile("rb")
        stream.read(struct.unpack("<I", stream.read(4))[0])
        for body, is_good in ((b"", False), (b"\1\2\3", False), (b"\0", True)):
            before = graph.state()["refused_messages"]
            s.sendall(struct.pack("<I", len(body)) + body)
            done = stream.read(1)
            reason = stream.read(struct.unpack("<I", stream.read(4))[0])
            check(done == (b"\1" if is_good else b"\0"), "a request of %d bytes: %r" %
                  (len(body), reason))
            if not is_good:
                counted(graph, "refused_messages", before, "the request")


class FakePublisher:
    """A node that registers as a publisher and sends arbitrary bytes to subscribers."""

    def __init__(self, graph, name, says):
        self.graph, self.name, self.says = graph, name, says
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.server = SimpleXMLRPCServer(("127.0.0.1", 0), logRequests=False)
        self.server.register_function(self.where, "requestTopic")
        self.server.register_function(lambda *_: [1, "", 0], "publisherUpdate")
        for work in (self.server.serve_forever, self.serve):
            threading.Thread(target=work, daemon=True).start()
        self.api = "http://127.0.0.1:%d/" % self.server.server_address[1]
        graph.master().registerPublisher(name, FOLLOW, "sensor_msgs/JointState", self.api)

    def where(self, *_):
        return [1, "", ["TCPROS", "127.0.0.1", self.listener.getsockname()[1]]]

    def serve(self):
        while True:
            try:
                s, _ = self.listener.accept()
                with s:
                    s.recv(65536)
                    s.sendall(self.says)
                    is_closed(s)
            except OSError:
                return

    def close(self):
        self.graph.master().unregisterPublisher(self.name, FOLLOW, self.api)
        self.server.shutdown()
        self.server.server_close()
        self.listener.close()


def bad_publishers(graph):
    """The node connects to invalid publishers; their data is rejected, and a valid publisher still works."""
    good = header("callerid=/bad", "md5sum=" + JointState._md5sum, "type=sensor_msgs/JointState")

    def message(position):
        names = struct.pack("<I", 1) + struct.pack("<I", 11) + b"head_joint1"
        empty = struct.pack("<II", 0, 0)
        body = struct.pack("<IIII", 0, 0, 0, 0) + names + struct.pack("<Id", 1, position) + empty
        return struct.pack("<I", len(body)) + body

    lie = bytearray(message(0.1))
    struct.pack_into("<I", lie, 20, 1 << 30)  # number of names
    cases = [
        ("another MD5", "refused", header("callerid=/bad", "md5sum=" + "0" * 32)),
        ("a giant header", "refused", b"\xff" * 8),
        ("a giant message", "refused", good + b"\xff\xff\xff\xff"),
        ("a message with a wrong count of names", "refused_messages", good + bytes(lie)),
        ("a message that is too short", "refused_messages", good + struct.pack("<I", 3) + b"abc"),
        ("NaN", "refused_messages", good + message(float("nan"))),
    ]
    for what, counter, says in cases:
        before = graph.state()[counter]
        publisher = FakePublisher(graph, "/bad_publisher", says)
        counted(graph, counter, before, "a publisher that sends " + what)
        publisher.close()
    node = graph.node()
    nowhere = ["no address", "http://", "http://127.0.0.1:1/", "http://missing.invalid:1/"]
    nowhere += ["http://127.0.0.1:%d/" % port for port in range(2, 2000)]
    node.publisherUpdate("/bad", FOLLOW, nowhere)
    time.sleep(1.0)  # it tries them
    node.publisherUpdate("/bad", FOLLOW, [])
    before = graph.state()["received"]
    speaker = rospy.Publisher(FOLLOW, JointState, queue_size=10)

    def is_heard():
        speaker.publish(JointState(name=["head_joint1"], position=[0.1]))
        return graph.state()["received"] > before

    wait_for(is_heard, "a valid publisher works after invalid ones")
    check(True, "a valid publisher works after 2000 missing ones")
    speaker.unregister()


class SlowCrowd:
    """Connections that send a byte now and then and never finish."""

    def __init__(self, graph, count):
        xml_port, port = graph.ports()
        self.sockets = []
        for i in range(count):
            where, data = ((port, topic_header()), (xml_port, post(b" " * 100)),
                           (port, service_header() + struct.pack("<I", 1)))[i % 3]
            s = connect(where)
            s.sendall(data[:-100] if i % 3 == 1 else data if i % 3 == 2 else data[:5])
            self.sockets.append((s, data[5:] if i % 3 == 0 else b" " * 90 if i % 3 == 1 else b""))
        self.is_over = threading.Event()
        threading.Thread(target=self.dribble, daemon=True).start()

    def dribble(self):
        at = 0
        while not self.is_over.wait(0.5):
            for s, rest in self.sockets:
                try:
                    s.sendall(rest[at:at + 1])
                except OSError:
                    pass
            at += 1

    def are_closed(self):
        """The node does not wait for them."""
        self.is_over.set()
        return all(is_closed(s) for s, _ in self.sockets)


def crowd(graph):
    """More idle connections than slots: active peers can still connect."""
    _, port = graph.ports()
    before = graph.state()["refused"]
    silent = [connect(port) for _ in range(600)]
    counted(graph, "refused", before, "connections beyond the number of slots")
    check(rospy.ServiceProxy(SERVICE, SetBool)(False).success, "a service call gets through")
    ear = Ear("/kinematics_fwd/limbs", rospy.AnyMsg)
    ear.wait("a new subscriber is served")
    ear.close()
    check(graph.state()["connected"], "a new subscriber is served, the master is not lost")
    for s in silent:
        s.close()


def deaf_subscriber(graph):
    """One that never reads."""
    _, port = graph.ports()
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    s.connect(("127.0.0.1", port))
    s.sendall(topic_header(topic="/tf"))
    return s


def hostile(graph):
    rospy.init_node("witness", disable_signals=True)
    sinew = next(c for c in graph.children if c.name == "sinew")
    witness = Ear("/joint_states", JointState)
    witness.wait("joint states")
    before = graph.state()
    slow, deaf = SlowCrowd(graph, 30), deaf_subscriber(graph)
    for chapter in (bad_bytes, cut_short, bad_requests, bad_publishers):
        chapter(graph)
    check(slow.are_closed(), "slow connections are closed")
    wait_for(lambda: graph.state()["timed_out"] >= before["timed_out"] + 30, "each of them is counted")
    check(True, "each of them is counted")
    wait_for(lambda: graph.state()["dropped"] > before["dropped"], "messages lost by a subscriber that never reads are counted")
    check(True, "messages lost by a subscriber that never reads are counted")
    deaf.close()
    crowd(graph)
    if sinew.poll() is not None:
        raise Failure("sinew has ended")
    witness.wait("joint states after all that")
    check(witness.gaps == 0, "no message was lost meanwhile (%d received)" % witness.count)
    witness.close()


if __name__ == "__main__":
    run([hostile], HERE)
