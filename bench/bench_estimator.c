/* What a cycle of the estimator of the base costs on the quadruped: kinematics of the legs, their
   feet, and a step of the filter. The robot squats; on four feet, or on the two of a trot, which
   change every 0.3 s. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "estimation/filter/estimator.h"
#include "estimation/limb_feet.h"
#include "sinew/report.h"
#include "sinew/value.h"

enum { JOINTS_MAX = 64, PERIOD = 600, SETTLING = 1000 };
static const double CYCLE_S = 0.001, DEPTH_RAD = 0.2, TAU = 6.283185307179586;

typedef struct bench_context {
  const sn_model *model;
  sn_kin_data *kin;
  sn__limb_feet feet;
  sn__estimator *estimator;
  sn__estimator_settings settings;
  double share[JOINTS_MAX]; /* of an angle that each joint has if the knees bend */
  bool is_trot;
  size_t cycle;
} bench_context;

static void expect(sn_status status, const sn_error *err) {
  if (status != SN_OK) {
    fprintf(stderr, "bench_estimator: %s\n", err->message);
    exit(1);
  }
}

static double share_of(const char *name) {
  int leg = 0, joint = 0;
  if (sscanf(name, "leg%d_joint%d", &leg, &joint) != 2 || joint < 3 || joint > 5) {
    return 0.0;
  }
  return (leg <= 2 ? -1.0 : 1.0) * (joint == 4 ? -2.0 : 1.0);
}

static void load(sn_arena *arena, bench_context *c) {
  sn_error err;
  sn_arena scratch;
  sn_report *report = NULL;
  const sn_value *properties = NULL;
  sn_arena_init_growing(&scratch, "scratch", 0);
  expect(sn_report_create(&scratch, &report, &err), &err);
  expect(sn_value_load(&scratch, BENCH_ROBOTS "/quadruped.yaml", report, &properties), &err);
  const sn_model_config config = {.properties = properties};
  expect(sn_model_load(arena, BENCH_ROBOTS "/quadruped.urdf", &config, report, &c->model, &err),
         &err);
  expect(sn_kin_create(arena, sn_model_tree(c->model), &c->kin, &err), &err);
  expect(sn__limb_feet_create(arena, c->model, SN__FILTER_FEET_MAX, false, &c->feet, &err), &err);
  sn_arena_release(&scratch);
  c->estimator = sn__estimator_create(arena, c->feet.foot_count, c->feet.points_max);
  c->settings = sn__estimator_defaults();
  for (size_t i = 0; i < sn_model_pose_size(c->model); i++) {
    c->share[i] = share_of(sn_model_joint(c->model, i)->name);
  }
}

static void step(void *context, size_t index) {
  bench_context *c = context;
  double q[JOINTS_MAX], qd[JOINTS_MAX];
  const double rate = TAU / (PERIOD * CYCLE_S), turn = rate * CYCLE_S * (double)c->cycle;
  const double bend = DEPTH_RAD * (1.0 - cos(turn)), speed = DEPTH_RAD * rate * sin(turn);
  const size_t pair = c->cycle++ / (PERIOD / 2) % 2;
  for (size_t i = 0; i < sn_model_pose_size(c->model); i++) {
    q[i] = bend * c->share[i];
    qd[i] = speed * c->share[i];
  }
  sn_kin_update_velocity(c->kin, q, qd);
  sn__limb_feet_from_joints(&c->feet, c->kin);
  for (size_t i = 0; i < c->feet.foot_count; i++) {
    c->feet.feet[i].is_touching = !c->is_trot || (i == 0 || i == 3) == (pair == 0);
  }
  const double noise = 1e-4 * (double)(index % 8);
  const sn__imu_sample sample = {.gyro = {noise, -noise, 0.01}, .accel = {noise, 0.0, 9.81}};
  const sn__estimator_input input = {.feet = c->feet.feet,
                                     .turn = c->feet.turn,
                                     .is_flat = c->feet.is_flat,
                                     .imu = &sample,
                                     .dt_s = CYCLE_S};
  (void)sn__estimator_step(c->estimator, &input, &c->settings);
}

static void run(const char *name, bool is_trot) {
  sn_arena arena;
  bench_context c = {.is_trot = is_trot};
  sn_arena_init_growing(&arena, "bench", 0);
  load(&arena, &c);
  for (size_t i = 0; i < SETTLING; i++) {
    step(&c, i);
  }
  const bench_case what = {.library = "sinew",
                           .name = name,
                           .robot = "quadruped",
                           .joint_count = sn_model_pose_size(c.model)};
  printf("%s: %.2f us per cycle\n", name, 1e-3 * bench_run(&what, step, &c));
  sn_arena_release(&arena);
}

int main(void) {
  run("estimator_four_feet", false);
  run("estimator_trot", true);
  return 0;
}
