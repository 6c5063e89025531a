/* How redundant joints are treated in a query. */
#include "ik_fake.h"
#include "sinew/ik.h"

static const double seed[] = {0.3, 0.1, 0.5};
static const sn_pose anywhere = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {9, 9, 9}};

static void make_redundant(const char *first, const char *second) {
  const char *const names[] = {first, second};
  assert_int_equal(
      sn_ik_set_redundant_joint_names(world.ik, names, second == NULL ? 1 : 2, &world.err), SN_OK);
}

static sn_ik_code search(sn_ik_discretization method, double timeout_s, sn_ik_result *result) {
  const sn_ik_options options = {.discretization_method = method};
  double solution[3];
  return sn_ik_search(world.ik, &anywhere, 1, seed, 3, timeout_s, &options, solution, result);
}

SN_TEST(without_discretization_they_stay_at_the_seed) {
  world_create();
  make_redundant("slide", NULL);
  const double q[] = {0.7, -0.2, 1.1};
  const sn_pose pose = tip_at("tip", q);
  double solution[3];
  fake_offer(q, 3);
  const double near_seed[] = {0.3, -0.2, 0.5};
  assert_int_equal(sn_ik_get_position(world.ik, &pose, near_seed, 3, NULL, solution), SN_IK_OK);
  assert_true(fake.locked[1]);
  assert_false(fake.locked[0]);
  assert_false(fake.locked[2]);
  /* Offers of a solver that moves it anyway are rejected. */
  assert_int_equal(sn_ik_get_position(world.ik, &pose, seed, 3, NULL, solution), SN_IK_NO_SOLUTION);
  const sn_ik_options lock = {.lock_redundant_joints = true};
  assert_int_equal(sn_ik_get_position(world.ik, &pose, near_seed, 3, &lock, solution), SN_IK_OK);
  assert_true(fake.locked[1]);
}

SN_TEST(locking_contradicts_varying) {
  world_create();
  make_redundant("slide", NULL);
  double solution[3];
  for (int method = 2; method <= 5; method++) {
    const sn_ik_options options = {.lock_redundant_joints = true,
                                   .discretization_method = (sn_ik_discretization)method};
    assert_int_equal(sn_ik_get_position(world.ik, &anywhere, seed, 3, &options, solution),
                     SN_IK_INVALID_ARGUMENT);
    assert_explains(method < 4 ? "locked and discretized" : "locked and sampled");
  }
}

SN_TEST(discretization_needs_joints_steps_and_a_known_method) {
  world_create();
  assert_int_equal(search((sn_ik_discretization)6, 1, NULL),
                   SN_IK_UNSUPPORTED_DISCRETIZATION_REQUESTED);
  assert_int_equal(search((sn_ik_discretization)-1, 1, NULL),
                   SN_IK_UNSUPPORTED_DISCRETIZATION_REQUESTED);
  for (int method = 2; method <= 5; method++) {
    assert_int_equal(search((sn_ik_discretization)method, 1, NULL),
                     SN_IK_DISCRETIZATION_NOT_INITIALIZED);
    assert_explains("no redundant joints");
  }
  make_redundant("slide", "spin");
  const double some[] = {0.1, 0.0, 0.1};
  assert_int_equal(sn_ik_set_search_discretizations(world.ik, some, 3, NULL), SN_OK);
  fake.code = SN_IK_NO_SOLUTION;
  assert_int_equal(search(SN_IK_ALL_DISCRETIZED, 1, NULL), SN_IK_DISCRETIZATION_NOT_INITIALIZED);
  assert_explains("joint 'slide' has no discretization step");
  assert_int_equal(search(SN_IK_SOME_DISCRETIZED, 1, NULL), SN_IK_NO_SOLUTION);
  const double none[] = {0.1, 0.0, 0.0};
  assert_int_equal(sn_ik_set_search_discretizations(world.ik, none, 3, NULL), SN_OK);
  assert_int_equal(search(SN_IK_SOME_DISCRETIZED, 1, NULL), SN_IK_DISCRETIZATION_NOT_INITIALIZED);
  assert_int_equal(search(SN_IK_SOME_RANDOM_SAMPLED, 1, NULL),
                   SN_IK_DISCRETIZATION_NOT_INITIALIZED);
  const double lower[] = {-1, -INFINITY, -1};
  const double upper[] = {1, INFINITY, 1};
  assert_int_equal(sn_ik_set_limits(world.ik, lower, upper, 3, NULL), SN_OK);
  assert_int_equal(search(SN_IK_ALL_RANDOM_SAMPLED, 1, NULL),
                   SN_IK_UNSUPPORTED_DISCRETIZATION_REQUESTED);
  assert_explains("'slide' slides without limits");
}

/* slide: -0.5 .. 0.5, seed 0.1, step 0.25: 0.1, 0.35, -0.15, -0.4. */
SN_TEST(all_discretized_walks_uniform_steps_from_the_seed_outwards) {
  world_create();
  make_redundant("slide", NULL);
  assert_int_equal(sn_ik_set_search_discretization(world.ik, 0.25, NULL), SN_OK);
  fake.code = SN_IK_NO_SOLUTION;
  sn_ik_result result;
  assert_int_equal(search(SN_IK_ALL_DISCRETIZED, 1, &result), SN_IK_NO_SOLUTION);
  const double expected[] = {0.1, 0.35, -0.15, -0.4};
  assert_int_equal(fake.call_count, 8); /* once without restarts, once with */
  for (size_t i = 0; i < 8; i++) {
    sn_assert_near(fake.seeds[i][1], expected[i % 4], 1e-15);
    sn_assert_near(fake.seeds[i][0], seed[0], 0.0);
  }
  assert_true(fake.query.restarts);
  assert_int_equal(result.searched_count, 8);
}

/* Both joints vary; every place of the grid is visited exactly once. */
SN_TEST(grid_over_two_joints_is_complete) {
  world_create();
  make_redundant("slide", "turn");
  const double steps[] = {1.0, 0.25, 0.0}; /* turn: -4 .. 6 from 0.3: 4 below, 5 above */
  assert_int_equal(sn_ik_set_search_discretizations(world.ik, steps, 3, NULL), SN_OK);
  const sn_ik_options options = {.discretization_method = SN_IK_SOME_DISCRETIZED};
  double solution[3];
  fake.code = SN_IK_NO_SOLUTION;
  assert_int_equal(sn_ik_get_position(world.ik, &anywhere, seed, 3, &options, solution),
                   SN_IK_NO_SOLUTION);
  assert_int_equal(fake.call_count, 4 * 10);
  for (size_t i = 0; i < fake.call_count; i++) {
    assert_true(fake.seeds[i][0] >= -4 && fake.seeds[i][0] <= 6);
    for (size_t k = 0; k < i; k++) {
      assert_true(fabs(fake.seeds[i][0] - fake.seeds[k][0]) > 0.5 ||
                  fabs(fake.seeds[i][1] - fake.seeds[k][1]) > 0.2);
    }
  }
}

SN_TEST(some_discretized_keeps_joints_without_a_step) {
  world_create();
  make_redundant("slide", "turn");
  const double steps[] = {0.0, 0.25, 0.0};
  assert_int_equal(sn_ik_set_search_discretizations(world.ik, steps, 3, NULL), SN_OK);
  fake.code = SN_IK_NO_SOLUTION;
  search(SN_IK_SOME_DISCRETIZED, 1, NULL);
  assert_int_equal(fake.call_count, 8);
  assert_true(fake.locked[0] && fake.locked[1]);
  for (size_t i = 0; i < 8; i++) {
    sn_assert_near(fake.seeds[i][0], seed[0], 0.0);
  }
}

/* Answers with the place that it is given, turned by a joint that the test does not care for. */
static bool offer_start(const sn_ik_query *query) {
  double q[3];
  memcpy(q, query->seed, sizeof q);
  q[0] = q[1] < 0.2 ? 5.0 : 0.3; /* near the seed's slide, far from the seed's turn */
  return query->offer(query->context, q);
}

SN_TEST(nearest_is_nearest_over_the_whole_grid) {
  world.config.position_tolerance_m = 100.0;
  world.config.rotation_tolerance_rad = 4.0;
  world_create();
  make_redundant("slide", NULL);
  assert_int_equal(sn_ik_set_search_discretization(world.ik, 0.05, NULL), SN_OK);
  const sn_ik_options options = {.discretization_method = SN_IK_ALL_DISCRETIZED};
  double solution[3];
  fake.reply = offer_start;
  assert_int_equal(sn_ik_get_position(world.ik, &anywhere, seed, 3, &options, solution), SN_IK_OK);
  sn_assert_near(solution[1], 0.2, 1e-15); /* two steps away, but the turn is the seed's */
  sn_assert_near(solution[0], 0.3, 0.0);
  /* Places that are farther than that were not tried: 0, ±1, ±2 steps, and 4 by rounding. */
  assert_true(fake.call_count <= 5);
}

SN_TEST(random_samples_fill_the_range_and_repeat) {
  world_create();
  make_redundant("slide", "spin");
  fake.code = SN_IK_NO_SOLUTION;
  fake.tick = &world.clock;
  fake.tick_ns = 1000000;
  assert_int_equal(search(SN_IK_ALL_RANDOM_SAMPLED, 1.0, NULL), SN_IK_TIMED_OUT);
  const size_t count = fake.call_count;
  assert_true(count >= 990 && count <= 1001); /* 1 ms each, until the timeout */
  double low[2] = {9, 9};
  double high[2] = {-9, -9};
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j < 2; j++) {
      low[j] = fmin(low[j], fake.seeds[i][j + 1]);
      high[j] = fmax(high[j], fake.seeds[i][j + 1]);
    }
  }
  assert_true(low[0] >= -0.5 && low[0] < -0.48);
  assert_true(high[0] <= 0.5 && high[0] > 0.48);
  const double pi = acos(-1.0); /* a joint without limits: one turn around the seed */
  assert_true(low[1] >= 0.5 - pi && low[1] < 0.6 - pi);
  assert_true(high[1] <= 0.5 + pi && high[1] > 0.4 + pi);
  assert_memory_equal(fake.seeds[0], seed, sizeof seed); /* the seed's own place comes first */

  static double before[64][FAKE_JOINTS];
  memcpy(before, fake.seeds, sizeof before);
  fake.call_count = 0;
  search(SN_IK_ALL_RANDOM_SAMPLED, 1.0, NULL);
  assert_memory_equal(before, fake.seeds, sizeof before);
}

SN_TEST(some_random_sampled_keeps_joints_without_a_step) {
  world_create();
  make_redundant("slide", "spin");
  const double steps[] = {0.0, 0.0, 0.1};
  assert_int_equal(sn_ik_set_search_discretizations(world.ik, steps, 3, NULL), SN_OK);
  fake.code = SN_IK_NO_SOLUTION;
  fake.tick = &world.clock;
  fake.tick_ns = 1000000;
  search(SN_IK_SOME_RANDOM_SAMPLED, 0.05, NULL);
  assert_true(fake.call_count > 10);
  for (size_t i = 1; i < fake.call_count; i++) {
    sn_assert_near(fake.seeds[i][1], seed[1], 0.0);
    assert_true(fake.seeds[i][2] != seed[2]);
  }
}

SN_TEST(consistency_limits_bound_the_grid) {
  world_create();
  make_redundant("spin", NULL);
  const double reach[] = {1, 1, 0.25};
  const sn_ik_options options = {.discretization_method = SN_IK_ALL_DISCRETIZED,
                                 .consistency_limits = reach,
                                 .consistency_count = 3};
  double solution[3];
  fake.code = SN_IK_NO_SOLUTION;
  sn_ik_get_position(world.ik, &anywhere, seed, 3, &options, solution);
  assert_int_equal(fake.call_count, 5); /* 0, ±0.1, ±0.2 */
}

SN_TEST(hopeless_place_cannot_eat_all_the_time) {
  world_create();
  make_redundant("slide", NULL);
  assert_int_equal(sn_ik_set_search_discretization(world.ik, 0.25, NULL), SN_OK);
  fake.code = SN_IK_NO_SOLUTION;
  search(SN_IK_ALL_DISCRETIZED, 1.0, NULL);
  /* The last of four places has what is left; the solver used nothing here. */
  assert_int_equal(fake.query.deadline_ns, 1000 + 1000000000 + 1);
  fake.call_count = 0;
  fake.tick = &world.clock;
  fake.tick_ns = 300000000;
  assert_int_equal(search(SN_IK_ALL_DISCRETIZED, 1.0, NULL), SN_IK_TIMED_OUT);
  assert_int_equal(fake.call_count, 4); /* 1.2 s: kept as soon as the solver returns */
}

SN_TEST(all_solutions_are_collected_over_the_grid) {
  world.config.position_tolerance_m = 100.0;
  world.config.rotation_tolerance_rad = 4.0;
  world_create();
  make_redundant("slide", NULL);
  assert_int_equal(sn_ik_set_search_discretization(world.ik, 0.25, NULL), SN_OK);
  const sn_ik_options options = {.discretization_method = SN_IK_ALL_DISCRETIZED};
  const double q[] = {0.3, 0.1, 0.5};
  fake_offer(q, 3);
  double solutions[10][3];
  sn_ik_result result;
  assert_int_equal(
      sn_ik_get_all(world.ik, &anywhere, 1, seed, 3, &options, solutions[0], 10, &result),
      SN_IK_OK);
  assert_int_equal(result.solution_count, 4);
  sn_assert_near(solutions[0][1], 0.1, 1e-15);
  sn_assert_near(solutions[3][1], -0.4, 1e-15);
}

SN_TEST_EACH(world_setup, world_teardown)
