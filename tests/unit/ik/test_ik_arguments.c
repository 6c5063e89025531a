/* Arguments, options and approximate answers of a query. The solver is the fake one (ik_fake.h). */
#include "ik_fake.h"
#include "sinew/ik.h"

static const double seed[] = {0.3, 0.1, 0.5};

SN_TEST(wrong_input_has_its_own_code) {
  world_create();
  const sn_pose pose = tip_at("tip", seed);
  const sn_pose two[] = {pose, pose};
  double solution[] = {7, 7, 7};
  sn_ik_result result;
#define SEARCH(poses, count, q, n, timeout) \
  sn_ik_search(world.ik, poses, count, q, n, timeout, NULL, solution, &result)
  assert_int_equal(SEARCH(two, 0, seed, 3, 1), SN_IK_EMPTY_TIP_POSES);
  assert_int_equal(result.kinematic_error, SN_IK_EMPTY_TIP_POSES);
  assert_explains("no pose given");
  assert_int_equal(SEARCH(NULL, 0, seed, 3, 1), SN_IK_EMPTY_TIP_POSES);
  assert_int_equal(SEARCH(two, 2, seed, 3, 1), SN_IK_MULTIPLE_TIPS_NOT_SUPPORTED);
  assert_explains("2 poses given, but the group has one tip");
  assert_int_equal(SEARCH(&pose, 1, seed, 2, 1), SN_IK_INVALID_ARGUMENT);
  assert_explains("seed has 2 entries, the group has 3 joints");
  assert_int_equal(SEARCH(&pose, 1, NULL, 3, 1), SN_IK_INVALID_ARGUMENT);
  const double nan[] = {0, 0, NAN};
  assert_int_equal(SEARCH(&pose, 1, nan, 3, 1), SN_IK_INVALID_ARGUMENT);
  assert_explains("seed of joint 'spin' is nan");
  const double outside[] = {0, 0.6, 0};
  assert_int_equal(SEARCH(&pose, 1, outside, 3, 1), SN_IK_SEED_OUTSIDE_LIMITS);
  assert_explains("seed of joint 'slide' is 0.6, outside -0.5 .. 0.5");
  assert_int_equal(SEARCH(&pose, 1, seed, 3, -1), SN_IK_INVALID_ARGUMENT);
  assert_explains("timeout is -1 s");
  assert_int_equal(SEARCH(&pose, 1, seed, 3, NAN), SN_IK_INVALID_ARGUMENT);
#undef SEARCH
  assert_int_equal(sn_ik_get_position(world.ik, NULL, seed, 3, NULL, solution),
                   SN_IK_EMPTY_TIP_POSES);
  assert_int_equal(sn_ik_get_all(world.ik, &pose, 1, seed, 3, NULL, solution, 0, NULL),
                   SN_IK_INVALID_ARGUMENT);
  assert_int_equal(sn_ik_get_position(NULL, &pose, seed, 3, NULL, solution),
                   SN_IK_SOLVER_NOT_ACTIVE);
  assert_int_equal(sn_ik_get_all(NULL, &pose, 1, seed, 3, NULL, solution, 1, &result),
                   SN_IK_SOLVER_NOT_ACTIVE);
  assert_int_equal(result.kinematic_error, SN_IK_SOLVER_NOT_ACTIVE);
  assert_int_equal(sn_ik_search(NULL, &pose, 1, seed, 3, 1, NULL, solution, NULL),
                   SN_IK_SOLVER_NOT_ACTIVE);
  char text[100];
  sn_ik_explain(NULL, text, sizeof text);
  sn_assert_contains(text, "no solver");
  assert_int_equal(fake.call_count, 0); /* none of it reached the solver */
  for (size_t i = 0; i < 3; i++) {
    sn_assert_near(solution[i], 7, 0.0);
  }
}

SN_TEST(wrong_options_are_reported_separately) {
  world_create();
  const sn_pose pose = tip_at("tip", seed);
  const double two[] = {0.1, 0.1};
  const double negative[] = {0.1, -0.1, 0.1};
  const double nan[] = {0.1, NAN, 0.1};
  const double context[100] = {0};
  const struct {
    sn_ik_options options;
    const char *text;
  } cases[] = {
      {{.consistency_limits = two, .consistency_count = 2}, "2 consistency limits"},
      {{.consistency_limits = negative, .consistency_count = 3}, "joint 'slide' is -0.1"},
      {{.consistency_limits = nan, .consistency_count = 3}, "joint 'slide' is nan"},
      {{.nominal = two, .nominal_count = 2}, "nominal pose has 2 entries"},
      {{.nominal = nan, .nominal_count = 3}, "nominal position of joint 'slide' is nan"},
      {{.context_state = context, .context_count = 100}, "context state has 100 entries"},
      {{.measure = (sn_ik_measure)3}, "3 is not a measure of distance"},
      {{.weights = context, .weight_count = 2}, "2 weights, the group has 3 joints"},
      {{.weights = negative, .weight_count = 3}, "weight of joint 'slide' is -0.1, must be >= 0"},
      {{.weights = nan, .weight_count = 3}, "weight of joint 'slide' is nan"},
      {{.free_axes = 64}, "free_axes 64"},
      {{.free_axes = 63}, "every axis is free"},
  };
  double solution[3];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_int_equal(
        sn_ik_search(world.ik, &pose, 1, seed, 3, 1, &cases[i].options, solution, NULL),
        SN_IK_INVALID_ARGUMENT);
    assert_explains(cases[i].text);
  }
}

SN_TEST(rotation_is_orthonormalised_or_rejected) {
  world_create();
  const sn_pose good = tip_at("tip", seed);
  fake_offer(seed, 3);
  double solution[3];
  sn_pose pose = good;
  pose.rot.x = sn_vec3_scale(pose.rot.x, 1.0005);
  pose.rot.y = sn_vec3_scale(pose.rot.y, 1.0005);
  pose.rot.z = sn_vec3_scale(pose.rot.z, 1.0005);
  assert_int_equal(sn_ik_get_position(world.ik, &pose, seed, 3, NULL, solution), SN_IK_OK);
  /* Skewed columns, too: what the solver sees is a rotation, half-way between them. */
  pose = good;
  pose.rot.x = sn_vec3_add_scaled(pose.rot.x, 8e-4, good.rot.y);
  sn_ik_get_position(world.ik, &pose, seed, 3, NULL, solution);
  const sn_mat3 r = fake.target.rot;
  sn_assert_near(sn_vec3_dot(r.x, r.y), 0.0, 1e-15);
  sn_assert_near(sn_vec3_norm(r.x), 1.0, 1e-15);
  sn_assert_near(sn_vec3_dot(r.x, good.rot.y), 4e-4, 1e-8);
  sn_pose bad[6] = {good, good, good, good, good, good};
  bad[5].rot.z = sn_vec3_scale(good.rot.z, 1.0011);
  bad[0].rot.x = sn_vec3_scale(good.rot.x, 1.01);
  bad[1].rot.y = good.rot.x;
  bad[2].rot.z = sn_vec3_neg(good.rot.z); /* a reflection */
  memset(&bad[3].rot, 0, sizeof bad[3].rot);
  bad[4].rot.y.z = NAN;
  for (size_t i = 0; i < 6; i++) {
    assert_int_equal(sn_ik_get_position(world.ik, &bad[i], seed, 3, NULL, solution),
                     SN_IK_INVALID_ARGUMENT);
    assert_explains(i == 4 ? "not finite" : "pose 0 does not have a rotation matrix");
  }
  pose = good;
  pose.pos.x = INFINITY;
  assert_int_equal(sn_ik_get_position(world.ik, &pose, seed, 3, NULL, solution),
                   SN_IK_INVALID_ARGUMENT);
}

SN_TEST(no_time_returns_at_once) {
  world_create();
  const sn_pose pose = tip_at("tip", seed);
  double solution[3];
  assert_int_equal(sn_ik_search(world.ik, &pose, 1, seed, 3, 0.0, NULL, solution, NULL),
                   SN_IK_TIMED_OUT);
  assert_int_equal(fake.call_count, 0);
  assert_explains("no time");
  fake.code = SN_IK_TIMED_OUT;
  assert_int_equal(sn_ik_search(world.ik, &pose, 1, seed, 3, 1.0, NULL, solution, NULL),
                   SN_IK_TIMED_OUT);
  assert_explains("time ran out");
  assert_int_equal(sn_ik_search(world.ik, &pose, 1, seed, 3, INFINITY, NULL, solution, NULL),
                   SN_IK_TIMED_OUT);
  assert_true(fake.query.deadline_ns > world.clock.now_ns);
}

SN_TEST(approximate_pose_is_returned_but_not_as_a_solution) {
  world_create();
  const double q[] = {0.7, -0.2, 1.1};
  const double near[] = {0.69, -0.21, 1.1};
  const double outside[] = {0.69, -0.9, 1.1};
  const sn_pose pose = tip_at("tip", q);
  const sn_ik_options options = {.return_approximate_solution = true};
  double solution[] = {7, 7, 7};
  sn_ik_result result;
  fake.code = SN_IK_NO_SOLUTION;
  fake.approximate = near;
  assert_int_equal(sn_ik_search(world.ik, &pose, 1, seed, 3, 1.0, &options, solution, &result),
                   SN_IK_NO_SOLUTION);
  assert_true(result.approximate);
  assert_int_equal(result.solution_count, 0);
  assert_memory_equal(solution, near, sizeof near);
  const sn_pose there = tip_at("tip", near);
  sn_assert_near(result.position_error_m, sn_vec3_norm(sn_vec3_sub(there.pos, pose.pos)), 1e-12);
  assert_true(result.rotation_error_rad > 1e-3);
  /* It never leaves the limits, even if the solver has. */
  fake.approximate = outside;
  sn_ik_search(world.ik, &pose, 1, seed, 3, 1.0, &options, solution, &result);
  sn_assert_near(solution[1], seed[1], 0.0);
  /* A solver that knows none leaves the seed. */
  fake.approximate = NULL;
  assert_int_equal(sn_ik_get_position(world.ik, &pose, seed, 3, &options, solution),
                   SN_IK_NO_SOLUTION);
  assert_memory_equal(solution, seed, sizeof seed);
}

SN_TEST(free_axes_ignore_only_their_own_errors) {
  world_create();
  const double q[] = {0.7, -0.2, 1.1};
  fake_offer(q, 3);
  const unsigned bits[] = {SN_IK_FREE_X,  SN_IK_FREE_Y,  SN_IK_FREE_Z,
                           SN_IK_FREE_RX, SN_IK_FREE_RY, SN_IK_FREE_RZ};
  double solution[3];
  for (size_t off = 0; off < 6; off++) {
    /* The tip is off by 0.7 along or about one axis of the target's own frame. */
    sn_pose shift = sn_pose_identity();
    const sn_vec3 unit = {off % 3 == 0, off % 3 == 1, off % 3 == 2};
    if (off < 3) {
      shift.pos = sn_vec3_scale(unit, 0.7);
    } else {
      shift.rot = sn_mat3_from_axis_angle(unit, 0.7);
    }
    const sn_pose pose = sn_pose_mul(tip_at("tip", q), sn_pose_inverse(shift));
    for (size_t given = 0; given < 6; given++) {
      const sn_ik_options options = {.free_axes = bits[given]};
      assert_int_equal(sn_ik_get_position(world.ik, &pose, seed, 3, &options, solution),
                       given == off ? SN_IK_OK : SN_IK_NO_SOLUTION);
    }
    const sn_ik_options position_only = {.free_axes = SN_IK_FREE_ROTATION};
    assert_int_equal(sn_ik_get_position(world.ik, &pose, seed, 3, &position_only, solution),
                     off >= 3 ? SN_IK_OK : SN_IK_NO_SOLUTION);
  }
}

SN_TEST(every_tip_counts) {
  world.config.tip_frames = fake_tips;
  world.config.tip_count = 2;
  world_create();
  const double zero[5] = {0};
  const double q[] = {0.7, -0.2, 1.1, 0.45, -0.4}; /* follow = 0.5 turn + 0.1 */
  const double tip_q[] = {q[0], q[1], q[2]};
  const double side_q[] = {q[0], q[3], q[4]};
  const double wrong_follower[] = {0.7, -0.2, 1.1, 0.0, -0.4};
  sn_pose poses[] = {tip_at("tip", tip_q), tip_at("side", side_q)};
  double solution[5];
  fake_offer(wrong_follower, 5); /* what follows is made to follow */
  assert_int_equal(sn_ik_search(world.ik, poses, 2, zero, 5, 1.0, NULL, solution, NULL), SN_IK_OK);
  for (size_t i = 0; i < 5; i++) {
    sn_assert_near(solution[i], q[i], 1e-15);
  }
  sn_assert_near(fake.seeds[0][3], 0.1, 1e-15); /* in the seed, too */
  poses[1].pos.x += 1e-4;
  assert_int_equal(sn_ik_search(world.ik, poses, 2, zero, 5, 1.0, NULL, solution, NULL),
                   SN_IK_NO_SOLUTION);
  poses[1].pos.x -= 1e-4;
  poses[0].pos.x += 1e-4;
  assert_int_equal(sn_ik_search(world.ik, poses, 2, zero, 5, 1.0, NULL, solution, NULL),
                   SN_IK_NO_SOLUTION);
  assert_int_equal(sn_ik_search(world.ik, poses, 1, zero, 5, 1.0, NULL, solution, NULL),
                   SN_IK_INVALID_ARGUMENT);
  assert_explains("1 poses given, but the group has 2 tips");
  assert_int_equal(sn_ik_search(world.ik, poses, 0, zero, 5, 1.0, NULL, solution, NULL),
                   SN_IK_EMPTY_TIP_POSES);
  assert_int_equal(sn_ik_get_position(world.ik, poses, zero, 5, NULL, solution),
                   SN_IK_MULTIPLE_TIPS_NOT_SUPPORTED);
}

/* A whole turn of a joint that others follow is not the same pose. */
SN_TEST(joint_with_mimics_is_not_turned) {
  world.config.tip_frames = fake_tips;
  world.config.tip_count = 2;
  world_create();
  const double lower[] = {-20, -20, -20, -20, -20};
  const double upper[] = {20, 20, 20, 20, 20};
  assert_int_equal(sn_ik_set_limits(world.ik, lower, upper, 5, NULL), SN_OK);
  const double zero[5] = {0};
  const double q[] = {5.0, -0.2, 1.1, 2.6, -0.4};
  const double tip_q[] = {q[0], q[1], q[2]};
  const double side_q[] = {q[0], q[3], q[4]};
  const sn_pose poses[] = {tip_at("tip", tip_q), tip_at("side", side_q)};
  double solution[5];
  fake_offer(q, 5);
  assert_int_equal(sn_ik_search(world.ik, poses, 2, zero, 5, 1.0, NULL, solution, NULL), SN_IK_OK);
  sn_assert_near(solution[0], 5.0, 0.0);
  sn_assert_near(solution[3], 2.6, 1e-15);
}

SN_TEST(mimic_of_an_outside_joint_uses_the_context) {
  static const char *const f[] = {"f"};
  world.config.tip_frames = f;
  world_create(); /* turn, slide, echo = 2 lift */
  const double zero[] = {0, 0, 0};
  const double wish[] = {0.3, 0.2, 5.0};
  const double q[] = {0.3, 0.2, 1.4};
  const sn_pose pose = tip_at("f", q);
  double context[32] = {0};
  const size_t context_count = sn_model_pose_size(world.model);
  context[sn_model_joint_index(world.model, "lift")] = 0.7;
  const sn_ik_options options = {.context_state = context, .context_count = context_count};
  double solution[3];
  fake_offer(wish, 3);
  assert_int_equal(sn_ik_search(world.ik, &pose, 1, zero, 3, 1.0, &options, solution, NULL),
                   SN_IK_OK);
  assert_true(fake.locked[2]);
  sn_assert_near(fake.seeds[0][2], 1.4, 1e-15);
  sn_assert_near(solution[2], 1.4, 1e-15);
  /* Without it, the seed says where it is. */
  assert_int_equal(sn_ik_search(world.ik, &pose, 1, zero, 3, 1.0, NULL, solution, NULL),
                   SN_IK_NO_SOLUTION);
  assert_true(fake.locked[2]);
  assert_int_equal(sn_ik_search(world.ik, &pose, 1, q, 3, 1.0, NULL, solution, NULL), SN_IK_OK);
  context[sn_model_joint_index(world.model, "lift")] = NAN;
  assert_int_equal(sn_ik_search(world.ik, &pose, 1, zero, 3, 1.0, &options, solution, NULL),
                   SN_IK_INVALID_ARGUMENT);
  assert_explains("context state of joint 'lift' is nan");
}

SN_TEST(random_sequence_restarts_in_every_query) {
  world_create();
  const sn_pose pose = tip_at("tip", seed);
  double solution[3];
  sn_ik_search(world.ik, &pose, 1, seed, 3, 1.0, NULL, solution, NULL);
  const double first = fake.unit;
  sn_ik_search(world.ik, &pose, 1, seed, 3, 1.0, NULL, solution, NULL);
  sn_assert_near(fake.unit, first, 0.0);
  sn_ik_set_random_seed(world.ik, 1);
  sn_ik_search(world.ik, &pose, 1, seed, 3, 1.0, NULL, solution, NULL);
  assert_true(fake.unit != first);
}

SN_TEST_EACH(world_setup, world_teardown)
