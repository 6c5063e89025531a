/** @file
 *  Internal: the built-in filters, and what they share. */
#ifndef SN_TRAJ_SMOOTH_TYPES_H
#define SN_TRAJ_SMOOTH_TYPES_H

#include <math.h>

#include "traj/smooth.h"

extern const sn_smooth_type sn__smooth_transient_exp;
extern const sn_smooth_type sn__smooth_filter_exp;
extern const sn_smooth_type sn__smooth_jerk_limited;

/** Transient time times rate: the x with (1 + x) exp(-x) = 1 %, the remaining error. */
#define SN__SMOOTH_RATE 6.638352067993813

/** The rate of each joint, 1/s, such that its error has decayed to 1 % after its transient time. */
sn_status sn__smooth_read_rates(const sn_smooth_config *config, const char *name, double *rates,
                                sn_error *err);

/** A critically damped error, e'' + 2 w e' + w^2 e = 0, after a time. */
static inline sn_otg_state sn__smooth_fade(double e, double ed, double w, double t) {
  const double b = ed + w * e;
  const double left = exp(-w * t);
  const double e_t = (e + b * t) * left;
  const double ed_t = (ed - w * b * t) * left;
  return (sn_otg_state){e_t, ed_t, -w * (2.0 * ed_t + w * e_t)};
}

#endif
