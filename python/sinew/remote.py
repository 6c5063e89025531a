"""A running robot, over its control socket (docs/control-socket.md)."""
import json
import os
import socket as sockets
import struct
import threading
import time

from ._sinew import Error

_NAME_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")
_WALK_PERIOD = 0.1  # s between commands; the robot stops when it hears nothing for 0.5 s
_POLL_PERIOD = 0.02  # s between questions whether a motion has ended
# States of a goal: from 4 on it has ended, and with 4 it was reached.
_GOAL_REACHED = 4
_POINTS_MAX = 2000  # of a trajectory that is sent


def _socket_path(name):
    if not name or not set(name) <= _NAME_LETTERS or name[0] in ".-":
        raise ValueError(f"'{name}' is not the name of a system")
    folder = os.environ.get("XDG_RUNTIME_DIR")
    folder = os.path.join(folder, "sinew") if folder else f"/tmp/sinew-{os.geteuid()}"
    return os.path.join(folder, name + ".sock")


def _duration(seconds):
    ns = round(seconds * 1e9)
    return {"sec": ns // 10**9, "nanosec": ns % 10**9}


class _Connection:
    """Lines of JSON: requests, and answers with the same id."""

    def __init__(self, path, timeout):
        self.timeout = timeout
        self.lock = threading.RLock()
        self.number = 0
        self.buffer = b""
        self.socket = sockets.socket(sockets.AF_UNIX)
        self.socket.settimeout(timeout)
        try:
            self.socket.connect(path)
            self._check_peer(path)
        except OSError as reason:
            self.socket.close()
            raise Error(f"no system answers at {path}: {reason.strerror}; "
                        "start one with 'sinew run FILE'") from None
        except Error:
            self.socket.close()
            raise

    def _check_peer(self, path):
        size = struct.calcsize("3i")
        peer = self.socket.getsockopt(sockets.SOL_SOCKET, sockets.SO_PEERCRED, size)
        uid = struct.unpack("3i", peer)[1]
        if uid not in (os.geteuid(), 0):
            raise Error(f"{path}: belongs to a process of another user (uid {uid})")

    def send(self, verb, arguments):
        self.number += 1
        line = json.dumps({"id": self.number, "verb": verb, **arguments}, allow_nan=False)
        try:
            self.socket.sendall(line.encode() + b"\n")
        except OSError as reason:
            raise Error(f"the connection has ended: {reason.strerror or reason}") from None
        return self.number

    def receive(self, deadline):
        """The next line, or None if there is none before the deadline (None: wait for ever)."""
        while b"\n" not in self.buffer:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return None
            self.socket.settimeout(left)
            try:
                part = self.socket.recv(1 << 16)
            except TimeoutError:
                return None
            except OSError as reason:
                raise Error(f"the connection has ended: {reason.strerror or reason}") from None
            if not part:
                raise Error("the connection has ended: the system has stopped")
            self.buffer += part
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def ask(self, verb, arguments, timeout=None):
        """Send a request and wait for its answer. Answers that nobody waits for are left out."""
        with self.lock:
            number = self.send(verb, arguments)
            deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
            while True:
                answer = self.receive(deadline)
                if answer is None:
                    raise Error(f"'{verb}': no answer in time")
                if answer.get("id") in (number, None):
                    break
        if not answer["ok"]:
            raise Error(answer["error"])
        return answer["result"]

    def close(self):
        self.socket.close()


class Subscription:
    """Messages of an output as dicts: iterate over it, and close it or use it in a `with`."""

    def __init__(self, path, port, rate, count, timeout):
        self._connection = _Connection(path, timeout)
        self.port = port
        arguments = {"name": port, "rate": rate}
        if count is not None:
            arguments["count"] = count
        try:
            self.type = self._connection.ask("echo", arguments)["type"]
        except BaseException:
            self.close()
            raise

    def __iter__(self):
        return self

    def __next__(self):
        if self._connection is None:
            raise StopIteration
        line = self._connection.receive(None)
        if "event" not in line:
            self.close()
            raise StopIteration
        return line["event"]

    def close(self):
        """End the stream."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"<sinew.Subscription to {self.port}: {getattr(self, 'type', '?')}>"


class _Walker(threading.Thread):
    """Repeats the velocity, since a robot that hears nothing stops."""

    def __init__(self, remote, velocity):
        super().__init__(daemon=True, name="sinew-walk")
        self.remote = remote
        self.velocity = velocity
        self.ended = threading.Event()
        self.failure = None

    def command(self):
        vx, vy, wz = self.velocity
        self.remote._expect(self.remote.call("walk.setVelocity",
                                             linear={"x": vx, "y": vy, "z": 0.0},
                                             angular={"x": 0.0, "y": 0.0, "z": wz}), "walk")

    def run(self):
        while not self.ended.wait(_WALK_PERIOD):
            try:
                self.command()
            except Error as failure:
                self.failure = failure
                return


class Remote:
    """A running robot; made by sinew.connect(). Any thread may use it."""

    def __init__(self, path, timeout):
        self.path = path
        self.timeout = timeout
        self._connection = _Connection(path, timeout)
        self._walker = None

    def close(self):
        """End the connection. A robot that walks because of it stops."""
        if self._walker is not None:
            self._end_walk()
        self._connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"<sinew.Remote at {self.path}>"

    # ---- anything ----

    def call(self, operation, **fields):
        """Call `component.operation` with the fields of its request: the fields of its answer."""
        wait = min(self.timeout, 60.0)
        arguments = {"name": operation, "arguments": fields, "timeout": wait}
        return self._connection.ask("call", arguments, timeout=wait + 1.0)

    def get(self, name):
        """The value of `component.property`, or all of a component."""
        return self._connection.ask("get", {"name": name})

    def set(self, name, value):
        """Change `component.property`; the new value."""
        return self._connection.ask("set", {"name": name, "value": value})

    def publish(self, port, **fields):
        """Write a message to the input `component.port`."""
        return self._connection.ask("publish", {"name": port, "message": fields})

    def subscribe(self, port, rate=50, count=None):
        """The messages of the output `component.port`, at most `rate` a second: a Subscription.

            with r.subscribe("plant.joints_measured", rate=10) as messages:
                for message in messages:
                    print(message["position"])
        """
        return Subscription(self.path, port, rate, count, self.timeout)

    @property
    def components(self):
        """Names of the components."""
        return tuple(c["name"] for c in self._connection.ask("ls", {})["components"])

    # ---- the robot ----

    @property
    def joints(self):
        """Positions of the joints now: a dict from name to rad or m. Measured, if they are."""
        with self.subscribe(self._joints_port(), count=1) as messages:
            for message in messages:
                return dict(zip(message["name"], message["position"]))
        raise Error("the system sends no positions of joints")

    def _joints_port(self):
        for component in self._connection.ask("names", {}):
            if "joints_measured" in component["outputs"]:
                return component["component"] + ".joints_measured"
        return "aggregator.joints_sorted"

    def move(self, positions, duration=2.0, wait=True):
        """Move joints to positions, a dict from name to rad or m, in `duration` seconds.

        The limbs of the joints are taken for the motion and released after it. Returns when it has
        ended, or at once with wait=False. Raises sinew.Error if it is refused or fails.
        """
        names = list(positions)
        point = {"positions": [float(positions[n]) for n in names],
                 "time_from_start": _duration(duration)}
        self._execute(names, [point], wait)

    def play(self, trajectory, joints, rate=50, wait=True):
        """Play a sinew.Trajectory with these joints. Move to its first point before."""
        count = min(max(int(trajectory.duration * rate) + 1, 2), _POINTS_MAX)
        times = [trajectory.duration * i / (count - 1) for i in range(count)]
        q, qd, _ = trajectory.at(times)
        points = [{"positions": q[i].tolist(), "velocities": qd[i].tolist(),
                   "time_from_start": _duration(times[i])} for i in range(count)]
        self._execute(list(joints), points, wait)

    def _execute(self, names, points, wait):
        answer = self.call("execute.execute",
                           trajectory={"joint_names": names, "points": points})
        if not answer["accepted"]:
            raise Error(f"the motion is refused: {answer['message']}")
        try:
            while wait:
                goal = self.call("execute.getGoal", goal_id=answer["goal_id"])
                if goal["state"] >= _GOAL_REACHED:
                    break
                time.sleep(_POLL_PERIOD)
        except KeyboardInterrupt:
            self.call("execute.cancel", goal_id=answer["goal_id"])
            raise
        if wait and goal["state"] != _GOAL_REACHED:
            raise Error(f"the motion has failed: {goal['message'] or 'it was cancelled'}")

    def walk(self, vx=0.0, vy=0.0, wz=0.0, duration=None):
        """Walk with this velocity: forward and to the left in m/s, turning left in rad/s.

        Returns at once; the robot walks until the next call, the end of the connection or of this
        process. With a duration it walks so many seconds and stops. All zero: stop.
        """
        velocity = (float(vx), float(vy), float(wz))
        if self._walker is not None and self._walker.failure is not None:
            failure = self._walker.failure
            self._walker = None
            raise failure
        if velocity == (0.0, 0.0, 0.0):
            self._end_walk()
            return
        if self._walker is None:
            self._expect(self.call("walk.setOperational", operational=True), "walk")
            walker = _Walker(self, velocity)
            walker.command()
            walker.start()
            self._walker = walker
        self._walker.velocity = velocity
        if duration is not None:
            try:
                time.sleep(duration)
            finally:
                self._end_walk()

    def _end_walk(self):
        walker, self._walker = self._walker, None
        if walker is None:
            return
        walker.ended.set()
        walker.join()
        if walker.failure is not None:
            raise walker.failure
        walker.velocity = (0.0, 0.0, 0.0)
        walker.command()

    def _expect(self, answer, what):
        if not answer["success"]:
            raise Error(f"{what}: {answer['message']}")

    def stop(self, why=""):
        """Emergency stop. On a connection of its own, so that no call in execution delays it."""
        self._walker, walker = None, self._walker
        if walker is not None:
            walker.ended.set()
        connection = _Connection(self.path, self.timeout)
        try:
            return connection.ask("stop", {"who": "python", "why": why})
        finally:
            connection.close()


def connect(name="default", socket=None, timeout=2.0):
    """Connect to a running robot.

    name: as in `sinew run --name`. socket: path of its control socket instead. timeout: of every
    call, s. Raises sinew.Error if none answers.
    """
    if not 0.0 < timeout < float("inf"):
        raise ValueError(f"timeout is {timeout}, expected seconds above 0")
    return Remote(_socket_path(name) if socket is None else os.fspath(socket), timeout)
