#include "sn_queries.h"

#include "sinew/kin.h"
#include "sn_test.h"

#define TWO_PI 6.28318530717958647693

void *sn_test_solver_for(const sn_ik_solver *solver, const sn_test_arm *arm) {
  static unsigned char memory[1 << 18];
  static sn_arena arena;
  sn_arena_init(&arena, "test", memory, sizeof memory);
  void *state = NULL;
  sn_error err;
  if (solver->create(&arena, &arm->setup, &state, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  sn_arena_seal(&arena);
  return state;
}

static bool take(void *context, const double *q) {
  sn_test_query *query = context;
  if (query->offer_count < SN_TEST_OFFERS_MAX) {
    memcpy(query->offers[query->offer_count++], q, query->arm->count * sizeof *q);
  }
  return query->query.all || query->keep_going;
}

void sn_test_query_init(sn_test_query *query, const sn_test_arm *arm, sn_pose target) {
  static const double middle[SN_TEST_ARM_JOINTS_MAX] = {0};
  query->arm = arm;
  query->target = target;
  query->keep_going = false;
  sn_random_init(&query->random, 1);
  sn_clock_init_simulated(&query->clock, 0);
  query->query = (sn_ik_query){
      .targets = &query->target,
      .seed = middle,
      .lower = arm->lower,
      .upper = arm->upper,
      .free_axes = arm->count == 3 ? SN_IK_FREE_ROTATION : 0,
      .position_tolerance_m = SN_TEST_TOLERANCE,
      .rotation_tolerance_rad = SN_TEST_TOLERANCE,
      .clock = &query->clock,
      .deadline_ns = 1000000000,
      .random = &query->random,
      .offer = take,
      .context = query,
  };
}

/* Position and rotation error over the axes that are not free. */
static double miss_of(const sn_test_query *query, const double *q) {
  const sn_pose tip = sn_chain_fk(&query->arm->chain, q);
  const sn_pose local = sn_pose_between(query->target, tip);
  sn_vec3 turn = sn_mat3_log(local.rot);
  const unsigned free_axes = query->query.free_axes;
  turn.x = (free_axes & SN_IK_FREE_RX) != 0 ? 0.0 : turn.x;
  turn.y = (free_axes & SN_IK_FREE_RY) != 0 ? 0.0 : turn.y;
  turn.z = (free_axes & SN_IK_FREE_RZ) != 0 ? 0.0 : turn.z;
  return fmax(sn_vec3_norm(local.pos), sn_vec3_norm(turn));
}

bool sn_test_query_ask(sn_test_query *query, const sn_ik_solver *solver, void *state, bool all,
                       double tol) {
  query->query.all = all;
  query->offer_count = 0;
  query->code = solver->solve(state, &query->query);
  for (size_t i = 0; i < query->offer_count; i++) {
    const double *q = query->offers[i];
    for (size_t j = 0; j < query->arm->count; j++) {
      assert_true(q[j] >= query->query.lower[j]);
      assert_true(q[j] <= query->query.upper[j]);
    }
    sn_assert_near(miss_of(query, q), 0.0, tol);
  }
  assert_int_equal(query->code == SN_IK_OK, query->offer_count > 0);
  return query->offer_count > 0;
}

bool sn_test_query_offers(const sn_test_query *query, const double *q, double tol) {
  for (size_t i = 0; i < query->offer_count; i++) {
    bool is_same = true;
    for (size_t j = 0; j < query->arm->count && is_same; j++) {
      is_same = fabs(remainder(query->offers[i][j] - q[j], TWO_PI)) <= tol;
    }
    if (is_same) {
      return true;
    }
  }
  return false;
}
