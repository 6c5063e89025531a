#include "controllers/jog/jog_kept.h"

#include <math.h>
#include <stdbool.h>

#include "math/eigen.h"
#include "sinew/dense.h"

enum { ROWS = SN__JOG_KEPT_ROWS };

/* Of the greatest element of the Gram matrix: directions that no joint moves do not count. */
static const double REGULAR = 1e-9;

static double at(const sn__jog_kept *kept, size_t row, size_t joint, size_t count) {
  return kept->jac[row * count + joint];
}

/* What is missing to rates. */
static void missing(const sn__jog_kept *kept, const double rate[ROWS],
                    const sn__jog_choice *choices, size_t count, double out[ROWS]) {
  for (size_t r = 0; r < ROWS; r++) {
    out[r] = rate[r];
    for (size_t j = 0; j < count; j++) {
      out[r] -= at(kept, r, j, count) * choices[j].qd;
    }
  }
}

/* @return its greatest element */
static double fill_gram(const sn__jog_kept *kept, const sn__jog_choice *choices, size_t count,
                        double gram[ROWS * ROWS]) {
  double most = 0.0;
  for (size_t i = 0; i < (size_t)ROWS * ROWS; i++) {
    gram[i] = 0.0;
    for (size_t j = 0; j < count; j++) {
      gram[i] += choices[j].weight * at(kept, i / ROWS, j, count) * at(kept, i % ROWS, j, count);
    }
    most = fmax(most, gram[i]);
  }
  return most;
}

/* The least weighted change of joints that makes up for what is missing, as factors of their rows.
   @return false: no joint is left that helps */
static bool solve(const sn__jog_kept *kept, const sn__jog_choice *choices, size_t count,
                  double x[ROWS]) {
  double gram[ROWS * ROWS];
  const double most = fill_gram(kept, choices, count, gram);
  for (size_t r = 0; r < ROWS; r++) {
    gram[r * ROWS + r] += REGULAR * most;
  }
  if (!(most > 0.0) || !sn_cholesky_factor(ROWS, gram)) {
    return false;
  }
  missing(kept, kept->rate, choices, count, x);
  sn_cholesky_solve(ROWS, gram, x);
  return true;
}

static double change_of(const sn__jog_kept *kept, const sn__jog_choice *choices, size_t joint,
                        size_t count, const double x[ROWS]) {
  double sum = 0.0;
  for (size_t r = 0; r < ROWS; r++) {
    sum += at(kept, r, joint, count) * x[r];
  }
  return choices[joint].weight * sum;
}

/* Go as far as all joints can. @return whether that was all of the way */
static bool change_all(const sn__jog_kept *kept, sn__jog_choice *choices, size_t count,
                       const double x[ROWS]) {
  double share = 1.0;
  size_t first = count;
  for (size_t j = 0; j < count; j++) {
    const double change = change_of(kept, choices, j, count, x);
    const double room =
        change > 0.0 ? choices[j].high - choices[j].qd : choices[j].qd - choices[j].low;
    if (fabs(change) * share > room) {
      share = fmax(room, 0.0) / fabs(change);
      first = j;
    }
  }
  for (size_t j = 0; j < count; j++) {
    const sn__jog_choice *c = &choices[j];
    const double qd = c->qd + share * change_of(kept, choices, j, count, x);
    choices[j].qd = fmax(c->low, fmin(c->high, qd));
  }
  if (first < count) {
    choices[first].weight = 0.0;
  }
  return first == count;
}

/* What is kept in each direction needs a change of the joints along this direction of the rows. */
static void bend(const sn__jog_kept *kept, sn__jog_choice *choices, size_t count,
                 const double x[ROWS], bool is_corner) {
  for (size_t j = 0; j < count; j++) {
    const double change = change_of(kept, choices, j, count, x);
    choices[j].bend += change;
    choices[j].corner = is_corner ? change : choices[j].corner;
  }
}

static void update_curve(sn__jog_curve *curve, double least, double dt_s) {
  const bool is_known = curve->least > 0.0 && least > 0.0;
  curve->growth = is_known ? (least / curve->least - 1.0) / dt_s : 0.0;
  curve->least = least;
}

void sn__jog_follow_curve(const sn__jog_kept *kept, sn__jog_choice *choices, size_t count,
                          double dt_s) {
  double gram[ROWS * ROWS];
  double values[ROWS];
  double axes[ROWS * ROWS];
  double wanted[ROWS];
  const double most = fill_gram(kept, choices, count, gram);
  missing(kept, kept->was, choices, count, wanted);
  sn__eigen_symmetric(ROWS, gram, values, axes);
  size_t least = 0;
  for (size_t i = 1; i < ROWS; i++) {
    least = values[i] < values[least] ? i : least;
  }
  for (size_t i = 0; i < ROWS; i++) {
    double x[ROWS];
    double along = 0.0;
    for (size_t r = 0; r < ROWS; r++) {
      along += axes[r * ROWS + i] * wanted[r];
    }
    for (size_t r = 0; r < ROWS; r++) {
      x[r] = values[i] > REGULAR * most ? axes[r * ROWS + i] * along / values[i] : 0.0;
    }
    bend(kept, choices, count, x, i == least);
  }
  update_curve(kept->curve, sqrt(fmax(values[least], 0.0)), dt_s);
}

void sn__jog_keep(const sn__jog_kept *kept, sn__jog_choice *choices, size_t count) {
  for (size_t j = 0; j < count; j++) {
    const double width = choices[j].high - choices[j].low;
    choices[j].weight = width * width;
  }
  for (size_t round = 0; round <= count; round++) { /* each of them takes one joint */
    double x[ROWS];
    if (!solve(kept, choices, count, x) || change_all(kept, choices, count, x)) {
      return;
    }
  }
}
