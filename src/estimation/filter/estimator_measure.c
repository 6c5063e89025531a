/* What corrects the prediction of the filter: feet, level ground, rest. */
#include <math.h>

#include "estimation/filter/estimator_internal.h"

static const double GATE = 25.0;        /* squared distance of a foot that has slipped */
static const double FLIGHT_S = 0.4;     /* the IMU alone is good for this time */
static const double FLIGHT_SPEED = 0.3; /* m/s: afterwards the base hardly moves */
static const double LEVEL_M = 0.003;    /* of level ground, averaged over 0.1 s */
static const double LEVEL_S = 0.1;
static const double MOVES_SPEED = 0.03; /* m/s */
static const double SETTLING_RAD = 0.003;
static const double REST_ARM_M = 0.1; /* a foot that moves on it turns the base */

static void measure_feet(sn__estimator *e, const sn__estimator_settings *s) {
  for (size_t i = 0; i < e->foot_count; i++) {
    if (!e->state.in_stance[i]) {
      if (e->filter.in_stance[i]) {
        sn__filter_lift_foot(&e->filter, i);
      }
    } else if (!e->filter.in_stance[i]) {
      sn__filter_place_foot(&e->filter, i, e->middle[i], &s->noise);
    } else if (!(sn__filter_measure_foot(&e->filter, i, e->middle[i], &s->noise, GATE) < GATE)) {
      sn__foot_watch_slipped(&e->feet[i]);
      sn__filter_place_foot(&e->filter, i, e->middle[i], &s->noise);
    }
  }
}

/* The next foot in stance, each in its turn. @return false: none */
static bool next_foot(sn__estimator *e, size_t *foot) {
  for (size_t k = 0; k < e->foot_count; k++) {
    *foot = (e->turn + k) % e->foot_count;
    if (e->filter.in_stance[*foot]) {
      return true;
    }
  }
  return false;
}

/* Level ground pulls the soles to height 0, and a flat foot in stance does not turn. */
static void measure_next_foot(sn__estimator *e, const sn__estimator_input *in,
                              const sn__estimator_settings *s) {
  size_t foot = 0;
  if (!next_foot(e, &foot)) {
    return;
  }
  const sn_mat3 rot = e->filter.pose_world_base.rot;
  const sn_vec3 up = {rot.x.z, rot.y.z, rot.z.z}; /* in the base */
  if (s->force_contact_z_to_zero) {
    const sn_vec3 over = sn_vec3_sub(sn__foot_sole(&in->feet[foot], up), e->middle[foot]);
    const double height = e->filter.place[foot].z + sn_vec3_dot(up, over);
    const double variance =
        LEVEL_M * LEVEL_M * LEVEL_S / (in->dt_s * (double)e->state.standing_count);
    sn__filter_measure(&e->filter, SN__FILTER_FEET + 3 * foot, sn_vec3_make(0, 0, 1), -height,
                       variance);
  }
  if (s->foot_turn > 0.0 && in->turn != NULL && in->is_flat != NULL && in->is_flat[foot]) {
    const sn_vec3 rate = sn_vec3_sub(e->imu.sample.gyro, e->filter.gyro_bias);
    const double turn = sn_vec3_dot(up, sn_vec3_add(rate, in->turn[foot]));
    const double variance =
        s->foot_turn * s->foot_turn / (in->dt_s * (double)e->state.standing_count);
    if (isfinite(turn)) {
      sn__filter_measure(&e->filter, SN__FILTER_GYRO_BIAS, up, turn, variance);
    }
  }
}

static double component(sn_vec3 v, unsigned axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static sn_vec3 unit(unsigned axis) {
  return sn_vec3_make(axis == 0, axis == 1, axis == 2);
}

/* At rest the gyro measures its bias: one axis in each cycle. */
static void measure_rest(sn__estimator *e, double dt_s, const sn__estimator_settings *s) {
  sn__rest_block *block = &e->rest.ready;
  if (block->time_s > 0.0 && sn_vec3_norm(e->rest.gyro) < s->bias_max) {
    const unsigned axis = e->rest_axis;
    const sn_vec3 mean = sn_vec3_scale(block->sum, 1.0 / block->time_s);
    const double creep = e->rest.drift / REST_ARM_M;
    const double density =
        fmax(s->noise.gyro * s->noise.gyro, e->rest.gyro_variance * dt_s) + creep * creep;
    /* After a motion a robot on its feet goes on turning slowly for a while. */
    const double turning = e->has_moved ? SETTLING_RAD / e->rest.time_s : 0.0;
    sn__filter_measure(&e->filter, SN__FILTER_GYRO_BIAS, unit(axis),
                       component(mean, axis) - component(e->filter.gyro_bias, axis),
                       density / block->time_s + turning * turning);
    e->rest_axis = (axis + 1) % 3;
    block->time_s = e->rest_axis == 0 ? 0.0 : block->time_s;
  } else {
    e->rest_axis = 0;
  }
  if (e->state.is_at_rest && e->state.standing_count == 0) {
    const unsigned axis = e->turn % 3;
    sn__filter_measure(&e->filter, SN__FILTER_VELOCITY, unit(axis),
                       -component(e->filter.velocity, axis), 1e-4);
  }
}

/* Long without a foot: it hangs or lies, so its velocity is about zero. */
static void measure_flight(sn__estimator *e, double dt_s) {
  const unsigned axis = e->turn % 3;
  if (e->flight_s > FLIGHT_S) {
    sn__filter_measure(&e->filter, SN__FILTER_VELOCITY, unit(axis),
                       -component(e->filter.velocity, axis),
                       FLIGHT_SPEED * FLIGHT_SPEED * 0.1 / dt_s);
  }
}

/* Only the tilt is used: the heading of an IMU is that of its own world. */
static void measure_orientation(sn__estimator *e, double dt_s) {
  const sn__imu_sample *sample = &e->imu.sample;
  const sn_quat q = sample->orientation;
  const double norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  if (!sample->has_orientation || e->imu.age_s > 0.0 || !(norm > 0.5 && norm < 2.0)) {
    return;
  }
  const sn_mat3 imu = sn_mat3_from_quat(sn_quat_normalize(q));
  const sn_vec3 up = {imu.x.z, imu.y.z, imu.z.z}; /* in the base */
  const sn_vec3 seen = sn_mat3_apply(e->filter.pose_world_base.rot, up);
  /* seen = exp(-theta) z, so z x seen = -theta without its part about z */
  const double variance = sample->orientation_std_rad * sample->orientation_std_rad * 0.1 / dt_s;
  const unsigned axis = e->turn % 2;
  sn__filter_measure(&e->filter, SN__FILTER_TURN, unit(axis), axis == 0 ? seen.y : -seen.x,
                     variance);
}

void sn__estimator_measure(sn__estimator *e, const sn__estimator_input *in,
                           const sn__estimator_settings *s) {
  const sn__imu_sample *sample = &e->imu.sample;
  measure_feet(e, s);
  measure_next_foot(e, in, s);
  e->state.is_at_rest = sn__rest_watch_step(&e->rest, e->foot_count, e->state.in_stance, e->middle,
                                            sample->gyro, sample->accel, in->dt_s);
  e->has_moved = e->has_moved || sn_vec3_norm(e->filter.velocity) > MOVES_SPEED;
  measure_rest(e, in->dt_s, s);
  measure_flight(e, in->dt_s);
  measure_orientation(e, in->dt_s);
}
