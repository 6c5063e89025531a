#include "estimator_rig.h"

#include <string.h>

#include "sn_test.h"

const walker_config ordinary_walk = {.rest_s = 2.0,
                                     .speed = 0.15,
                                     .wobble = 0.03,
                                     .gyro_bias = {0.01, -0.01, 0.01},
                                     .accel_bias = {0.03, -0.02, 0.04},
                                     .gyro_noise = 1.5e-4,
                                     .accel_noise = 3e-3,
                                     .foot_noise = 2e-4,
                                     .slip_foot = -1};

void estimator_rig_open(estimator_rig *rig, const walker_config *walk, double dt_s, uint64_t seed) {
  memset(rig, 0, sizeof *rig);
  sn_arena_init(&rig->arena, "estimator", rig->memory, sizeof rig->memory);
  rig->estimator = sn__estimator_create(&rig->arena, WALKER_FEET, WALKER_POINTS);
  assert_non_null(rig->estimator);
  rig->settings = sn__estimator_defaults();
  rig->walk = *walk;
  rig->dt_s = dt_s;
  rig->truth = walker_at(walk, 0.0);
  sn_random_init(&rig->random, seed);
}

void estimator_rig_cycle(estimator_rig *rig) {
  const sn_vec3 before = rig->truth.pose_world_base.pos;
  sn__foot feet[WALKER_FEET];
  rig->t_s += rig->dt_s;
  rig->truth = walker_at(&rig->walk, rig->t_s);
  const sn_vec3 way = sn_vec3_sub(rig->truth.pose_world_base.pos, before);
  rig->way_m += hypot(way.x, way.y);
  walker_truth measured = rig->truth;
  walker_add_noise(&rig->walk, rig->dt_s, &rig->random, &measured);
  if (!rig->is_imu_frozen) {
    walker_imu(&rig->walk, rig->t_s, rig->dt_s, &rig->random, &rig->sample.gyro,
               &rig->sample.accel);
  }
  for (size_t i = 0; i < WALKER_FEET; i++) {
    feet[i] =
        (sn__foot){.is_touching = rig->is_foot_forced[i] ? rig->forced[i] : measured.touches[i],
                   .point_count = WALKER_POINTS,
                   .points = measured.feet[i],
                   .velocities = measured.velocities[i]};
  }
  const sn__estimator_input input = {.feet = feet,
                                     .commanded = rig->commanded,
                                     .imu = rig->is_imu_silent ? NULL : &rig->sample,
                                     .dt_s = rig->dt_s};
  rig->state = sn__estimator_step(rig->estimator, &input, &rig->settings);
}

void estimator_rig_run_until(estimator_rig *rig, double t_s) {
  while (rig->t_s < t_s) {
    estimator_rig_cycle(rig);
  }
}

sn_vec3 estimator_rig_turn_error(const estimator_rig *rig) {
  const sn_mat3 r = rig->state->base.pose_world_base.rot;
  return sn_mat3_log(sn_mat3_mul(r, sn_mat3_transpose(rig->truth.pose_world_base.rot)));
}

double estimator_rig_tilt_error(const estimator_rig *rig) {
  const sn_vec3 e = estimator_rig_turn_error(rig);
  return hypot(e.x, e.y);
}

sn_vec3 estimator_rig_place_error(const estimator_rig *rig) {
  return sn_vec3_sub(rig->state->base.pose_world_base.pos, rig->truth.pose_world_base.pos);
}
