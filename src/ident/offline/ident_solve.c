/* Least squares of equations whose regressors are noisy, and how far to trust the result. */
#include <math.h>
#include <string.h>

#include "ident/offline/ident_work.h"
#include "math/eigen.h"
#include "sinew/dense.h"

enum { MOST = SN_IDENT_PARAM_COUNT };

/* A direction of the scaled regressors with less than this squared is unknown. */
#define SINGULAR_MIN 1e-9
/* A regressor with a larger share of noise than this is ignored. */
#define NOISE_PART_MAX 0.7

/* Normal equations of the chosen columns, each scaled to length one. */
typedef struct normal {
  size_t count;
  size_t column[MOST];
  double scale[MOST]; /* 1 / length */
  double a[MOST * MOST];
  double b[MOST];
  double noise[MOST]; /* taken out of the diagonal, scaled */
  size_t row_count;   /* rows that it came from */
} normal;

/* The sum over all rows of the noise's square in a column. Means of k samples have 1/k of the noise
   of one and weigh k, so each row counts once; a mean of slopes is a difference of two positions.
 */
static double noise_square(const sn__ident_work *w, const sn__ident_row *rows, size_t count,
                           size_t column) {
  if (column != SN_IDENT_ALPHA0 && column != SN_IDENT_ALPHA3) {
    return 0.0;
  }
  const double slope = (1.0 - w->weight) * w->noise_q / w->period_s;
  const double direct = w->has_velocity ? w->weight * w->noise_v : 0.0;
  double sum = 0.0;
  for (size_t r = 0; r < count; r++) {
    if (column == SN_IDENT_ALPHA3) {
      sum += rows[r].is_smooth ? w->effort_left : w->noise_tau * w->noise_tau;
    } else if (!rows[r].is_smooth) {
      sum += direct * direct + 2.0 * slope * slope / rows[r].weight;
    }
  }
  return sum;
}

static void scale_columns(const sn__ident_work *w, const sn__ident_row *rows, size_t count,
                          const bool *columns, normal *n) {
  *n = (normal){.row_count = count};
  for (size_t c = 0; c < MOST; c++) {
    double square = 0.0;
    for (size_t r = 0; columns[c] && r < count; r++) {
      square += rows[r].weight * rows[r].x[c] * rows[r].x[c];
    }
    const double noise = square > 0.0 ? noise_square(w, rows, count, c) / square : 1.0;
    if (noise < NOISE_PART_MAX) {
      n->noise[n->count] = noise;
      n->scale[n->count] = 1.0 / sqrt(square);
      n->column[n->count++] = c;
    }
  }
}

static double rest_of(const sn__ident_row *row, const bool *columns, const double *fixed) {
  double y = row->y;
  for (size_t c = 0; c < MOST; c++) {
    y -= columns[c] ? 0.0 : row->x[c] * fixed[c];
  }
  return y;
}

static void accumulate(const sn__ident_row *rows, size_t count, const bool *columns,
                       const double *fixed, normal *n) {
  for (size_t r = 0; r < count; r++) {
    const double y = rest_of(&rows[r], columns, fixed);
    for (size_t i = 0; i < n->count; i++) {
      const double x = rows[r].weight * rows[r].x[n->column[i]] * n->scale[i];
      n->b[i] += x * y;
      for (size_t j = 0; j <= i; j++) {
        n->a[i * MOST + j] += x * rows[r].x[n->column[j]] * n->scale[j];
      }
    }
  }
  for (size_t i = 0; i < n->count; i++) {
    n->a[i * MOST + i] -= n->noise[i];
  }
}

/* The matrix as a full one of count x count. */
static void copy_full(const normal *n, double *out) {
  for (size_t i = 0; i < n->count; i++) {
    for (size_t j = 0; j <= i; j++) {
      out[i * n->count + j] = n->a[i * MOST + j];
      out[j * n->count + i] = n->a[i * MOST + j];
    }
  }
}

/* @return the smallest eigenvalue, and the column that has the largest part in its direction */
static double weakest(const normal *n, size_t *column) {
  double a[MOST * MOST];
  double values[MOST];
  double vectors[MOST * MOST];
  copy_full(n, a);
  sn__eigen_symmetric(n->count, a, values, vectors);
  size_t least = 0;
  for (size_t i = 1; i < n->count; i++) {
    least = values[i] < values[least] ? i : least;
  }
  *column = 0;
  for (size_t i = 1; i < n->count; i++) {
    /* of two that cannot be told apart the later one goes */
    if (fabs(vectors[i * n->count + least]) >=
        (1.0 - 1e-6) * fabs(vectors[*column * n->count + least])) {
      *column = i;
    }
  }
  *column = n->column[*column];
  return values[least];
}

static double square_sum(const sn__ident_row *rows, size_t count, const double *x) {
  double sum = 0.0;
  for (size_t r = 0; r < count; r++) {
    double error = rows[r].y;
    for (size_t c = 0; c < MOST; c++) {
      error -= rows[r].x[c] * x[c];
    }
    sum += rows[r].weight * error * error;
  }
  return sum;
}

bool sn__ident_solve(const sn__ident_work *work, const sn__ident_row *rows, size_t count,
                     const bool columns[SN_IDENT_PARAM_COUNT],
                     const double fixed[SN_IDENT_PARAM_COUNT], sn__ident_solution *out) {
  *out = (sn__ident_solution){.excitation = 1.0};
  bool kept[MOST];
  size_t wanted = 0;
  for (size_t c = 0; c < MOST; c++) {
    kept[c] = columns[c];
    wanted += columns[c];
    out->x[c] = fixed[c];
  }
  normal n;
  for (;;) {
    scale_columns(work, rows, count, kept, &n);
    if (n.count == 0 || count < n.count) {
      out->excitation = 0.0;
      return false;
    }
    for (size_t c = 0; c < MOST; c++) {
      kept[c] = false;
    }
    for (size_t i = 0; i < n.count; i++) {
      kept[n.column[i]] = true;
    }
    accumulate(rows, count, kept, fixed, &n);
    size_t column;
    const double least = weakest(&n, &column);
    out->excitation = n.count < wanted ? 0.0 : fmin(out->excitation, sqrt(fmax(0.0, least)));
    if (least > SINGULAR_MIN) {
      break;
    }
    kept[column] = false;
  }
  double l[MOST * MOST];
  copy_full(&n, l);
  if (!sn_cholesky_factor(n.count, l)) {
    return false;
  }
  sn_cholesky_solve(n.count, l, n.b);
  for (size_t i = 0; i < n.count; i++) {
    out->x[n.column[i]] = n.b[i] * n.scale[i];
    out->is_solved[n.column[i]] = true;
  }
  /* Noise in the regressors is in the residuals too, and the more, the larger its parameter:
     without it the sum is a measure of the fit by which two fits can be compared. */
  out->square_sum = square_sum(rows, count, out->x);
  for (size_t i = 0; i < n.count; i++) {
    out->square_sum -= n.noise[i] * n.b[i] * n.b[i];
  }
  return true;
}

/* Seconds of a group: residuals of neighbours are alike as far as smoothing and differences reach.
   Few groups would tell little. */
static double group_time(const sn__ident_work *w, const sn__ident_row *rows, size_t count) {
  const size_t half = w->smoother.half;
  const size_t reach = 2 * (2 * half + 1 + (half > 0 ? 2 * SN__DIFF_HALF : 0));
  const double most = (rows[count - 1].time_s - rows[0].time_s) / 25.0;
  return fmin((double)reach * w->period_s, most);
}

/* The sum over groups of the outer product of what each group says.
   @return how many groups there are */
static size_t add_scores(const sn__ident_row *rows, size_t count, double group_s, const double *x,
                         const normal *n, double *meat) {
  size_t groups = 0;
  for (size_t r = 0; r < count;) {
    double score[MOST] = {0};
    const double start_s = rows[r].time_s;
    do {
      double error = rows[r].y;
      for (size_t c = 0; c < MOST; c++) {
        error -= rows[r].x[c] * x[c];
      }
      for (size_t i = 0; i < n->count; i++) {
        const double taken_out = n->noise[i] / (double)n->row_count * x[n->column[i]] / n->scale[i];
        score[i] += rows[r].weight * rows[r].x[n->column[i]] * n->scale[i] * error + taken_out;
      }
      r++;
    } while (r < count && rows[r].time_s - start_s < group_s);
    for (size_t i = 0; i < n->count; i++) {
      for (size_t j = 0; j < n->count; j++) {
        meat[i * MOST + j] += score[i] * score[j];
      }
    }
    groups++;
  }
  return groups;
}

void sn__ident_std(const sn__ident_work *work, const sn__ident_row *rows, size_t count,
                   const bool columns[SN_IDENT_PARAM_COUNT], sn__ident_solution *solution) {
  bool kept[MOST];
  for (size_t c = 0; c < MOST; c++) {
    kept[c] = columns[c] && (solution->is_solved[c] || c >= SN_IDENT_QS);
    solution->std[c] = 0.0;
  }
  normal n;
  scale_columns(work, rows, count, kept, &n);
  accumulate(rows, count, kept, solution->x, &n);
  double l[MOST * MOST];
  copy_full(&n, l);
  if (n.count == 0 || !sn_cholesky_factor(n.count, l)) {
    for (size_t c = 0; c < MOST; c++) {
      solution->std[c] = kept[c] ? INFINITY : 0.0;
    }
    return;
  }
  double x[MOST]; /* the columns of the shape are derivatives: their residual is that of the rest */
  memcpy(x, solution->x, sizeof x);
  x[SN_IDENT_QS] = 0.0;
  x[SN_IDENT_DELTA] = 0.0;
  double meat[MOST * MOST] = {0};
  const double groups = (double)add_scores(rows, count, group_time(work, rows, count), x, &n, meat);
  /* Few groups tell little: the correction for the parameters taken out of them, and for the tails
     of Student's distribution. */
  const double small = groups > (double)n.count
                           ? groups / (groups - (double)n.count) * (1.0 + 2.4 / groups)
                           : INFINITY;
  for (size_t i = 0; i < n.count; i++) { /* e_i A^-1 meat A^-1 e_i */
    double e[MOST] = {0};
    e[i] = 1.0;
    sn_cholesky_solve(n.count, l, e);
    double variance = 0.0;
    for (size_t j = 0; j < n.count; j++) {
      for (size_t k = 0; k < n.count; k++) {
        variance += e[j] * meat[j * MOST + k] * e[k];
      }
    }
    solution->std[n.column[i]] = sqrt(fmax(0.0, small * variance)) * n.scale[i];
  }
}
