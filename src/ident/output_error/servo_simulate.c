#include "ident/output_error/servo_simulate.h"

#include <math.h>

#include "servo/servo_step.h"

enum { FIRST_SAMPLES = 6 }; /* that give the velocity at the start */

/* Which goal is in force. */
typedef struct goals {
  const sn__servo_log *log;
  double delay_s;
  size_t at;
} goals;

/* The goals are held from one sample to the next; within a step that sees two of them their mean in
   time counts, which makes the motion a smooth function of the delay. */
static const sn__log_sample *goal_during(goals *g, double from_s, double h_s, double *goal) {
  const sn__log_sample *s = g->log->samples;
  const double first_s = from_s - g->delay_s;
  while (g->at + 1 < g->log->count && s[g->at + 1].time_s <= first_s) {
    g->at++;
  }
  const sn__log_sample *now = &s[g->at];
  *goal = now->goal;
  if (g->at + 1 < g->log->count) {
    const sn__log_sample *next = now + 1;
    const double part = (first_s + h_s - next->time_s) / h_s;
    if (part > 0.0 && isfinite(next->goal) && isfinite(now->goal)) {
      *goal += fmin(part, 1.0) * (next->goal - now->goal);
    }
  }
  return now;
}

static double first_velocity(const sn__servo_log *log) {
  const size_t last = log->count > FIRST_SAMPLES ? FIRST_SAMPLES : log->count - 1;
  const sn__log_sample *s = log->samples;
  return last == 0 ? 0.0 : (s[last].position - s[0].position) / (s[last].time_s - s[0].time_s);
}

void sn__servo_simulate(const sn__servo_on_load *servo, const sn__servo_log *log, double step_s,
                        double *position) {
  sn_servo_params params = servo->params;
  params.kp *= log->gain;
  const double gravity = sn__pendulum_torque(&log->load);
  sn__servo_input input = {.voltage = log->voltage,
                           .load.inertia_kgm2 = sn__pendulum_inertia(&log->load)};
  goals g = {.log = log, .delay_s = params.ext.delay_s};
  double q = log->samples[0].position;
  double qd = first_velocity(log);
  position[0] = q;
  for (size_t i = 1; i < log->count; i++) {
    const double start_s = log->samples[i - 1].time_s;
    const double span_s = log->samples[i].time_s - start_s;
    const double steps = fmax(1.0, ceil(span_s / step_s));
    const double h_s = span_s / steps;
    for (double k = 0.0; k < steps; k += 1.0) {
      const sn__log_sample *now = goal_during(&g, start_s + k * h_s, h_s, &input.goal);
      input.is_limp = now->is_limp;
      input.load.tau = -gravity * sin(q + 0.5 * h_s * qd + servo->zero_rad);
      sn__servo_step(&params, &input, h_s, &q, &qd);
    }
    position[i] = q;
  }
}

sn__servo_score sn__servo_score_of(const sn__servo_log *log, const double *position) {
  double sum = 0.0;
  double square = 0.0;
  for (size_t i = 0; i < log->count; i++) {
    const double error = position[i] - log->samples[i].position;
    sum += fabs(error);
    square += error * error;
  }
  const double n = (double)log->count;
  return (sn__servo_score){sum / n, sqrt(square / n)};
}
