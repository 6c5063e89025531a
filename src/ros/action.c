#include "ros/action.h"

#include <stdio.h>
#include <string.h>

#include "sinew/fault.h"

sn_status sn__action_init(sn__action *action, sn_arena *arena, const sn__action_config *config) {
  *action = (sn__action){.config = *config,
                         .goals = SN_NEW(arena, sn__action_goal, config->goal_capacity),
                         .waiters = SN_NEW(arena, sn__action_waiter, config->waiter_capacity),
                         .recalls = SN_NEW(arena, sn__action_recall, config->recall_capacity)};
  return action->goals != NULL && action->waiters != NULL && action->recalls != NULL ? SN_OK
                                                                                     : SN_ENOMEM;
}

bool sn__action_id_set(sn__action_id *id, const void *bytes, size_t size) {
  if (size > sizeof id->bytes) {
    return false;
  }
  id->size = size;
  memcpy(id->bytes, bytes, size);
  return true;
}

static bool is_same(const sn__action_id *a, const sn__action_id *b) {
  return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

sn__action_goal *sn__action_find(const sn__action *action, const sn__action_id *id) {
  for (size_t i = 0; i < action->goal_count; i++) {
    if (is_same(&action->goals[i].id, id)) {
      return &action->goals[i];
    }
  }
  return NULL;
}

bool sn__action_has_ended(const sn__action_goal *goal) {
  return goal->status >= SN_TRAJECTORY_SUCCEEDED;
}

static void drop_goal(sn__action *action, size_t index) {
  action->goal_count--;
  memmove(&action->goals[index], &action->goals[index + 1],
          (action->goal_count - index) * sizeof *action->goals);
  action->has_changed = true;
}

/* It has ended and no client waits for its result. */
static bool is_done(const sn__action *action, const sn__action_goal *goal) {
  for (size_t i = 0; i < action->waiter_count; i++) {
    if (is_same(&action->waiters[i].id, &goal->id)) {
      return false;
    }
  }
  return sn__action_has_ended(goal);
}

/* The goal that ended first and can be dropped; -1: none. */
static int find_oldest_end(const sn__action *action) {
  int oldest = -1;
  for (size_t i = 0; i < action->goal_count; i++) {
    const sn__action_goal *goal = &action->goals[i];
    if (is_done(action, goal) && (oldest < 0 || goal->ended_ns < action->goals[oldest].ended_ns)) {
      oldest = (int)i;
    }
  }
  return oldest;
}

/* ---- life of a goal ---- */

const char *sn__action_reject_reason(const sn__action *action, const sn__action_id *id) {
  return id->size == 0                         ? "the goal id is empty"
         : sn__action_find(action, id) != NULL ? "a goal with this id already exists"
         : action->goal_count == action->config.goal_capacity && find_oldest_end(action) < 0
             ? "too many active goals"
             : NULL;
}

sn__action_goal *sn__action_accept(sn__action *action, const sn__action_id *id, uint64_t number,
                                   int64_t stamp_ns) {
  SN_ASSERT(sn__action_reject_reason(action, id) == NULL);
  if (action->goal_count == action->config.goal_capacity) {
    drop_goal(action, (size_t)find_oldest_end(action));
  }
  sn__action_goal *goal = &action->goals[action->goal_count++];
  *goal = (sn__action_goal){
      .id = *id, .number = number, .stamp_ns = stamp_ns, .status = SN_TRAJECTORY_ACCEPTED};
  action->has_changed = true;
  return goal;
}

void sn__action_update(sn__action *action, sn__action_goal *goal, sn_trajectory_status status) {
  if (goal->status < SN_TRAJECTORY_CANCELING && status > goal->status &&
      status <= SN_TRAJECTORY_EXECUTING) {
    goal->status = status;
    action->has_changed = true;
  }
}

void sn__action_end(sn__action *action, sn__action_goal *goal, sn_trajectory_status status,
                    int32_t error_code, const char *text, int64_t now_ns) {
  SN_ASSERT(status >= SN_TRAJECTORY_SUCCEEDED);
  if (sn__action_has_ended(goal)) {
    return;
  }
  const bool was_asked = goal->status == SN_TRAJECTORY_CANCELING || action->config.may_preempt;
  goal->status = status == SN_TRAJECTORY_CANCELED && !was_asked ? SN_TRAJECTORY_ABORTED : status;
  goal->error_code = error_code;
  goal->ended_ns = now_ns;
  snprintf(goal->error_text, sizeof goal->error_text, "%s", text);
  action->has_changed = true;
}

/* ---- goals cancelled before they arrived ---- */

static sn__action_recall *find_recall(const sn__action *action, const sn__action_id *id) {
  for (size_t i = 0; i < action->recall_count; i++) {
    if (is_same(&action->recalls[i].id, id)) {
      return &action->recalls[i];
    }
  }
  return NULL;
}

static void drop_recall(sn__action *action, size_t index) {
  action->recall_count--;
  memmove(&action->recalls[index], &action->recalls[index + 1],
          (action->recall_count - index) * sizeof *action->recalls);
  action->has_changed = true;
}

static void recall(sn__action *action, const sn__action_id *id, int64_t stamp_ns, int64_t now_ns) {
  sn__action_recall *known = find_recall(action, id);
  if (known != NULL) {
    known->last_seen_ns = now_ns;
    return;
  }
  if (action->recall_count == action->config.recall_capacity) {
    drop_recall(action, 0);
  }
  action->recalls[action->recall_count++] =
      (sn__action_recall){.id = *id, .stamp_ns = stamp_ns, .last_seen_ns = now_ns};
  action->has_changed = true;
}

bool sn__action_is_recalled(sn__action *action, const sn__action_id *id, int64_t now_ns) {
  sn__action_recall *known = find_recall(action, id);
  if (known != NULL) {
    known->has_arrived = true;
    known->last_seen_ns = now_ns;
    action->has_changed = true;
  }
  return known != NULL;
}

void sn__action_expire(sn__action *action, int64_t now_ns) {
  for (size_t i = action->recall_count; i-- > 0;) {
    if (now_ns - action->recalls[i].last_seen_ns > action->config.keep_ns) {
      drop_recall(action, i);
    }
  }
  for (size_t i = action->goal_count; i-- > 0;) {
    const sn__action_goal *goal = &action->goals[i];
    if (is_done(action, goal) && now_ns - goal->ended_ns > action->config.keep_ns) {
      drop_goal(action, i);
    }
  }
}

/* ---- client requests ---- */

static bool is_selected(const sn__action_goal *goal, const sn__action_id *id, int64_t stamp_ns) {
  const bool has_id = id->size > 0 && is_same(&goal->id, id);
  const bool is_all = id->size == 0 && stamp_ns == 0;
  return has_id || is_all || (stamp_ns != 0 && goal->stamp_ns <= stamp_ns);
}

sn_cancel_code sn__action_cancel(sn__action *action, const sn__action_id *id, int64_t stamp_ns,
                                 int64_t now_ns, sn__action_goal **list, size_t *count) {
  *count = 0;
  const bool is_known = id->size == 0 || sn__action_find(action, id) != NULL;
  if (!is_known && action->config.recall_capacity > 0) {
    recall(action, id, stamp_ns, now_ns);
  }
  for (size_t i = 0; i < action->goal_count; i++) {
    sn__action_goal *goal = &action->goals[i];
    if (goal->status < SN_TRAJECTORY_CANCELING && is_selected(goal, id, stamp_ns)) {
      goal->status = SN_TRAJECTORY_CANCELING;
      action->has_changed = true;
      list[(*count)++] = goal;
    }
  }
  if (*count > 0 || id->size == 0 || stamp_ns != 0) {
    return SN_CANCEL_NONE;
  }
  return is_known ? SN_CANCEL_TERMINATED : SN_CANCEL_UNKNOWN_GOAL;
}

sn__action_wait sn__action_await(sn__action *action, const sn__action_id *id, void *call,
                                 const sn__action_goal **goal) {
  *goal = sn__action_find(action, id);
  if (*goal == NULL) {
    return SN__ACTION_UNKNOWN;
  }
  if (sn__action_has_ended(*goal)) {
    return SN__ACTION_ANSWER;
  }
  if (action->waiter_count == action->config.waiter_capacity) {
    return SN__ACTION_FULL;
  }
  action->waiters[action->waiter_count++] = (sn__action_waiter){.id = *id, .call = call};
  return SN__ACTION_WAITS;
}

void *sn__action_next_waiter(sn__action *action, const sn__action_goal **goal) {
  for (size_t i = 0; i < action->waiter_count; i++) {
    *goal = sn__action_find(action, &action->waiters[i].id);
    SN_ASSERT(*goal != NULL); /* goals with waiters are kept */
    if (sn__action_has_ended(*goal)) {
      void *call = action->waiters[i].call;
      action->waiter_count--;
      memmove(&action->waiters[i], &action->waiters[i + 1],
              (action->waiter_count - i) * sizeof *action->waiters);
      return call;
    }
  }
  return NULL;
}
