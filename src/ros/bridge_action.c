/* Actions and their controllers. */
#include "ros/bridge_action.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "sinew/system.h"

#define ACTION_NAME "follow_joint_trajectory" /* the name MoveIt expects */
#define POLL_NS INT64_C(500000)               /* while a goal is active */
#define IDLE_POLL_NS INT64_C(5000000)
#define TIMEOUT_NS INT64_C(50000000) /* the operations do not block */
/* Poll interval for goals that do not appear on the port. */
#define GOAL_POLL_NS INT64_C(100000000)
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

/* ---- goals to the controller ---- */

void sn__bridge_action_reject(sn__bridge_action *action, const char *why) {
  sn__bridge *bridge = action->bridge;
  snprintf(action->reject_reason, sizeof action->reject_reason, "%s", why);
  action->reject_code = SN_TRAJECTORY_INVALID_GOAL;
  atomic_fetch_add_explicit(&bridge->refused_inputs, 1, memory_order_relaxed);
  uint64_t suppressed;
  if (sn_log_limit_pass(&action->warnings, bridge->transport->now_ns(bridge->node), &suppressed)) {
    sn__bridge_log(bridge, SN_LOG_WARNING, "goal for {} rejected: {}", action->component, why);
  }
}

/* A goal the controller has dropped is found to have ended at the next poll. */
sn_cancel_code sn__bridge_action_cancel(sn__bridge_action *action, const sn__action_id *id,
                                        int64_t stamp_ns, size_t *count) {
  const sn_cancel_code code = sn__action_cancel(
      &action->goals, id, stamp_ns, action->bridge->transport->now_ns(action->bridge->node),
      action->cancelled, count);
  for (size_t i = 0; i < *count; i++) {
    const sn_trajectory_id request = {action->cancelled[i]->number};
    sn_error err = {SN_OK, ""};
    (void)call(action, "cancel", &request, action->outcome, &err);
  }
  return code;
}

/* ---- goals in the controller ---- */

static void end_goal(sn__bridge_action *action, sn__action_goal *goal, sn_trajectory_status status,
                     int32_t error_code, const char *text, int64_t now_ns) {
  const bool is_replaced =
      status == SN_TRAJECTORY_CANCELED && goal->status != SN_TRAJECTORY_CANCELING;
  sn__action_end(&action->goals, goal, status,
                 is_replaced ? (int32_t)SN_TRAJECTORY_INVALID_GOAL : error_code, text, now_ns);
  action->protocol->on_goal_ended(action, goal);
}

static void poll_goal(sn__bridge_action *action, sn__action_goal *goal, int64_t now_ns) {
  const sn_trajectory_id request = {goal->number};
  sn_trajectory_state *state = action->state;
  sn_error err = {SN_OK, ""};
  sn_msg_reset(&sn_trajectory_state_type, state);
  if (call(action, "getGoal", &request, state, &err) != SN_OK) {
    end_goal(action, goal, SN_TRAJECTORY_ABORTED, SN_TRAJECTORY_INVALID_GOAL, err.message, now_ns);
  } else if (state->state < SN_TRAJECTORY_SUCCEEDED) {
    sn__action_update(&action->goals, goal, (sn_trajectory_status)state->state);
  } else {
    char text[SN__ACTION_TEXT_SIZE];
    const bool has_joint = state->name.count > 0;
    snprintf(text, sizeof text, "%s%s%s%s", state->message.data, has_joint ? ": joint '" : "",
             has_joint ? sn_msg_names_at(&state->name, 0) : "", has_joint ? "'" : "");
    end_goal(action, goal, (sn_trajectory_status)state->state, state->error_code, text, now_ns);
  }
}

/* A controller remembers only a few goals, so poll before sending it another one. */
static void poll_goals(sn__bridge_action *action, int64_t now_ns) {
  for (size_t i = 0; i < action->goals.goal_count; i++) {
    if (!sn__action_has_ended(&action->goals.goals[i])) {
      poll_goal(action, &action->goals.goals[i], now_ns);
    }
  }
}

const sn__action_goal *sn__bridge_action_send(sn__bridge_action *action, const sn__action_id *id,
                                              int64_t stamp_ns, sn_trajectory_goal *msg) {
  sn_error err = {SN_OK, ""};
  poll_goals(action, action->bridge->transport->now_ns(action->bridge->node));
  const char *why = sn__action_reject_reason(&action->goals, id);
  if (why == NULL && !sn_msg_is_finite(&sn_trajectory_goal_type, msg)) {
    why = "it contains NaN or infinity";
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
      action->reject_code = action->answer->error_code;
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

static void publish_feedback(sn__bridge_action *action, const sn__action_goal *goal,
                             const sn_trajectory_state *state, int64_t now_ns) {
  const double rate_Hz = action->bridge->feedback_rate_Hz;
  const double since_s = 1e-9 * (double)(now_ns - action->feedback_sent_ns);
  if (state->state == SN_TRAJECTORY_EXECUTING && (rate_Hz <= 0.0 || since_s * rate_Hz >= 1.0) &&
      action->bridge->transport->subscriber_count(action->feedback_topic) > 0) {
    action->feedback_sent_ns = now_ns;
    action->protocol->publish_feedback(action, goal, state);
  }
}

static void on_state(sn__bridge_action *action, const sn_trajectory_state *state, int64_t now_ns) {
  const bool has_ended = state->state >= SN_TRAJECTORY_SUCCEEDED;
  action->newest = state->goal_id > action->newest ? state->goal_id : action->newest;
  action->ended = has_ended && state->goal_id > action->ended ? state->goal_id : action->ended;
  for (size_t i = 0; i < action->goals.goal_count; i++) {
    sn__action_goal *goal = &action->goals.goals[i];
    if (goal->number == state->goal_id && !sn__action_has_ended(goal) && !has_ended) {
      sn__action_update(&action->goals, goal, (sn_trajectory_status)state->state);
      publish_feedback(action, goal, state, now_ns);
    }
  }
}

static void read_states(sn__bridge_action *action, int64_t now_ns) {
  sn_flow flow = SN_NO_DATA;
  for (const void *msg = sn_tap_read(action->tap, &flow); flow == SN_NEW_DATA;
       msg = sn_tap_read(action->tap, &flow)) {
    on_state(action, msg, now_ns);
  }
}

/* The tap is open only while a goal is active. */
static void open_or_close_tap(sn__bridge_action *action, bool is_active) {
  char port[SN__GRAPH_NAME_SIZE];
  const sn_connection connection = {.buffer = TAP_BUFFER};
  sn_error err = {SN_OK, ""};
  if (is_active == (action->tap != NULL) || !sn__bridge_hold(action->bridge)) {
    return;
  }
  if (is_active) {
    snprintf(port, sizeof port, "%s.trajectory_state", action->component);
    if (sn_tap_open(action->bridge->component.system, port, &connection, &action->tap, &err) !=
        SN_OK) {
      action->tap = NULL; /* goals are polled instead */
    }
  } else {
    sn_tap_close(action->tap);
    action->tap = NULL;
  }
  sn__bridge_release(action->bridge);
}

static bool update_goals(sn__bridge_action *action, int64_t now_ns) {
  bool is_active = false;
  if (action->tap != NULL) {
    read_states(action, now_ns);
  }
  const bool is_time = now_ns - action->polled_ns >= GOAL_POLL_NS;
  for (size_t i = 0; i < action->goals.goal_count; i++) {
    sn__action_goal *goal = &action->goals.goals[i];
    if (!sn__action_has_ended(goal) &&
        (is_time || goal->number <= action->ended || goal->number < action->newest)) {
      poll_goal(action, goal, now_ns);
    }
    is_active = is_active || !sn__action_has_ended(goal);
  }
  action->polled_ns = is_time ? now_ns : action->polled_ns;
  open_or_close_tap(action, is_active);
  return is_active;
}

static void step(sn__bridge_action *action, int64_t now_ns) {
  const int64_t status_ns = action->protocol->status_ns;
  sn__action_expire(&action->goals, now_ns);
  if (action->goals.has_changed ||
      (status_ns > 0 && now_ns - action->status_sent_ns >= status_ns)) {
    action->goals.has_changed = false;
    action->status_sent_ns = now_ns;
    action->protocol->publish_status(action);
  }
}

int64_t sn__bridge_step_actions(sn__bridge *bridge, int64_t now_ns) {
  int64_t wait_ns = IDLE_POLL_NS;
  for (sn__bridge_action *action = bridge->first_action; action != NULL; action = action->next) {
    if (update_goals(action, now_ns)) {
      wait_ns = POLL_NS;
    }
    step(action, now_ns);
  }
  return wait_ns;
}

/* The node drops clients that still wait. */
void sn__bridge_close_actions(sn__bridge *bridge) {
  for (sn__bridge_action *action = bridge->first_action; action != NULL; action = action->next) {
    sn_tap_close(action->tap);
  }
  bridge->first_action = NULL;
}

/* ---- setup ---- */

static bool has_operation(const sn_component *component, const char *name,
                          const sn_msg_type *request, const sn_msg_type *response) {
  for (const sn_operation *o = component->type->operations; o != NULL && o->name != NULL; o++) {
    if (strcmp(o->name, name) == 0) {
      return o->request == request && o->response == response;
    }
  }
  return false;
}

/* Any component with these operations executes trajectories, including plugins. */
static bool is_controller(const sn_component *component) {
  return has_operation(component, "execute", &sn_trajectory_goal_type,
                       &sn_trajectory_answer_type) &&
         has_operation(component, "cancel", &sn_trajectory_id_type, &sn_call_outcome_type) &&
         has_operation(component, "getGoal", &sn_trajectory_id_type, &sn_trajectory_state_type);
}

static bool allocate(sn__bridge_action *action) {
  sn__bridge *bridge = action->bridge;
  sn_arena *arena = &bridge->arena;
  const sn__action_config config = {.goal_capacity = SN__ACTION_GOALS,
                                    .waiter_capacity = SN__ACTION_WAITERS,
                                    .recall_capacity = action->protocol->recall_capacity,
                                    .keep_ns = (int64_t)(1e9 * bridge->result_timeout_s),
                                    .may_preempt = action->protocol->may_preempt};
  const sn_msg_capacity capacity = {.item_count = sn_model_pose_size(bridge->model) + 1,
                                    .text_size = SN__ACTION_TEXT_SIZE};
  action->answer = sn_msg_create(arena, &sn_trajectory_answer_type, &capacity);
  action->state = sn_msg_create(arena, &sn_trajectory_state_type, &capacity);
  action->outcome = sn_msg_create(arena, &sn_call_outcome_type, &capacity);
  action->cancelled = SN_NEW(arena, sn__action_goal *, SN__ACTION_GOALS);
  return action->answer != NULL && action->state != NULL && action->outcome != NULL &&
         action->cancelled != NULL && sn__action_init(&action->goals, arena, &config) == SN_OK;
}

static sn_status add(sn__bridge *bridge, const sn_component *component, sn_error *err) {
  char path[SN__GRAPH_NAME_SIZE];
  char name[SN__GRAPH_NAME_SIZE];
  snprintf(path, sizeof path, "%s." ACTION_NAME, component->name);
  if (!sn__bridge_matches(&bridge->services, path) ||
      !sn__bridge_name(bridge, path, name, sizeof name)) {
    return SN_OK;
  }
  sn__bridge_action *action = SN_NEW(&bridge->arena, sn__bridge_action, 1);
  if (action != NULL) {
    action->bridge = bridge;
    action->protocol =
        bridge->transport->add_deferred_service != NULL ? &sn__action_ros2 : &sn__action_ros1;
    action->component = sn_arena_text(&bridge->arena, component->name, strlen(component->name));
  }
  if (action == NULL || action->component == NULL || !allocate(action) ||
      !action->protocol->add(action, name)) {
    return sn__fail(err, SN_ENOMEM, "out of memory for %s", path);
  }
  action->next = bridge->first_action;
  bridge->first_action = action;
  return SN_OK;
}

sn_status sn__bridge_add_actions(sn__bridge *bridge, sn_error *err) {
  const sn_system *system = bridge->component.system;
  sn_status status = SN_OK;
  sn_system_hold(system);
  for (size_t i = 0; status == SN_OK && i < sn_system_component_count(system); i++) {
    const sn_component *component = sn_system_component_at(system, i);
    if (is_controller(component)) {
      status = add(bridge, component, err);
    }
  }
  sn_system_release(system);
  return status;
}
