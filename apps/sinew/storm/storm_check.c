/* What must hold in every cycle, computed from messages and the robot's model alone, not with the
   code under test. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sinew/msg_types.h"
#include "storm/storm.h"

/* Rounding, relative to the limit. */
static const double ROUNDING = 1e-6;

bool storm_violate(storm_run *run, const char *format, ...) {
  if (run->violation[0] == '\0') {
    run->rule = format;
    const int used = snprintf(run->violation, sizeof run->violation,
                              "%.3f s: ", 1e-9 * (double)sn_clock_now_ns(&run->app.clock));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(run->violation + used, sizeof run->violation - (size_t)used, format, arguments);
    va_end(arguments);
  }
  return false;
}

/* ---- the command ---- */

static bool check_joint(storm_run *run, size_t i, double q, double dt_s) {
  const char *name = sn_model_joint(run->model, i)->name;
  const storm_limits *limits = &run->limits[i];
  const storm_memory *m = &run->before;
  if (!isfinite(q)) {
    return storm_violate(run, "joint '%s' is commanded to %g", name, q);
  }
  if (q < limits->lower - 1e-9 || q > limits->upper + 1e-9) {
    return storm_violate(run, "joint '%s' is commanded to %.9g, its limits are %.9g to %.9g", name,
                         q, limits->lower, limits->upper);
  }
  const double v = dt_s > 0.0 ? (q - m->q[i]) / dt_s : 0.0;
  if (dt_s <= 0.0 && q != m->q[i]) {
    return storm_violate(run, "joint '%s' jumps by %g at the same time", name, q - m->q[i]);
  }
  if (fabs(v) > limits->speed * (1.0 + ROUNDING)) {
    return storm_violate(run, "joint '%s' moves at %.9g, its limit is %.9g", name, v,
                         limits->speed);
  }
  const double change = fabs(v - m->v[i]);
  const double allowed = fmax(limits->acceleration, limits->braking) * dt_s;
  if (change > allowed * (1.0 + ROUNDING) + 1e-9 / dt_s) {
    return storm_violate(run, "joint '%s' changes its speed by %.9g in %g s, its limit is %.9g",
                         name, change, dt_s, allowed);
  }
  const double slower = fmax(0.0, fabs(m->v[i]) - limits->braking * dt_s);
  if (m->is_stopped && fabs(v) > slower * (1.0 + ROUNDING) + 1e-9 / dt_s) {
    return storm_violate(run, "joint '%s' moves at %.9g in an emergency stop, %.9g at most", name,
                         v, slower);
  }
  return true;
}

/* Where each joint was measured last: a message may lack servos. */
static void read_measured(storm_run *run) {
  const sn_joint_state *m = sn_tap_read(run->measured, NULL);
  for (size_t k = 0; m != NULL && k < m->position.count && k < m->name.count; k++) {
    const int joint = sn_model_joint_index(run->model, sn_msg_names_at(&m->name, k));
    if (joint >= 0) {
      run->before.measured[joint] = m->position.data[k];
    }
  }
}

/* After a stop in which the servos were frozen, the command restarts exactly where the joints were
   measured before this cycle. Otherwise it goes on as in any other cycle. */
static bool restarts_now(const storm_run *run, const sn_joint_state *sent) {
  const storm_limits *l = run->limits;
  for (size_t i = 0; i < run->joint_count; i++) {
    const double start = fmax(l[i].lower, fmin(l[i].upper, run->before.measured[i]));
    if (l[i].is_driven && fabs(sent->position.data[i] - start) > 1e-9) {
      return false;
    }
  }
  return run->before.may_jump;
}

static void mix(storm_run *run, double q) {
  unsigned char bytes[sizeof q];
  memcpy(bytes, &q, sizeof q);
  for (size_t k = 0; k < sizeof q; k++) {
    run->hash = (run->hash ^ bytes[k]) * UINT64_C(1099511628211);
  }
}

static bool is_limp_in(const sn_servo_goal *limp, const char *joint) {
  for (size_t k = 0; limp != NULL && k < limp->limp.count; k++) {
    if (strcmp(sn_msg_names_at(&limp->name, k), joint) == 0) {
      return limp->limp.data[k];
    }
  }
  return false;
}

/* Limp joints are commanded where they are measured. The first command afterwards begins there, and
   what the two differ by is not a speed. */
static bool is_checked(storm_run *run, size_t i, const sn_servo_goal *limp) {
  enum { CYCLES_AFTER = 2 };
  storm_memory *m = &run->before;
  m->limp[i] = is_limp_in(limp, sn_model_joint(run->model, i)->name);
  if (m->limp[i]) {
    m->limp_left[i] = CYCLES_AFTER;
    return false;
  }
  if (m->limp_left[i] > 0) {
    m->limp_left[i]--;
    return false;
  }
  return run->limits[i].is_driven;
}

static bool check_command(storm_run *run) {
  storm_memory *m = &run->before;
  const sn_joint_state *sent = sn_tap_read(run->command, NULL);
  const sn_servo_goal *limp = sn_tap_read(run->limp, NULL);
  if (sent == NULL || sent->header.stamp_ns == m->stamp_ns) {
    return true;
  }
  if (sent->position.count != run->joint_count) {
    return storm_violate(run, "the command has %zu joints, the robot %zu", sent->position.count,
                         run->joint_count);
  }
  const bool is_first = m->stamp_ns == INT64_MIN;
  const int64_t passed_ns = is_first ? 0 : sent->header.stamp_ns - m->stamp_ns;
  const double dt_s = fmin(1e-9 * (double)passed_ns, run->period_max_s);
  bool good = true;
  m->restarts = is_first || restarts_now(run, sent);
  for (size_t i = 0; i < run->joint_count; i++) {
    const double q = sent->position.data[i];
    if (is_checked(run, i, limp) && !m->restarts) {
      good = check_joint(run, i, q, dt_s) && good;
    } else if (!isfinite(q)) {
      good = storm_violate(run, "joint %zu is commanded to %g", i, q);
    }
    m->v_last[i] = m->v[i];
    m->v[i] = m->restarts ? 0.0 : (q - m->q[i]) / dt_s;
    m->q_last[i] = is_first ? q : m->q[i];
    m->q[i] = q;
    mix(run, q);
  }
  m->stamp_ns = sent->header.stamp_ns;
  m->may_jump = false;
  /* A controller knows the command before the last. After a stall its plan has gone on by all of
     the time that passed, whereas the gate moves on by one cycle. */
  const double passed_s = 1e-9 * (double)passed_ns;
  const double known_s = passed_s + m->passed_s;
  m->passed_s = passed_s;
  m->step_s = dt_s;
  return good && storm_limbs_check(run, known_s) && storm_contact_check(run);
}

/* ---- the rest ---- */

static bool check_goals(storm_run *run) {
  const sn_servo_goal *goals = run->goals == NULL ? NULL : sn_tap_read(run->goals, NULL);
  for (size_t i = 0; goals != NULL && i < goals->goal.count; i++) {
    if (!isfinite(goals->goal.data[i])) {
      return storm_violate(run, "the goal of servo '%s' is %g", sn_msg_names_at(&goals->name, i),
                           goals->goal.data[i]);
    }
  }
  return true;
}

/* Components allocate when they are configured, not while they run. */
static bool check_memory(storm_run *run) {
  size_t sum = 0;
  for (size_t i = 0; i < sn_system_component_count(run->app.system); i++) {
    sum += sn_component_info_of(sn_system_component_at(run->app.system, i)).memory_size;
  }
  if (run->before.memory_size != SIZE_MAX && sum != run->before.memory_size) {
    return storm_violate(run, "components have %zu bytes, a cycle before %zu", sum,
                         run->before.memory_size);
  }
  run->before.memory_size = sum;
  return true;
}

bool storm_check(storm_run *run) {
  const bool good = check_command(run) && check_goals(run) && check_memory(run);
  read_measured(run); /* the gate knows it in the next cycle */
  return good && storm_lines_check(run);
}
