#include <string.h>

#include "controllers/cartesian/stance.h"
#include "math/rotation.h"
#include "robot.h"
#include "sinew/dyn.h"
#include "sinew/kin.h"
#include "sinew/quat.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { LEGS = 4, JOINTS_MAX = 40 };
static const double dt = 1e-3;

typedef struct fixture {
  sn_test_robot robot;
  sn_arena arena;
  sn_clock clock;
  sn_random random;
  const sn_model *model;
  sn__limb_ik limbs[16], oracle[16];
  sn__stance *stance;
  sn__stance_state at;
  sn_kin_data *kin;
  sn_dyn_data *dyn;
  size_t n;
  double q[JOINTS_MAX], qd[JOINTS_MAX], last[JOINTS_MAX];
  sn_pose start;
} fixture;

static void create_limbs(fixture *f, sn__limb_ik *limbs) {
  for (size_t c = 0; c < LEGS; c++) {
    const sn__limb_ik_config config = {.model = f->model,
                                       .chain = c,
                                       .with_virtual = true,
                                       .solver = "auto",
                                       .jump_max = 0.5,
                                       .timeout_s = 1.0,
                                       .clock = &f->clock,
                                       .weight_position = 1.0,
                                       .weight_rotation = 1.0};
    assert_int_equal(sn__limb_ik_create(&f->arena, &config, &limbs[c], NULL), SN_OK);
  }
}

static void crouch(fixture *f) {
  static const double leg[6] = {0.0, 0.1, -0.5, 1.0, -0.5, -0.1};
  for (size_t c = 0; c < LEGS; c++) {
    const sn_chain *chain = sn_model_chain(f->model, c, true);
    for (size_t i = 0; i < 6; i++) {
      const bool is_bent = i >= 2 && i <= 4; /* the knees of hind legs bend the other way */
      f->q[chain->joints[i]] = c >= 2 && is_bent ? -leg[i] : leg[i];
    }
  }
}

static void open_stance(fixture *f, const sn__stance_config *extra, unsigned legs) {
  *f = (fixture){.n = 0};
  sn_test_robot_load(&f->robot, "quadruped");
  f->model = f->robot.model;
  f->n = sn_model_pose_size(f->model);
  sn_arena_init_growing(&f->arena, "stance", 0);
  sn_clock_init_simulated(&f->clock, 0);
  sn_random_init(&f->random, 17);
  create_limbs(f, f->limbs);
  create_limbs(f, f->oracle);
  const sn_smooth_config smooth = {.joint_count = 6, .transient_time_s = 0.3};
  sn__stance_config config = *extra;
  config.model = f->model;
  config.limbs = f->limbs;
  config.period_s = dt;
  assert_int_equal(sn__body_filter_create(&f->arena, "filter_exp", &smooth, &config.filter, NULL),
                   SN_OK);
  assert_int_equal(sn__stance_create(&f->arena, &config, &f->stance, NULL), SN_OK);
  assert_int_equal(sn_kin_create(&f->arena, sn_model_tree(f->model), &f->kin, NULL), SN_OK);
  assert_int_equal(sn_dyn_create(&f->arena, sn_model_tree(f->model), &f->dyn, NULL), SN_OK);
  crouch(f);
  bool supports[16] = {false};
  for (unsigned c = 0; c < LEGS; c++) {
    supports[c] = (legs >> c & 1u) != 0;
  }
  f->start = (sn_pose){sn_mat3_from_rpy(0.02, -0.03, 0.7), {1.0, -2.0, 0.16}};
  sn__stance_stand(f->stance, supports, f->q, f->start);
  memcpy(f->last, f->q, sizeof f->last);
}

static void close_stance(fixture *f) {
  sn_arena_release(&f->arena);
  sn_test_robot_free(&f->robot);
}

static sn_vec3 draw_vec3(fixture *f, double size) {
  return (sn_vec3){sn_random_between(&f->random, -size, size),
                   sn_random_between(&f->random, -size, size),
                   sn_random_between(&f->random, -size, size)};
}

static sn_pose draw_near(fixture *f, double size_m, double size_rad) {
  return (sn_pose){sn_mat3_mul(f->start.rot, sn__mat3_exp(draw_vec3(f, size_rad))),
                   sn_vec3_add(f->start.pos, draw_vec3(f, size_m))};
}

/* End of a leg in the world, by the kinematics of the whole robot. */
static sn_pose foot_of(fixture *f, size_t c) {
  const sn_chain *chain = sn_model_chain(f->model, c, true);
  sn_kin_update(f->kin, f->q);
  return sn_pose_mul(f->at.base.pose,
                     sn_kin_link_pose(f->kin, sn_model_link(f->model, (size_t)chain->last_link)));
}

/* One cycle; feet stay, joints move as their velocities say and within limits. */
static void step(fixture *f) {
  memset(f->qd, 0, sizeof f->qd);
  sn__stance_step(f->stance, f->q, f->qd, &f->at);
  for (size_t c = 0; c < LEGS; c++) {
    if (sn__stance_supports(f->stance, c)) {
      const sn_pose foot = foot_of(f, c), wanted = sn__stance_foot(f->stance, c);
      sn_assert_near(sn_vec3_norm(sn_vec3_sub(foot.pos, wanted.pos)), 0.0, 2e-6);
      sn_assert_near(sn_vec3_norm(sn_mat3_log(sn_pose_between(foot, wanted).rot)), 0.0, 4e-6);
    }
  }
  for (size_t j = 0; j < f->n; j++) {
    const sn_joint *joint = sn_model_joint(f->model, j);
    assert_true(f->q[j] >= joint->lower && f->q[j] <= joint->upper);
    const double way = f->q[j] - f->last[j];
    assert_true(fabs(way) <= joint->velocity_max * dt + 1e-9);
    sn_assert_near(f->qd[j], way / dt, 1e-9);
  }
  memcpy(f->last, f->q, sizeof f->last);
}

/* Can all legs get there, from here, without a jump? By solvers of the test. */
static bool is_reachable(fixture *f, const sn_pose *from, const sn_pose *to, const double *q_from) {
  double q[JOINTS_MAX];
  memcpy(q, q_from, sizeof q);
  const sn_vec3 way = sn_vec3_sub(to->pos, from->pos);
  const sn_vec3 turn = sn_mat3_log(sn_mat3_mul(sn_mat3_transpose(from->rot), to->rot));
  for (int k = 1; k <= 20; k++) {
    const sn_pose base = {sn_mat3_mul(from->rot, sn__mat3_exp(sn_vec3_scale(turn, k / 20.0))),
                          sn_vec3_add_scaled(from->pos, k / 20.0, way)};
    for (size_t c = 0; c < LEGS; c++) {
      if (sn__stance_supports(f->stance, c)) {
        const sn_pose goal = sn_pose_between(base, sn__stance_foot(f->stance, c));
        if (!sn__limb_ik_solve(&f->oracle[c], q, &goal, NULL)) {
          return false;
        }
        for (size_t i = 0; i < f->oracle[c].count; i++) {
          q[f->oracle[c].joints[i]] = f->oracle[c].pose[i];
        }
      }
    }
  }
  return true;
}

/* Oracle: where the straight way is free, the base arrives; to the tolerance of the solver. */
SN_TEST(pose_within_reach_is_reached) {
  fixture f;
  open_stance(&f, &(sn__stance_config){.singular_min = 0.03}, 15);
  size_t reached = 0;
  for (size_t round = 0; round < sn_test_cases(60); round++) {
    const sn_pose wanted = draw_near(&f, 0.03, 0.2);
    if (!is_reachable(&f, &f.at.base.pose, &wanted, f.q) && round > 0) {
      continue;
    }
    const sn__stance_verdict verdict = sn__stance_want(f.stance, &wanted, NULL);
    for (int k = 0; k < 800; k++) {
      step(&f);
    }
    if (round > 0) {
      assert_true(verdict != SN__STANCE_UNSTABLE);
      sn_assert_pose_near(f.at.base.pose, wanted, 1e-5);
      assert_false(f.at.is_short);
      reached++;
    }
  }
  assert_true(reached > sn_test_cases(60) / 3);
  close_stance(&f);
}

/* Thousands of poses, near and far, before the last one is reached: feet stay, nothing jumps. */
SN_TEST(feet_stay_whatever_is_wanted) {
  static const unsigned legs[] = {15, 7, 9, 1};
  for (size_t i = 0; i < 4; i++) {
    fixture f;
    open_stance(&f, &(sn__stance_config){.singular_min = 0.03}, legs[i]);
    sn_random_init(&f.random, 100 + i);
    for (size_t round = 0; round < sn_test_cases(400); round++) {
      const bool is_far = sn_random_below(&f.random, 3) == 0;
      const sn_pose wanted = draw_near(&f, is_far ? 1.0 : 0.05, is_far ? 3.0 : 0.3);
      (void)sn__stance_want(f.stance, &wanted, NULL);
      const uint64_t cycles = 1 + sn_random_below(&f.random, 60);
      for (uint64_t k = 0; k < cycles; k++) {
        step(&f);
      }
    }
    close_stance(&f);
  }
}

/* The least singular value of all legs that support, near 0 for a stretched one. */
static double stretch_of(fixture *f, const sn_pose *base) {
  double least = INFINITY;
  for (size_t c = 0; c < LEGS; c++) {
    const sn_pose goal = sn_pose_between(*base, sn__stance_foot(f->stance, c));
    if (sn__stance_supports(f->stance, c) && sn__limb_ik_solve(&f->oracle[c], f->q, &goal, NULL)) {
      const sn_ik_velocity_query query = {.q = f->oracle[c].pose, .frame = SN_IK_FRAME_TIP};
      sn_ik_velocity_result result = {.singular_value = 0.0};
      double qd[JOINTS_MAX];
      assert_int_equal(sn_ik_velocity_solve(f->oracle[c].velocity, &query, qd, &result), SN_OK);
      least = fmin(least, result.singular_value);
    }
  }
  return least;
}

static sn_pose nudge(const sn_pose *pose, size_t k, double by) {
  sn_pose out = *pose;
  double turn[3] = {0, 0, 0};
  if (k < 3) {
    *(k == 0 ? &out.pos.x : k == 1 ? &out.pos.y : &out.pos.z) += by;
  } else {
    turn[k - 3] = by;
    out.rot = sn_mat3_mul(out.rot, sn__mat3_exp((sn_vec3){turn[0], turn[1], turn[2]}));
  }
  return out;
}

/* At the end no coordinate can get nearer by a hundredth of what is missing. */
SN_TEST(pose_out_of_reach_is_approached_as_far_as_it_goes) {
  fixture f;
  open_stance(&f, &(sn__stance_config){.singular_min = 0.03}, 15);
  size_t short_count = 0;
  for (size_t round = 0; round < sn_test_cases(40); round++) {
    const sn_pose wanted = draw_near(&f, 0.15, 1.0);
    (void)sn__stance_want(f.stance, &wanted, NULL);
    for (int k = 0; k < 1500; k++) {
      step(&f);
    }
    if (!f.at.is_short) {
      continue;
    }
    short_count++;
    assert_true(f.at.blocking_chain >= 0 && f.at.blocking_chain < LEGS);
    const sn_vec3 move = sn_vec3_sub(wanted.pos, f.at.base.pose.pos);
    const sn_vec3 turn =
        sn_mat3_log(sn_mat3_mul(sn_mat3_transpose(f.at.base.pose.rot), wanted.rot));
    const double way[6] = {move.x, move.y, move.z, turn.x, turn.y, turn.z};
    for (size_t k = 0; k < 6; k++) {
      if (fabs(way[k]) > 1e-3) {
        const sn_pose there = nudge(&f.at.base.pose, k, 0.01 * way[k]);
        const double now = stretch_of(&f, &f.at.base.pose);
        assert_true(!is_reachable(&f, &f.at.base.pose, &there, f.q) ||
                    (stretch_of(&f, &there) < 0.03 && stretch_of(&f, &there) < now));
      }
    }
    sn_assert_near(f.at.short_m, sn_vec3_norm(move), 1e-3);
  }
  assert_true(short_count > sn_test_cases(40) / 4);
  close_stance(&f);
}

/* Signed distance of the centre of mass from the edge, by the definition: the least over the edges
   of the hull, found by trying all pairs of points. */
static double margin_of(fixture *f) {
  sn_vec3 points[64];
  size_t count = 0;
  sn_kin_update(f->kin, f->q);
  for (size_t c = 0; c < LEGS; c++) {
    const sn_chain *chain = sn_model_chain(f->model, c, false);
    const sn_contact *contact =
        sn_model_contact(f->model, (size_t)sn_model_chain_default_contact(f->model, c));
    const sn_pose end =
        sn_pose_mul(f->at.base.pose,
                    sn_kin_link_pose(f->kin, sn_model_link(f->model, (size_t)chain->last_link)));
    for (size_t i = 0; sn__stance_supports(f->stance, c) && i < contact->point_count; i++) {
      points[count++] = sn_pose_apply(end, contact->points[i]);
    }
  }
  const sn_vec3 com = sn_pose_apply(f->at.base.pose, sn_dyn_com(f->dyn, f->q));
  double least = INFINITY;
  for (size_t a = 0; a < count; a++) {
    for (size_t b = 0; b < count; b++) {
      const double ex = points[b].x - points[a].x, ey = points[b].y - points[a].y;
      const double length = sqrt(ex * ex + ey * ey);
      bool is_edge = length > 1e-6;
      for (size_t k = 0; is_edge && k < count; k++) {
        is_edge = ex * (points[k].y - points[a].y) - ey * (points[k].x - points[a].x) >= -1e-9;
      }
      if (is_edge) {
        least = fmin(least, (ex * (com.y - points[a].y) - ey * (com.x - points[a].x)) / length);
      }
    }
  }
  return least;
}

SN_TEST(unstable_pose_is_ignored) {
  fixture f;
  open_stance(
      &f, &(sn__stance_config){.check_balance = true, .singular_min = 0.03, .margin_m = 0.01}, 7);
  step(&f);
  sn_assert_near(sn__stance_margin(f.stance), margin_of(&f), 1e-9);
  size_t ignored = 0;
  for (size_t round = 0; round < sn_test_cases(150); round++) {
    const double before = margin_of(&f);
    const sn_pose wanted = draw_near(&f, 0.05, 0.2);
    ignored += sn__stance_want(f.stance, &wanted, NULL) == SN__STANCE_UNSTABLE;
    for (int k = 0; k < 600; k++) {
      step(&f);
    }
    assert_true(margin_of(&f) >= fmin(0.01, before) - 1e-4);
  }
  assert_true(ignored > 0);
  close_stance(&f);
}

SN_TEST(recovery_puts_the_centre_of_mass_in_the_middle) {
  fixture f;
  open_stance(
      &f, &(sn__stance_config){.margin_m = 0.01, .height_min_m = 0.13, .height_max_m = 0.15}, 15);
  const sn_pose off = {f.start.rot, sn_vec3_add(f.start.pos, (sn_vec3){0.02, -0.02, 0.0})};
  (void)sn__stance_want(f.stance, &off, NULL);
  for (int k = 0; k < 1000; k++) {
    step(&f);
  }
  const double before = margin_of(&f);
  sn__stance_recover(f.stance);
  for (int k = 0; k < 1500; k++) {
    step(&f);
  }
  assert_true(margin_of(&f) > before + 0.005);
  /* The height above the soles, which are where the hooves were. */
  double floor_m = 0.0;
  for (size_t c = 0; c < LEGS; c++) {
    floor_m += 0.25 * sn__stance_foot(f.stance, c).pos.z;
  }
  const double height = f.at.base.pose.pos.z - floor_m;
  assert_true(height <= 0.15 + 2e-3 && height >= 0.13 - 2e-3);
  close_stance(&f);
}

/* A fourth leg joins, one leaves: the base and the other feet go on as if nothing was. */
SN_TEST(change_of_supports_moves_nothing) {
  fixture f;
  open_stance(&f, &(sn__stance_config){.singular_min = 0.03}, 7);
  const sn_pose wanted = draw_near(&f, 0.02, 0.1);
  (void)sn__stance_want(f.stance, &wanted, NULL);
  for (int k = 0; k < 150; k++) {
    step(&f);
  }
  const sn_pose foot = sn__stance_foot(f.stance, 1);
  bool supports[16] = {true, true, false, true};
  sn__stance_stand(f.stance, supports, f.q, sn_pose_identity());
  sn_assert_pose_near(sn__stance_foot(f.stance, 1), foot, 0.0);
  sn_assert_pose_near(sn__stance_foot(f.stance, 3), foot_of(&f, 3), 1e-12);
  for (int k = 0; k < 1000; k++) {
    step(&f);
  }
  sn_assert_pose_near(f.at.base.pose, wanted, 1e-5);
  close_stance(&f);
}

/* The foot is seen a little elsewhere: its place follows, to a bound, and the base stays. */
SN_TEST(foot_follows_what_is_seen_within_a_bound) {
  fixture f;
  open_stance(&f, &(sn__stance_config){.singular_min = 0.03}, 15);
  step(&f);
  const sn_pose first = sn__stance_foot(f.stance, 0);
  sn_pose seen = first;
  seen.pos.x += 0.005;
  for (int k = 0; k < 5000; k++) {
    sn__stance_shift_foot(f.stance, 0, &seen, 2e-3, 0.02);
    step(&f);
  }
  sn_assert_near(sn__stance_foot(f.stance, 0).pos.x, seen.pos.x, 1e-5);
  seen.pos.x += 1.0;
  for (int k = 0; k < 5000; k++) {
    sn__stance_shift_foot(f.stance, 0, &seen, 2e-3, 0.01);
    step(&f);
  }
  sn_assert_near(sn_vec3_norm(sn_vec3_sub(sn__stance_foot(f.stance, 0).pos, first.pos)), 0.01,
                 1e-9);
  sn_assert_pose_near(f.at.base.pose, f.start, 1e-9);
  close_stance(&f);
}
