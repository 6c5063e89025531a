/** @file
 *  Internal: what the steps of sn__oe_fit() share. */
#ifndef SN_IDENT_OUTPUT_ERROR_OE_INTERNAL_H
#define SN_IDENT_OUTPUT_ERROR_OE_INTERNAL_H

#include <math.h>

#include "ident/output_error/oe_params.h"

/** Errors above this, rad, count by their size, not by its square. */
#define SN__OE_ROBUST_RAD 0.02

/** Where a log begins is measured with noise, so corrections of it are identified, too. */
enum { SN__OE_FIRST_POSITION, SN__OE_FIRST_VELOCITY, SN__OE_FIRST_COUNT };

typedef struct sn__oe_first {
  double by[SN__OE_FIRST_COUNT]; /**< rad, rad/s */
} sn__oe_first;

/** How the best beginning of a log follows from a step of the parameters. */
typedef struct sn__oe_first_effect {
  double step[SN__OE_FIRST_COUNT];               /**< without a step of the parameters */
  double gain[SN__OE_FIRST_COUNT][SN__OE_COUNT]; /**< change per unit of a free parameter */
  double of_position;                            /**< change of the velocity per rad of the other */
} sn__oe_first_effect;

/** How much a row of a log counts. */
typedef struct sn__oe_row {
  double weight;       /**< of its error; 1 on average */
  double error_square; /**< rad², of the first descent */
  double speed_square; /**< (rad/s)² */
} sn__oe_row;

typedef struct sn__oe_work {
  const sn_servo_params *params;
  const sn__servo_log *logs;
  size_t log_count;
  bool is_free[SN__OE_COUNT];
  sn__oe_param free[SN__OE_COUNT];
  size_t free_count;
  const double *size; /**< [SN__OE_COUNT] typical values: the starting ones */
  size_t sample_max;
  sn__oe_row *rows; /**< of all logs, one after the other */
  double *base;     /**< [sample_max] simulated positions */
  double *slopes;   /**< [free_count + SN__OE_FIRST_COUNT + 1][sample_max] their derivatives, then
                         those by the beginning of the log, then scratch */
  sn__servo_plan plan;
  bool is_near;                 /**< to the minimum: slopes must be exact */
  sn__oe_first *first;          /**< [log_count] */
  sn__oe_first *tried;          /**< [log_count] of the point that is tried */
  sn__oe_first_effect *effects; /**< [log_count] */
} sn__oe_work;

/** Are the beginnings identified? Not if simulations begin again and again. */
static inline bool sn__oe_frees_first(const sn__oe_work *work) {
  return work->plan.restart_s == 0.0;
}

/** The weight of an error in least squares that has the gradient of the robust cost. */
static inline double sn__oe_weight(double error) {
  const double x = error / SN__OE_ROBUST_RAD;
  return 1.0 / sqrt(1.0 + x * x);
}

/** Rows of the first @p log_count logs: where those of the next begin. */
size_t sn__oe_row_count(const sn__oe_work *work, size_t log_count);

/** All rows count alike. */
void sn__oe_weigh_equally(sn__oe_work *work);

/** Rows count by how far errors at their speed scatter around the simulations with these values. */
void sn__oe_weigh_by_speed(sn__oe_work *work, const double *value);

/** The plan of the work for a log that begins there. */
sn__servo_plan sn__oe_plan(const sn__oe_work *work, sn__oe_first first);

/** Simulate log @p k: positions and their derivatives by the free parameters, both with the best
 *  beginning. */
void sn__oe_slopes(sn__oe_work *work, const double *value, size_t k);

/** The beginning of log @p k that goes with a step of the parameters, after sn__oe_slopes(). */
sn__oe_first sn__oe_first_after(const sn__oe_work *work, size_t k, const double *step);

/** Allocate what the steps need. The caller has set logs, parameters and `is_free`.
 *  @return SN_OK or SN_ENOMEM */
sn_status sn__oe_prepare(sn_arena *arena, sn__oe_work *work, sn_error *err);

/** sn__oe_fit() of the logs as they are, whatever `gain_range` is. */
sn_status sn__oe_fit_logs(sn_arena *arena, const sn__oe_config *config,
                          const sn_servo_params *params, const sn__servo_log *logs, size_t count,
                          sn__oe_result *out, sn_error *err);

/** Rows over which the correlation of errors is looked at. */
enum { SN__OE_LAGS = 64 };

/** Sums of products of errors that are some rows apart, with the weights of the robust cost. */
typedef struct sn__oe_colour {
  double product[SN__OE_LAGS + 1];
  double rows;
  double span_s; /**< of the logs */
} sn__oe_colour;

/** Add the errors of log @p k, whose simulation is in `base`. @param pull  scratch, a row each */
void sn__oe_colour_add(const sn__oe_work *work, size_t k, double *pull, sn__oe_colour *colour);

/** The first lag, in rows, at which the correlation is not above @p least. */
size_t sn__oe_colour_lag(const sn__oe_colour *colour, double least);

/** The covariance of errors over the lags at which it is more than chance. Lags count twice: the
 *  earlier row with the later one, and the other way round. */
typedef struct sn__oe_filter {
  double at[SN__OE_LAGS + 1]; /**< rad² */
  size_t count;
  double independent; /**< so many white errors would say as much as all rows */
} sn__oe_filter;

sn__oe_filter sn__oe_colour_filter(const sn__oe_colour *colour);

/** Standard deviations at the minimum. */
void sn__oe_std(sn__oe_work *work, const double *value, double std[SN__OE_COUNT]);

#endif
