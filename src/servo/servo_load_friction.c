/* Friction that grows with the load, c1 |tau| + c2 tau², and the torque that follows from it. */
#include <math.h>

#include "servo/servo_friction.h"

/* The two coefficients for one direction, and from where on the slope is limited. */
typedef struct law {
  double linear, square;
  double knee; /* N·m; infinite: no limit */
} law;

static law law_of(const sn_servo_params *p, bool is_driven_back) {
  const sn_servo_extension *e = &p->ext;
  const double *c = is_driven_back && e->is_directional ? e->back_load : e->load;
  if (!is_driven_back) {
    return (law){c[0], c[1], INFINITY};
  }
  const double room = SN__SERVO_BACK_MAX * p->alpha[3] - c[0];
  return (law){c[0], c[1], room <= 0.0 ? 0.0 : c[1] > 0.0 ? room / (2.0 * c[1]) : INFINITY};
}

static double friction_below_knee(const law *l, double size) {
  return (l->linear + l->square * size) * size;
}

double sn__servo_load_friction(const sn_servo_params *params, double tau, double direction) {
  const double size = fabs(tau);
  const law l = law_of(params, tau * direction < 0.0);
  if (size <= l.knee) {
    return friction_below_knee(&l, size);
  }
  return friction_below_knee(&l, l.knee) + SN__SERVO_BACK_MAX * params->alpha[3] * (size - l.knee);
}

double sn__servo_torque_slope(const sn_servo_params *params, double tau, double direction) {
  const bool is_driven_back = tau * direction < 0.0;
  const law l = law_of(params, is_driven_back);
  const double size = fabs(tau);
  const double own =
      size <= l.knee ? l.linear + 2.0 * l.square * size : SN__SERVO_BACK_MAX * params->alpha[3];
  return params->alpha[3] + (is_driven_back ? -own : own);
}

/* The root of square x² + linear x = volts that grows from 0, in the form that does not cancel. */
static double grow_root(double square, double linear, double volts) {
  const double under = linear * linear + 4.0 * square * volts;
  return 2.0 * volts / (linear + sqrt(fmax(0.0, under)));
}

double sn__servo_solve_torque(const sn_servo_params *params, double slope, double volts,
                              double direction) {
  const double push = volts * direction;
  if (push >= 0.0) { /* the servo drives the load */
    const law l = law_of(params, false);
    return direction * grow_root(l.square, slope + l.linear, push);
  }
  const law l = law_of(params, true);
  const double left = slope - SN__SERVO_BACK_MAX * params->alpha[3];
  if (l.knee == INFINITY) {
    return -direction * grow_root(-l.square, slope - l.linear, -push);
  }
  const double at_knee = slope * l.knee - friction_below_knee(&l, l.knee);
  return -push <= at_knee ? -direction * grow_root(-l.square, slope - l.linear, -push)
                          : -direction * (l.knee + (-push - at_knee) / left);
}
