#include "walker.h"

#include <math.h>

#include "sinew/quat.h"

static const double STEP_S = 1e-4; /* of differences */
static const double HEIGHT_M = 0.2;
static const double RAMP_S = 0.4; /* until full speed */
static const double PI = 3.14159265358979323846;

static double period_of(const walker_config *c) {
  return c->period_s == 0.0 ? 0.6 : c->period_s;
}

static double duty_of(const walker_config *c) {
  return c->is_walk ? 0.8 : c->duty == 0.0 ? 0.6 : c->duty;
}

/* Time at full speed that covers the same way: a smooth start. */
static double way_time(const walker_config *c, double t_s) {
  const double t = t_s - c->rest_s;
  if (t <= 0.0) {
    return 0.0;
  }
  if (t >= RAMP_S) {
    return t - 0.5 * RAMP_S;
  }
  const double u = t / RAMP_S;
  return RAMP_S * (u * u * u - 0.5 * u * u * u * u);
}

/* The base without its wobble, projected on the ground. */
static sn_pose path_at(const walker_config *c, double t_s) {
  const double t = way_time(c, t_s), heading = c->turn_rate * t, w = c->turn_rate;
  /* integral of the rotated velocity */
  const double s = fabs(w) < 1e-9 ? t : sin(heading) / w;
  const double k = fabs(w) < 1e-9 ? 0.0 : (1.0 - cos(heading)) / w;
  const sn_vec3 p = {c->speed * s - c->sideways * k, c->speed * k + c->sideways * s, 0};
  const sn_pose flat = {sn_mat3_from_rpy(0, 0, heading), p};
  const sn_pose ground = {sn_mat3_from_rpy(0, -c->slope_rad, 0), {0, 0, 0}};
  return sn_pose_mul(ground, flat);
}

static sn_pose base_at(const walker_config *c, double t_s) {
  const double full = fmin(1.0, fmax(0.0, (t_s - c->rest_s) / RAMP_S));
  /* two continuous derivatives */
  const double a = c->wobble * full * full * full * (10.0 - 15.0 * full + 6.0 * full * full),
               w = 2.0 * PI / period_of(c);
  const sn_pose over = {sn_mat3_from_rpy(a * sin(w * t_s), 0.7 * a * sin(2.0 * w * t_s + 1.0), 0),
                        {0, 0.1 * a * sin(w * t_s), HEIGHT_M + 0.1 * a * cos(2.0 * w * t_s)}};
  return sn_pose_mul(path_at(c, t_s), over);
}

static sn_vec3 hip(size_t foot) {
  return sn_vec3_make(foot < 2 ? 0.1 : -0.1, foot % 2 == 0 ? -0.06 : 0.06, 0);
}

/* Share of the gait by which a foot lags. */
static double lag(const walker_config *c, size_t foot) {
  static const double walk[] = {0.0, 0.5, 0.75, 0.25}, trot[] = {0.0, 0.5, 0.5, 0.0};
  return c->is_walk ? walk[foot] : trot[foot];
}

static sn_vec3 slipped(const walker_config *c, size_t foot, double t_s) {
  const double u = fmin(1.0, fmax(0.0, (t_s - c->slip_s) / 0.15));
  const double share = c->slip_foot == (int)foot ? u * u * (3.0 - 2.0 * u) : 0.0;
  return sn_vec3_scale(c->slip, share);
}

/* Foothold of the n-th stance: under the hip in the middle of the stance. */
static sn_pose foothold(const walker_config *c, size_t foot, double n) {
  const double t = period_of(c), begin = (n + lag(c, foot)) * t;
  const double middle = begin <= c->rest_s ? 0.0 : begin + 0.5 * duty_of(c) * t;
  sn_pose pose = path_at(c, middle);
  pose.pos = sn_pose_apply(pose, hip(foot));
  return pose;
}

/* @return whether it touches */
static bool foot_at(const walker_config *c, size_t foot, double t_s, sn_pose *pose) {
  const double t = period_of(c), at = t_s / t - lag(c, foot), n = floor(at), phase = at - n;
  const double lift_s = (n + lag(c, foot) + duty_of(c)) * t;
  const sn_pose here = foothold(c, foot, n);
  *pose = here;
  if (phase < duty_of(c) || lift_s <= c->rest_s) {
    pose->pos = sn_vec3_add(pose->pos, slipped(c, foot, t_s));
    return true;
  }
  const double u = (phase - duty_of(c)) / (1.0 - duty_of(c)), s = u * u * (3.0 - 2.0 * u);
  const sn_pose next = foothold(c, foot, n + 1.0);
  const sn_vec3 from = sn_vec3_add(here.pos, slipped(c, foot, t_s));
  const sn_vec3 to = sn_vec3_add(next.pos, slipped(c, foot, t_s));
  pose->pos = sn_vec3_add_scaled(from, s, sn_vec3_sub(to, from));
  pose->pos.z += 0.03 * sin(PI * u) * sin(PI * u);
  pose->rot = s < 0.5 ? here.rot : next.rot;
  return false;
}

static void place_feet(const walker_config *c, double t_s, sn_pose base, bool *touches,
                       sn_vec3 feet[WALKER_FEET][WALKER_POINTS]) {
  const sn_mat3 turn = sn_mat3_from_rpy(0, 0, c->feet_turn * fmax(0.0, t_s - c->rest_s));
  for (size_t f = 0; f < WALKER_FEET; f++) {
    sn_pose pose;
    touches[f] = foot_at(c, f, t_s, &pose);
    for (size_t k = 0; k < WALKER_POINTS; k++) {
      const sn_vec3 at = {k == 0 ? 0.02 : -0.02, 0, 0};
      feet[f][k] =
          sn_mat3_apply(turn, sn_pose_apply(sn_pose_inverse(base), sn_pose_apply(pose, at)));
    }
  }
}

static sn_vec3 slope_of(sn_vec3 a, sn_vec3 b) {
  return sn_vec3_scale(sn_vec3_sub(b, a), 0.5 / STEP_S);
}

walker_truth walker_at(const walker_config *c, double t_s) {
  walker_truth w = {.pose_world_base = base_at(c, t_s)};
  const sn_pose a = base_at(c, t_s - STEP_S), b = base_at(c, t_s + STEP_S);
  sn_vec3 before[WALKER_FEET][WALKER_POINTS], after[WALKER_FEET][WALKER_POINTS];
  bool touches[WALKER_FEET];
  place_feet(c, t_s - STEP_S, a, touches, before);
  place_feet(c, t_s + STEP_S, b, touches, after);
  place_feet(c, t_s, w.pose_world_base, w.touches, w.feet);
  for (size_t i = 0; i < (size_t)WALKER_FEET * WALKER_POINTS; i++) {
    w.velocities[i / WALKER_POINTS][i % WALKER_POINTS] = slope_of(
        before[i / WALKER_POINTS][i % WALKER_POINTS], after[i / WALKER_POINTS][i % WALKER_POINTS]);
  }
  const sn_vec3 turn = sn_mat3_log(sn_mat3_mul(b.rot, sn_mat3_transpose(a.rot)));
  w.twist.ang = sn_vec3_scale(turn, 0.5 / STEP_S);
  w.twist.lin = slope_of(a.pos, b.pos);
  sn_vec3 acceleration = sn_vec3_add(sn_vec3_sub(a.pos, w.pose_world_base.pos),
                                     sn_vec3_sub(b.pos, w.pose_world_base.pos));
  acceleration = sn_vec3_scale(acceleration, 1.0 / (STEP_S * STEP_S));
  acceleration.z += 9.81;
  w.rate = sn_mat3_apply_transposed(w.pose_world_base.rot, w.twist.ang);
  w.force = sn_mat3_apply_transposed(w.pose_world_base.rot, acceleration);
  return w;
}

static sn_vec3 normal3(sn_random *random, double sigma) {
  const double x = sn_random_normal(random), y = sn_random_normal(random);
  return sn_vec3_make(sigma * x, sigma * y, sigma * sn_random_normal(random));
}

void walker_imu(const walker_config *c, double t_s, double dt_s, sn_random *random, sn_vec3 *gyro,
                sn_vec3 *accel) {
  /* a sample is the mean of its period, or nearly so */
  const walker_truth w = walker_at(c, t_s - c->imu_delay_s - 0.5 * dt_s);
  const double per_sample = 1.0 / sqrt(dt_s);
  *gyro =
      sn_vec3_add(sn_vec3_add(w.rate, c->gyro_bias), normal3(random, c->gyro_noise * per_sample));
  *accel = sn_vec3_add(sn_vec3_add(w.force, c->accel_bias),
                       normal3(random, c->accel_noise * per_sample));
}

void walker_add_noise(const walker_config *c, double dt_s, sn_random *random, walker_truth *truth) {
  for (size_t f = 0; f < WALKER_FEET; f++) {
    const sn_vec3 place = normal3(random, c->foot_noise);
    const sn_vec3 velocity = normal3(random, c->foot_noise / fmax(dt_s, 0.01));
    for (size_t k = 0; k < WALKER_POINTS; k++) {
      truth->feet[f][k] = sn_vec3_add(truth->feet[f][k], place);
      truth->velocities[f][k] = sn_vec3_add(truth->velocities[f][k], velocity);
    }
  }
}
