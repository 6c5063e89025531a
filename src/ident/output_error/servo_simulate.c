#include "ident/output_error/servo_simulate.h"

#include <math.h>

#include "servo/servo_step.h"

enum {
  FIRST_SAMPLES = 2, /* that give the state at the start */
  NEIGHBOURS = 4     /* on each side that give a state in between */
};
#define CLEAR_RAD 0.01
#define TICK_S 1e-9 /* times that are nearer are the same */

/* Which goal is in force. */
typedef struct goals {
  const sn__servo_log *log;
  double delay_s;
  size_t at;
} goals;

/* The sample whose goal is in force at a time, which never goes back, and how long it stays so. */
static const sn__log_sample *goal_at(goals *g, double time_s, double *left_s) {
  const sn__log_sample *s = g->log->samples;
  const double sent_s = time_s - g->delay_s + TICK_S;
  while (g->at + 1 < g->log->count && s[g->at + 1].time_s <= sent_s) {
    g->at++;
  }
  *left_s = g->at + 1 < g->log->count ? s[g->at + 1].time_s + g->delay_s - time_s : INFINITY;
  return &s[g->at];
}

/* The length of the next step, at most @p most_s, and what drives it. A goal that changes before
   its end ends it there, or acts for its part of it. */
static double next_step(goals *g, const sn__servo_plan *plan, double time_s, double most_s,
                        sn__servo_input *input) {
  double left_s;
  const sn__log_sample *now = goal_at(g, time_s, &left_s);
  input->goal = now->goal;
  input->is_limp = now->is_limp;
  const double whole_s = most_s / ceil(most_s / plan->step_s);
  if (left_s >= whole_s) {
    return whole_s;
  }
  if (plan->mixes_goals && now[1].is_limp == now->is_limp) {
    const double part = left_s / whole_s;
    input->goal = part * now->goal + (1.0 - part) * now[1].goal;
    return whole_s;
  }
  return left_s / ceil(left_s / plan->step_s);
}

static size_t first_last(const sn__servo_log *log) {
  return log->count > FIRST_SAMPLES ? FIRST_SAMPLES : log->count - 1;
}

/* A log usually begins at rest, and often with a jump of the goal: only a clear motion between the
   first samples is a velocity, noise and the beginning of a motion are not. */
bool sn__servo_log_begins_moving(const sn__servo_log *log) {
  const sn__log_sample *s = log->samples;
  return fabs(s[first_last(log)].position - s[0].position) >= CLEAR_RAD;
}

/* At rest the mean of the first positions is nearer than any of them. */
static void first_state(const sn__servo_log *log, double *q, double *qd) {
  const sn__log_sample *s = log->samples;
  const size_t last = first_last(log);
  if (sn__servo_log_begins_moving(log)) {
    *q = s[0].position;
    *qd = (s[last].position - s[0].position) / (s[last].time_s - s[0].time_s);
    return;
  }
  *q = *qd = 0.0;
  for (size_t i = 0; i <= last; i++) {
    *q += s[i].position / (double)(last + 1);
  }
}

/* Where the log is and how fast, by least squares over the neighbours. */
static void state_at(const sn__servo_log *log, size_t at, double *q, double *qd) {
  const size_t first = at < NEIGHBOURS ? 0 : at - NEIGHBOURS;
  const size_t last = at + NEIGHBOURS < log->count ? at + NEIGHBOURS : log->count - 1;
  const double n = (double)(last - first + 1);
  double t_mean = 0.0, q_mean = 0.0, tt = 0.0, tq = 0.0;
  for (size_t i = first; i <= last; i++) {
    t_mean += log->samples[i].time_s / n;
    q_mean += log->samples[i].position / n;
  }
  for (size_t i = first; i <= last; i++) {
    const double t = log->samples[i].time_s - t_mean;
    tt += t * t;
    tq += t * log->samples[i].position;
  }
  *qd = tt > 0.0 ? tq / tt : 0.0;
  *q = q_mean + *qd * (log->samples[at].time_s - t_mean);
}

void sn__servo_simulate(const sn__servo_on_load *servo, const sn__servo_log *log,
                        sn__servo_plan plan, double *position) {
  sn_servo_params params = servo->params;
  params.kp *= log->gain;
  const double gravity = sn__pendulum_torque(&log->load);
  const double zero_rad = servo->zero_rad - log->load.hangs_rad;
  sn__servo_input input = {.voltage = log->voltage,
                           .load.inertia_kgm2 = sn__pendulum_inertia(&log->load)};
  goals g = {.log = log, .delay_s = params.ext.delay_s};
  double q, qd;
  first_state(log, &q, &qd);
  q += plan.first_rad;
  qd += plan.first_rad_s;
  position[0] = q;
  double begun_s = log->samples[0].time_s;
  for (size_t i = 1; i < log->count; i++) {
    const double end_s = log->samples[i].time_s;
    double time_s = log->samples[i - 1].time_s;
    if (plan.restart_s > 0.0 && time_s - begun_s >= plan.restart_s) {
      state_at(log, i - 1, &q, &qd);
      begun_s = time_s;
    }
    while (end_s - time_s > TICK_S) {
      const double h_s = next_step(&g, &plan, time_s, end_s - time_s, &input);
      input.load.tau = -gravity * sin(q + 0.5 * h_s * qd + zero_rad);
      sn__servo_step(&params, &input, h_s, &q, &qd);
      time_s += h_s;
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
