/* How simulated positions depend on the parameters, by differences, and on where the log begins. */
#include <math.h>
#include <string.h>

#include "ident/output_error/oe_internal.h"

/* Units by which a parameter moves. Far from the minimum they shall reach over what is rough; near
   it an error of the slope would end the descent too early. */
#define DIFFERENCE_FAR 2e-3
#define DIFFERENCE_NEAR 2e-4
#define DIFFERENCE_UNBOUND 0.1 /* of that, where the unit is rad or s */
#define DIFFERENCE_FIRST 2e-5  /* rad or rad/s */
/* What noise may be. */
static const double first_max[SN__OE_FIRST_COUNT] = {0.02, 2.0};

static double difference_of(const sn__oe_work *w, sn__oe_param which) {
  const double units = w->is_near ? DIFFERENCE_NEAR : DIFFERENCE_FAR;
  return sn__oe_is_positive(which) ? units : DIFFERENCE_UNBOUND * units;
}

sn__servo_plan sn__oe_plan(const sn__oe_work *w, sn__oe_first first) {
  sn__servo_plan plan = w->plan;
  plan.first_rad = sn__oe_frees_first(w) ? first.by[SN__OE_FIRST_POSITION] : 0.0;
  plan.first_rad_s = sn__oe_frees_first(w) ? first.by[SN__OE_FIRST_VELOCITY] : 0.0;
  return plan;
}

/* Simulate a log, and subtract what was before. */
static void find_slope(const sn__oe_work *w, const sn__servo_on_load *servo, size_t k,
                       sn__oe_first first, double step, double *slope) {
  sn__servo_simulate(servo, &w->logs[k], sn__oe_plan(w, first), slope);
  for (size_t i = 0; i < w->logs[k].count; i++) {
    slope[i] = (slope[i] - w->base[i]) / step;
  }
}

static double *column_of(const sn__oe_work *w, size_t c) {
  return w->slopes + c * w->sample_max;
}

/* A part of a column is that of another one. @return how much */
static double part_of(const sn__oe_work *w, size_t k, const double *column, const double *other) {
  const sn__servo_log *log = &w->logs[k];
  const sn__oe_row *rows = w->rows + sn__oe_row_count(w, k);
  double square = 1e-9; /* a log that does not move on from there */
  double product = 0.0;
  for (size_t i = 0; i < log->count; i++) {
    const double error = w->base[i] - log->samples[i].position;
    const double x = rows[i].weight * sn__oe_weight(error) * other[i];
    square += x * other[i];
    product += x * column[i];
  }
  return product / square;
}

static void subtract(size_t count, double part, const double *other, double *column) {
  for (size_t i = 0; i < count; i++) {
    column[i] -= part * other[i];
  }
}

/* Eliminate one number of the beginning of a log: what is left is what it cannot explain. */
static void eliminate(sn__oe_work *w, size_t k, size_t which) {
  const sn__servo_log *log = &w->logs[k];
  sn__oe_first_effect *effect = &w->effects[k];
  const double *other = column_of(w, w->free_count + which);
  for (size_t c = 0; c < w->free_count; c++) {
    const double part = part_of(w, k, column_of(w, c), other);
    effect->gain[which][c] = -part;
    subtract(log->count, part, other, column_of(w, c));
  }
  double *errors = column_of(w, w->free_count + SN__OE_FIRST_COUNT);
  for (size_t i = 0; i < log->count; i++) {
    errors[i] = w->base[i] - log->samples[i].position;
  }
  const double part = part_of(w, k, errors, other);
  effect->step[which] = -part;
  subtract(log->count, part, other, w->base);
}

static void find_first_slope(const sn__oe_work *w, const sn__servo_on_load *servo, size_t k,
                             size_t which) {
  sn__oe_first moved = w->first[k];
  moved.by[which] += DIFFERENCE_FIRST;
  find_slope(w, servo, k, moved, DIFFERENCE_FIRST, column_of(w, w->free_count + which));
}

/* A log that begins at rest has no velocity to find. */
static void find_first_slopes(sn__oe_work *w, const sn__servo_on_load *servo, size_t k) {
  find_first_slope(w, servo, k, SN__OE_FIRST_POSITION);
  if (sn__servo_log_begins_moving(&w->logs[k])) {
    find_first_slope(w, servo, k, SN__OE_FIRST_VELOCITY);
  } else {
    memset(column_of(w, w->free_count + SN__OE_FIRST_VELOCITY), 0,
           w->logs[k].count * sizeof(double));
  }
}

/* The velocity first, also out of the effect of the position. */
static void eliminate_first(sn__oe_work *w, size_t k) {
  const double *by_velocity = column_of(w, w->free_count + SN__OE_FIRST_VELOCITY);
  double *by_position = column_of(w, w->free_count + SN__OE_FIRST_POSITION);
  const double part = part_of(w, k, by_position, by_velocity);
  w->effects[k].of_position = -part;
  subtract(w->logs[k].count, part, by_velocity, by_position);
  eliminate(w, k, SN__OE_FIRST_VELOCITY);
  eliminate(w, k, SN__OE_FIRST_POSITION);
}

void sn__oe_slopes(sn__oe_work *w, const double *value, size_t k) {
  sn__servo_on_load servo = {.params = *w->params};
  sn__oe_to_servo(value, w->is_free, &servo);
  sn__servo_simulate(&servo, &w->logs[k], sn__oe_plan(w, w->first[k]), w->base);
  if (sn__oe_frees_first(w)) {
    find_first_slopes(w, &servo, k);
  }
  for (size_t c = 0; c < w->free_count; c++) {
    const sn__oe_param which = w->free[c];
    double moved[SN__OE_COUNT];
    memcpy(moved, value, sizeof moved);
    const double step = difference_of(w, which);
    moved[which] = sn__oe_moved(which, value[which], w->size[which], step);
    sn__oe_to_servo(moved, w->is_free, &servo);
    find_slope(w, &servo, k, w->first[k], step, column_of(w, c));
  }
  if (sn__oe_frees_first(w)) {
    eliminate_first(w, k);
  }
}

sn__oe_first sn__oe_first_after(const sn__oe_work *w, size_t k, const double *step) {
  sn__oe_first after = w->first[k];
  if (!sn__oe_frees_first(w)) {
    return after;
  }
  const sn__oe_first_effect *effect = &w->effects[k];
  sn__oe_first by;
  for (size_t which = 0; which < SN__OE_FIRST_COUNT; which++) {
    by.by[which] = effect->step[which];
    for (size_t c = 0; c < w->free_count; c++) {
      by.by[which] += effect->gain[which][c] * step[c];
    }
  }
  by.by[SN__OE_FIRST_VELOCITY] += effect->of_position * by.by[SN__OE_FIRST_POSITION];
  for (size_t which = 0; which < SN__OE_FIRST_COUNT; which++) {
    const double most = first_max[which];
    after.by[which] = fmax(-most, fmin(after.by[which] + by.by[which], most));
  }
  return after;
}
