#include "play/play_goal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/print.h"

/* A pose is approached at this share of the joints' speed, and not faster than in this time. */
static const double POSE_SPEED = 0.5;
static const double POSE_TIME_S = 1.0;

static const char *controller_of(const play_setup *setup, sn__movement_kind kind) {
  return kind == SN__MOVEMENT_STEP_SEQUENCE ? setup->steps
         : kind == SN__MOVEMENT_MOVE_BASE   ? setup->move_base
                                            : setup->execute;
}

/* ---- a pose as a trajectory ---- */

static double time_to(const play_setup *setup, const sn_joint_state *pose, const double *at) {
  double time_s = POSE_TIME_S;
  for (size_t i = 0; i < pose->name.count; i++) {
    const int j = sn_model_joint_index(setup->model, sn_msg_names_at(&pose->name, i));
    const double speed = j < 0 ? INFINITY : sn_model_joint(setup->model, (size_t)j)->velocity_max;
    if (j >= 0 && speed > 0.0 && isfinite(speed)) {
      /* A cubic from rest to rest is 1.5 times as fast in its middle as on average. */
      time_s = fmax(time_s, 1.5 * fabs(pose->position.data[i] - at[j]) / (POSE_SPEED * speed));
    }
  }
  return time_s;
}

static void name_supports(const play_setup *setup, sn_joint_trajectory *t) {
  const sn_names *chains = sn_model_chain_names(setup->model);
  for (size_t i = 0; i < sn_names_count(chains); i++) {
    char name[128];
    if (sn_model_chain_default_contact(setup->model, i) >= 0) {
      snprintf(name, sizeof name, "support/%.100s", sn_names_at(chains, i));
      (void)sn_msg_names_add(&t->joint_names, name, strlen(name));
    }
  }
}

static sn_trajectory_goal *goal_of_pose(const play_setup *setup, const sn_joint_state *pose,
                                        const double *at, sn_arena *arena) {
  const sn_msg_capacity room = {
      .item_count = pose->name.count + sn_names_count(sn_model_chain_names(setup->model)),
      .text_size = 128};
  sn_trajectory_goal *goal = sn_msg_create(arena, &sn_trajectory_goal_type, &room);
  if (goal == NULL) {
    return NULL;
  }
  sn_joint_trajectory *t = &goal->trajectory;
  for (size_t i = 0; i < pose->name.count; i++) {
    const char *name = sn_msg_names_at(&pose->name, i);
    (void)sn_msg_names_add(&t->joint_names, name, strlen(name));
  }
  name_supports(setup, t);
  t->points.count = 1;
  t->points.data[0].time_from_start_ns = (int64_t)llround(1e9 * time_to(setup, pose, at));
  t->points.data[0].positions.count = t->joint_names.count;
  for (size_t i = 0; i < t->joint_names.count; i++) {
    t->points.data[0].positions.data[i] = i < pose->name.count ? pose->position.data[i] : 1.0;
  }
  return goal;
}

/* ---- goals ---- */

static const void *message_of(const play_setup *setup, const sn__movement *movement,
                              const double *at, sn_arena *arena) {
  switch (movement->kind) {
    case SN__MOVEMENT_JOINT_TRAJECTORY: /* now, not when it was recorded */
      movement->trajectory->trajectory.header.stamp_ns = 0;
      return movement->msg;
    case SN__MOVEMENT_STEP_SEQUENCE:
      movement->steps->header.stamp_ns = 0;
      return movement->msg;
    case SN__MOVEMENT_JOINT_STATE:
      return goal_of_pose(setup, movement->pose, at, arena);
    case SN__MOVEMENT_MOVE_BASE:
      movement->move_base->header.stamp_ns = 0;
      return movement->msg;
  }
  return NULL;
}

static bool open_calls(play_goal *goal, sn_system *system, const char *controller,
                       const char *operation, sn_error *err) {
  char name[200];
  snprintf(name, sizeof name, "%.120s.%s", controller, operation);
  if (sn_caller_open(system, name, &goal->send, err) != SN_OK) {
    return false;
  }
  snprintf(name, sizeof name, "%.120s.getGoal", controller);
  return sn_caller_open(system, name, &goal->look, err) == SN_OK;
}

bool play_goal_open(play_goal *goal, const play_setup *setup, sn_system *system,
                    const sn__movement *movement, const double *at, sn_arena *arena,
                    play_result *result) {
  const sn_msg_capacity room = {.item_count = sn_model_pose_size(setup->model) + 16,
                                .text_size = PLAY_TEXT_SIZE};
  const char *controller = controller_of(setup, movement->kind);
  sn_error err = {.message = ""};
  *goal = (play_goal){.answer = sn_msg_create(arena, &sn_trajectory_answer_type, &room),
                      .state = sn_msg_create(arena, &sn_trajectory_state_type, &room)};
  if (controller == NULL) {
    play_fail(result, -1, "the deployment has no controller for movements of the kind %s",
              result->kind);
    return false;
  }
  goal->msg = message_of(setup, movement, at, arena);
  if (goal->answer == NULL || goal->state == NULL || goal->msg == NULL) {
    play_fail(result, -1, "out of memory");
    return false;
  }
  const bool is_request = movement->kind == SN__MOVEMENT_MOVE_BASE;
  if (!open_calls(goal, system, controller, is_request ? "move" : "execute", &err)) {
    play_fail(result, -1, "%s", err.message);
    return false;
  }
  return true;
}

void play_goal_close(play_goal *goal) {
  sn_caller_close(&goal->send);
  sn_caller_close(&goal->look);
}

bool play_goal_send(play_goal *goal, play_result *result) {
  sn_error err = {.message = ""};
  sn_clock wall;
  sn_clock_init_monotonic(&wall);
  const int64_t start_ns = sn_clock_now_ns(&wall);
  const sn_status status = sn_call(&goal->send, goal->msg, goal->answer, &err);
  result->plan_ms = 1e-6 * (double)(sn_clock_now_ns(&wall) - start_ns);
  if (status != SN_OK || !goal->answer->accepted) {
    play_fail(result, status == SN_OK ? goal->answer->error_code : -1, "%s",
              status == SN_OK ? goal->answer->message.data : err.message);
    return false;
  }
  return true;
}

bool play_goal_has_ended(play_goal *goal, play_result *result) {
  const sn_trajectory_id id = {goal->answer->goal_id};
  sn_error err = {.message = ""};
  if (sn_call(&goal->look, &id, goal->state, &err) != SN_OK) {
    play_fail(result, -1, "%s", err.message);
    return true;
  }
  const sn_trajectory_state *s = goal->state;
  result->duration_s = 1e-9 * (double)s->time_from_start_ns;
  if (s->state <= SN_TRAJECTORY_CANCELING) {
    return false;
  }
  result->is_ok = s->state == SN_TRAJECTORY_SUCCEEDED;
  if (!result->is_ok) {
    play_fail(result, s->error_code, "%s%s%s%s", s->message.data, s->name.count == 1 ? " (" : "",
              s->name.count == 1 ? sn_msg_names_at(&s->name, 0) : "",
              s->name.count == 1 ? ")" : "");
  }
  return true;
}

double play_goal_length(const sn__movement *movement) {
  if (movement->kind == SN__MOVEMENT_MOVE_BASE) {
    return movement->move_base->duration;
  }
  if (movement->kind == SN__MOVEMENT_STEP_SEQUENCE) {
    const sn_seq_f64 *times = &movement->steps->time_from_start;
    return times->count == 0 ? 0.0 : times->data[times->count - 1];
  }
  if (movement->kind == SN__MOVEMENT_JOINT_TRAJECTORY) {
    const sn_joint_trajectory *t = &movement->trajectory->trajectory;
    return t->points.count == 0
               ? 0.0
               : 1e-9 * (double)t->points.data[t->points.count - 1].time_from_start_ns;
  }
  return 10.0;
}

/* ---- the base ---- */

/* The base projected on the ground: z up, x along the heading. */
static sn_pose path_frame(sn_pose base) {
  const double yaw = atan2(base.rot.x.y, base.rot.x.x);
  return (sn_pose){.rot = sn_mat3_from_axis_angle((sn_vec3){0, 0, 1}, yaw),
                   .pos = {base.pos.x, base.pos.y, 0.0}};
}

void play_goal_set_base(const sn__movement *m, sn_pose start, play_result *result) {
  const char *frame = NULL;
  sn_pose last = sn_pose_identity();
  if (m->kind == SN__MOVEMENT_STEP_SEQUENCE && m->steps->base_motion.points.count > 0) {
    const sn_seq_rigid_body_point *points = &m->steps->base_motion.points;
    last = sn_pose_from_msg(points->data[points->count - 1].pose);
    frame = m->steps->header.frame_id.data;
  } else if (m->kind == SN__MOVEMENT_MOVE_BASE && m->move_base->base_goal_bounds == 0) {
    last = sn_pose_from_msg(m->move_base->base_goal);
    frame = m->move_base->header.frame_id.data;
  }
  if (frame != NULL) {
    const bool is_world = strcmp(frame, "odom") == 0 || strcmp(frame, "world") == 0;
    result->has_goal = true;
    result->goal = is_world ? last : sn_pose_mul(path_frame(start), last);
  }
}

void play_goal_measure(play_result *result) {
  if (result->has_goal) {
    const sn_pose off = sn_pose_between(result->goal, result->base);
    result->position_error_m = sn_vec3_norm(off.pos);
    result->orientation_error_rad = sn_vec3_norm(sn_mat3_log(off.rot));
  }
}
