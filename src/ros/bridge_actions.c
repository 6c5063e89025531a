/* Which actions there are, and their rounds. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "ros/bridge_action.h"
#include "sinew/system.h"

#define ACTION_NAME "follow_joint_trajectory" /* what MoveIt looks for below a controller */
#define LOOK_NS INT64_C(500000)               /* while a goal is under way */
#define LOOK_SELDOM_NS INT64_C(5000000)

static void step(sn__bridge_action *action, int64_t now_ns) {
  const int64_t status_ns = action->wire->status_ns;
  sn__action_expire(&action->goals, now_ns);
  if (action->goals.has_changed ||
      (status_ns > 0 && now_ns - action->status_told_ns >= status_ns)) {
    action->goals.has_changed = false;
    action->status_told_ns = now_ns;
    action->wire->tell_status(action);
  }
}

int64_t sn__bridge_step_actions(sn__bridge *bridge, int64_t now_ns) {
  int64_t wait_ns = LOOK_SELDOM_NS;
  for (sn__bridge_action *action = bridge->first_action; action != NULL; action = action->next) {
    if (sn__bridge_action_follow(action, now_ns)) {
      wait_ns = LOOK_NS;
    }
    step(action, now_ns);
  }
  return wait_ns;
}

/* Clients that still wait are forgotten with the node. */
void sn__bridge_close_actions(sn__bridge *bridge) {
  for (sn__bridge_action *action = bridge->first_action; action != NULL; action = action->next) {
    sn_tap_close(action->tap);
  }
  bridge->first_action = NULL;
}

/* ---- what there is ---- */

static bool has_operation(const sn_component *component, const char *name,
                          const sn_msg_type *request, const sn_msg_type *response) {
  for (const sn_operation *o = component->type->operations; o != NULL && o->name != NULL; o++) {
    if (strcmp(o->name, name) == 0) {
      return o->request == request && o->response == response;
    }
  }
  return false;
}

/* Whatever takes goals in this way executes trajectories, be it ours or a plugin's. */
static bool is_controller(const sn_component *component) {
  return has_operation(component, "execute", &sn_trajectory_goal_type,
                       &sn_trajectory_answer_type) &&
         has_operation(component, "cancel", &sn_trajectory_id_type, &sn_call_outcome_type) &&
         has_operation(component, "getGoal", &sn_trajectory_id_type, &sn_trajectory_state_type);
}

static bool make_room(sn__bridge_action *action) {
  sn__bridge *bridge = action->bridge;
  sn_arena *arena = &bridge->arena;
  const sn__action_config config = {.goal_room = SN__ACTION_GOALS,
                                    .waiter_room = SN__ACTION_WAITERS,
                                    .recall_room = action->wire->recall_room,
                                    .keep_ns = (int64_t)(1e9 * bridge->result_timeout_s),
                                    .may_preempt = action->wire->may_preempt};
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
  if (!sn__bridge_fits(&bridge->services, path) ||
      !sn__bridge_name(bridge, path, name, sizeof name)) {
    return SN_OK;
  }
  sn__bridge_action *action = SN_NEW(&bridge->arena, sn__bridge_action, 1);
  if (action != NULL) {
    action->bridge = bridge;
    action->wire = bridge->face->offer_late != NULL ? &sn__action_services : &sn__action_topics;
    action->component = sn_arena_text(&bridge->arena, component->name, strlen(component->name));
  }
  if (action == NULL || action->component == NULL || !make_room(action) ||
      !action->wire->add(action, name)) {
    return sn__fail(err, SN_ENOMEM, "no memory for %s", path);
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
