/* A goal from a message, prepared in the sender's thread. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arbiter/controller_internal.h"
#include "base/fail.h"
#include "controllers/walking/execute_step_sequence.h"
#include "steps/step_read.h"
#include "steps/step_solve.h"

/* How well an appended sequence must fit. */
static const double APPEND_M = 0.01, APPEND_RAD = 0.1;

static const char *name_of(const sn__execute_step_sequence *self, size_t chain) {
  return sn_names_at(sn_model_chain_names(self->controller.model), chain);
}

static double angle_between(sn_pose a, sn_pose b) {
  return sn_vec3_norm(sn_mat3_log(sn_pose_between(a, b).rot));
}

/* ---- limbs ---- */

static sn_status find_limbs(const sn__execute_step_sequence *self,
                            const sn__step_goal_content *content, sn_resource_set *set,
                            sn_error *err) {
  const sn__resource_map *map = self->controller.map;
  *set = sn_resource_set_none();
  for (size_t i = 0; i < content->sequence.limb_count; i++) {
    const size_t chain = content->sequence.limbs[i].chain;
    size_t count = 0;
    const int *joints = sn_model_chain_joints(self->controller.model, chain, &count);
    for (size_t k = 0; k < count; k++) {
      const int limb = map->resource_of_joint[joints[k]];
      if (limb >= 0) {
        sn_resource_set_add(set, (size_t)limb);
      }
    }
    if (self->planning[chain].ik == NULL) {
      return sn__fail(err, SN_EINVAL, "limb '%s' cannot be solved", name_of(self, chain));
    }
  }
  return SN_OK;
}

/* ---- the start ---- */

/* The first point must be near the pose of the robot. */
static sn_status check_start(sn__execute_step_sequence *self, const sn__step_goal_content *content,
                             sn_error *err) {
  for (size_t j = 0; j < self->controller.joint_count; j++) {
    self->start[j] = atomic_load_explicit(&self->pose_now[j], memory_order_relaxed);
  }
  for (size_t i = 0; i < content->sequence.limb_count; i++) {
    const sn__step_limb *limb = &content->sequence.limbs[i];
    const sn__step_leg leg = {limb->chain, &self->planning[limb->chain]};
    const sn_pose now = sn__step_leg_end(&leg, self->start);
    const double off_m = sn_vec3_norm(sn_vec3_sub(limb->points[0].pose.pos, now.pos));
    const double off_rad = angle_between(limb->points[0].pose, now);
    if (off_m > self->start_tolerance_m || off_rad > self->start_tolerance_rad) {
      return sn__fail(err, SN_EINVAL,
                      "limb '%s' is %.3f m and %.3f rad from its first point, at most %g m and "
                      "%g rad are allowed",
                      name_of(self, limb->chain), off_m, off_rad, self->start_tolerance_m,
                      self->start_tolerance_rad);
    }
  }
  return SN_OK;
}

static bool is_in_execution(sn__goals *goals, uint64_t id) {
  for (size_t i = 0; id != 0 && i < SN__GOALS_MAX; i++) {
    const int stage = atomic_load(&goals->items[i].stage);
    if (goals->items[i].id == id && (stage == SN__GOAL_READY || stage == SN__GOAL_TAKEN)) {
      return true;
    }
  }
  return false;
}

/* The first point must be where the sequence under way ends. */
static sn_status check_append(sn__execute_step_sequence *self, const sn__step_goal_content *content,
                              sn_error *err) {
  const sn__step_last *last = &self->last;
  if (!is_in_execution(&self->goals, last->id)) {
    return sn__fail(err, SN_EINVAL, "no sequence is under way to append to");
  }
  if (last->limb_count != content->sequence.limb_count) {
    return sn__fail(err, SN_EINVAL, "it has %zu limbs, the sequence under way has %zu",
                    content->sequence.limb_count, last->limb_count);
  }
  for (size_t i = 0; i < last->limb_count; i++) {
    const sn__step_limb *limb = &content->sequence.limbs[i];
    if (limb->chain != last->chains[i]) {
      return sn__fail(err, SN_EINVAL, "limb %zu is '%s', of the sequence under way it is '%s'", i,
                      name_of(self, limb->chain), name_of(self, last->chains[i]));
    }
    const double off_m = sn_vec3_norm(sn_vec3_sub(limb->points[0].pose.pos, last->poses[i].pos));
    const double off_rad = angle_between(limb->points[0].pose, last->poses[i]);
    if (off_m > APPEND_M || off_rad > APPEND_RAD) {
      return sn__fail(err, SN_EINVAL,
                      "limb '%s' begins %.3f m and %.3f rad from where the sequence under way "
                      "ends, at most %g m and %g rad are allowed",
                      name_of(self, limb->chain), off_m, off_rad, APPEND_M, APPEND_RAD);
    }
  }
  memcpy(self->start, last->q, self->controller.joint_count * sizeof *self->start);
  return SN_OK;
}

/* ---- the plan ---- */

static void write_note(const sn__execute_step_sequence *self, sn_arena *arena,
                       sn__step_goal_content *content) {
  const sn__step_plan *plan = &content->plan;
  const sn__step_trouble *near = &plan->nearest;
  char text[320] = "";
  int used = 0;
  if (plan->stretch > 1.0) {
    used = snprintf(
        text, sizeof text, "stretched in time by %.2f: joint '%.40s' would need %.1f rad/s, and %s",
        plan->stretch, sn_model_joint(self->controller.model, plan->joint_peak)->name,
        plan->speed_peak, plan->is_slow_to_balance ? "the robot would tip over" : "torque");
  }
  if (near->short_m > 0.0 || near->short_rad > 0.0) {
    snprintf(text + used, sizeof text - (size_t)used,
             "%slimb '%.40s' cannot reach its pose at %.3f s: it comes within %.3f m and %.3f rad",
             used > 0 ? "; " : "", name_of(self, content->legs[near->limb].chain), near->time_s,
             near->short_m, near->short_rad);
  }
  const char *copy = sn_arena_text(arena, text, strlen(text));
  content->note = copy == NULL ? "" : copy;
}

static sn_status make_plan(sn__execute_step_sequence *self, sn_arena *arena,
                           sn__step_goal_content *content, sn_error *err) {
  sn__step_leg legs[SN__STEP_LIMBS_MAX];
  for (size_t i = 0; i < content->sequence.limb_count; i++) {
    const size_t chain = content->sequence.limbs[i].chain;
    legs[i] = (sn__step_leg){chain, &self->planning[chain]};
    content->legs[i] = (sn__step_leg){chain, &self->walking[chain]};
  }
  const sn__step_plan_config config = {.model = self->controller.model,
                                       .legs = legs,
                                       .drives = self->drives,
                                       .start = self->start,
                                       .balance = self->balance,
                                       .clearance_m = self->clearance_m,
                                       .friction = self->friction,
                                       .stretch_max = self->stretch_max,
                                       .margin_m = self->zmp_margin_m,
                                       .reach_m = self->reach_m,
                                       .reach_rad = self->reach_rad};
  return sn__step_plan_create(arena, &content->sequence, &config, &content->plan, NULL, err);
}

static void remember(sn__execute_step_sequence *self, const sn__step_goal_content *content) {
  sn__step_last *last = &self->last;
  const size_t point = content->sequence.point_count - 1, joints = self->controller.joint_count;
  last->id = self->goals.last_id + 1;
  last->limb_count = content->sequence.limb_count;
  for (size_t i = 0; i < last->limb_count; i++) {
    last->chains[i] = content->sequence.limbs[i].chain;
    last->poses[i] = content->sequence.limbs[i].points[point].pose;
  }
  memcpy(last->q, &content->plan.q[(content->plan.sample_count - 1) * joints],
         joints * sizeof *last->q);
}

sn_status sn__step_goal_read(void *context, const void *msg, sn__goal *goal, int32_t *error,
                             sn_error *err) {
  sn__execute_step_sequence *self = context;
  const sn_step_goal *sent = msg;
  sn__step_goal_content *content = SN_NEW(&goal->arena, sn__step_goal_content, 1);
  if (content == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for a goal");
  }
  goal->content = content;
  content->append = sent->append;
  sn_status status =
      sn__step_sequence_read(&goal->arena, self->controller.model, sent, self->contact_tolerance_m,
                             &content->sequence, error, err);
  if (status == SN_OK && content->sequence.limb_count > SN__STEP_LIMBS_MAX) {
    status = sn__fail(err, SN_EINVAL, "%zu limbs, at most %d are possible",
                      content->sequence.limb_count, SN__STEP_LIMBS_MAX);
  }
  if (status == SN_OK) {
    *error = SN_STEP_INVALID_END_EFFECTOR;
    status = find_limbs(self, content, &goal->limbs, err);
  }
  if (status == SN_OK) {
    *error = content->append ? SN_STEP_UNABLE_TO_APPEND : SN_STEP_INVALID_TRAJECTORY;
    status = content->append ? check_append(self, content, err) : check_start(self, content, err);
  }
  if (status == SN_OK) {
    *error = SN_STEP_INVALID_TRAJECTORY;
    status = make_plan(self, &goal->arena, content, err);
  }
  if (status == SN_OK) {
    write_note(self, &goal->arena, content);
    remember(self, content);
    goal->duration_ns = (int64_t)llround(1e9 * sn__step_plan_duration(&content->plan));
  }
  return status;
}
