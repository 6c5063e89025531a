#include "estimation/limb_wrench.h"

#include <string.h>

#include "sinew/dense.h"
#include "sinew/fault.h"

sn_spatial sn__limb_wrench(const double *jac, const double *residual, size_t count, double arm_m) {
  SN_ASSERT(count > 0 && count <= SN__WRENCH_JOINTS_MAX);
  double scaled[6 * SN__WRENCH_JOINTS_MAX] = {0}, a[36], w[6];
  for (size_t i = 0; i < 6 * count; i++) {
    scaled[i] = jac[i] * (i < 3 * count ? arm_m : 1.0);
  }
  /* (J J^T + small I) w = J residual */
  double trace = 0.0;
  for (size_t r = 0; r < 6; r++) {
    w[r] = 0.0;
    for (size_t k = 0; k < count; k++) {
      w[r] += scaled[r * count + k] * residual[k];
    }
    for (size_t c = 0; c <= r; c++) {
      double sum = 0.0;
      for (size_t k = 0; k < count; k++) {
        sum += scaled[r * count + k] * scaled[c * count + k];
      }
      a[6 * r + c] = sum;
    }
    trace += a[7 * r];
  }
  for (size_t r = 0; r < 6; r++) {
    a[7 * r] += 1e-9 * trace + 1e-12;
  }
  if (!sn_cholesky_factor(6, a)) {
    return sn_spatial_zero();
  }
  sn_cholesky_solve(6, a, w);
  return (sn_spatial){{arm_m * w[0], arm_m * w[1], arm_m * w[2]}, {w[3], w[4], w[5]}};
}
