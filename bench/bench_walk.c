/* What velocity walking costs in a cycle: bench_walk. The quadruped trots with a body that is
   carried exactly as its legs want; one call is one cycle of 1 ms, footholds and the inverse
   kinematics of all legs included. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "legs/legs.h"
#include "math/rotation.h"
#include "sinew/value.h"
#include "steps/step_solve.h"
#include "walk/walk.h"

enum { JOINTS_MAX = 64 };

typedef struct walker {
  sn_arena arena;
  const sn_model *model;
  sn__legs legs;
  sn__limb_ik limbs[SN__WALK_LEGS_MAX];
  double q[JOINTS_MAX], speed_max[JOINTS_MAX];
  sn__walk walk;
  sn_pose base;
  sn_spatial twist;
} walker;

static void check(sn_status status, const sn_error *err) {
  if (status != SN_OK) {
    fprintf(stderr, "bench_walk: %s\n", err->message);
    exit(1);
  }
}

static void load(walker *b) {
  sn_error err = {.message = "not a robot"};
  sn_report *report = NULL;
  sn_model_config config = {0};
  sn_arena_init_growing(&b->arena, "bench", 0);
  check(sn_report_create(&b->arena, &report, &err), &err);
  check(sn_value_load(&b->arena, BENCH_ROBOTS "/quadruped.yaml", report, &config.properties), &err);
  check(sn_model_load(&b->arena, BENCH_ROBOTS "/quadruped.urdf", &config, report, &b->model, &err),
        &err);
  check(sn__legs_find(&b->arena, b->model, NULL, &b->legs, &err), &err);
  memcpy(b->q, b->legs.stance, sn_model_pose_size(b->model) * sizeof *b->q);
}

static void begin(walker *b) {
  sn__walk *w = &b->walk;
  sn_error err = {.message = ""};
  sn_vec3 feet[SN__WALK_LEGS_MAX];
  for (size_t i = 0; i < b->legs.count; i++) {
    const sn__limb_ik_config config = {.model = b->model,
                                       .chain = b->legs.leg[i].chain,
                                       .with_virtual = true,
                                       .jump_max = 0.4,
                                       .timeout_s = 0.05};
    check(sn__limb_ik_create(&b->arena, &config, &b->limbs[i], &err), &err);
    w->legs[i].leg = (sn__step_leg){config.chain, &b->limbs[i]};
    w->legs[i].nominal = sn__step_leg_end(&w->legs[i].leg, b->q);
    feet[i] = w->legs[i].nominal.pos;
    w->height_m -= feet[i].z / (double)b->legs.count;
  }
  for (size_t j = 0; j < JOINTS_MAX; j++) {
    b->speed_max[j] = 5.5;
  }
  w->leg_count = b->legs.count;
  w->speed_max = b->speed_max;
  sn__gait_make(SN__GAIT_TROT, false, feet, w->leg_count, &w->gait);
  w->settings = (sn__walk_settings){.period_s = 0.4,
                                    .clearance_m = 0.012,
                                    .accel = 0.5,
                                    .turn_accel = 2.0,
                                    .capture = 0.5,
                                    .tilt_max = 0.2,
                                    .track = 2.0,
                                    .reach_m = 0.06};
  sn__walk_begin(w, b->q);
  w->command = (sn__walk_velocity){0.1, 0.02, 0.2};
}

static void cycle(void *context, size_t index) {
  walker *b = context;
  const double dt_s = 0.001;
  const sn__walk_input input = {
      .dt_s = dt_s, .has_base = true, .base = b->base, .twist = b->twist, .q = b->q};
  (void)index;
  sn__walk_step(&b->walk, &input, b->q);
  b->twist.lin =
      sn_mat3_apply(b->base.rot, sn_vec3_make(b->walk.carried.x, b->walk.carried.y, 0.0));
  b->twist.ang = sn_vec3_make(0.0, 0.0, b->walk.carried.turn);
  b->base.pos = sn_vec3_add_scaled(b->base.pos, dt_s, b->twist.lin);
  b->base.rot = sn_mat3_mul(sn__mat3_exp(sn_vec3_scale(b->twist.ang, dt_s)), b->base.rot);
}

int main(void) {
  static walker b = {.base = {.rot = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
  load(&b);
  begin(&b);
  const bench_case c = {
      .library = "sinew", .name = "walk cycle", .robot = "quadruped", .joint_count = 24};
  (void)bench_run(&c, cycle, &b);
  sn_arena_release(&b.arena);
  return 0;
}
