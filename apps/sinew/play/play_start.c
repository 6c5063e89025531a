#include "play/play_start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "controllers/goal_supports.h"
#include "sinew/tap.h"

static size_t chain_count(const sn_model *model) {
  return sn_names_count(sn_model_chain_names(model));
}

/* A robot with feet stands on them all, unless the movement says otherwise. */
static void stand_on_all(const sn_model *model, play_start *start) {
  for (size_t i = 0; i < chain_count(model); i++) {
    start->in_stance[i] = sn_model_chain_default_contact(model, i) >= 0;
  }
}

static void set_joint(const sn_model *model, play_start *start, const char *name, double q) {
  const int joint = sn_model_joint_index(model, name);
  if (joint >= 0) {
    const sn_joint *j = sn_model_joint(model, (size_t)joint);
    start->q[joint] = fmax(j->lower, fmin(j->upper, q));
  }
}

static bool start_trajectory(const play_setup *setup, const sn_joint_trajectory *t,
                             play_start *start, play_result *result) {
  if (t->points.count == 0) {
    play_fail(result, SN_TRAJECTORY_INVALID_GOAL,
              "the trajectory is empty: 0 points for %zu joints", t->joint_names.count);
    return false;
  }
  for (size_t i = 0; i < t->joint_names.count; i++) {
    const char *name = sn_msg_names_at(&t->joint_names, i);
    const char *chain = sn__support_chain(name);
    const double value = t->points.data[0].positions.data[i];
    if (chain == NULL) {
      set_joint(setup->model, start, name, value);
    } else {
      start->in_stance[sn_model_chain_index(setup->model, chain)] = value > 0.5;
    }
  }
  return true;
}

/* A request begins in the nominal stance. */
static bool start_nominal(const play_setup *setup, sn_arena *arena, play_start *start,
                          play_result *result) {
  const sn_msg_capacity room = {.item_count = sn_model_pose_size(setup->model) + 1,
                                .text_size = 128};
  sn_joint_state *pose = sn_msg_create(arena, &sn_joint_state_type, &room);
  sn_caller call = {0};
  sn_error err = {.message =
                      "the deployment has no planner of steps, a component of type MoveBase"};
  char name[160];
  snprintf(name, sizeof name, "%.120s.getNominal",
           setup->move_base == NULL ? "" : setup->move_base);
  bool is_good = setup->move_base != NULL && pose != NULL &&
                 sn_caller_open(setup->plain.system, name, &call, &err) == SN_OK;
  if (is_good) {
    is_good = sn_call(&call, NULL, pose, &err) == SN_OK;
    sn_caller_close(&call);
  }
  for (size_t i = 0; is_good && i < pose->name.count; i++) {
    set_joint(setup->model, start, sn_msg_names_at(&pose->name, i), pose->position.data[i]);
  }
  if (!is_good) {
    play_fail(result, SN_MOVE_BASE_INTERNAL_ERROR, "%s", err.message);
  }
  return is_good;
}

bool play_start_find(const play_setup *setup, const sn__movement *movement, sn_arena *arena,
                     play_start *start, play_result *result) {
  *start = (play_start){.q = SN_NEW(arena, double, sn_model_pose_size(setup->model)),
                        .in_stance = SN_NEW(arena, bool, chain_count(setup->model))};
  if (start->q == NULL || start->in_stance == NULL) {
    play_fail(result, -1, "out of memory");
    return false;
  }
  for (size_t i = 0; i < sn_model_pose_size(setup->model); i++) {
    set_joint(setup->model, start, sn_model_joint(setup->model, i)->name, 0.0);
  }
  stand_on_all(setup->model, start);
  if (movement->kind == SN__MOVEMENT_STEP_SEQUENCE) {
    return play_start_steps(setup, movement->steps, arena, start, result);
  }
  if (movement->kind == SN__MOVEMENT_MOVE_BASE) {
    return start_nominal(setup, arena, start, result);
  }
  return movement->kind != SN__MOVEMENT_JOINT_TRAJECTORY ||
         start_trajectory(setup, &movement->trajectory->trajectory, start, result);
}

static void set_pose(const play_setup *setup, const play_start *start, sn_arena *arena,
                     text_list *settings) {
  sn__buffer out = {0};
  sn__json_open(&out, NULL, '{');
  for (size_t i = 0; i < sn_model_pose_size(setup->model); i++) {
    const sn_joint *joint = sn_model_joint(setup->model, i);
    if (joint->mimic < 0 && start->q[i] != 0.0) {
      sn__json_real(&out, joint->name, start->q[i]);
    }
  }
  sn__json_close(&out, '}');
  if (!out.failed && out.used > 2) {
    play_set(settings, arena, setup->plant, "initial_pose=%.*s", (int)out.used, out.data);
  }
  sn__buffer_free(&out);
}

void play_start_set(const play_setup *setup, const play_start *start, sn_arena *arena,
                    text_list *settings) {
  sn__buffer legs = {0};
  set_pose(setup, start, arena, settings);
  play_set(settings, arena, setup->plant, "base=%s", start->hangs ? "fixed" : "auto");
  sn__json_open(&legs, NULL, '[');
  for (size_t i = 0; !start->hangs && i < chain_count(setup->model); i++) {
    if (start->in_stance[i]) {
      sn__json_text(&legs, NULL, sn_names_at(sn_model_chain_names(setup->model), i));
    }
  }
  sn__json_close(&legs, ']');
  if (!legs.failed) {
    play_set(settings, arena, setup->hold, "support_legs=%.*s", (int)legs.used, legs.data);
  }
  sn__buffer_free(&legs);
}
