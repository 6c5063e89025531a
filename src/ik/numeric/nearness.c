#include "ik/numeric/nearness.h"

#include <math.h>

#include "sinew/dense.h"
#include "sinew/spatial.h"

enum { JOINTS = 6, MIDDLE = 3 };

/* For rounding, which is far smaller. */
static const double MARGIN = 0.99;

static bool turns_only(const sn__serial *serial) {
  for (size_t i = 0; i < serial->body_count; i++) {
    if (serial->bodies[i].prismatic) {
      return false;
    }
  }
  return serial->body_count == JOINTS && !serial->shared;
}

/* The square roots of the numbers of joints. */
static const double root[JOINTS + 1] = {
    0.0, 1.0, 1.4142135623730951, 1.7320508075688772, 2.0, 2.2360679774997897, 2.4494897427831781};

/* Bounds for one seed: of the rotation and the shift that c |d|^3 stands for, by |d|; of e. */
typedef struct bounds {
  double rotation, shift, second;
} bounds;

/* The third derivative of the orientation by |d| is at most the cube of the sum of all |d_i|. That
 sum
 * is at most root(6) |d|, and at most the sum of all |w_i| and root(6) r, where w leads from y to
 * `prefer`. For the position, of the origin of joint 6, each link moves with the joints before it.
 * The velocity seen from the middle is that of another point, at most `back` away.

 * A column seen from the middle is a vector of length 1 and one of the distance from the middle at
 * most, in a frame that turns: its second derivative is at most the square of the sum of |d_i| of
 * the joints between, times 1 and 4 distances, half of which is the error. */
static bounds find_bounds(const sn__serial *serial, const double *w, double r) {
  double link[JOINTS]; /* [i]: from joint i - 1 to joint i */
  double third[JOINTS + 1], sum = 0.0, shift = 0.0;
  for (int n = 1; n <= JOINTS; n++) {
    sum += fabs(w[n - 1]);
    const double most = sum + root[n] * r;
    third[n] = root[n] * most * most / 24.0;
  }
  for (int i = 1; i < JOINTS; i++) {
    link[i] = sn_vec3_norm(serial->bodies[i].shift);
    shift += link[i] * third[i];
  }
  const double back = link[4] + link[5];
  double squares = 0.0;
  for (int side = -1; side <= 1; side += 2) { /* joints 2 and 1, then 5 and 6 */
    double away = side < 0 ? link[MIDDLE] : 0.0;
    for (int n = 1; n <= 2; n++) {
      away += link[MIDDLE + side * n];
      squares += (double)(n * n) * (0.25 + 4.0 * away * away);
    }
  }
  return (bounds){
      .rotation = third[JOINTS], .shift = shift + back * third[JOINTS], .second = sqrt(squares)};
}

/* The inverse of L in J J^T = L L^T, lower triangle. */
typedef struct inverse {
  double entry[JOINTS][JOINTS];
} inverse;

/* @return false if J is singular */
static bool invert_factor(const sn_spatial *column, inverse *out) {
  double a[JOINTS * JOINTS] = {0.0};
  for (int k = 0; k < JOINTS; k++) {
    const sn_spatial s = column[k];
    const double c[JOINTS] = {s.ang.x, s.ang.y, s.ang.z, s.lin.x, s.lin.y, s.lin.z};
    for (int i = 0; i < JOINTS; i++) {
      for (int j = 0; j <= i; j++) {
        a[i * JOINTS + j] += c[i] * c[j];
      }
    }
  }
  if (!sn_cholesky_factor(JOINTS, a)) {
    return false;
  }
  for (int i = 0; i < JOINTS; i++) {
    const double pivot = 1.0 / a[i * JOINTS + i];
    for (int k = 0; k <= i; k++) {
      double rest = i == k ? 1.0 : 0.0;
      for (int j = k; j < i; j++) {
        rest -= a[i * JOINTS + j] * out->entry[j][k];
      }
      out->entry[i][k] = rest * pivot;
    }
  }
  return true;
}

/* The squared norm (Frobenius) of columns first .. first+2 of the inverse of J. */
static double part_squared(const inverse *inv, int first) {
  double sum = 0.0;
  for (int i = first; i < JOINTS; i++) {
    for (int k = first; k <= i && k < first + 3; k++) {
      sum += inv->entry[i][k] * inv->entry[i][k];
    }
  }
  return sum;
}

/* The squared norm of J^-1 times the bracket, which is that of L^-1 times it. */
static double bracket_squared(const inverse *inv, sn_spatial left, sn_spatial right) {
  const sn_spatial s = sn_spatial_cross_motion(left, right);
  const double b[JOINTS] = {s.ang.x, s.ang.y, s.ang.z, s.lin.x, s.lin.y, s.lin.z};
  double sum = 0.0;
  for (int i = 0; i < JOINTS; i++) {
    double x = 0.0;
    for (int k = 0; k <= i; k++) {
      x += inv->entry[i][k] * b[k];
    }
    sum += x * x;
  }
  return sum;
}

/* Of all derivatives of the columns seen from the middle. */
static double turning_squared(const inverse *inv, const sn_spatial *c) {
  return bracket_squared(inv, c[1], c[0]) + bracket_squared(inv, c[2], c[0]) +
         bracket_squared(inv, c[2], c[1]) + bracket_squared(inv, c[3], c[4]) +
         bracket_squared(inv, c[3], c[5]) + bracket_squared(inv, c[4], c[5]);
}

bool sn__serial_is_nearest(const sn__serial *serial, sn__serial_data *data, const double *y,
                           const double *prefer) {
  if (!turns_only(serial)) {
    return false;
  }
  double middle[JOINTS], w[JOINTS], squared = 0.0;
  for (int i = 0; i < JOINTS; i++) {
    w[i] = prefer[i] - y[i];
    middle[i] = y[i] + 0.5 * w[i];
    squared += w[i] * w[i];
  }
  sn__serial_forward(serial, &serial->pose_base_first, middle, data);
  sn_spatial column[JOINTS];
  for (int i = 0; i < JOINTS; i++) {
    const sn_vec3 arm = sn_vec3_sub(data->origin[MIDDLE], data->origin[i]);
    column[i] = (sn_spatial){data->axis[i], sn_vec3_cross(data->axis[i], arm)};
  }
  inverse inv;
  if (!invert_factor(column, &inv)) {
    return false;
  }
  const bounds b = find_bounds(serial, w, sqrt(squared));
  const double rotation2 = part_squared(&inv, 0), shift2 = part_squared(&inv, 3);
  const double half2 = 0.25 * squared; /* of m - m0 */
  const double changed = sqrt(half2 * turning_squared(&inv, column)) +
                         sqrt(rotation2 + shift2) * b.second * half2 +
                         sqrt(rotation2) * b.rotation + sqrt(shift2) * b.shift;
  return changed < MARGIN;
}
