#include "estimation/filter/imu_watch.h"

#include <math.h>
#include <stddef.h>

/* Frozen: no bit changes for this time, and the feet say that the velocity changed by this much. */
static const double FROZEN_S = 0.04;
static const double FROZEN_SPEED = 0.1;     /* m/s */
static const double FROZEN_TURN_RATE = 0.3; /* rad/s */
static const double SMOOTH_S = 0.03;
/* A unit that failed is trusted again after this time without a fault. */
static const double RECOVERY_S = 0.05;
/* Share of the range from which on a value counts as saturated. */
static const double RANGE_SHARE = 0.995;

static double largest(sn_vec3 v) {
  return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

static bool is_finite(sn_vec3 v) {
  return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static bool is_same(sn_vec3 a, sn_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static sn__imu_fault check(const sn__imu_sample *s, const sn__imu_limits *limits) {
  if (!is_finite(s->gyro) || !is_finite(s->accel)) {
    return SN__IMU_NOT_FINITE;
  }
  const bool is_saturated = largest(s->gyro) >= RANGE_SHARE * limits->gyro_range ||
                            largest(s->accel) >= RANGE_SHARE * limits->accel_range;
  return is_saturated ? SN__IMU_SATURATED : SN__IMU_GOOD;
}

static void smooth(sn__imu_watch *w, const sn_spatial *twist, double dt_s) {
  if (twist != NULL) {
    const sn_spatial change = sn_spatial_sub(*twist, w->twist);
    w->twist = sn_spatial_add(w->twist, sn_spatial_scale(change, dt_s / (SMOOTH_S + dt_s)));
  }
}

static bool has_moved(const sn__imu_watch *w) {
  const sn_spatial change = sn_spatial_sub(w->twist, w->same_twist);
  return sn_vec3_norm(change.lin) > FROZEN_SPEED || sn_vec3_norm(change.ang) > FROZEN_TURN_RATE;
}

/* A good sample: new, or the same as before? */
static sn__imu_fault take(sn__imu_watch *w, const sn__imu_sample *s, double dt_s) {
  const bool is_unchanged =
      w->has_sample && is_same(s->gyro, w->sample.gyro) && is_same(s->accel, w->sample.accel);
  w->sample = *s;
  w->has_sample = true;
  w->age_s = 0.0;
  if (!is_unchanged) {
    w->same_s = 0.0;
    w->same_twist = w->twist;
    return SN__IMU_GOOD;
  }
  w->same_s += dt_s;
  const bool was_frozen = w->fault == SN__IMU_FROZEN;
  return was_frozen || (w->same_s > FROZEN_S && has_moved(w)) ? SN__IMU_FROZEN : SN__IMU_GOOD;
}

bool sn__imu_watch_step(sn__imu_watch *w, const sn__imu_sample *sample,
                        const sn_spatial *feet_twist, double dt_s, const sn__imu_limits *limits) {
  sn__imu_fault fault = SN__IMU_GOOD;
  w->age_s += dt_s;
  smooth(w, feet_twist, dt_s);
  if (sample != NULL) {
    fault = check(sample, limits);
    fault = fault == SN__IMU_GOOD ? take(w, sample, dt_s) : fault;
  } else if (!w->has_sample || w->age_s > limits->timeout_s) {
    fault = SN__IMU_SILENT;
  }
  if (fault != SN__IMU_GOOD) {
    w->fault = fault;
    w->good_s = 0.0;
    return false;
  }
  w->good_s += dt_s;
  if (w->fault != SN__IMU_GOOD && w->good_s < RECOVERY_S) {
    return false;
  }
  w->fault = SN__IMU_GOOD;
  return w->has_sample;
}

const char *sn__imu_fault_text(sn__imu_fault fault) {
  static const char *const texts[] = {[SN__IMU_GOOD] = "good",
                                      [SN__IMU_SILENT] = "silent",
                                      [SN__IMU_FROZEN] = "frozen",
                                      [SN__IMU_SATURATED] = "saturated",
                                      [SN__IMU_NOT_FINITE] = "not finite"};
  return texts[fault];
}
