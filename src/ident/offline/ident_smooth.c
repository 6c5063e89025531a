/* How much smoothing the noise of a log calls for, and the smoothing. */
#include <math.h>

#include "base/fail.h"
#include "ident/offline/ident_work.h"

#define WINDOW_MAX (2 * SN__SMOOTH_MAX + 1)
#define POINTS (2 * SN__DIFF_HALF + 1)

/* Do the times of the window differ from even ones by rounding only? */
static bool is_even(const sn__ident_work *w, size_t i, size_t half) {
  return i >= half && i + half < w->count && w->even_since[i + half] <= i - half;
}

void sn__smoother_weights(size_t count, const double *x, size_t degree, double *weights) {
  double before[WINDOW_MAX] = {0};
  double here[WINDOW_MAX];
  double before_at_0 = 0.0;
  double here_at_0 = 1.0;
  double before_square = 0.0;
  for (size_t k = 0; k < count; k++) {
    here[k] = 1.0;
    weights[k] = 0.0;
  }
  for (size_t j = 0; j <= degree && j < count; j++) {
    double square = 0.0;
    double moment = 0.0;
    for (size_t k = 0; k < count; k++) {
      square += here[k] * here[k];
      moment += x[k] * here[k] * here[k];
    }
    const double shift = moment / square;
    const double back = j == 0 ? 0.0 : square / before_square;
    for (size_t k = 0; k < count; k++) {
      weights[k] += here_at_0 / square * here[k];
      const double next = (x[k] - shift) * here[k] - back * before[k];
      before[k] = here[k];
      here[k] = next;
    }
    const double next_at_0 = -shift * here_at_0 - back * before_at_0;
    before_at_0 = here_at_0;
    here_at_0 = next_at_0;
    before_square = square;
  }
}

/* Weights for samples at even times; x is scaled to -1 .. 1. */
static void even_weights(sn__smoother smoother, double *weights) {
  double x[WINDOW_MAX];
  for (size_t k = 0; k <= 2 * smoother.half; k++) {
    x[k] = smoother.half == 0 ? 0.0 : ((double)k - (double)smoother.half) / (double)smoother.half;
  }
  sn__smoother_weights(2 * smoother.half + 1, x, smoother.degree, weights);
}

/* What a window makes of white noise in the measured velocity and in the position. */
typedef struct window {
  sn__smoother smoother;
  double c[WINDOW_MAX];
  double variance_v; /* after smoothing, per variance of a measured velocity */
  double variance_q; /* likewise of the slope, per variance of a position, in units of 1/period² */
} window;

static void make_window(sn__smoother smoother, const double *d, window *win) {
  const size_t half = smoother.half;
  win->smoother = smoother;
  even_weights(smoother, win->c);
  win->variance_v = 0.0;
  for (size_t k = 0; k <= 2 * half; k++) {
    win->variance_v += win->c[k] * win->c[k];
  }
  win->variance_q = 0.0;
  for (size_t k = 0; k < 2 * half + POINTS; k++) { /* the two one after the other */
    double sum = 0.0;
    for (size_t j = 0; j < POINTS; j++) {
      if (k >= j && k - j <= 2 * half) {
        sum += win->c[k - j] * d[j];
      }
    }
    win->variance_q += sum * sum;
  }
}

/* The weight of the measured velocity that gives the least noise. */
static double best_weight(const sn__ident_work *w, const window *win) {
  const double v = w->noise_v * w->noise_v * win->variance_v;
  const double q = w->noise_q * w->noise_q * win->variance_q / (w->period_s * w->period_s);
  return !w->has_velocity ? 0.0 : v + q > 0.0 ? q / (v + q) : 1.0;
}

static double combine(const sn__ident_work *w, size_t i, double weight) {
  const double measured = w->samples[i].velocity;
  if (isnan(measured) || !w->has_velocity) {
    return w->slope[i];
  }
  return weight == 1.0 ? measured : weight * measured + (1.0 - weight) * w->slope[i];
}

/* x smoothed at sample i; NaN if the window is not whole.
   @param c  weights for even times */
static double smooth_at(const sn__ident_work *w, const double *x, size_t i, sn__smoother smoother,
                        const double *c) {
  const size_t half = smoother.half;
  if (!sn__window_is_whole(w, i, half)) {
    return NAN;
  }
  double uneven[WINDOW_MAX];
  if (!is_even(w, i, half)) {
    double t[WINDOW_MAX];
    for (size_t k = 0; k <= 2 * half; k++) {
      t[k] =
          (w->samples[i + k - half].time_s - w->samples[i].time_s) / ((double)half * w->period_s);
    }
    sn__smoother_weights(2 * half + 1, t, smoother.degree, uneven);
    c = uneven;
  }
  double sum = 0.0;
  const double *from = x + i - half;
  for (size_t k = 0; k <= 2 * half; k++) {
    sum += c[k] * from[k];
  }
  return sum;
}

/* Covariances of the noise of combined velocities that are 0, 1, 2 ... samples apart. */
static void velocity_covariance(const sn__ident_work *w, const double *d, double weight,
                                double covariance[POINTS]) {
  const double slope = (1.0 - weight) * w->noise_q / w->period_s;
  for (size_t lag = 0; lag < POINTS; lag++) {
    double sum = 0.0;
    for (size_t j = 0; j + lag < POINTS; j++) {
      sum += d[j] * d[j + lag];
    }
    covariance[lag] = w->uneven_factor * slope * slope * sum;
  }
  covariance[0] += w->has_velocity ? weight * weight * w->noise_v * w->noise_v : 0.0;
}

/* Noise variance behind a filter: the quadratic form of its weights. */
static double filtered_variance(const double covariance[POINTS], const double *c, size_t half) {
  double sum = 0.0;
  for (size_t lag = 0; lag < POINTS && lag <= 2 * half; lag++) {
    double product = 0.0;
    for (size_t k = 0; k + lag <= 2 * half; k++) {
      product += c[k] * c[k + lag];
    }
    sum += (lag == 0 ? 1.0 : 2.0) * product * covariance[lag];
  }
  return sum;
}

/* How much of the motion itself a smoother takes away, squared: how far it is from a narrower one,
   less what noise does to both. (To compare with unsmoothed samples, as Stein does, would drown the
   answer in their noise; this is the idea of Lepski, 1990.) */
static double bias_square(const sn__ident_work *w, const double *x, const window *win,
                          const window *narrow, const double covariance[POINTS]) {
  const size_t half = win->smoother.half;
  const size_t shift = half - narrow->smoother.half;
  double c[WINDOW_MAX]; /* of the difference */
  for (size_t k = 0; k <= 2 * half; k++) {
    const bool is_inside = k >= shift && k - shift <= 2 * narrow->smoother.half;
    c[k] = win->c[k] - (is_inside ? narrow->c[k - shift] : 0.0);
  }
  double sum = 0.0;
  size_t n = 0;
  for (size_t run = 0; run < SN__TRIAL_RUNS; run++) {
    size_t i;
    for (const size_t end = sn__ident_run(w, run, &i); i < end; i++) {
      const double change = smooth_at(w, x, i, win->smoother, win->c) -
                            smooth_at(w, x, i, narrow->smoother, narrow->c);
      if (isfinite(change)) {
        sum += change * change;
        n++;
      }
    }
  }
  const double noise = filtered_variance(covariance, c, half);
  const double spread = sqrt(2.0 * (double)(2 * half + 1) / (double)(n + 1));
  return n < 20 ? INFINITY : fmax(0.0, sum / (double)n - (1.0 + spread) * noise);
}

/* What smoothing takes away of the motion itself counts more than noise: averages reduce the noise
   further, but not that. */
#define BIAS_COST 30.0

/* The smoothers to choose from. Two points more than the degree would be no smoothing at all. */
enum { SMOOTHERS = 1 + 3 * 14 };
static size_t list_smoothers(sn__smoother *list) {
  static const size_t halves[] = {3, 4, 5, 6, 8, 10, 12, 15, 19, 24, 30, 38, 48, 60};
  size_t n = 0;
  list[n++] = (sn__smoother){0, 0};
  for (size_t degree = 3; degree <= 7; degree += 2) {
    for (size_t k = 0; k < sizeof halves / sizeof *halves; k++) {
      if (2 * halves[k] + 1 >= degree + 3) {
        list[n++] = (sn__smoother){halves[k], degree};
      }
    }
  }
  return n;
}

/* The widest smoother of the same degree that is clearly narrower, or none at all. */
static sn__smoother narrower(const sn__smoother *list, size_t k) {
  sn__smoother best = list[0];
  for (size_t i = 1; i < k; i++) {
    if (list[i].degree == list[k].degree && 5 * list[i].half <= 3 * list[k].half) {
      best = list[i];
    }
  }
  return best;
}

/* The price of a smoother: noise that it leaves, and truth that it takes away. */
static double cost_of(const sn__ident_work *w, const double *x, const sn__smoother *list, size_t k,
                      const double *d, const double covariance[POINTS]) {
  window win;
  window narrow;
  make_window(list[k], d, &win);
  make_window(narrower(list, k), d, &narrow);
  const double variance = filtered_variance(covariance, win.c, win.smoother.half);
  return variance + (k == 0 ? 0.0 : BIAS_COST * bias_square(w, x, &win, &narrow, covariance));
}

static void choose_window(sn__ident_work *w, const double *d, double *scratch) {
  sn__smoother list[SMOOTHERS];
  const size_t n = list_smoothers(list);
  double least = INFINITY;
  for (size_t k = 0; k < n; k++) {
    window win;
    double covariance[POINTS];
    make_window(list[k], d, &win);
    const double weight = best_weight(w, &win);
    velocity_covariance(w, d, weight, covariance);
    for (size_t run = 0; run < SN__TRIAL_RUNS; run++) {
      size_t first;
      const size_t end = sn__ident_run(w, run, &first) + SN__SMOOTH_MAX;
      for (size_t i = first < SN__SMOOTH_MAX ? 0 : first - SN__SMOOTH_MAX; i < end && i < w->count;
           i++) {
        scratch[i] = combine(w, i, weight);
      }
    }
    const double cost = cost_of(w, scratch, list, k, d, covariance);
    if (cost < least) {
      least = cost;
      w->smoother = list[k];
      w->weight = weight;
    }
  }
  w->smooth_std = isfinite(least) ? sqrt(least) : 0.0;
}

/* The same choice for the effort, which has other frequencies than the velocity. */
static sn__smoother choose_effort_window(const sn__ident_work *w, const double *d) {
  sn__smoother list[SMOOTHERS];
  const size_t n = list_smoothers(list);
  const double covariance[POINTS] = {w->noise_tau * w->noise_tau};
  double least = INFINITY;
  sn__smoother best = list[0];
  for (size_t k = 0; k < n; k++) {
    const double cost = cost_of(w, w->effort, list, k, d, covariance);
    if (cost < least) {
      least = cost;
      best = list[k];
    }
  }
  return best;
}

/* A velocity that is filtered late, or in other units, does more harm than good: does it agree with
   the positions? Both are smoothed alike first, so that their noise does not matter. */
static bool contradicts(const sn__ident_work *w) {
  enum { HALF = 8 };
  double c[2 * HALF + 1];
  even_weights((sn__smoother){HALF, 3}, c);
  double product = 0.0;
  double square = 0.0;
  double difference = 0.0;
  size_t n = 0;
  for (size_t run = 0; run < SN__TRIAL_RUNS; run++) {
    size_t i;
    for (const size_t end = sn__ident_run(w, run, &i); i < end; i++) {
      if (!sn__window_is_whole(w, i, HALF)) {
        continue;
      }
      double v = 0.0;
      double s = 0.0;
      for (size_t k = 0; k <= 2 * HALF; k++) {
        v += c[k] * w->samples[i + k - HALF].velocity;
        s += c[k] * w->slope[i + k - HALF];
      }
      if (isfinite(v) && isfinite(s)) {
        product += v * s;
        square += s * s;
        difference += (v - s) * (v - s);
        n++;
      }
    }
  }
  const double noise =
      w->noise_v * w->noise_v + w->noise_q * w->noise_q / (w->period_s * w->period_s);
  return square > 0.0 && (fabs(product / square - 1.0) > 0.05 || difference > 0.02 * square) &&
         difference > (double)n * noise;
}

static void smooth(const sn__ident_work *w, const double *x, sn__smoother smoother, double *out) {
  double c[WINDOW_MAX];
  even_weights(smoother, c);
  for (size_t i = 0; i < w->count; i++) {
    out[i] = smooth_at(w, x, i, smoother, c);
  }
}

/* The same formula as for the positions, in units of the period. */
static void differentiate(const sn__ident_work *w, const double *d, const double *x, double *out) {
  for (size_t i = 0; i < w->count; i++) {
    double sum = NAN;
    if (sn__window_is_whole(w, i, SN__DIFF_HALF)) {
      sum = 0.0;
      for (size_t k = 0; k < POINTS; k++) {
        sum += d[k] * x[i + k - SN__DIFF_HALF];
      }
    }
    out[i] = sum / w->period_s;
  }
}

static bool is_mostly_even(const sn__ident_work *w) {
  size_t even = 0;
  size_t n = 0;
  for (size_t i = 8; i + 8 < w->count; i += w->count / 1000 + 1) {
    even += is_even(w, i, 8);
    n++;
  }
  return 2 * even > n;
}

sn_status sn__ident_smooth(sn_arena *arena, sn__ident_work *work, sn_error *err) {
  work->velocity = SN_NEW(arena, double, work->count);
  work->smooth = SN_NEW(arena, double, work->count);
  work->effort_smooth = SN_NEW(arena, double, work->count);
  work->accel = SN_NEW(arena, double, work->count);
  double *scratch = SN_NEW(arena, double, SN__TRIAL_MAX);
  if (work->velocity == NULL || work->smooth == NULL || work->effort_smooth == NULL ||
      work->accel == NULL || scratch == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu samples", work->count);
  }
  double x[POINTS];
  double d[POINTS];
  for (size_t k = 0; k < POINTS; k++) {
    x[k] = (double)k - SN__DIFF_HALF;
  }
  sn__derivative_weights(POINTS, x, d);
  work->trial_count = SN__TRIAL_MAX;
  work->noise_q = sn__ident_noise(work, offsetof(sn_ident_sample, position), scratch);
  work->noise_v = sn__ident_noise(work, offsetof(sn_ident_sample, velocity), scratch);
  work->noise_tau = sn__ident_noise(work, offsetof(sn_ident_sample, effort), scratch);
  if (work->has_velocity && contradicts(work)) {
    work->velocity_ignored = true;
    work->has_velocity = false;
  }
  work->uneven_factor = 1.0;
  if (!is_mostly_even(work)) {
    work->trial_count = SN__TRIAL_MAX / 8; /* uneven windows cost more */
    work->uneven_factor = 2.0;             /* and differences over uneven times are noisier */
  }
  choose_window(work, d, work->smooth);
  const size_t longest = (size_t)fmax(1.0, 0.08 / work->period_s);
  const size_t window_size = 2 * work->smoother.half + 1;
  work->block = window_size < longest ? window_size : longest;
  for (size_t i = 0; i < work->count; i++) {
    work->velocity[i] = combine(work, i, work->weight);
  }
  smooth(work, work->velocity, work->smoother, work->smooth);
  const sn__smoother effort_smoother = choose_effort_window(work, d);
  double c[WINDOW_MAX];
  even_weights(effort_smoother, c);
  /* The middle weight of a projection is the sum of the squares of all. */
  work->effort_left = c[effort_smoother.half] * work->noise_tau * work->noise_tau;
  smooth(work, work->effort, effort_smoother, work->effort_smooth);
  differentiate(work, d, work->smooth, work->accel);
  return SN_OK;
}
