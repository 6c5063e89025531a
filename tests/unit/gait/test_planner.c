/* Plans of steps: properties of the sequences, checked by other means than the planner uses. */
#include <math.h>
#include <stdio.h>

#include "allocation.h"
#include "dyn/support_polygon.h"
#include "gait/planner.h"
#include "planner_rig.h"
#include "sinew/dyn.h"
#include "sinew/kin.h"
#include "sinew/random.h"
#include "sn_test.h"
#include "steps/step_solve.h"

static planner_rig rig;
static const double SPEED_MAX = 9.0;

static int open_all(void **state) {
  (void)state;
  planner_rig_open(&rig, "quadruped", SPEED_MAX);
  return 0;
}

static int close_all(void **state) {
  (void)state;
  planner_rig_close(&rig);
  return 0;
}
SN_TEST_GROUP(open_all, close_all)

/* ---- requests ---- */

typedef struct request {
  const char *gait;
  double duration_s;
  unsigned steps;
  double x, y, turn;
} request;

static const request requests[] = {
    {"walk", 4.0, 3, 0.15, 0.0, 0.0},         {"walk_right", 5.0, 3, -0.1, 0.0, 0.0},
    {"walk_overlap", 4.0, 4, 0.1, 0.05, 0.5}, {"walk_overlap_right", 4.0, 4, 0.1, -0.05, -0.5},
    {"trot", 3.0, 3, 0.2, 0.0, 0.0},          {"trot_right", 3.0, 4, 0.0, 0.08, 0.3},
    {"walk_overlap", 3.0, 2, 0.0, 0.0, 0.4},  {"free", 4.0, 3, 0.1, 0.0, 0.0},
    {"walk", 12.0, 10, 0.5, 0.0, 0.0},        {"stand", 2.0, 0, 0.01, 0.01, 0.05}};
enum { REQUESTS = sizeof requests / sizeof *requests };

static void plan(const request *r) {
  planner_rig_ask(&rig, r->gait, r->duration_s, r->steps, r->x, r->y, r->turn);
  const int32_t code = planner_rig_plan(&rig);
  if (code != SN_MOVE_BASE_SUCCESS) {
    fail_msg("%s %g %g %g: %s", r->gait, r->x, r->y, r->turn, rig.err.message);
  }
}

static sn_pose foot_in_path(size_t limb, size_t point) {
  const sn__step_sequence *s = &rig.plan.sequence;
  return sn_pose_mul(s->base[point].pose, s->limbs[limb].points[point].pose);
}

/* ---- properties ---- */

SN_TEST(plans_begin_in_the_stance_and_end_at_the_goal) {
  for (size_t i = 0; i < REQUESTS; i++) {
    plan(&requests[i]);
    const sn__step_sequence *s = &rig.plan.sequence;
    const size_t last = s->point_count - 1;
    const sn_pose goal = {sn_mat3_from_rpy(0, 0, requests[i].turn),
                          {requests[i].x, requests[i].y, rig.legs.height_m}};
    sn_assert_pose_near(s->base[last].pose, goal, 1e-9);
    for (size_t k = 0; k < s->limb_count; k++) {
      sn_assert_pose_near(s->limbs[k].points[0].pose,
                          sn__step_leg_end(&rig.feet[k], rig.legs.stance), 1e-6);
      if (requests[i].steps > 0) {
        sn_assert_vec3_near(s->limbs[k].points[last].pose.pos,
                            sn__step_leg_end(&rig.feet[k], rig.legs.stance).pos, 1e-6);
      }
      assert_true(s->limbs[k].points[0].contact);
      assert_true(s->limbs[k].points[last].contact);
    }
  }
}

SN_TEST(feet_in_contact_do_not_move_and_others_clear_the_ground) {
  for (size_t i = 0; i < REQUESTS; i++) {
    plan(&requests[i]);
    const sn__step_sequence *s = &rig.plan.sequence;
    for (size_t k = 0; k < s->limb_count; k++) {
      double highest = 0.0;
      const double ground = foot_in_path(k, 0).pos.z;
      for (size_t n = 1; n < s->point_count; n++) {
        const sn_vec3 before = foot_in_path(k, n - 1).pos, now = foot_in_path(k, n).pos;
        if (s->limbs[k].points[n - 1].contact && s->limbs[k].points[n].contact) {
          sn_assert_vec3_near(now, before, 1e-9);
        }
        assert_true(now.z > ground - 1e-9);
        highest = fmax(highest, now.z - ground);
      }
      if (requests[i].steps > 0) {
        assert_true(highest > 0.1 * rig.legs.height_m);
      }
    }
  }
}

SN_TEST(twists_are_derivatives_of_the_poses) {
  for (size_t i = 0; i < REQUESTS; i++) {
    plan(&requests[i]);
    const sn__step_sequence *s = &rig.plan.sequence;
    for (size_t n = 1; n + 1 < s->point_count; n++) {
      const double h = s->times[n + 1] - s->times[n - 1];
      const sn_vec3 way = sn_vec3_sub(s->base[n + 1].pose.pos, s->base[n - 1].pose.pos);
      sn_assert_vec3_near(s->base[n].twist.lin, sn_vec3_scale(way, 1.0 / h), 0.02);
    }
  }
}

/* The joints of all points by solvers of their own. */
static void check_joints(void) {
  const sn__step_sequence *s = &rig.plan.sequence;
  double q[PLANNER_RIG_JOINTS_MAX], last[PLANNER_RIG_JOINTS_MAX];
  memcpy(q, rig.legs.stance, rig.joint_count * sizeof *q);
  for (size_t n = 0; n < s->point_count; n++) {
    memcpy(last, q, sizeof q);
    for (size_t k = 0; k < s->limb_count; k++) {
      const sn_pose wanted = s->limbs[k].points[n].pose;
      assert_true(sn__step_leg_solve(&rig.feet[k], wanted, q));
      sn_assert_pose_near(sn__step_leg_end(&rig.feet[k], q), wanted, 1e-6);
    }
    for (size_t j = 0; n > 0 && j < rig.joint_count; j++) {
      const double h = s->times[n] - s->times[n - 1];
      assert_true(fabs(q[j] - last[j]) / h <= SPEED_MAX * 1.0001);
    }
  }
}

SN_TEST(legs_reach_every_point_and_no_joint_is_too_fast) {
  for (size_t i = 0; i < REQUESTS; i++) {
    plan(&requests[i]);
    check_joints();
  }
}

SN_TEST(slow_drives_stretch_a_plan) {
  planner_rig slow;
  planner_rig_open(&slow, "quadruped", 5.0);
  planner_rig_ask(&slow, "walk", 4.0, 3, 0.15, 0.0, 0.0);
  if (planner_rig_plan(&slow) != SN_MOVE_BASE_SUCCESS) {
    fail_msg("%s", slow.err.message);
  }
  plan(&requests[0]);
  assert_true(slow.plan.duration_s > 1.2 * rig.plan.duration_s);
  assert_true(slow.plan.speed_peak <= 5.0);
  planner_rig_close(&slow);
}

/* ---- balance, by inverse dynamics with an explicit motion of the base ---- */

typedef struct moment {
  sn_pose base;
  double q[PLANNER_RIG_JOINTS_MAX];
} moment;

static void solve_at(const sn__step_path *path, double time_s, const double *seed, moment *out) {
  out->base = sn__step_path_base(path, time_s).pose;
  memcpy(out->q, seed, rig.joint_count * sizeof *seed);
  for (size_t k = 0; k < path->limb_count; k++) {
    const sn_pose foot = sn__step_path_foot(path, k, time_s).pose;
    assert_true(sn__step_leg_solve(&rig.feet[k], sn_pose_between(out->base, foot), out->q));
  }
}

/* The zero-moment point on the ground, in the path frame. */
static sn_vec3 zmp_at(sn_dyn_data *dyn, const sn__step_path *path, double time_s, double h,
                      const double *seed) {
  moment m[3];
  double qd[PLANNER_RIG_JOINTS_MAX], qdd[PLANNER_RIG_JOINTS_MAX], tau[PLANNER_RIG_JOINTS_MAX];
  for (int i = 0; i < 3; i++) {
    solve_at(path, time_s + h * (i - 1), seed, &m[i]);
  }
  for (size_t j = 0; j < rig.joint_count; j++) {
    qd[j] = (m[2].q[j] - m[0].q[j]) / (2 * h);
    qdd[j] = (m[2].q[j] - 2 * m[1].q[j] + m[0].q[j]) / (h * h);
  }
  const sn_mat3 rot = m[1].base.rot;
  const sn_vec3 vel = sn_vec3_scale(sn_vec3_sub(m[2].base.pos, m[0].base.pos), 0.5 / h);
  const sn_vec3 turn = sn_mat3_log(sn_mat3_mul(m[2].base.rot, sn_mat3_transpose(m[0].base.rot)));
  const sn_vec3 ang = sn_vec3_scale(turn, 0.5 / h);
  sn_vec3 acc = sn_vec3_add(m[0].base.pos, m[2].base.pos);
  acc = sn_vec3_scale(sn_vec3_add_scaled(acc, -2.0, m[1].base.pos), 1.0 / (h * h));
  const sn_vec3 spatial = sn_vec3_sub(acc, sn_vec3_cross(ang, vel));
  const sn_base_state base = {
      .pose_world_base = m[1].base,
      .twist = {sn_mat3_apply_transposed(rot, ang), sn_mat3_apply_transposed(rot, vel)},
      .acceleration = {{0, 0, 0}, sn_mat3_apply_transposed(rot, spatial)}};
  const sn_dyn_world world = {.gravity = {0, 0, -9.81}, .base = &base};
  sn_spatial wrench;
  sn_vec3 zmp = {0, 0, 0};
  sn_dyn_inverse(dyn, &world, m[1].q, qd, qdd, tau, &wrench);
  const sn_vec3 force = sn_mat3_apply(rot, wrench.lin);
  const sn_vec3 torque =
      sn_vec3_add(sn_mat3_apply(rot, wrench.ang), sn_vec3_cross(m[1].base.pos, force));
  const sn_plane ground = {{0, 0, 1}, 0.0};
  assert_true(sn__support_zmp(ground, (sn_spatial){torque, force}, &zmp));
  return zmp;
}

/* The margin while three feet or more bear weight from h before to h after. */
static double margin_at(const sn__step_path *path, sn_vec3 zmp, double time_s, double h) {
  sn_vec3 feet[SN__LEGS_MAX], corners[SN__LEGS_MAX];
  size_t count = 0, moving = 0;
  for (size_t k = 0; k < path->limb_count; k++) {
    const bool before = sn__step_path_foot(path, k, time_s - h).contact;
    const bool after = sn__step_path_foot(path, k, time_s + h).contact;
    moving += before != after;
    if (before && after) {
      feet[count++] = sn__step_path_foot(path, k, time_s).pose.pos;
    }
  }
  const sn_plane ground = {{0, 0, 1}, 0.0};
  count = sn__support_polygon(ground, feet, count, corners);
  return count < 3 || moving > 0 ? INFINITY : sn__support_margin(ground, corners, count, zmp);
}

/* The planner constrains samples and takes a mean over points; between them the zero-moment point
   may leave the polygon by this much. Soles are at least twice as large. */
static const double ZMP_ERROR_M = 0.008;

SN_TEST(the_zero_moment_point_of_inverse_dynamics_is_above_the_feet) {
  sn_dyn_data *dyn = NULL;
  assert_int_equal(sn_dyn_create(&rig.arena, sn_model_tree(rig.robot.model), &dyn, NULL), SN_OK);
  for (size_t i = 0; i < REQUESTS; i++) {
    plan(&requests[i]);
    sn__step_path path;
    const double h = 0.01;
    double least = INFINITY, sum = 0.0;
    size_t count = 0;
    assert_true(sn__step_path_create(&rig.arena, &rig.plan.sequence, 0.0, &path));
    for (double t = 2 * h; t < path.duration_s - 2 * h; t += 2 * h) {
      const double margin = margin_at(&path, zmp_at(dyn, &path, t, h, rig.legs.stance), t, 1.5 * h);
      least = fmin(least, margin);
      sum += isfinite(margin) ? margin : 0.0;
      count += isfinite(margin) ? 1 : 0;
    }
    if (least < -ZMP_ERROR_M) {
      print_message("%s: margin %g m\n", requests[i].gait, least);
    }
    assert_true(least >= -ZMP_ERROR_M);
    assert_true(sum / (double)count > 0.01);
  }
}

/* ---- execution ---- */

SN_TEST(a_plan_passes_the_preparation_for_execution_nearly_unchanged) {
  for (size_t i = 0; i < REQUESTS; i++) {
    plan(&requests[i]);
    sn__step_plan prepared;
    const sn__step_plan_config config = {.model = rig.robot.model,
                                         .legs = rig.feet,
                                         .drives = rig.drives,
                                         .start = rig.legs.stance,
                                         .balance = rig.balance,
                                         .margin_m = 0.001};
    assert_int_equal(
        sn__step_plan_create(&rig.arena, &rig.plan.sequence, &config, &prepared, NULL, &rig.err),
        SN_OK);
    assert_true(prepared.stretch < 1.15);
    assert_true(prepared.shift_max < 0.02);
  }
}

SN_TEST(equal_requests_give_equal_plans_and_planning_touches_no_heap) {
  static sn__step_point first[1000];
  const request *r = &requests[2];
  plan(r);
  const size_t count = rig.plan.sequence.point_count;
  assert_true(count <= 1000);
  memcpy(first, rig.plan.sequence.base, count * sizeof *first);
  plan(&requests[4]);
  planner_rig_ask(&rig, r->gait, r->duration_s, r->steps, r->x, r->y, r->turn);
  sn_assert_no_heap((void)planner_rig_plan(&rig));
  assert_int_equal(rig.plan.sequence.point_count, count);
  for (size_t n = 0; n < count; n++) {
    sn_assert_pose_near(rig.plan.sequence.base[n].pose, first[n].pose, 0.0);
  }
}

/* A duration that a walk would exceed makes the robot use a faster gait, if one is faster. */
SN_TEST(the_free_gait_is_the_calmest_one_that_is_quick_enough) {
  static const char *const gaits[] = {"walk", "walk_overlap", "trot"};
  for (double duration_s = 2.0; duration_s < 20.0; duration_s *= 2.0) {
    double times[3], least = INFINITY;
    for (size_t i = 0; i < 3; i++) {
      plan(&(request){gaits[i], duration_s, 3, 0.1, 0.0, 0.0});
      times[i] = rig.plan.duration_s;
      least = fmin(least, times[i]);
    }
    plan(&(request){"free", duration_s, 3, 0.1, 0.0, 0.0});
    assert_true(rig.plan.duration_s <= fmax(1.15 * least, duration_s * 1.2));
    if (times[0] <= duration_s * 1.0001) { /* there is time for a walk */
      assert_true(fabs(rig.plan.duration_s - times[0]) < 1e-9);
    }
  }
}

SN_TEST(every_gait_is_planned_with_either_side_first) {
  static const char *const gaits[] = {"free", "walk", "walk_overlap", "trot"};
  for (size_t i = 0; i < 2 * sizeof gaits / sizeof *gaits; i++) {
    char name[32];
    snprintf(name, sizeof name, "%s%s", gaits[i / 2], i % 2 == 0 ? "" : "_right");
    plan(&(request){name, 4.0, 3, 0.1, 0.0, 0.0});
    check_joints();
  }
}

SN_TEST(random_requests_are_planned_or_say_why_not) {
  static const char *const gaits[] = {"walk", "walk_overlap", "trot", "free_right", "pace"};
  sn_random random;
  sn_random_init(&random, 18);
  size_t planned = 0;
  for (int i = 0; i < 60; i++) {
    planner_rig_ask(&rig, gaits[i % 5], sn_random_between(&random, 1.0, 6.0),
                    1 + (unsigned)sn_random_below(&random, 6),
                    sn_random_between(&random, -0.4, 0.4), sn_random_between(&random, -0.2, 0.2),
                    sn_random_between(&random, -1.0, 1.0));
    const int32_t code = planner_rig_plan(&rig);
    if (code == SN_MOVE_BASE_SUCCESS) {
      planned++;
      check_joints();
    } else {
      assert_int_equal(code, SN_MOVE_BASE_SOLUTION_NOT_FOUND);
      assert_true(strlen(rig.err.message) > 10);
    }
  }
  assert_true(planned > 20);
}
