#include "estimation/filter/base_filter.h"

#include <math.h>
#include <string.h>

#include "estimation/filter/covariance_rows.h"
#include "math/rotation.h"
#include "sinew/fault.h"

enum {
  TURN = SN__FILTER_TURN,
  VELOCITY = SN__FILTER_VELOCITY,
  GYRO_BIAS = SN__FILTER_GYRO_BIAS,
  ACCEL_BIAS = SN__FILTER_ACCEL_BIAS,
  POSITION = SN__FILTER_POSITION,
  FEET = SN__FILTER_FEET,
  SIZE = SN__FILTER_SIZE
};

/* ---- rows of the covariance ---- */

static size_t row_length(const sn__base_filter *f) {
  return FEET + 3 * f->foot_count;
}

static size_t pairs_of(const sn__base_filter *f) {
  return (row_length(f) + 1) / 2;
}

static void transpose(sn__base_filter *f) {
  const size_t n = row_length(f);
  for (size_t i = 1; i < n; i++) {
    for (size_t j = 0; j < i; j++) {
      const double t = f->cov[i][j];
      f->cov[i][j] = f->cov[j][i];
      f->cov[j][i] = t;
    }
  }
}

/* Copy the lower triangle to the upper one. */
static void mirror(sn__base_filter *f) {
  const size_t n = row_length(f);
  for (size_t i = 1; i < n; i++) {
    for (size_t j = 0; j < i; j++) {
      f->cov[j][i] = f->cov[i][j];
    }
  }
}

/* A row of the symmetric matrix, from the lower triangle. */
static void copy_row(const sn__base_filter *f, size_t row, double *out) {
  const size_t n = row_length(f);
  memcpy(out, f->cov[row], (row + 1) * sizeof *out);
  for (size_t i = row + 1; i < n; i++) {
    out[i] = f->cov[i][row];
  }
}

static void clear_foot(sn__base_filter *f, size_t foot) {
  const size_t at = FEET + 3 * foot;
  memset(f->cov[at], 0, 3 * sizeof f->cov[0]);
  for (size_t i = at; i < row_length(f); i++) {
    memset(&f->cov[i][at], 0, 3 * sizeof f->cov[i][0]);
  }
}

/* ---- prediction ---- */

/* cov = Phi cov with Phi = I + A dt:
     theta' = -R b_gyro
     xi_v'  = g x theta - R b_accel + (R b_gyro) x v
     xi_p'  = xi_v + theta x v
     xi_d'  = theta x v + (R b_gyro) x (d - p)
   @param is_lower  only the lower triangle of the result is needed */
static void predict_rows(sn__base_filter *f, double dt_s, bool is_lower) {
  static const double zero[3][SIZE];
  const size_t pairs = pairs_of(f);
  const size_t up_to_position = is_lower ? (POSITION + 2) / 2 + 1 : pairs;
  const size_t up_to_velocity = is_lower ? (VELOCITY + 2) / 2 + 1 : pairs;
  const sn_mat3 r = f->pose_world_base.rot;
  const sn_vec3 way = sn_vec3_scale(f->velocity, dt_s);
  double gyro[3][SIZE], accel[3][SIZE], carried[3][SIZE];
  sn__rows_rotate(gyro, r, (const double(*)[SIZE])f->cov[GYRO_BIAS], pairs);
  sn__rows_rotate(accel, r, (const double(*)[SIZE])f->cov[ACCEL_BIAS], up_to_velocity);
  memset(carried, 0, sizeof carried); /* dt theta x v */
  sn__rows_add_cross(carried, (const double(*)[SIZE])f->cov[TURN], way, zero, pairs);
  for (size_t i = 0; i < f->foot_count; i++) {
    if (f->in_stance[i]) {
      const size_t at = FEET + 3 * i;
      const sn_vec3 arm = sn_vec3_sub(f->place[i], f->pose_world_base.pos);
      sn__rows_add_cross(&f->cov[at], (const double(*)[SIZE])gyro, sn_vec3_scale(arm, dt_s),
                         (const double(*)[SIZE])carried, is_lower ? (at + 2) / 2 + 1 : pairs);
    }
  }
  for (size_t k = 0; k < 3; k++) {
    sn__row_add_sum(f->cov[POSITION + k], dt_s, f->cov[VELOCITY + k], 0.0, zero[0], carried[k],
                    up_to_position);
  }
  for (size_t k = 0; k < 3; k++) {
    sn__row_add(f->cov[VELOCITY + k], -dt_s, accel[k], up_to_velocity);
  }
  sn__rows_add_cross(&f->cov[VELOCITY], (const double(*)[SIZE])gyro, way, zero, up_to_velocity);
  sn__row_add(f->cov[VELOCITY], f->gravity * dt_s, f->cov[TURN + 1], up_to_velocity);
  sn__row_add(f->cov[VELOCITY + 1], -f->gravity * dt_s, f->cov[TURN], up_to_velocity);
  for (size_t k = 0; k < 3; k++) {
    sn__row_add(f->cov[TURN + k], -dt_s, gyro[k], is_lower ? TURN + 2 : pairs);
  }
}

static void add_variance(sn__base_filter *f, size_t first, double density, double dt_s) {
  for (size_t k = 0; k < 3; k++) {
    f->cov[first + k][first + k] += density * density * dt_s;
  }
}

static void predict_covariance(sn__base_filter *f, double dt_s, const sn__filter_noise *noise,
                               const sn__foot_looseness *loose) {
  mirror(f);
  predict_rows(f, dt_s, false);
  transpose(f); /* Phi (Phi P)^T = Phi P Phi^T */
  predict_rows(f, dt_s, true);
  add_variance(f, TURN, noise->gyro, dt_s);
  add_variance(f, VELOCITY, noise->accel, dt_s);
  add_variance(f, GYRO_BIAS, noise->gyro_bias_drift, dt_s);
  add_variance(f, ACCEL_BIAS, noise->accel_bias_drift, dt_s);
  for (size_t i = 0; i < f->foot_count; i++) {
    if (f->in_stance[i]) {
      const size_t at = FEET + 3 * i;
      const double level = noise->foot_drift * loose[i].level;
      const double height = noise->foot_drift * loose[i].height;
      f->cov[at][at] += level * level * dt_s;
      f->cov[at + 1][at + 1] += level * level * dt_s;
      f->cov[at + 2][at + 2] += height * height * dt_s;
    }
  }
}

void sn__filter_predict(sn__base_filter *f, sn_vec3 gyro, sn_vec3 accel, double dt_s,
                        const sn__filter_noise *noise, const sn__foot_looseness *loose) {
  SN_ASSERT(dt_s > 0.0);
  predict_covariance(f, dt_s, noise, loose);
  sn_pose *pose = &f->pose_world_base;
  const sn_vec3 turn = sn_vec3_scale(sn_vec3_sub(gyro, f->gyro_bias), dt_s);
  const sn_vec3 force = sn_vec3_sub(accel, f->accel_bias);
  /* The force of the sample acts in the middle of the step. */
  const sn_mat3 middle = sn_mat3_mul(pose->rot, sn__mat3_exp(sn_vec3_scale(turn, 0.5)));
  sn_vec3 acceleration = sn_mat3_apply(middle, force);
  acceleration.z -= f->gravity;
  pose->pos = sn_vec3_add_scaled(sn_vec3_add_scaled(pose->pos, dt_s, f->velocity),
                                 0.5 * dt_s * dt_s, acceleration);
  f->velocity = sn_vec3_add_scaled(f->velocity, dt_s, acceleration);
  const sn_mat3 rot = sn_mat3_mul(pose->rot, sn__mat3_exp(turn));
  pose->rot = sn_mat3_from_quat(sn_quat_from_mat3(rot)); /* stays a rotation */
}

/* ---- correction ---- */

static sn_vec3 part(const double *error, size_t first) {
  return sn_vec3_make(error[first], error[first + 1], error[first + 2]);
}

/* Add an error to the estimate. */
static void correct(sn__base_filter *f, const double *error) {
  sn_pose *pose = &f->pose_world_base;
  const sn_mat3 turn = sn__mat3_exp(part(error, TURN));
  for (size_t i = 0; i < f->foot_count; i++) {
    if (f->in_stance[i]) {
      const sn_vec3 arm = sn_mat3_apply(turn, sn_vec3_sub(f->place[i], pose->pos));
      f->place[i] = sn_vec3_add(sn_vec3_add(pose->pos, arm), part(error, FEET + 3 * i));
    }
  }
  pose->rot = sn_mat3_mul(turn, pose->rot);
  pose->pos = sn_vec3_add(pose->pos, part(error, POSITION));
  f->velocity = sn_vec3_add(sn_mat3_apply(turn, f->velocity), part(error, VELOCITY));
  f->gyro_bias = sn_vec3_add(f->gyro_bias, part(error, GYRO_BIAS));
  f->accel_bias = sn_vec3_add(f->accel_bias, part(error, ACCEL_BIAS));
}

/* Of a symmetric, positive definite matrix of three rows. */
static bool invert(const double *s, double *inverse) {
  const double xx = s[4] * s[8] - s[5] * s[5], xy = s[5] * s[2] - s[1] * s[8];
  const double xz = s[1] * s[5] - s[4] * s[2], yy = s[0] * s[8] - s[2] * s[2];
  const double yz = s[1] * s[2] - s[0] * s[5], zz = s[0] * s[4] - s[1] * s[1];
  const double det = s[0] * xx + s[1] * xy + s[2] * xz;
  if (!(det > 0.0 && zz > 0.0 && s[0] > 0.0)) {
    return false;
  }
  const double cofactors[9] = {xx, xy, xz, xy, yy, yz, xz, yz, zz};
  for (size_t k = 0; k < 9; k++) {
    inverse[k] = cofactors[k] / det;
  }
  return true;
}

static sn_vec3 apply(const double *m, sn_vec3 v) {
  return sn_vec3_make(m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                      m[6] * v.x + m[7] * v.y + m[8] * v.z);
}

/* cov -= cross^T inverse cross, the lower triangle. */
static void subtract_gain(sn__base_filter *f, const double (*cross)[SIZE], const double *inverse) {
  const size_t n = row_length(f), pairs = pairs_of(f);
  double weighed[3][SIZE];
  memset(weighed, 0, sizeof weighed);
  for (size_t k = 0; k < 3; k++) {
    sn__row_add_three(weighed[k],
                      sn_vec3_make(inverse[3 * k], inverse[3 * k + 1], inverse[3 * k + 2]), cross,
                      pairs);
  }
  for (size_t i = 0; i < n; i++) {
    sn__row_add_three(f->cov[i], sn_vec3_make(-cross[0][i], -cross[1][i], -cross[2][i]),
                      (const double(*)[SIZE])weighed, i / 2 + 1);
  }
}

/* ---- heading ---- */

/* Covariance of the heading and of the gyro's bias about the vertical. */
typedef struct heading {
  sn_vec3 up; /* in the base */
  double turn, cross, bias;
} heading;

static heading heading_of(const sn__base_filter *f) {
  const sn_mat3 r = f->pose_world_base.rot;
  const double u[3] = {r.x.z, r.y.z, r.z.z};
  heading out = {.up = {u[0], u[1], u[2]}, .turn = f->cov[TURN + 2][TURN + 2]};
  for (size_t j = 0; j < 3; j++) {
    out.cross += u[j] * f->cov[GYRO_BIAS + j][TURN + 2];
    out.bias += u[j] * u[j] * f->cov[GYRO_BIAS + j][GYRO_BIAS + j];
    for (size_t k = 0; k < j; k++) {
      out.bias += 2.0 * u[j] * u[k] * f->cov[GYRO_BIAS + j][GYRO_BIAS + k];
    }
  }
  return out;
}

/* Share of a correction of the heading that is not applied: all of it once the bias is known better
   than feet can show it. */
static double share_kept(const heading *h, double turn_bias) {
  return fmin(1.0, turn_bias * turn_bias / fmax(h->bias, 1e-30));
}

/* Partial update (Brink, JGCD 2017): heading and bias get less of the correction, and keep that
   much of their covariance. */
static void keep_heading(sn__base_filter *f, const heading *before, double kept, double *error) {
  const heading after = heading_of(f);
  const double k2 = kept * kept;
  const double u[3] = {before->up.x, before->up.y, before->up.z};
  const double along =
      u[0] * error[GYRO_BIAS] + u[1] * error[GYRO_BIAS + 1] + u[2] * error[GYRO_BIAS + 2];
  f->cov[TURN + 2][TURN + 2] += k2 * (before->turn - after.turn);
  error[TURN + 2] *= 1.0 - kept;
  for (size_t j = 0; j < 3; j++) {
    f->cov[GYRO_BIAS + j][TURN + 2] += k2 * u[j] * (before->cross - after.cross);
    error[GYRO_BIAS + j] -= kept * along * u[j];
    for (size_t k = 0; k <= j; k++) {
      f->cov[GYRO_BIAS + j][GYRO_BIAS + k] += k2 * u[j] * u[k] * (before->bias - after.bias);
    }
  }
}

/* ---- feet that are measured ---- */

double sn__filter_measure_foot(sn__base_filter *f, size_t foot, sn_vec3 middle,
                               const sn__filter_noise *noise, double gate) {
  SN_ASSERT(foot < f->foot_count && f->in_stance[foot]);
  const size_t pairs = pairs_of(f), at = FEET + 3 * foot;
  const sn_vec3 arm = sn_vec3_sub(f->place[foot], f->pose_world_base.pos);
  const sn_vec3 z = sn_vec3_sub(sn_mat3_apply(f->pose_world_base.rot, middle), arm);
  double cross[3][SIZE], s[9]; /* H cov and H cov H^T + noise */
  for (size_t k = 0; k < 3; k++) {
    double position[SIZE];
    copy_row(f, POSITION + k, position);
    copy_row(f, at + k, cross[k]);
    sn__row_add(cross[k], -1.0, position, pairs);
  }
  for (size_t k = 0; k < 9; k++) {
    s[k] = cross[k / 3][at + k % 3] - cross[k / 3][POSITION + k % 3] +
           (k % 4 == 0 ? noise->foot * noise->foot : 0.0);
  }
  double inverse[9];
  if (!invert(s, inverse)) {
    return INFINITY;
  }
  const sn_vec3 weighed = apply(inverse, z);
  const double distance = sn_vec3_dot(z, weighed);
  if (distance < gate) {
    double error[SIZE] = {0};
    sn__row_add_three(error, weighed, (const double(*)[SIZE])cross, pairs);
    const heading before = heading_of(f);
    const double kept = share_kept(&before, noise->foot_turn_bias);
    subtract_gain(f, (const double(*)[SIZE])cross, inverse);
    keep_heading(f, &before, kept, error);
    correct(f, error);
  }
  return distance;
}

void sn__filter_measure(sn__base_filter *f, size_t first, sn_vec3 h, double value,
                        double variance) {
  const size_t n = row_length(f), pairs = pairs_of(f);
  double rows[3][SIZE], cross[SIZE] = {0}, error[SIZE] = {0};
  for (size_t k = 0; k < 3; k++) {
    copy_row(f, first + k, rows[k]);
  }
  sn__row_add_three(cross, h, (const double(*)[SIZE])rows, pairs);
  const double s = h.x * cross[first] + h.y * cross[first + 1] + h.z * cross[first + 2] + variance;
  if (!(s > 0.0)) {
    return;
  }
  for (size_t i = 0; i < n; i++) {
    sn__row_add(f->cov[i], -cross[i] / s, cross, i / 2 + 1);
  }
  sn__row_add(error, value / s, cross, pairs);
  correct(f, error);
}

/* ---- feet ---- */

void sn__filter_place_foot(sn__base_filter *f, size_t foot, sn_vec3 middle,
                           const sn__filter_noise *noise) {
  SN_ASSERT(foot < f->foot_count);
  const size_t at = FEET + 3 * foot, n = row_length(f);
  clear_foot(f, foot);
  for (size_t k = 0; k < 3; k++) { /* xi_d = xi_p + noise of the measurement */
    double row[SIZE];
    copy_row(f, POSITION + k, row);
    memcpy(f->cov[at + k], row, at * sizeof *row);
    memcpy(&f->cov[at + k][at], &row[POSITION], 3 * sizeof *row);
    for (size_t i = at + 3; i < n; i++) {
      f->cov[i][at + k] = row[i];
    }
  }
  add_variance(f, at, noise->foot, 1.0);
  f->place[foot] = sn_pose_apply(f->pose_world_base, middle);
  f->in_stance[foot] = true;
}

void sn__filter_lift_foot(sn__base_filter *f, size_t foot) {
  SN_ASSERT(foot < f->foot_count);
  f->in_stance[foot] = false;
  clear_foot(f, foot);
}

/* ---- start ---- */

void sn__filter_start_at(sn__base_filter *f, size_t foot_count, sn_pose pose_world_base,
                         sn_vec3 velocity, const sn__filter_start *start) {
  SN_ASSERT(foot_count <= SN__FILTER_FEET_MAX);
  f->foot_count = foot_count;
  f->pose_world_base = pose_world_base;
  f->velocity = velocity;
  memset(f->in_stance, 0, sizeof f->in_stance);
  memset(f->cov, 0, sizeof f->cov);
  add_variance(f, TURN, start->tilt, 1.0);
  f->cov[TURN + 2][TURN + 2] = 1e-6; /* the heading is 0 by definition */
  add_variance(f, VELOCITY, start->velocity, 1.0);
  add_variance(f, GYRO_BIAS, start->gyro_bias, 1.0);
  add_variance(f, ACCEL_BIAS, start->accel_bias, 1.0);
}

static bool is_finite(sn_vec3 v) {
  return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

bool sn__filter_is_sound(const sn__base_filter *f) {
  const sn_mat3 r = f->pose_world_base.rot;
  bool is_sound = is_finite(r.x) && is_finite(r.y) && is_finite(r.z) &&
                  is_finite(f->pose_world_base.pos) && is_finite(f->velocity) &&
                  is_finite(f->gyro_bias) && is_finite(f->accel_bias);
  for (size_t i = 0; i < row_length(f); i++) {
    is_sound = is_sound && f->cov[i][i] >= 0.0 && f->cov[i][i] < 1e12;
  }
  return is_sound;
}
