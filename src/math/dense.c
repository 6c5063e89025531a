#include "sinew/dense.h"

#include <float.h>
#include <math.h>

bool sn_cholesky_factor(size_t n, double *a) {
  for (size_t j = 0; j < n; j++) {
    double diagonal = a[j * n + j];
    const double scale = fabs(diagonal);
    for (size_t k = 0; k < j; k++) {
      diagonal -= a[j * n + k] * a[j * n + k];
    }
    if (!(diagonal > (double)n * DBL_EPSILON * scale)) { /* also rejects NaN */
      return false;
    }
    const double pivot = sqrt(diagonal);
    a[j * n + j] = pivot;
    for (size_t i = j + 1; i < n; i++) {
      double sum = a[i * n + j];
      for (size_t k = 0; k < j; k++) {
        sum -= a[i * n + k] * a[j * n + k];
      }
      a[i * n + j] = sum / pivot;
    }
  }
  return true;
}

void sn_cholesky_solve(size_t n, const double *l, double *b) {
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < i; k++) {
      b[i] -= l[i * n + k] * b[k];
    }
    b[i] /= l[i * n + i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; k++) {
      b[i] -= l[k * n + i] * b[k];
    }
    b[i] /= l[i * n + i];
  }
}
