#!/usr/bin/env python3
"""Hostile clients of the cockpit's server: foreign pages and names, paths that lead out, bad
frames.

usage: foxglove.py PROGRAM DEPLOYMENT ROBOT [CASE ...]
"""
import json
import os
import socket
import struct
import sys
import time

from rig import PATIENCE_S, Client, Failure, Robot, check, run_cases

PROGRAM, BASE, ROBOT = (os.path.abspath(a) for a in sys.argv[1:4])
SECRET = b"must not be readable"
TOKEN = "open-sesame-0123456789"


def start(robot=ROBOT, options=(), priority=0, **properties):
    return Robot(PROGRAM, BASE, robot, options, priority, **properties)


def ends_well(robot):
    code = robot.end()
    check(code == 0, "the program ended with %s" % code)


# ---- names ----

def foreign_pages_and_names_are_refused():
    r = start(hosts=["robot.local"], origins=["https://app.foxglove.dev"])
    good = r.name
    for host, expected in ((good, 200), ("localhost:%d" % r.port, 200), ("LOCALHOST:%d" % r.port, 200),
                           ("robot.local:%d" % r.port, 200), ("evil.example:%d" % r.port, 421), ("127.0.0.1", 421),
                           ("127.0.0.1:%d" % (r.port + 1), 421), ("127.0.0.2:%d" % r.port, 421), (good + ".evil.example", 421),
                           ("127.1:%d" % r.port, 421), ("2130706433:%d" % r.port, 421), ("0:%d" % r.port, 421),
                           ("[::1]:%d" % r.port, 421), ("localhost.:%d" % r.port, 421), ("robot.local", 421),
                           ("user@" + good, 421), (good + " ", 421), ("", 421), (":%d" % r.port, 421), ("x" * 400, 421)):
        status = r.get("/", Host=host)[0]
        check(status == expected, "Host '%s' gives %d, expected %d" % (host, status, expected))
    check(r.get("/", Host=None)[0] in (0, 400, 421), "a request without Host")
    origins = ((None, True), ("http://" + good, True), ("HTTP://" + good, True), ("https://app.foxglove.dev", True),
               ("https://" + good, False), ("http://evil.example", False), ("null", False), ("http://127.0.0.1", False),
               ("http://localhost:%d" % r.port, False), ("http://" + good + ".evil.example", False), ("file://", False),
               ("https://app.foxglove.dev.evil.example", False), ("http://" + good + "/", False), ("y" * 400, False))
    for origin, is_welcome in origins:
        c = Client(r, Origin=origin)
        check((c.status == 101) == is_welcome, "Origin '%s' gives %d" % (origin, c.status))
        c.close()
        status = r.get("/", Origin=origin)[0]
        check(status == (200 if is_welcome else 403), "GET with Origin '%s' gives %d" % (origin, status))
    check(Client(r, Host="evil.example:%d" % r.port).status != 101, "a WebSocket with another Host")
    for protocol in ("chat", "http", None, "http, foxglove.websocket.v1"):
        check(Client(r, protocol=protocol, Host="evil.example:%d" % r.port).status == 421, "%s with another Host" % protocol)
        for origin in ("http://evil.example", "null"):
            status = Client(r, protocol=protocol, Origin=origin).status
            check(status == 403, "subprotocol %s from %s gives %d" % (protocol, origin, status))
        status = Client(r, protocol=protocol).status
        check(status not in (101, 200), "subprotocol %s gives %d" % (protocol, status))
    for kind in ("h2c", "chat"):
        status = r.get("/", Upgrade=kind, Connection="Upgrade, HTTP2-Settings", HTTP2_Settings="AAMAAABkAAQAAP__", seconds=2.0)[0]
        check(status not in (101, 200), "an upgrade to %s gives %d" % (kind, status))
    for method, expected in (("POST", 405), ("PUT", 405), ("DELETE", 405), ("OPTIONS", 405), ("HEAD", 200)):
        status, _, body = r.get("/", method, PATIENCE_S if expected == 200 else 1.0)  # otherwise it waits for a body
        check(status in (expected, 0 if expected == 405 else expected), "%s gives %d" % (method, status))
        check(method != "HEAD" or body == b"", "HEAD has a body")
    _, head, _ = r.get("/")
    for wanted in ("content-security-policy: default-src 'self'", "frame-ancestors 'none'", "x-content-type-options: nosniff",
                   "referrer-policy: no-referrer", "cross-origin-opener-policy: same-origin"):
        check(wanted in head, "no header '%s'" % wanted)
    check("unsafe-eval" not in head and "script-src 'self';" in head, "scripts from elsewhere")
    check("refused" in r.log(), "nothing in the log")
    ends_well(r)


# ---- paths ----

def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def paths_do_not_lead_out_of_the_folder():
    r = start()
    good = os.urandom(200000)
    write(os.path.join(r.recordings, "good.mcap"), good)
    write(os.path.join(r.recordings, ".hidden.mcap"), SECRET)
    write(os.path.join(r.recordings, "notes.txt"), SECRET)
    write(os.path.join(r.path, "secret.mcap"), SECRET)
    os.symlink(os.path.join(r.path, "secret.mcap"), os.path.join(r.recordings, "link.mcap"))
    os.symlink("good.mcap", os.path.join(r.recordings, "inner.mcap"))
    os.symlink(r.path, os.path.join(r.recordings, "up"))
    os.mkdir(os.path.join(r.recordings, "folder.mcap"))
    os.mkfifo(os.path.join(r.recordings, "pipe.mcap"))
    status, head, body = r.get("/recordings/good.mcap")
    check(status == 200 and body == good and "attachment" in head, "a good recording: %d" % status)
    listing = r.get("/recordings/")[2]
    names = [x["name"] for x in json.loads(listing)]
    check(names == ["good.mcap"], "the list of recordings is %s" % names)
    facts = r.get("/recordings/facts/good.mcap")[2]
    check(b"not an MCAP file" in facts, "facts of a damaged recording: %s" % facts)
    targets = [folder + x for folder in ("/recordings/", "/recordings/facts/") for x in (
        "link.mcap", "folder.mcap", "pipe.mcap", ".hidden.mcap", "notes.txt", "../secret.mcap", "..%2fsecret.mcap",
        "%2e%2e/secret.mcap", "%2e%2e%2fsecret.mcap", "%252e%252e%252fsecret.mcap", "..%5csecret.mcap", "..\\secret.mcap",
        "up/secret.mcap", "./../secret.mcap", "good.mcap/../../secret.mcap", "good.mcap%00", "notes.txt%00.mcap",
        "notes.txt%00good.mcap", "%00", "..%c0%afsecret.mcap", "..;/secret.mcap", "%", "%2", "%zz", "good.mcap%0d%0aX:%20y",
        "x" * 3000 + ".mcap", "../recordings/../secret.mcap")]
    targets += ["/../etc/passwd", "/..%2f..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/etc/passwd",
                "/mesh/0/../../etc/passwd", "/mesh/../../../etc/passwd", "/mesh/-1/x", "/mesh/99999999999999999999/x", "/mesh/0",
                "/mesh//", "/mesh/0/", "/mesh/0/x%00", "/mesh/%30/..", "/robot.urdf/..%2f..%2fetc/passwd", "/proc/self/environ",
                "http://evil.example/etc/passwd", "file:///etc/passwd", "etc/passwd", "*", "/index.html%00", "/\xff\xfe", "?", "/?/../x"]
    for target in targets:
        status, head, body = r.get(target)
        check(SECRET not in body and b"root:" not in body, "'%s' leads out" % target)
        check("x: y" not in head, "'%s' writes a header" % target)
        # These lead to the page itself. A NUL ends a path.
        check(status in (0, 400, 403, 404, 405, 414, 431) or b"<html" in body or body in (good, listing, facts),
              "'%s' gives %d" % (target, status))
    check(r.get("/recordings/inner.mcap")[2] in (good, b"404: not found\n"), "a link inside")
    check(r.get("/recordings/good.mcap")[2] == good, "a good recording afterwards")
    ends_well(r)


URDF = """<?xml version="1.0"?>
<!-- <mesh filename="commented.stl"/> -->
<robot name="r"><material name="m"><texture filename="package://pkg/meshes/skin.png"/></material>
<link name="base"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
%s</link><link name="tip"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>
"""


def only_what_the_robot_names_is_served(folder):
    workspace = os.path.join(folder, "ws")
    for path in ("ws/pkg/urdf", "ws/pkg/meshes", "ws/other", "ws/pkg/urdf/near"):
        os.makedirs(os.path.join(folder, path))
    write(os.path.join(workspace, "pkg/package.xml"), b"<package/>")
    good = {"package://pkg/meshes/a%20b.stl": "pkg/meshes/a%20b.stl", "../meshes/up.obj": "pkg/meshes/up.obj",
            "near/n.dae": "pkg/urdf/near/n.dae", "package://other/o.stl": "other/o.stl",
            "file://" + workspace + "/pkg/urdf/abs.STL": "pkg/urdf/abs.STL", "package://pkg/meshes/skin.png": "pkg/meshes/skin.png"}
    for uri, path in good.items():
        write(os.path.join(workspace, path), uri.encode())
    for path in ("secret.stl", "ws/secret.stl", "ws/pkg/meshes/x.txt", "ws/pkg/meshes/unnamed.stl"):
        write(os.path.join(folder, path), SECRET)
    os.symlink(os.path.join(folder, "secret.stl"), os.path.join(workspace, "pkg/meshes/link.stl"))
    os.symlink(folder, os.path.join(workspace, "pkg/meshes/up"))
    bad = ["package://pkg/../secret.stl", "package://pkg/../../secret.stl", "../../secret.stl", "../../../secret.stl",
           os.path.join(folder, "secret.stl"), "file://" + os.path.join(folder, "secret.stl"), "package://pkg/meshes/link.stl",
           "package://pkg/meshes/up/secret.stl", "package://pkg/meshes/x.txt", "package://etc/passwd", "package://../secret.stl",
           "package:///secret.stl", "http://evil.example/x.stl", "package://pkg/meshes/none.stl", "/etc/passwd", "", "."]
    mesh = '<visual><geometry><mesh scale="1 1 1" filename="%s"/></geometry></visual>\n'
    robot = os.path.join(workspace, "pkg/urdf/r.urdf")
    write(robot, (URDF % "".join(mesh % uri for uri in [*bad, *good][:-1])).encode())
    return robot, good, bad


def only_meshes_of_the_robot_are_served():
    import re
    import tempfile
    with tempfile.TemporaryDirectory(prefix="sinew-mesh-") as folder:
        robot, good, bad = only_what_the_robot_names_is_served(os.path.realpath(folder))
        r = start(robot)
        status, _, page = r.get("/robot.urdf")
        check(status == 200, "the robot: %d" % status)
        served = [x for x in re.findall(r'filename="([^"]*)"', page.decode()) if x != "commented.stl"]
        check(len(served) == len(good) + len(bad), "%d names of files" % len(served))
        check(page.count(b'filename="/mesh/') == len(served), "served as %s" % served)
        found = set()
        refused = 0
        for path in served:
            status, head, body = r.get(path)
            if status == 404:  # the body says where it was searched
                check(SECRET not in body and len(body) > 20, "%s says %s" % (path, body))
                refused += 1
                continue
            check(status == 200 and body.decode() in good, "%s gives %d" % (path, status))
            check("content-type: model/" in head or "content-type: image/" in head, "type of %s" % path)
            found.add(body.decode())
        check(refused == len(bad), "%d of %d refused" % (refused, len(bad)))
        check(found == set(good), "missing: %s" % (set(good) - found))
        for path in ("/mesh/0/unnamed.stl", "/mesh/1/secret.stl", "/mesh/meshes/unnamed.stl", "/mesh/30/passwd"):
            check(r.get(path)[0] == 404, path)
        c = Client(r).ready()
        for i, uri in enumerate([*good, *bad]):
            c.send({"op": "fetchAsset", "uri": uri, "requestId": i})
            answer = c.wait("asset " + uri, lambda: [m for m in c.binary if m[0] == 4 and struct.unpack_from("<I", m, 1)[0] == i])[0]
            check((answer[5] == 0) == (uri in good), "asset %s" % uri)
            check(answer[5] != 0 or answer[10:] == uri.encode(), "bytes of asset %s" % uri)
        # The check is repeated whenever the file is opened.
        target = os.path.join(os.path.dirname(robot), "near/n.dae")
        os.remove(target)
        os.symlink("/etc/passwd", target)
        path = [x for x in served if x.endswith("n.dae")][0]
        check(r.get(path)[0] == 404, "a file that became a link")
        ends_well(r)


# ---- frames ----

def bad_frames_close_their_connection_only():
    r = start()
    watcher = Client(r).ready()
    cases = {
        "reserved opcode": lambda c: c.send_frame(3, b"x"),
        "reserved control": lambda c: c.send_frame(11, b"x"),
        "reserved bits": lambda c: c.send_frame(1, b"{}", rsv=4),
        "1 GB": lambda c: c.send_frame(1, b"{" * 1000, length=1 << 30),
        "1 GB binary": lambda c: c.send_frame(2, b"\x01" * 1000, length=1 << 30),
        "2^63": lambda c: c.send_frame(2, b"x", length=1 << 63),
        "all ones": lambda c: c.send_frame(2, b"x", length=(1 << 64) - 1),
        "long ping": lambda c: c.send_frame(9, b"x" * 200),
        "ping in parts": lambda c: c.send_frame(9, b"x", fin=False),
        "no beginning": lambda c: c.send_frame(0, b"x"),
        "no UTF-8": lambda c: c.send_frame(1, b"\xff\xfe\xc0\x80"),
        "1 MB and a byte": lambda c: c.send_frame(2, b"x" * ((1 << 20) + 1)),
    }
    for name, send in cases.items():
        c = Client(r).ready()
        try:
            send(c)
        except OSError:
            pass  # closed while sending
        check(c.is_ended(), "%s: the connection is still there" % name)
        c.close()
    c = Client(r).ready()
    try:  # many fragments, too long together
        c.send_frame(2, b"x" * 60000, fin=False)
        for _ in range(40):
            c.send_frame(0, b"x" * 60000, fin=False)
    except OSError:
        pass
    check(c.is_ended(), "too long in parts: the connection is still there")
    # Well-formed nonsense is answered, and the connection stays open.
    c = Client(r).ready()
    for bad in (b"", b"{", b"null", b"[]", b"{}", b'{"op":1}', b'{"op":"fly"}', b'{"op":"subscribe"}', b"[" * 100000,
                b'{"op":"subscribe","subscriptions":[{"id":-1,"channelId":1}]}', b'{"op":"subscribe","subscriptions":[1,"x",null]}',
                b'{"op":"subscribe","subscriptions":[{"id":1,"channelId":99999}]}', b'{"op":"unsubscribe","subscriptionIds":[77]}',
                b'{"op":"getParameters","parameterNames":[1]}', b'{"op":"setParameters","parameters":[{"name":"x.y"}]}',
                b'{"op":"advertise","channels":[{"id":1,"topic":"/x","encoding":"json"}]}', b'{"op":"op","op":"op"}'):
        before = len(c.statuses())
        c.send_frame(1, bad)
        c.wait("an answer to %r" % bad[:60], lambda: len(c.statuses()) > before)
        time.sleep(0.06)  # at most 20 warnings a second are sent
    for bad in (b"", b"\x00", b"\x01", b"\x01\x00\x00\x00\x00", b"\x02", b"\x02" + b"\xff" * 12, b"\x09abc",
                struct.pack("<BIII", 2, 1, 1, 0xffffffff), struct.pack("<BIII", 2, 99999, 5, 4) + b"json{}"):
        c.send_frame(2, bad)
    call = c.begin_call("/robot_model/listJoints", b"{nonsense")
    c.wait("a failure", lambda: isinstance(c.answer(call), str))
    call = c.begin_call("/robot_model/listJoints", b'{}, "name": "aggregator.stop"')
    c.wait("a failure", lambda: isinstance(c.answer(call), str))
    check(b"names" in c.call("/robot_model/listJoints"), "the connection works")
    for _ in range(200):
        c.begin_call("/robot_model/listJoints")
    last = c.begin_call("/robot_model/listJoints")
    c.wait("the last of many", lambda: c.answer(last))
    check(watcher.pump(0) and watcher.closed is None, "another client is affected")
    ends_well(r)


# ---- the token ----

def own_address():
    """An address of this machine beyond loopback, or None."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.connect(("203.0.113.1", 9))  # sends nothing
            address = s.getsockname()[0]
        except OSError:
            return None
    return None if address.startswith("127.") else address


def other_machines_need_the_token():
    try:
        start(address="0.0.0.0").end()
        raise Failure("0.0.0.0 without a token begins")
    except Failure as failure:
        check("token_file" in str(failure), str(failure))
    address = own_address()
    if address is None:
        print("hostile: no address but loopback, the token is not tested")
        return
    import tempfile
    with tempfile.NamedTemporaryFile("w") as f:
        f.write(TOKEN + "\n")
        f.flush()
        r = start(address="0.0.0.0", token_file=f.name)
        c = Client(r, address).ready()
        check(c.info["metadata"]["may_change"] == "false", "may change without a token")
        for name, request in (("/follow/rosSetOperational", {"data": True}), ("/aggregator/resume", {"name": "x"}), ("/hold/stop", {})):
            check("token" in str(c.call(name, request)), "%s without the token" % name)
        check(b"leg1_joint1" in c.call("/robot_model/getChainJoints", {"name": "leg1"}), "a question without the token")
        c.send({"op": "setParameters", "parameters": [{"name": "aggregator.reference_timeout", "value": 1}], "id": "s"})
        c.wait("a refusal to set", lambda: any("token" in s for s in c.statuses()))
        c.send({"op": "advertise", "channels": [{"id": 1, "topic": "/follow/in_joints_ref", "encoding": "json"}]})
        c.wait("a refusal to publish", lambda: sum("token" in s for s in c.statuses()) == 2)
        c.send({"op": "getParameters", "parameterNames": [], "id": "g"})
        values = c.wait("parameters", lambda: [m for m in c.json if m["op"] == "parameterValues"])[0]
        check(TOKEN not in json.dumps(values), "the token is a parameter")
        check(c.call("/aggregator/emergencyStop", {"who": "a stranger", "why": "fire"}) == b"{}", "a stop without the token")
        for wrong in ("", TOKEN[:-1], TOKEN + "x"):
            check("not the token" in c.call("/sinew/authorize", {"token": wrong}), "'%s' is taken" % wrong)
        check(c.is_ended(), "after three wrong tokens")
        c = Client(r, address).ready()
        check(b"true" in c.call("/sinew/authorize", {"token": TOKEN}), "the token is not taken")
        check(isinstance(c.call("/follow/rosSetOperational", {"data": True}), bytes), "a call with the token")
        by_header = Client(r, address, Authorization="Bearer " + TOKEN).ready()
        check(by_header.info["metadata"]["may_change"] == "true", "the token by a header")
        check(Client(r, address, Authorization="Bearer " + TOKEN + "x").ready().info["metadata"]["may_change"] == "false", "a wrong header")
        local = Client(r, "127.0.0.1").ready()
        check(local.info["metadata"]["may_change"] == "true", "a loopback client")
        check(TOKEN not in r.log(), "the token is in the log")
        ends_well(r)


def port_in_use_is_reported():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        port = s.getsockname()[1]
        try:
            start(port=port).end()
            raise Failure("it starts on a port in use")
        except Failure as failure:
            check("port %d of 127.0.0.1 is taken" % port in str(failure), str(failure))
    a, b = start(port=-1), start(port=-1)
    check(a.port != b.port and 8080 <= a.port <= 8099 and 8080 <= b.port <= 8099, "ports %d and %d" % (a.port, b.port))
    ends_well(a)
    ends_well(b)
    try:
        start(address="example.org").end()
        raise Failure("it listens on a host name")
    except Failure as failure:
        check("'example.org' is not an address" in str(failure), str(failure))


CASES = [foreign_pages_and_names_are_refused, paths_do_not_lead_out_of_the_folder, only_meshes_of_the_robot_are_served,
         bad_frames_close_their_connection_only, other_machines_need_the_token, port_in_use_is_reported]


if __name__ == "__main__":
    sys.exit(run_cases(CASES))
