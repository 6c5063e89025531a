"""Wrong arguments, objects that outlive others, threads, Ctrl-C."""
import gc
import math
import os
import signal
import threading
import unittest

import numpy as np

import support
import sinew


class Arguments(unittest.TestCase):
    def setUp(self):
        self.arm = support.load_arm("arm6")
        self.pose = self.arm.fk(np.zeros(6) + 0.2)

    def refused(self, kind, text, function, *arguments, **keywords):
        with self.assertRaises(kind) as caught:
            function(*arguments, **keywords)
        self.assertIn(text, str(caught.exception))

    def test_shapes(self):
        arm = self.arm
        self.refused(ValueError, "q has the shape (5,), expected (6,) or (n, 6)", arm.fk, [0] * 5)
        self.refused(ValueError, "the shape (2, 2, 6)", arm.fk, np.zeros((2, 2, 6)))
        self.refused(ValueError, "shape (1,)", arm.fk, 3.0)
        self.refused(ValueError, "qd has the shape (2, 6)", arm.rnea, np.zeros(6), np.zeros((2, 6)))
        self.refused(ValueError, "pose has the shape (3, 3)", arm.ik, np.eye(3))
        self.refused(ValueError, "use ik_batch()", arm.ik, np.stack([self.pose] * 2))
        self.refused(ValueError, "seed has 3 rows", arm.ik_batch, np.stack([self.pose] * 2),
                     seed=np.zeros((3, 6)))
        self.refused(ValueError, "waypoints has the shape", arm.retime, np.zeros((3, 5)))

    def test_numbers(self):
        arm = self.arm
        self.refused(ValueError, "number 2 of row 1 is nan", arm.fk,
                     [[0] * 6, [0, 0, np.nan, 0, 0, 0]])
        self.refused(ValueError, "infinite", arm.jacobian, [np.inf] * 6)
        self.refused(ValueError, "not a pose", arm.ik, np.ones((4, 4)))
        self.refused(ValueError, "does not have length 1", arm.ik, [0, 0, 0, 0, 0, 0, 2])
        self.refused(ValueError, "timeout", arm.ik, self.pose, timeout=-1)
        self.refused(ValueError, "timeout", arm.ik, self.pose, timeout=np.nan)
        self.refused(ValueError, "jobs is -1", arm.ik_batch, self.pose[None], jobs=-1)
        self.refused(ValueError, "free is 'up'", arm.ik, self.pose, free="up")
        self.refused(sinew.Error, "", arm.ik, np.diag([2.0, 2, 2, 1]))

    def test_types(self):
        self.refused(ValueError, "hello", self.arm.fk, "hello")
        self.refused(TypeError, "", self.arm.fk, None, None)
        self.refused(TypeError, "", self.arm.ik)
        self.refused(TypeError, "", sinew.load, 3)
        self.refused(TypeError, "", sinew.Robot)
        self.refused(TypeError, "", sinew.Chain)

    def test_names_and_files(self):
        robot = self.arm.robot
        self.refused(sinew.Error, "link 'nothing' does not exist", robot.chain, "nothing", "tool0")
        self.refused(sinew.Error, "no chain 'nothing'", robot.chain, "nothing")
        self.refused(sinew.Error, "solver 'nothing'", robot.chain, "arm", solver="nothing")
        self.refused(sinew.Error, "/nowhere.urdf: cannot read", sinew.load, "/nowhere.urdf")
        self.refused(sinew.Error, ":", sinew.load, __file__)

    def test_no_solution_is_an_error_of_its_own(self):
        self.pose[:3, 3] = 50
        self.refused(sinew.NoSolution, "NO_SOLUTION", self.arm.ik, self.pose)
        self.assertTrue(issubclass(sinew.NoSolution, sinew.Error))


class Life(unittest.TestCase):
    def test_a_chain_and_its_motion_keep_their_robot(self):
        arm = sinew.load(support.robot_file("arm6")).chain("arm")
        expected = arm.fk(np.zeros(6))
        motion = arm.retime([[0.0] * 6, [0.2] * 6])
        gc.collect()
        blocks = [bytearray(1 << 16) for _ in range(100)]  # over what would have been freed
        np.testing.assert_array_equal(arm.fk(np.zeros(6)), expected)
        del arm, blocks
        gc.collect()
        np.testing.assert_allclose(motion.at(motion.duration)[0], 0.2, atol=1e-9)

    def test_arrays_outlive_everything(self):
        arm = support.load_arm("arm6")
        pose = arm.fk(np.zeros(6))
        copy = pose.copy()
        del arm
        gc.collect()
        np.testing.assert_array_equal(pose, copy)


class Threads(unittest.TestCase):
    def test_several_share_a_chain(self):
        arm = support.load_arm("arm7")
        poses = arm.fk(support.random_positions(arm, 60))
        expected = arm.ik_batch(poses, jobs=1)
        results = [None] * 4

        def work(i):
            results[i] = (arm.ik_batch(poses, jobs=2) if i % 2 == 0
                          else np.array([arm.ik(p) for p in poses]))

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results:
            np.testing.assert_array_equal(result, expected)


def is_interrupted(function, shape, delay_s):
    """Whether a signal handler runs within a call with many rows, which it then cannot release. Otherwise the signal came
    before the call, or after it."""
    rows = memoryview(bytearray(8 * math.prod(shape))).cast("d", shape=shape)
    previous = signal.signal(signal.SIGALRM, lambda *_: rows.release())
    try:
        signal.setitimer(signal.ITIMER_REAL, delay_s)
        function(rows)
    except BufferError:
        return True
    except ValueError:  # released already
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    return False


class Interrupts(unittest.TestCase):
    def test_ctrl_c_ends_a_long_batch(self):
        robot = sinew.load(support.robot_file("arm6"))
        arm = robot.chain("arm", solver="numeric")
        far = np.eye(4)
        far[:3, 3] = 50
        poses = np.broadcast_to(far, (100000, 4, 4))  # hours of work
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            arm.ik_batch(poses, jobs=2, timeout=0.2)
        timer.join()
        pose = arm.fk(np.zeros(6) + 0.2)
        np.testing.assert_allclose(arm.fk(arm.ik(pose)), pose, atol=1e-6)

    def test_ctrl_c_ends_calls_with_many_rows(self):
        """The handler runs within the call: its argument cannot be released."""
        arm = sinew.load(support.robot_file("arm6")).chain("arm")
        motion = arm.retime([np.zeros(6), np.full(6, 0.2)])
        calls = ((arm.fk, 19), (arm.jacobian, 19), (arm.rnea, 19), (arm.forward_dynamics, 19),
                 (arm.mass_matrix, 19), (arm.rnea_derivatives, 16),
                 (arm.forward_dynamics_derivatives, 16), (arm.robot.distance, 16), (motion.at, 20))
        for function, bits in calls:
            with self.subTest(function.__name__):
                shape = [1 << bits] if function == motion.at else [1 << bits, 6]
                self.assertTrue(any(is_interrupted(function, shape, 1e-3 * 2**k) for k in range(8)))

    def test_ctrl_c_ends_single_calls_with_a_long_timeout(self):
        """A search gives up after a number of starts, long before its timeout: no call holds the signal back."""
        arm = sinew.load(support.robot_file("arm6")).chain("arm", solver="numeric")
        far = np.eye(4)
        far[:3, 3] = 50
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            while True:
                for search in (arm.ik, arm.ik_all):
                    try:
                        self.assertEqual(len(search(far, timeout=1e6)), 0)
                    except sinew.NoSolution:
                        pass
        timer.join()


if __name__ == "__main__":
    support.main()
