#!/usr/bin/env python3
"""Access control: the operator at the limit of clients, other users of the machine, guessers of tokens, and TLS.

usage: access.py PROGRAM DEPLOYMENT ROBOT [CASE ...]
"""
import json
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

from rig import PATIENCE_S, Client, Failure, Robot, as_user, check, run_cases, until

PROGRAM, BASE, ROBOT = (os.path.abspath(a) for a in sys.argv[1:4])
TOKEN = "open-sesame-0123456789"
STRANGER = 65534


def start(**properties):
    return Robot(PROGRAM, BASE, ROBOT, **properties)


def ends_well(robot):
    code = robot.end()
    check(code == 0, "the program ended with %s" % code)


def token_file():
    f = tempfile.NamedTemporaryFile("w")
    f.write(TOKEN + "\n")
    f.flush()
    return f


def may_change(client):
    return client.info["metadata"]["may_change"] == "true"


def is_stop_only(client):
    return client.info["metadata"].get("stop_only") == "true"


def stop(client):
    return client.call("/aggregator/emergencyStop", {"who": "the operator", "why": "fire"}) == b"{}"


# ---- limits ----

class Busy:
    """A client that sends requests all the time."""

    def __init__(self, r, ask):
        self.client, self.ask, self.done = Client(r).ready(), ask, threading.Event()
        self.failure = None
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        try:
            while not self.done.is_set():
                self.ask(self.client)
                self.client.pump(0.05)
        except Exception as failure:
            self.failure = failure

    def end(self):
        self.done.set()
        self.thread.join()
        check(self.failure is None and self.client.closed is None, "a busy client was dropped: %s" % self.failure)


def ask_joints(client):
    client.call("/robot_model/listJoints")


def publish(client):
    """A source of references, silent for longer than other clients may be."""
    if not getattr(client, "has_advertised", False):
        client.send({"op": "advertise", "channels": [{"id": 7, "topic": "/follow/in_joints_ref", "encoding": "json"}]})
        client.send_frame(2, b"\x01" + (7).to_bytes(4, "little") + b'{"name":["leg1_joint1"],"position":[0.1]}')
        client.has_advertised = True
    client.pump(0.5)


def operator_gets_in_among_idle_clients():
    r = start()
    busy, source = Busy(r, ask_joints), Busy(r, publish)
    idle = [Client(r).ready() for _ in range(30)]
    # At once, before any client has been silent for long.
    operators = [Client(r).ready() for _ in range(2)]
    check(all(stop(o) for o in operators), "the stop with all 32 slots in use")
    first = operators[0] if is_stop_only(operators[0]) else None
    if first is not None:  # on a slow machine the first clients have been silent long enough already
        check("can only stop" in first.call("/robot_model/listJoints"), "the reserve does more than stop")
        first.send({"op": "getParameters", "parameterNames": ["follow.activation_delay"], "id": "a"})
        first.wait("a refusal", lambda: any("can only stop" in s for s in first.statuses()))
    time.sleep(1.5)
    # Now idle clients are dropped, the oldest first, and new ones are admitted in full.
    late = Client(r).ready()
    check(not is_stop_only(late), "an idle client keeps its slot")
    check(b"leg1_joint1" in late.call("/robot_model/listJoints"), "a question")
    until("an idle client is gone", lambda: any(c.is_ended(0.02) for c in idle))
    check(idle[0].is_ended(5), "the oldest one is still there")
    check(not idle[-1].is_ended(0.02), "the youngest one is gone")
    later = [Client(r).ready() for _ in range(31)]  # more than the idle clients
    check(later[-1].status == 101, "the last one")
    busy.end()
    source.end()
    ends_well(r)


def operator_gets_in_among_busy_clients():
    r = start(clients_max=3)
    busy = [Busy(r, ask_joints) for _ in range(3)]
    time.sleep(1.5)
    operator = Client(r).ready()
    check(is_stop_only(operator), "a busy client lost its slot")
    check(stop(operator), "the stop")
    check(operator.is_ended(PATIENCE_S), "a stop-only client is kept for ever")
    # The number of stop-only clients is bounded.
    reserve = [Client(r) for _ in range(12)]
    check([c.status for c in reserve].count(503) == 4, "%s" % [c.status for c in reserve])
    for b in busy:
        b.end()
    ends_well(r)


def operator_stops_through_a_full_control_socket():
    r = start()
    path = os.path.join(r.path, "s")

    def connect():
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(PATIENCE_S)
        s.connect(path)
        return s
    busy = connect()
    idle = [connect() for _ in range(95)]
    for _ in range(3):  # at once, and after the first clients have been silent for a while
        busy.sendall(b'{"id":1,"verb":"get","name":"follow.activation_delay"}\n')
        check(b'"ok":true' in busy.recv(4096), "a busy client")
        out = subprocess.run([PROGRAM, "stop", "--socket", path], capture_output=True, text=True)
        check(out.returncode == 0 and "stopped" in out.stdout, "sinew stop: %d %s%s" % (out.returncode, out.stdout, out.stderr))
        time.sleep(0.8)
    for s in idle:
        s.close()
    ends_well(r)


def one_machine_cannot_keep_others_out():
    """Busy clients of one party, and a new client of another; local users are parties, too."""
    if os.geteuid() != 0:
        print("hostile: skipped, needs root for a second user")
        return
    r = start(clients_max=3)
    ready, go = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.setuid(STRANGER)
        strangers = [Client(r).ready() for _ in range(3)]
        os.write(ready[1], b"x")
        while True:
            for c in strangers:
                try:
                    c.send({"op": "getParameters", "parameterNames": ["follow.activation_delay"], "id": "x"})
                    c.pump(0.02)
                except OSError:
                    pass
    os.read(ready[0], 1)
    try:
        time.sleep(1.5)
        operator = Client(r).ready()
        check(not is_stop_only(operator) and may_change(operator), "three busy clients of another user lock the operator out")
        check(stop(operator), "the stop")
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
    ends_well(r)


# ---- users ----

def other_users_need_the_token():
    if os.geteuid() != 0:
        print("hostile: skipped, needs root for a second user")
        return
    for address in ("127.0.0.1", "::1"):
        with token_file() as f:
            r = start(address=address, token_file=f.name)
            name = "[::1]" if address == "::1" else address
            r.host = name
            own = Client(r, address, Host="%s:%d" % (name, r.port)).ready()
            check(may_change(own), "one's own client at %s" % address)
            r.host = address
            seen = as_user(STRANGER, visit_at, r, name, None)
            check(not seen["may_change"] and not seen["called"] and seen["stopped"], "a stranger at %s: %s" % (address, seen))
            check(any("token" in s for s in seen["statuses"]), "a stranger sets: %s" % seen)
            seen = as_user(STRANGER, visit_at, r, name, TOKEN)
            check(seen["called"], "a stranger with the token at %s: %s" % (address, seen))
            ends_well(r)


def visit_at(r, name, token):
    c = Client(r, r.host, Host="%s:%d" % (name, r.port)).ready()
    before = may_change(c)
    if token is not None:
        c.call("/sinew/authorize", {"token": token})
    called = c.call("/follow/rosSetOperational", {"data": True})
    c.send({"op": "setParameters", "parameters": [{"name": "recorder.folder", "value": "/etc"}], "id": "s"})
    c.wait("an answer", lambda: c.statuses())
    return {"may_change": before, "called": isinstance(called, bytes), "stopped": stop(c), "statuses": c.statuses()}


def closed_peer_has_no_rights():
    """Another user sends everything and closes at once; the kernel reports such a socket as root's."""
    if os.geteuid() != 0:
        print("hostile: skipped, needs root for a second user")
        return
    r = start()
    watch = Client(r).ready()
    before = watch.call("/hold/stop", {})
    check(isinstance(before, bytes), str(before))
    watch.call("/hold/start", {})

    def hit():
        for _ in range(300):
            s = r.connect()
            key = "GET / HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" \
                  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: foxglove.websocket.v1\r\n\r\n" % r.name
            call = b"\x02" + watch.services["/hold/stop"].to_bytes(4, "little") + b"\x01\0\0\0\x04\0\0\0json{}"
            s.sendall(key.encode() + bytes([0x82, 0x80 | len(call)]) + bytes(4) + call)
            s.close()
        return True
    as_user(STRANGER, hit)
    watch.send({"op": "subscribe", "subscriptions": [{"id": 1, "channelId": watch.channels["/sinew/components"]}]})
    state = lambda: {c["name"]: c["state"] for m in watch.binary if m[:5] == b"\x01\x01\0\0\0" for c in json.loads(m[13:])["components"]}
    watch.wait("the components", state)
    check(state()["hold"] == "running", "a closed peer has stopped a component")
    ends_well(r)


# ---- the network ----

def paths_are_not_set_over_the_network():
    r = start()
    c = Client(r).ready()
    for name in ("recorder.folder", "cockpit.token_file", "cockpit.recordings", "cockpit.certificate", "cockpit.key"):
        c.json = [m for m in c.json if m["op"] != "status"]
        c.send({"op": "setParameters", "parameters": [{"name": name, "value": "/tmp"}], "id": "s"})
        c.wait("a refusal of " + name, lambda: any("network" in s and name in s for s in c.statuses()))
    # The control socket may: its client is the same user.
    control = os.path.join(r.path, "s")
    subprocess.run([PROGRAM, "call", "recorder.stop", "--socket", control], check=True, capture_output=True)
    out = subprocess.run([PROGRAM, "set", "recorder.folder", r.path, "--socket", control], capture_output=True, text=True)
    check(out.returncode == 0, "by the control socket: " + out.stderr)
    ends_well(r)


# ---- guessing ----

def guess(r, count, by_header):
    """@return the responses"""
    answers = []
    for _ in range(count):
        if by_header:
            answers.append(str(may_change(Client(r, Authorization="Bearer " + TOKEN[:-1] + "x").ready())))
        else:
            c = Client(r).ready()
            answers.append(str(c.call("/sinew/authorize", {"token": TOKEN[:-1] + "x"})))
            c.close()
    right = Client(r).ready()
    answers.append(str(right.call("/sinew/authorize", {"token": TOKEN})))
    return answers


def guessing_throttles_only_the_guesser():
    if os.geteuid() != 0:
        print("hostile: skipped, needs root for a second user")
        return
    for by_header in (False, True):
        with token_file() as f:
            r = start(token_file=f.name)
            answers = as_user(STRANGER, guess, r, 15, by_header)
            check("too many wrong tokens" in answers[-1], "header %s: the right one after 15 wrong ones: %s" % (by_header, answers))
            # Another user is not affected.
            other = as_user(STRANGER - 1, guess, r, 0, False)
            check("may_change" in other[0], "another user is affected: %s" % other)
            check(TOKEN not in r.log() and TOKEN[:-1] not in r.log(), "a token is in the log")
            ends_well(r)


# ---- TLS ----

def make_certificate(folder, name):
    certificate, key = (os.path.join(folder, name + end) for end in (".crt", ".key"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=robot.local", "-addext", "subjectAltName=DNS:robot.local,IP:127.0.0.1",
                    "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return certificate, key


def everything_works_over_tls():
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = make_certificate(folder, "robot")
        r = start(certificate=certificate, key=key)
        check(r.tls, "the address does not begin with https")
        # A client that trusts this certificate only.
        context = ssl.create_default_context(cafile=certificate)
        with socket.create_connection(("127.0.0.1", r.port), PATIENCE_S) as s:
            with context.wrap_socket(s, server_hostname="127.0.0.1") as tls:
                check(tls.version() in ("TLSv1.2", "TLSv1.3"), tls.version())
        context.set_alpn_protocols(["h2", "http/1.1"])
        with socket.create_connection(("127.0.0.1", r.port), PATIENCE_S) as s:
            with context.wrap_socket(s, server_hostname="127.0.0.1") as tls:
                check(tls.selected_alpn_protocol() in ("http/1.1", None), "HTTP/2 is offered")
        status, _, body = r.get("/")
        check(status == 200 and b"<html" in body.lower(), "the page: %d" % status)
        check(r.get("/", Host="evil.example:%d" % r.port)[0] == 421, "another Host")
        check(r.get("/", Origin="http://" + r.name)[0] == 403, "the page without TLS is another one")
        c = Client(r, Origin="https://" + r.name).ready()
        check(may_change(c), "one's own client")
        check(b"leg1_joint1" in c.call("/robot_model/listJoints") and stop(c), "calls")
        check(Client(r, Origin="https://evil.example").status == 403, "a foreign page")
        # Without TLS no connection works.
        with socket.create_connection(("127.0.0.1", r.port), PATIENCE_S) as s:
            s.sendall(b"GET / HTTP/1.1\r\nHost: " + r.name.encode() + b"\r\n\r\n")
            s.settimeout(PATIENCE_S)
            answer = b""
            try:
                answer = s.recv(100)
            except OSError:
                pass
            check(b"200" not in answer, "a page in the clear")
        if os.geteuid() == 0:
            check(as_user(STRANGER, lambda: may_change(Client(r).ready())) is False, "a stranger over TLS")
        ends_well(r)


def bad_certificates_are_refused():
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = make_certificate(folder, "one")
        _, other = make_certificate(folder, "other")
        nonsense = os.path.join(folder, "nonsense")
        with open(nonsense, "w", encoding="ascii") as f:
            f.write("not a certificate\n")
        for properties, expected in (({"certificate": certificate, "key": other}, other),
                                     ({"certificate": nonsense, "key": key}, nonsense),
                                     ({"certificate": certificate, "key": nonsense}, nonsense),
                                     ({"certificate": os.path.join(folder, "none"), "key": key}, "none"),
                                     ({"certificate": certificate}, "both 'certificate' and 'key'"),
                                     ({"key": key}, "both 'certificate' and 'key'")):
            try:
                start(**properties).end()
            except Failure as failure:
                check(expected in str(failure) and "no address" in str(failure), str(failure))
                continue
            raise Failure("%s begins" % properties)


def token_without_tls_is_warned_about():
    with tempfile.TemporaryDirectory() as folder, token_file() as f:
        certificate, key = make_certificate(folder, "robot")
        r = start(address="0.0.0.0", token_file=f.name)
        until("a warning", lambda: "in the clear" in r.log())
        ends_well(r)
        for properties in ({"token_file": f.name}, {"address": "0.0.0.0", "token_file": f.name, "certificate": certificate, "key": key}):
            r = start(**properties)
            Client(r).ready()
            check("in the clear" not in r.log(), "an unnecessary warning")
            ends_well(r)


CASES = [operator_gets_in_among_idle_clients, operator_gets_in_among_busy_clients,
         operator_stops_through_a_full_control_socket, one_machine_cannot_keep_others_out, other_users_need_the_token, closed_peer_has_no_rights,
         paths_are_not_set_over_the_network, guessing_throttles_only_the_guesser, everything_works_over_tls,
         bad_certificates_are_refused, token_without_tls_is_warned_about]


if __name__ == "__main__":
    sys.exit(run_cases(CASES))
