/** @file
 *  Recursive least squares of a few parameters, in square-root form, with forgetting that cannot
 *  wind up.
 *
 *  The covariance is kept as U D U^T (Bierman, *Factorization Methods for Discrete Sequential
 *  Estimation*, 1977), so it stays symmetric and positive definite whatever the rounding. Only what
 *  a new sample speaks about is forgotten (Kulhavy, *Restricted exponential forgetting in real-time
 *  identification*, Automatica 23, 1987): a direction in which nothing is learnt keeps its
 * variance. In addition no variance grows beyond what it was at the start. */
#ifndef SN_IDENT_ONLINE_RLS_H
#define SN_IDENT_ONLINE_RLS_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

#define SN_RLS_MAX 7 /**< most parameters */

/** What an estimator begins with. */
typedef struct sn_rls_config {
  size_t count;             /**< parameters, 1 .. SN_RLS_MAX */
  double forgetting;        /**< weight of the past per sample, in (0, 1]; 1 forgets nothing */
  double start[SN_RLS_MAX]; /**< the estimate before the first sample */
  double start_spread[SN_RLS_MAX]; /**< how far the truth may be from it, in units of the noise of
                                        y; > 0, large: anything goes */
} sn_rls_config;

/** A value; treat the fields as private. */
typedef struct sn_rls {
  size_t count;
  double forgetting;
  double direction_forgetting; /**< of the one direction that a sample is about */
  double x[SN_RLS_MAX];
  double u[SN_RLS_MAX * SN_RLS_MAX]; /**< unit upper triangle, row-major, SN_RLS_MAX a row */
  double d[SN_RLS_MAX];
  double variance_max[SN_RLS_MAX];
  double square_sum[SN_RLS_MAX]; /**< of the regressors, with forgetting */
  double error_sum;              /**< of squared prediction errors, likewise */
  double weight_sum;
  size_t sample_count;
} sn_rls;

/** Begin.
 *  @param err  receives the reason of a failure; may be NULL
 *  @return SN_OK or SN_EINVAL (a number out of its range or not finite); @p rls is then untouched
 *  RT: no, formats. */
sn_status sn__rls_init(sn_rls *rls, const sn_rls_config *config, sn_error *err);

/** Change how much of the past is kept from now on.
 *  @param forgetting  in (0, 1]
 *  RT: yes. */
void sn__rls_forget(sn_rls *rls, double forgetting) SN_RT;

/** Learn from one sample y = row . x + noise.
 *  @param row  count regressors
 *  @return false, and nothing has changed, if a number is not finite
 *  RT: yes, O(count²).  Threads: one owner. */
bool sn__rls_step(sn_rls *rls, const double *row, double y) SN_RT;

/** Take the bias out that noise in the regressors of the last sample left: noise of this variance
 *  was in the row, times @p gain, and in y, times @p y_gain.
 *  @param gain  count numbers
 *  RT: yes, O(count²).  Threads: one owner. */
void sn__rls_compensate(sn_rls *rls, const double *gain, double y_gain, double variance) SN_RT;

/** The prediction row . x. RT: yes. */
double sn__rls_predict(const sn_rls *rls, const double *row) SN_RT;

/** @return the estimate, count numbers. RT: yes. */
const double *sn__rls_estimate(const sn_rls *rls) SN_RT;

/** The covariance of the estimate in units of the noise's variance, count x count, row-major.
 *  RT: yes. */
void sn__rls_covariance(const sn_rls *rls, double *out) SN_RT;

/** The standard deviation of the noise, from the prediction errors; infinite as long as there are
 *  not more samples than parameters. RT: yes. */
double sn__rls_noise(const sn_rls *rls) SN_RT;

/** Standard deviations of the estimate, count numbers. With forgetting they are on the safe side,
 *  by up to a factor of 1.4. RT: yes. */
void sn__rls_std(const sn_rls *rls, double *out) SN_RT;

/** The smallest singular value of the regressors remembered, each scaled to length one: 1 if they
 *  are perpendicular, 0 if a parameter cannot be told from the others, or not at all.
 *  RT: yes, O(count³). */
double sn__rls_excitation(const sn_rls *rls) SN_RT;

SN_END_DECLS

#endif
