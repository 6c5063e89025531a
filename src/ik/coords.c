#include "ik/coords.h"

#include <math.h>

static const double turn_rad = 6.283185307179586;

/* Intersect the interval with that of q where scale * q + offset is in lower .. upper. */
static void cut_mimic(double scale, double offset, double lower, double upper, double *low,
                      double *high) {
  if (scale == 0.0) {
    return;
  }
  const double a = (lower - offset) / scale, b = (upper - offset) / scale;
  *low = fmax(*low, fmin(a, b));
  *high = fmin(*high, fmax(a, b));
}

/* The range to sample without limits: one turn, or the length of the arm. */
static void sample_range(bool turns, double low, double high, double *sample_low,
                         double *sample_high) {
  const double half = turns ? 0.5 * turn_rad : 2.0;
  const bool has_low = low > -INFINITY, has_high = high < INFINITY;
  *sample_low = has_low ? low : has_high ? high - 2.0 * half : -half;
  *sample_high = has_high ? high : has_low ? low + 2.0 * half : half;
}

bool sn__coords_limits(const sn__serial *serial, const int *joints, const double *lower,
                       const double *upper, const bool *locked, const sn__coords_range *range) {
  const sn_tree *tree = &serial->chain->tree;
  bool has_room = true;
  for (size_t k = 0; k < serial->coord_count; k++) {
    const int place = serial->entry[k];
    double low = lower[joints[place]], high = upper[joints[place]];
    bool is_locked = locked != NULL && locked[joints[place]];
    for (size_t i = 0; serial->shared && i < serial->body_count; i++) {
      if (tree->coord[i] == place && (int)i != place) {
        cut_mimic(tree->q_scale[i], tree->q_offset[i], lower[joints[i]], upper[joints[i]], &low,
                  &high);
        is_locked = is_locked || (locked != NULL && locked[joints[i]]);
      }
    }
    has_room = has_room && low <= high;
    low /= serial->unit[k];
    high /= serial->unit[k];
    sample_range(serial->unit[k] == 1.0, low, high, &range->sample_lower[k],
                 &range->sample_upper[k]);
    const bool endless = serial->periodic[k] && high - low >= turn_rad;
    range->lower[k] = endless ? -INFINITY : low;
    range->upper[k] = endless ? INFINITY : high;
    if (range->locked != NULL) {
      range->locked[k] = is_locked;
    }
  }
  return has_room;
}

void sn__coords_from_q(const sn__serial *serial, const int *joints, const double *q, double *y) {
  for (size_t k = 0; k < serial->coord_count; k++) {
    y[k] = q[joints[serial->entry[k]]] / serial->unit[k];
  }
}

static double limited(double x, double lower, double upper) {
  return x < lower ? lower : x > upper ? upper : x;
}

/* The same angle, as near to the seed as the limits allow. */
static double nearest_turn(double q, double seed, double lower, double upper) {
  if (fabs(seed - q) > 0.5 * turn_rad) {
    q += turn_rad * rint((seed - q) / turn_rad);
  }
  if (q > upper) {
    q -= turn_rad;
  } else if (q < lower) {
    q += turn_rad;
  }
  return q;
}

void sn__coords_to_q(const sn__serial *serial, const int *joints, const double *y,
                     const double *seed, const double *lower, const double *upper, double *q) {
  const sn_tree *tree = &serial->chain->tree;
  for (size_t k = 0; k < serial->coord_count; k++) {
    const int j = joints[serial->entry[k]];
    double value = y[k] * serial->unit[k];
    if (serial->periodic[k]) {
      value = nearest_turn(value, seed[j], lower[j], upper[j]);
    }
    q[j] = limited(value, lower[j], upper[j]); /* corrects rounding only */
  }
  for (size_t i = 0; serial->shared && i < serial->body_count; i++) {
    if (tree->coord[i] != (int)i) {
      q[joints[i]] = tree->q_scale[i] * q[joints[tree->coord[i]]] + tree->q_offset[i];
    }
  }
}
