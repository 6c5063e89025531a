"""A rospy subscriber for tests."""
import rospy

from ros1_graph import wait_for


class Ear:
    """The last message of a topic, the number of messages and of gaps in seq."""

    def __init__(self, topic, kind):
        self.last = None
        self.count = 0
        self.gaps = 0
        self.subscriber = rospy.Subscriber(topic, kind, self.take, queue_size=1000)

    def take(self, message):
        header = getattr(message, "header", None)
        if self.last is not None and header is not None:
            self.gaps += header.seq != self.last.header.seq + 1
        self.last = message
        self.count += 1

    def wait(self, what):
        before = self.count
        wait_for(lambda: self.count > before, what)
        return self.last

    def close(self):
        self.subscriber.unregister()


def pose(message):
    return dict(zip(message.name, message.position))


def distance(a, b):
    return max(abs(a[joint] - b[joint]) for joint in a)
