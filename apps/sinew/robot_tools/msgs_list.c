#include "robot_tools/msgs_list.h"

#include <stdio.h>
#include <string.h>

#include "msg/arm/msg_move_tool.h"
#include "ros/service_type.h"
#include "run/bridges.h"
#include "sinew/components.h"
#include "sinew/msg_types.h"

static const char prefix[] = "sinew_msgs/";

static bool is_ours(const char *name) {
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

static void refuse(msgs_list *list, const char *what, const char *name) {
  fprintf(stderr, "sinew msgs: %s: %s\n", name, what);
  list->is_bad = true;
}

static void add_package(msgs_list *list, const char *type_name) {
  const size_t length = strcspn(type_name, "/");
  for (size_t i = 0; i < list->package_count; i++) {
    if (strlen(list->packages[i]) == length && strncmp(list->packages[i], type_name, length) == 0) {
      return;
    }
  }
  if (list->package_count == MSGS_PACKAGES_MAX) {
    refuse(list, "too many packages", type_name);
    return;
  }
  snprintf(list->packages[list->package_count++], MSGS_NAME_SIZE, "%.*s", (int)length, type_name);
}

static void add_type(msgs_list *list, const sn_msg_type *type) {
  for (size_t i = 0; i < list->type_count; i++) {
    if (list->types[i] == type) {
      return;
    }
    if (strcmp(list->types[i]->name, type->name) == 0) {
      refuse(list, "two types have this name", type->name);
      return;
    }
  }
  if (list->type_count == MSGS_TYPES_MAX) {
    refuse(list, "too many types", type->name);
    return;
  }
  list->types[list->type_count++] = type;
}

/* Nested types: Sinew's, or those of a package that it depends on. */
static void add_parts(msgs_list *list, const sn_msg_type *type) {
  for (size_t i = 0; type != NULL && i < type->field_count; i++) {
    const sn_msg_type *nested = type->fields[i].nested;
    if (nested != NULL && is_ours(nested->ros1_name)) {
      add_type(list, nested);
    } else if (nested != NULL) {
      add_package(list, nested->ros1_name);
    }
  }
}

static void add_service(msgs_list *list, const sn_operation *operation) {
  char type[MSGS_NAME_SIZE];
  sn__service_type(operation, type, sizeof type);
  if (!sn__service_is_offered(operation) || !is_ours(type)) {
    return;
  }
  msgs_service s = {.request = sn__service_request(operation),
                    .response = sn__service_response(operation),
                    .doc = operation->doc};
  snprintf(s.name, sizeof s.name, "%s", type + strlen(prefix));
  for (size_t i = 0; i < list->service_count; i++) {
    const msgs_service *known = &list->services[i];
    if (strcmp(known->name, s.name) == 0) {
      if (known->request != s.request || known->response != s.response) {
        refuse(list, "operations of different shapes have this name", operation->name);
      }
      return;
    }
  }
  if (list->service_count == MSGS_SERVICES_MAX) {
    refuse(list, "too many services", s.name);
    return;
  }
  list->services[list->service_count++] = s;
  add_parts(list, s.request);
  add_parts(list, s.response);
}

/* The parts of its messages are in its file; what they use are messages. */
static void add_action(msgs_list *list, const sn__action_types *action) {
  const sn_msg_type *const messages[] = {action->send_request, action->result_response,
                                         action->feedback_message};
  list->actions[list->action_count++] = action;
  for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
    add_parts(list, messages[i]->fields[messages[i]->field_count - 1].nested);
  }
}

static void add_component(msgs_list *list, const sn_component_type *component) {
  for (const sn_port *p = component->ports; p != NULL && p->name != NULL; p++) {
    if (is_ours(p->type->ros1_name)) {
      add_type(list, p->type);
    }
  }
  for (const sn_operation *o = component->operations; o != NULL && o->name != NULL; o++) {
    add_service(list, o);
  }
}

bool msgs_collect(msgs_list *out) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "messages", 0);
  sn_component_registry *registry = sn_component_registry_create(&arena);
  const bool is_complete = registry != NULL && sn_components_add(registry, NULL) == SN_OK &&
                           sn_bridges_add(registry, NULL) == SN_OK;
  for (size_t i = 0; i < sn_msg_type_count(); i++) {
    if (is_ours(sn_msg_type_at(i)->ros1_name)) {
      add_type(out, sn_msg_type_at(i));
    }
  }
  for (size_t i = 0; is_complete && i < sn_component_registry_count(registry); i++) {
    add_component(out, sn_component_registry_at(registry, i));
  }
  add_action(out, &sn__move_tool_action);
  for (size_t i = 0; i < out->type_count; i++) { /* the list grows in the loop */
    add_parts(out, out->types[i]);
  }
  sn_arena_release(&arena);
  return is_complete;
}
