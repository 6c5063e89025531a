/* Actions and their controllers. */
#include "ros/bridge_action.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "sinew/system.h"

static const sn__action_kind *const kinds[] = {&sn__follow_kind,  &sn__tool_kind,
                                               &sn__gripper_kind, &sn__step_kind,
                                               &sn__move_kind,    &sn__set_operational_kind};

#define POLL_NS INT64_C(500000) /* while a goal is active */
#define IDLE_POLL_NS INT64_C(5000000)
/* Poll interval for goals that do not appear on the port. */
#define GOAL_POLL_NS INT64_C(100000000)
#define TAP_BUFFER 64

sn_status sn__bridge_action_call(const sn__bridge_action *action, const char *component,
                                 const char *operation, int64_t timeout_ns, const void *request,
                                 void *response, sn_error *err) {
  char name[SN__GRAPH_NAME_SIZE];
  sn_caller caller = {0};
  snprintf(name, sizeof name, "%s.%s", component, operation);
  sn_status status = sn__bridge_open_caller(action->bridge, name, &caller, err);
  if (status == SN_OK) {
    caller.timeout_ns = timeout_ns;
    status = sn_call(&caller, request, response, err);
    sn_caller_close(&caller);
  }
  return status;
}

/* ---- goals to the controller ---- */

void sn__bridge_action_reject(sn__bridge_action *action, const char *why) {
  sn__bridge *bridge = action->bridge;
  snprintf(action->reject_reason, sizeof action->reject_reason, "%s", why);
  action->reject_code = action->kind->invalid_code;
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
    action->kind->cancel(action, action->cancelled[i]);
  }
  return code;
}

/* ---- goals in the controller ---- */

void sn__bridge_action_end(sn__bridge_action *action, sn__action_goal *goal,
                           sn_trajectory_status status, int32_t error_code, const char *text,
                           int64_t now_ns) {
  const bool is_replaced =
      status == SN_TRAJECTORY_CANCELED && goal->status != SN_TRAJECTORY_CANCELING;
  sn__action_end(&action->goals, goal, status, is_replaced ? action->kind->lost_code : error_code,
                 text, now_ns);
  action->protocol->on_goal_ended(action, goal);
}

/* A controller remembers only a few goals, so poll before sending it another one. */
static void poll_goals(sn__bridge_action *action, int64_t now_ns) {
  for (size_t i = 0; i < action->goals.goal_count; i++) {
    if (!sn__action_has_ended(&action->goals.goals[i])) {
      action->kind->poll(action, &action->goals.goals[i], now_ns);
    }
  }
}

const sn__action_goal *sn__bridge_action_send(sn__bridge_action *action, const sn__action_id *id,
                                              int64_t stamp_ns, const sn_msg_type *type,
                                              void *goal) {
  poll_goals(action, action->bridge->transport->now_ns(action->bridge->node));
  const char *why = sn__action_reject_reason(&action->goals, id);
  if (why == NULL && !sn_msg_is_finite(type, goal)) {
    why = "it contains NaN or infinity";
  }
  sn_error err = {SN_OK, ""};
  uint64_t number = 0;
  int32_t code = action->kind->invalid_code;
  if (why == NULL && !action->kind->start(action, goal, &number, &code, &err)) {
    why = err.message;
  }
  if (why != NULL) {
    sn__bridge_action_reject(action, why);
    action->reject_code = code;
    return NULL;
  }
  return sn__action_accept(&action->goals, id, number, stamp_ns);
}

void sn__bridge_action_feedback(sn__bridge_action *action, const sn__action_goal *goal,
                                const void *state, int64_t now_ns) {
  const double rate_Hz = action->bridge->feedback_rate_Hz;
  const double since_s = 1e-9 * (double)(now_ns - action->feedback_sent_ns);
  if ((rate_Hz <= 0.0 || since_s * rate_Hz >= 1.0) &&
      action->bridge->transport->subscriber_count(action->feedback_topic) > 0) {
    action->feedback_sent_ns = now_ns;
    action->protocol->publish_feedback(action, goal, state);
  }
}

static void read_states(sn__bridge_action *action, int64_t now_ns) {
  sn_flow flow = SN_NO_DATA;
  for (const void *msg = sn_tap_read(action->tap, &flow); flow == SN_NEW_DATA;
       msg = sn_tap_read(action->tap, &flow)) {
    action->kind->on_state(action, msg, now_ns);
  }
}

/* The tap is open only while a goal is active. */
static void open_or_close_tap(sn__bridge_action *action, bool is_active) {
  const sn_connection connection = {.buffer = TAP_BUFFER};
  sn_error err = {SN_OK, ""};
  if (action->state_port == NULL || is_active == (action->tap != NULL) ||
      !sn__bridge_hold(action->bridge)) {
    return;
  }
  if (is_active) {
    if (sn_tap_open(action->bridge->component.system, action->state_port, &connection, &action->tap,
                    &err) != SN_OK) {
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
      action->kind->poll(action, goal, now_ns);
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

bool sn__bridge_has_operation(const sn_component *component, const char *name,
                              const sn_msg_type *request, const sn_msg_type *response) {
  for (const sn_operation *o = component->type->operations; o != NULL && o->name != NULL; o++) {
    if (strcmp(o->name, name) == 0) {
      return o->request == request && o->response == response;
    }
  }
  return false;
}

const char *sn__bridge_find_output(sn__bridge *bridge, const sn_component *component,
                                   const sn_msg_type *type) {
  for (const sn_port *p = component->type->ports; p != NULL && p->name != NULL; p++) {
    if (p->kind == SN_PORT_OUT && p->type == type) {
      char port[SN__GRAPH_NAME_SIZE];
      snprintf(port, sizeof port, "%s.%s", component->name, p->name);
      return sn_arena_text(&bridge->arena, port, strlen(port));
    }
  }
  return NULL;
}

static bool allocate(sn__bridge_action *action) {
  sn__bridge *bridge = action->bridge;
  sn_arena *arena = &bridge->arena;
  const sn__action_config config = {.goal_capacity = SN__ACTION_GOALS,
                                    .waiter_capacity = SN__ACTION_WAITERS,
                                    .recall_capacity = action->protocol->recall_capacity,
                                    .keep_ns = (int64_t)(1e9 * bridge->result_timeout_s),
                                    .may_preempt = action->protocol->may_preempt};
  action->cancelled = SN_NEW(arena, sn__action_goal *, SN__ACTION_GOALS);
  return action->cancelled != NULL && sn__action_init(&action->goals, arena, &config) == SN_OK;
}

static sn_status add(sn__bridge *bridge, const sn_component *component, const sn__action_kind *kind,
                     sn_error *err) {
  char path[SN__GRAPH_NAME_SIZE];
  char name[SN__GRAPH_NAME_SIZE];
  snprintf(path, sizeof path, "%s.%s", component->name, kind->name);
  if (!sn__bridge_matches(&bridge->services, path) ||
      !sn__bridge_name(bridge, path, name, sizeof name)) {
    return SN_OK;
  }
  sn__bridge_action *action = SN_NEW(&bridge->arena, sn__bridge_action, 1);
  if (action != NULL) {
    action->bridge = bridge;
    action->kind = kind;
    action->protocol =
        bridge->transport->add_deferred_service != NULL ? &sn__action_ros2 : &sn__action_ros1;
    action->component = sn_arena_text(&bridge->arena, component->name, strlen(component->name));
  }
  if (action == NULL || action->component == NULL || !allocate(action) ||
      !kind->setup(action, component) || !action->protocol->add(action, name)) {
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
    for (size_t k = 0; status == SN_OK && k < sizeof kinds / sizeof *kinds; k++) {
      if (kinds[k]->is_offered(component)) {
        status = add(bridge, component, kinds[k], err);
      }
    }
  }
  sn_system_release(system);
  return status;
}
