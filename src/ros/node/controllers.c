#include "ros/node/controllers.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "remote/remote.h"
#include "ros/bridge_action.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_locomotion.h"
#include "sinew/msg_types.h"
#include "sinew/system.h"

#define TIMEOUT_NS INT64_C(1000000000)
#define TRAJECTORY_TYPE "joint_trajectory_controller/JointTrajectoryController"
#define INTERFACE "/position"

static bool look(const sn_component *component, sn__known_controller *out) {
  *out = (sn__known_controller){.component = component,
                                .follows_trajectories = sn__follow_kind.is_offered(component)};
  return sn__set_operational_kind.is_offered(component);
}

bool sn__controller_by_name(const sn__bridge *bridge, const char *name, sn__known_controller *out) {
  const sn_component *component = sn_system_find(bridge->component.system, name);
  return component != NULL && look(component, out);
}

/* ---- joints ---- */

/* A set of joints of the model. */
typedef struct joint_set {
  const sn_model *model;
  bool *has; /* [pose size] */
} joint_set;

static joint_set make_set(sn__node_answer *answer) {
  const sn_model *model = answer->bridge->model;
  return (joint_set){.model = model,
                     .has = sn__answer_alloc(answer, sn_model_pose_size(model), sizeof(bool))};
}

static void add_all(joint_set *set) {
  for (size_t i = 0; set->has != NULL && i < sn_model_pose_size(set->model); i++) {
    set->has[i] = true;
  }
}

/* A resource is a chain or a joint. */
static void add_resource(joint_set *set, const char *name) {
  const int chain = sn_model_chain_index(set->model, name);
  const int joint = sn_model_joint_index(set->model, name);
  if (set->has == NULL) {
    return;
  }
  if (chain >= 0) {
    size_t count = 0;
    const int *joints = sn_model_chain_joints(set->model, (size_t)chain, &count);
    for (size_t i = 0; i < count; i++) {
      set->has[joints[i]] = true;
    }
  } else if (joint >= 0 && (size_t)joint < sn_model_pose_size(set->model)) {
    set->has[joint] = true;
  }
}

/* `joint/position` for each joint. */
static sn_msg_names interfaces_of(sn__node_answer *answer, const joint_set *set) {
  size_t count = 0, text_size = 0;
  for (size_t i = 0; set->has != NULL && i < sn_model_pose_size(set->model); i++) {
    count += set->has[i];
    text_size += set->has[i] ? strlen(sn_model_joint(set->model, i)->name) + sizeof INTERFACE : 0;
  }
  sn_msg_names list = sn__answer_names(answer, count, text_size);
  for (size_t i = 0; set->has != NULL && i < sn_model_pose_size(set->model); i++) {
    char text[2 * SN__GRAPH_NAME_SIZE];
    if (set->has[i]) {
      snprintf(text, sizeof text, "%s" INTERFACE, sn_model_joint(set->model, i)->name);
      (void)sn_msg_names_add(&list, text, strlen(text));
    }
  }
  return list;
}

/* ---- limbs ---- */

/* The limbs that a controller is made for; all joints if it may take any. */
static void add_controlled(const sn__bridge *bridge, const sn_component *component,
                           joint_set *set) {
  char path[2 * SN__GRAPH_NAME_SIZE];
  sn__buffer text = {.max = 0};
  sn_error ignored = {SN_OK, ""};
  snprintf(path, sizeof path, "%s.controlled_chains", component->name);
  json_t *chains = sn__remote_get(bridge->component.system, path, &text, &ignored) == SN_OK
                       ? json_loadb(text.data, text.used, JSON_DECODE_ANY, NULL)
                       : NULL;
  for (size_t i = 0; i < json_array_size(chains); i++) {
    const char *name = json_string_value(json_array_get(chains, i));
    add_resource(set, name == NULL ? "" : name);
  }
  if (json_array_size(chains) == 0) {
    add_all(set);
  }
  json_decref(chains);
  sn__buffer_free(&text);
}

static bool add_owned(const sn_resource_assignment *owners, const char *controller,
                      joint_set *set) {
  bool owns_any = false;
  for (size_t i = 0; i < owners->resources.count && i < owners->owners.count; i++) {
    if (strcmp(sn_msg_names_at(&owners->owners, i), controller) == 0) {
      add_resource(set, sn_msg_names_at(&owners->resources, i));
      owns_any = true;
    }
  }
  return owns_any;
}

static void describe(sn__node_answer *answer, const sn__known_controller *controller,
                     const sn_resource_assignment *owners, sn__controller_state *out) {
  const sn_component *component = controller->component;
  joint_set claimed = make_set(answer);
  joint_set required = make_set(answer);
  char type[SN__GRAPH_NAME_SIZE];
  snprintf(type, sizeof type, "sinew/%s", component->type->name);
  const bool owns_any = add_owned(owners, component->name, &claimed);
  if (controller->follows_trajectories) {
    add_all(&required);
  } else {
    add_controlled(answer->bridge, component, &required);
  }
  const int64_t period_ns = sn_component_period_ns(component);
  const int64_t rate_Hz = period_ns > 0 ? 1000000000 / period_ns : 0;
  out->name = sn__answer_text(answer, component->name);
  out->state =
      sn__answer_text(answer, owns_any || controller->follows_trajectories ? "active" : "inactive");
  out->type = sn__answer_text(answer, controller->follows_trajectories ? TRAJECTORY_TYPE : type);
  out->update_rate = (uint16_t)(rate_Hz < UINT16_MAX ? rate_Hz : UINT16_MAX);
  out->claimed_interfaces = interfaces_of(answer, &claimed);
  out->required_command_interfaces = interfaces_of(answer, &required);
}

/* ---- all ---- */

static const char *find_arbiter(const sn_system *system) {
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    const sn_component *component = sn_system_component_at(system, i);
    if (sn__bridge_has_operation(component, "getOwners", NULL, &sn_resource_assignment_type)) {
      return component->name;
    }
  }
  return NULL;
}

static void describe_all(sn__node_answer *answer, const sn_resource_assignment *owners,
                         sn__seq_controller_state *out) {
  const sn_system *system = answer->bridge->component.system;
  const size_t count = sn_system_component_count(system);
  out->data = sn__answer_alloc(answer, count, sizeof *out->data);
  for (size_t i = 0; i < count && out->data != NULL; i++) {
    sn__known_controller controller;
    if (look(sn_system_component_at(system, i), &controller)) {
      describe(answer, &controller, owners, &out->data[out->count++]);
    }
  }
}

/* Ask the arbiter for the table of owners. sn__remote_call_close() ends the call. */
static sn_status ask_owners(const sn__bridge *bridge, sn__remote_call *call, sn_error *err) {
  sn_system *system = bridge->component.system;
  char operation[SN__GRAPH_NAME_SIZE];
  sn_system_hold(system);
  const char *arbiter = find_arbiter(system);
  snprintf(operation, sizeof operation, "%s.getOwners", arbiter == NULL ? "" : arbiter);
  sn_system_release(system);
  if (arbiter == NULL) {
    return sn__fail(err, SN_ENOENT, "the system has no arbiter of limbs");
  }
  sn_status status = sn__remote_call_open(call, system, operation, err);
  if (status == SN_OK) {
    status = sn__remote_call_run(call, TIMEOUT_NS, err);
    if (status != SN_OK) {
      sn__remote_call_close(call);
    }
  }
  return status;
}

sn_status sn__controller_owns_limbs(const sn__bridge *bridge, const char *name, bool *owns,
                                    sn_error *err) {
  sn__remote_call call;
  const sn_status status = ask_owners(bridge, &call, err);
  if (status == SN_OK) {
    const sn_resource_assignment *table = call.response;
    *owns = false;
    for (size_t i = 0; i < table->owners.count; i++) {
      *owns = *owns || strcmp(sn_msg_names_at(&table->owners, i), name) == 0;
    }
    sn__remote_call_close(&call);
  }
  return status;
}

/* Without an arbiter there are no controllers. */
sn_status sn__controllers_list(sn__node_answer *answer, sn__seq_controller_state *out,
                               sn_error *err) {
  sn_system *system = answer->bridge->component.system;
  sn__remote_call call;
  const sn_status status = ask_owners(answer->bridge, &call, err);
  if (status == SN_OK) {
    sn_system_hold(system);
    describe_all(answer, call.response, out);
    sn_system_release(system);
    sn__remote_call_close(&call);
  }
  return status == SN_ENOENT ? SN_OK : status;
}
