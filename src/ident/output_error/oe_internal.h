/** @file
 *  Internal: what the steps of sn__oe_fit() share. */
#ifndef SN_IDENT_OUTPUT_ERROR_OE_INTERNAL_H
#define SN_IDENT_OUTPUT_ERROR_OE_INTERNAL_H

#include <math.h>

#include "ident/output_error/oe_params.h"

/** Errors above this, rad, count by their size, not by its square. */
#define SN__OE_ROBUST_RAD 0.02

typedef struct sn__oe_work {
  const sn_servo_params *params;
  const sn__servo_log *logs;
  size_t log_count;
  bool is_free[SN__OE_COUNT];
  sn__oe_param free[SN__OE_COUNT];
  size_t free_count;
  const double *size; /**< [SN__OE_COUNT] typical values: the starting ones */
  size_t sample_max;
  double *base;   /**< [sample_max] simulated positions */
  double *slopes; /**< [free_count][sample_max] their derivatives */
  double step_s;
} sn__oe_work;

/** The weight of an error in least squares that has the gradient of the robust cost. */
static inline double sn__oe_weight(double error) {
  const double x = error / SN__OE_ROBUST_RAD;
  return 1.0 / sqrt(1.0 + x * x);
}

/** Simulate one log: positions and their derivatives by the free parameters. */
void sn__oe_slopes(sn__oe_work *work, const double *value, const sn__servo_log *log);

/** Standard deviations at the minimum. */
void sn__oe_std(sn__oe_work *work, const double *value, double std[SN__OE_COUNT]);

#endif
