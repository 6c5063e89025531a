"""Recordings as arrays, against what `sinew export` prints."""
import csv
import os
import tempfile
import unittest
import warnings

import numpy as np

import support
import sinew


class Recordings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "run.mcap")
        support.run_program("demo", os.path.join(support.ROBOTS, "arm6.yaml"), "--headless",
                            "--clock", "sim", "--duration", "0.5", "--record", cls.path, "--record-outputs",
                            "*", "--quiet")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def exported(self, topic):
        text = support.run_program("export", self.path, "--csv", "--topic", topic)
        return list(csv.DictReader(text.splitlines()))

    def test_joints_are_those_that_are_exported(self):
        topic = "/plant/joints_measured"
        joints = sinew.read(self.path)[topic]
        rows = self.exported(topic)
        n = joints["name"].shape[1]
        self.assertEqual(len(rows), len(joints) * n)
        for field in ("position", "velocity", "effort"):
            expected = np.array([float(r[field] or "nan") for r in rows]).reshape(-1, n)
            np.testing.assert_array_equal(joints[field], expected)
        self.assertEqual([r["joint"] for r in rows[:n]], joints["name"][0].tolist())
        times = np.array([float(r["time"]) for r in rows[n::n]])
        np.testing.assert_allclose(joints["header"]["stamp"][1:] / 1e9, times, atol=1e-9)

    def test_every_topic_is_there(self):
        topics = sinew.read(self.path)
        listed = {line.split()[0] for line in support.run_program("info", self.path).splitlines()
                  if line.startswith("  /") and int(line.split()[2]) > 0}
        self.assertEqual(set(topics), listed)
        for records in topics.values():
            self.assertTrue(np.all(np.diff(records["log_time"]) >= 0))

    def test_topics_can_be_chosen(self):
        self.assertEqual(list(sinew.read(self.path, "/timer/sync")), ["/timer/sync"])
        self.assertEqual(sinew.read(self.path, ["/nothing"]), {})
        cycles = sinew.read(self.path, ["/timer/sync"])["/timer/sync"]["cycle"]
        np.testing.assert_array_equal(np.diff(cycles), 1)

    def test_a_file_that_ends_early_is_read_up_to_there(self):
        whole = sinew.read(self.path)["/timer/sync"]
        part = os.path.join(self.folder.name, "part.mcap")
        with open(self.path, "rb") as source, open(part, "wb") as target:
            content = source.read()
            target.write(content[:len(content) // 2])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            some = sinew.read(part)["/timer/sync"]
        self.assertIn("was not closed", str(caught[0].message))
        self.assertTrue(0 < len(some) < len(whole))
        np.testing.assert_array_equal(some["cycle"], whole["cycle"][:len(some)])

    def test_what_is_not_a_recording_is_refused(self):
        with self.assertRaisesRegex(sinew.Error, "not an MCAP file"):
            sinew.read(__file__)
        with self.assertRaisesRegex(sinew.Error, "/nowhere.mcap: cannot read"):
            sinew.read("/nowhere.mcap")


if __name__ == "__main__":
    support.main()
