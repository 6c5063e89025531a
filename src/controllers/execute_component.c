/* The cycle and the lifecycle of controllers that execute goals of joints. */
#include "controllers/execute_component.h"

#include <string.h>

#include "arbiter/controller_internal.h"
#include "base/fail.h"

typedef sn__execute_component executor;

void sn__execute_component_owned_changed(sn_component *component, const bool *had) {
  executor *self = (executor *)component;
  const sn_controller *c = &self->controller;
  for (size_t j = 0; j < c->joint_count; j++) {
    if (c->owned[j] && !had[j]) {
      sn__execute_seed(self->execute, j, c->pose[j], c->pose_velocity[j]);
    }
  }
}

static const sn__joint_goal *content_of(const executor *self) {
  return self->goal->content;
}

/* ---- supports ---- */

static size_t count_chains(const executor *self) {
  return sn_names_count(sn_model_chain_names(self->controller.model));
}

static void begin_supports(executor *self) {
  memset(self->is_support, 0, count_chains(self) * sizeof *self->is_support);
}

/* After the end of a goal its last supports remain. */
static void set_supports(executor *self) {
  const sn__goal_supports *supports = self->goal == NULL ? NULL : &content_of(self)->supports;
  const double t_s = 1e-9 * (double)sn__execute_elapsed_ns(self->execute);
  for (size_t i = 0; supports != NULL && i < supports->count; i++) {
    self->is_support[supports->chains[i]] = sn__goal_supports_at(supports, i, t_s);
  }
  for (size_t i = 0; i < count_chains(self); i++) {
    sn_controller_set_support(&self->controller, i, self->is_support[i] ? 1.0 : 0.0);
  }
}

/* ---- goals ---- */

static void publish_state(executor *self) {
  sn_trajectory_state *out = self->trajectory_state.msg;
  out->header.stamp_ns = atomic_load(&self->goals.now_ns);
  out->time_from_start_ns = sn__execute_elapsed_ns(self->execute);
  atomic_store(&self->goal->elapsed_ns, out->time_from_start_ns);
  out->actual.count = self->has_measured ? out->desired.count : 0;
  for (size_t i = 0; i < out->desired.count; i++) {
    const int j = content_of(self)->execute.joints[i];
    out->desired.data[i] = self->command.q[j];
    if (self->has_measured) {
      out->actual.data[i] = self->measured[j];
    }
  }
  (void)sn_output_write(&self->trajectory_state); /* a small reader is counted there */
}

/* Publish the end of the goal, then return it to the senders. The joint is one of the goal; -1:
   none. */
static void end_goal(executor *self, sn_trajectory_status status, sn_trajectory_error error,
                     const char *text, int joint) {
  sn_trajectory_state *out = self->trajectory_state.msg;
  out->state = (uint8_t)status;
  out->error_code = error;
  (void)sn_msg_text_set(&out->message, text);
  publish_state(self);
  const char *name = joint < 0 ? NULL
                               : sn_model_joint(self->controller.model,
                                                (size_t)content_of(self)->execute.joints[joint])
                                     ->name;
  sn__execute_cancel(self->execute); /* the goal is not used from here on */
  sn__goal_end_with(self->goal, (sn__goal_end){status, error, text, name});
  self->goal = NULL;
}

static void describe_goal(executor *self) {
  sn_trajectory_state *out = self->trajectory_state.msg;
  const size_t n = sn__trajectory_joint_count(content_of(self)->execute.trajectory);
  out->goal_id = self->goal->id;
  out->duration_ns = self->goal->duration_ns;
  out->time_from_start_ns = 0;
  out->error_code = SN_TRAJECTORY_SUCCESSFUL;
  (void)sn_msg_text_set(&out->message, "");
  sn_msg_names_clear(&out->name);
  for (size_t i = 0; i < n; i++) {
    const char *name =
        sn_model_joint(self->controller.model, (size_t)content_of(self)->execute.joints[i])->name;
    (void)sn_msg_names_add(&out->name, name, strlen(name)); /* no more than the pose has */
  }
  out->desired.count = n;
}

static void begin_goal(executor *self, sn__goal *goal) {
  if (self->goal != NULL) {
    end_goal(self, SN_TRAJECTORY_CANCELED, SN_TRAJECTORY_SUCCESSFUL, "replaced by another goal",
             -1);
  }
  self->goal = goal;
  describe_goal(self);
  const char *refusal = sn__goal_take_limbs(self->goal, &self->controller, &self->is_goals_limbs);
  if (refusal != NULL) {
    end_goal(self, SN_TRAJECTORY_ABORTED, SN_TRAJECTORY_INVALID_GOAL, refusal, -1);
    return;
  }
  begin_supports(self);
  const int joint = sn__execute_begin(self->execute, &content_of(self)->execute);
  if (joint >= 0) {
    end_goal(self, SN_TRAJECTORY_ABORTED, SN_TRAJECTORY_INVALID_GOAL,
             "a joint is too far from where it begins", joint);
  }
}

static void handle_goals(executor *self) {
  sn__goal *next = sn__goals_take(&self->goals);
  if (next != NULL) {
    begin_goal(self, next);
  }
  if (self->goal != NULL && !sn__goal_is_owned(self->goal, &self->controller)) {
    end_goal(self, SN_TRAJECTORY_ABORTED, SN_TRAJECTORY_INVALID_GOAL, "a limb was taken from it",
             -1);
  }
  if (self->goal != NULL && atomic_load(&self->goal->must_cancel)) {
    sn__execute_cancel(self->execute);
  }
}

static void continue_goal(executor *self, sn_trajectory_status status) {
  ((sn_trajectory_state *)self->trajectory_state.msg)->state = (uint8_t)status;
  atomic_store(&self->goal->status, status);
  publish_state(self);
}

static void handle_state(executor *self, sn_execute_state state) {
  const int joint = sn__execute_failed_joint(self->execute);
  switch (state) {
    case SN_EXECUTE_NONE:
      break;
    case SN_EXECUTE_WAITING:
      continue_goal(self, SN_TRAJECTORY_ACCEPTED);
      break;
    case SN_EXECUTE_MOVING:
    case SN_EXECUTE_SETTLING:
      continue_goal(self, SN_TRAJECTORY_EXECUTING);
      break;
    case SN_EXECUTE_DONE:
      end_goal(self, SN_TRAJECTORY_SUCCEEDED, SN_TRAJECTORY_SUCCESSFUL, "", -1);
      break;
    case SN_EXECUTE_OFF_PATH:
      end_goal(self, SN_TRAJECTORY_ABORTED, SN_TRAJECTORY_OFF_PATH,
               "a joint was too far off the path", joint);
      break;
    case SN_EXECUTE_OFF_GOAL:
      end_goal(self, SN_TRAJECTORY_ABORTED, SN_TRAJECTORY_OFF_GOAL,
               "a joint did not get to the end in time", joint);
      break;
    case SN_EXECUTE_CANCELLED:
      end_goal(self, SN_TRAJECTORY_CANCELED, SN_TRAJECTORY_SUCCESSFUL, "cancelled", -1);
      break;
  }
}

/* ---- every cycle ---- */

/* Are its joints at rest, also behind the aggregator, which may lag a little? */
static bool is_at_rest(const sn_controller *c) {
  for (size_t j = 0; j < c->joint_count; j++) {
    if (c->owned[j] && (c->qd[j] != 0.0 || c->pose_velocity[j] != 0.0)) {
      return false;
    }
  }
  return true;
}

/* Limbs that were taken for a goal are released once they are at rest. */
static void finish(executor *self) {
  if (self->is_goals_limbs && self->release_when_done && self->goal == NULL &&
      is_at_rest(&self->controller)) {
    sn_controller_release(&self->controller);
    self->is_goals_limbs = false;
  }
}

static void store_pose(executor *self) {
  const sn_controller *c = &self->controller;
  for (size_t j = 0; j < c->joint_count; j++) {
    atomic_store_explicit(&self->pose_now[j], c->owned[j] ? c->q[j] : c->pose[j],
                          memory_order_relaxed);
  }
}

sn_status sn__execute_component_step(sn_component *component, int64_t now_ns) {
  executor *self = (executor *)component;
  atomic_store(&self->goals.now_ns, now_ns);
  sn__controller_read_measured(&self->controller, &self->in_joints_measured, &self->measured_names,
                               self->measured, &self->has_measured);
  (void)sn_controller_begin_step(&self->controller, now_ns);
  handle_goals(self);
  const sn_execute_state state = sn__execute_step(
      self->execute, now_ns, self->has_measured ? self->measured : NULL, &self->command);
  set_supports(self);
  if (self->goal != NULL) {
    handle_state(self, state);
  }
  const sn_status status = sn_controller_publish(&self->controller);
  store_pose(self);
  finish(self);
  return status;
}

/* ---- lifecycle ---- */

sn_status sn__execute_component_create(sn_component *component, sn__goal_reader *reader,
                                       void *context, sn_error *err) {
  executor *self = (executor *)component;
  sn_controller *c = &self->controller;
  sn_arena *arena = sn_component_arena(component);
  self->measured = SN_NEW(arena, double, c->joint_count);
  self->pose_now = SN_NEW(arena, _Atomic(double), c->joint_count);
  self->command = (sn_smooth_state){c->q, c->qd, SN_NEW(arena, double, c->joint_count)};
  self->is_support = SN_NEW(arena, bool, count_chains(self));
  if (self->measured == NULL || self->pose_now == NULL || self->command.qdd == NULL ||
      self->is_support == NULL ||
      !sn__name_map_init(&self->measured_names, arena, sn_model_joint_names(c->model))) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", c->joint_count);
  }
  c->has_velocity = true;
  sn__goals_init(&self->goals);
  self->defaults.controller = c;
  self->defaults.goals = &self->goals;
  self->defaults.pose_now = self->pose_now;
  self->defaults.limits =
      (sn__otg_defaults){.velocity = 10.0,
                         .acceleration_time_s = self->limits.acceleration_time_s,
                         .jerk_time_s = 0.1};
  self->goals.reader = reader;
  self->goals.context = context;
  sn_execute_config config = self->limits;
  config.model = c->model;
  return sn__execute_create(arena, &config, &self->execute, err);
}

sn_status sn__execute_component_start(sn_component *component, int64_t now_ns, sn_error *err) {
  executor *self = (executor *)component;
  self->has_measured = false;
  self->goal = NULL;
  self->is_goals_limbs = false;
  begin_supports(self);
  atomic_store(&self->goals.now_ns, now_ns);
  sn__goals_open(&self->goals, component->system);
  return sn_controller_start(component, now_ns, err);
}

void sn__execute_component_stop(sn_component *component) {
  executor *self = (executor *)component;
  sn__execute_cancel(self->execute);
  self->goal = NULL;
  sn__goals_close(&self->goals);
}

void sn__execute_component_dispose(sn_component *component) {
  sn__goals_dispose(&((executor *)component)->goals);
}

/* ---- operations, in the thread of the caller ---- */

sn_status sn__execute_component_execute(sn_component *component, const void *request,
                                        void *response, sn_error *err) {
  executor *self = (executor *)component;
  return sn__goals_run_execute(&self->goals, request, SN_TRAJECTORY_INVALID_GOAL, response, err);
}

sn_status sn__execute_component_cancel(sn_component *component, const void *request, void *response,
                                       sn_error *err) {
  (void)err;
  return sn__goals_run_cancel(&((executor *)component)->goals, request, response);
}

sn_status sn__execute_component_get_goal(sn_component *component, const void *request,
                                         void *response, sn_error *err) {
  executor *self = (executor *)component;
  return sn__goals_read_state(&self->goals, ((const sn_trajectory_id *)request)->goal_id, response,
                              err);
}
