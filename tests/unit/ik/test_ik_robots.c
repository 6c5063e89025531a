/* The interface with the built-in solvers on the robots that come along. */
#include "ik_robot.h"

static const char *const tool[] = {"tool0"};
static const char *const leg[] = {"leg1_link6"};
static const char *const legs[] = {"leg1_link6", "leg2_link6", "leg3_link6", "leg4_link6",
                                   "nose_link"};

static void search_finds(const char *file, const char *const *tips, size_t tip_count,
                         const char *solver, size_t cases) {
  ik_robot r;
  robot_open(&r, file, tips, tip_count, solver);
  sn_random random;
  sn_random_init(&random, 17);
  double seed[ROBOT_JOINTS_MAX];
  robot_seed(&r, seed);
  for (size_t k = 0; k < cases; k++) {
    double q[ROBOT_JOINTS_MAX];
    double solution[ROBOT_JOINTS_MAX];
    sn_pose targets[8];
    robot_draw(&r, &random, q);
    robot_tips_at(&r, q, targets);
    if (sn_ik_search(r.ik, targets, tip_count, seed, r.n, 1.0, NULL, solution, NULL) != SN_IK_OK) {
      fail_msg("%s by %s: case %zu not found", file, solver, k);
    }
    robot_check(&r, solution, targets);
  }
  robot_close(&r);
}

SN_TEST(reachable_poses_are_found_by_every_solver) {
  static const char *const arms[] = {"arm6", "arm_ur", "arm7"};
  static const char *const solvers[] = {"auto", "numeric"};
  for (size_t s = 0; s < 2; s++) {
    for (size_t a = 0; a < 3; a++) {
      search_finds(arms[a], tool, 1, solvers[s], sn_test_cases(300));
    }
    search_finds("quadruped", leg, 1, solvers[s], sn_test_cases(300));
  }
  search_finds("arm6", tool, 1, "analytic", sn_test_cases(300));
  search_finds("arm_ur", tool, 1, "analytic", sn_test_cases(300));
  search_finds("quadruped", leg, 1, "analytic", sn_test_cases(300));
}

SN_TEST(whole_body_is_solved_at_once) {
  search_finds("quadruped", legs, 5, "auto", sn_test_cases(30));
  search_finds("quadruped", legs, 5, "whole_body", sn_test_cases(30));
}

/* The pose that made the target must be among all solutions, whichever branch it is on. */
SN_TEST(all_solutions_contain_the_one_that_made_the_target) {
  static const char *const arms[] = {"arm6", "arm_ur", "quadruped"};
  for (size_t a = 0; a < 3; a++) {
    ik_robot r;
    robot_open(&r, arms[a], a == 2 ? leg : tool, 1, "auto");
    sn_random random;
    sn_random_init(&random, 23);
    for (size_t k = 0; k < sn_test_cases(200); k++) {
      double q[6];
      double solutions[16][6];
      sn_pose target;
      sn_ik_result result;
      robot_draw(&r, &random, q);
      robot_tips_at(&r, q, &target);
      assert_int_equal(sn_ik_get_all(r.ik, &target, 1, q, 6, NULL, solutions[0], 16, &result),
                       SN_IK_OK);
      for (size_t i = 0; i < 6; i++) {
        sn_assert_near(solutions[0][i], q[i], 1e-3); /* it is the seed: nearest, so first */
      }
      double last = 0.0;
      for (size_t s = 0; s < result.solution_count; s++) {
        robot_check(&r, solutions[s], &target);
        double distance = 0.0;
        for (size_t i = 0; i < 6; i++) {
          distance += (solutions[s][i] - q[i]) * (solutions[s][i] - q[i]);
        }
        assert_true(distance >= last);
        last = distance;
      }
    }
    robot_close(&r);
  }
}

/* The library's own solvers report the errors that they have found; here the robot's forward
 * kinematics finds them. @return how many were above rounding */
static size_t errors_are_true(const char *file, const char *const *tip, const char *solver,
                              double tolerance) {
  ik_robot r;
  robot_open_within(&r, file, tip, 1, solver, tolerance);
  sn_random random;
  sn_random_init(&random, 41);
  double seed[ROBOT_JOINTS_MAX];
  robot_seed(&r, seed);
  size_t inexact = 0;
  for (size_t k = 0; k < sn_test_cases(100); k++) {
    double q[ROBOT_JOINTS_MAX], solutions[16 * ROBOT_JOINTS_MAX];
    sn_pose target, there;
    sn_ik_result result;
    robot_draw(&r, &random, q);
    robot_tips_at(&r, q, &target);
    const bool all = k % 2 == 0;
    const sn_ik_code code =
        all ? sn_ik_get_all(r.ik, &target, 1, seed, r.n, NULL, solutions, 16, &result)
            : sn_ik_search(r.ik, &target, 1, seed, r.n, 1.0, NULL, solutions, &result);
    assert_int_equal(code, SN_IK_OK);
    robot_tips_at(&r, solutions, &there);
    const sn_pose gap = sn_pose_between(target, there);
    const double position_m = sn_vec3_norm(gap.pos),
                 rotation_rad = sn_vec3_norm(sn_mat3_log(gap.rot));
    sn_assert_near(result.position_error_m, position_m, 1e-12);
    assert_true(result.rotation_error_rad >= rotation_rad - 1e-12);
    assert_true(result.rotation_error_rad <= 1.4143 * rotation_rad + 1e-12);
    inexact += position_m > 1e-10 ? 1 : 0;
  }
  robot_close(&r);
  return inexact;
}

SN_TEST(errors_of_a_result_are_those_of_its_first_solution) {
  static const char *const arms[] = {"arm6", "arm_ur", "arm7"};
  size_t inexact = 0;
  for (size_t a = 0; a < 3; a++) {
    errors_are_true(arms[a], tool, "auto", 0.0);
    errors_are_true(arms[a], tool, "numeric", 0.0);
    inexact += errors_are_true(arms[a], tool, "numeric", 0.01);
  }
  errors_are_true("quadruped", leg, "auto", 0.0);
  assert_true(inexact > 50);
}

/* A target a little way off is reached by a little motion: no jump to another branch. */
SN_TEST(nearest_solution_follows_a_path) {
  static const char *const arms[] = {"arm6", "arm_ur", "arm7"};
  for (size_t a = 0; a < 3; a++) {
    ik_robot r;
    robot_open(&r, arms[a], tool, 1, "auto");
    sn_random random;
    sn_random_init(&random, 29);
    for (size_t k = 0; k < sn_test_cases(200); k++) {
      double q[7];
      double there[7];
      double solution[7];
      sn_pose target;
      robot_draw(&r, &random, q);
      for (size_t i = 0; i < r.n; i++) {
        double lower;
        double upper;
        sn_ik_limits(r.ik, i, &lower, &upper);
        there[i] = fmin(fmax(q[i] + sn_random_between(&random, -0.01, 0.01), lower), upper);
      }
      robot_tips_at(&r, there, &target);
      assert_int_equal(sn_ik_get_position(r.ik, &target, q, r.n, NULL, solution), SN_IK_OK);
      robot_check(&r, solution, &target);
      double moved = 0.0;
      double needed = 0.0;
      for (size_t i = 0; i < r.n; i++) {
        moved += (solution[i] - q[i]) * (solution[i] - q[i]);
        needed += (there[i] - q[i]) * (there[i] - q[i]);
      }
      /* Near a singularity a solver may trade one joint for another, but never flips a branch. */
      assert_true(sqrt(moved) <= 2.0 * sqrt(needed) + 0.05);
    }
    robot_close(&r);
  }
}

SN_TEST(unreachable_pose_has_no_solution) {
  static const char *const arms[] = {"arm6", "arm_ur", "arm7"};
  for (size_t a = 0; a < 3; a++) {
    ik_robot r;
    robot_open(&r, arms[a], tool, 1, "auto");
    double seed[7];
    double solution[] = {7, 7, 7, 7, 7, 7, 7};
    robot_seed(&r, seed);
    sn_pose target = sn_pose_identity();
    target.pos.x = 50.0;
    sn_ik_result result;
    assert_int_equal(sn_ik_search(r.ik, &target, 1, seed, r.n, 1.0, NULL, solution, &result),
                     SN_IK_NO_SOLUTION);
    sn_assert_near(solution[0], 7, 0.0);
    const sn_ik_options options = {.return_approximate_solution = true};
    assert_int_equal(sn_ik_search(r.ik, &target, 1, seed, r.n, 1.0, &options, solution, &result),
                     SN_IK_NO_SOLUTION);
    assert_true(result.approximate);
    assert_true(result.position_error_m < 50.0);
    robot_close(&r);
  }
}

/* 7R with the third joint redundant: every method finds a solution that keeps or varies it. */
SN_TEST(redundant_joint_is_kept_or_varied_on_request) {
  ik_robot r;
  robot_open(&r, "arm7", tool, 1, "auto");
  const int third[] = {2};
  assert_int_equal(sn_ik_set_redundant_joints(r.ik, third, 1, NULL), SN_OK);
  sn_random random;
  sn_random_init(&random, 31);
  for (size_t k = 0; k < sn_test_cases(50); k++) {
    double q[7];
    double seed[7];
    double solution[7];
    sn_pose target;
    robot_draw(&r, &random, q);
    robot_tips_at(&r, q, &target);
    robot_seed(&r, seed);
    seed[2] = q[2];
    assert_int_equal(sn_ik_search(r.ik, &target, 1, seed, 7, 1.0, NULL, solution, NULL), SN_IK_OK);
    sn_assert_near(solution[2], q[2], 0.0);
    robot_check(&r, solution, &target);
    seed[2] = 0.0;
    for (int method = SN_IK_ALL_DISCRETIZED; method <= SN_IK_SOME_RANDOM_SAMPLED; method++) {
      const sn_ik_options options = {.discretization_method = (sn_ik_discretization)method};
      const sn_ik_code code =
          sn_ik_search(r.ik, &target, 1, seed, 7, 1.0, &options, solution, NULL);
      /* The grid may miss a narrow window; what is found is true. */
      if (code == SN_IK_OK) {
        robot_check(&r, solution, &target);
      } else {
        assert_int_equal(code, SN_IK_NO_SOLUTION);
        assert_true(method <= SN_IK_SOME_DISCRETIZED);
      }
    }
  }
  robot_close(&r);
}

/* A leg of five joints cannot hold a pose of six numbers, but it can leave one axis free. */
SN_TEST(leg_of_five_joints_leaves_an_axis_free) {
  static const char *const hoof[] = {"leg1_link5"};
  ik_robot r;
  robot_open(&r, "quadruped", hoof, 1, "auto");
  assert_int_equal(r.n, 5);
  sn_random random;
  sn_random_init(&random, 37);
  const unsigned axes[] = {SN_IK_FREE_RX, SN_IK_FREE_RY, SN_IK_FREE_RZ, SN_IK_FREE_ROTATION};
  for (size_t k = 0; k < sn_test_cases(100); k++) {
    double q[5];
    double seed[5];
    double solution[5];
    sn_pose target;
    robot_draw(&r, &random, q);
    robot_tips_at(&r, q, &target);
    robot_seed(&r, seed);
    const sn_ik_options options = {.free_axes = axes[k % 4]};
    assert_int_equal(sn_ik_search(r.ik, &target, 1, seed, 5, 1.0, &options, solution, NULL),
                     SN_IK_OK);
    sn_pose there;
    robot_tips_at(&r, solution, &there);
    sn_assert_near(sn_vec3_norm(sn_vec3_sub(there.pos, target.pos)), 0.0, 1.1e-6);
    if (k % 4 < 3) { /* the free axis itself points the same way */
      const sn_vec3 a = k % 4 == 0 ? there.rot.x : k % 4 == 1 ? there.rot.y : there.rot.z;
      const sn_vec3 b = k % 4 == 0 ? target.rot.x : k % 4 == 1 ? target.rot.y : target.rot.z;
      sn_assert_near(sn_vec3_norm(sn_vec3_cross(a, b)), 0.0, 2e-5);
    }
  }
  robot_close(&r);
}

/* With an axis free, six joints have a continuum of solutions: no closed form decides that. */
SN_TEST(free_axis_of_a_six_joint_arm_is_used) {
  ik_robot r;
  robot_open(&r, "arm6", tool, 1, "auto");
  sn_random random;
  sn_random_init(&random, 43);
  const sn_ik_options options = {.free_axes = SN_IK_FREE_RZ};
  for (size_t k = 0; k < sn_test_cases(20); k++) {
    double q[6];
    double solutions[4][6];
    sn_pose target;
    sn_ik_result result;
    robot_draw(&r, &random, q);
    robot_tips_at(&r, q, &target);
    assert_int_equal(sn_ik_get_all(r.ik, &target, 1, q, 6, &options, solutions[0], 4, &result),
                     SN_IK_OK);
    for (size_t s = 0; s < result.solution_count; s++) {
      sn_pose there;
      robot_tips_at(&r, solutions[s], &there);
      sn_assert_near(sn_vec3_norm(sn_vec3_sub(there.pos, target.pos)), 0.0, 1.1e-6);
      sn_assert_near(sn_vec3_dot(there.rot.z, target.rot.z), 1.0, 1e-9);
    }
  }
  robot_close(&r);
}
