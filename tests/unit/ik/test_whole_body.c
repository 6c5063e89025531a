#include "ik/solvers.h"
#include "ik_rig.h"
#include "random_tree.h"
#include "sinew/kin.h"
#include "sinew/quat.h"
#include "sn_test.h"

enum { TIPS_MAX = 4, JOINTS_MAX = 32 };

/* A trunk whose joints all tips share, and a limb for each. The group's vector is the trunk, then
   one limb after the other. */
typedef struct robot {
  sn_arena arena;
  sn_random random;
  size_t joint_count;
  size_t trunk_count, limb_count, tip_count;
  sn_chain chains[TIPS_MAX];
  int joints[TIPS_MAX][JOINTS_MAX];
  int group[JOINTS_MAX];
  double lower[JOINTS_MAX], upper[JOINTS_MAX];
  sn_ik_tip tips[TIPS_MAX];
  sn_ik_setup setup;
  void *solver;
  sn_clock clock;
  sn_pose targets[TIPS_MAX];
  double seed[JOINTS_MAX];
  sn_ik_query query;
  size_t offer_count;
  double offer[JOINTS_MAX];
} robot;

static void make_chain(robot *r, size_t t, const sn_chain *trunk) {
  const size_t n = r->trunk_count + r->limb_count;
  const sn_test_tree_config config = {.body_count = n, .serial = true, .prismatic_share = 0.1};
  sn_chain *chain = sn_test_random_chain(&r->arena, &r->random, &config);
  sn_pose *placements = SN_NEW(&r->arena, sn_pose, n);
  bool *prismatic = SN_NEW(&r->arena, bool, n);
  for (size_t i = 0; i < n; i++) {
    const sn_tree *from = i < r->trunk_count ? &trunk->tree : &chain->tree;
    placements[i] = from->pose_parent_joint[i];
    prismatic[i] = from->prismatic[i];
    r->joints[t][i] = (int)(i < r->trunk_count ? i : i + t * r->limb_count);
  }
  chain->tree.pose_parent_joint = placements;
  chain->tree.prismatic = prismatic;
  r->chains[t] = *chain;
  r->tips[t] = (sn_ik_tip){.chain = &r->chains[t], .joints = r->joints[t]};
}

static bool take_offer(void *context, const double *q) {
  robot *r = context;
  r->offer_count++;
  memcpy(r->offer, q, r->joint_count * sizeof *q);
  return false;
}

static void open_robot(robot *r, size_t trunk_count, size_t limb_count, size_t tip_count,
                       uint64_t seed) {
  memset(r, 0, sizeof *r);
  sn_arena_init_growing(&r->arena, "robot", 1u << 16);
  sn_random_init(&r->random, seed);
  r->trunk_count = trunk_count;
  r->limb_count = limb_count;
  r->tip_count = tip_count;
  r->joint_count = trunk_count + limb_count * tip_count;
  const sn_test_tree_config config = {.body_count = trunk_count + 1, .serial = true};
  const sn_chain *trunk = sn_test_random_chain(&r->arena, &r->random, &config);
  for (size_t t = 0; t < tip_count; t++) {
    make_chain(r, t, trunk);
  }
  for (size_t j = 0; j < r->joint_count; j++) {
    r->group[j] = (int)j;
    r->lower[j] = sn_random_between(&r->random, -2.5, -0.5);
    r->upper[j] = sn_random_between(&r->random, 0.5, 2.5);
  }
  r->setup = (sn_ik_setup){.joint_count = r->joint_count,
                           .joints = r->group,
                           .lower = r->lower,
                           .upper = r->upper,
                           .tip_count = tip_count,
                           .tips = r->tips,
                           .search_discretization = 0.1};
  sn_clock_init_simulated(&r->clock, 0);
  assert_int_equal(sn__ik_whole_body.create(&r->arena, &r->setup, &r->solver, NULL), SN_OK);
}

static void chain_q(const robot *r, size_t t, const double *q, double *out) {
  for (size_t i = 0; i < r->chains[t].joint_count; i++) {
    out[i] = q[r->joints[t][i]];
  }
}

static void aim(robot *r, double *q) {
  for (size_t j = 0; j < r->joint_count; j++) {
    q[j] = sn_random_between(&r->random, r->lower[j], r->upper[j]);
    r->seed[j] = 0.5 * (r->lower[j] + r->upper[j]);
  }
  for (size_t t = 0; t < r->tip_count; t++) {
    double own[JOINTS_MAX];
    chain_q(r, t, q, own);
    r->targets[t] = sn_chain_fk(&r->chains[t], own);
  }
  r->query = (sn_ik_query){.targets = r->targets,
                           .seed = r->seed,
                           .lower = r->lower,
                           .upper = r->upper,
                           .position_tolerance_m = 1e-6,
                           .rotation_tolerance_rad = 1e-6,
                           .restarts = true,
                           .clock = &r->clock,
                           .deadline_ns = INT64_MAX,
                           .random = &r->random,
                           .offer = take_offer,
                           .context = r};
  r->offer_count = 0;
}

static void check_offer(const robot *r) {
  assert_int_equal(r->offer_count, 1);
  for (size_t t = 0; t < r->tip_count; t++) {
    double own[JOINTS_MAX];
    chain_q(r, t, r->offer, own);
    const sn_pose d = sn_pose_between(r->targets[t], sn_chain_fk(&r->chains[t], own));
    const bool position_only = r->query.free_axes == SN_IK_FREE_ROTATION;
    sn_assert_near(sn_vec3_norm(d.pos), 0.0, 1.001e-6);
    sn_assert_near(position_only ? 0.0 : sn_vec3_norm(sn_mat3_log(d.rot)), 0.0, 1.001e-6);
  }
  for (size_t j = 0; j < r->joint_count; j++) {
    assert_true(r->offer[j] >= r->lower[j] && r->offer[j] <= r->upper[j]);
  }
}

static void find_all(size_t trunk_count, size_t limb_count, size_t tip_count, uint64_t seed) {
  static robot r;
  open_robot(&r, trunk_count, limb_count, tip_count, seed);
  for (size_t i = 0; i < sn_test_cases(10); i++) {
    double q[JOINTS_MAX];
    aim(&r, q);
    if (sn__ik_whole_body.solve(r.solver, &r.query) != SN_IK_OK) {
      fail_msg("trunk %zu, limb %zu, %zu tips, seed %llu, case %zu: not found", trunk_count,
               limb_count, tip_count, (unsigned long long)seed, i);
    }
    check_offer(&r);
  }
  sn_arena_release(&r.arena);
}

SN_TEST(tips_that_share_a_trunk_are_reached_together) {
  for (uint64_t seed = 1; seed <= 6; seed++) {
    find_all(2, 6, 2, seed);
    find_all(1, 7, 2, seed);
    find_all(3, 5, 3, seed);
  }
}

SN_TEST(tips_without_shared_joints_are_reached_together) {
  for (uint64_t seed = 1; seed <= 3; seed++) {
    find_all(0, 6, 4, seed);
  }
}

SN_TEST(one_tip_is_reached) {
  for (uint64_t seed = 1; seed <= 6; seed++) {
    find_all(0, 7, 1, seed);
  }
}

/* The same properties as the solver for one tip, on its rig: mimic joints, slides, no limits. */
SN_TEST(mixed_chains_are_solved) {
  for (uint64_t seed = 1; seed <= 24; seed++) {
    static sn_rig rig;
    const sn_rig_config config = {.joint_count = 1 + seed % 12,
                                  .prismatic_share = 0.3,
                                  .mimic_share = seed % 2 == 0 ? 0.3 : 0.0,
                                  .endless_share = 0.3};
    sn_rig_open(&rig, &sn__ik_whole_body, &config, seed);
    for (size_t i = 0; i < sn_test_cases(10); i++) {
      double q[SN_RIG_JOINTS_MAX];
      sn_rig_draw(&rig, q);
      sn_rig_aim(&rig, q);
      assert_int_equal(sn_rig_solve(&rig), SN_IK_OK);
      assert_int_equal(rig.offer_count, 1);
      sn_rig_check_offers(&rig);
    }
    sn_rig_close(&rig);
  }
}

/* Four legs of three joints: feet are points. */
SN_TEST(feet_reach_their_targets) {
  static robot r;
  open_robot(&r, 0, 3, 4, 5);
  for (size_t i = 0; i < sn_test_cases(20); i++) {
    double q[JOINTS_MAX];
    aim(&r, q);
    for (size_t t = 0; t < 4; t++) {
      r.targets[t].rot = sn_test_random_pose(&r.random, 0.0).rot;
    }
    r.query.free_axes = SN_IK_FREE_ROTATION;
    assert_int_equal(sn__ik_whole_body.solve(r.solver, &r.query), SN_IK_OK);
    check_offer(&r);
  }
  sn_arena_release(&r.arena);
}

SN_TEST(locked_trunk_stays) {
  static robot r;
  open_robot(&r, 2, 6, 2, 6);
  bool locked[JOINTS_MAX] = {true, true};
  for (size_t i = 0; i < sn_test_cases(10); i++) {
    double q[JOINTS_MAX];
    aim(&r, q);
    r.seed[0] = q[0];
    r.seed[1] = q[1];
    r.query.locked = locked;
    assert_int_equal(sn__ik_whole_body.solve(r.solver, &r.query), SN_IK_OK);
    check_offer(&r);
    sn_assert_near(r.offer[0], q[0], 0.0);
    sn_assert_near(r.offer[1], q[1], 0.0);
  }
  sn_arena_release(&r.arena);
}

/* The trunk cannot be in two places: tips that can each be reached alone, but not together. */
SN_TEST(targets_that_contradict_have_no_solution) {
  static robot r;
  open_robot(&r, 6, 1, 2, 7);
  double q[JOINTS_MAX];
  aim(&r, q);
  const sn_pose first = r.targets[0];
  aim(&r, q);
  r.targets[0] = first;
  double best[JOINTS_MAX], error = NAN;
  r.query.approximate = best;
  r.query.approximate_error = &error;
  assert_int_equal(sn__ik_whole_body.solve(r.solver, &r.query), SN_IK_NO_SOLUTION);
  assert_int_equal(r.offer_count, 0);
  double sum = 0.0;
  for (size_t t = 0; t < 2; t++) {
    double own[JOINTS_MAX];
    chain_q(&r, t, best, own);
    const sn_pose d = sn_pose_between(r.targets[t], sn_chain_fk(&r.chains[t], own));
    const sn_vec3 log = sn_mat3_log(d.rot);
    sum += sn_vec3_dot(d.pos, d.pos) + sn_vec3_dot(log, log);
  }
  sn_assert_near(error, sqrt(sum), 1e-9);
  sn_arena_release(&r.arena);
}

SN_TEST(passed_deadline_returns_at_once) {
  static robot r;
  open_robot(&r, 1, 6, 2, 8);
  double q[JOINTS_MAX];
  aim(&r, q);
  r.query.deadline_ns = 0;
  assert_int_equal(sn__ik_whole_body.solve(r.solver, &r.query), SN_IK_TIMED_OUT);
  assert_int_equal(r.offer_count, 0);
  sn_arena_release(&r.arena);
}

SN_TEST(nominal_pose_draws_redundant_joints) {
  static robot r;
  open_robot(&r, 4, 7, 2, 9);
  double without = 0.0, with = 0.0;
  for (size_t i = 0; i < sn_test_cases(10); i++) {
    double q[JOINTS_MAX], nominal[JOINTS_MAX];
    aim(&r, q);
    for (size_t j = 0; j < r.joint_count; j++) {
      nominal[j] = sn_random_between(&r.random, r.lower[j], r.upper[j]);
    }
    const sn_random before = r.random;
    assert_int_equal(sn__ik_whole_body.solve(r.solver, &r.query), SN_IK_OK);
    for (size_t j = 0; j < r.joint_count; j++) {
      without += (r.offer[j] - nominal[j]) * (r.offer[j] - nominal[j]);
    }
    r.random = before;
    r.query.nominal = nominal;
    r.offer_count = 0;
    assert_int_equal(sn__ik_whole_body.solve(r.solver, &r.query), SN_IK_OK);
    check_offer(&r);
    for (size_t j = 0; j < r.joint_count; j++) {
      with += (r.offer[j] - nominal[j]) * (r.offer[j] - nominal[j]);
    }
  }
  assert_true(with < 0.8 * without);
  sn_arena_release(&r.arena);
}

/* A joint of one arm follows a joint of the other: the same angle has to serve both tips. */
static const char coupled_urdf[] =
    "<robot name='coupled'><link name='base'/>"
    "<link name='a1'/><link name='a2'/><link name='b1'/><link name='b2'/>"
    "<joint name='a_shoulder' type='revolute'><parent link='base'/><child link='a1'/>"
    "<axis xyz='0 0 1'/><limit lower='-2' upper='2' effort='1' velocity='1'/></joint>"
    "<joint name='a_elbow' type='revolute'><parent link='a1'/><child link='a2'/>"
    "<origin xyz='0.5 0 0'/><axis xyz='0 0 1'/>"
    "<limit lower='0.1' upper='2' effort='1' velocity='1'/></joint>"
    "<joint name='b_shoulder' type='revolute'><parent link='base'/><child link='b1'/>"
    "<axis xyz='0 0 1'/><limit lower='-2' upper='2' effort='1' velocity='1'/></joint>"
    "<joint name='b_elbow' type='revolute'><parent link='b1'/><child link='b2'/>"
    "<origin xyz='0.4 0 0'/><axis xyz='0 0 1'/><mimic joint='a_elbow' multiplier='-0.5'"
    " offset='0.2'/><limit lower='-3' upper='3' effort='1' velocity='1'/></joint></robot>";

static bool take_coupled(void *context, const double *q) {
  memcpy(context, q, 4 * sizeof *q);
  return false;
}

SN_TEST(joints_that_mimic_across_chains_follow) {
  sn_arena arena, scratch;
  sn_arena_init_growing(&arena, "model", 1u << 16);
  sn_arena_init_growing(&scratch, "report", 1u << 12);
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&scratch, &report, NULL), SN_OK);
  const sn_model *model = NULL;
  const sn_model_config config = {0};
  assert_int_equal(
      sn_model_parse(&arena, coupled_urdf, sizeof coupled_urdf - 1, &config, report, &model, NULL),
      SN_OK);
  const sn_chain *a = NULL, *b = NULL;
  assert_int_equal(sn_chain_create(&arena, model, "base", "a2", &a, NULL), SN_OK);
  assert_int_equal(sn_chain_create(&arena, model, "base", "b2", &b, NULL), SN_OK);
  const int group[] = {b->joints[0], b->joints[1], a->joints[0], a->joints[1]};
  const int a_joints[] = {2, 3}, b_joints[] = {0, 1};
  const sn_ik_tip tips[] = {{b, b_joints}, {a, a_joints}};
  const double lower[] = {-2, -3, -2, 0.1}, upper[] = {2, 3, 2, 2}, seed[] = {0, -0.3, 0, 1};
  const sn_ik_setup setup = {.model = model,
                             .joint_count = 4,
                             .joints = group,
                             .lower = lower,
                             .upper = upper,
                             .tip_count = 2,
                             .tips = tips};
  void *solver = NULL;
  assert_int_equal(sn__ik_whole_body.create(&arena, &setup, &solver, NULL), SN_OK);
  sn_clock clock;
  sn_clock_init_simulated(&clock, 0);
  sn_random random;
  sn_random_init(&random, 1);
  for (size_t i = 0; i < sn_test_cases(20); i++) {
    const double elbow = sn_random_between(&random, 0.1, 2.0);
    const double qa[] = {sn_random_between(&random, -2.0, 2.0), elbow};
    const double qb[] = {sn_random_between(&random, -2.0, 2.0), -0.5 * elbow + 0.2};
    const sn_pose targets[] = {sn_chain_fk(b, qb), sn_chain_fk(a, qa)};
    double q[4] = {NAN, NAN, NAN, NAN};
    const sn_ik_query query = {.targets = targets,
                               .seed = seed,
                               .lower = lower,
                               .upper = upper,
                               .position_tolerance_m = 1e-8,
                               .rotation_tolerance_rad = 1e-8,
                               .restarts = true,
                               .clock = &clock,
                               .deadline_ns = INT64_MAX,
                               .random = &random,
                               .offer = take_coupled,
                               .context = q};
    assert_int_equal(sn__ik_whole_body.solve(solver, &query), SN_IK_OK);
    sn_assert_near(q[0], qb[0], 1e-6);
    sn_assert_near(q[1], qb[1], 1e-6);
    sn_assert_near(q[2], qa[0], 1e-6);
    sn_assert_near(q[3], elbow, 1e-6);
    sn_assert_near(q[1], -0.5 * q[3] + 0.2, 1e-12);
  }
  sn_arena_release(&arena);
  sn_arena_release(&scratch);
}

SN_TEST(full_arena_is_left_as_it_was) {
  static robot r;
  open_robot(&r, 1, 6, 2, 10);
  static _Alignas(64) unsigned char bytes[8192];
  sn_arena arena;
  for (size_t size = 0; size <= sizeof bytes; size += 128) {
    sn_arena_init(&arena, "small", bytes, size);
    void *solver = NULL;
    sn_error err = {0};
    assert_int_equal(sn__ik_whole_body.create(&arena, &r.setup, &solver, &err), SN_ENOMEM);
    sn_assert_contains(err.message, "'small'");
    assert_int_equal(sn_arena_used(&arena), 0);
  }
  sn_arena_release(&r.arena);
}
