#include "math/eigen.h"

#include <float.h>
#include <math.h>

/* Rotate rows or columns p and q of a matrix, whose entries lie a stride apart. */
static void rotate(size_t n, double *x, double *y, size_t stride, double c, double s) {
  for (size_t i = 0; i < n; i++) {
    const double a = x[i * stride], b = y[i * stride];
    x[i * stride] = c * a - s * b;
    y[i * stride] = s * a + c * b;
  }
}

/* Make entry (p, q) zero: tan(angle) is the smaller root of t^2 + 2 theta t - 1. */
static void annihilate(size_t n, double *a, double *v, size_t p, size_t q) {
  const double theta = (a[q * n + q] - a[p * n + p]) / (2.0 * a[p * n + q]);
  const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(1.0 + theta * theta));
  const double c = 1.0 / sqrt(1.0 + t * t);
  const double s = t * c;
  rotate(n, a + p, a + q, n, c, s);
  rotate(n, a + p * n, a + q * n, 1, c, s);
  rotate(n, v + p, v + q, n, c, s);
}

void sn__eigen_symmetric(size_t n, double *a, double *values, double *v) {
  double scale = 0.0;
  for (size_t i = 0; i < n * n; i++) {
    v[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    scale = fmax(scale, fabs(a[i]));
  }
  for (int sweep = 0; sweep < 30; sweep++) {
    double largest = 0.0;
    for (size_t p = 0; p + 1 < n; p++) {
      for (size_t q = p + 1; q < n; q++) {
        largest = fmax(largest, fabs(a[p * n + q]));
        if (fabs(a[p * n + q]) > DBL_MIN) {
          annihilate(n, a, v, p, q);
        }
      }
    }
    if (largest <= 1e-10 * scale) { /* convergence is quadratic: what is left now is rounding */
      break;
    }
  }
  for (size_t i = 0; i < n; i++) {
    values[i] = a[i * n + i];
  }
}
