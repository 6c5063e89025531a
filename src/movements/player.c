#include "movements/player.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

/* The way to the first point: at this share of the joints' speed, and at least this time. */
static const double APPROACH_SPEED = 0.5;
static const double APPROACH_S = 1.0;
/* Closer than this the first point is reached. */
static const double NEAR = 0.02;
static const double SPEED_DEFAULT = 1.0; /* rad/s or m/s */

/* ---- open and close ---- */

sn_status sn__player_open(sn__player *player, sn_system *system, const sn_model *model,
                          const char *pose, sn_error *err) {
  const sn_msg_capacity room = {.item_count = sn_model_pose_size(model) + 1, .text_size = 256};
  *player = (sn__player){.model = model};
  sn_arena_init_growing(&player->arena, "player", 0);
  player->answer = sn_msg_create(&player->arena, &sn_trajectory_answer_type, &room);
  player->state = sn_msg_create(&player->arena, &sn_trajectory_state_type, &room);
  if (player->answer == NULL || player->state == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory");
  }
  return sn_tap_open(system, pose, NULL, &player->pose, err);
}

void sn__player_close(sn__player *player) {
  for (size_t i = 0; i < player->count; i++) {
    sn_caller_close(&player->controllers[i].execute);
    sn_caller_close(&player->controllers[i].look);
    sn_caller_close(&player->controllers[i].cancel);
  }
  sn_tap_close(player->pose);
  sn_arena_release(&player->arena);
  *player = (sn__player){0};
}

static sn_status open_call(sn_system *system, const char *component, const char *operation,
                           const sn_msg_type *response, sn_caller *out, sn_error *err) {
  char name[256];
  snprintf(name, sizeof name, "%.120s.%s", component, operation);
  const sn_status status = sn_caller_open(system, name, out, err);
  if (status == SN_OK && out->operation->response != response) {
    return sn__fail(err, SN_ENOENT, "'%s' does not answer with %s", name, response->name);
  }
  return status;
}

sn_status sn__player_add(sn__player *player, sn_system *system, const char *name, bool for_steps,
                         sn_error *err) {
  if (player->count == SN__PLAYER_CONTROLLERS_MAX) {
    return sn__fail(err, SN_ELIMIT, "more than %d controllers", SN__PLAYER_CONTROLLERS_MAX);
  }
  sn__player_controller *c = &player->controllers[player->count++];
  *c = (sn__player_controller){.name = name, .for_steps = for_steps};
  sn_status status =
      open_call(system, name, "execute", &sn_trajectory_answer_type, &c->execute, err);
  if (status == SN_OK) {
    status = open_call(system, name, "getGoal", &sn_trajectory_state_type, &c->look, err);
  }
  return status == SN_OK ? open_call(system, name, "cancel", &sn_call_outcome_type, &c->cancel, err)
                         : status;
}

/* ---- from where the robot is ---- */

static double position_of(const sn_joint_state *pose, const char *joint) {
  for (size_t i = 0; i < pose->name.count && i < pose->position.count; i++) {
    if (strcmp(sn_msg_names_at(&pose->name, i), joint) == 0) {
      return pose->position.data[i];
    }
  }
  return NAN;
}

/* @return s; 0: it is there */
static double time_to_first(sn__player *player, const sn_msg_names *names,
                            const sn_seq_f64 *positions) {
  const sn_joint_state *pose = sn_tap_read(player->pose, NULL);
  double farthest = 0.0;
  double time_s = APPROACH_S;
  for (size_t i = 0; pose != NULL && i < names->count; i++) {
    const int joint = sn_model_joint_index(player->model, sn_msg_names_at(names, i));
    if (joint < 0) {
      continue; /* the support of a chain */
    }
    const sn_joint *j = sn_model_joint(player->model, (size_t)joint);
    const double way = fabs(positions->data[i] - position_of(pose, j->name));
    const bool has_speed = isfinite(j->velocity_max) && j->velocity_max > 0.0;
    /* A cubic is 1.5 times as fast in its middle as on average. */
    farthest = fmax(farthest, way);
    time_s =
        fmax(time_s, 1.5 * way / (APPROACH_SPEED * (has_speed ? j->velocity_max : SPEED_DEFAULT)));
  }
  return farthest > NEAR ? time_s : 0.0;
}

static void delay(sn_joint_trajectory *t, double time_s) {
  const int64_t time_ns = (int64_t)llround(1e9 * time_s);
  for (size_t k = 0; k < t->points.count; k++) {
    t->points.data[k].time_from_start_ns += time_ns;
  }
}

/* A pose as a trajectory of one point. */
static sn_trajectory_goal *goal_of_pose(sn__player *player, const sn_joint_state *pose,
                                        sn_arena *arena) {
  const sn_msg_capacity room = {.item_count = pose->name.count + 1, .text_size = 128};
  sn_trajectory_goal *goal = sn_msg_create(arena, &sn_trajectory_goal_type, &room);
  if (goal == NULL) {
    return NULL;
  }
  sn_joint_trajectory *t = &goal->trajectory;
  t->points.count = 1;
  t->points.data[0].positions.count = pose->name.count;
  for (size_t i = 0; i < pose->name.count; i++) {
    const char *name = sn_msg_names_at(&pose->name, i);
    (void)sn_msg_names_add(&t->joint_names, name, strlen(name));
    t->points.data[0].positions.data[i] = pose->position.data[i];
  }
  delay(t, fmax(time_to_first(player, &t->joint_names, &t->points.data[0].positions), APPROACH_S));
  return goal;
}

static sn_trajectory_goal *goal_of_trajectory(sn__player *player, sn_trajectory_goal *goal) {
  sn_joint_trajectory *t = &goal->trajectory;
  t->header.stamp_ns = 0; /* now, not when it was recorded */
  const size_t count = t->points.count;
  /* Without times the controller plans the way from where the robot is. */
  if (count > 0 && (count == 1 || t->points.data[count - 1].time_from_start_ns > 0)) {
    delay(t, time_to_first(player, &t->joint_names, &t->points.data[0].positions));
  }
  return goal;
}

/* ---- play ---- */

static bool is_free(sn__player *player, size_t controller) {
  sn__player_view view;
  sn__player_look(player, controller, &view);
  return view.has_ended;
}

static sn_status find_controller(sn__player *player, bool for_steps, bool must_wait, size_t *out,
                                 sn_error *err) {
  bool is_any = false;
  for (size_t i = 0; i < player->count; i++) {
    if (player->controllers[i].for_steps != for_steps) {
      continue;
    }
    is_any = true;
    if (!must_wait || is_free(player, i)) {
      *out = i;
      return SN_OK;
    }
  }
  return is_any
             ? sn__fail(err, SN_EBUSY, "all controllers for this kind of movement are busy")
             : sn__fail(err, SN_ENOENT, "the system has no controller for this kind of movement");
}

static sn_status send(sn__player *player, size_t controller, const void *goal, sn_error *err) {
  sn__player_controller *c = &player->controllers[controller];
  const sn_status status = sn_call(&c->execute, goal, player->answer, err);
  if (status != SN_OK) {
    return status;
  }
  if (!player->answer->accepted) {
    return sn__fail(err, SN_EINVAL, "%s", player->answer->message.data);
  }
  c->goal_id = player->answer->goal_id;
  return SN_OK;
}

sn_status sn__player_play(sn__player *player, const sn__movement *movement, bool must_wait,
                          size_t *controller, sn_error *err) {
  const bool for_steps = movement->kind == SN__MOVEMENT_STEP_SEQUENCE;
  if (movement->kind == SN__MOVEMENT_MOVE_BASE) {
    return sn__fail(err, SN_EUNSUPPORTED, "planning of steps is not available yet");
  }
  sn_status status = sn__movement_check_robot(movement, player->model, err);
  if (status == SN_OK) {
    status = find_controller(player, for_steps, must_wait, controller, err);
  }
  if (status != SN_OK) {
    return status;
  }
  sn_arena scratch;
  sn_arena_init_growing(&scratch, "goal", 0);
  const void *goal = movement->msg;
  if (for_steps) {
    movement->steps->header.stamp_ns = 0;
  } else {
    goal = movement->kind == SN__MOVEMENT_JOINT_STATE
               ? goal_of_pose(player, movement->pose, &scratch)
               : goal_of_trajectory(player, movement->trajectory);
  }
  status =
      goal == NULL ? sn__fail(err, SN_ENOMEM, "no memory") : send(player, *controller, goal, err);
  sn_arena_release(&scratch);
  return status;
}

void sn__player_look(sn__player *player, size_t controller, sn__player_view *view) {
  const sn__player_controller *c = &player->controllers[controller];
  const sn_trajectory_id id = {c->goal_id};
  sn_error err;
  *view = (sn__player_view){.has_ended = true, .message = "the goal was lost"};
  if (c->goal_id == 0 || sn_call(&c->look, &id, player->state, &err) != SN_OK) {
    return;
  }
  const sn_trajectory_state *s = player->state;
  *view = (sn__player_view){.has_ended = s->state > SN_TRAJECTORY_CANCELING,
                            .success = s->state == SN_TRAJECTORY_SUCCEEDED,
                            .error_code = s->error_code,
                            .elapsed_s = 1e-9 * (double)s->time_from_start_ns,
                            .duration_s = 1e-9 * (double)s->duration_ns,
                            .message = s->message.data};
}

void sn__player_cancel(sn__player *player, size_t controller) {
  const sn__player_controller *c = &player->controllers[controller];
  const sn_trajectory_id id = {c->goal_id};
  const sn_msg_capacity room = {.item_count = 1, .text_size = 256};
  sn_arena scratch;
  sn_error err;
  sn_arena_init_growing(&scratch, "cancel", 0);
  sn_call_outcome *outcome = sn_msg_create(&scratch, &sn_call_outcome_type, &room);
  if (c->goal_id != 0 && outcome != NULL) {
    (void)sn_call(&c->cancel, &id, outcome, &err); /* it may have ended meanwhile */
  }
  sn_arena_release(&scratch);
}
