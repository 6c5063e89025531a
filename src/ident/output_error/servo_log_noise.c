/* What a log says about its own measurements: noise at rest and in fast motion, and how far the
   velocity that the servo reports is behind. */
#include <math.h>

#include "ident/output_error/servo_log.h"

#define REST_RAD_S 0.02
#define FAST_PART 0.5 /* of the largest speed */
#define LAG_MAX_S 0.1
#define LAG_PART 0.1 /* of the square of the velocity that a lag may leave unexplained */

enum { LAG_STEPS = 100 };

/* The third difference of a smooth motion is small, that of white noise is 20 times its variance.
 */
static double third_difference(const sn__log_sample *s) {
  return s[3].position - 3.0 * s[2].position + 3.0 * s[1].position - s[0].position;
}

static double speed_between(const sn__log_sample *from, const sn__log_sample *to) {
  return (to->position - from->position) / (to->time_s - from->time_s);
}

sn__log_noise sn__servo_log_noise(const sn__servo_log *log) {
  double top = 0.0;
  for (size_t i = 3; i < log->count; i++) {
    top = fmax(top, fabs(speed_between(&log->samples[i - 3], &log->samples[i])));
  }
  double square[2] = {0}, count[2] = {0};
  for (size_t i = 3; i < log->count; i++) {
    const double speed = fabs(speed_between(&log->samples[i - 3], &log->samples[i]));
    const double d = third_difference(&log->samples[i - 3]);
    const int bin = speed <= REST_RAD_S ? 0 : speed >= FAST_PART * top ? 1 : -1;
    if (bin >= 0) {
      square[bin] += d * d / 20.0;
      count[bin] += 1.0;
    }
  }
  return (sn__log_noise){.rest_rad = count[0] > 0.0 ? sqrt(square[0] / count[0]) : (double)NAN,
                         .fast_rad = count[1] > 0.0 ? sqrt(square[1] / count[1]) : (double)NAN,
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

/* Mean squared difference of the reported velocity and that of the positions a lag before. */
static double lag_cost(const sn__servo_log *log, double lag_s, double *square) {
  const double half_s = 0.01; /* of the difference of positions */
  const double first_s = log->samples[0].time_s + LAG_MAX_S + half_s;
  const double last_s = log->samples[log->count - 1].time_s - half_s;
  size_t before = 0, after = 0;
  double sum = 0.0;
  *square = 0.0;
  for (size_t i = 0; i < log->count; i++) {
    const sn__log_sample *s = &log->samples[i];
    if (s->time_s < first_s || s->time_s > last_s || !isfinite(s->velocity)) {
      continue;
    }
    const double at_s = s->time_s - lag_s;
    const double velocity =
        (position_at(log, at_s + half_s, &after) - position_at(log, at_s - half_s, &before)) /
        (2.0 * half_s);
    sum += (s->velocity - velocity) * (s->velocity - velocity);
    *square += velocity * velocity;
  }
  return sum;
}

double sn__servo_logs_velocity_lag(const sn__servo_log *logs, size_t count) {
  double best_s = 0.0, best = INFINITY, motion = 0.0;
  for (int step = 0; step <= LAG_STEPS; step++) {
    const double lag_s = LAG_MAX_S * step / LAG_STEPS;
    double sum = 0.0, square = 0.0;
    for (size_t k = 0; k < count; k++) {
      double of_log;
      sum += lag_cost(&logs[k], lag_s, &of_log);
      square += of_log;
    }
    motion = fmax(motion, square);
    best_s = sum < best ? lag_s : best_s;
    best = fmin(best, sum);
  }
  /* Registers that hold something else fit no lag. */
  return best < LAG_PART * motion ? best_s : (double)NAN;
}
