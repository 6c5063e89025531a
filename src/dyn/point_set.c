#include "dyn/point_set.h"

#include <string.h>

#include "sinew/dense.h"

sn__point_set sn__point_set_of(const sn_contact_point *points, size_t count) {
  sn__point_set set = {.points = points, .count = count};
  double weight = 0.0;
  for (size_t i = 0; i < count; i++) {
    weight += points[i].weight;
    set.centre = sn_vec3_add_scaled(set.centre, points[i].weight, points[i].place);
  }
  set.per_weight = weight > 0.0 ? 1.0 / weight : 0.0;
  set.centre = sn_vec3_scale(set.centre, set.per_weight);
  return set;
}

double sn__point_set_tensor(const sn__point_set *set, double *tensor) {
  memset(tensor, 0, 9 * sizeof *tensor);
  for (size_t i = 0; i < set->count; i++) {
    const double w = set->points[i].weight * set->per_weight;
    const sn_vec3 r = sn_vec3_sub(set->points[i].place, set->centre);
    tensor[0] += w * (r.y * r.y + r.z * r.z);
    tensor[4] += w * (r.x * r.x + r.z * r.z);
    tensor[8] += w * (r.x * r.x + r.y * r.y);
    tensor[3] -= w * r.x * r.y;
    tensor[6] -= w * r.x * r.z;
    tensor[7] -= w * r.y * r.z;
  }
  return tensor[0] + tensor[4] + tensor[8];
}

static sn_vec3 mean_of(const sn__point_set *set, const sn_vec3 *wanted) {
  sn_vec3 mean = {0, 0, 0};
  for (size_t i = 0; i < set->count; i++) {
    mean = sn_vec3_add_scaled(mean, set->points[i].weight * set->per_weight, wanted[i]);
  }
  return mean;
}

/* Moment of what is wanted beyond the present turning. */
static sn_vec3 moment_left(const sn__point_set *set, const sn_vec3 *wanted, sn_vec3 ang) {
  sn_vec3 moment = {0, 0, 0};
  for (size_t i = 0; i < set->count; i++) {
    const double w = set->points[i].weight * set->per_weight;
    const sn_vec3 r = sn_vec3_sub(set->points[i].place, set->centre);
    const sn_vec3 left = sn_vec3_sub(wanted[i], sn_vec3_cross(ang, r));
    moment = sn_vec3_add_scaled(moment, w, sn_vec3_cross(r, left));
  }
  return moment;
}

sn_spatial sn__point_set_fit(const sn__point_set *set, const sn_vec3 *wanted) {
  double tensor[9];
  sn_vec3 ang = {0, 0, 0};
  /* If all points coincide or lie on a line, a rotation is undetermined: a small term is added to
   * the tensor, and a second round removes its error from the other rotations. */
  const double added = 1e-9 * sn__point_set_tensor(set, tensor);
  for (size_t i = 0; i < 3; i++) {
    tensor[4 * i] += added;
  }
  if (added > 1e-30 && sn_cholesky_factor(3, tensor)) {
    for (int round = 0; round < 2; round++) {
      const sn_vec3 m = moment_left(set, wanted, ang);
      double x[3] = {m.x, m.y, m.z};
      sn_cholesky_solve(3, tensor, x);
      ang = sn_vec3_add(ang, sn_vec3_make(x[0], x[1], x[2]));
    }
  }
  const sn_vec3 mean = mean_of(set, wanted);
  return (sn_spatial){ang, sn_vec3_sub(mean, sn_vec3_cross(ang, set->centre))};
}
