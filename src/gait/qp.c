#include "gait/qp.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "sinew/dense.h"
#include "sinew/fault.h"

/* A bound counts as violated by more than this share of the size of its row. */
static const double VIOLATION = 1e-10;
/* Directions shorter than this share of the normal are 0: the normal depends on active ones. */
static const double DEPENDENT = 1e-11;

struct sn__qp {
  size_t variables_max, rows_max;
  size_t n;
  double *factor;     /* [n][n] Cholesky factor of the Hessian */
  double *jt;         /* [n][n] rows: columns of J = L^-T Q */
  double *r;          /* [n][n] column k at r + k * n: upper triangular */
  double *d, *z, *dr; /* [n] */
  double *u;          /* [n + 1] multipliers of active rows, >= 0 */
  size_t *active;     /* [n + 1] rows */
  int *sign;          /* [n + 1] 1: at the lower bound, -1: at the upper one */
  size_t active_count;
  double *weight; /* [rows] 1 / norm */
  bool *is_taken; /* [rows] active */
  bool *is_hint;  /* [rows] active at the end of the last call */
};

sn_status sn__qp_create(sn_arena *arena, size_t variables_max, size_t rows_max, sn__qp **out,
                        sn_error *err) {
  const size_t n = variables_max;
  const sn_arena_mark mark = sn_arena_save(arena);
  sn__qp *qp = SN_NEW(arena, sn__qp, 1);
  double *memory = SN_NEW(arena, double, 3 * n * n + 4 * n + 1 + rows_max);
  size_t *active = SN_NEW(arena, size_t, n + 1);
  int *sign = SN_NEW(arena, int, n + 1);
  bool *flags = SN_NEW(arena, bool, 2 * rows_max + 1);
  if (qp == NULL || memory == NULL || active == NULL || sign == NULL || flags == NULL) {
    sn_arena_restore(arena, mark);
    return sn__fail(err, SN_ENOMEM, "no memory for %zu variables and %zu rows", n, rows_max);
  }
  *qp = (sn__qp){.variables_max = n,
                 .rows_max = rows_max,
                 .factor = memory,
                 .jt = memory + n * n,
                 .r = memory + 2 * n * n,
                 .d = memory + 3 * n * n,
                 .z = memory + 3 * n * n + n,
                 .dr = memory + 3 * n * n + 2 * n,
                 .u = memory + 3 * n * n + 3 * n,
                 .active = active,
                 .sign = sign,
                 .weight = memory + 3 * n * n + 4 * n + 1,
                 .is_taken = flags,
                 .is_hint = flags + rows_max};
  *out = qp;
  return SN_OK;
}

/* ---- vectors ---- */

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
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

/* J = L^-T: its columns, as rows, are those of the inverse of L. */
static void invert_factor(sn__qp *qp) {
  const size_t n = qp->n;
  memset(qp->jt, 0, n * n * sizeof *qp->jt);
  for (size_t i = 0; i < n; i++) {
    double *row = qp->jt + i * n;
    const double *l = qp->factor + i * n;
    for (size_t k = 0; k < i; k++) {
      add_scaled(row, -l[k], qp->jt + k * n, k + 1);
    }
    for (size_t k = 0; k < i; k++) {
      row[k] /= l[i];
    }
    row[i] = 1.0 / l[i];
  }
}

static bool begin(sn__qp *qp, const sn__qp_task *task, double *x) {
  const size_t n = task->variable_count;
  qp->n = n;
  qp->active_count = 0;
  memcpy(qp->factor, task->hessian, n * n * sizeof *qp->factor);
  if (!sn_cholesky_factor(n, qp->factor)) {
    return false;
  }
  invert_factor(qp);
  for (size_t i = 0; i < n; i++) {
    x[i] = -task->gradient[i];
  }
  sn_cholesky_solve(n, qp->factor, x);
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

/* The row that is violated most; those of the last call come first in a warm start. */
static bool find_violated(const sn__qp *qp, const sn__qp_task *task, const double *x, size_t *row,
                          int *sign) {
  double worst = 0.0, worst_hint = 0.0;
  size_t hint = 0;
  int hint_sign = 1;
  for (size_t i = 0; i < task->row_count; i++) {
    int side = 1;
    const double by = qp->is_taken[i] ? 0.0 : violation(&task->rows[i], qp->weight[i], x, &side);
    if (by > worst) {
      worst = by;
      *row = i;
      *sign = side;
    }
    if (task->is_warm && qp->is_hint[i] && by > worst_hint) {
      worst_hint = by;
      hint = i;
      hint_sign = side;
    }
  }
  if (worst_hint > 0.0) {
    *row = hint;
    *sign = hint_sign;
  }
  return worst > 0.0;
}

/* ---- active rows ---- */

/* d = J' normal, z = the step that keeps active rows, dr = the change of their multipliers. */
static void find_step(sn__qp *qp, const sn__qp_row *row, int sign) {
  const size_t n = qp->n, q = qp->active_count;
  memset(qp->z, 0, n * sizeof *qp->z);
  for (size_t k = 0; k < n; k++) {
    qp->d[k] = sign * dot(qp->jt + k * n + row->first, row->values, row->count);
  }
  for (size_t k = q; k < n; k++) {
    add_scaled(qp->z, qp->d[k], qp->jt + k * n, n);
  }
  memcpy(qp->dr, qp->d, q * sizeof *qp->dr);
  for (size_t k = q; k-- > 0;) {
    const double *column = qp->r + k * n;
    qp->dr[k] /= column[k];
    add_scaled(qp->dr, -qp->dr[k], column, k);
  }
}

static void add_active(sn__qp *qp, size_t row, int sign, double multiplier) {
  const size_t n = qp->n, q = qp->active_count;
  for (size_t k = n - 1; k > q; k--) {
    const double length = hypot(qp->d[k - 1], qp->d[k]);
    if (length > 0.0 && qp->d[k] != 0.0) {
      const double c = qp->d[k - 1] / length, s = qp->d[k] / length;
      rotate(qp->jt + (k - 1) * n, qp->jt + k * n, c, s, n);
      qp->d[k - 1] = length;
    }
  }
  memcpy(qp->r + q * n, qp->d, (q + 1) * sizeof *qp->r);
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
    rotate(qp->jt + k * n, qp->jt + (k + 1) * n, c, s, n);
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
    find_step(qp, row, sign);
    size_t at = 0;
    const double gain = sign * row_dot(row, qp->z);
    const double scale = dot(qp->d, qp->d, qp->n);
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
    qp->is_hint[i] = qp->is_taken[i];
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
