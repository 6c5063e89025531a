/* What a query promises, whatever the solver does. */
#include "ik_fake.h"
#include "sinew/ik.h"

static const double seed[] = {0.3, 0.1, 0.5};

SN_TEST(true_candidate_is_returned) {
  world_create();
  const double q[] = {0.7, -0.2, 1.1};
  const sn_pose pose = tip_at("tip", q);
  fake_offer(q, 3);
  double solution[3];
  assert_int_equal(sn_ik_get_position(world.ik, &pose, seed, 3, NULL, solution), SN_IK_OK);
  assert_memory_equal(solution, q, sizeof q);
  sn_ik_result result;
  assert_int_equal(sn_ik_search(world.ik, &pose, 1, seed, 3, 1.0, NULL, solution, &result),
                   SN_IK_OK);
  assert_int_equal(result.kinematic_error, SN_IK_OK);
  assert_int_equal(result.solution_count, 1);
  sn_assert_near(result.solution_percentage, 1.0, 0.0);
  sn_assert_near(result.position_error_m, 0.0, 1e-12);
  sn_assert_near(result.rotation_error_rad, 0.0, 1e-7);
  assert_false(result.approximate);
}

SN_TEST(lying_solver_is_caught) {
  world_create();
  const double q[] = {0.7, -0.2, 1.1};
  const sn_pose pose = tip_at("tip", q);
  const double lies[][3] = {
      {0.7, -0.2, 1.1001}, {0.7, -0.20002, 1.1}, {NAN, -0.2, 1.1}, {0.7, INFINITY, 1.1}, {0, 0, 0}};
  for (size_t i = 0; i < 5; i++) {
    fake_offer(lies[i], 3);
  }
  double solution[] = {7, 7, 7};
  const double untouched[] = {7, 7, 7};
  sn_ik_result result;
  assert_int_equal(sn_ik_get_position(world.ik, &pose, seed, 3, NULL, solution), SN_IK_NO_SOLUTION);
  assert_int_equal(sn_ik_search(world.ik, &pose, 1, seed, 3, 1.0, NULL, solution, &result),
                   SN_IK_NO_SOLUTION);
  assert_int_equal(result.searched_count, 5);
  assert_int_equal(result.untrue_count, 3);
  assert_int_equal(result.outside_limits_count, 2);
  assert_explains("no solution: 5 searched, 2 outside limits, 3 not at the target");
  assert_int_equal(sn_ik_get_all(world.ik, &pose, 1, seed, 3, NULL, solution, 1, &result),
                   SN_IK_NO_SOLUTION);
  sn_assert_near(result.solution_percentage, 0.0, 0.0);
  assert_memory_equal(solution, untouched, sizeof solution);
}

/* A pose that is off by slightly less than the tolerance passes, slightly more does not; for every
   kind of error alone. */
SN_TEST(tolerance_is_exact) {
  world.config.position_tolerance_m = 1e-3;
  world.config.rotation_tolerance_rad = 2e-3;
  world_create();
  const double q[] = {0.7, -0.2, 1.1};
  fake_offer(q, 3);
  double solution[3];
  for (int axis = 0; axis < 3; axis++) {
    for (int side = 0; side < 2; side++) {
      const double factor = side == 0 ? 0.999 : 1.001;
      const sn_vec3 unit = {axis == 0, axis == 1, axis == 2};
      const sn_ik_code expected = side == 0 ? SN_IK_OK : SN_IK_NO_SOLUTION;
      sn_pose pose = tip_at("tip", q);
      pose.pos = sn_vec3_add_scaled(pose.pos, 1e-3 * factor, unit);
      assert_int_equal(sn_ik_get_position(world.ik, &pose, seed, 3, NULL, solution), expected);
      pose = tip_at("tip", q);
      pose.rot = sn_mat3_mul(pose.rot, sn_mat3_from_axis_angle(unit, 2e-3 * factor));
      assert_int_equal(sn_ik_get_position(world.ik, &pose, seed, 3, NULL, solution), expected);
    }
  }
}

SN_TEST(limits_hold_and_rounding_is_clamped) {
  world_create();
  const double outside[] = {0.7, 0.5 + 1e-6, 1.1};
  const double rounded[] = {0.7, 0.5 + 1e-12, 1.1};
  const double inside[] = {0.7, 0.5, 1.1};
  const sn_pose pose = tip_at("tip", inside);
  double solution[3];
  fake_offer(outside, 3);
  assert_int_equal(sn_ik_get_position(world.ik, &pose, seed, 3, NULL, solution), SN_IK_NO_SOLUTION);
  fake_offer(rounded, 3);
  assert_int_equal(sn_ik_get_position(world.ik, &pose, seed, 3, NULL, solution), SN_IK_OK);
  assert_memory_equal(solution, inside, sizeof inside);
}

SN_TEST(replaced_limits_apply) {
  world_create();
  const double q[] = {0.7, 0.4, 1.1};
  const double lower[] = {-4, -0.5, 0};
  const double upper[] = {4, 0.3, 2};
  const sn_pose pose = tip_at("tip", q);
  double solution[3];
  fake_offer(q, 3);
  assert_int_equal(sn_ik_set_limits(world.ik, lower, upper, 3, NULL), SN_OK);
  assert_int_equal(sn_ik_get_position(world.ik, &pose, seed, 3, NULL, solution), SN_IK_NO_SOLUTION);
  sn_assert_near(fake.upper[1], 0.3, 0.0);
  sn_assert_near(fake.upper[2], 2.0, 0.0);
  assert_int_equal(sn_ik_set_limits(world.ik, NULL, NULL, 0, NULL), SN_OK);
  assert_int_equal(sn_ik_get_position(world.ik, &pose, seed, 3, NULL, solution), SN_IK_OK);
}

SN_TEST(turns_are_counted_from_the_seed) {
  world_create();
  const double tau = 2.0 * acos(-1.0);
  const double q[] = {-1.0, -0.2, 1.1};
  const sn_pose pose = tip_at("tip", q);
  fake_offer(q, 3);
  const double far_seed[] = {5.0, 0.1, 20.0};
  double solution[3];
  assert_int_equal(sn_ik_get_position(world.ik, &pose, far_seed, 3, NULL, solution), SN_IK_OK);
  sn_assert_near(solution[0], -1.0 + tau, 1e-12); /* turn: -4 .. 6 */
  sn_assert_near(solution[1], -0.2, 0.0);         /* a slide never turns */
  sn_assert_near(solution[2], 1.1 + 3 * tau, 1e-12);
  /* Beyond the limit the next turn inside it is used. */
  const double low_seed[] = {-3.9, 0.1, 0.0};
  const double high[] = {5.9 - tau, -0.2, 1.1};
  const double low[] = {2.0, -0.2, 1.1};
  const sn_pose high_pose = tip_at("tip", high);
  const sn_pose low_pose = tip_at("tip", low);
  fake.offer_count = 0;
  fake_offer(high, 3);
  assert_int_equal(sn_ik_get_position(world.ik, &high_pose, low_seed, 3, NULL, solution), SN_IK_OK);
  sn_assert_near(solution[0], 5.9 - tau, 1e-12);
  fake.offer_count = 0;
  fake_offer(low, 3); /* nearest to -3.9 would be 2 - tau = -4.28 */
  assert_int_equal(sn_ik_get_position(world.ik, &low_pose, low_seed, 3, NULL, solution), SN_IK_OK);
  sn_assert_near(solution[0], 2.0, 1e-12);
}

SN_TEST(solver_gets_the_query_of_the_user) {
  world.config.position_tolerance_m = 1e-4;
  world_create();
  const sn_pose pose = tip_at("tip", seed);
  const double nominal[] = {0, 0, 0.25};
  const double reach[] = {0.2, 1.0, INFINITY};
  const sn_ik_options options = {.free_axes = SN_IK_FREE_RZ | SN_IK_FREE_X,
                                 .nominal = nominal,
                                 .nominal_count = 3,
                                 .consistency_limits = reach,
                                 .consistency_count = 3};
  double solution[3];
  sn_clock_advance(&world.clock, 500);
  sn_ik_search(world.ik, &pose, 1, seed, 3, 0.25, &options, solution, NULL);
  assert_true(fake.query.restarts);
  assert_false(fake.query.all);
  assert_int_equal(fake.query.deadline_ns, 1500 + 250000000);
  assert_int_equal(fake.query.free_axes, SN_IK_FREE_RZ | SN_IK_FREE_X);
  assert_ptr_equal(fake.query.nominal, nominal);
  assert_null(fake.query.locked);
  assert_null(fake.query.approximate);
  sn_assert_near(fake.query.position_tolerance_m, 1e-4, 0.0);
  sn_assert_near(fake.query.rotation_tolerance_rad, 1e-6, 0.0);
  sn_assert_near(fake.lower[0], 0.1, 1e-15);
  sn_assert_near(fake.upper[0], 0.5, 1e-15);
  sn_assert_near(fake.lower[1], -0.5, 0.0); /* the model's limit is tighter */
  assert_true(isinf(fake.upper[2]));
  assert_memory_equal(fake.seeds[0], seed, sizeof seed);

  sn_ik_get_position(world.ik, &pose, seed, 3, NULL, solution);
  assert_false(fake.query.restarts);
  assert_false(fake.query.all);
  assert_int_equal(fake.query.deadline_ns, 1500 + 1000000000);
  sn_ik_get_all(world.ik, &pose, 1, seed, 3, NULL, solution, 1, NULL);
  assert_true(fake.query.all);
}

SN_TEST(consistency_limits_reject_far_solutions) {
  world_create();
  const double q[] = {0.7, -0.2, 1.1};
  const sn_pose pose = tip_at("tip", q);
  const double wide[] = {0.41, 1, 1};
  const double tight[] = {0.39, 1, 1};
  sn_ik_options options = {.consistency_limits = wide, .consistency_count = 3};
  double solution[3];
  fake_offer(q, 3);
  assert_int_equal(sn_ik_search(world.ik, &pose, 1, seed, 3, 1.0, &options, solution, NULL),
                   SN_IK_OK);
  options.consistency_limits = tight;
  assert_int_equal(sn_ik_search(world.ik, &pose, 1, seed, 3, 1.0, &options, solution, NULL),
                   SN_IK_NO_SOLUTION);
}

static bool accept_second(void *context, const sn_pose *poses, const double *solution) {
  int *calls = context;
  sn_assert_pose_near(poses[0], tip_at("tip", solution), 1e-9);
  return ++*calls == 2;
}

SN_TEST(callback_decides_among_true_solutions) {
  world_create();
  const double lie[] = {0, 0, 0};
  const double q[] = {0.7, -0.2, 1.1};
  const sn_pose pose = tip_at("tip", q);
  fake_offer(lie, 3); /* the callback never sees it */
  fake_offer(q, 3);
  fake_offer(q, 3);
  fake_offer(q, 3);
  int calls = 0;
  const sn_ik_options options = {.callback = accept_second, .callback_context = &calls};
  double solution[3];
  sn_ik_result result;
  assert_int_equal(sn_ik_search(world.ik, &pose, 1, seed, 3, 1.0, &options, solution, &result),
                   SN_IK_OK);
  assert_int_equal(calls, 2);
  assert_int_equal(result.refused_count, 1);
  assert_int_equal(result.searched_count, 3); /* the fourth was not needed */
  sn_assert_near(result.solution_percentage, 1.0 / 3.0, 1e-15);
}

static bool accept_none(void *context, const sn_pose *poses, const double *solution) {
  (void)context;
  (void)poses;
  (void)solution;
  return false;
}

SN_TEST(a_callback_that_accepts_none_has_a_code_of_its_own) {
  world_create();
  const double q[] = {0.7, -0.2, 1.1};
  const sn_pose pose = tip_at("tip", q);
  fake_offer(q, 3);
  const sn_ik_options options = {.callback = accept_none};
  double solution[3];
  assert_int_equal(sn_ik_get_position(world.ik, &pose, seed, 3, &options, solution), SN_IK_REFUSED);
  char text[200];
  sn_ik_explain(world.ik, text, sizeof text);
  sn_assert_contains(text, "all solutions were refused: 1 searched");
  assert_string_equal(sn_ik_code_name(SN_IK_REFUSED), "REFUSED");
}

/* Three candidates, of which one is met twice and one is a lie: one of two. */
SN_TEST(percentage_counts_each_solution_once) {
  world_create();
  const double lie[] = {0, 0, 0};
  const double q[] = {0.7, -0.2, 1.1};
  const sn_pose pose = tip_at("tip", q);
  fake_offer(q, 3);
  fake_offer(lie, 3);
  fake_offer(q, 3);
  double solutions[4][3];
  sn_ik_result result;
  assert_int_equal(sn_ik_get_all(world.ik, &pose, 1, seed, 3, NULL, solutions[0], 4, &result),
                   SN_IK_OK);
  assert_int_equal(result.solution_count, 1);
  assert_int_equal(result.untrue_count, 1);
  assert_int_equal(result.searched_count, 2);
  sn_assert_near(result.solution_percentage, 0.5, 0.0);
}

SN_TEST(all_solutions_come_nearest_first_each_once) {
  world.config.position_tolerance_m = 10.0; /* so that anything is a solution */
  world.config.rotation_tolerance_rad = 4.0;
  world_create();
  const double rows[][3] = {{1, 0, 0},       {0.1, 0, 0},  {0.5, 0, 0},
                            {0.10001, 0, 0}, {-0.3, 0, 0}, {0.09999, 0, 0}};
  const double zero[] = {0, 0, 0};
  const double expected[] = {0.09999, -0.3, 0.5, 1};
  for (size_t i = 0; i < 6; i++) {
    fake_offer(rows[i], 3);
  }
  const sn_pose pose = sn_pose_identity();
  double solutions[8][3];
  sn_ik_result result;
  for (size_t capacity = 1; capacity <= 8; capacity++) {
    memset(solutions, 0, sizeof solutions);
    assert_int_equal(
        sn_ik_get_all(world.ik, &pose, 1, zero, 3, NULL, solutions[0], capacity, &result),
        SN_IK_OK);
    const size_t count = capacity < 4 ? capacity : 4;
    assert_int_equal(result.solution_count, count);
    assert_int_equal(result.searched_count, 4); /* three of the six are the same one */
    sn_assert_near(result.solution_percentage, 1.0, 0.0);
    for (size_t i = 0; i < count; i++) {
      sn_assert_near(solutions[i][0], expected[i], 0.0);
    }
    for (size_t i = count; i < 8; i++) {
      sn_assert_near(solutions[i][0], 0.0, 0.0); /* nothing is written after the last */
    }
  }
}

SN_TEST_EACH(world_setup, world_teardown)

/* ---- what the user decides ---- */

typedef struct verdict {
  int code;
  size_t calls;
} verdict;

static bool refuse_with_code(void *context, const sn_pose *poses, const double *solution) {
  verdict *v = context;
  (void)poses, (void)solution;
  v->code = -10 - (int)v->calls++;
  return false;
}

SN_TEST(code_of_the_last_refusal_is_reported) {
  world_create();
  const sn_pose pose = tip_at("tip", seed);
  const double wider[] = {0.3 + 2.0 * 3.14159265358979323846, 0.1, 0.5};
  verdict v = {0};
  fake_offer(seed, 3);
  fake_offer(wider, 3);
  sn_ik_options options = {
      .callback = refuse_with_code, .callback_context = &v, .callback_code = &v.code};
  double solution[3];
  sn_ik_result result;
  assert_int_equal(sn_ik_search(world.ik, &pose, 1, seed, 3, 1.0, &options, solution, &result),
                   SN_IK_REFUSED);
  assert_int_equal(result.refused_count, v.calls);
  assert_int_equal(result.refusal_code, v.code);
  assert_int_equal(v.code, -10 - (int)(v.calls - 1));
  options.callback_code = NULL;
  assert_int_equal(sn_ik_search(world.ik, &pose, 1, seed, 3, 1.0, &options, solution, &result),
                   SN_IK_REFUSED);
  assert_int_equal(result.refusal_code, 0);
}

/* turn -4 .. 6, slide -0.5 .. 0.5, spin without limits. */
SN_TEST(seed_outside_limits_is_clamped_on_request) {
  world_create();
  const double outside[] = {-9.0, 0.7, 100.0};
  const double inside[] = {-4.0, 0.5, 100.0};
  const sn_pose pose = tip_at("tip", seed);
  fake_offer(seed, 3);
  double solution[3];
  assert_int_equal(sn_ik_search(world.ik, &pose, 1, outside, 3, 1.0, NULL, solution, NULL),
                   SN_IK_SEED_OUTSIDE_LIMITS);
  const sn_ik_options options = {.clamp_seed = true};
  assert_int_equal(sn_ik_search(world.ik, &pose, 1, outside, 3, 1.0, &options, solution, NULL),
                   SN_IK_OK);
  assert_memory_equal(fake.seeds[fake.call_count - 1], inside, sizeof inside);
  sn_assert_near(solution[0], seed[0], 1e-12); /* the only turn that the limits allow */
  sn_assert_near(solution[1], seed[1], 0.0);
}

static bool note_context(const sn_ik_query *query) {
  fake.approximate = query->context_state; /* only compared */
  return false;
}

SN_TEST(solver_gets_the_state_of_the_robot) {
  world_create();
  double context[32] = {0};
  const sn_ik_options options = {.context_state = context,
                                 .context_count = sn_model_pose_size(world.model)};
  const sn_pose pose = tip_at("tip", seed);
  double solution[3];
  fake.reply = note_context;
  (void)sn_ik_search(world.ik, &pose, 1, seed, 3, 1.0, &options, solution, NULL);
  assert_ptr_equal(fake.approximate, context);
  (void)sn_ik_search(world.ik, &pose, 1, seed, 3, 1.0, NULL, solution, NULL);
  assert_null(fake.approximate);
}
