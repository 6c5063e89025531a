/** @file
 *  For tests of inverse kinematics on the robots of this project. The clock is frozen, so that no
 * result depends on the speed of the machine. */
#ifndef IK_ROBOT_H
#define IK_ROBOT_H

#include "sinew/ik.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { ROBOT_JOINTS_MAX = 32 };

typedef struct ik_robot {
  sn_arena arena;
  const sn_model *model;
  sn_clock clock;
  sn_ik *ik;
  size_t n;
  size_t tip_count;
  const char *const *tips;
} ik_robot;

/** @param file       in the folder of robots, without `.urdf`
 *  @param tolerance  m and rad; 0: the default */
static inline void robot_open_within(ik_robot *r, const char *file, const char *const *tips,
                                     size_t tip_count, const char *solver, double tolerance) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s.urdf", SINEW_ROBOTS, file);
  memset(r, 0, sizeof *r);
  sn_arena_init_growing(&r->arena, "robot", 1u << 18);
  sn_error err = {0};
  if (sn_model_load(&r->arena, path, NULL, NULL, &r->model, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  sn_clock_init_simulated(&r->clock, 0);
  const sn_ik_config config = {.solver = solver,
                               .base_frame = "base_link",
                               .tip_frames = tips,
                               .tip_count = tip_count,
                               .position_tolerance_m = tolerance,
                               .rotation_tolerance_rad = tolerance,
                               .clock = &r->clock};
  if (sn_ik_create(&r->arena, r->model, &config, &r->ik, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  sn_arena_seal(&r->arena); /* a query that allocates is a fault */
  r->n = sn_ik_joint_count(r->ik);
  r->tip_count = tip_count;
  r->tips = tips;
}

static inline void robot_open(ik_robot *r, const char *file, const char *const *tips,
                              size_t tip_count, const char *solver) {
  robot_open_within(r, file, tips, tip_count, solver, 0.0);
}

static inline void robot_close(ik_robot *r) {
  sn_arena_release(&r->arena);
}

/** A random pose inside the limits; one turn for joints without. */
static inline void robot_draw(const ik_robot *r, sn_random *random, double *q) {
  for (size_t i = 0; i < r->n; i++) {
    double lower;
    double upper;
    sn_ik_limits(r->ik, i, &lower, &upper);
    q[i] = sn_random_between(random, isfinite(lower) ? lower : -3.1, isfinite(upper) ? upper : 3.1);
  }
}

static inline void robot_tips_at(const ik_robot *r, const double *q, sn_pose *poses) {
  assert_int_equal(sn_ik_fk(r->ik, r->tips, r->tip_count, q, r->n, poses), SN_IK_OK);
}

/** Inside the limits, and at the targets by the model's own joints. */
static inline void robot_check(const ik_robot *r, const double *q, const sn_pose *targets) {
  sn_pose poses[8];
  robot_tips_at(r, q, poses);
  for (size_t t = 0; t < r->tip_count; t++) {
    sn_assert_pose_near(poses[t], targets[t], 1.1e-5);
  }
  for (size_t i = 0; i < r->n; i++) {
    double lower;
    double upper;
    sn_ik_limits(r->ik, i, &lower, &upper);
    assert_true(q[i] >= lower);
    assert_true(q[i] <= upper);
  }
}

/** The common seed: 0, or the limit next to it. */
static inline void robot_seed(const ik_robot *r, double *seed) {
  for (size_t i = 0; i < r->n; i++) {
    double lower;
    double upper;
    sn_ik_limits(r->ik, i, &lower, &upper);
    seed[i] = fmin(fmax(0.0, lower), upper);
  }
}

#endif
