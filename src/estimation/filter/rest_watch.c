#include "estimation/filter/rest_watch.h"

#include <math.h>
#include <string.h>

static const double REST_S = 0.3;            /* until it counts as rest */
static const double REST_IN_THE_AIR_S = 1.0; /* likewise, if no foot touches */
static const double SETTLE_S = 0.2;          /* until the smoothed feet are where they are */
static const double SMOOTH_S = 0.1;
static const double WAY_NOISE_M = 0.0002; /* of a smoothed foot */
static const double WAY_MAX_M = 0.001;
static const double GYRO_MAX = 0.1;  /* rad/s, from the mean */
static const double ACCEL_MAX = 1.0; /* m/s², likewise */
static const double BLOCK_S = 0.1;
static const double COUNT_MAX = 1000.0;

static void begin(sn__rest_watch *w, size_t foot_count, const bool *touches, const sn_vec3 *middle,
                  sn_vec3 gyro, sn_vec3 accel) {
  const bool is_begun = w->is_begun;
  w->is_begun = true;
  w->time_s = w->drift = w->gyro_variance = 0.0;
  w->gyro = gyro;
  w->accel = accel;
  w->count = 1.0;
  w->now = w->waiting[0] = w->waiting[1] = w->ready = (sn__rest_block){.time_s = 0.0};
  for (size_t i = 0; i < foot_count; i++) {
    w->smooth[i] = is_begun && touches[i] && w->touches[i] ? w->smooth[i] : middle[i];
    w->from[i] = w->smooth[i];
    w->touches[i] = touches[i];
  }
}

/* Smooth the feet. @return the longest way of one since the beginning */
static double longest_way(sn__rest_watch *w, size_t foot_count, const sn_vec3 *middle,
                          double dt_s) {
  double longest = 0.0;
  for (size_t i = 0; i < foot_count; i++) {
    if (w->touches[i]) {
      const sn_vec3 way = sn_vec3_sub(middle[i], w->smooth[i]);
      w->smooth[i] = sn_vec3_add_scaled(w->smooth[i], dt_s / (SMOOTH_S + dt_s), way);
      longest = fmax(longest, sn_vec3_norm(sn_vec3_sub(w->smooth[i], w->from[i])));
    }
  }
  return longest;
}

static bool is_near(sn_vec3 a, sn_vec3 b, double limit) {
  const sn_vec3 d = sn_vec3_sub(a, b);
  return sn_vec3_dot(d, d) <= limit * limit;
}

static void sum_up(sn__rest_watch *w, sn_vec3 gyro, double dt_s) {
  w->now.sum = sn_vec3_add_scaled(w->now.sum, dt_s, gyro);
  w->now.time_s += dt_s;
  if (w->now.time_s >= BLOCK_S) {
    w->ready = w->waiting[1];
    w->waiting[1] = w->waiting[0];
    w->waiting[0] = w->now;
    w->now = (sn__rest_block){.time_s = 0.0};
  }
}

bool sn__rest_watch_step(sn__rest_watch *w, size_t foot_count, const bool *touches,
                         const sn_vec3 *middle, sn_vec3 gyro, sn_vec3 accel, double dt_s) {
  const bool is_same_set =
      w->is_begun && memcmp(w->touches, touches, foot_count * sizeof *touches) == 0;
  const double way = is_same_set ? longest_way(w, foot_count, middle, dt_s) : 0.0;
  if (!is_same_set || way > WAY_MAX_M || !is_near(gyro, w->gyro, GYRO_MAX) ||
      !is_near(accel, w->accel, ACCEL_MAX)) {
    begin(w, foot_count, touches, middle, gyro, accel);
    return false;
  }
  w->time_s += dt_s;
  if (w->time_s < SETTLE_S) {
    memcpy(w->from, w->smooth, sizeof w->from);
  } else {
    w->drift = fmax(0.0, way - WAY_NOISE_M) / (w->time_s - SETTLE_S + dt_s);
  }
  w->count = fmin(w->count + 1.0, COUNT_MAX);
  const sn_vec3 off = sn_vec3_sub(gyro, w->gyro);
  w->gyro_variance += (sn_vec3_dot(off, off) / 3.0 - w->gyro_variance) / w->count;
  w->gyro = sn_vec3_add_scaled(w->gyro, 1.0 / w->count, sn_vec3_sub(gyro, w->gyro));
  w->accel = sn_vec3_add_scaled(w->accel, 1.0 / w->count, sn_vec3_sub(accel, w->accel));
  sum_up(w, gyro, dt_s);
  bool touches_any = false;
  for (size_t i = 0; i < foot_count; i++) {
    touches_any = touches_any || touches[i];
  }
  return w->time_s > (touches_any ? REST_S : REST_IN_THE_AIR_S);
}
