#include "controllers/jog/jog_kept.h"

#include <math.h>

#include "sinew/dense.h"

enum { ROWS = SN__JOG_KEPT_ROWS };

/* Of the greatest element of the Gram matrix: directions that no joint moves do not count. */
static const double REGULAR = 1e-9;

static double at(const sn__jog_kept *kept, size_t row, size_t joint, size_t count) {
  return kept->jac[row * count + joint];
}

/* What is missing to the rates. */
static void missing(const sn__jog_kept *kept, const sn__jog_choice *choices, size_t count,
                    double out[ROWS]) {
  for (size_t r = 0; r < ROWS; r++) {
    out[r] = kept->rate[r];
    for (size_t j = 0; j < count; j++) {
      out[r] -= at(kept, r, j, count) * choices[j].qd;
    }
  }
}

/* The weight of a joint: the square of what it can do, so that all run out together. */
static double weight_of(const sn__jog_choice *choice) {
  const double width = choice->high - choice->low;
  return choice->is_taken ? 0.0 : width * width;
}

/* The least weighted change of joints that makes up for what is missing, as factors of their rows.
   @return false: no joint is left that helps */
static bool solve(const sn__jog_kept *kept, const sn__jog_choice *choices, size_t count,
                  double x[ROWS]) {
  double gram[ROWS * ROWS] = {0.0};
  double most = 0.0;
  for (size_t i = 0; i < (size_t)ROWS * ROWS; i++) {
    for (size_t j = 0; j < count; j++) {
      gram[i] +=
          weight_of(&choices[j]) * at(kept, i / ROWS, j, count) * at(kept, i % ROWS, j, count);
    }
    most = fmax(most, gram[i]);
  }
  for (size_t r = 0; r < ROWS; r++) {
    gram[r * ROWS + r] += REGULAR * most;
  }
  if (!(most > 0.0) || !sn_cholesky_factor(ROWS, gram)) {
    return false;
  }
  missing(kept, choices, count, x);
  sn_cholesky_solve(ROWS, gram, x);
  return true;
}

static double change_of(const sn__jog_kept *kept, const sn__jog_choice *choices, size_t joint,
                        size_t count, const double x[ROWS]) {
  double sum = 0.0;
  for (size_t r = 0; r < ROWS; r++) {
    sum += at(kept, r, joint, count) * x[r];
  }
  return weight_of(&choices[joint]) * sum;
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
    choices[first].is_taken = true;
  }
  return first == count;
}

void sn__jog_keep(const sn__jog_kept *kept, sn__jog_choice *choices, size_t count) {
  for (size_t j = 0; j < count; j++) {
    choices[j].is_taken = false;
  }
  for (size_t round = 0; round <= count; round++) { /* each of them takes one joint */
    double x[ROWS];
    if (!solve(kept, choices, count, x) || change_all(kept, choices, count, x)) {
      return;
    }
  }
}
