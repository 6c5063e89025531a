#include "path/tool_track.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "math/eigen.h"
#include "sinew/dense.h"
#include "sinew/kin.h"
#include "sinew/quat.h"

/* Newton's method converges in about three steps between neighbours. */
static const int STEPS_MAX = 12;
static const double EXACT_M = 1e-11;
static const double EXACT_RAD = 1e-11;
/* A joint that moves farther between samples has probably changed its branch, rad or m. */
static const double HOP_MAX = 0.2;
/* Samples of the shortest path, and how they grow. */
static const size_t SAMPLES_MIN = 24;
static const double SAMPLE_M = 0.01;

static double reach_of(const sn_chain *chain) {
  double sum = sn_vec3_norm(chain->pose_body_tip.pos);
  for (size_t i = 0; i < chain->tree.body_count; i++) {
    sum += sn_vec3_norm(chain->tree.pose_parent_joint[i].pos);
  }
  return sum;
}

sn_status sn__tool_tracker_create(sn_arena *arena, const sn_chain *chain, size_t sample_max,
                                  sn__tool_tracker *out, sn_error *err) {
  const size_t n = chain->joint_count;
  out->chain = chain;
  out->sample_max = sample_max;
  out->half_reach_m = 0.5 * reach_of(chain);
  out->q = SN_NEW(arena, double, (sample_max + 1) * n);
  out->slope = SN_NEW(arena, double, 2 * n);
  out->jac = SN_NEW(arena, double, 6 * n);
  out->seed = SN_NEW(arena, double, n);
  out->step = SN_NEW(arena, double, n);
  if (out->q == NULL || out->slope == NULL || out->jac == NULL || out->seed == NULL ||
      out->step == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for a path of %zu samples", sample_max);
  }
  return sn__joint_path_create(arena, n, sample_max + 1, &out->spline, err);
}

/* ---- one pose ---- */

/* J J^T of the last Jacobian, with rotations and half reaches as units. */
static void gram(const sn__tool_tracker *self, double scale_m, double *out) {
  const size_t n = self->chain->joint_count;
  for (size_t r = 0; r < 6; r++) {
    for (size_t c = 0; c <= r; c++) {
      double sum = 0.0;
      for (size_t j = 0; j < n; j++) {
        sum += self->jac[r * n + j] * self->jac[c * n + j];
      }
      const double units = (r >= 3 ? 1.0 / scale_m : 1.0) * (c >= 3 ? 1.0 / scale_m : 1.0);
      out[6 * r + c] = out[6 * c + r] = sum * units;
    }
  }
}

static double smallest_motion(const sn__tool_tracker *self) {
  double a[36];
  double v[36];
  double values[6];
  gram(self, self->half_reach_m, a);
  sn__eigen_symmetric(6, a, values, v);
  double least = INFINITY;
  for (int i = 0; i < 6; i++) {
    least = fmin(least, values[i]);
  }
  return sqrt(fmax(least, 0.0));
}

/* The least motion of the joints for a small motion of the tip. @return whether there is one */
static bool least_motion(sn__tool_tracker *self, double motion[6]) {
  const size_t n = self->chain->joint_count;
  double a[36];
  gram(self, 1.0, a);
  if (!sn_cholesky_factor(6, a)) {
    return false;
  }
  sn_cholesky_solve(6, a, motion);
  for (size_t j = 0; j < n; j++) {
    self->step[j] = 0.0;
    for (size_t r = 0; r < 6; r++) {
      self->step[j] += self->jac[r * n + j] * motion[r];
    }
  }
  return true;
}

/* Bring the tip of @p q to a pose. */
static bool reach(sn__tool_tracker *self, sn_pose target, double *q) {
  const size_t n = self->chain->joint_count;
  for (int i = 0; i < STEPS_MAX; i++) {
    sn_pose tip;
    sn_chain_fk_jacobian(self->chain, q, &tip, self->jac);
    const sn_vec3 turn = sn_mat3_log(sn_mat3_mul(target.rot, sn_mat3_transpose(tip.rot)));
    const sn_vec3 way = sn_vec3_sub(target.pos, tip.pos);
    if (sn_vec3_norm(way) < EXACT_M && sn_vec3_norm(turn) < EXACT_RAD) {
      return true;
    }
    double motion[6] = {turn.x, turn.y, turn.z, way.x, way.y, way.z};
    if (!least_motion(self, motion)) {
      return false;
    }
    for (size_t j = 0; j < n; j++) {
      q[j] += fmin(fmax(self->step[j], -HOP_MAX), HOP_MAX);
    }
  }
  return false;
}

/* ---- samples ---- */

static bool stop_at(sn__tool_stop *stop, sn__tool_trouble trouble, double u) {
  stop->trouble = trouble;
  stop->u = u;
  return false;
}

/* Sample k, from those before it. */
static bool add_sample(sn__tool_tracker *self, const sn__tool_curve *curve, size_t k, double u,
                       sn__tool_stop *stop) {
  const size_t n = self->chain->joint_count;
  double *q = self->q + k * n;
  const double *last = q - n;
  for (size_t j = 0; j < n; j++) {
    q[j] = k > 1 ? 2.0 * last[j] - *(last + j - n) : last[j];
  }
  if (!reach(self, sn__tool_curve_at(curve, u), q)) {
    return stop_at(stop, SN__TOOL_NO_REACH, u);
  }
  stop->measure = smallest_motion(self);
  if (stop->measure < SN__TOOL_SINGULAR_MIN) {
    return stop_at(stop, SN__TOOL_SINGULAR, u);
  }
  for (size_t j = 0; j < n; j++) {
    if (q[j] < self->lower[j] || q[j] > self->upper[j]) {
      stop->joint = j;
      stop->at = q[j];
      return stop_at(stop, SN__TOOL_LIMIT, u);
    }
    if (fabs(q[j] - last[j]) > HOP_MAX) {
      return stop_at(stop, SN__TOOL_SINGULAR, u);
    }
  }
  return true;
}

static bool add_samples(sn__tool_tracker *self, const sn__tool_curve *curve, const double *start,
                        size_t count, sn__tool_stop *stop) {
  const size_t n = self->chain->joint_count;
  memcpy(self->q, start, n * sizeof(double));
  for (size_t k = 1; k <= count; k++) {
    if (!add_sample(self, curve, k, curve->length * (double)k / (double)count, stop)) {
      return false;
    }
  }
  return true;
}

/* Slopes at both ends, from two further poses close to each. */
static bool find_slopes(sn__tool_tracker *self, const sn__tool_curve *curve, size_t count) {
  const size_t n = self->chain->joint_count;
  const double h = 0.125 / (double)count;
  for (size_t end = 0; end < 2; end++) {
    const double *q = self->q + end * count * n;
    double *slope = self->slope + end * n;
    const double sign = end == 0 ? 1.0 : -1.0;
    for (size_t j = 0; j < n; j++) {
      slope[j] = -3.0 * sign * q[j];
    }
    for (int i = 1; i <= 2; i++) {
      const double part = end == 0 ? i * h : 1.0 - i * h;
      memcpy(self->seed, q, n * sizeof(double));
      if (!reach(self, sn__tool_curve_at(curve, curve->length * part), self->seed)) {
        return false;
      }
      for (size_t j = 0; j < n; j++) {
        slope[j] += sign * (i == 1 ? 4.0 : -1.0) * self->seed[j];
      }
    }
  }
  return true;
}

/* ---- between samples ---- */

/* How far the tip is beside the curve near u. */
static double beside(const sn__tool_tracker *self, const sn__tool_curve *curve, double u,
                     const double *q) {
  const double h = 1e-4 * curve->length;
  const sn_vec3 before = sn__tool_curve_at(curve, fmax(u - h, 0.0)).pos;
  const sn_vec3 after = sn__tool_curve_at(curve, fmin(u + h, curve->length)).pos;
  const sn_vec3 off = sn_vec3_sub(sn_chain_fk(self->chain, q).pos, sn__tool_curve_at(curve, u).pos);
  const sn_vec3 along = sn_vec3_sub(after, before);
  const double square = sn_vec3_dot(along, along);
  const double share = square > 0.0 ? sn_vec3_dot(off, along) / square : 0.0;
  return sn_vec3_norm(sn_vec3_add_scaled(off, -share, along));
}

static bool keeps_to(sn__tool_tracker *self, const sn__tool_curve *curve, size_t count) {
  const sn__waypoints points = {self->q, count + 1, self->speed, self->slope};
  sn__joint_path_fit(&self->spline, &points);
  if (self->spline.segment_count != count) {
    return true; /* samples so close that they were merged */
  }
  double s = 0.0;
  for (size_t k = 0; k < count; k++) {
    for (int part = 1; part < 4; part++) {
      const double at = 0.25 * part;
      sn__joint_path_follow(&self->spline, s + at * self->spline.width[k], self->seed);
      const double u = curve->length * ((double)k + at) / (double)count;
      if (beside(self, curve, u, self->seed) > SN__TOOL_DEVIATION_M) {
        return false;
      }
    }
    s += self->spline.width[k];
  }
  return true;
}

size_t sn__tool_track(sn__tool_tracker *tracker, const sn__tool_curve *curve, const double *start,
                      sn__tool_stop *stop) {
  sn__tool_tracker *self = tracker;
  const double wanted = ceil(curve->length / SAMPLE_M);
  size_t count = SAMPLES_MIN;
  *stop = (sn__tool_stop){.trouble = SN__TOOL_NO_REACH}; /* a path too long for any */
  while ((double)count < wanted) {
    count *= 2;
  }
  for (; count <= self->sample_max; count *= 2) {
    *stop = (sn__tool_stop){.trouble = SN__TOOL_FINE};
    if (!add_samples(self, curve, start, count, stop)) {
      if (stop->trouble == SN__TOOL_LIMIT) {
        return 0;
      }
      continue; /* closer samples may get on */
    }
    if (find_slopes(self, curve, count) && keeps_to(self, curve, count)) {
      return count + 1;
    }
    stop_at(stop, SN__TOOL_SINGULAR, curve->length);
  }
  return 0;
}
