#include "controllers/goals.h"

#include <string.h>

#include "arbiter/controller_internal.h"
#include "base/fail.h"
#include "rt/estop/estop.h"

/* ---- lifecycle ---- */

void sn__goals_init(sn__goals *goals) {
  if (goals->has_mutex) {
    return;
  }
  pthread_mutex_init(&goals->mutex, NULL);
  goals->has_mutex = true;
  for (size_t i = 0; i < SN__GOALS_MAX; i++) {
    sn_arena_init_growing(&goals->items[i].arena, "goal", 0);
  }
}

void sn__goals_dispose(sn__goals *goals) {
  if (goals->has_mutex) {
    pthread_mutex_destroy(&goals->mutex);
  }
}

void sn__goals_open(sn__goals *goals, sn_system *system) {
  pthread_mutex_lock(&goals->mutex);
  goals->system = system;
  goals->is_open = true;
  pthread_mutex_unlock(&goals->mutex);
}

void sn__goals_close(sn__goals *goals) {
  pthread_mutex_lock(&goals->mutex);
  goals->is_open = false;
  for (size_t i = 0; i < SN__GOALS_MAX; i++) {
    sn_arena_release(&goals->items[i].arena);
    atomic_store(&goals->items[i].stage, SN__GOAL_FREE);
  }
  pthread_mutex_unlock(&goals->mutex);
}

/* ---- senders ---- */

bool sn__goals_enter(sn__goals *goals) {
  if (!atomic_load(&goals->is_open)) {
    return false;
  }
  pthread_mutex_lock(&goals->mutex);
  if (!atomic_load(&goals->is_open)) { /* closed while this thread waited */
    pthread_mutex_unlock(&goals->mutex);
    return false;
  }
  return true;
}

void sn__goals_leave(sn__goals *goals) {
  pthread_mutex_unlock(&goals->mutex);
}

static sn__goal_stage stage_of(const sn__goal *goal) {
  return (sn__goal_stage)atomic_load_explicit(&goal->stage, memory_order_acquire);
}

/* A free slot, or that of the goal that ended first. */
static sn__goal *find_place(sn__goals *goals) {
  sn__goal *oldest = NULL;
  for (size_t i = 0; i < SN__GOALS_MAX; i++) {
    sn__goal *goal = &goals->items[i];
    const sn__goal_stage stage = stage_of(goal);
    if (stage == SN__GOAL_FREE) {
      return goal;
    }
    if (stage == SN__GOAL_ENDED && (oldest == NULL || goal->id < oldest->id)) {
      oldest = goal;
    }
  }
  return oldest;
}

static sn_status send_held(sn__goals *goals, const void *msg, uint64_t *id, int32_t *error,
                           sn_error *err) {
  sn__goal *goal = find_place(goals);
  if (goal == NULL) {
    return sn__fail(err, SN_EBUSY, "%d goals are already waiting", SN__GOALS_MAX);
  }
  atomic_store(&goal->stage, SN__GOAL_FREE);
  sn_arena_release(&goal->arena);
  const sn_status status = goals->reader(goals->context, msg, goal, error, err);
  if (status != SN_OK) {
    sn_arena_release(&goal->arena);
    return status;
  }
  goal->id = *id = ++goals->last_id;
  atomic_store(&goal->must_cancel, false);
  atomic_store(&goal->status, SN_TRAJECTORY_ACCEPTED);
  atomic_store(&goal->elapsed_ns, 0);
  atomic_store_explicit(&goal->stage, SN__GOAL_READY, memory_order_release);
  return SN_OK;
}

sn_status sn__goals_send(sn__goals *goals, const void *msg, uint64_t *id, int32_t *error,
                         sn_error *err) {
  *id = 0;
  if (!sn__goals_enter(goals)) {
    return sn__fail(err, SN_ESTOPPED, "the controller is not running");
  }
  sn_status status = sn__estop_refuse(goals->system, err);
  status = status == SN_OK ? send_held(goals, msg, id, error, err) : status;
  sn__goals_leave(goals);
  return status;
}

bool sn__goals_cancel(sn__goals *goals, uint64_t id) {
  bool is_any = false;
  if (!sn__goals_enter(goals)) {
    return false;
  }
  for (size_t i = 0; i < SN__GOALS_MAX; i++) {
    sn__goal *goal = &goals->items[i];
    const sn__goal_stage stage = stage_of(goal);
    if ((stage == SN__GOAL_READY || stage == SN__GOAL_TAKEN) && (id == 0 || goal->id == id)) {
      atomic_store(&goal->must_cancel, true);
      is_any = true;
    }
  }
  sn__goals_leave(goals);
  return is_any;
}

static void describe(const sn__goal *goal, sn_trajectory_state *out) {
  const bool has_ended = stage_of(goal) == SN__GOAL_ENDED;
  out->goal_id = goal->id;
  out->state = (uint8_t)(has_ended ? (int)goal->end.status : atomic_load(&goal->status));
  out->error_code = has_ended ? goal->end.error : 0;
  out->duration_ns = goal->duration_ns;
  out->time_from_start_ns = atomic_load(&goal->elapsed_ns);
  (void)sn_msg_text_set(&out->message, has_ended ? goal->end.text : ""); /* static, and short */
  if (has_ended && goal->end.name != NULL) {
    sn_msg_names_clear(&out->name);
    (void)sn_msg_names_add(&out->name, goal->end.name, strlen(goal->end.name));
  }
}

sn_status sn__goals_read_state(sn__goals *goals, uint64_t id, sn_trajectory_state *out,
                               sn_error *err) {
  sn_status status = SN_ENOENT;
  if (!sn__goals_enter(goals)) {
    return sn__fail(err, SN_ESTOPPED, "the controller is not running");
  }
  for (size_t i = 0; i < SN__GOALS_MAX && status != SN_OK; i++) {
    const sn__goal *goal = &goals->items[i];
    if (stage_of(goal) != SN__GOAL_FREE && goal->id == id) {
      describe(goal, out);
      status = SN_OK;
    }
  }
  sn__goals_leave(goals);
  return status == SN_OK ? SN_OK
                         : sn__fail(err, SN_ENOENT, "unknown goal %llu, or its result was dropped",
                                    (unsigned long long)id);
}

/* ---- operations ---- */

sn_status sn__goals_run_execute(sn__goals *goals, const void *msg, int32_t invalid,
                                sn_trajectory_answer *answer, sn_error *err) {
  int32_t error = invalid;
  const sn_status status = sn__goals_send(goals, msg, &answer->goal_id, &error, err);
  answer->accepted = status == SN_OK;
  answer->error_code = status == SN_OK ? 0 : error;
  /* A rejection is an answer; a message that is too long is replaced by the status. */
  (void)sn_msg_text_set(&answer->message, "");
  if (status != SN_OK && sn_msg_text_set(&answer->message, err->message) != SN_OK) {
    (void)sn_msg_text_set(&answer->message, sn_status_text(status));
  }
  return SN_OK;
}

sn_status sn__goals_run_cancel(sn__goals *goals, const sn_trajectory_id *request,
                               sn_call_outcome *outcome) {
  outcome->success = sn__goals_cancel(goals, request->goal_id);
  return sn_msg_text_set(&outcome->message,
                         outcome->success ? "" : "no such goal is being executed");
}

/* ---- the cycle ---- */

void sn__goal_end_with(sn__goal *goal, sn__goal_end end) {
  goal->end = end;
  atomic_store_explicit(&goal->stage, SN__GOAL_ENDED, memory_order_release);
}

sn__goal *sn__goals_take(sn__goals *goals) {
  static const sn__goal_end replaced = {SN_TRAJECTORY_CANCELED, 0, "replaced by another goal",
                                        NULL};
  sn__goal *newest = NULL;
  for (size_t i = 0; i < SN__GOALS_MAX; i++) {
    sn__goal *goal = &goals->items[i];
    if (stage_of(goal) != SN__GOAL_READY) {
      continue;
    }
    sn__goal *older = newest == NULL || newest->id < goal->id ? newest : goal;
    newest = older == goal ? newest : goal;
    if (older != NULL) {
      sn__goal_end_with(older, replaced);
    }
  }
  if (newest != NULL) {
    atomic_store(&newest->stage, SN__GOAL_TAKEN);
  }
  return newest;
}

bool sn__goal_is_owned(const sn__goal *goal, const sn_controller *controller) {
  const sn_resource_set held = sn__consumer_held(controller->consumer);
  return sn_resource_set_includes(&held, &goal->limbs);
}

const char *sn__goal_take_limbs(const sn__goal *goal, sn_controller *controller,
                                bool *is_goals_limbs) {
  if (!controller->has_pose) {
    return "no pose has arrived on in_joints_sorted";
  }
  if (sn__goal_is_owned(goal, controller)) {
    return NULL;
  }
  const bool was_operational = sn_controller_is_operational(controller);
  const sn_arbiter_answer answer = sn__consumer_request_more(controller->consumer, &goal->limbs,
                                                             (int32_t)controller->priority, 0);
  *is_goals_limbs = *is_goals_limbs || !was_operational;
  return answer == SN_ARBITER_GRANTED ? NULL : "its limbs belong to a stronger controller";
}
