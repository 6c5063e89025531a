/* An action and its controller. */
#include "ros/bridge_action.h"

#include <stdio.h>
#include <string.h>

#include "sinew/system.h"

#define TIMEOUT_NS INT64_C(50000000) /* its operations answer at once */
/* How often goals are asked for that the port says nothing of. */
#define ASK_NS INT64_C(100000000)
#define COMPLAINTS_HZ 2.0
#define TAP_BUFFER 64

static sn_status call(const sn__bridge_action *action, const char *operation, const void *request,
                      void *response, sn_error *err) {
  char name[SN__GRAPH_NAME_SIZE];
  sn_caller caller = {0};
  snprintf(name, sizeof name, "%s.%s", action->component, operation);
  sn_status status = sn__bridge_open_caller(action->bridge, name, &caller, err);
  if (status == SN_OK) {
    caller.timeout_ns = TIMEOUT_NS;
    status = sn_call(&caller, request, response, err);
    sn_caller_close(&caller);
  }
  return status;
}

/* ---- goals on their way to it ---- */

void sn__bridge_action_reject(sn__bridge_action *action, const char *why) {
  sn__bridge *bridge = action->bridge;
  snprintf(action->objection, sizeof action->objection, "%s", why);
  action->objection_code = SN_TRAJECTORY_INVALID_GOAL;
  atomic_fetch_add_explicit(&bridge->refused_inputs, 1, memory_order_relaxed);
  if (sn__throttle_take(&action->complaints, COMPLAINTS_HZ, bridge->face->now_ns(bridge->node))) {
    sn__bridge_log(bridge, SN_LOG_WARNING, "a goal for {} was rejected: {}", action->component,
                   why);
  }
}

/* What the controller does not know any more has ended: that is seen when it is asked for. */
sn_cancel_code sn__bridge_action_cancel(sn__bridge_action *action, const sn__action_id *id,
                                        int64_t stamp_ns, size_t *count) {
  const sn_cancel_code code = sn__action_cancel(&action->goals, id, stamp_ns,
                                                action->bridge->face->now_ns(action->bridge->node),
                                                action->cancelled, count);
  for (size_t i = 0; i < *count; i++) {
    const sn_trajectory_id request = {action->cancelled[i]->number};
    sn_error err = {SN_OK, ""};
    (void)call(action, "cancel", &request, action->outcome, &err);
  }
  return code;
}

/* ---- what becomes of them ---- */

static void end(sn__bridge_action *action, sn__action_goal *goal, sn_trajectory_status status,
                int32_t error_code, const char *text, int64_t now_ns) {
  const bool is_replaced =
      status == SN_TRAJECTORY_CANCELED && goal->status != SN_TRAJECTORY_CANCELING;
  sn__action_end(&action->goals, goal, status,
                 is_replaced ? (int32_t)SN_TRAJECTORY_INVALID_GOAL : error_code, text, now_ns);
  action->wire->tell_end(action, goal);
}

/* It tells which joint is to blame, if one is. */
static void ask(sn__bridge_action *action, sn__action_goal *goal, int64_t now_ns) {
  const sn_trajectory_id request = {goal->number};
  sn_trajectory_state *state = action->state;
  sn_error err = {SN_OK, ""};
  sn_msg_reset(&sn_trajectory_state_type, state);
  if (call(action, "getGoal", &request, state, &err) != SN_OK) {
    end(action, goal, SN_TRAJECTORY_ABORTED, SN_TRAJECTORY_INVALID_GOAL, err.message, now_ns);
  } else if (state->state < SN_TRAJECTORY_SUCCEEDED) {
    sn__action_note(&action->goals, goal, (sn_trajectory_status)state->state);
  } else {
    char text[SN__ACTION_TEXT_SIZE];
    const bool has_culprit = state->name.count > 0;
    snprintf(text, sizeof text, "%s%s%s%s", state->message.data, has_culprit ? ": joint '" : "",
             has_culprit ? sn_msg_names_at(&state->name, 0) : "", has_culprit ? "'" : "");
    end(action, goal, (sn_trajectory_status)state->state, state->error_code, text, now_ns);
  }
}

/* A controller remembers a few goals: before it gets another one it tells of those that it has. */
static void ask_all(sn__bridge_action *action, int64_t now_ns) {
  for (size_t i = 0; i < action->goals.goal_count; i++) {
    if (!sn__action_has_ended(&action->goals.goals[i])) {
      ask(action, &action->goals.goals[i], now_ns);
    }
  }
}

const sn__action_goal *sn__bridge_action_send(sn__bridge_action *action, const sn__action_id *id,
                                              int64_t stamp_ns, sn_trajectory_goal *msg) {
  sn_error err = {SN_OK, ""};
  ask_all(action, action->bridge->face->now_ns(action->bridge->node));
  const char *why = sn__action_objection(&action->goals, id);
  if (why == NULL && !sn_msg_is_finite(&sn_trajectory_goal_type, msg)) {
    why = "it holds NaN or infinity";
  }
  if (why == NULL) {
    int64_t *begin_ns = &msg->trajectory.header.stamp_ns;
    *begin_ns -= *begin_ns == 0 ? 0 : action->bridge->wall_offset_ns;
    why = call(action, "execute", msg, action->answer, &err) != SN_OK ? err.message
          : !action->answer->accepted                                 ? action->answer->message.data
                                                                      : NULL;
  }
  if (why != NULL) {
    sn__bridge_action_reject(action, why);
    if (why == action->answer->message.data) {
      action->objection_code = action->answer->error_code;
    }
    return NULL;
  }
  return sn__action_accept(&action->goals, id, action->answer->goal_id, stamp_ns);
}

void sn__bridge_action_point(sn_joint_trajectory_point *point, const sn_seq_f64 *values,
                             const sn_seq_f64 *minus, int64_t time_ns) {
  const size_t count = minus != NULL && minus->count < values->count ? minus->count : values->count;
  point->positions.count = count < point->positions.capacity ? count : point->positions.capacity;
  point->time_from_start_ns = time_ns;
  for (size_t i = 0; i < point->positions.count; i++) {
    point->positions.data[i] = values->data[i] - (minus == NULL ? 0.0 : minus->data[i]);
  }
}

static void tell_feedback(sn__bridge_action *action, const sn__action_goal *goal,
                          const sn_trajectory_state *state, int64_t now_ns) {
  const double rate_Hz = action->bridge->feedback_rate_Hz;
  const double since_s = 1e-9 * (double)(now_ns - action->feedback_told_ns);
  if (state->state == SN_TRAJECTORY_EXECUTING && (rate_Hz <= 0.0 || since_s * rate_Hz >= 1.0) &&
      action->bridge->face->subscriber_count(action->feedback_topic) > 0) {
    action->feedback_told_ns = now_ns;
    action->wire->tell_feedback(action, goal, state);
  }
}

static void hear(sn__bridge_action *action, const sn_trajectory_state *state, int64_t now_ns) {
  const bool has_ended = state->state >= SN_TRAJECTORY_SUCCEEDED;
  action->newest = state->goal_id > action->newest ? state->goal_id : action->newest;
  action->ended = has_ended && state->goal_id > action->ended ? state->goal_id : action->ended;
  for (size_t i = 0; i < action->goals.goal_count; i++) {
    sn__action_goal *goal = &action->goals.goals[i];
    if (goal->number == state->goal_id && !sn__action_has_ended(goal) && !has_ended) {
      sn__action_note(&action->goals, goal, (sn_trajectory_status)state->state);
      tell_feedback(action, goal, state, now_ns);
    }
  }
}

static void listen(sn__bridge_action *action, int64_t now_ns) {
  sn_flow flow = SN_NO_DATA;
  for (const void *msg = sn_tap_read(action->tap, &flow); flow == SN_NEW_DATA;
       msg = sn_tap_read(action->tap, &flow)) {
    hear(action, msg, now_ns);
  }
}

/* The port is listened to while there is something to hear. */
static void attend(sn__bridge_action *action, bool is_under_way) {
  char port[SN__GRAPH_NAME_SIZE];
  const sn_connection connection = {.buffer = TAP_BUFFER};
  sn_error err = {SN_OK, ""};
  if (is_under_way == (action->tap != NULL) || !sn__bridge_hold(action->bridge)) {
    return;
  }
  if (is_under_way) {
    snprintf(port, sizeof port, "%s.trajectory_state", action->component);
    if (sn_tap_open(action->bridge->component.system, port, &connection, &action->tap, &err) !=
        SN_OK) {
      action->tap = NULL; /* then goals are only asked for */
    }
  } else {
    sn_tap_close(action->tap);
    action->tap = NULL;
  }
  sn__bridge_release(action->bridge);
}

bool sn__bridge_action_follow(sn__bridge_action *action, int64_t now_ns) {
  bool is_under_way = false;
  if (action->tap != NULL) {
    listen(action, now_ns);
  }
  const bool is_time = now_ns - action->looked_ns >= ASK_NS;
  for (size_t i = 0; i < action->goals.goal_count; i++) {
    sn__action_goal *goal = &action->goals.goals[i];
    if (!sn__action_has_ended(goal) &&
        (is_time || goal->number <= action->ended || goal->number < action->newest)) {
      ask(action, goal, now_ns);
    }
    is_under_way = is_under_way || !sn__action_has_ended(goal);
  }
  action->looked_ns = is_time ? now_ns : action->looked_ns;
  attend(action, is_under_way);
  return is_under_way;
}
