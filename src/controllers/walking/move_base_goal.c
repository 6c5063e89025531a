/* Requests: planned in the thread of the caller, one at a time, and handed to the controller. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "controllers/walking/ground_boxes.h"
#include "controllers/walking/move_base.h"
#include "gait/nominal.h"
#include "gait/planner_internal.h"

typedef sn__move_base mover;

int32_t sn__move_base_code(int32_t step_error) {
  return step_error == SN_STEP_SUCCESSFUL           ? SN_MOVE_BASE_SUCCESS
         : step_error == SN_STEP_TOLERANCE_VIOLATED ? SN_MOVE_BASE_TOLERANCE_VIOLATED
                                                    : SN_MOVE_BASE_EXECUTION_FAILED;
}

/* ---- the planner, made with the first request ---- */

static sn_status create_messages(mover *self, sn_error *err) {
  const sn_msg_capacity plan = {.item_count = SN__PLAN_POINTS_MAX, .text_size = 128};
  const sn_msg_capacity room = {.item_count = sn_model_pose_size(self->model) + 16,
                                .text_size = 400};
  self->message = sn_msg_create(&self->arena, &sn_step_goal_type, &plan);
  self->answer = sn_msg_create(&self->arena, &sn_trajectory_answer_type, &room);
  self->outcome = sn_msg_create(&self->arena, &sn_call_outcome_type, &room);
  return self->message != NULL && self->answer != NULL && self->outcome != NULL
             ? SN_OK
             : sn__fail(err, SN_ENOMEM, "no memory for plans");
}

/* Without shapes there is nothing to check. */
static sn_status create_collision(mover *self, sn_error *err) {
  const sn__collision_config config = {0};
  self->collision = NULL;
  const sn_status status =
      sn__collision_create(&self->arena, self->model, &config, NULL, &self->collision, err);
  return status == SN_ENOENT ? SN_OK : status;
}

static sn_status create_planner(mover *self, sn_error *err) {
  sn__legs *legs = &self->legs;
  sn__step_leg feet[SN__LEGS_MAX];
  sn_status status = sn__nominal_find(&self->arena, self->model, self->limbs, legs, err);
  for (size_t i = 0; status == SN_OK && i < legs->count; i++) {
    feet[i] = (sn__step_leg){legs->leg[i].chain, &self->limbs[legs->leg[i].chain]};
    if (feet[i].limb->ik == NULL) {
      status = sn__fail(err, SN_EINVAL, "limb '%s' cannot be solved",
                        sn_names_at(sn_model_chain_names(self->model), feet[i].chain));
    }
  }
  if (status != SN_OK) {
    return status;
  }
  status = create_collision(self, err);
  if (status != SN_OK) {
    return status;
  }
  size_t obstacle_count;
  const sn__obstacle *obstacles =
      sn__ground_boxes(&self->component, self->ground, &self->arena, &obstacle_count);
  const sn__planner_config config = {.model = self->model,
                                     .legs = feet,
                                     .leg_count = legs->count,
                                     .nominal = legs->stance,
                                     .drives = self->drives,
                                     .balance = self->balance,
                                     .collision = self->collision,
                                     .obstacles = obstacles,
                                     .obstacle_count = obstacle_count,
                                     .margin_m = self->zmp_margin_m,
                                     .step_height_m = self->step_height_m,
                                     .friction = self->friction,
                                     .stretch_max = self->stretch_max};
  status = create_messages(self, err);
  return status == SN_OK ? sn__planner_create(&self->arena, &config, &self->planner, err) : status;
}

/* ---- where the robot is ---- */

/* The base in odom; above the origin if it is not known. */
static sn_pose base_of(mover *self) {
  enum { TRIES = 1000 };
  double b[SN__MOVE_BASE_NUMBERS];
  sn_pose pose = sn_pose_identity();
  bool is_whole = false;
  for (int i = 0; !is_whole && i < TRIES && atomic_load(&self->has_base); i++) {
    const uint32_t before = atomic_load(&self->base_version);
    for (size_t k = 0; k < SN__MOVE_BASE_NUMBERS; k++) {
      b[k] = atomic_load(&self->base_now[k]);
    }
    is_whole = before % 2 == 0 && atomic_load(&self->base_version) == before;
  }
  if (is_whole) {
    (void)sn_ik_pose_from_quat(sn_vec3_make(b[0], b[1], b[2]), (sn_quat){b[3], b[4], b[5], b[6]},
                               &pose);
  }
  return pose;
}

/* ---- a plan for the cycle ---- */

/* For the cycle to publish; not if it publishes another one at this moment. */
static void show_plan(mover *self) {
  int stage = atomic_load(&self->stage);
  const size_t points = self->walk.sequence.point_count;
  const size_t stride = 1 + (points - 1) / (SN__MOVE_PLAN_POINTS_MAX - 1);
  if (stage == SN__MOVE_PUBLISHING ||
      !atomic_compare_exchange_strong(&self->stage, &stage, SN__MOVE_FILLING)) {
    return;
  }
  const bool is_written =
      sn__move_base_write(self->model, &self->walk.sequence, stride, self->plan.msg, NULL) == SN_OK;
  if (is_written) {
    sn__move_base_to_odom(self->request.pose_world_path, self->plan.msg);
  }
  atomic_store(&self->stage, is_written ? SN__MOVE_FILLED : SN__MOVE_EMPTY);
}

/* ---- planning; the caller holds the lock ---- */

static sn_status make_plan(mover *self, const sn_move_base_goal *goal, int32_t *error,
                           sn_error *err) {
  sn_status status = SN_OK;
  *error = SN_MOVE_BASE_INTERNAL_ERROR;
  if (self->planner == NULL) {
    status = create_planner(self, err);
  }
  if (status == SN_OK && !atomic_load(&self->has_pose)) {
    *error = SN_MOVE_BASE_INVALID_INITIAL_POSE;
    status = sn__fail(err, SN_EINVAL, "the pose of the robot is not known yet");
  }
  if (status == SN_OK) {
    for (size_t j = 0; j < sn_model_pose_size(self->model); j++) {
      self->start[j] = atomic_load_explicit(&self->pose_now[j], memory_order_relaxed);
    }
    status = sn__planner_read(self->planner, goal, base_of(self), &self->request, error, err);
  }
  if (status == SN_OK) {
    self->has_plan = false;
    status = sn__planner_solve(self->planner, &self->request, self->start, &self->walk, err);
    *error = self->walk.error;
  }
  if (status == SN_OK) {
    status = sn__move_base_write(self->model, &self->walk.sequence, 1, self->message, err);
    *error = status == SN_OK ? SN_MOVE_BASE_SUCCESS : SN_MOVE_BASE_INTERNAL_ERROR;
    self->has_plan = status == SN_OK;
    show_plan(self);
  }
  return status;
}

/* ---- execution; the caller holds the lock ---- */

/* An operation of the controller. */
static sn_status call(const mover *self, const char *operation, const void *request, void *response,
                      sn_error *err) {
  char name[200];
  sn_caller caller = {0};
  snprintf(name, sizeof name, "%.120s.%s", self->steps, operation);
  sn_status status = sn_caller_open(self->component.system, name, &caller, err);
  if (status == SN_OK) {
    status = sn_call(&caller, request, response, err);
    sn_caller_close(&caller);
  }
  return status;
}

static sn_status execute(mover *self, uint64_t *steps_id, int32_t *error, sn_error *err) {
  *error = SN_MOVE_BASE_EXECUTION_FAILED;
  const sn_status status = call(self, "execute", self->message, self->answer, err);
  if (status == SN_OK && !self->answer->accepted) {
    return sn__fail(err, SN_EINVAL, "%s: %s", self->steps, self->answer->message.data);
  }
  *steps_id = self->answer->goal_id;
  *error = status == SN_OK ? SN_MOVE_BASE_SUCCESS : SN_MOVE_BASE_EXECUTION_FAILED;
  return status;
}

static uint64_t remember(mover *self, uint64_t steps_id) {
  const sn__move_goal goal = {++self->last_id, steps_id};
  self->goals[goal.id % SN__MOVE_GOALS_MAX] = goal;
  atomic_store(&self->shown_id, goal.id);
  atomic_store(&self->shown_steps_id, steps_id);
  return goal.id;
}

static sn_status move(mover *self, const sn_move_base_goal *goal, uint64_t *id, int32_t *error,
                      sn_error *err) {
  sn_status status = SN_OK;
  uint64_t steps_id = 0;
  if (goal->execute_only && goal->visualize_only) {
    *error = SN_MOVE_BASE_INVALID_GOAL;
    return sn__fail(err, SN_EINVAL, "execute_only and visualize_only contradict each other");
  }
  if (!goal->execute_only) {
    status = make_plan(self, goal, error, err);
  } else if (!self->has_plan) {
    *error = SN_MOVE_BASE_INVALID_GOAL;
    status = sn__fail(err, SN_EINVAL, "no plan to execute");
  }
  if (status == SN_OK && !goal->visualize_only) {
    status = execute(self, &steps_id, error, err);
  }
  *id = status == SN_OK ? remember(self, steps_id) : 0;
  return status;
}

/* ---- operations ---- */

static bool enter(mover *self, sn_error *err) {
  if (sn_component_state_now(&self->component) != SN_STATE_RUNNING) {
    (void)sn__fail(err, SN_ESTOPPED, "%s does not run", self->component.name);
    return false;
  }
  pthread_mutex_lock(&self->lock);
  return true;
}

static sn_status set_text(sn_msg_text *to, const char *text) {
  return sn_msg_text_set(to, text) == SN_OK ? SN_OK : sn_msg_text_set(to, "");
}

sn_status sn__move_base_plan(sn_component *component, const void *request, void *response,
                             sn_error *err) {
  mover *self = (mover *)component;
  sn_move_base_plan *out = response;
  sn_error reason = {.message = ""};
  int32_t error;
  if (!enter(self, err)) {
    return SN_ESTOPPED;
  }
  const sn_status status = make_plan(self, request, &error, &reason);
  out->error_code = error;
  if (status == SN_OK) {
    const sn__walk_plan *w = &self->walk;
    out->n_steps = (uint32_t)w->step_count;
    out->duration = w->duration_s;
    out->stretch = w->stretch;
    out->zmp_margin = w->margin_m;
    out->peak_joint_speed = w->speed_peak;
    out->peak_load = w->load_peak;
    out->base_goal = sn_msg_pose_from(sn_pose_mul(self->request.pose_world_path, w->base_goal));
  }
  pthread_mutex_unlock(&self->lock);
  return set_text(&out->error_string, reason.message);
}

sn_status sn__move_base_move(sn_component *component, const void *request, void *response,
                             sn_error *err) {
  mover *self = (mover *)component;
  sn_trajectory_answer *out = response;
  sn_error reason = {.message = ""};
  if (!enter(self, err)) {
    return SN_ESTOPPED;
  }
  out->accepted = move(self, request, &out->goal_id, &out->error_code, &reason) == SN_OK;
  pthread_mutex_unlock(&self->lock);
  return set_text(&out->message, reason.message);
}

static const sn__move_goal *find_goal(const mover *self, uint64_t id) {
  const sn__move_goal *goal = &self->goals[id % SN__MOVE_GOALS_MAX];
  return id != 0 && goal->id == id ? goal : NULL;
}

/* 0: whatever the controller does. */
sn_status sn__move_base_cancel(sn_component *component, const void *request, void *response,
                               sn_error *err) {
  mover *self = (mover *)component;
  sn_call_outcome *out = response;
  const uint64_t id = ((const sn_trajectory_id *)request)->goal_id;
  if (!enter(self, err)) {
    return SN_ESTOPPED;
  }
  const sn__move_goal *goal = find_goal(self, id == 0 ? self->last_id : id);
  sn_status status = SN_OK;
  out->success = false;
  if (goal != NULL && goal->steps_id != 0) {
    const sn_trajectory_id steps = {goal->steps_id};
    status = call(self, "cancel", &steps, self->outcome, err);
    out->success = status == SN_OK && self->outcome->success;
  }
  pthread_mutex_unlock(&self->lock);
  return status == SN_OK ? set_text(&out->message, out->success ? "" : "no such goal is executed")
                         : status;
}

static sn_status read_goal(mover *self, uint64_t id, sn_trajectory_state *out, sn_error *err) {
  const sn__move_goal *goal = find_goal(self, id);
  if (goal == NULL) {
    return sn__fail(err, SN_ENOENT, "unknown goal %llu", (unsigned long long)id);
  }
  sn_status status = SN_OK;
  if (goal->steps_id == 0) {
    out->state = SN_TRAJECTORY_SUCCEEDED;
    out->error_code = SN_MOVE_BASE_SUCCESS;
    status = sn_msg_text_set(&out->message, "planned, not executed");
  } else {
    const sn_trajectory_id steps = {goal->steps_id};
    status = call(self, "getGoal", &steps, out, err);
    out->error_code = sn__move_base_code(out->error_code);
  }
  out->goal_id = id;
  return status;
}

sn_status sn__move_base_get_goal(sn_component *component, const void *request, void *response,
                                 sn_error *err) {
  mover *self = (mover *)component;
  if (!enter(self, err)) {
    return SN_ESTOPPED;
  }
  const sn_status status =
      read_goal(self, ((const sn_trajectory_id *)request)->goal_id, response, err);
  pthread_mutex_unlock(&self->lock);
  return status;
}

sn_status sn__move_base_get_plan(sn_component *component, const void *request, void *response,
                                 sn_error *err) {
  mover *self = (mover *)component;
  (void)request;
  if (!enter(self, err)) {
    return SN_ESTOPPED;
  }
  const sn_status status = self->has_plan ? sn_msg_copy(&sn_step_goal_type, response, self->message)
                                          : sn__fail(err, SN_ENOENT, "no plan yet");
  pthread_mutex_unlock(&self->lock);
  return status;
}

static sn_status write_nominal(mover *self, sn_joint_state *out, sn_error *err) {
  const size_t n = sn_model_pose_size(self->model);
  if (self->planner == NULL) {
    const sn_status status = create_planner(self, err);
    if (status != SN_OK) {
      return status;
    }
  }
  if (out->position.capacity < n) {
    return sn__fail(err, SN_ENOSPC, "%zu joints do not fit into the message", n);
  }
  sn_status status = SN_OK;
  sn_msg_names_clear(&out->name);
  for (size_t j = 0; status == SN_OK && j < n; j++) {
    const char *name = sn_model_joint(self->model, j)->name;
    status = sn_msg_names_add(&out->name, name, strlen(name));
    out->position.data[j] = self->legs.stance[j];
  }
  out->position.count = n;
  return status == SN_OK ? SN_OK : sn__fail(err, status, "names of joints do not fit the message");
}

sn_status sn__move_base_get_nominal(sn_component *component, const void *request, void *response,
                                    sn_error *err) {
  mover *self = (mover *)component;
  (void)request;
  if (!enter(self, err)) {
    return SN_ESTOPPED;
  }
  const sn_status status = write_nominal(self, response, err);
  pthread_mutex_unlock(&self->lock);
  return status;
}
