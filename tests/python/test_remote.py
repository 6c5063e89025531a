"""A running robot."""
import os
import threading
import unittest

import support
import sinew


class Running(unittest.TestCase):
    def test_joints_move_and_answers_are_checked(self):
        with support.running(os.path.join(support.ROBOTS, "arm6.yaml")) as socket, \
                sinew.connect(socket=socket) as r:
            self.assertIn("execute", r.components)
            self.assertEqual(set(r.joints), {f"joint{i}" for i in range(1, 7)})
            r.move({"joint1": 0.2, "joint2": -0.1}, duration=0.5)
            self.assertAlmostEqual(r.joints["joint1"], 0.2, delta=0.05)
            with self.assertRaisesRegex(sinew.Error, "no joint 'nothing'"):
                r.move({"nothing": 1.0})
            with self.assertRaisesRegex(sinew.Error, "unknown component 'nothing'"):
                r.call("nothing.start")
            self.follow_a_trajectory(r)
            self.read_and_write(r)
            self.use_threads(r)
            self.stop(r)

    def follow_a_trajectory(self, r):
        arm = support.load_arm("arm6")
        names = list(arm.joints)
        now = [r.joints[n] for n in names]
        there = [x + 0.1 for x in now]
        r.play(arm.retime([now, there], velocity=0.5), names)
        self.assertAlmostEqual(r.joints["joint3"], there[2], delta=0.05)

    def read_and_write(self, r):
        with r.subscribe("timer.sync", rate=200, count=3) as messages:
            cycles = [m["cycle"] for m in messages]
        self.assertEqual(len(cycles), 3)
        self.assertEqual(sorted(set(cycles)), cycles)
        value = r.get("servo_inv_7param.lead")
        self.assertEqual(r.set("servo_inv_7param.lead", value), value)
        with self.assertRaises(sinew.Error):
            r.set("servo_inv_7param.lead", "much")
        with self.assertRaises(sinew.Error):
            r.subscribe("timer.nothing")

    def use_threads(self, r):
        """Every thread gets the answer to its own question."""
        wrong = []

        def ask(name):
            for _ in range(20):
                if "controlled_chains" in r.get(name) or r.get("timer") != {}:
                    wrong.append(name)

        threads = [threading.Thread(target=ask, args=("recorder",)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def stop(self, r):
        parties = r.stop("a test")["parties"]
        self.assertTrue(parties and all(p["obeyed"] for p in parties))
        with self.assertRaises(sinew.Error):
            r.move({"joint1": 0.0}, duration=0.2)


class NotRunning(unittest.TestCase):
    def test_nobody_answers(self):
        with self.assertRaisesRegex(sinew.Error, "start one with 'sinew run FILE'"):
            sinew.connect(socket="/nowhere.sock")
        with self.assertRaisesRegex(ValueError, "not the name of a system"):
            sinew.connect("../../etc/passwd")
        with self.assertRaisesRegex(ValueError, "timeout"):
            sinew.connect(timeout=0)


if __name__ == "__main__":
    support.main()
