#include "math/qp.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "sinew/fault.h"

/* A bound counts as violated by more than this share of the size of its row. */
static const double VIOLATION = 1e-10;
/* Directions shorter than this share of the normal are 0: the normal depends on active ones. */
static const double DEPENDENT = 1e-11;

struct sn__qp {
  size_t variables_max, rows_max;
  size_t n, band;     /* entries of the Hessian farther than the band from its diagonal are 0 */
  double *factor;     /* [n][n] L, Cholesky factor of the Hessian, as narrow as it is */
  double *inverse;    /* [n] of the diagonal of L */
  double *basis;      /* [n][n] row k: column k of an orthonormal basis of L^-1 normals */
  double *r;          /* [n][n] column k at r + k * n: upper triangular, L^-1 normals = basis r */
  double *normal;     /* [n] of the row at hand: L^-1 normal, then what the basis leaves of it */
  double *d, *z, *dr; /* [n] */
  double *u;          /* [n + 1] multipliers of active rows, >= 0 */
  size_t *active;     /* [n + 1] rows */
  int *sign;          /* [n + 1] 1: at the lower bound, -1: at the upper one */
  size_t active_count;
  double *weight; /* [rows] 1 / norm */
  bool *is_taken; /* [rows] active */
};

sn_status sn__qp_create(sn_arena *arena, size_t variables_max, size_t rows_max, sn__qp **out,
                        sn_error *err) {
  const size_t n = variables_max;
  const sn_arena_mark mark = sn_arena_save(arena);
  sn__qp *qp = SN_NEW(arena, sn__qp, 1);
  double *memory = SN_NEW(arena, double, 3 * n * n + 6 * n + 1 + rows_max);
  size_t *active = SN_NEW(arena, size_t, n + 1);
  int *sign = SN_NEW(arena, int, n + 1);
  bool *is_taken = SN_NEW(arena, bool, rows_max + 1);
  if (qp == NULL || memory == NULL || active == NULL || sign == NULL || is_taken == NULL) {
    sn_arena_restore(arena, mark);
    return sn__fail(err, SN_ENOMEM, "no memory for %zu variables and %zu rows", n, rows_max);
  }
  double *vectors = memory + 3 * n * n;
  *qp = (sn__qp){.variables_max = n,
                 .rows_max = rows_max,
                 .factor = memory,
                 .basis = memory + n * n,
                 .r = memory + 2 * n * n,
                 .inverse = vectors,
                 .normal = vectors + n,
                 .d = vectors + 2 * n,
                 .z = vectors + 3 * n,
                 .dr = vectors + 4 * n,
                 .u = vectors + 5 * n,
                 .active = active,
                 .sign = sign,
                 .weight = vectors + 6 * n + 1,
                 .is_taken = is_taken};
  *out = qp;
  return SN_OK;
}

/* ---- vectors ---- */

/* Four sums: one alone would wait for itself. */
static double dot(const double *a, const double *b, size_t n) {
  double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < n; i++) {
    s0 += a[i] * b[i];
  }
  return (s0 + s1) + (s2 + s3);
}

static void add_scaled(double *a, double s, const double *b, size_t n) {
  for (size_t i = 0; i < n; i++) {
    a[i] += s * b[i];
  }
}

static double row_dot(const sn__qp_row *row, const double *x) {
  return dot(row->values, x + row->first, row->count);
}

/* Rotate two vectors: (a, b) = (c a + s b, -s a + c b). */
static void rotate(double *a, double *b, double c, double s, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const double t = c * a[i] + s * b[i];
    b[i] = c * b[i] - s * a[i];
    a[i] = t;
  }
}

/* ---- the minimum without bounds ---- */

static size_t band_of(const double *hessian, size_t n) {
  size_t band = 0;
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k + band < i; k++) {
      band = hessian[i * n + k] != 0.0 ? i - k : band;
    }
  }
  return band;
}

static size_t band_begin(const sn__qp *qp, size_t row) {
  return row > qp->band ? row - qp->band : 0;
}

/* @return false: not positive definite */
static bool factorise(sn__qp *qp, const double *hessian) {
  const size_t n = qp->n;
  qp->band = band_of(hessian, n);
  for (size_t i = 0; i < n; i++) {
    double *row = qp->factor + i * n;
    const size_t begin = band_begin(qp, i);
    for (size_t k = begin; k <= i; k++) {
      const size_t from = begin > band_begin(qp, k) ? begin : band_begin(qp, k);
      const double rest = hessian[i * n + k] - dot(row + from, qp->factor + k * n + from, k - from);
      if (k < i) {
        row[k] = rest * qp->inverse[k];
      } else if (rest > 0.0 && isfinite(rest)) {
        row[i] = sqrt(rest);
        qp->inverse[i] = 1.0 / row[i];
      } else {
        return false;
      }
    }
  }
  return true;
}

/* x = L^-1 x; entries before the first one are 0 */
static void solve_lower(const sn__qp *qp, size_t first, double *x) {
  for (size_t i = first; i < qp->n; i++) {
    const size_t begin = band_begin(qp, i), from = begin > first ? begin : first;
    x[i] = (x[i] - dot(qp->factor + i * qp->n + from, x + from, i - from)) * qp->inverse[i];
  }
}

/* x = L^-T x */
static void solve_upper(const sn__qp *qp, double *x) {
  for (size_t i = qp->n; i-- > 0;) {
    const size_t begin = band_begin(qp, i);
    x[i] *= qp->inverse[i];
    add_scaled(x + begin, -x[i], qp->factor + i * qp->n + begin, i - begin);
  }
}

static bool begin(sn__qp *qp, const sn__qp_task *task, double *x) {
  const size_t n = task->variable_count;
  qp->n = n;
  qp->active_count = 0;
  if (!factorise(qp, task->hessian)) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    x[i] = -task->gradient[i];
  }
  solve_lower(qp, 0, x);
  solve_upper(qp, x);
  bool is_finite = true;
  for (size_t i = 0; i < n; i++) {
    is_finite = is_finite && isfinite(x[i]);
  }
  for (size_t i = 0; i < task->row_count; i++) {
    const double size = sqrt(dot(task->rows[i].values, task->rows[i].values, task->rows[i].count));
    qp->weight[i] = size > 0.0 ? 1.0 / size : 1.0;
    qp->is_taken[i] = false;
    is_finite = is_finite && isfinite(size);
  }
  return is_finite;
}

/* ---- rows ---- */

/* By how much x violates a row, relative to its size; the sign of its side. */
static double violation(const sn__qp_row *row, double weight, const double *x, int *sign) {
  const double value = row_dot(row, x);
  const double below = row->lower - value, above = value - row->upper;
  if (below <= 0.0 && above <= 0.0) {
    return 0.0;
  }
  const double most = weight * (below > above ? below : above);
  *sign = below > above ? 1 : -1;
  return most > VIOLATION * (1.0 + weight * fabs(value)) ? most : 0.0;
}

/* The row that is violated most, of all or of the hints. */
static bool find_worst(const sn__qp *qp, const sn__qp_task *task, const double *x,
                       bool is_hint_only, size_t *row, int *sign) {
  double worst = 0.0;
  for (size_t i = 0; i < task->row_count; i++) {
    int side = 1;
    if (qp->is_taken[i] || (is_hint_only && !task->hints[i])) {
      continue;
    }
    const double by = violation(&task->rows[i], qp->weight[i], x, &side);
    if (by > worst) {
      worst = by;
      *row = i;
      *sign = side;
    }
  }
  return worst > 0.0;
}

static bool find_violated(const sn__qp *qp, const sn__qp_task *task, const double *x, size_t *row,
                          int *sign) {
  return (task->hints != NULL && find_worst(qp, task, x, true, row, sign)) ||
         find_worst(qp, task, x, false, row, sign);
}

/* ---- active rows ---- */

/* Remove what the basis holds of the normal. Twice is enough: the second pass removes the rounding
   errors of the first one (Daniel, Gragg, Kaufman and Stewart, 1976). */
static void project(sn__qp *qp) {
  const size_t n = qp->n, q = qp->active_count;
  memset(qp->d, 0, q * sizeof *qp->d);
  for (int pass = 0; pass < 2; pass++) {
    for (size_t k = 0; k < q; k++) {
      const double part = dot(qp->basis + k * n, qp->normal, n);
      qp->d[k] += part;
      add_scaled(qp->normal, -part, qp->basis + k * n, n);
    }
  }
}

/* z = the step that keeps active rows, dr = the change of their multipliers.
   @param scale  out: square of the length of L^-1 normal
   @return gain of the row by the step */
static double find_step(sn__qp *qp, const sn__qp_row *row, int sign, double *scale) {
  const size_t n = qp->n, q = qp->active_count;
  memset(qp->normal, 0, n * sizeof *qp->normal);
  for (size_t k = 0; k < row->count; k++) {
    qp->normal[row->first + k] = sign * row->values[k];
  }
  solve_lower(qp, row->first, qp->normal);
  *scale = dot(qp->normal, qp->normal, n);
  project(qp);
  memcpy(qp->z, qp->normal, n * sizeof *qp->z);
  solve_upper(qp, qp->z);
  memcpy(qp->dr, qp->d, q * sizeof *qp->dr);
  for (size_t k = q; k-- > 0;) {
    const double *column = qp->r + k * n;
    qp->dr[k] /= column[k];
    add_scaled(qp->dr, -qp->dr[k], column, k);
  }
  return dot(qp->normal, qp->normal, n);
}

/* The row of the last find_step(). */
static void add_active(sn__qp *qp, size_t row, int sign, double multiplier) {
  const size_t n = qp->n, q = qp->active_count;
  const double length = sqrt(dot(qp->normal, qp->normal, n));
  memset(qp->basis + q * n, 0, n * sizeof *qp->basis);
  add_scaled(qp->basis + q * n, 1.0 / length, qp->normal, n);
  memcpy(qp->r + q * n, qp->d, q * sizeof *qp->r);
  qp->r[q * n + q] = length;
  qp->active[q] = row;
  qp->sign[q] = sign;
  qp->u[q] = multiplier;
  qp->is_taken[row] = true;
  qp->active_count = q + 1;
}

static void drop_active(sn__qp *qp, size_t at) {
  const size_t n = qp->n, q = --qp->active_count;
  qp->is_taken[qp->active[at]] = false;
  for (size_t k = at; k < q; k++) {
    memcpy(qp->r + k * n, qp->r + (k + 1) * n, (k + 2) * sizeof *qp->r);
    qp->active[k] = qp->active[k + 1];
    qp->sign[k] = qp->sign[k + 1];
    qp->u[k] = qp->u[k + 1];
  }
  for (size_t k = at; k < q; k++) {
    double *column = qp->r + k * n;
    const double length = hypot(column[k], column[k + 1]);
    const double c = column[k] / length, s = column[k + 1] / length;
    for (size_t j = k; j < q; j++) {
      rotate(qp->r + j * n + k, qp->r + j * n + k + 1, c, s, 1);
    }
    rotate(qp->basis + k * n, qp->basis + (k + 1) * n, c, s, n);
  }
}

/* The longest step at which all multipliers stay positive, and the row that bounds it. */
static double dual_step(const sn__qp *qp, const sn__qp_task *task, size_t *at) {
  double most = INFINITY;
  for (size_t k = 0; k < qp->active_count; k++) {
    const sn__qp_row *row = &task->rows[qp->active[k]];
    if (row->lower < row->upper && qp->dr[k] > 0.0 && qp->u[k] < most * qp->dr[k]) {
      most = qp->u[k] / qp->dr[k];
      *at = k;
    }
  }
  return most;
}

/* Make a violated row active; others may leave. */
static sn__qp_outcome satisfy(sn__qp *qp, const sn__qp_task *task, size_t index, int sign,
                              double *x, size_t *rounds_left) {
  const sn__qp_row *row = &task->rows[index];
  const double bound = sign > 0 ? row->lower : row->upper;
  double multiplier = 0.0;
  for (; *rounds_left > 0; (*rounds_left)--) {
    size_t at = 0;
    double scale;
    const double gain = find_step(qp, row, sign, &scale);
    const double dual = dual_step(qp, task, &at);
    const double missing = sign * (bound - row_dot(row, x));
    const bool is_dependent = qp->active_count == qp->n || !(gain > DEPENDENT * scale);
    const double primal = is_dependent ? INFINITY : fmax(0.0, missing / gain);
    const double step = fmin(dual, primal);
    if (isinf(step)) {
      return SN__QP_INFEASIBLE;
    }
    if (!is_dependent) {
      add_scaled(x, step, qp->z, qp->n);
    }
    add_scaled(qp->u, -step, qp->dr, qp->active_count);
    multiplier += step;
    if (primal <= dual) {
      add_active(qp, index, sign, multiplier);
      return SN__QP_SOLVED;
    }
    drop_active(qp, at);
  }
  return SN__QP_TOO_LONG;
}

static void finish(sn__qp *qp, const sn__qp_task *task, double *multipliers) {
  for (size_t i = 0; i < task->row_count; i++) {
    if (task->hints != NULL) {
      task->hints[i] = qp->is_taken[i];
    }
    if (multipliers != NULL) {
      multipliers[i] = 0.0;
    }
  }
  for (size_t k = 0; multipliers != NULL && k < qp->active_count; k++) {
    multipliers[qp->active[k]] = qp->sign[k] * qp->u[k];
  }
}

bool sn__qp_solve(sn__qp *qp, const sn__qp_task *task, double *x, double *multipliers,
                  sn__qp_result *result) {
  SN_ASSERT(task->variable_count <= qp->variables_max);
  SN_ASSERT(task->row_count <= qp->rows_max);
  const size_t most = 20 + 5 * (task->variable_count + task->row_count);
  size_t left = most, row = 0;
  int sign = 1;
  *result = (sn__qp_result){.outcome = SN__QP_NOT_CONVEX};
  if (!begin(qp, task, x)) {
    return false;
  }
  result->outcome = SN__QP_SOLVED;
  while (result->outcome == SN__QP_SOLVED && find_violated(qp, task, x, &row, &sign)) {
    left -= left > 0;
    result->outcome = left == 0 ? SN__QP_TOO_LONG : satisfy(qp, task, row, sign, x, &left);
  }
  result->round_count = most - left;
  result->row = row;
  finish(qp, task, multipliers);
  return result->outcome == SN__QP_SOLVED;
}
