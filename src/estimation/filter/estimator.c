#include <math.h>
#include <string.h>

#include "dyn/point_set.h"
#include "estimation/filter/estimator_internal.h"
#include "math/rotation.h"
#include "sinew/fault.h"

static const double DT_MAX_S = 0.1;
static const double SETTLED_S = 0.03; /* at rest: until the accelerometer shows where up is */
static const double START_S = 0.4;    /* the first samples, for tilt and bias */
static const double RESTED_S = 0.1;   /* of which it must rest */
static const double START_TURN = 0.1; /* rad, at once: more than a bias makes of a rest */
static const double IMPACT = 5.0;     /* m/s²: more is an impact */
static const double LOST_S = 0.25;    /* of contact without a foot that seems to stand */

sn__estimator_settings sn__estimator_defaults(void) {
  return (sn__estimator_settings){
      .noise = {.gyro = 3e-4,
                .accel = 0.01,
                .gyro_bias_drift = 2e-5,
                .accel_bias_drift = 1e-3,
                .foot = 1e-3,
                .foot_drift = 3e-3,
                .foot_turn_bias = 1.5e-3},
      .imu = {.timeout_s = 0.05, .gyro_range = 34.9, .accel_range = 157},
      .gravity = 9.81,
      .slip_speed = 0.15,
      .foot_turn = 0.05,
      .bias_max = 0.2};
}

sn__estimator *sn__estimator_create(sn_arena *arena, size_t foot_count, size_t points_max) {
  SN_ASSERT(foot_count <= SN__FILTER_FEET_MAX);
  const sn__odometry_config config = {
      .foot_count = foot_count, .points_max = points_max, .zero_twist_if_no_contacts = true};
  sn__estimator *e = SN_NEW(arena, sn__estimator, 1);
  if (e == NULL) {
    return NULL;
  }
  e->foot_count = foot_count;
  e->odometry = sn__odometry_create(arena, &config);
  e->used = SN_NEW(arena, sn__foot, foot_count);
  if (e->odometry == NULL || e->used == NULL ||
      !sn__delay_line_init(&e->past, arena, foot_count, points_max)) {
    return NULL;
  }
  sn__estimator_reset(e);
  return e;
}

void sn__estimator_reset(sn__estimator *e) {
  static const sn__filter_start start = {0};
  e->filter.gyro_bias = e->filter.accel_bias = sn_vec3_make(0, 0, 0);
  sn__filter_start_at(&e->filter, e->foot_count, sn_pose_identity(), sn_vec3_make(0, 0, 0), &start);
  e->state = (sn__estimator_state){.base = {.pose_world_base = sn_pose_identity()}};
  sn__odometry_reset(e->odometry, &e->state.base);
  e->imu = (sn__imu_watch){0};
  e->rest = (sn__rest_watch){0};
  memset(e->feet, 0, sizeof e->feet);
  sn__delay_line_clear(&e->past);
  e->start_s = e->flight_s = 0.0;
  e->start_turn = sn_vec3_make(0, 0, 0);
  e->has_moved = false;
}

void sn__estimator_move(sn__estimator *e, sn_pose pose_world_base, const sn_spatial *twist) {
  const sn_pose old = e->state.base.pose_world_base;
  const sn_pose change = sn_pose_mul(pose_world_base, sn_pose_inverse(old));
  e->state.base.pose_world_base = pose_world_base;
  e->state.base.twist = twist != NULL
                            ? *twist
                            : (sn_spatial){sn_mat3_apply(change.rot, e->state.base.twist.ang),
                                           sn_mat3_apply(change.rot, e->state.base.twist.lin)};
  sn__odometry_move(e->odometry, &e->state.base);
  for (size_t i = 0; i < e->foot_count; i++) {
    e->filter.place[i] = sn_pose_apply(change, e->filter.place[i]);
  }
  e->filter.pose_world_base = pose_world_base;
  e->filter.velocity = e->state.base.twist.lin;
  if (e->state.mode == SN__ESTIMATOR_STARTING) {
    e->start_s = START_S; /* begin here */
  }
}

/* ---- feet ---- */

static void read_feet(sn__estimator *e, const sn__estimator_input *in) {
  const sn_mat3 rot = e->state.base.pose_world_base.rot;
  const sn_vec3 up = {rot.x.z, rot.y.z, rot.z.z}; /* in the base */
  for (size_t i = 0; i < e->foot_count; i++) {
    const sn__foot *foot = &in->feet[i];
    e->is_known[i] = foot->point_count > 0 && sn__foot_is_valid(foot);
    e->used[i] = *foot;
    if (e->is_known[i]) {
      e->middle[i] = sn__foot_middle(foot, up, &e->velocity[i]);
    }
  }
}

/* Velocity of a foot in the world, with the base as estimated. */
static sn_vec3 foot_velocity(const sn__estimator *e, size_t foot) {
  const sn__base_state *base = &e->state.base;
  const sn_mat3 rot = base->pose_world_base.rot;
  const sn_vec3 arm = sn_mat3_apply(rot, e->middle[foot]);
  const sn_vec3 carried = sn_vec3_add(base->twist.lin, sn_vec3_cross(base->twist.ang, arm));
  return sn_vec3_add(carried, sn_mat3_apply(rot, e->velocity[foot]));
}

/* Which feet stand in this cycle. */
static void watch_feet(sn__estimator *e, const sn__estimator_input *in,
                       const sn__estimator_settings *s) {
  const size_t touching = sn__feet_touching(in->feet, e->foot_count);
  e->state.standing_count = 0;
  for (size_t i = 0; i < e->foot_count; i++) {
    const sn__foot *foot = &in->feet[i];
    /* Without a base to compare with, every foot in contact stands. */
    const bool has_velocity = e->state.mode != SN__ESTIMATOR_STARTING && e->is_known[i] &&
                              foot->velocities != NULL && e->state.mode != SN__ESTIMATOR_BLIND;
    const sn__foot_evidence evidence = {
        .is_measured = foot->is_touching,
        .has_command = in->commanded != NULL,
        .is_commanded = in->commanded != NULL && in->commanded[i],
        .others_touch = touching > (foot->is_touching ? 1u : 0u),
        .has_velocity = has_velocity,
        .velocity_world = has_velocity ? foot_velocity(e, i) : sn_vec3_make(0, 0, 0)};
    const bool in_stance = sn__foot_watch_step(&e->feet[i], &evidence, s->slip_speed, in->dt_s);
    e->used[i].is_touching = e->state.in_stance[i] = in_stance && e->is_known[i];
    e->loose[i] = sn__foot_watch_looseness(&e->feet[i], s->slip_speed);
    e->state.standing_count += e->state.in_stance[i];
  }
}

/* Twist of the base at which the feet in contact move least. */
static bool feet_twist(const sn__estimator *e, const sn__foot *feet, sn_spatial *twist) {
  sn_contact_point places[SN__FILTER_FEET_MAX];
  sn_vec3 wanted[SN__FILTER_FEET_MAX];
  size_t count = 0;
  const sn_mat3 rot = e->state.base.pose_world_base.rot;
  for (size_t i = 0; i < e->foot_count; i++) {
    if (feet[i].is_touching && e->is_known[i] && feet[i].velocities != NULL) {
      places[count] = (sn_contact_point){sn_mat3_apply(rot, e->middle[i]), 1.0};
      wanted[count++] = sn_vec3_neg(sn_mat3_apply(rot, e->velocity[i]));
    }
  }
  if (count < 2) {
    return false;
  }
  const sn__point_set set = sn__point_set_of(places, count);
  *twist = sn__point_set_fit(&set, wanted);
  return true;
}

/* ---- start ---- */

static sn_vec3 unit_or(sn_vec3 v, sn_vec3 otherwise) {
  const double norm = sn_vec3_norm(v);
  return norm > 1e-3 ? sn_vec3_scale(v, 1.0 / norm) : otherwise;
}

static void start_filter(sn__estimator *e, const sn__filter_start *start, double gravity) {
  e->filter.gravity = gravity;
  sn__filter_start_at(&e->filter, e->foot_count, e->state.base.pose_world_base,
                      e->state.base.twist.lin, start);
}

/* Upwards, in the base: at rest as the accelerometer has it, in motion by the gyro. */
static void find_up(sn__estimator *e, bool has_imu, double dt_s) {
  const sn_vec3 z = {0, 0, 1};
  const sn__imu_sample *sample = &e->imu.sample;
  const bool rests = e->rest.time_s > SETTLED_S;
  const sn_vec3 turn = sn_vec3_scale(sample->gyro, dt_s);
  if (!has_imu) {
    e->start_up = z;
    (void)sn__feet_up(e->used, e->foot_count, &e->start_up);
  } else if (rests || e->start_s <= 0.0) {
    e->start_up = unit_or(rests ? e->rest.accel : sample->accel, z);
    e->start_turn = sn_vec3_make(0, 0, 0);
  } else {
    e->start_up = sn_mat3_apply_transposed(sn__mat3_exp(turn), e->start_up);
    e->start_turn = sn_vec3_add(e->start_turn, turn);
  }
}

/* The robot stands somewhere: its pose until the filter runs. */
static void stand(sn__estimator *e, bool has_imu, double dt_s) {
  find_up(e, has_imu, dt_s);
  sn__base_state *base = &e->state.base;
  base->pose_world_base = sn__feet_stand(e->used, e->foot_count, e->start_up);
  base->twist = sn_spatial_zero();
  if (has_imu && e->rest.time_s <= SETTLED_S) {
    base->twist.ang = sn_mat3_apply(base->pose_world_base.rot, e->imu.sample.gyro);
  }
}

/* The first samples have been averaged, as far as the robot rested. */
static void begin(sn__estimator *e, bool has_imu, const sn__rest_watch *rest,
                  const sn__estimator_settings *s) {
  const bool rests = has_imu && rest->time_s >= RESTED_S && sn_vec3_norm(rest->gyro) < s->bias_max;
  /* of the mean, with a margin for slow motion */
  const double std = fmax(3e-4, 1.5 * sqrt(rest->gyro_variance / fmax(rest->count, 1.0)));
  e->filter.gyro_bias = rests ? rest->gyro : sn_vec3_make(0, 0, 0);
  const sn__filter_start start = {.tilt = rests ? 0.003 : 0.1,
                                  .velocity = rests ? 0.02 : 0.3,
                                  .gyro_bias = rests ? std : 0.02,
                                  .accel_bias = 0.05};
  start_filter(e, &start, s->gravity);
  e->rest.now = e->rest.waiting[0] = e->rest.waiting[1] = (sn__rest_block){.time_s = 0.0};
  sn__odometry_reset(e->odometry, &e->state.base);
  e->state.mode = has_imu ? SN__ESTIMATOR_FULL : SN__ESTIMATOR_FEET;
}

static void starting(sn__estimator *e, bool has_imu, const sn__estimator_input *in,
                     const sn__estimator_settings *s) {
  const bool is_placed = e->start_s >= START_S; /* by sn__estimator_move() */
  const sn__rest_watch before = e->rest;
  if (has_imu) {
    (void)sn__rest_watch_step(&e->rest, e->foot_count, e->state.in_stance, e->middle,
                              e->imu.sample.gyro, e->imu.sample.accel, in->dt_s);
  }
  if (!is_placed) {
    stand(e, has_imu, in->dt_s);
  }
  /* A robot that is pushed over does not wait. */
  const bool sets_off = (before.time_s >= RESTED_S && e->rest.time_s == 0.0) ||
                        sn_vec3_norm(e->start_turn) > START_TURN;
  e->start_s += in->dt_s;
  if (e->start_s >= START_S || sets_off) {
    begin(e, has_imu, sets_off ? &before : &e->rest, s);
  }
}

/* ---- with the IMU ---- */

static void step_filter(sn__estimator *e, const sn__estimator_input *in,
                        const sn__estimator_settings *s) {
  const sn__imu_sample *sample = &e->imu.sample;
  e->filter.gravity = s->gravity;
  sn__filter_predict(&e->filter, sample->gyro, sample->accel, in->dt_s, &s->noise, e->loose);
  sn__estimator_measure(e, in, s);
  const sn_vec3 rate = sn_vec3_sub(sample->gyro, e->filter.gyro_bias);
  e->state.base.pose_world_base = e->filter.pose_world_base;
  e->state.base.twist =
      (sn_spatial){sn_mat3_apply(e->filter.pose_world_base.rot, rate), e->filter.velocity};
  e->state.mode = e->state.standing_count > 0 ? SN__ESTIMATOR_FULL : SN__ESTIMATOR_IMU;
}

/* ---- without it ---- */

static void step_odometry(sn__estimator *e, const sn__estimator_input *in,
                          const sn__estimator_settings *s) {
  if (e->state.mode == SN__ESTIMATOR_FULL || e->state.mode == SN__ESTIMATOR_IMU) {
    sn__odometry_reset(e->odometry, &e->state.base);
  }
  sn__odometry_configure(e->odometry, s->force_contact_z_to_zero, true);
  e->state.base = *sn__odometry_step(e->odometry, e->used, in->dt_s);
  e->state.is_at_rest = false;
  e->state.mode = e->state.standing_count > 0 ? SN__ESTIMATOR_FEET : SN__ESTIMATOR_BLIND;
}

/* The filter goes on where the feet have brought the base, or after its numbers failed. */
static void restart(sn__estimator *e, const sn__estimator_settings *s) {
  const double std = e->state.gyro_bias_std[2];
  const sn__filter_start start = {.tilt = 0.1,
                                  .velocity = 0.1,
                                  .gyro_bias = isfinite(std) ? fmax(std, 1e-4) : 0.02,
                                  .accel_bias = 0.05};
  start_filter(e, &start, s->gravity);
  e->rest = (sn__rest_watch){0};
  e->state.restart_count++;
}

static bool is_base_finite(const sn__base_state *base) {
  const sn_pose p = base->pose_world_base;
  const double sum = p.pos.x + p.pos.y + p.pos.z + p.rot.x.x + p.rot.y.y + p.rot.z.z +
                     base->twist.lin.x + base->twist.lin.y + base->twist.lin.z + base->twist.ang.x +
                     base->twist.ang.y + base->twist.ang.z;
  return isfinite(sum);
}

static void follow(sn__estimator *e, bool has_imu, const sn_spatial *twist,
                   const sn__estimator_input *in, const sn__estimator_settings *s) {
  const sn__base_state before = e->state.base;
  const bool was_filter = e->state.mode == SN__ESTIMATOR_FULL || e->state.mode == SN__ESTIMATOR_IMU;
  if (!has_imu) {
    step_odometry(e, in, s);
    return;
  }
  /* Feet in contact that all seem to slip for long: it is the estimate that moves. */
  const bool is_lost = e->flight_s > LOST_S && twist != NULL;
  if (is_lost) {
    e->state.base.twist.lin = twist->lin;
    e->flight_s = 0.0;
  }
  if (!was_filter || is_lost) {
    restart(e, s);
  }
  step_filter(e, in, s);
  if (!sn__filter_is_sound(&e->filter) || !is_base_finite(&e->state.base)) {
    e->state.base = before;
    e->state.base.twist = sn_spatial_zero();
    e->filter.gyro_bias = e->filter.accel_bias = sn_vec3_make(0, 0, 0);
    restart(e, s);
  }
}

static void describe(sn__estimator *e) {
  e->state.gyro_bias = e->filter.gyro_bias;
  e->state.accel_bias = e->filter.accel_bias;
  e->state.imu = e->imu.fault;
  for (size_t k = 0; k < 3; k++) {
    const size_t at = SN__FILTER_GYRO_BIAS + k;
    e->state.gyro_bias_std[k] = sqrt(e->filter.cov[at][at]);
  }
  for (size_t i = 0; i < e->foot_count; i++) {
    e->state.feet[i] = e->feet[i].fault;
  }
}

/* ---- an IMU that is late ---- */

/* The feet of the time that the IMU measured. */
static void delay_feet(sn__estimator *e, sn__estimator_input *in, double delay_s) {
  sn__delayed_feet *slot = sn__delay_line_push(&e->past, in->dt_s);
  for (size_t i = 0; i < e->foot_count; i++) {
    sn__delay_line_copy(&e->past, slot, i, &in->feet[i]);
    slot->commanded[i] = in->commanded != NULL && in->commanded[i];
    slot->is_flat[i] = in->is_flat != NULL && in->is_flat[i];
    slot->turn[i] = in->turn != NULL ? in->turn[i] : sn_vec3_make(0, 0, 0);
  }
  const sn__delayed_feet *then = sn__delay_line_at(&e->past, delay_s);
  in->feet = then->feet;
  in->commanded = in->commanded == NULL ? NULL : then->commanded;
  in->is_flat = in->is_flat == NULL ? NULL : then->is_flat;
  in->turn = in->turn == NULL ? NULL : then->turn;
}

/* Of the base in the world; impacts do not last. */
static sn_vec3 acceleration_of(const sn__estimator *e) {
  const sn_vec3 force = sn_vec3_sub(e->imu.sample.accel, e->filter.accel_bias);
  sn_vec3 out = sn_mat3_apply(e->filter.pose_world_base.rot, force);
  out.z -= e->filter.gravity;
  const double size = sn_vec3_norm(out);
  return sn_vec3_scale(out, size > IMPACT ? IMPACT / size : 1.0);
}

/* The base as it is now, if it has gone on as it did. */
static void bring_forward(sn__estimator *e, double delay_s) {
  e->now = e->state;
  if (!(delay_s > 0.0) || e->state.mode == SN__ESTIMATOR_STARTING) {
    return;
  }
  sn__base_state *base = &e->now.base;
  sn_pose *pose = &base->pose_world_base;
  if (e->state.mode == SN__ESTIMATOR_FULL || e->state.mode == SN__ESTIMATOR_IMU) {
    base->twist.lin = sn_vec3_add_scaled(base->twist.lin, delay_s, acceleration_of(e));
  }
  const sn_vec3 velocity = sn_vec3_add(e->state.base.twist.lin, base->twist.lin); /* twice it */
  pose->pos = sn_vec3_add_scaled(pose->pos, 0.5 * delay_s, velocity);
  pose->rot = sn_mat3_mul(sn__mat3_exp(sn_vec3_scale(base->twist.ang, delay_s)), pose->rot);
}

const sn__estimator_state *sn__estimator_step(sn__estimator *e, const sn__estimator_input *input,
                                              const sn__estimator_settings *s) {
  SN_ASSERT(input->dt_s > 0.0);
  sn__estimator_input in = *input;
  in.dt_s = fmin(in.dt_s, DT_MAX_S);
  if (s->imu_delay_s > 0.0) {
    delay_feet(e, &in, s->imu_delay_s);
  }
  read_feet(e, &in);
  sn_spatial twist;
  const bool has_twist = feet_twist(e, in.feet, &twist);
  const bool has_imu =
      sn__imu_watch_step(&e->imu, in.imu, has_twist ? &twist : NULL, in.dt_s, &s->imu);
  watch_feet(e, &in, s);
  e->flight_s = e->state.standing_count > 0 ? 0.0 : e->flight_s + in.dt_s;
  e->turn++;
  if (e->state.mode == SN__ESTIMATOR_STARTING) {
    starting(e, has_imu, &in, s);
  } else {
    follow(e, has_imu, has_twist ? &twist : NULL, &in, s);
  }
  describe(e);
  bring_forward(e, s->imu_delay_s);
  return &e->now;
}

const char *sn__estimator_mode_text(sn__estimator_mode mode) {
  static const char *const texts[] = {[SN__ESTIMATOR_STARTING] = "starting",
                                      [SN__ESTIMATOR_FULL] = "full",
                                      [SN__ESTIMATOR_FEET] = "feet",
                                      [SN__ESTIMATOR_IMU] = "imu",
                                      [SN__ESTIMATOR_BLIND] = "blind"};
  return texts[mode];
}
