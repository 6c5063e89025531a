#include "estimation/feet.h"

#include <math.h>

#include "math/eigen.h"

/* No robot is larger or faster. */
static const double PLACE_MAX_M = 1e2;
static const double SPEED_MAX = 1e3; /* m/s */

static size_t highest_of(const sn__foot *foot, sn_vec3 up) {
  size_t highest = 0;
  for (size_t i = 1; i < foot->point_count; i++) {
    if (sn_vec3_dot(foot->points[i], up) > sn_vec3_dot(foot->points[highest], up)) {
      highest = i;
    }
  }
  return highest;
}

static sn_vec3 mean_of(const sn_vec3 *points, size_t count) {
  sn_vec3 sum = {0, 0, 0};
  for (size_t i = 0; i < count; i++) {
    sum = sn_vec3_add(sum, points[i]);
  }
  return sn_vec3_scale(sum, 1.0 / (double)count);
}

/* Do the points lie one above the other? */
static bool is_upright(const sn__foot *foot, sn_vec3 mean, sn_vec3 up) {
  double along = 0.0, all = 0.0;
  for (size_t i = 0; i < foot->point_count; i++) {
    const sn_vec3 arm = sn_vec3_sub(foot->points[i], mean);
    const double height = sn_vec3_dot(arm, up);
    along += height * height;
    all += sn_vec3_dot(arm, arm);
  }
  return along > 0.5 * all;
}

sn_vec3 sn__foot_middle(const sn__foot *foot, sn_vec3 up, sn_vec3 *velocity) {
  const size_t count = foot->point_count;
  const sn_vec3 mean = mean_of(foot->points, count);
  const bool is_line = is_upright(foot, mean, up);
  const size_t highest = is_line ? highest_of(foot, up) : 0;
  if (velocity != NULL) {
    *velocity = foot->velocities == NULL ? sn_vec3_make(0, 0, 0)
                : is_line                ? foot->velocities[highest]
                                         : mean_of(foot->velocities, count);
  }
  return is_line ? foot->points[highest] : mean;
}

sn_vec3 sn__foot_sole(const sn__foot *foot, sn_vec3 up) {
  return foot->points[highest_of(foot, up)];
}

static bool is_within(sn_vec3 v, double limit) {
  return fabs(v.x) < limit && fabs(v.y) < limit && fabs(v.z) < limit; /* not for NaN */
}

bool sn__foot_is_valid(const sn__foot *foot) {
  for (size_t i = 0; i < foot->point_count; i++) {
    if (!is_within(foot->points[i], PLACE_MAX_M) ||
        (foot->velocities != NULL && !is_within(foot->velocities[i], SPEED_MAX))) {
      return false;
    }
  }
  return true;
}

size_t sn__feet_touching(const sn__foot *feet, size_t count) {
  size_t touching = 0;
  for (size_t i = 0; i < count; i++) {
    touching += feet[i].is_touching;
  }
  return touching;
}

/* Spread of the soles about their mean: 3 x 3. */
static size_t spread_of(const sn__foot *feet, size_t count, double *spread) {
  static const sn_vec3 z = {0, 0, 1};
  sn_vec3 mean = {0, 0, 0};
  const size_t touching = sn__feet_touching(feet, count);
  for (size_t i = 0; i < 9; i++) {
    spread[i] = 0.0;
  }
  for (size_t i = 0; i < count; i++) {
    if (feet[i].is_touching) {
      mean = sn_vec3_add_scaled(mean, 1.0 / (double)touching, sn__foot_sole(&feet[i], z));
    }
  }
  for (size_t i = 0; i < count; i++) {
    if (feet[i].is_touching) {
      const sn_vec3 d = sn_vec3_sub(sn__foot_sole(&feet[i], z), mean);
      const double v[3] = {d.x, d.y, d.z};
      for (size_t k = 0; k < 9; k++) {
        spread[k] += v[k / 3] * v[k % 3];
      }
    }
  }
  return touching;
}

bool sn__feet_up(const sn__foot *feet, size_t count, sn_vec3 *up) {
  double spread[9], values[3], vectors[9];
  if (spread_of(feet, count, spread) < 3) {
    return false;
  }
  sn__eigen_symmetric(3, spread, values, vectors);
  size_t least = 0;
  for (size_t i = 1; i < 3; i++) {
    least = values[i] < values[least] ? i : least;
  }
  const double middle = fmin(values[(least + 1) % 3], values[(least + 2) % 3]);
  if (!(middle > 1e-4 && values[least] < 0.1 * middle)) { /* on a line, or not in a plane */
    return false;
  }
  const sn_vec3 n = {vectors[least], vectors[3 + least], vectors[6 + least]};
  *up = n.z < 0.0 ? sn_vec3_neg(n) : n;
  return true;
}

sn_mat3 sn__rotation_with_up(sn_vec3 up) {
  /* Rows are the axes of the world in the base: z is up, x the base's x axis without its part along
     up. */
  sn_vec3 x = sn_vec3_add_scaled(sn_vec3_make(1, 0, 0), -up.x, up);
  double norm = sn_vec3_norm(x);
  if (norm < 1e-6) { /* the nose points up or down: the heading is that of the back */
    x = sn_vec3_add_scaled(sn_vec3_make(0, 0, up.x < 0.0 ? 1 : -1), up.x < 0.0 ? -up.z : up.z, up);
    norm = sn_vec3_norm(x);
  }
  x = sn_vec3_scale(x, 1.0 / norm);
  return sn_mat3_transpose((sn_mat3){x, sn_vec3_cross(up, x), up});
}

sn_pose sn__feet_stand(const sn__foot *feet, size_t count, sn_vec3 up) {
  double sum = 0.0, lowest = INFINITY;
  size_t touching = 0;
  for (size_t i = 0; i < count; i++) {
    if (sn__foot_is_valid(&feet[i])) {
      const double height = sn_vec3_dot(sn__foot_sole(&feet[i], up), up);
      sum += feet[i].is_touching ? height : 0.0;
      touching += feet[i].is_touching;
      lowest = fmin(lowest, height);
    }
  }
  const double least = fmin(lowest, 0.0); /* a robot on its back lies on the base */
  const double ground = touching > 0 ? sum / (double)touching : least;
  return (sn_pose){sn__rotation_with_up(up), {0.0, 0.0, -ground}};
}
