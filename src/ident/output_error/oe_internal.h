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
  double *slopes; /**< [free_count + 1][sample_max] their derivatives; the last is by the first
                       position */
  sn__servo_plan plan;
  /* Where each log begins is measured with noise, so it is identified, too: corrections of the
     first positions, and how they follow from a step of the parameters. */
  bool frees_first;
  double *first;      /**< [log_count] rad */
  double *tried;      /**< [log_count] of the point that is tried */
  double *first_step; /**< [log_count] without a change of parameters */
  double *first_gain; /**< [log_count][free_count] change per change of a parameter */
} sn__oe_work;

/** The weight of an error in least squares that has the gradient of the robust cost. */
static inline double sn__oe_weight(double error) {
  const double x = error / SN__OE_ROBUST_RAD;
  return 1.0 / sqrt(1.0 + x * x);
}

/** Simulate log @p k: positions and their derivatives by the free parameters, both with the best
 *  first position. */
void sn__oe_slopes(sn__oe_work *work, const double *value, size_t k);

/** Standard deviations at the minimum. */
void sn__oe_std(sn__oe_work *work, const double *value, double std[SN__OE_COUNT]);

#endif
