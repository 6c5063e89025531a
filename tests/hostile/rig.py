"""A running system, and clients on bare sockets, which may misbehave."""
import base64
import json
import os
import re
import select
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time


PATIENCE_S = 60.0  # generous, for a busy machine


class Failure(Exception):
    pass


def check(condition, text):
    if not condition:
        raise Failure(text)


def until(what, condition, seconds=PATIENCE_S):
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        check(time.monotonic() < end, "not within %g s: %s" % (seconds, what))
        time.sleep(0.01)


DEPLOYMENT = """
include: [{base}]
robot: {robot}
activities: {{control: {{period: 0.001, priority: {priority}}}}}
components:
  cockpit:
    type: cockpit
    properties: {properties}
"""


class Robot:
    """`sinew run` with a cockpit; its folder holds a recording, with secrets beside it."""

    running = []  # all instances

    def __init__(self, program, base, robot, options=(), priority=0, **properties):
        self.folder = tempfile.TemporaryDirectory(prefix="sinew-hostile-")
        self.path = self.folder.name
        self.recordings = os.path.join(self.path, "recordings")
        os.mkdir(self.recordings)
        properties = {"port": 0, "recordings": self.recordings, **properties}
        deployment = os.path.join(self.path, "deployment.yaml")
        with open(deployment, "w", encoding="utf-8") as f:
            f.write(DEPLOYMENT.format(base=base, robot=robot, priority=priority, properties=json.dumps(properties)))
        self.errors = open(os.path.join(self.path, "log"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [program, "run", deployment, "--socket", os.path.join(self.path, "s"), *options],
            stdout=subprocess.PIPE, stderr=self.errors, text=True,
            # The quarantine of the address sanitizer would look like a leak.
            env={**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=8"})
        Robot.running.append(self)
        line = self.process.stdout.readline()
        match = re.match(r"cockpit: https?://(.*):(\d+)/$", line)
        self.tls = line.startswith("cockpit: https:")
        if match is None:
            self.process.wait(PATIENCE_S)
            raise Failure("no address: %s%s" % (line, self.log()))
        self.host, self.port = match.group(1), int(match.group(2))
        self.name = "%s:%d" % (self.host, self.port)

    def log(self):
        with open(self.errors.name, encoding="utf-8") as f:
            return f.read()

    def rss_kB(self):
        with open("/proc/%d/status" % self.process.pid, encoding="ascii") as f:
            return int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1))

    def end(self):
        """Ends it with a signal, as a user would. Returns the exit code."""
        Robot.running.remove(self)
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "hangs"
        finally:
            self.errors.close()
            self.process.stdout.close()
            self.folder.cleanup()

    def connect(self, host=None):
        s = socket.create_connection((host or self.host, self.port), PATIENCE_S)
        if self.tls:
            context = ssl.create_default_context()
            context.check_hostname = False  # a self-signed certificate
            context.verify_mode = ssl.CERT_NONE
            s = context.wrap_socket(s)
        s.settimeout(PATIENCE_S)
        return s

    def raw(self, request, seconds=PATIENCE_S):
        """Sends bytes, reads until the peer closes or is silent."""
        with self.connect() as s:
            s.settimeout(seconds)
            answer = b""
            try:
                s.sendall(request)
                while True:
                    got = s.recv(65536)
                    if not got:
                        break
                    answer += got
            except (socket.timeout, ConnectionError):
                pass
            return answer

    def get(self, target, method="GET", seconds=PATIENCE_S, **headers):
        """Returns status, headers and body; status 0 if there was no answer."""
        lines = {"Host": self.name, "Connection": "close", **headers}
        text = "%s %s HTTP/1.1\r\n" % (method, target)
        text += "".join("%s: %s\r\n" % (k.replace("_", "-"), v) for k, v in lines.items() if v is not None)
        answer = self.raw(text.encode("latin-1") + b"\r\n", seconds)
        head, _, body = answer.partition(b"\r\n\r\n")
        match = re.match(rb"HTTP/1\.[01] (\d+)", head)
        return (int(match.group(1)) if match else 0), head.decode("latin-1").lower(), body


def as_user(uid, function, *arguments):
    """Runs a function as another user in a child process; needs root. Returns its result, by JSON."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(uid)
            os.setuid(uid)
            answer = {"result": function(*arguments)}
        except BaseException as failure:  # the parent reports it
            answer = {"failure": repr(failure)}
        os.write(writer, json.dumps(answer).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as f:
        text = f.read()
    os.waitpid(child, 0)
    answer = json.loads(text)
    check("failure" not in answer, "as user %d: %s" % (uid, answer.get("failure")))
    return answer["result"]


class Client:
    """A WebSocket."""

    def __init__(self, robot, host=None, protocol="foxglove.websocket.v1", **headers):
        self.socket = robot.connect(host)
        self.buffer = b""
        self.json, self.binary, self.closed = [], [], None
        name = "%s:%d" % (host or robot.host, robot.port)
        lines = {"Host": name, "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                 "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
                 "Sec-WebSocket-Protocol": protocol, **{k.replace("_", "-"): v for k, v in headers.items()}}
        text = "GET / HTTP/1.1\r\n" + "".join("%s: %s\r\n" % i for i in lines.items() if i[1] is not None) + "\r\n"
        self.socket.sendall(text.encode())
        while b"\r\n\r\n" not in self.buffer:
            got = self._receive(PATIENCE_S)
            if got == b"":
                break
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        match = re.match(rb"HTTP/1\.[01] (\d+)", head)
        self.status = int(match.group(1)) if match else 0
        self.nextCall = 1

    def _receive(self, seconds):
        """Returns bytes; b"" at the end; None after a timeout."""
        pending = isinstance(self.socket, ssl.SSLSocket) and self.socket.pending()
        if not pending and not select.select([self.socket], [], [], seconds)[0]:
            return None
        try:
            got = self.socket.recv(1 << 20)
        except ConnectionError:
            got = b""
        self.buffer += got
        return got

    def send_frame(self, opcode, payload=b"", fin=True, mask=True, length=None, rsv=0):
        n = len(payload) if length is None else length
        head = bytes([(0x80 if fin else 0) | rsv << 4 | opcode])
        bit = 0x80 if mask else 0
        head += bytes([bit | n]) if n < 126 else bytes([bit | 126]) + struct.pack(">H", n) if n < 65536 \
            else bytes([bit | 127]) + struct.pack(">Q", n)
        key = os.urandom(4) if mask else b""
        if mask:
            stretched = (key * (len(payload) // 4 + 1))[:len(payload)]
            payload = (int.from_bytes(payload, "big") ^ int.from_bytes(stretched, "big")).to_bytes(len(payload), "big")
        self.socket.sendall(head + key + payload)

    def send(self, message):
        self.send_frame(1, json.dumps(message).encode())

    def _frames(self):
        while len(self.buffer) >= 2:
            n, at = self.buffer[1] & 127, 2
            if n > 125:
                at = 4 if n == 126 else 10
                if len(self.buffer) < at:
                    return
                n = int.from_bytes(self.buffer[2:at], "big")
            if len(self.buffer) < at + n:
                return
            opcode, payload = self.buffer[0] & 15, self.buffer[at:at + n]
            self.buffer = self.buffer[at + n:]
            if opcode == 1:
                self.json.append(json.loads(payload))
            elif opcode == 2:
                self.binary.append(payload)
            elif opcode == 8:
                self.closed = int.from_bytes(payload[:2], "big") if len(payload) >= 2 else 1005
            elif opcode == 9:
                self.send_frame(10, payload)

    def pump(self, seconds=0.0):
        """Reads what has arrived. Returns False at the end."""
        got = self._receive(seconds)
        self._frames()
        if got == b"" and self.closed is None:
            self.closed = 1006
        return got != b""

    def wait(self, what, condition, seconds=PATIENCE_S):
        end = time.monotonic() + seconds
        while True:
            value = condition()
            if value:
                return value
            check(time.monotonic() < end, "not within %g s: %s" % (seconds, what))
            check(self.pump(0.05) or condition(), "the connection ended before: %s" % what)

    def ready(self):
        check(self.status == 101, "the handshake was answered by %d" % self.status)
        ops = lambda: {m["op"]: m for m in self.json}
        self.wait("the advertised services", lambda: "advertiseServices" in ops())
        self.info = ops()["serverInfo"]
        self.channels = {c["topic"]: c["id"] for c in ops()["advertise"]["channels"]}
        self.services = {s["name"]: s["id"] for s in ops()["advertiseServices"]["services"]}
        return self

    def subscribe(self, *topics):
        self.send({"op": "subscribe", "subscriptions": [{"id": self.channels[t], "channelId": self.channels[t]} for t in topics]})

    def messages(self, topic):
        id = struct.pack("<BI", 1, self.channels[topic])
        return [m[13:] for m in self.binary if m[:5] == id]

    def begin_call(self, name, request=b"{}"):
        call = self.nextCall
        self.nextCall += 1
        self.send_frame(2, struct.pack("<BIII", 2, self.services[name], call, 4) + b"json" + request)
        return call

    def answer(self, call):
        """Returns the bytes of the response, or the text of the failure; None: not yet."""
        for m in self.binary:
            if m[0] == 3 and struct.unpack_from("<I", m, 5)[0] == call:
                return m[17:]
        for m in self.json:
            if m["op"] == "serviceCallFailure" and m["callId"] == call:
                return m["message"]
        return None

    def call(self, name, request=None):
        call = self.begin_call(name, json.dumps(request or {}).encode())
        return self.wait("an answer of " + name, lambda: self.answer(call))

    def statuses(self):
        return [m["message"] for m in self.json if m["op"] == "status"]

    def is_ended(self, seconds=PATIENCE_S):
        end = time.monotonic() + seconds
        while self.closed is None and time.monotonic() < end:
            self.pump(0.05)
        return self.closed is not None

    def close(self):
        self.socket.close()


def run_cases(cases):
    """Run all, or those that the command line names after the paths. Returns the exit code."""
    wanted = sys.argv[4:]
    failures = 0
    for case in cases:
        if wanted and case.__name__ not in wanted:
            continue
        begun = time.monotonic()
        try:
            case()
            print("hostile: %s: good, %.1f s" % (case.__name__, time.monotonic() - begun))
        except Exception as failure:  # the other cases still run
            failures += 1
            print("hostile: %s: %s: %s" % (case.__name__, type(failure).__name__, failure))
        for robot in list(Robot.running):
            robot.end()
        sys.stdout.flush()
    return 1 if failures else 0
