#include "ik/closed/nearness_7r.h"

#include <string.h>

#include "ik/closed/normal6.h"

enum { JOINTS = 7 };

/* Of the gradient along the curve of solutions: the slide ends at about 1e-6. */
static const double GRADIENT_MAX = 3e-6;
/* Of what must be positive: what the gradient and rounding may take is far less. */
static const double MARGIN = 0.05;

/* [i]: i^1.5 */
static const double power[JOINTS + 1] = {0.0,
                                         1.0,
                                         2.8284271247461903,
                                         5.196152422706632,
                                         8.0,
                                         11.180339887498949,
                                         14.696938456699069,
                                         18.520259177452136};

/* The arm in one pose. */
typedef struct traced {
  sn_vec3 axis[JOINTS], place[JOINTS];
  sn_pose tip;
} traced;

static void trace(const sn__frames *frames, const double *q, traced *out) {
  out->tip = sn__frames_trace(frames, q, out->axis, out->place);
}

/* Least squares over the joints that are inside their limits.
   @param x  y and w
   @return whether the gradient vanishes there, and points outward at the others */
static bool find_multipliers(const sn__slide *slide, const double *q, const traced *at,
                             double x[6]) {
  double column[JOINTS][6], normal[6][6] = {{0.0}};
  memset(x, 0, 6 * sizeof *x);
  for (int j = 0; j < JOINTS; j++) {
    const sn_vec3 z = at->axis[j];
    const sn_vec3 v = sn_vec3_cross(z, sn_vec3_sub(at->tip.pos, at->place[j]));
    const double entries[6] = {v.x, v.y, v.z, z.x, z.y, z.z};
    const bool is_free = q[j] > slide->lower[j] && q[j] < slide->upper[j];
    for (int r = 0; r < 6; r++) {
      column[j][r] = entries[r];
      x[r] += is_free ? entries[r] * (q[j] - slide->prefer[j]) : 0.0;
      for (int c = 0; c <= r; c++) {
        normal[r][c] += is_free ? entries[r] * entries[c] : 0.0;
      }
    }
  }
  if (!sn__factor6(normal)) {
    return false;
  }
  sn__solve6(normal, x);
  double squares = 0.0;
  for (int j = 0; j < JOINTS; j++) {
    double gradient = q[j] - slide->prefer[j];
    for (int r = 0; r < 6; r++) {
      gradient -= column[j][r] * x[r];
    }
    const bool is_outward = (q[j] <= slide->lower[j] && gradient >= 0.0) ||
                            (q[j] >= slide->upper[j] && gradient <= 0.0);
    squares += is_outward ? 0.0 : gradient * gradient;
  }
  return squares <= GRADIENT_MAX * GRADIENT_MAX;
}

/* H, lower triangle. For i up to j, the second derivative of p is z_i x (z_j x (p - p_j)), that of
   R is [z_i] [z_j] R, and [z_i] [z_j] = z_j z_i^T - (z_i . z_j) 1. So with the rotation S from the
   target, the product of [w] R(q) / 2 and the latter is that of z_i and S (half x z_j), less z_i .
   z_j times the trace of [half] S, where half = -w / 2. */
void sn__nearness_7r_second(const sn__frames *frames, const double *x, const double l[6],
                            sn_mat3 target, double h[JOINTS][JOINTS]) {
  traced at;
  trace(frames, x, &at);
  const sn_vec3 y = {l[0], l[1], l[2]}, half = {-0.5 * l[3], -0.5 * l[4], -0.5 * l[5]};
  const sn_mat3 s = sn_mat3_mul(at.tip.rot, sn_mat3_transpose(target));
  const sn_vec3 twice = {s.z.y - s.y.z, s.x.z - s.z.x, s.y.x - s.x.y}; /* antisymmetric part */
  const double sum = sn_vec3_dot(twice, half);
  for (int j = 0; j < JOINTS; j++) {
    const sn_vec3 arm = sn_vec3_sub(at.tip.pos, at.place[j]);
    const sn_vec3 moved = sn_vec3_cross(sn_vec3_cross(at.axis[j], arm), y);
    const sn_vec3 turned = sn_mat3_apply(s, sn_vec3_cross(half, at.axis[j]));
    const sn_vec3 both = sn_vec3_add(moved, turned);
    for (int i = 0; i <= j; i++) {
      h[j][i] = sn_vec3_dot(at.axis[i], both) - sn_vec3_dot(at.axis[i], at.axis[j]) * sum;
    }
  }
}

/* r/3 k3 + 0.2073 r^2 k4 */
static double change_max(const sn__frames *frames, const double l[6], double r) {
  double third = sn_vec3_norm(frames->tip.pos) * power[JOINTS];
  double fourth = sn_vec3_norm(frames->tip.pos) * JOINTS * JOINTS;
  for (int i = 1; i < JOINTS; i++) {
    const double length_m = sn_vec3_norm(frames->shift[i]);
    third += length_m * power[i];
    fourth += length_m * (double)(i * i);
  }
  const double y = sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]);
  const double w = sqrt(l[3] * l[3] + l[4] * l[4] + l[5] * l[5]);
  return r / 3.0 * (y * third + w * power[JOINTS]) +
         0.2073 * r * r * (y * fourth + w * JOINTS * JOINTS);
}

/* Is diagonal - h positive definite? By Cholesky, in place. */
static bool is_positive(double h[JOINTS][JOINTS], double diagonal) {
  for (int j = 0; j < JOINTS; j++) {
    for (int i = 0; i <= j; i++) {
      double rest = i == j ? diagonal - h[j][i] : -h[j][i];
      for (int k = 0; k < i; k++) {
        rest -= h[j][k] * h[i][k];
      }
      if (i < j) {
        h[j][i] = rest / h[i][i];
      } else if (rest > 0.0) {
        h[j][j] = sqrt(rest);
      } else {
        return false;
      }
    }
  }
  return true;
}

bool sn__nearness_7r_is_proven(const sn__slide *slide, const double *q) {
  traced at;
  double l[6];
  trace(slide->frames, q, &at);
  if (!find_multipliers(slide, q, &at, l)) {
    return false;
  }
  double middle[JOINTS], squared = 0.0;
  for (int j = 0; j < JOINTS; j++) {
    const double away = slide->prefer[j] - q[j];
    middle[j] = q[j] + away / 3.0;
    squared += away * away;
  }
  const double left = 1.0 - MARGIN - change_max(slide->frames, l, sqrt(squared));
  if (!(left > 0.0)) {
    return false;
  }
  double h[JOINTS][JOINTS];
  sn__nearness_7r_second(slide->frames, middle, l, at.tip.rot, h);
  return is_positive(h, left);
}
