/* Definitions of the types of the node's topics and services (type_description_interfaces), so that
   tools can decode messages without their packages. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "msg/node/description_msgs.h"
#include "msg/node/status_msgs.h"
#include "msg/wire/msg_schema.h"
#include "msg/wire/schema.h"
#include "ros/node/node_interfaces.h"
#include "sinew/system.h"

/* Types of topics that are not ports. */
static const sn_msg_type *const topic_types[] = {
    &sn_joint_state_type,       &sn__tf_message_type, &sn__std_string_type,
    &sn_odometry_type,          &sn_twist_type,       &sn__ros_log_type,
    &sn__diagnostic_array_type, &sn__ros_clock_type,  &sn__parameter_event_type};

static const sn_msg_type *find_port_type(const sn_system *system, const char *name) {
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    const sn_component *component = sn_system_component_at(system, i);
    for (const sn_port *p = component->type->ports; p != NULL && p->name != NULL; p++) {
      if (strcmp(p->type->ros2_name, name) == 0) {
        return p->type;
      }
    }
  }
  return NULL;
}

/* Types of topics are constant data of the program. @param room  for those of a service */
static const sn_msg_type *find_type(const sn__bridge *bridge, const char *name,
                                    sn__service_types *room) {
  for (size_t i = 0; i < sizeof topic_types / sizeof *topic_types; i++) {
    if (strcmp(topic_types[i]->ros2_name, name) == 0) {
      return topic_types[i];
    }
  }
  sn_system_hold(bridge->component.system);
  const sn_msg_type *type = find_port_type(bridge->component.system, name);
  sn_system_release(bridge->component.system);
  return type == NULL && bridge->transport->find_service(bridge->node, name, room)
             ? sn__service_types_find(room, name)
             : type;
}

static void describe(sn__node_answer *answer, const sn_msg_type *type, sn__one_description *out) {
  out->type_name = sn__answer_text(answer, type->ros2_name);
  out->fields.data = sn__answer_alloc(answer, type->field_count, sizeof *out->fields.data);
  for (size_t i = 0; i < type->field_count && !answer->is_out_of_memory; i++) {
    const sn_msg_field *field = &type->fields[i];
    if ((field->flags & SN_MSG_ROS1_ONLY) != 0) {
      continue;
    }
    const sn__field_description d = sn__describe_field(field);
    out->fields.data[out->fields.count++] =
        (sn__type_field){.name = sn__answer_text(answer, field->name),
                         .type = {.type_id = d.type_id,
                                  .capacity = d.capacity,
                                  .string_capacity = d.string_capacity,
                                  .nested_type_name = sn__answer_text(answer, d.nested)},
                         .default_value = sn__answer_text(answer, "")};
  }
}

static int compare(const void *a, const void *b) {
  const sn_msg_type *const *first = a;
  const sn_msg_type *const *second = b;
  return strcmp((*first)->ros2_name, (*second)->ros2_name);
}

static void describe_all(sn__node_answer *answer, const sn_msg_type *type,
                         sn__type_description *out) {
  sn__needed list = {.count = 0};
  sn__needed_add(&list, type, false);
  for (size_t i = 0; i < list.count; i++) {
    sn__needed_add(&list, list.types[i], false); /* may extend the list */
  }
  qsort(list.types, list.count, sizeof *list.types, compare);
  describe(answer, type, &out->type_description);
  sn__seq_one_description *others = &out->referenced_type_descriptions;
  others->data = sn__answer_alloc(answer, list.count, sizeof *others->data);
  for (size_t i = 0; i < list.count && !answer->is_out_of_memory; i++) {
    describe(answer, list.types[i], &others->data[others->count++]);
  }
}

/* One text with the definitions of all types. */
static void add_source(sn__node_answer *answer, const sn_msg_type *type, sn__seq_type_source *out) {
  const size_t size = sn__msg_schema_ros2(type, NULL, 0) + 1;
  char *text = sn__answer_alloc(answer, size, 1);
  out->data = sn__answer_alloc(answer, 1, sizeof *out->data);
  if (text == NULL || out->data == NULL) {
    return;
  }
  sn__msg_schema_ros2(type, text, size);
  out->data[0] = (sn__type_source){
      .type_name = sn__answer_text(answer, type->ros2_name),
      .encoding = sn__answer_text(answer, "msg"),
      .raw_file_contents = {.data = text, .count = size - 1, .capacity = size - 1}};
  out->count = 1;
}

static sn_status respond(sn__node_answer *answer, const void *request, void *response,
                         sn_error *err) {
  const sn__description_request *asked = request;
  sn__description_response *out = response;
  sn__service_types room = {.service_name = ""};
  const sn_msg_type *type = find_type(answer->bridge, asked->type_name.data, &room);
  char hash[SN_MSG_TYPE_HASH_SIZE] = "";
  (void)err;
  if (type == NULL) {
    out->failure_reason = sn__answer_text(answer, "no topic or service of this node has this type");
    return SN_OK;
  }
  const bool is_any = asked->type_hash.count == 0;
  if (sn__msg_type_hash_ros2(type, NULL, hash) != SN_OK ||
      (!is_any && strcmp(hash, asked->type_hash.data) != 0)) {
    out->failure_reason = sn__answer_text(answer, "the type of this node has another hash");
    return SN_OK;
  }
  out->successful = true;
  describe_all(answer, type, &out->type_description);
  if (asked->include_type_sources && *room.service_name == '\0') { /* of .msg files only */
    add_source(answer, type, &out->type_sources);
  }
  return SN_OK;
}

sn_status sn__node_add_type_descriptions(sn__bridge *bridge, sn_error *err) {
  static const sn__node_service service = {
      "get_type_description", "type_description_interfaces/GetTypeDescription",
      &sn__description_request_type, &sn__description_response_type, respond};
  return sn__node_add_services(bridge, &service, 1, err);
}
