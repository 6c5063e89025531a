#include "servo/local_fit.h"

#include <math.h>

#include "sinew/dense.h"

enum { TERMS = 4 };

/* 1, t, t², t³ in units of the widest time. */
static void basis(double t, double *p) {
  p[0] = 1.0;
  for (size_t k = 1; k < TERMS; k++) {
    p[k] = p[k - 1] * t;
  }
}

static void basis_slope(double t, double *p) {
  p[0] = 0.0;
  double power = 1.0;
  for (size_t k = 1; k < TERMS; k++) {
    p[k] = (double)k * power;
    power *= t;
  }
}

static void add_outer(const double *p, double weight, size_t terms, double *a) {
  for (size_t i = 0; i < terms; i++) {
    for (size_t j = 0; j < terms; j++) {
      a[i * terms + j] += weight * p[i] * p[j];
    }
  }
}

bool sn__local_fit(size_t count, const double *t, bool has_v, double v_over_q,
                   sn__local_weights *out) {
  double widest = 0.0;
  for (size_t k = 0; k < count; k++) {
    widest = fmax(widest, fabs(t[k]));
  }
  if (!(widest > 0.0)) {
    return false;
  }
  /* A cubic needs more points than it has terms; a few make a parabola. */
  const size_t terms = count >= 5 ? TERMS : TERMS - 1;
  const double v_weight = v_over_q / (widest * widest); /* velocities are per widest here */
  double a[TERMS * TERMS] = {0};
  double p[TERMS];
  for (size_t k = 0; k < count; k++) {
    basis(t[k] / widest, p);
    add_outer(p, 1.0, terms, a);
    if (has_v) {
      basis_slope(t[k] / widest, p);
      add_outer(p, v_weight, terms, a);
    }
  }
  if (!sn_cholesky_factor(terms, a)) {
    return false;
  }
  double velocity[TERMS] = {0.0, 1.0}; /* rows 1 and 2 of the inverse */
  double accel[TERMS] = {0.0, 0.0, 2.0};
  sn_cholesky_solve(terms, a, velocity);
  sn_cholesky_solve(terms, a, accel);
  for (size_t k = 0; k < count; k++) {
    out->q_v[k] = out->v_v[k] = out->q_a[k] = out->v_a[k] = 0.0;
    basis(t[k] / widest, p);
    for (size_t i = 0; i < terms; i++) {
      out->q_v[k] += velocity[i] * p[i] / widest;
      out->q_a[k] += accel[i] * p[i] / (widest * widest);
    }
    basis_slope(t[k] / widest, p);
    for (size_t i = 0; has_v && i < terms; i++) {
      out->v_v[k] += v_weight * velocity[i] * p[i];
      out->v_a[k] += v_weight * accel[i] * p[i] / widest;
    }
  }
  return true;
}
