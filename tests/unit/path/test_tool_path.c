/* Motions of a tool. The path of the tool is computed from the commanded joints alone.
   SINEW_TEST_SCALE=100 makes 10000 reachable lines of each robot. */
#include "path/tool_path.h"
#include "robot.h"
#include "sinew/sinew.h"
#include "sn_test.h"
#include "traj/otg_limits.h"

enum { JOINTS = 7 };

typedef struct arm {
  sn_arena arena, motions;
  const sn_model *model;
  const sn_chain *chain;
  sn_otg_limits limits[JOINTS];
  sn__tool_planner *planner;
} arm;

static const char *const names[] = {"arm6", "arm_ur", "arm7", "arm_panda"};
enum { ARM_COUNT = sizeof names / sizeof *names };

static void arm_open(arm *a, const char *name) {
  static const sn__otg_defaults defaults = {10.0, 0.25, 0.1};
  char path[512];
  sn_test_robot_path(name, "urdf", path, sizeof path);
  sn_arena_init_growing(&a->arena, "arm", 0);
  sn_arena_init_growing(&a->motions, "motions", 1u << 20);
  assert_int_equal(sn_model_load(&a->arena, path, &(sn_model_config){0}, NULL, &a->model, NULL),
                   SN_OK);
  assert_int_equal(sn_chain_create(&a->arena, a->model, "base_link", "tool0", &a->chain, NULL),
                   SN_OK);
  for (size_t j = 0; j < a->chain->joint_count; j++) {
    a->limits[j] =
        sn__otg_limits_of(sn_model_joint(a->model, (size_t)a->chain->joints[j]), &defaults);
  }
  const sn__tool_planner_config config = {
      .model = a->model, .base = "base_link", .tip = "tool0", .limits = a->limits};
  assert_int_equal(sn__tool_planner_create(&a->arena, &config, &a->planner, NULL), SN_OK);
}

static sn_status plan(arm *a, const double *q, const sn__tool_target *targets, size_t count,
                      sn__tool_motion **motion, sn_error *err) {
  const sn__tool_request request = {.q = q, .targets = targets, .count = count};
  return sn__tool_plan(a->planner, &a->motions, &request, motion, err);
}

static void arm_close(arm *a) {
  sn_arena_release(&a->motions);
  sn_arena_release(&a->arena);
}

static void draw_pose(const arm *a, sn_random *random, double *q) {
  for (size_t j = 0; j < a->chain->joint_count; j++) {
    q[j] = sn_random_between(random, fmax(a->chain->lower[j], -3.0), fmin(a->chain->upper[j], 3.0));
  }
}

static sn_pose draw_near(sn_pose pose, sn_random *random) {
  const sn_vec3 axis = {sn_random_normal(random), sn_random_normal(random),
                        sn_random_normal(random)};
  const sn_vec3 way = {sn_random_normal(random), sn_random_normal(random),
                       sn_random_normal(random)};
  pose.pos = sn_vec3_add_scaled(pose.pos, 0.15, way);
  pose.rot = sn_mat3_mul(sn_mat3_from_axis_angle(sn_vec3_scale(axis, 1.0 / sn_vec3_norm(axis)),
                                                 sn_random_between(random, 0.0, 1.0)),
                         pose.rot);
  return pose;
}

/* ---- what a motion must be ---- */

typedef struct moment {
  double q[JOINTS], qd[JOINTS], qdd[JOINTS];
} moment;

static void check_limit(double value, double limit, const char *what) {
  if (!(fabs(value) <= limit * (1.0 + 1e-9))) {
    fail_msg("%s %.12g, limit %.12g", what, value, limit);
  }
}

static void check_limits(const arm *a, const moment *at, const moment *before, double dt) {
  for (size_t j = 0; j < a->chain->joint_count; j++) {
    const sn_otg_limits *limit = &a->limits[j];
    assert_true(at->q[j] >= a->chain->lower[j] && at->q[j] <= a->chain->upper[j]);
    check_limit(at->qd[j], limit->velocity, "velocity");
    check_limit(at->qdd[j], limit->acceleration, "acceleration");
    const double rounding = 1e-12 * limit->acceleration / dt;
    check_limit((at->qdd[j] - before->qdd[j]) / dt, limit->jerk + rounding, "jerk");
  }
}

/* Distance of a point from the line between two. */
static double beside_line(sn_vec3 p, sn_vec3 from, sn_vec3 to) {
  const sn_vec3 way = sn_vec3_sub(to, from);
  const sn_vec3 off = sn_vec3_sub(p, from);
  return sn_vec3_norm(sn_vec3_cross(way, off)) / sn_vec3_norm(way);
}

/* @return the greatest distance from the line */
static double check_line(const arm *a, const sn__tool_motion *motion, sn_pose from, sn_pose to) {
  const size_t samples = 1500;
  const double dt = sn__tool_motion_duration(motion) / (double)samples;
  double worst = 0.0;
  moment before;
  sn__tool_motion_at(motion, 0.0, before.q, before.qd, before.qdd);
  for (size_t k = 1; k <= samples; k++) {
    moment at;
    sn__tool_motion_at(motion, dt * (double)k, at.q, at.qd, at.qdd);
    check_limits(a, &at, &before, dt);
    worst = fmax(worst, beside_line(sn_chain_fk(a->chain, at.q).pos, from.pos, to.pos));
    before = at;
  }
  sn_assert_pose_near(sn_chain_fk(a->chain, before.q), to, 1e-9);
  return worst;
}

SN_TEST(lines_keep_within_ten_micrometres_and_all_limits) {
  for (size_t i = 0; i < ARM_COUNT; i++) {
    arm a;
    sn_random random;
    sn_random_init(&random, sn_test_seed(11) + i);
    arm_open(&a, names[i]);
    const size_t wanted = sn_test_cases(100);
    size_t tried = 0;
    size_t done = 0;
    double worst = 0.0;
    for (; done < wanted && tried < 5 * wanted; tried++) {
      double q[JOINTS];
      draw_pose(&a, &random, q);
      const sn_pose from = sn_chain_fk(a.chain, q);
      const sn__tool_target target = {.kind = SN__TOOL_LIN, .pose = draw_near(from, &random)};
      sn__tool_motion *motion = NULL;
      sn_error err = {0};
      const sn_arena_mark mark = sn_arena_save(&a.motions);
      if (plan(&a, q, &target, 1, &motion, &err) == SN_OK) {
        worst = fmax(worst, check_line(&a, motion, from, target.pose));
        done++;
      } else {
        sn_assert_contains(err.message, "target 0: after ");
      }
      sn_arena_restore(&a.motions, mark);
    }
    print_message("%s: %zu of %zu lines, at most %.2f um beside\n", names[i], done, tried,
                  1e6 * worst);
    assert_true(worst <= 10e-6);
    assert_int_equal(done, wanted);
    arm_close(&a);
  }
}

/* ---- shapes ---- */

static const double START[JOINTS] = {0.3, -1.2, 1.4, -0.5, 0.8, 0.1};

static sn__tool_target at_offset(sn_pose pose, sn__tool_kind kind, double x, double y, double z) {
  pose.pos = sn_vec3_add(pose.pos, sn_vec3_make(x, y, z));
  return (sn__tool_target){.kind = kind, .pose = pose};
}

SN_TEST(arcs_keep_to_their_circle) {
  arm a;
  arm_open(&a, "arm_ur");
  const sn_pose from = sn_chain_fk(a.chain, START);
  /* a half circle of 0.1 m about the point 0.1 m behind the start */
  sn__tool_target target = at_offset(from, SN__TOOL_CIRC, 0.2, 0.0, 0.0);
  target.via = sn_vec3_add(from.pos, sn_vec3_make(0.1, 0.1, 0.0));
  const sn_vec3 centre = sn_vec3_add(from.pos, sn_vec3_make(0.1, 0.0, 0.0));
  sn__tool_motion *motion = NULL;
  assert_int_equal(plan(&a, START, &target, 1, &motion, NULL), SN_OK);
  double height = 0.0;
  for (int k = 0; k <= 1000; k++) {
    moment at;
    sn__tool_motion_at(motion, 1e-3 * k * sn__tool_motion_duration(motion), at.q, at.qd, at.qdd);
    const sn_vec3 off = sn_vec3_sub(sn_chain_fk(a.chain, at.q).pos, centre);
    sn_assert_near(sn_vec3_norm(off), 0.1, 10e-6);
    sn_assert_near(off.z, 0.0, 10e-6);
    height = fmax(height, off.y);
  }
  sn_assert_near(height, 0.1, 1e-4);
  arm_close(&a);
}

SN_TEST(blended_corners_are_passed_without_a_stop_within_their_radius) {
  arm a;
  arm_open(&a, "arm_ur");
  const sn_pose from = sn_chain_fk(a.chain, START);
  sn__tool_target targets[2] = {at_offset(from, SN__TOOL_LIN, 0.15, 0.0, 0.0),
                                at_offset(from, SN__TOOL_LIN, 0.15, 0.0, 0.15)};
  sn__tool_motion *stops = NULL;
  sn__tool_motion *motion = NULL;
  assert_int_equal(plan(&a, START, targets, 2, &stops, NULL), SN_OK);
  targets[0].blend_m = 0.08;
  assert_int_equal(plan(&a, START, targets, 2, &motion, NULL), SN_OK);
  assert_true(sn__tool_motion_duration(motion) < sn__tool_motion_duration(stops));
  const double t_end = sn__tool_motion_duration(motion);
  double nearest = INFINITY;
  sn_vec3 last = from.pos;
  for (int k = 1; k <= 2000; k++) {
    moment at;
    sn__tool_motion_at(motion, t_end * k / 2000, at.q, at.qd, at.qdd);
    const sn_vec3 p = sn_chain_fk(a.chain, at.q).pos;
    const double corner = sn_vec3_norm(sn_vec3_sub(p, targets[0].pose.pos));
    nearest = fmin(nearest, corner);
    if (corner > 0.08 + 1e-5) { /* outside of the corner: on one of the lines */
      assert_true(fmin(beside_line(p, from.pos, targets[0].pose.pos),
                       beside_line(p, targets[0].pose.pos, targets[1].pose.pos)) <= 10e-6);
    }
    if (k > 100 && k < 1900) {
      assert_true(sn_vec3_norm(sn_vec3_sub(p, last)) > 1e-6); /* it does not stop */
    }
    last = p;
  }
  assert_true(nearest > 1e-2 && nearest < 0.08);
  arm_close(&a);
}

SN_TEST(splines_pass_all_their_targets) {
  arm a;
  arm_open(&a, "arm_ur");
  const sn_pose from = sn_chain_fk(a.chain, START);
  const sn__tool_target targets[3] = {at_offset(from, SN__TOOL_SPLINE, 0.1, 0.0, 0.05),
                                      at_offset(from, SN__TOOL_SPLINE, 0.15, 0.05, 0.0),
                                      at_offset(from, SN__TOOL_SPLINE, 0.2, 0.0, 0.1)};
  sn__tool_motion *motion = NULL;
  assert_int_equal(plan(&a, START, targets, 3, &motion, NULL), SN_OK);
  double nearest[3] = {INFINITY, INFINITY, INFINITY};
  for (int k = 0; k <= 20000; k++) {
    moment at;
    sn__tool_motion_at(motion, sn__tool_motion_duration(motion) * k / 20000, at.q, at.qd, at.qdd);
    for (int i = 0; i < 3; i++) {
      const sn_vec3 p = sn_chain_fk(a.chain, at.q).pos;
      nearest[i] = fmin(nearest[i], sn_vec3_norm(sn_vec3_sub(p, targets[i].pose.pos)));
    }
  }
  for (int i = 0; i < 3; i++) {
    assert_true(nearest[i] < 50e-6); /* samples are up to 30 um apart */
  }
  arm_close(&a);
}

SN_TEST(a_lower_speed_takes_that_much_longer) {
  arm robot;
  arm_open(&robot, "arm6");
  const double q[JOINTS] = {0.5, 0.2, 0.3, 0.4, 0.5, 0.6};
  const sn__tool_target target = {.kind = SN__TOOL_PTP, .q = q};
  const double start[JOINTS] = {0};
  sn__tool_motion *a = NULL;
  sn__tool_motion *b = NULL;
  sn__tool_request request = {.q = start, .targets = &target, .count = 1};
  assert_int_equal(sn__tool_plan(robot.planner, &robot.motions, &request, &a, NULL), SN_OK);
  request.speed = 0.25;
  assert_int_equal(sn__tool_plan(robot.planner, &robot.motions, &request, &b, NULL), SN_OK);
  sn_assert_near(sn__tool_motion_duration(b), 4.0 * sn__tool_motion_duration(a),
                 1e-3 * sn__tool_motion_duration(b));
  arm_close(&robot);
}

/* ---- refusals ---- */

static void expect_refusal(arm *a, const double *q, const sn__tool_target *targets, size_t count,
                           const char *part) {
  sn__tool_motion *motion = NULL;
  sn_error err = {0};
  assert_int_equal(plan(a, q, targets, count, &motion, &err), SN_EINVAL);
  assert_null(motion);
  sn_assert_contains(err.message, part);
}

SN_TEST(what_cannot_be_done_is_refused_with_its_place) {
  arm a;
  arm_open(&a, "arm_ur");
  const sn_pose from = sn_chain_fk(a.chain, START);
  sn__tool_target far = at_offset(from, SN__TOOL_LIN, -2.0, 0.0, 0.0);
  expect_refusal(&a, START, &far, 1, "%) the tool is out of reach");
  const double stretched[JOINTS] = {0.0, -1.5, 0.0, 0.0, 0.8, 0.0};
  sn__tool_target down = at_offset(sn_chain_fk(a.chain, stretched), SN__TOOL_LIN, 0.0, 0.0, -0.1);
  expect_refusal(&a, stretched, &down, 1, "(0 %) the arm would be in a singular pose");
  sn__tool_target beyond = {.kind = SN__TOOL_PTP, .q = (const double[JOINTS]){9.0}};
  expect_refusal(&a, START, &beyond, 1, "target 0 (ptp): joint '");
  sn__tool_target nowhere = at_offset(from, SN__TOOL_LIN, NAN, 0.0, 0.0);
  expect_refusal(&a, START, &nowhere, 1, "target 0: a number of its pose is not finite");
  expect_refusal(&a, START, &far, 0, "no targets");
  arm_close(&a);
}

SN_TEST(a_line_beyond_a_joint_limit_is_refused_with_the_joint) {
  arm a;
  arm_open(&a, "arm6");
  sn_random random;
  sn_random_init(&random, 21);
  size_t found = 0;
  for (int k = 0; k < 300; k++) {
    double q[JOINTS];
    draw_pose(&a, &random, q);
    const sn__tool_target target = {.kind = SN__TOOL_LIN,
                                    .pose = draw_near(sn_chain_fk(a.chain, q), &random)};
    sn__tool_motion *motion = NULL;
    sn_error err = {0};
    const sn_arena_mark mark = sn_arena_save(&a.motions);
    if (plan(&a, q, &target, 1, &motion, &err) != SN_OK &&
        strstr(err.message, "its limits are") != NULL) {
      sn_assert_contains(err.message, "target 0: after ");
      sn_assert_contains(err.message, "joint '");
      found++;
    }
    sn_arena_restore(&a.motions, mark);
  }
  assert_true(found > 0);
  arm_close(&a);
}

SN_TEST(arcs_and_blends_that_do_not_exist_are_refused) {
  arm a;
  arm_open(&a, "arm_ur");
  const sn_pose from = sn_chain_fk(a.chain, START);
  sn__tool_target arc = at_offset(from, SN__TOOL_CIRC, 0.1, 0.0, 0.0);
  arc.via = sn_vec3_add(from.pos, sn_vec3_make(0.05, 0.0, 0.0));
  expect_refusal(&a, START, &arc, 1, "target 0 (circ): start, middle and end are on a line");
  arc.via = from.pos;
  expect_refusal(&a, START, &arc, 1, "no arc");
  sn__tool_target lines[2] = {at_offset(from, SN__TOOL_LIN, 0.1, 0.0, 0.0),
                              at_offset(from, SN__TOOL_LIN, 0.1, 0.0, 0.1)};
  lines[0].blend_m = 0.2;
  expect_refusal(&a, START, lines, 2, "target 0: blends of 0 m and 0.2 m do not fit on a segment");
  lines[0].blend_m = -1.0;
  expect_refusal(&a, START, lines, 2, "a blend radius of -1 m");
  lines[0].blend_m = 0.05;
  expect_refusal(&a, START, lines, 1, "a blend needs a lin or circ");
  arm_close(&a);
}

SN_TEST(another_branch_is_taken_only_if_asked) {
  arm a;
  arm_open(&a, "arm_ur");
  sn_random random;
  sn_random_init(&random, 31);
  size_t found = 0;
  for (int k = 0; k < 40; k++) {
    double q[JOINTS];
    draw_pose(&a, &random, q);
    const sn_pose from = sn_chain_fk(a.chain, q);
    const sn__tool_target target = {.kind = SN__TOOL_LIN, .pose = draw_near(from, &random)};
    sn__tool_motion *motion = NULL;
    sn_error err = {0};
    const sn__tool_request request = {
        .q = q, .targets = &target, .count = 1, .may_change_branch = true};
    if (plan(&a, q, &target, 1, &motion, &err) == SN_OK ||
        sn__tool_plan(a.planner, &a.motions, &request, &motion, &err) != SN_OK) {
      continue;
    }
    moment at;
    sn__tool_motion_at(motion, sn__tool_motion_duration(motion), at.q, at.qd, at.qdd);
    sn_assert_pose_near(sn_chain_fk(a.chain, at.q), target.pose, 1e-9);
    found++;
  }
  assert_true(found > 0);
  arm_close(&a);
}
