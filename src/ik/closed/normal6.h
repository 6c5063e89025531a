/** @file
 *  Internal: what steps of Newton's method on a pose need: its error, and six linear equations. */
#ifndef SN_IK_CLOSED_NORMAL6_H
#define SN_IK_CLOSED_NORMAL6_H

#include <math.h>
#include <stdbool.h>

#include "sinew/quat.h"

/** The rotation vector from tip to target. Half the sum of the cross products of their axes is its
   axis times the sine of its angle, which for small angles is all that a step needs. */
static inline sn_vec3 sn__rotation_error(sn_mat3 tip, sn_mat3 target) {
  const sn_vec3 sum =
      sn_vec3_add(sn_vec3_add(sn_vec3_cross(tip.x, target.x), sn_vec3_cross(tip.y, target.y)),
                  sn_vec3_cross(tip.z, target.z));
  const double cosine = sn_vec3_dot(tip.x, target.x) + sn_vec3_dot(tip.y, target.y) +
                        sn_vec3_dot(tip.z, target.z) - 1.0; /* twice */
  return cosine > 1.9 ? sn_vec3_scale(sum, 0.5)
                      : sn_mat3_log(sn_mat3_mul(target, sn_mat3_transpose(tip)));
}

/** L L^T = a in place, lower triangle; its diagonal is inverted. False if @p a is not positive
 *  definite. Six rows always: those that a task does not have are those of the unit matrix. */
static inline bool sn__factor6(double a[6][6]) {
  for (int j = 0; j < 6; j++) {
    double pivot = a[j][j];
    for (int k = 0; k < j; k++) {
      pivot -= a[j][k] * a[j][k];
    }
    if (!(pivot > 0.0)) {
      return false;
    }
    const double inverse = 1.0 / sqrt(pivot);
    a[j][j] = inverse; /* of the diagonal of L */
    for (int i = j + 1; i < 6; i++) {
      double sum = a[i][j];
      for (int k = 0; k < j; k++) {
        sum -= a[i][k] * a[j][k];
      }
      a[i][j] = sum * inverse;
    }
  }
  return true;
}

/** x with L L^T x = b, in place of b. */
static inline void sn__solve6(double a[6][6], double b[6]) {
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < i; k++) {
      b[i] -= a[i][k] * b[k];
    }
    b[i] *= a[i][i];
  }
  for (int i = 5; i >= 0; i--) {
    for (int k = i + 1; k < 6; k++) {
      b[i] -= a[k][i] * b[k];
    }
    b[i] *= a[i][i];
  }
}

#endif
