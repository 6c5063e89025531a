/* One cycle of servo_ident: what was commanded, what was measured, what the model cannot explain.
 */
#include <math.h>
#include <string.h>

#include "ident/ident_component.h"
#include "msg/msg_names_internal.h"

enum { MEASURED_MAX = 256 }; /* messages of one cycle; the others wait */
static const int64_t PROGRESS_NS = 5000000000;

static void complain(sn__ident_component *self, sn_log_limit *limit, sn_log_level level,
                     const char *format, const char *why) {
  const sn_log_arg arg = {.kind = SN_LOG_TEXT, .value.text = why};
  sn_component_log_limited(&self->component, limit, self->now_ns, level, format, 1, &arg);
}

/* ---- the command ---- */

/* Cycles since the last command, by the time that has passed; a new command is a new cycle. */
static size_t count_cycles(sn__ident_component *self, bool is_new) {
  if (!self->has_cycle) {
    self->has_cycle = is_new;
    self->origin_ns = self->now_ns;
    self->cycle = 0;
    return is_new;
  }
  int64_t at = (self->now_ns - self->origin_ns + self->period_ns / 2) / self->period_ns;
  at = is_new && at <= self->cycle ? self->cycle + 1 : at;
  const int64_t passed = at > self->cycle ? at - self->cycle : 0;
  self->cycle += passed;
  return (size_t)passed;
}

/* What is wrong with the pose; NULL: nothing. */
static const char *find_fault(const sn__ident_component *self, const sn_joint_state *in) {
  const sn_msg_names expected = {.table = self->joints, .count = self->count};
  if (!sn__msg_names_equal(&in->name, &expected)) {
    return "its names are not the joints of the robot, in their order";
  }
  if (in->position.count != self->count || in->velocity.count != self->count) {
    return "the numbers of names, positions and velocities differ";
  }
  return in->effort.count != 0 && in->effort.count != self->count
             ? "the numbers of names and efforts differ"
             : NULL;
}

/* What is sent stays in force until something else is sent. The servos refuse the same messages. */
static void take_goals(sn__ident_component *self, const sn_servo_goal *in) {
  const sn__name_map *names = &self->goal_names;
  if (!sn__read_is_good(sn__read_servo_goal(&self->goal_names, in))) {
    return;
  }
  const size_t known = sn__name_map_sort(names, &in->goal, self->goal);
  self->has_goals = self->has_goals || known == self->count;
  for (size_t i = 0; i < self->count; i++) {
    if (names->at[i] >= 0) {
      self->limp[i] = in->limp.count > 0 && in->limp.data[names->at[i]];
    }
  }
}

static void take_command(sn__ident_component *self, double voltage) {
  const sn_joint_state *in = sn_input_newest(&self->joints_sorted);
  const bool is_new = in != NULL;
  const size_t passed = count_cycles(self, is_new);
  size_t left = SN_INPUT_BURST_MAX;
  for (const sn_servo_goal *goals; (goals = sn_input_next(&self->goals, &left)) != NULL;) {
    take_goals(self, goals);
  }
  sn__servo_ident_wait(self->core, is_new && passed > 0 ? passed - 1 : passed);
  if (!is_new) {
    return;
  }
  const char *fault = find_fault(self, in);
  sn_servo_command command = {.q = in->position.data,
                              .qd = in->velocity.data,
                              .tau = in->effort.count == 0 ? NULL : in->effort.data,
                              .goal = self->has_goals ? self->goal : NULL,
                              .limp = self->limp,
                              .voltage = voltage};
  if (fault != NULL) { /* the cycle counts, but has no command */
    command = (sn_servo_command){.q = self->goal, .qd = self->goal, .voltage = (double)NAN};
  }
  if (sn__servo_ident_command(self->core, &command) != SN_OK) {
    complain(self, &self->pose_refused, SN_LOG_ERROR, "joints_sorted: {}: not used",
             fault != NULL ? fault : "a number is not finite");
  }
}

/* ---- measurements ---- */

/* Which servos a message is about. @return what is wrong with it; NULL: nothing */
static const char *look_up(sn__ident_component *self, const sn_joint_state *in) {
  const sn__read_verdict verdict = sn__read_joint_state(&self->measured_names, in, NULL);
  if (verdict != SN__READ_GOOD) {
    return verdict == SN__READ_UNKNOWN ? "a name is not a joint of the robot"
                                       : sn__read_verdict_text(verdict);
  }
  for (size_t i = 0; i < self->count; i++) {
    if (self->measured_names.at[i] >= 0) {
      self->servo[self->measured_names.at[i]] = (int)i;
    }
  }
  return NULL;
}

/* Of a clock that was set back only the first message is lost. */
static const char *check_time(sn__ident_component *self, const sn_joint_state *in) {
  const int64_t stamp_ns = in->header.stamp_ns;
  bool goes_back = false;
  for (size_t i = 0; stamp_ns != 0 && i < in->name.count; i++) {
    goes_back = goes_back || stamp_ns < self->stamps_ns[self->servo[i]];
    self->stamps_ns[self->servo[i]] = stamp_ns;
  }
  return goes_back ? "its time is before that of an earlier one" : NULL;
}

static bool take_one(sn__ident_component *self, const sn_joint_state *in) {
  const char *fault = look_up(self, in);
  fault = fault == NULL ? check_time(self, in) : fault;
  const sn_servo_measured measured = {.count = in->name.count,
                                      .servo = self->servo,
                                      .q = in->position.data,
                                      .qd = in->velocity.count == 0 ? NULL : in->velocity.data};
  if (fault == NULL && sn__servo_ident_measure(self->core, &measured) != SN_OK) {
    fault = "it is not valid";
  }
  if (fault != NULL) {
    complain(self, &self->measured_skipped, SN_LOG_WARNING, "joints_measured: {}: skipped", fault);
  }
  return fault == NULL;
}

/* @return whether there was a good one */
static bool take_measured(sn__ident_component *self) {
  bool is_new = false;
  size_t left = MEASURED_MAX;
  for (const sn_joint_state *in; (in = sn_input_next(&self->joints_measured, &left)) != NULL;) {
    is_new = take_one(self, in) || is_new;
  }
  return is_new;
}

/* ---- what comes of it ---- */

static void log_progress(sn__ident_component *self) {
  if (self->now_ns - self->progress_ns < PROGRESS_NS) {
    return;
  }
  self->progress_ns = self->now_ns;
  const sn_servo_ident_progress progress = sn__servo_ident_progress_now(self->core);
  if (progress.running_count > 0) {
    const sn_log_arg args[] = {
        {.kind = SN_LOG_INT, .value.integer = (int64_t)progress.running_count},
        {.kind = SN_LOG_INT, .value.integer = (int64_t)progress.sample_count_min},
        {.kind = SN_LOG_REAL, .value.real = progress.error_max_rad}};
    sn_component_log(&self->component, self->now_ns, SN_LOG_INFO,
                     "identification of {} servos: at least {} samples of each, mean errors up to "
                     "{} rad",
                     3, args);
  }
}

static sn_status publish_error(sn__ident_component *self) {
  sn_joint_state *out = self->torque_error.msg;
  out->header.stamp_ns = self->now_ns;
  memcpy(out->effort.data, sn__servo_ident_torque_error(self->core),
         self->count * sizeof *out->effort.data);
  return sn_output_write(&self->torque_error);
}

sn_status sn__ident_step(sn_component *component, int64_t now_ns) {
  sn__ident_component *self = (sn__ident_component *)component;
  self->now_ns = now_ns;
  take_command(self, sn__battery_read(&self->battery, &self->battery_state, component, now_ns));
  const bool is_new = take_measured(self);
  log_progress(self);
  return is_new ? publish_error(self) : SN_OK;
}
