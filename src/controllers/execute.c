#include "controllers/execute.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "sinew/fault.h"
#include "traj/otg_limits.h"

struct sn_execute {
  const sn_model *model;
  size_t joint_count;
  sn_otg *rest;           /* brakes every joint that no trajectory moves */
  double *q, *qd, *qdd;   /* [joints] commanded */
  bool *is_moved;         /* [joints] by the goal */
  sn_smooth_state path;   /* [joints] of the goal, in its order */
  bool *is_turn;          /* [joints] of the goal, in its order */
  sn_execute_goal goal;   /* while there is one */
  sn_execute_state state; /* of the goal */
  int64_t start_ns;       /* of the trajectory; known once it moves */
  int64_t elapsed_ns;     /* of it */
  int64_t now_ns;         /* of the last step */
  bool has_stepped;
  int culprit;
};

/* ---- creation ---- */

static double or_default(double value, double otherwise) {
  return value == 0.0 ? otherwise : value;
}

static bool is_time(double value) {
  return isfinite(value) && value >= 0.0;
}

static sn_status make_rest(sn_arena *arena, const sn_execute_config *config, sn_execute *self,
                           sn_error *err) {
  const sn__otg_defaults defaults = {
      .velocity = or_default(config->velocity, 10.0),
      .acceleration_time_s = or_default(config->acceleration_time_s, 0.25),
      .jerk_time_s = or_default(config->jerk_time_s, 0.1)};
  sn_otg_limits *limits = SN_NEW(arena, sn_otg_limits, self->joint_count);
  if (limits == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", self->joint_count);
  }
  for (size_t j = 0; j < self->joint_count; j++) {
    limits[j] = sn__otg_limits_of(sn_model_joint(self->model, j), &defaults);
  }
  const sn_otg_config rest = {.joint_count = self->joint_count, .limits = limits};
  return sn_otg_create(arena, &rest, &self->rest, err);
}

sn_status sn__execute_create(sn_arena *arena, const sn_execute_config *config, sn_execute **out,
                             sn_error *err) {
  if (!is_time(config->velocity) || !is_time(config->acceleration_time_s) ||
      !is_time(config->jerk_time_s)) {
    return sn__fail(err, SN_EINVAL, "limits of velocity and times must be finite, 0 or more");
  }
  const size_t n = sn_model_pose_size(config->model);
  sn_execute *self = SN_NEW(arena, sn_execute, 1);
  double *numbers = SN_NEW(arena, double, 6 * n);
  bool *flags = SN_NEW(arena, bool, 2 * n);
  if (self == NULL || numbers == NULL || flags == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", n);
  }
  *self = (sn_execute){.model = config->model,
                       .joint_count = n,
                       .q = numbers,
                       .qd = numbers + n,
                       .qdd = numbers + 2 * n,
                       .path = {numbers + 3 * n, numbers + 4 * n, numbers + 5 * n},
                       .is_moved = flags,
                       .is_turn = flags + n,
                       .culprit = -1};
  const sn_status status = make_rest(arena, config, self, err);
  if (status == SN_OK) {
    *out = self;
  }
  return status;
}

/* ---- goals ---- */

static bool has_goal(const sn_execute *self) {
  return self->state != SN_EXECUTE_NONE && self->state < SN_EXECUTE_DONE;
}

/* From here on the joint brakes. */
static void let_rest(sn_execute *self, size_t joint) {
  const sn_otg_state at = {self->q[joint], self->qd[joint], self->qdd[joint]};
  (void)sn_otg_reset_joint(self->rest, joint, at); /* commanded values are in range */
  self->is_moved[joint] = false;
}

static void end_goal(sn_execute *self, sn_execute_state state) {
  for (size_t j = 0; j < self->joint_count; j++) {
    if (self->is_moved[j]) {
      let_rest(self, j);
    }
  }
  self->state = state;
}

void sn__execute_seed(sn_execute *execute, size_t joint, double q, double qd) {
  SN_ASSERT(joint < execute->joint_count);
  if (has_goal(execute) && execute->is_moved[joint]) {
    end_goal(execute, SN_EXECUTE_CANCELLED);
  }
  execute->q[joint] = q;
  execute->qd[joint] = qd;
  execute->qdd[joint] = 0.0;
  let_rest(execute, joint);
}

void sn__execute_cancel(sn_execute *execute) {
  if (has_goal(execute)) {
    end_goal(execute, SN_EXECUTE_CANCELLED);
  }
}

/* Where the joints of a goal are now, in its order. */
static void gather(sn_execute *self, const sn_execute_goal *goal) {
  for (size_t i = 0; i < sn__trajectory_joint_count(goal->trajectory); i++) {
    const size_t j = (size_t)goal->joints[i];
    self->path.q[i] = self->q[j];
    self->path.qd[i] = self->qd[j];
    self->path.qdd[i] = self->qdd[j];
    self->is_turn[i] = sn_model_joint(self->model, j)->type == SN_JOINT_CONTINUOUS;
  }
}

static bool is_beyond(double distance, double tolerance) {
  return tolerance > 0.0 && !(fabs(distance) <= tolerance);
}

int sn__execute_begin(sn_execute *execute, const sn_execute_goal *goal) {
  const size_t n = sn__trajectory_joint_count(goal->trajectory);
  gather(execute, goal);
  sn__trajectory_start(goal->trajectory, &execute->path, execute->is_turn);
  for (size_t i = 0; i < n && sn__trajectory_has_begin(goal->trajectory); i++) {
    const double distance = sn__trajectory_first(goal->trajectory, i) - execute->path.q[i];
    if (is_beyond(distance, goal->start_tolerance[i])) {
      return (int)i;
    }
  }
  end_goal(execute, SN_EXECUTE_NONE);
  execute->goal = *goal;
  execute->state = SN_EXECUTE_WAITING;
  execute->elapsed_ns = 0;
  execute->culprit = -1;
  return -1;
}

/* ---- every cycle ---- */

static void set_off(sn_execute *self, int64_t now_ns) {
  const sn_execute_goal *goal = &self->goal;
  gather(self, goal); /* the joints may have braked while it waited */
  sn__trajectory_start(goal->trajectory, &self->path, self->is_turn);
  for (size_t i = 0; i < sn__trajectory_joint_count(goal->trajectory); i++) {
    self->is_moved[goal->joints[i]] = true;
  }
  /* A goal whose start time has passed since the last step begins at that time, not a cycle late.
   */
  self->start_ns = self->has_stepped && goal->start_ns > self->now_ns ? goal->start_ns : now_ns;
  self->state = SN_EXECUTE_MOVING;
}

static void move(sn_execute *self, int64_t now_ns) {
  const sn_execute_goal *goal = &self->goal;
  self->elapsed_ns = now_ns - self->start_ns;
  sn__trajectory_at(goal->trajectory, 1e-9 * (double)self->elapsed_ns, &self->path);
  for (size_t i = 0; i < sn__trajectory_joint_count(goal->trajectory); i++) {
    const int j = goal->joints[i];
    self->q[j] = self->path.q[i];
    self->qd[j] = self->path.qd[i];
    self->qdd[j] = self->path.qdd[i];
  }
}

/* @return the first joint that is too far from what is commanded; -1: none */
static int find_failed_joint(const sn_execute *self, const double *measured,
                             const double *tolerance) {
  const sn_execute_goal *goal = &self->goal;
  for (size_t i = 0; measured != NULL && i < sn__trajectory_joint_count(goal->trajectory); i++) {
    if (is_beyond(measured[goal->joints[i]] - self->path.q[i], tolerance[i])) {
      return (int)i;
    }
  }
  return -1;
}

static void look(sn_execute *self, const double *measured) {
  const double late_s =
      1e-9 * (double)self->elapsed_ns - sn__trajectory_duration(self->goal.trajectory);
  if (late_s < 0.0) {
    self->culprit = find_failed_joint(self, measured, self->goal.path_tolerance);
    if (self->culprit >= 0) {
      end_goal(self, SN_EXECUTE_OFF_PATH);
    }
    return;
  }
  self->culprit = find_failed_joint(self, measured, self->goal.goal_tolerance);
  if (self->culprit < 0) {
    end_goal(self, SN_EXECUTE_DONE);
  } else if (late_s >= self->goal.goal_time_s) {
    end_goal(self, SN_EXECUTE_OFF_GOAL);
  } else {
    self->state = SN_EXECUTE_SETTLING;
  }
}

/* Joints that no goal moves. */
static void rest(sn_execute *self, double dt_s, const sn_smooth_state *out) {
  sn_otg_step(self->rest, dt_s, out->q, out->qd, out->qdd);
  for (size_t j = 0; j < self->joint_count; j++) {
    if (!self->is_moved[j]) {
      self->q[j] = out->q[j];
      self->qd[j] = out->qd[j];
      self->qdd[j] = out->qdd[j];
    }
  }
}

sn_execute_state sn__execute_step(sn_execute *execute, int64_t now_ns, const double *measured,
                                  const sn_smooth_state *out) {
  sn_execute *self = execute;
  const double dt_s = self->has_stepped ? fmax(1e-9 * (double)(now_ns - self->now_ns), 0.0) : 0.0;
  rest(self, dt_s, out);
  if (self->state == SN_EXECUTE_WAITING && now_ns >= self->goal.start_ns) {
    set_off(self, now_ns);
  }
  if (self->state == SN_EXECUTE_MOVING || self->state == SN_EXECUTE_SETTLING) {
    move(self, now_ns);
    look(self, measured);
  }
  self->now_ns = now_ns;
  self->has_stepped = true;
  const size_t bytes = self->joint_count * sizeof(double);
  memcpy(out->q, self->q, bytes);
  memcpy(out->qd, self->qd, bytes);
  memcpy(out->qdd, self->qdd, bytes);
  const sn_execute_state state = self->state;
  if (!has_goal(self)) {
    self->state = SN_EXECUTE_NONE;
  }
  return state;
}

/* ---- queries ---- */

int64_t sn__execute_elapsed_ns(const sn_execute *execute) {
  return execute->elapsed_ns;
}

int sn__execute_failed_joint(const sn_execute *execute) {
  return execute->culprit;
}
