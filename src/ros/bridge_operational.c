/* Activation of a controller as the action SetOperational: a goal is active while the controller
   owns limbs. A goal that deactivates succeeds at once. The newest goal replaces the others. */
#include <string.h>

#include "base/fail.h"
#include "ros/bridge_action.h"
#include "sinew/msg_locomotion.h"
#include "sinew/system.h"

#define TABLE_SIZE 256 /* resources */

typedef struct activation {
  const char *arbiter; /* the component that knows the owners */
  sn_call_outcome *outcome;
  sn_resource_assignment *table; /* as it was last read */
  bool is_on;                    /* what the newest goal demands */
} activation;

static bool is_offered(const sn_component *component) {
  return sn__bridge_has_operation(component, "setOperational", &sn_set_operational_type,
                                  &sn_call_outcome_type);
}

static bool is_arbiter(const sn_component *component) {
  return sn__bridge_has_operation(component, "getOwners", NULL, &sn_resource_assignment_type);
}

static const sn_component *find_arbiter(const sn_system *system) {
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    if (is_arbiter(sn_system_component_at(system, i))) {
      return sn_system_component_at(system, i);
    }
  }
  return NULL;
}

static bool setup(sn__bridge_action *action, const sn_component *component) {
  (void)component;
  sn__bridge *bridge = action->bridge;
  const sn_component *arbiter = find_arbiter(bridge->component.system);
  const sn_msg_capacity capacity = {.item_count = TABLE_SIZE, .text_size = SN__ACTION_TEXT_SIZE};
  activation *a = SN_NEW(&bridge->arena, activation, 1);
  if (a == NULL) {
    return false;
  }
  const char *name = arbiter == NULL ? "" : arbiter->name; /* then goals end with the reason */
  a->arbiter = sn_arena_text(&bridge->arena, name, strlen(name));
  a->outcome = sn_msg_create(&bridge->arena, &sn_call_outcome_type, &capacity);
  a->table = sn_msg_create(&bridge->arena, &sn_resource_assignment_type, &capacity);
  action->data = a;
  if (arbiter != NULL) {
    action->state_port = sn__bridge_find_output(bridge, arbiter, &sn_resource_assignment_type);
  }
  return a->arbiter != NULL && a->outcome != NULL && a->table != NULL;
}

/* ---- owners ---- */

static bool owns(const sn__bridge_action *action, const sn_resource_assignment *table, size_t i) {
  return i < table->owners.count &&
         strcmp(sn_msg_names_at(&table->owners, i), action->component) == 0;
}

static bool owns_any(const sn__bridge_action *action, const sn_resource_assignment *table) {
  for (size_t i = 0; i < table->resources.count; i++) {
    if (owns(action, table, i)) {
      return true;
    }
  }
  return false;
}

static sn_status read_table(const sn__bridge_action *action, sn_error *err) {
  const activation *a = action->data;
  return sn__bridge_action_call(action, a->arbiter, "getOwners", SN__ACTION_POLL_NS, NULL, a->table,
                                err);
}

/* ---- goals ---- */

static bool is_known(const sn__bridge_action *action, const char *name) {
  const activation *a = action->data;
  for (size_t i = 0; i < a->table->resources.count; i++) {
    if (strcmp(sn_msg_names_at(&a->table->resources, i), name) == 0) {
      return true;
    }
  }
  return sn_model_chain_index(action->bridge->model, name) >= 0 ||
         sn_model_joint_index(action->bridge->model, name) >= 0;
}

/* The operation gives a reason, which may be cut, but no code. */
static int32_t explain_refusal(const sn__bridge_action *action, const sn_set_operational *goal,
                               sn_error *err) {
  const activation *a = action->data;
  sn_error ignored = {SN_OK, ""};
  (void)read_table(action, &ignored);
  for (size_t i = 0; i < goal->resources.count; i++) {
    const char *name = sn_msg_names_at(&goal->resources, i);
    if (!is_known(action, name)) {
      (void)sn__fail(err, SN_ENOENT, "'%s' is neither a resource nor a chain or joint", name);
      return SN_SET_OPERATIONAL_INVALID_RESOURCES;
    }
  }
  (void)sn__fail(err, SN_EBUSY, "%s", a->outcome->message.data);
  return SN_SET_OPERATIONAL_CONDITIONS_VIOLATED;
}

static bool start(sn__bridge_action *action, void *goal, uint64_t *number, int32_t *code,
                  sn_error *err) {
  activation *a = action->data;
  *code = SN_SET_OPERATIONAL_NOT_READY;
  if (sn__bridge_action_call(action, action->component, "setOperational", SN__ACTION_CALL_NS, goal,
                             a->outcome, err) != SN_OK) {
    return false;
  }
  if (!a->outcome->success) {
    *code = explain_refusal(action, goal, err);
    return false;
  }
  a->is_on = ((const sn_set_operational *)goal)->operational;
  *number = ++action->newest;
  return true;
}

static void cancel(sn__bridge_action *action, const sn__action_goal *goal) {
  activation *a = action->data;
  const sn_set_operational off = {.operational = false};
  sn_error err = {SN_OK, ""};
  if (goal->number == action->newest && a->is_on) {
    (void)sn__bridge_action_call(action, action->component, "setOperational", SN__ACTION_CALL_NS,
                                 &off, a->outcome, &err);
  }
}

static void update(sn__bridge_action *action, sn__action_goal *goal,
                   const sn_resource_assignment *table, int64_t now_ns) {
  const activation *a = action->data;
  const bool is_cancelled = goal->status == SN_TRAJECTORY_CANCELING;
  if (goal->number < action->newest) {
    sn__bridge_action_end(action, goal, SN_TRAJECTORY_CANCELED, SN_SET_OPERATIONAL_SUCCESSFUL,
                          "replaced by another goal", now_ns);
  } else if (!a->is_on) {
    sn__bridge_action_end(action, goal, SN_TRAJECTORY_SUCCEEDED, SN_SET_OPERATIONAL_SUCCESSFUL, "",
                          now_ns);
  } else if (!owns_any(action, table)) {
    sn__bridge_action_end(
        action, goal, is_cancelled ? SN_TRAJECTORY_CANCELED : SN_TRAJECTORY_ABORTED,
        SN_SET_OPERATIONAL_SUCCESSFUL, "the controller is no longer active", now_ns);
  } else if (is_cancelled) {
    cancel(action, goal); /* the controller was busy */
  } else {
    sn__action_update(&action->goals, goal, SN_TRAJECTORY_EXECUTING);
    sn__bridge_action_feedback(action, goal, table, now_ns);
  }
}

static void poll(sn__bridge_action *action, sn__action_goal *goal, int64_t now_ns) {
  const activation *a = action->data;
  sn_error err = {SN_OK, ""};
  const sn_status status = read_table(action, &err);
  if (status == SN_OK) {
    update(action, goal, a->table, now_ns);
  } else if (!sn__bridge_is_busy(status)) {
    sn__bridge_action_end(action, goal, SN_TRAJECTORY_ABORTED, action->kind->lost_code, err.message,
                          now_ns);
  }
}

/* The message may be older than the newest goal: read the table again. */
static void on_state(sn__bridge_action *action, const void *table, int64_t now_ns) {
  (void)table, (void)now_ns;
  action->polled_ns = 0;
}

static bool fill_feedback(const sn__bridge_action *action, const void *state, void *out) {
  const sn_resource_assignment *table = state;
  sn_set_operational_feedback *feedback = out;
  sn_msg_names_clear(&feedback->resources);
  bool is_good = true;
  for (size_t i = 0; i < table->resources.count && is_good; i++) {
    const char *name = sn_msg_names_at(&table->resources, i);
    is_good = !owns(action, table, i) ||
              sn_msg_names_add(&feedback->resources, name, strlen(name)) == SN_OK;
  }
  return is_good;
}

const sn__action_kind sn__set_operational_kind = {
    .name = "set_operational",
    .types = &sn__set_operational_action,
    .state_type = &sn_resource_assignment_type,
    .invalid_code = SN_SET_OPERATIONAL_INVALID_RESOURCES,
    .lost_code = SN_SET_OPERATIONAL_EXECUTION_ERROR,
    .is_offered = is_offered,
    .setup = setup,
    .start = start,
    .cancel = cancel,
    .poll = poll,
    .on_state = on_state,
    .fill_feedback = fill_feedback};
