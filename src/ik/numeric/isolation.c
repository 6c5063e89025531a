#include "ik/numeric/isolation.h"

#include <math.h>

#include "sinew/dense.h"

enum { JOINTS = 6 };

static bool turns_only(const sn__serial *serial) {
  for (size_t i = 0; i < serial->body_count; i++) {
    if (serial->bodies[i].prismatic) {
      return false;
    }
  }
  return serial->body_count == JOINTS && !serial->shared;
}

/* k of the header. */
static double curvature_bound(const sn__serial *serial) {
  double reach = sn_vec3_norm(serial->pose_last_tip.pos);
  double squares = 0.0; /* over the matrix p_max(i, j), in which p_j occurs 2 j + 1 times */
  for (int j = JOINTS - 1; j >= 0; j--) {
    squares += (double)(2 * j + 1) * reach * reach;
    reach += j > 0 ? sn_vec3_norm(serial->bodies[j].shift) : 0.0;
  }
  const double turning = 0.25 * (double)(JOINTS - 1);
  return sqrt(turning * turning + 0.25 * squares);
}

/* The squared norm (Frobenius) of the inverse of J, which is at least 1 / s^2: the sum of the
 * squares of the inverse of L, where J J^T = L L^T. Infinite if J is singular. */
static double inverse_squared(const sn__serial_data *data) {
  double a[JOINTS * JOINTS] = {0.0};
  for (int k = 0; k < JOINTS; k++) {
    const sn_spatial c = sn__vec3_pair_spatial(data->column[k]);
    const double column[JOINTS] = {c.ang.x, c.ang.y, c.ang.z, c.lin.x, c.lin.y, c.lin.z};
    for (int i = 0; i < JOINTS; i++) {
      for (int j = 0; j <= i; j++) {
        a[i * JOINTS + j] += column[i] * column[j];
      }
    }
  }
  if (!sn_cholesky_factor(JOINTS, a)) {
    return INFINITY;
  }
  double sum = 0.0;
  for (int k = 0; k < JOINTS; k++) { /* column k of the inverse of L */
    double x[JOINTS];
    for (int i = k; i < JOINTS; i++) {
      double rest = i == k ? 1.0 : 0.0;
      for (int j = k; j < i; j++) {
        rest -= a[i * JOINTS + j] * x[j];
      }
      x[i] = rest / a[i * JOINTS + i];
      sum += x[i] * x[i];
    }
  }
  return sum;
}

double sn__serial_isolation(const sn__serial *serial, const sn__serial_data *data) {
  if (!turns_only(serial)) {
    return 0.0;
  }
  return 1.0 / (sqrt(inverse_squared(data)) * curvature_bound(serial));
}
