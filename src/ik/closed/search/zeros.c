#include "ik/closed/search/zeros.h"

#include <math.h>

#include "sinew/fault.h"

/* How much larger the curvature may be than the largest of four neighbouring second differences. */
#define CURVATURE_MARGIN 2.0
/* Relative to the largest sample: what rounding leaves of a zero. */
#define NOISE 1e-15
/* Halvings of one interval, and of all together. */
#define DEPTH_MAX 20
#define HALVINGS_MAX 600
#define ROUNDS_MAX 60

typedef struct function {
  sn__zeros_function *f;
  const void *context;
  double noise;
  int halvings_left;
} function;

/* Part of the range: values at its ends, and a bound of its squared width times the curvature. */
typedef struct interval {
  double a, b, fa, fb;
  double bend;
  int depth;
} interval;

static void add(sn__zeros *out, double x) {
  if (out->count < SN__ZEROS_MAX) {
    out->at[out->count++] = x;
  }
}

/* Regula falsi in its Illinois form: an end that stays twice in a row counts half. */
static double refine(const function *f, interval i) {
  double x = i.a;
  for (int round = 0; round < ROUNDS_MAX; round++) {
    const double last = x;
    x = i.b - i.fb * (i.b - i.a) / (i.fb - i.fa);
    const double fx = f->f(f->context, x);
    if (fx == 0.0 || fabs(x - last) <= 1e-13 * (1.0 + fabs(x))) {
      break;
    }
    if ((fx < 0.0) != (i.fb < 0.0)) {
      i.a = i.b;
      i.fa = i.fb;
    } else {
      i.fa *= 0.5;
    }
    i.b = x;
    i.fb = fx;
  }
  return x;
}

/* Decide an interval. @return false if it must be halved */
static bool decide(const function *f, const interval *i, sn__zeros *out) {
  if ((i->fa < 0.0) != (i->fb < 0.0)) {
    if (fabs(i->fb - i->fa) <= i->bend) {
      return false; /* perhaps not monotonic: there may be three */
    }
    add(out, refine(f, *i));
    return true;
  }
  /* A chord is at most an eighth of the bend away from the function. */
  return fmin(fabs(i->fa), fabs(i->fb)) > 0.125 * i->bend;
}

static void search_interval(function *f, interval whole, sn__zeros *out) {
  interval stack[DEPTH_MAX + 1];
  int count = 1;
  stack[0] = whole;
  while (count > 0) {
    const interval i = stack[--count];
    if (decide(f, &i, out)) {
      continue;
    }
    const double middle = 0.5 * (i.a + i.b);
    if (i.depth == DEPTH_MAX || i.bend <= f->noise || f->halvings_left == 0) {
      add(out, middle);
      continue;
    }
    f->halvings_left--;
    const double fm = f->f(f->context, middle);
    const double bend = 0.25 * i.bend;
    stack[count++] = (interval){middle, i.b, fm, i.fb, bend, i.depth + 1};
    stack[count++] = (interval){i.a, middle, i.fa, fm, bend, i.depth + 1};
  }
}

/* Samples beyond either end, from which the curvature at the ends is known. */
#define BEYOND 2

/* The bound for the interval behind @p value[0]. */
static double bend_behind(const double *value) {
  double largest = 0.0;
  for (int k = -1; k <= 2; k++) {
    largest = fmax(largest, fabs(value[k - 1] - 2.0 * value[k] + value[k + 1]));
  }
  return CURVATURE_MARGIN * largest;
}

bool sn__zeros_find(sn__zeros_function *f, const void *context, double from, double to,
                    int sample_count, sn__zeros *out) {
  SN_ASSERT(sample_count >= 4 && sample_count < SN__ZEROS_SAMPLES_MAX);
  double room[SN__ZEROS_SAMPLES_MAX + 2 * BEYOND];
  double *value = room + BEYOND;
  const double step = (to - from) / (double)sample_count;
  double largest = 0.0;
  for (int i = -BEYOND; i <= sample_count + BEYOND; i++) {
    value[i] = f(context, from + step * (double)i);
    largest = fmax(largest, fabs(value[i]));
  }
  function described = {f, context, NOISE * largest, HALVINGS_MAX};
  for (int i = 0; i < sample_count; i++) {
    const double a = from + step * (double)i;
    search_interval(&described,
                    (interval){a, a + step, value[i], value[i + 1], bend_behind(value + i), 0},
                    out);
  }
  return described.halvings_left > 0;
}
