/** @file
 *  Internal: what the steps of sn__ident_fit() hand to each other. */
#ifndef SN_IDENT_OFFLINE_IDENT_WORK_H
#define SN_IDENT_OFFLINE_IDENT_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ident/offline/ident_fit.h"

/** Points on each side that a derivative is taken from. */
#define SN__DIFF_HALF 4
/** Most samples on each side that are smoothed over. */
#define SN__SMOOTH_MAX 60

/** A polynomial through neighbours, by least squares. */
typedef struct sn__smoother {
  size_t half;   /**< samples on each side; 0: no smoothing */
  size_t degree; /**< of the polynomial */
} sn__smoother;

/** The signals of a log, prepared sample by sample. */
typedef struct sn__ident_work {
  const sn_ident_sample *samples;
  size_t count;
  double period_s;
  uint32_t *segment;    /**< [count] samples without a gap between them have the same number */
  uint32_t *even_since; /**< [count] first of the samples up to this one with even times */
  double *voltage;      /**< [count] */
  double *effort;       /**< [count] gaps of a few samples are filled; NaN elsewhere */
  double *slope;        /**< [count] derivative of the position, NaN at the ends of segments */
  double *velocity; /**< [count] the best linear one: measured and slope, weighted; NaN likewise */
  double *smooth;   /**< [count] velocity for the friction terms */
  double *effort_smooth; /**< [count] for the prediction error only */
  double *accel;         /**< [count] rad/s² */
  bool has_effort;
  bool has_velocity;
  bool velocity_ignored;
  double noise_q, noise_v, noise_tau; /**< standard deviations of a sample */
  sn__smoother smoother;
  size_t block;         /**< samples that are averaged to a row */
  double weight;        /**< of the measured velocity, 0 .. 1; the slope has the rest */
  double effort_left;   /**< variance of the noise of a smoothed effort */
  double smooth_std;    /**< of the smoothed velocity */
  double uneven_factor; /**< noise of slopes over that at even times */
  size_t trial_count;   /**< samples that the smoothing is chosen on */
} sn__ident_work;

/** Is the window of @p half samples on each side of @p i without a gap? */
static inline bool sn__window_is_whole(const sn__ident_work *w, size_t i, size_t half) {
  return i >= half && i + half < w->count && w->segment[i - half] == w->segment[i + half];
}

/** Samples that the noise is measured and the smoothing chosen on: all of a short log, runs of
   neighbours all over a long one. */
enum { SN__TRIAL_MAX = 6000, SN__TRIAL_RUNS = 12 };

/** The run that a number of samples is allowed to; @return where it ends */
static inline size_t sn__ident_run(const sn__ident_work *w, size_t run, size_t *first) {
  const size_t length = w->count / SN__TRIAL_RUNS + 1;
  const size_t used =
      length < w->trial_count / SN__TRIAL_RUNS ? length : w->trial_count / SN__TRIAL_RUNS;
  *first = run * length;
  return *first + used < w->count ? *first + used : w->count;
}

/** The standard deviation of the noise of one signal: the field of a sample at this offset.
 *  @param scratch  room for SN__TRIAL_MAX */
double sn__ident_noise(const sn__ident_work *work, size_t offset, double *scratch);

/** Fill @p work up to the derivative of the position. @return SN_OK, SN_EINVAL or SN_ENOMEM */
sn_status sn__ident_prepare(sn_arena *arena, const sn_ident_fit_config *config,
                            const sn_ident_sample *samples, size_t count, sn__ident_work *work,
                            sn_error *err);

/** Measure the noise, choose how much to smooth, and smooth. */
sn_status sn__ident_smooth(sn_arena *arena, sn__ident_work *work, sn_error *err);

/** Weights of a derivative: points @p x around 0, so that sum w f(x) = f'(0) for every polynomial
 *  of less than @p count degrees (Fornberg, "Generation of finite difference formulas", 1988). */
void sn__derivative_weights(size_t count, const double *x, double *weights);

/** Weights of a smoother: points @p x around 0, so that sum w f(x) is the value at 0 of the
 *  polynomial of this degree that fits f best. Even points give the filter of Savitzky and Golay
 *  (1964). By polynomials that are orthogonal on the points (Forsythe, 1957).
 *  @param count  at most 2 SN__SMOOTH_MAX + 1 */
void sn__smoother_weights(size_t count, const double *x, size_t degree, double *weights);

/** One equation y = x . parameters, the mean of some samples. */
typedef struct sn__ident_row {
  double x[SN_IDENT_PARAM_COUNT];
  double y;
  double weight; /**< samples in it */
  double time_s;
  bool is_smooth; /**< velocity and effort are smoothed ones, with hardly any noise left */
} sn__ident_row;

/** What rows are made of. */
typedef struct sn__ident_setup {
  sn_servo_params params;
  size_t delay;
  double min_velocity;
  double slow_velocity; /**< below it Stribeck friction shows */
  bool identify_inertia;
  bool with_shape; /**< fill the columns of qs and delta too */
  size_t end;      /**< samples from here on are left out */
} sn__ident_setup;

/** The goal that is executed at sample @p i; NaN if it is not known. */
double sn__ident_goal(const sn__ident_work *work, const sn__ident_setup *setup, size_t i);

/** May this sample identify? */
bool sn__ident_is_usable(const sn__ident_work *work, const sn__ident_setup *setup, size_t i);

/** Make rows of all usable samples.
 *  @param rows  room for one a sample
 *  @return how many */
size_t sn__ident_rows(const sn__ident_work *work, const sn__ident_setup *setup,
                      sn__ident_row *rows);

/** The solution of rows. */
typedef struct sn__ident_solution {
  double x[SN_IDENT_PARAM_COUNT];
  double std[SN_IDENT_PARAM_COUNT];
  bool is_solved[SN_IDENT_PARAM_COUNT];
  double excitation;
  double square_sum; /**< of the residuals, less the noise of the regressors in them */
} sn__ident_solution;

/** Least squares over the columns that @p columns selects, less the noise in velocity and effort.
 *  Columns that are nothing but zeros or noise are left out.
 *  @param fixed  values of the columns not selected
 *  @return false if no column is left or they cannot be told apart at all */
bool sn__ident_solve(const sn__ident_work *work, const sn__ident_row *rows, size_t count,
                     const bool columns[SN_IDENT_PARAM_COUNT],
                     const double fixed[SN_IDENT_PARAM_COUNT], sn__ident_solution *out);

/** Standard deviations by the sandwich, for the solution at hand. */
void sn__ident_std(const sn__ident_work *work, const sn__ident_row *rows, size_t count,
                   const bool columns[SN_IDENT_PARAM_COUNT], sn__ident_solution *solution);

/** Search qs and delta with the others eliminated (variable projection: Golub and Pereyra, 1973).
 */
void sn__ident_fit_stribeck(const sn__ident_work *work, sn__ident_setup *setup,
                            const bool columns[SN_IDENT_PARAM_COUNT], sn__ident_row *rows);

/** What may be wrong with a log from which no good model came: turns, missing or standing goals, a
 *  servo that stands still.
 *  @return static text; NULL: nothing of these */
const char *sn__ident_doubt(const sn_servo_params *params, const sn_ident_sample *samples,
                            size_t count);

#endif
