/* The cycle: goals, the plan's time, the commands of the limbs. */
#include <math.h>
#include <string.h>

#include "arbiter/controller_internal.h"
#include "controllers/walking/execute_step_sequence.h"
#include "msg/msg_names_internal.h"
#include "sinew/kin.h"
#include "steps/step_solve.h"

typedef sn__execute_step_sequence steps;

static const double FADE_S = 0.3;    /* of the difference between command and first point */
static const double STOP_S = 0.3;    /* from full speed to rest */
static const double AHEAD_S = 0.15;  /* before a foot lifts the plan's time is slowed down */
static const double SILENCE_S = 0.1; /* after which the base is unknown */
static const double PERIOD_MAX_S = 0.1;

static const sn__step_goal_content *content_of(const sn__goal *goal) {
  return goal->content;
}

/* ---- inputs ---- */

static void read_base(steps *self, int64_t now_ns) {
  const char *root = sn_model_link(self->controller.model, 0)->name;
  const sn_rigid_body_state *msg = sn_input_newest(&self->in_base);
  const int index = msg == NULL ? -1 : sn__msg_names_index(&msg->name, root);
  if (index >= 0 && (size_t)index < msg->pose.count) {
    const sn_msg_pose *pose = &msg->pose.data[index];
    if (sn_ik_pose_from_quat(pose->position, pose->orientation, &self->base) == SN_IK_OK) {
      self->base_ns = now_ns;
      self->has_base = self->use_base;
    }
  }
  if (self->has_base && now_ns - self->base_ns > (int64_t)(1e9 * SILENCE_S)) {
    self->has_base = false;
    sn_component_log_limited(&self->controller.component, &self->silent_base, now_ns,
                             SN_LOG_WARNING, "in_base is silent: the steps go on without it", 0,
                             NULL);
  }
}

/* ---- the state of the goal ---- */

static void publish_state(steps *self) {
  sn_trajectory_state *out = self->trajectory_state.msg;
  out->header.stamp_ns = self->controller.now_ns;
  out->time_from_start_ns = (int64_t)(1e9 * self->time_s);
  atomic_store(&self->goal->elapsed_ns, out->time_from_start_ns);
  (void)sn_output_write(&self->trajectory_state); /* a small reader is counted there */
}

static void describe_goal(steps *self) {
  sn_trajectory_state *out = self->trajectory_state.msg;
  const sn__step_goal_content *content = content_of(self->goal);
  out->goal_id = self->goal->id;
  out->duration_ns = self->goal->duration_ns;
  out->error_code = SN_STEP_SUCCESSFUL;
  (void)sn_msg_text_set(&out->message, "");
  sn_msg_names_clear(&out->name);
  for (size_t i = 0; i < content->sequence.limb_count; i++) {
    const char *name =
        sn_names_at(sn_model_chain_names(self->controller.model), content->sequence.limbs[i].chain);
    (void)sn_msg_names_add(&out->name, name, strlen(name));
  }
  out->desired.count = out->actual.count = 0;
}

/* Publish the end of the goal, then return it to the senders; the robot stands from now on. */
static void end_goal(steps *self, sn__goal_end end) {
  sn_trajectory_state *out = self->trajectory_state.msg;
  out->state = (uint8_t)end.status;
  out->error_code = end.error;
  (void)sn_msg_text_set(&out->message, end.text);
  publish_state(self);
  sn__step_walker_stand(&self->walker); /* the goal is not used from here on */
  sn__goal_end_with(self->goal, end);
  self->goal = NULL;
}

static void end_next(steps *self, const char *text) {
  if (self->next != NULL) {
    sn__goal_end_with(self->next,
                      (sn__goal_end){SN_TRAJECTORY_CANCELED, SN_STEP_SUCCESSFUL, text, NULL});
    self->next = NULL;
  }
}

/* ---- begin ---- */

static sn_pose frame_of(const steps *self, const sn__step_goal_content *content, bool is_joined) {
  const sn__step_path *path = &content->plan.path;
  const sn_pose first = sn__step_path_base(path, 0.0).pose;
  if (!path->has_base || content->sequence.is_in_odom || (!is_joined && !self->has_base)) {
    return sn_pose_identity();
  }
  return sn__step_path_frame(is_joined ? self->walker.base_wanted : self->base, first.pos.z);
}

static void report_stretch(steps *self) {
  const sn__step_plan *plan = &content_of(self->goal)->plan;
  const sn_log_arg args[] = {
      {.kind = SN_LOG_REAL, .value.real = plan->stretch},
      {.kind = SN_LOG_TEXT,
       .value.text = sn_model_joint(self->controller.model, plan->joint_peak)->name},
      {.kind = SN_LOG_REAL, .value.real = plan->speed_peak}};
  if (plan->stretch > 1.0) {
    sn_component_log(&self->controller.component, self->controller.now_ns, SN_LOG_INFO,
                     "the sequence is stretched in time by {}: joint {} would need {} rad/s", 3,
                     args);
  }
}

/* The command at this moment is kept, and the difference to that of the plan fades. */
static void begin_fade(steps *self) {
  const sn_controller *c = &self->controller;
  memcpy(self->solved, c->q, c->joint_count * sizeof *self->solved);
  sn__step_walker walker = self->walker;
  const sn__step_feedback nothing = {.has_base = false};
  sn__step_walker_step(&walker, 0.0, 0.0, &nothing, self->solved);
  for (size_t j = 0; j < c->joint_count; j++) {
    self->offset[j] = c->q[j] - self->solved[j];
  }
  self->fade_s = 0.0;
}

static void begin_plan(steps *self, bool is_joined) {
  const sn__step_goal_content *content = content_of(self->goal);
  sn__step_walker_begin(&self->walker, &content->plan, content->legs,
                        frame_of(self, content, is_joined), is_joined);
  self->is_walking = true;
  self->phase = SN__STEP_FOLLOWS;
  self->time_s = self->settling_s = self->off_path_s = 0.0;
  self->rate = 1.0;
  if (!is_joined) {
    begin_fade(self);
  }
  report_stretch(self);
}

static void begin_goal(steps *self, sn__goal *goal, bool is_joined) {
  self->goal = goal;
  self->time_s = 0.0;
  describe_goal(self);
  const char *refusal = sn__goal_take_limbs(self->goal, &self->controller, &self->is_goals_limbs);
  if (refusal != NULL) {
    end_goal(self,
             (sn__goal_end){SN_TRAJECTORY_ABORTED, SN_STEP_INVALID_END_EFFECTOR, refusal, NULL});
    return;
  }
  begin_plan(self, is_joined);
}

static void take_goal(steps *self, sn__goal *goal) {
  if (content_of(goal)->append) {
    const bool is_possible =
        self->goal != NULL && self->next == NULL && self->phase != SN__STEP_STOPS;
    self->next = is_possible ? goal : self->next;
    if (!is_possible) {
      sn__goal_end_with(goal, (sn__goal_end){SN_TRAJECTORY_ABORTED, SN_STEP_UNABLE_TO_APPEND,
                                             "no sequence is under way to append to, or one is "
                                             "already appended",
                                             NULL});
    }
    return;
  }
  end_next(self, "replaced by another goal");
  if (self->goal != NULL) {
    end_goal(self, (sn__goal_end){SN_TRAJECTORY_CANCELED, SN_STEP_SUCCESSFUL,
                                  "replaced by another goal", NULL});
  }
  begin_goal(self, goal, false);
}

/* ---- stop ---- */

static void stop_with(steps *self, sn__goal_end end) {
  if (self->phase == SN__STEP_FOLLOWS) {
    self->phase = SN__STEP_STOPS;
    self->end = end;
    end_next(self, "the sequence before it has ended early");
  }
}

/* Slow down as soon as all feet bear weight. */
static void slow_down(steps *self, double dt_s) {
  const double left_s =
      sn__step_plan_stance_left(&content_of(self->goal)->plan, self->time_s, AHEAD_S);
  if (left_s > 0.0 && self->phase == SN__STEP_STOPS) {
    self->rate = fmax(0.0, fmin(self->rate - dt_s / STOP_S, left_s / AHEAD_S));
  }
}

/* ---- goals ---- */

static void handle_goals(steps *self) {
  sn__goal *next = sn__goals_take(&self->goals);
  if (next != NULL) {
    take_goal(self, next);
  }
  if (self->goal != NULL && !sn__goal_is_owned(self->goal, &self->controller)) {
    end_next(self, "a limb was taken from the sequence before it");
    end_goal(self, (sn__goal_end){SN_TRAJECTORY_ABORTED, SN_STEP_INTERNAL_ERROR,
                                  "a limb was taken from it", NULL});
    self->is_walking = false;
  }
  if (self->goal != NULL && atomic_load(&self->goal->must_cancel)) {
    stop_with(self, (sn__goal_end){SN_TRAJECTORY_CANCELED, SN_STEP_SUCCESSFUL, "cancelled", NULL});
  }
  if (self->next != NULL && atomic_load(&self->next->must_cancel)) {
    end_next(self, "cancelled");
  }
}

/* A robot that has fallen does not go on stepping. */
static void look_for_fall(steps *self) {
  const sn_fall_state *fall = sn_input_newest(&self->in_fall);
  if (fall != NULL && fall->fallen && self->goal != NULL) {
    end_next(self, "the robot fell");
    end_goal(self,
             (sn__goal_end){SN_TRAJECTORY_ABORTED, SN_STEP_INTERNAL_ERROR, "the robot fell", NULL});
  }
}

/* The base is where it should be, or the time for that is over. */
static bool has_settled(const steps *self) {
  const sn__step_walker *w = &self->walker;
  return !self->has_base || self->settling_s >= self->settle_time_s ||
         (sn_vec3_norm(w->error_pos) < 0.003 && sn_vec3_norm(w->error_rot) < 0.01 &&
          self->settling_s > 0.2);
}

static void finish_plan(steps *self) {
  const char *note = content_of(self->goal)->note;
  sn__goal *next = self->next;
  if (next == NULL && !has_settled(self)) {
    return;
  }
  self->next = NULL;
  sn__goal_end end = {SN_TRAJECTORY_SUCCEEDED, SN_STEP_SUCCESSFUL, note, NULL};
  if (sn__step_is_off_goal(self, &end) && next != NULL) {
    sn__goal_end_with(next, (sn__goal_end){SN_TRAJECTORY_ABORTED, SN_STEP_UNABLE_TO_APPEND,
                                           "the sequence before it missed its goal", NULL});
    next = NULL;
  }
  end_goal(self, end);
  if (next != NULL) {
    begin_goal(self, next, true);
  }
}

static void advance_goal(steps *self, double dt_s) {
  const double duration_s = sn__step_plan_duration(&content_of(self->goal)->plan);
  ((sn_trajectory_state *)self->trajectory_state.msg)->state = SN_TRAJECTORY_EXECUTING;
  atomic_store(&self->goal->status, SN_TRAJECTORY_EXECUTING);
  publish_state(self);
  sn__goal_end end;
  if (sn__step_is_off_path(self, dt_s, &end)) {
    stop_with(self, end);
  }
  slow_down(self, dt_s);
  self->time_s = fmin(duration_s, self->time_s + self->rate * dt_s);
  if (self->phase == SN__STEP_STOPS && (self->rate <= 0.01 || self->time_s >= duration_s)) {
    end_goal(self, self->end);
  } else if (self->time_s >= duration_s) {
    self->phase = SN__STEP_SETTLES;
    self->settling_s += dt_s;
    finish_plan(self);
  }
}

/* ---- commands ---- */

static void command(steps *self, double dt_s) {
  sn_controller *c = &self->controller;
  const double u = fmin(1.0, self->fade_s / FADE_S), share = 1.0 - u * u * (3.0 - 2.0 * u);
  const sn__step_feedback feedback = {self->has_base, self->base,
                                      self->has_measured ? self->measured : NULL};
  sn__step_walker_step(&self->walker, self->time_s, dt_s, &feedback, self->solved);
  for (size_t i = 0; i < self->walker.limb_count; i++) {
    const sn__step_foot *foot = &self->walker.feet[i];
    for (size_t k = 0; k < foot->leg.limb->count; k++) {
      const int j = foot->leg.limb->joints[k];
      const double q = self->solved[j] + share * self->offset[j];
      c->qd[j] = dt_s > 0.0 ? (q - c->q[j]) / dt_s : 0.0;
      c->q[j] = q;
    }
    sn_controller_set_support(c, foot->leg.chain, foot->contact ? 1.0 : 0.0);
  }
  self->fade_s += dt_s;
}

static void publish_references(steps *self) {
  const sn__step_walker *w = &self->walker;
  sn_rigid_body_state *base = self->out_base_ref.msg;
  sn_limb_state *limbs = self->out_limbs_ref.msg;
  base->header.stamp_ns = limbs->header.stamp_ns = self->controller.now_ns;
  base->pose.data[0] = sn_msg_pose_from(w->base_wanted);
  base->twist.data[0] = w->base_twist;
  sn_msg_names_clear(&limbs->name);
  for (size_t i = 0; i < w->limb_count; i++) {
    const char *name =
        sn_names_at(sn_model_chain_names(self->controller.model), w->feet[i].leg.chain);
    (void)sn_msg_names_add(&limbs->name, name, strlen(name));
    limbs->pose.data[i] = sn_msg_pose_from(w->feet[i].target);
  }
  limbs->pose.count = w->limb_count;
  (void)sn_output_write(&self->out_base_ref);
  (void)sn_output_write(&self->out_limbs_ref);
}

/* Does it still own all limbs that it walks on? */
static bool owns_walker(const steps *self) {
  for (size_t i = 0; i < self->walker.limb_count; i++) {
    const sn__limb_ik *limb = self->walker.feet[i].leg.limb;
    for (size_t k = 0; k < limb->count; k++) {
      if (!self->controller.owned[limb->joints[k]]) {
        return false;
      }
    }
  }
  return true;
}

static void finish(steps *self) {
  if (self->is_goals_limbs && self->release_when_done && self->goal == NULL) {
    sn_controller_release(&self->controller);
    self->is_goals_limbs = self->is_walking = false;
  }
}

sn_status sn__execute_step_sequence_step(sn_component *component, int64_t now_ns) {
  steps *self = (steps *)component;
  sn_controller *c = &self->controller;
  const double dt_s = fmin(PERIOD_MAX_S, fmax(0.0, 1e-9 * (double)(now_ns - self->last_ns)));
  self->last_ns = now_ns;
  atomic_store(&self->goals.now_ns, now_ns);
  sn__controller_read_measured(&self->controller, &self->in_joints_measured, &self->measured_names,
                               self->measured, &self->has_measured);
  read_base(self, now_ns);
  (void)sn_controller_begin_step(c, now_ns);
  look_for_fall(self);
  handle_goals(self);
  self->is_walking = self->is_walking && owns_walker(self);
  if (self->is_walking) {
    command(self, dt_s);
    publish_references(self);
  }
  if (self->goal != NULL) {
    advance_goal(self, dt_s);
  }
  for (size_t j = 0; j < c->joint_count; j++) {
    atomic_store_explicit(&self->pose_now[j], c->owned[j] ? c->q[j] : c->pose[j],
                          memory_order_relaxed);
  }
  const sn_status status = sn_controller_publish(c);
  finish(self);
  return status;
}
