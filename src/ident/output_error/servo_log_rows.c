/* What the rows of a log are good for, and where the drive saturates. */
#include <math.h>

#include "ident/output_error/servo_log.h"

#define REST_RAD_S 0.02
#define TOP 0.98            /* of the largest duty: at the limit */
#define BEYOND 1.05         /* times the error at which it is reached: surely beyond */
enum { SATURATED_MIN = 5 }; /* rows, at either end */

static double error_of(const sn__servo_log *log, const sn_servo_params *params, size_t i) {
  const sn__log_sample *s = &log->samples[i];
  return params->kp * log->gain * (s->goal / params->kgear - s->position);
}

static double speed_at(const sn__servo_log *log, size_t i) {
  const size_t reach = 3;
  const size_t first = i < reach ? 0 : i - reach;
  const size_t last = i + reach < log->count ? i + reach : log->count - 1;
  return (log->samples[last].position - log->samples[first].position) /
         (log->samples[last].time_s - log->samples[first].time_s);
}

sn__log_rows sn__servo_log_rows(const sn__servo_log *log, const sn_servo_params *params) {
  sn__log_rows rows = {0};
  const double most = params->ext.drive_max;
  for (size_t i = 0; i < log->count; i++) {
    if (log->samples[i].is_limp) {
      rows.limp++;
    } else if (most > 0.0 && fabs(error_of(log, params, i)) >= most) {
      rows.saturated++;
    } else if (fabs(speed_at(log, i)) < REST_RAD_S) {
      rows.at_rest++;
    } else {
      rows.driven++;
    }
  }
  return rows;
}

/* Least squares of the reported duty on kp times error, below the top. @return 0: no duty */
static double duty_slope(const sn__servo_log *logs, size_t count, const sn_servo_params *params,
                         double top) {
  double product = 0.0;
  double square = 0.0;
  for (size_t k = 0; k < count; k++) {
    for (size_t i = 0; i < logs[k].count; i++) {
      const sn__log_sample *s = &logs[k].samples[i];
      if (!s->is_limp && isfinite(s->duty) && fabs(s->duty) < 0.8 * top) {
        const double error = error_of(&logs[k], params, i);
        product += error * s->duty;
        square += error * error;
      }
    }
  }
  return square > 0.0 ? product / square : 0.0;
}

static double largest_duty(const sn__servo_log *logs, size_t count) {
  double top = 0.0;
  for (size_t k = 0; k < count; k++) {
    for (size_t i = 0; i < logs[k].count; i++) {
      const sn__log_sample *s = &logs[k].samples[i];
      top = !s->is_limp && isfinite(s->duty) ? fmax(top, fabs(s->duty)) : top;
    }
  }
  return top;
}

double sn__servo_logs_top_part(const sn__servo_log *logs, size_t count) {
  const double top = largest_duty(logs, count);
  double at_top = 0.0, rows = 0.0;
  for (size_t k = 0; top > 0.0 && k < count; k++) {
    for (size_t i = 0; i < logs[k].count; i++) {
      const sn__log_sample *s = &logs[k].samples[i];
      const bool counts = !s->is_limp && isfinite(s->duty);
      rows += counts;
      at_top += counts && fabs(s->duty) > TOP * top;
    }
  }
  return rows > 0.0 ? at_top / rows : 0.0;
}

double sn__servo_logs_drive_max(const sn__servo_log *logs, size_t count,
                                const sn_servo_params *params) {
  const double top = largest_duty(logs, count);
  const double slope = duty_slope(logs, count, params, top);
  if (!(fabs(slope) > 0.0)) {
    return 0.0;
  }
  const double limit = top / fabs(slope);
  size_t saturated = 0;
  for (size_t k = 0; k < count; k++) {
    for (size_t i = 0; i < logs[k].count; i++) {
      const sn__log_sample *s = &logs[k].samples[i];
      saturated += !s->is_limp && fabs(s->duty) > TOP * top &&
                   fabs(error_of(&logs[k], params, i)) > BEYOND * limit;
    }
  }
  return saturated >= SATURATED_MIN ? limit : 0.0;
}
