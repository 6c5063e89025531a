/* What a log says about its own measurements: noise at rest and in fast motion, and how far the
   velocity that the servo reports is behind. */
#include <math.h>

#include "ident/output_error/servo_log.h"

#define REST_RAD_S 0.02
#define FAST_PART 0.5 /* of the largest speed */
#define LAG_MAX_S 0.1
#define LAG_PART 0.1 /* of the square of the velocity that a lag may leave unexplained */

enum { LAG_STEPS = 100 };

/* What four neighbours differ from a parabola by, whose squares have the mean of those of white
   noise. Times may be uneven. @param simulated  subtracted, or NULL */
static double off_parabola(const sn__log_sample *s, const double *simulated) {
  double sum = 0.0;
  double square = 0.0;
  for (size_t i = 0; i < 4; i++) {
    double below = 1.0;
    for (size_t k = 0; k < 4; k++) {
      below *= k == i ? 1.0 : s[i].time_s - s[k].time_s;
    }
    sum += (s[i].position - (simulated == NULL ? 0.0 : simulated[i])) / below;
    square += 1.0 / (below * below);
  }
  return sum / sqrt(square);
}

static double speed_between(const sn__log_sample *from, const sn__log_sample *to) {
  return (to->position - from->position) / (to->time_s - from->time_s);
}

enum { REST, FAST, BINS };

/* Of a smooth motion, or of what a simulation leaves of it. */
static void measure(const sn__servo_log *log, const double *simulated, double fast_rad_s,
                    double std[BINS]) {
  double square[BINS] = {0}, count[BINS] = {0};
  for (size_t i = 3; i < log->count; i++) {
    const double speed = fabs(speed_between(&log->samples[i - 3], &log->samples[i]));
    const double d =
        off_parabola(&log->samples[i - 3], simulated == NULL ? NULL : simulated + i - 3);
    const int bin = speed <= REST_RAD_S ? REST : speed >= fast_rad_s ? FAST : BINS;
    if (bin < BINS) {
      square[bin] += d * d;
      count[bin] += 1.0;
    }
  }
  for (int bin = 0; bin < BINS; bin++) {
    std[bin] = count[bin] > 0.0 ? sqrt(square[bin] / count[bin]) : (double)NAN;
  }
}

/* A motion that samples are too rare for is no parabola, so the simulation is subtracted: noise is
   not above either. */
sn__log_noise sn__servo_log_noise(const sn__servo_log *log, const double *simulated) {
  double top = 0.0;
  for (size_t i = 3; i < log->count; i++) {
    top = fmax(top, fabs(speed_between(&log->samples[i - 3], &log->samples[i])));
  }
  double std[BINS], other[BINS];
  measure(log, NULL, FAST_PART * top, std);
  measure(log, simulated, FAST_PART * top, other);
  return (sn__log_noise){.rest_rad = fmin(std[REST], other[REST]),
                         .fast_rad = fmin(std[FAST], other[FAST]),
                         .fast_rad_s = FAST_PART * top};
}

/* The position at a time within the log, between two samples. @param at  a hint that grows */
static double position_at(const sn__servo_log *log, double time_s, size_t *at) {
  const sn__log_sample *s = log->samples;
  while (*at + 2 < log->count && s[*at + 1].time_s <= time_s) {
    (*at)++;
  }
  const double part = (time_s - s[*at].time_s) / (s[*at + 1].time_s - s[*at].time_s);
  return s[*at].position + part * (s[*at + 1].position - s[*at].position);
}

/* Products of the reported velocity and of that of the positions a lag before. */
typedef struct products {
  double of_reported, of_both, of_motion;
} products;

static void add_products(const sn__servo_log *log, double lag_s, products *p) {
  const double half_s = 0.01; /* of the difference of positions */
  const double first_s = log->samples[0].time_s + LAG_MAX_S + half_s;
  const double last_s = log->samples[log->count - 1].time_s - half_s;
  size_t before = 0, after = 0;
  for (size_t i = 0; i < log->count; i++) {
    const sn__log_sample *s = &log->samples[i];
    if (s->time_s < first_s || s->time_s > last_s || !isfinite(s->velocity)) {
      continue;
    }
    const double at_s = s->time_s - lag_s;
    const double velocity =
        (position_at(log, at_s + half_s, &after) - position_at(log, at_s - half_s, &before)) /
        (2.0 * half_s);
    p->of_reported += s->velocity * s->velocity;
    p->of_both += s->velocity * velocity;
    p->of_motion += velocity * velocity;
  }
}

/* The lag, and the unit, that leave least of the velocity unexplained. */
sn__velocity_register sn__servo_logs_velocity(const sn__servo_log *logs, size_t count) {
  sn__velocity_register found = {(double)NAN, (double)NAN};
  double most = 1.0 - LAG_PART; /* registers that hold something else fit no lag */
  for (int step = 0; step <= LAG_STEPS; step++) {
    const double lag_s = LAG_MAX_S * step / LAG_STEPS;
    products p = {0};
    for (size_t k = 0; k < count; k++) {
      add_products(&logs[k], lag_s, &p);
    }
    const double explained = p.of_both * p.of_both / (p.of_reported * p.of_motion);
    if (explained > most) { /* false if NaN */
      most = explained;
      found = (sn__velocity_register){lag_s, p.of_both / p.of_reported};
    }
  }
  return found;
}
