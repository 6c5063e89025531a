/* How far errors scatter depends on the speed: times that jitter, and what a model misses, displace
   a fast joint further than a slow one. So rows count by the inverse of the variance at their
   speed, which the errors of a first descent tell: rest² + (time speed)². */
#include <math.h>

#include "ident/output_error/oe_internal.h"

#define STD_MIN 1e-4 /* rad: positions of a servo at rest repeat themselves */
enum { NEIGHBOURS = 3, REWEIGHTS = 10 };

size_t sn__oe_row_count(const sn__oe_work *w, size_t log_count) {
  size_t count = 0;
  for (size_t k = 0; k < log_count; k++) {
    count += w->logs[k].count;
  }
  return count;
}

void sn__oe_weigh_equally(sn__oe_work *w) {
  const size_t count = sn__oe_row_count(w, w->log_count);
  for (size_t i = 0; i < count; i++) {
    w->rows[i].weight = 1.0;
  }
}

/* The mean speed around a sample. */
static double speed_at(const sn__servo_log *log, size_t i) {
  const sn__log_sample *from = &log->samples[i < NEIGHBOURS ? 0 : i - NEIGHBOURS];
  const sn__log_sample *to =
      &log->samples[i + NEIGHBOURS < log->count ? i + NEIGHBOURS : log->count - 1];
  return (to->position - from->position) / (to->time_s - from->time_s);
}

static void measure(sn__oe_work *w, const double *value) {
  sn__servo_on_load servo = {.params = *w->params};
  sn__oe_to_servo(value, w->is_free, &servo);
  sn__oe_row *row = w->rows;
  for (size_t k = 0; k < w->log_count; k++) {
    const sn__servo_log *log = &w->logs[k];
    sn__servo_simulate(&servo, log, w->plan, w->base);
    for (size_t i = 0; i < log->count; i++, row++) {
      const double error = w->base[i] - log->samples[i].position;
      const double speed = speed_at(log, i);
      row->error_square = error * error;
      row->speed_square = speed * speed;
    }
  }
}

typedef struct variance {
  double rest, per_speed; /* rad², s² */
} variance;

/* Least squares of the squared errors, each with the weight that a normal one has. Neither part is
   negative. */
static variance fit_once(const sn__oe_row *rows, size_t count, variance v) {
  double one = 0.0, x = 0.0, xx = 0.0, y = 0.0, xy = 0.0;
  for (size_t i = 0; i < count; i++) {
    const sn__oe_row *r = &rows[i];
    const double of_row = v.rest + v.per_speed * r->speed_square;
    const double weight = 1.0 / (of_row * of_row);
    one += weight;
    x += weight * r->speed_square;
    xx += weight * r->speed_square * r->speed_square;
    y += weight * r->error_square;
    xy += weight * r->speed_square * r->error_square;
  }
  const double det = one * xx - x * x;
  variance out = {(y * xx - x * xy) / det, (one * xy - x * y) / det};
  if (!(out.per_speed > 0.0)) {
    out = (variance){y / one, 0.0};
  } else if (!(out.rest > 0.0)) {
    out = (variance){0.0, xy / xx};
  }
  out.rest = fmax(out.rest, STD_MIN * STD_MIN);
  return out;
}

void sn__oe_weigh_by_speed(sn__oe_work *w, const double *value) {
  const size_t count = sn__oe_row_count(w, w->log_count);
  measure(w, value);
  variance v = {1.0, 0.0};
  for (int k = 0; k < REWEIGHTS; k++) {
    v = fit_once(w->rows, count, v);
  }
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) {
    w->rows[i].weight = 1.0 / (v.rest + v.per_speed * w->rows[i].speed_square);
    sum += w->rows[i].weight;
  }
  for (size_t i = 0; i < count; i++) {
    w->rows[i].weight *= (double)count / sum;
  }
}
