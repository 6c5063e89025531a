#include "ident/online/rls.h"

#include <math.h>

#include "base/fail.h"
#include "math/eigen.h"

#define ROW SN_RLS_MAX

static bool is_positive(double x) {
  return isfinite(x) && x > 0.0;
}

sn_status sn__rls_init(sn_rls *rls, const sn_rls_config *config, sn_error *err) {
  if (config->count == 0 || config->count > SN_RLS_MAX) {
    return sn__fail(err, SN_EINVAL, "least squares of %zu parameters, must be 1..%d", config->count,
                    SN_RLS_MAX);
  }
  if (!(config->forgetting > 0.0 && config->forgetting <= 1.0)) {
    return sn__fail(err, SN_EINVAL, "forgetting factor is %g, must be in (0, 1]",
                    config->forgetting);
  }
  for (size_t i = 0; i < config->count; i++) {
    if (!isfinite(config->start[i]) || !is_positive(config->start_spread[i])) {
      return sn__fail(err, SN_EINVAL, "parameter %zu starts at %g with spread %g, must be finite",
                      i, config->start[i], config->start_spread[i]);
    }
  }
  *rls = (sn_rls){.count = config->count,
                  .forgetting = config->forgetting,
                  .direction_forgetting = pow(config->forgetting, (double)config->count)};
  for (size_t i = 0; i < config->count; i++) {
    rls->x[i] = config->start[i];
    rls->d[i] = config->start_spread[i] * config->start_spread[i];
    rls->variance_max[i] = rls->d[i];
    rls->u[i * ROW + i] = 1.0;
  }
  return SN_OK;
}

void sn__rls_forget(sn_rls *rls, double forgetting) {
  rls->forgetting = forgetting;
  rls->direction_forgetting = pow(forgetting, (double)rls->count);
}

/* f = U^T row and g = D f; P row = U g. @return row . P row */
static double project(const sn_rls *rls, const double *row, double *f, double *g) {
  double s = 0.0;
  for (size_t j = 0; j < rls->count; j++) {
    double sum = row[j];
    for (size_t i = 0; i < j; i++) {
      sum += rls->u[i * ROW + j] * row[i];
    }
    f[j] = sum;
    g[j] = rls->d[j] * sum;
    s += sum * g[j];
  }
  return s;
}

/* P row = U g. */
static void spread(const sn_rls *rls, const double *g, double *out) {
  for (size_t i = 0; i < rls->count; i++) {
    double sum = g[i];
    for (size_t j = i + 1; j < rls->count; j++) {
      sum += rls->u[i * ROW + j] * g[j];
    }
    out[i] = sum;
  }
}

/* P <- P - P row row^T P / (r + row P row), r > 0: Bierman's update, which only divides. */
static void shrink(sn_rls *rls, const double *f, const double *g, double r) {
  double k[SN_RLS_MAX] = {0};
  double before = r;
  for (size_t j = 0; j < rls->count; j++) {
    const double after = before + f[j] * g[j];
    const double ratio = -f[j] / before;
    rls->d[j] *= before / after;
    for (size_t i = 0; i < j; i++) {
      const double u = rls->u[i * ROW + j];
      rls->u[i * ROW + j] = u + k[i] * ratio;
      k[i] += u * g[j];
    }
    k[j] = g[j];
    before = after;
  }
}

/* P <- P + c v v^T, c > 0: the update of Agee and Turner (1972), of which all summands are
   positive. Spoils v. */
static void grow(sn_rls *rls, double *v, double c) {
  for (size_t j = rls->count; j-- > 0;) {
    const double d = rls->d[j] + c * v[j] * v[j];
    const double b = c * v[j] / d;
    c *= rls->d[j] / d;
    rls->d[j] = d;
    for (size_t i = 0; i < j; i++) {
      v[i] -= v[j] * rls->u[i * ROW + j];
      rls->u[i * ROW + j] += b * v[i];
    }
  }
}

static double variance(const sn_rls *rls, size_t i) {
  double sum = rls->d[i];
  for (size_t j = i + 1; j < rls->count; j++) {
    const double u = rls->u[i * ROW + j];
    sum += u * u * rls->d[j];
  }
  return sum;
}

/* Would a variance be larger than at the start? */
static bool is_too_large(const sn_rls *rls, const double *v, double c) {
  for (size_t i = 0; i < rls->count; i++) {
    if (variance(rls, i) + c * v[i] * v[i] > rls->variance_max[i]) {
      return true;
    }
  }
  return false;
}

/* The covariance after a sample whose regressors have the variance s. Information is added where
   there was little of it, and forgotten where there is more than forgetting lets stand. A sample
   forgets along one of count directions, so it forgets that one count times. */
static void update_covariance(sn_rls *rls, const double *f, const double *g, double *pv, double s) {
  const double lambda = rls->direction_forgetting;
  const double added = lambda - (1.0 - lambda) / s; /* Kulhavy's epsilon */
  if (added > 0.0) {
    shrink(rls, f, g, 1.0 / added);
  } else {
    const double c = (1.0 - lambda - lambda * s) / (s * lambda * (1.0 + s));
    if (!is_too_large(rls, pv, c)) {
      grow(rls, pv, c);
    }
  }
}

bool sn__rls_step(sn_rls *rls, const double *row, double y) {
  const size_t n = rls->count;
  double f[SN_RLS_MAX];
  double g[SN_RLS_MAX];
  const double error = y - sn__rls_predict(rls, row);
  const double s = project(rls, row, f, g);
  if (!isfinite(error) || !isfinite(s)) {
    return false;
  }
  double pv[SN_RLS_MAX];
  spread(rls, g, pv);
  for (size_t i = 0; i < n; i++) {
    rls->x[i] += pv[i] * error / (1.0 + s);
    rls->square_sum[i] = rls->forgetting * rls->square_sum[i] + row[i] * row[i];
  }
  rls->error_sum = rls->forgetting * rls->error_sum + error * error / (1.0 + s);
  rls->weight_sum = rls->forgetting * rls->weight_sum + 1.0;
  rls->sample_count++;
  if (s > 1e-280) { /* a row of zeros says nothing */
    update_covariance(rls, f, g, pv, s);
  }
  return true;
}

void sn__rls_compensate(sn_rls *rls, const double *gain, double y_gain, double variance) {
  double f[SN_RLS_MAX];
  double g[SN_RLS_MAX];
  double pv[SN_RLS_MAX];
  const double s = variance * project(rls, gain, f, g);
  const double amount = variance * (sn__rls_predict(rls, gain) - y_gain);
  if (!isfinite(amount) || !(s < 0.02)) {
    return; /* more noise than signal so far */
  }
  spread(rls, g, pv);
  for (size_t i = 0; i < rls->count; i++) {
    rls->x[i] += amount * pv[i];
  }
}

double sn__rls_predict(const sn_rls *rls, const double *row) {
  double sum = 0.0;
  for (size_t i = 0; i < rls->count; i++) {
    sum += row[i] * rls->x[i];
  }
  return sum;
}

const double *sn__rls_estimate(const sn_rls *rls) {
  return rls->x;
}

void sn__rls_covariance(const sn_rls *rls, double *out) {
  const size_t n = rls->count;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = i; j < n; j++) {
      double sum = 0.0;
      for (size_t k = j; k < n; k++) {
        sum += rls->u[i * ROW + k] * rls->d[k] * rls->u[j * ROW + k];
      }
      out[i * n + j] = sum;
      out[j * n + i] = sum;
    }
  }
}

double sn__rls_noise(const sn_rls *rls) {
  const double free_count = rls->weight_sum - (double)rls->count;
  if (rls->sample_count <= rls->count) {
    return INFINITY;
  }
  return sqrt(rls->error_sum / fmax(free_count, 0.5 * rls->weight_sum));
}

void sn__rls_std(const sn_rls *rls, double *out) {
  const double noise = sn__rls_noise(rls);
  for (size_t i = 0; i < rls->count; i++) {
    out[i] = noise * sqrt(variance(rls, i));
  }
}

double sn__rls_excitation(const sn_rls *rls) {
  const size_t n = rls->count;
  double c[SN_RLS_MAX * SN_RLS_MAX];
  double values[SN_RLS_MAX];
  double vectors[SN_RLS_MAX * SN_RLS_MAX];
  sn__rls_covariance(rls, c);
  for (size_t i = 0; i < n; i++) {
    if (rls->square_sum[i] <= 0.0) {
      return 0.0;
    }
    for (size_t j = 0; j < n; j++) {
      c[i * n + j] *= sqrt(rls->square_sum[i] * rls->square_sum[j]);
    }
  }
  sn__eigen_symmetric(n, c, values, vectors);
  double largest = 1.0;
  for (size_t i = 0; i < n; i++) {
    largest = fmax(largest, values[i]);
  }
  return 1.0 / sqrt(largest);
}
