"""Kinematics, dynamics, distances and motions, against other ways to compute them."""
import unittest

import numpy as np

import support
import sinew


class Kinematics(unittest.TestCase):
    def test_fk_is_the_product_of_the_joints_in_the_file(self):
        for name in support.ARMS:
            arm = support.load_arm(name)
            q = support.random_positions(arm, 20)
            poses = arm.fk(q)
            self.assertEqual(poses.shape, (20, 4, 4))
            for i in range(20):
                expected = support.oracle_fk(support.robot_file(name), arm.base, arm.tip,
                                             dict(zip(arm.joints, q[i])))
                np.testing.assert_allclose(poses[i], expected, atol=1e-12)
                np.testing.assert_array_equal(arm.fk(q[i]), poses[i])

    def test_any_array_or_list_will_do(self):
        arm = support.load_arm("arm6")
        q = support.random_positions(arm, 8)
        expected = arm.fk(q)
        np.testing.assert_array_equal(arm.fk(q.tolist()), expected)
        np.testing.assert_array_equal(arm.fk(np.asfortranarray(q)), expected)
        np.testing.assert_array_equal(arm.fk(np.repeat(q, 2, axis=0)[::2]), expected)
        np.testing.assert_array_equal(arm.fk(np.zeros(6, dtype=int)), arm.fk([0] * 6))
        self.assertEqual(arm.fk(np.empty((0, 6))).shape, (0, 4, 4))

    def test_jacobian_is_the_slope_of_fk(self):
        arm = support.load_arm("arm7")
        q = support.random_positions(arm, 1)[0]
        jacobian = arm.jacobian(q)
        self.assertEqual(jacobian.shape, (6, 7))
        h = 1e-6
        for j in range(arm.dof):
            step = np.zeros(arm.dof)
            step[j] = h
            slope = (arm.fk(q + step) - arm.fk(q - step)) / (2 * h)
            spin = slope[:3, :3] @ arm.fk(q)[:3, :3].T
            np.testing.assert_allclose(jacobian[3:, j], slope[:3, 3], atol=1e-8)
            np.testing.assert_allclose(jacobian[:3, j], [spin[2, 1], spin[0, 2], spin[1, 0]],
                                       atol=1e-8)

    def test_ik_reaches_the_pose(self):
        for name in support.ARMS:
            arm = support.load_arm(name)
            for q in support.random_positions(arm, 10):
                pose = arm.fk(q)
                found = arm.ik(pose)
                np.testing.assert_allclose(arm.fk(found), pose, atol=1e-6)
                np.testing.assert_allclose(arm.ik(pose, seed=q), q, atol=1e-5)
                self.assertTrue(np.all((found >= arm.lower) & (found <= arm.upper)))

    def test_all_solutions_reach_it_and_differ(self):
        arm = support.load_arm("arm6")
        q = support.random_positions(arm, 1)[0]
        pose = arm.fk(q)
        solutions = arm.ik_all(pose, seed=q)
        self.assertGreater(len(solutions), 1)
        np.testing.assert_allclose(arm.fk(solutions), np.broadcast_to(pose, (len(solutions), 4, 4)),
                                   atol=1e-6)
        np.testing.assert_allclose(solutions[0], q, atol=1e-6)
        for i in range(1, len(solutions)):
            self.assertGreater(np.abs(solutions[:i] - solutions[i]).max(axis=1).min(), 1e-3)
        far = pose.copy()
        far[:3, 3] = 50
        self.assertEqual(arm.ik_all(far).shape, (0, 6))

    def test_batch_gives_what_single_calls_give(self):
        arm = support.load_arm("arm_ur")
        poses = arm.fk(support.random_positions(arm, 200))
        poses[7, :3, 3] = 50  # out of reach
        expected = np.array([arm.ik(p) if i != 7 else np.full(arm.dof, np.nan)
                             for i, p in enumerate(poses)])
        for jobs in (0, 1, 2, 5, 1000):
            np.testing.assert_array_equal(arm.ik_batch(poses, jobs=jobs), expected)
        self.assertEqual(arm.ik_batch(poses[:0]).shape, (0, arm.dof))

    def test_poses_may_be_rows_with_quaternions(self):
        arm = support.load_arm("arm6")
        q = support.random_positions(arm, 5)
        lines = "\n".join(" ".join(repr(float(x)) for x in row) for row in q)
        rows = support.run_program("fk", support.robot_file("arm6"), arm.base, arm.tip, text=lines)
        rows = np.array([[float(x) for x in line.split()] for line in rows.splitlines()])
        np.testing.assert_allclose(arm.fk(arm.ik_batch(rows)), arm.fk(q), atol=1e-6)
        np.testing.assert_allclose(arm.fk(arm.ik(rows[0])), arm.fk(q[0]), atol=1e-6)

    def test_free_axes_need_not_match(self):
        arm = support.load_arm("arm6")
        pose = arm.fk(support.random_positions(arm, 1)[0])
        found = arm.fk(arm.ik(pose, free="rx,ry,rz"))
        np.testing.assert_allclose(found[:3, 3], pose[:3, 3], atol=1e-6)


class Dynamics(unittest.TestCase):
    def setUp(self):
        self.arm = support.load_arm("arm6")
        self.q, self.qd, self.qdd = (support.random_positions(self.arm, 10, s) for s in (1, 2, 3))

    def test_the_equation_of_motion_holds(self):
        mass = self.arm.mass_matrix(self.q)
        tau = self.arm.rnea(self.q, self.qd, self.qdd)
        bias = self.arm.rnea(self.q, self.qd)
        np.testing.assert_allclose(np.einsum("nij,nj->ni", mass, self.qdd) + bias, tau, atol=1e-9)
        np.testing.assert_allclose(mass, mass.transpose(0, 2, 1), atol=1e-12)
        self.assertTrue(np.all(np.linalg.eigvalsh(mass) > 0))

    def test_derivatives_are_slopes(self):
        tau = self.arm.rnea(self.q, self.qd, self.qdd)
        for derive, function, third in ((self.arm.rnea_derivatives, self.arm.rnea, self.qdd),
                                        (self.arm.forward_dynamics_derivatives,
                                         self.arm.forward_dynamics, tau)):
            arguments = [self.q, self.qd, third]
            matrices = derive(*arguments)
            self.assertEqual(len(matrices), 3)
            for k in range(3):
                self.assertEqual(matrices[k].shape, self.q.shape + self.q.shape[-1:])
                for j in range(self.arm.dof):
                    step = np.zeros(self.arm.dof)
                    step[j] = 1e-5
                    ahead = [a + step if i == k else a for i, a in enumerate(arguments)]
                    behind = [a - step if i == k else a for i, a in enumerate(arguments)]
                    slope = (function(*ahead) - function(*behind)) / 2e-5
                    scale = 1 + np.abs(matrices[k]).max()
                    np.testing.assert_allclose(matrices[k][..., j], slope, atol=1e-6 * scale)

    def test_forward_dynamics_undoes_inverse(self):
        tau = self.arm.rnea(self.q, self.qd, self.qdd)
        np.testing.assert_allclose(self.arm.forward_dynamics(self.q, self.qd, tau), self.qdd,
                                   atol=1e-6)

    def test_without_gravity_nothing_holds_the_arm(self):
        np.testing.assert_allclose(self.arm.rnea(self.q, gravity=(0, 0, 0)), 0, atol=1e-12)
        self.assertGreater(np.abs(self.arm.rnea(self.q)).max(), 1)


class Distances(unittest.TestCase):
    def test_they_are_those_of_the_program(self):
        robot = sinew.load(support.robot_file("arm6"))
        arm = support.load_arm("arm6")
        q = support.random_positions(arm, 10)
        lines = "\n".join(" ".join(repr(float(x)) for x in row) for row in q)
        printed = support.run_program("distance", support.robot_file("arm6"), text=lines)
        many = robot.distance(q)
        for i, line in enumerate(printed.splitlines()):
            number, first, second = line.split()
            self.assertAlmostEqual(robot.distance(q[i]), float(number), delta=1e-9)
            self.assertAlmostEqual(many[i], float(number), delta=1e-9)
            self.assertEqual(robot.nearest(q[i])[1:], (first, second))


class Motions(unittest.TestCase):
    def test_it_passes_the_waypoints_within_its_limits(self):
        arm = support.load_arm("arm6")
        points = support.random_positions(arm, 4)
        motion = arm.retime(points, velocity=0.5, acceleration=[1.0] * 6, jerk=8)
        t = np.linspace(0, motion.duration, 2001)
        q, qd, qdd = motion.at(t)
        np.testing.assert_allclose(q[[0, -1]], points[[0, -1]], atol=1e-9)
        np.testing.assert_allclose(qd[[0, -1]], 0, atol=1e-9)
        for point in points:
            self.assertLess(np.abs(q - point).max(axis=1).min(), 0.5 * t[1])
        self.assertLessEqual(np.abs(qd).max(), 0.5 + 1e-9)
        self.assertLessEqual(np.abs(qdd).max(), 1.0 + 1e-9)
        np.testing.assert_allclose(np.diff(q, axis=0) / t[1], (qd[1:] + qd[:-1]) / 2, atol=1e-4)
        one = motion.at(float(t[700]))
        np.testing.assert_array_equal(one[0], q[700])


class Reprs(unittest.TestCase):
    def test_they_say_what_it_is(self):
        robot = sinew.load(support.robot_file("arm6"))
        arm = robot.chain("arm")
        self.assertIn("'arm6'", repr(robot))
        self.assertIn("6 joints", repr(arm))
        self.assertEqual((arm.base, arm.tip), ("base_link", "tool0"))
        self.assertIs(arm.robot, robot)
        self.assertIn(" s>", repr(arm.retime(np.zeros((2, 6)) + [[0.0], [0.2]])))


if __name__ == "__main__":
    support.main()
