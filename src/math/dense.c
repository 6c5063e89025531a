#include "sinew/dense.h"

#include <float.h>
#include <math.h>

#include "math/dense_lu.h"

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

static void swap_rows(size_t n, double *a, size_t i, size_t j) {
  for (size_t k = 0; k < n; k++) {
    const double t = a[i * n + k];
    a[i * n + k] = a[j * n + k];
    a[j * n + k] = t;
  }
}

/* Is the pivot of column j more than rounding? Elimination leaves about n epsilon of a column that
 * depends on the previous ones, times their condition number; a factor of 64 covers that. Comparing
 * within the column makes the result independent of the units of the unknowns. */
static bool is_significant(size_t rows, size_t columns, const double *a, size_t j) {
  double scale = 0.0;
  for (size_t i = 0; i < rows; i++) {
    scale = fmax(scale, fabs(a[i * columns + j]));
  }
  const double rounding = 64.0 * (double)columns * DBL_EPSILON * scale;
  return fabs(a[j * columns + j]) > rounding; /* false for NaN */
}

bool sn__lu_factor(size_t n, double *a, size_t *pivot) {
  for (size_t j = 0; j < n; j++) {
    size_t best = j;
    for (size_t i = j + 1; i < n; i++) {
      best = fabs(a[i * n + j]) > fabs(a[best * n + j]) ? i : best;
    }
    pivot[j] = best;
    swap_rows(n, a, j, best);
    if (!is_significant(n, n, a, j)) {
      return false;
    }
    for (size_t i = j + 1; i < n; i++) {
      const double factor = a[i * n + j] /= a[j * n + j];
      for (size_t k = j + 1; k < n; k++) {
        a[i * n + k] -= factor * a[j * n + k];
      }
    }
  }
  return true;
}

void sn__lu_solve(size_t n, const double *lu, const size_t *pivot, double *b) {
  for (size_t i = 0; i < n; i++) {
    const double t = b[i];
    b[i] = b[pivot[i]];
    b[pivot[i]] = t;
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < i; k++) {
      b[i] -= lu[i * n + k] * b[k];
    }
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; k++) {
      b[i] -= lu[i * n + k] * b[k];
    }
    b[i] /= lu[i * n + i];
  }
}

/* Apply the reflector of column j, (1 - tau v v^T) with v_j = 1, to a vector with this stride. */
static void reflect(size_t rows, size_t columns, const double *qr, size_t j, double tau, double *x,
                    size_t stride) {
  double sum = x[j * stride];
  for (size_t i = j + 1; i < rows; i++) {
    sum += qr[i * columns + j] * x[i * stride];
  }
  sum *= tau;
  x[j * stride] -= sum;
  for (size_t i = j + 1; i < rows; i++) {
    x[i * stride] -= sum * qr[i * columns + j];
  }
}

void sn__qr_factor(size_t rows, size_t columns, double *a, double *tau) {
  for (size_t j = 0; j < columns; j++) {
    double norm2 = 0.0;
    for (size_t i = j; i < rows; i++) {
      norm2 += a[i * columns + j] * a[i * columns + j];
    }
    const double head = a[j * columns + j];
    const double beta = -copysign(sqrt(norm2), head);
    if (beta == 0.0) {
      tau[j] = 0.0;
      continue;
    }
    tau[j] = (beta - head) / beta;
    for (size_t i = j + 1; i < rows; i++) {
      a[i * columns + j] /= head - beta;
    }
    a[j * columns + j] = beta;
    for (size_t k = j + 1; k < columns; k++) {
      reflect(rows, columns, a, j, tau[j], a + k, columns);
    }
  }
}

bool sn__qr_solve(size_t rows, size_t columns, const double *qr, const double *tau, double *b) {
  for (size_t j = 0; j < columns; j++) {
    reflect(rows, columns, qr, j, tau[j], b, 1);
  }
  for (size_t i = columns; i-- > 0;) {
    if (!is_significant(i + 1, columns, qr, i)) {
      return false;
    }
    for (size_t k = i + 1; k < columns; k++) {
      b[i] -= qr[i * columns + k] * b[k];
    }
    b[i] /= qr[i * columns + i];
  }
  return true;
}
