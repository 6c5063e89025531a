"""Servos: their equation written once more, and a log that it made."""
import os
import unittest

import numpy as np

import support
import sinew

ALPHA = (9.0, 1.5, 0.8, 4.0)
VOLTAGE = 12.0


def goal_of(q, qd, tau, servo):
    """The equation of sinew/servo_model.h, solved for the goal."""
    stribeck = np.exp(-np.abs(qd / servo.qs) ** servo.delta)
    a = servo.alpha
    volts = a[0] * qd + np.sign(qd) * (a[1] + a[2] * stribeck) + a[3] * tau
    return servo.kgear * (q + volts / (servo.kp * VOLTAGE))


def make_log(servo, seconds=20.0, period=0.01):
    t = np.arange(0.0, seconds, period)
    w = 2 * np.pi * np.array([0.21, 0.83, 1.9])
    amplitude = np.array([0.5, 0.15, 0.04])
    q = (amplitude * np.sin(np.outer(t, w))).sum(axis=1)
    qd = (amplitude * w * np.cos(np.outer(t, w))).sum(axis=1)
    tau = 0.4 * np.sin(q) + 0.1 * np.cos(3.1 * t)
    return {"time": t, "position": q, "velocity": qd, "effort": tau,
            "goal": goal_of(q, qd, tau, servo), "voltage": np.full(len(t), VOLTAGE)}


class Servos(unittest.TestCase):
    def setUp(self):
        self.servo = sinew.Servo(kp=60.0, kgear=-1.5, alpha=ALPHA, qs=0.2, delta=1.0)

    def test_goals_are_those_of_the_equation(self):
        q, qd, tau = np.random.default_rng(3).uniform(-1, 1, (3, 50))
        np.testing.assert_allclose(self.servo.goal(VOLTAGE, q, qd, tau=tau),
                                   goal_of(q, qd, tau, self.servo), rtol=1e-12)

    def test_torque_and_position_undo_the_goal(self):
        q, qd, tau = np.random.default_rng(4).uniform(0.1, 1, (3, 50))
        goal = self.servo.goal(VOLTAGE, q, qd, tau=tau)
        np.testing.assert_allclose(self.servo.torque(VOLTAGE, goal, q, qd), tau, atol=1e-9)
        np.testing.assert_allclose(self.servo.position(VOLTAGE, goal, qd, tau=tau), q, atol=1e-12)
        accel = self.servo.acceleration(VOLTAGE, goal, q, qd, inertia=0.1, tau=-tau)
        np.testing.assert_allclose(accel, 0, atol=1e-6)  # the torque balances that from outside

    def test_numbers_give_numbers(self):
        self.assertIsInstance(self.servo.goal(VOLTAGE, 0.3), float)
        self.assertEqual(self.servo.goal(VOLTAGE, np.zeros((2, 3))).shape, (2, 3))

    def test_wrong_parameters_are_refused(self):
        with self.assertRaisesRegex(sinew.Error, "kp is -1"):
            sinew.Servo(kp=-1)
        with self.assertRaisesRegex(ValueError, "alpha has 2 numbers"):
            sinew.Servo(alpha=(1, 2))
        with self.assertRaisesRegex(ValueError, "nan"):
            sinew.Servo(kp=float("nan"))
        with self.assertRaises(ValueError):
            self.servo.acceleration(VOLTAGE, 0, 0, 0, inertia=0)


class Identifications(unittest.TestCase):
    def test_the_parameters_of_a_log_are_found(self):
        truth = sinew.Servo(kp=60.0, kgear=1.0, alpha=ALPHA, qs=0.2, delta=1.0, name="knee")
        known = sinew.Servo(kp=60.0, kgear=1.0, qs=0.2, delta=1.0, name="knee")
        found = sinew.identify(make_log(truth), known)
        self.assertTrue(found.ok, found.reason)
        np.testing.assert_allclose(found.servo.alpha, ALPHA, rtol=0.02)
        self.assertEqual(found.servo.name, "knee")
        self.assertLess(np.abs(found.predictions["predicted"]
                               - found.predictions["position"]).max(), 0.01)

    def test_a_log_without_columns_or_voltage_is_refused(self):
        servo = sinew.Servo(kp=60.0)
        with self.assertRaisesRegex(ValueError, "no column 'goal'"):
            sinew.identify({"time": [0.0], "position": [0.0]}, servo)
        log = make_log(sinew.Servo(kp=60.0, alpha=ALPHA))
        del log["voltage"]
        with self.assertRaisesRegex(sinew.Error, "voltage"):
            sinew.identify(log, servo)
        with self.assertRaises(sinew.Error):
            sinew.identify({k: v[::-1] for k, v in make_log(servo).items()}, servo)

    def test_files_of_servos_are_read(self):
        path = os.path.join(support.ROBOTS, "..", "servos", "xl330.yaml")
        servo = sinew.load_servos(path)["xl330"]
        with open(path) as file:
            line = next(x for x in file if "name: xl330" in x)
        for number in (servo.kp, *servo.alpha, servo.qs, *servo.load_friction, servo.delay):
            self.assertIn(f"{number:g}", line)
        self.assertIsNone(servo.back_load_friction)
        with self.assertRaisesRegex(sinew.Error, "/nowhere.yaml"):
            sinew.load_servos("/nowhere.yaml")


if __name__ == "__main__":
    support.main()
