#include "ik_rig.h"

#include "random_tree.h"
#include "sinew/quat.h"
#include "sn_test.h"

static const double tolerance = 1e-6;

static void set_limits(sn_rig *rig, const sn_rig_config *config) {
  const sn_tree *tree = &rig->chain->tree;
  for (size_t i = 0; i < rig->chain->joint_count; i++) {
    const double size = tree->prismatic[i] ? 0.2 : 1.0;
    rig->lower[i] = sn_random_between(&rig->random, -3.0 * size, -0.5 * size);
    rig->upper[i] = sn_random_between(&rig->random, 0.5 * size, 3.0 * size);
    if (sn_random_unit(&rig->random) < config->endless_share && !tree->prismatic[i]) {
      rig->lower[i] = -INFINITY;
      rig->upper[i] = INFINITY;
    }
  }
}

/* A joint that mimics keeps its own entry, as in a robot's chain, and has limits wide enough for
 * the range of its master. */
static void set_mimic(sn_rig *rig, double share) {
  const size_t n = rig->chain->joint_count;
  int *coord = SN_NEW(&rig->arena, int, n);
  double *scale = SN_NEW(&rig->arena, double, n);
  double *offset = SN_NEW(&rig->arena, double, n);
  for (size_t i = 0; i < n; i++) {
    coord[i] = (int)i;
    scale[i] = 1.0;
    if (i > 0 && sn_random_unit(&rig->random) < share) {
      coord[i] = coord[sn_random_below(&rig->random, i)];
      scale[i] = sn_random_between(&rig->random, -2.0, 2.0);
      offset[i] = sn_random_between(&rig->random, -1.0, 1.0);
      rig->lower[i] = -100.0;
      rig->upper[i] = 100.0;
      rig->chain->tree.has_mimic = true;
    }
  }
  rig->chain->tree.coord = coord;
  rig->chain->tree.q_scale = scale;
  rig->chain->tree.q_offset = offset;
}

void sn_rig_open_chain(sn_rig *rig, const sn_ik_solver *solver, sn_chain *chain) {
  if (rig->arena.name == NULL) {
    sn_arena_init_growing(&rig->arena, "rig", 1u << 16);
  }
  for (size_t i = 0; i < chain->joint_count; i++) {
    rig->joints[i] = (int)i;
  }
  chain->joints = rig->joints;
  chain->lower = rig->lower;
  chain->upper = rig->upper;
  rig->chain = chain;
  rig->tip = (sn_ik_tip){.chain = chain, .joints = rig->joints};
  rig->setup = (sn_ik_setup){.joint_count = chain->joint_count,
                             .joints = rig->joints,
                             .lower = rig->lower,
                             .upper = rig->upper,
                             .tip_count = 1,
                             .tips = &rig->tip,
                             .search_discretization = 0.1};
  sn_clock_init_simulated(&rig->clock, 0);
  rig->solver = solver;
  sn_error err = {0};
  if (solver->create(&rig->arena, &rig->setup, &rig->state, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
}

void sn_rig_open(sn_rig *rig, const sn_ik_solver *solver, const sn_rig_config *config,
                 uint64_t seed) {
  memset(rig, 0, sizeof *rig);
  sn_arena_init_growing(&rig->arena, "rig", 1u << 16);
  sn_random_init(&rig->random, seed);
  const sn_test_tree_config tree = {.body_count = config->joint_count,
                                    .serial = true,
                                    .prismatic_share = config->prismatic_share};
  rig->chain = sn_test_random_chain(&rig->arena, &rig->random, &tree);
  set_limits(rig, config);
  set_mimic(rig, config->mimic_share);
  sn_rig_open_chain(rig, solver, rig->chain);
}

void sn_rig_close(sn_rig *rig) {
  sn_arena_release(&rig->arena);
}

void sn_rig_draw(sn_rig *rig, double *q) {
  const sn_tree *tree = &rig->chain->tree;
  for (size_t i = 0; i < rig->chain->joint_count; i++) {
    q[i] = isinf(rig->lower[i]) ? sn_random_between(&rig->random, -3.14, 3.14)
                                : sn_random_between(&rig->random, rig->lower[i], rig->upper[i]);
  }
  for (size_t i = 0; i < rig->chain->joint_count; i++) {
    q[i] =
        tree->coord[i] == (int)i ? q[i] : tree->q_scale[i] * q[tree->coord[i]] + tree->q_offset[i];
  }
}

static sn_pose tip_pose(const sn_chain *chain, const double *q) {
  const int last = (int)chain->tree.body_count - 1;
  return sn_pose_mul(sn_test_body_pose(&chain->tree, last, q), chain->pose_body_tip);
}

static bool take_offer(void *context, const double *q) {
  sn_rig *rig = context;
  assert_true(rig->offer_count < SN_RIG_OFFERS_MAX);
  memcpy(rig->offers[rig->offer_count++], q, rig->setup.joint_count * sizeof *q);
  sn_clock_advance(&rig->clock, rig->offer_ns);
  return rig->offer_count < (rig->offers_wanted == 0 ? 1 : rig->offers_wanted);
}

void sn_rig_aim(sn_rig *rig, const double *q) {
  const sn_tree *tree = &rig->chain->tree;
  rig->target = tip_pose(rig->chain, q);
  for (size_t i = 0; i < rig->chain->joint_count; i++) {
    rig->seed[i] = isinf(rig->lower[i]) ? 0.0 : 0.5 * (rig->lower[i] + rig->upper[i]);
  }
  for (size_t i = 0; i < rig->chain->joint_count; i++) {
    const double master = rig->seed[tree->coord[i]];
    rig->seed[i] =
        tree->coord[i] == (int)i ? rig->seed[i] : tree->q_scale[i] * master + tree->q_offset[i];
  }
  rig->offers_wanted = 0;
  rig->offer_ns = 0;
  rig->query = (sn_ik_query){.targets = &rig->target,
                             .seed = rig->seed,
                             .lower = rig->lower,
                             .upper = rig->upper,
                             .position_tolerance_m = tolerance,
                             .rotation_tolerance_rad = tolerance,
                             .restarts = true,
                             .clock = &rig->clock,
                             .deadline_ns = INT64_MAX,
                             .random = &rig->random,
                             .offer = take_offer,
                             .context = rig};
}

sn_ik_code sn_rig_solve(sn_rig *rig) {
  rig->offer_count = 0;
  return rig->solver->solve(rig->state, &rig->query);
}

void sn_rig_error(const sn_rig *rig, const double *q, double *position_m, double *rotation_rad) {
  const sn_pose difference = sn_pose_between(rig->target, tip_pose(rig->chain, q));
  const sn_vec3 log = sn_mat3_log(difference.rot);
  const double entries[] = {
      difference.pos.x, difference.pos.y, difference.pos.z, log.x, log.y, log.z};
  double square[2] = {0.0, 0.0};
  for (int i = 0; i < 6; i++) {
    square[i / 3] += (rig->query.free_axes >> i & 1u) != 0 ? 0.0 : entries[i] * entries[i];
  }
  *position_m = sqrt(square[0]);
  *rotation_rad = sqrt(square[1]);
}

static void check_joint(const sn_rig *rig, const double *q, size_t i) {
  const sn_ik_query *query = &rig->query;
  const sn_tree *tree = &rig->chain->tree;
  if (!(q[i] >= query->lower[i] && q[i] <= query->upper[i])) {
    fail_msg("joint %zu is at %.17g, limits are %.17g .. %.17g", i, q[i], query->lower[i],
             query->upper[i]);
  }
  if (isinf(query->lower[i]) && !tree->has_mimic && fabs(q[i] - query->seed[i]) > 3.15) {
    fail_msg("joint %zu is at %g, a turn away from the seed %g", i, q[i], query->seed[i]);
  }
  if (query->locked != NULL && query->locked[i]) {
    sn_assert_near(q[i], query->seed[i], 0.0);
  }
  if (tree->coord[i] != (int)i) {
    sn_assert_near(q[i], tree->q_scale[i] * q[tree->coord[i]] + tree->q_offset[i], 1e-12);
  }
}

void sn_rig_check_offers(const sn_rig *rig) {
  for (size_t k = 0; k < rig->offer_count; k++) {
    double position_m = 0.0, rotation_rad = 0.0;
    sn_rig_error(rig, rig->offers[k], &position_m, &rotation_rad);
    sn_assert_near(position_m, 0.0, 1.001 * rig->query.position_tolerance_m);
    sn_assert_near(rotation_rad, 0.0, 1.001 * rig->query.rotation_tolerance_rad);
    for (size_t i = 0; i < rig->chain->joint_count; i++) {
      check_joint(rig, rig->offers[k], i);
    }
  }
}
