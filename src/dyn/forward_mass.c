/* Forward dynamics by the mass matrix: bias forces by inverse dynamics, then one dense solve.
   Slower than articulated bodies, but joints may share an entry. */
#include <string.h>

#include "dyn/data.h"
#include "dyn/mass_factor.h"
#include "sinew/dense.h"
#include "sinew/fault.h"

/* b = tau - bias, but 0 where nothing moves. */
static void subtract_bias(const sn_dyn_data *data, const double *tau, const double *bias,
                          double *b) {
  for (size_t j = 0; j < data->tree->coord_count; j++) {
    b[j] = data->idle[j] ? 0.0 : (tau == NULL ? 0.0 : tau[j]) - bias[j];
  }
}

sn_status sn__dyn_forward_by_mass(sn_dyn_data *data, const sn_dyn_world *world, const double *q,
                                  const double *qd, const double *tau, double *qdd) {
  sn_dyn_inverse(data, world, q, qd, NULL, data->vector, NULL);
  subtract_bias(data, tau, data->vector, qdd);
  const sn_status status = sn__dyn_mass_factor(data, q);
  if (status == SN_OK) {
    sn__dyn_mass_solve(data, qdd);
  }
  return status;
}

sn_status sn__dyn_forward_floating_by_mass(sn_dyn_data *data, const sn_dyn_world *world,
                                           const double *q, const double *qd, const double *tau,
                                           double *qdd, sn_spatial *base_acceleration) {
  SN_ASSERT(data->matrix != NULL);
  const size_t n = data->tree->coord_count;
  sn_base_state base = *world->base;
  base.acceleration = sn_spatial_zero();
  const sn_dyn_world held = {world->gravity, &base, world->forces};
  double *x = data->vector;
  sn_spatial wrench;
  sn_dyn_inverse(data, &held, q, qd, NULL, x + 6, &wrench);
  subtract_bias(data, tau, x + 6, x + 6);
  const double push[6] = {-wrench.ang.x, -wrench.ang.y, -wrench.ang.z,
                          -wrench.lin.x, -wrench.lin.y, -wrench.lin.z};
  memcpy(x, push, sizeof push);
  const sn_inertia whole = sn__dyn_compose(data, q);
  sn__dyn_fill_mass_floating(data, whole, data->matrix);
  data->has_factor = false;
  if (!sn_cholesky_factor(n + 6, data->matrix)) {
    return SN_EMODEL;
  }
  sn_cholesky_solve(n + 6, data->matrix, x);
  *base_acceleration = (sn_spatial){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
  memcpy(qdd, x + 6, n * sizeof *qdd);
  return SN_OK;
}
