"""Recordings as arrays."""
import numpy as np

from . import _sinew

# Every message has them, before the fields of its type.
_TIMES = [("log_time", "i8"), ("publish_time", "i8")]


def read(path, topics=None):
    """Read a recording (.mcap): a dict from topic to a structured array, one record per message.

    The fields are those of the message (docs/messages.md), after `log_time` and `publish_time` in
    ns. Times and durations are ns, too. Sequences and texts have the length of the longest one of
    the topic: shorter ones end with nan, 0 or empty texts. Messages of a type that Sinew does not
    know have their times only.

        joints = sinew.read("walk.mcap")["/plant/joints_measured"]
        joints["name"][0], joints["position"][:, 2]

    topics: names of topics to read; None: all. Damaged parts are left out, with a RuntimeWarning.
    """
    if isinstance(topics, str):
        topics = [topics]
    wanted = None if topics is None else frozenset(topics)
    return {name: np.frombuffer(data, dtype=np.dtype(_TIMES + fields))
            for name, fields, data in _sinew._read(path, wanted)}
