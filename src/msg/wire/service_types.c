#include "msg/wire/service_types.h"

#include <stdio.h>
#include <string.h>

#include "msg/wire/schema.h"

/* service_msgs/msg/ServiceEventInfo */
static const sn_msg_type event_info = {
    .ros2_name = "service_msgs/msg/ServiceEventInfo",
    .fields =
        (const sn_msg_field[]){
            {.name = "event_type", .kind = SN_MSG_UINT8},
            {.name = "stamp", .kind = SN_MSG_TIME},
            {.name = "client_gid", .kind = SN_MSG_UINT8, .shape = SN_MSG_ARRAY, .count = 16},
            {.name = "sequence_number", .kind = SN_MSG_INT64}},
    .field_count = 4};

static const sn_msg_field dummy = {.name = SN__DUMMY_FIELD, .kind = SN_MSG_UINT8};

/* A type of a part, by its name in the service. */
static sn_msg_type part_of(const sn_msg_type *type, const char *name) {
  sn_msg_type part = {.fields = &dummy, .field_count = 1};
  if (type != NULL && type->field_count > 0) {
    part = *type;
  }
  part.ros2_name = name;
  return part;
}

static sn_msg_field nested(const char *name, const sn_msg_type *type) {
  return (sn_msg_field){.name = name, .kind = SN_MSG_NESTED, .nested = type};
}

/* A list of at most one. */
static sn_msg_field optional(const char *name, const sn_msg_type *type) {
  sn_msg_field field = nested(name, type);
  field.shape = SN_MSG_SEQUENCE;
  field.count = 1;
  return field;
}

void sn__service_types_init(sn__service_types *t, const char *name, const sn_msg_type *request,
                            const sn_msg_type *response) {
  snprintf(t->service_name, sizeof t->service_name, "%s", name);
  snprintf(t->request_name, sizeof t->request_name, "%s_Request", name);
  snprintf(t->response_name, sizeof t->response_name, "%s_Response", name);
  snprintf(t->event_name, sizeof t->event_name, "%s_Event", name);
  t->request = part_of(request, t->request_name);
  t->response = part_of(response, t->response_name);
  t->event_fields[0] = nested("info", &event_info);
  t->event_fields[1] = optional("request", &t->request);
  t->event_fields[2] = optional("response", &t->response);
  t->event = (sn_msg_type){.ros2_name = t->event_name, .fields = t->event_fields, .field_count = 3};
  t->service_fields[0] = nested("request_message", &t->request);
  t->service_fields[1] = nested("response_message", &t->response);
  t->service_fields[2] = nested("event_message", &t->event);
  t->service =
      (sn_msg_type){.ros2_name = t->service_name, .fields = t->service_fields, .field_count = 3};
}

const sn_msg_type *sn__service_types_find(const sn__service_types *t, const char *name) {
  const sn_msg_type *const all[] = {&t->service, &t->request, &t->response, &t->event};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (strcmp(all[i]->ros2_name, name) == 0) {
      return all[i];
    }
  }
  return NULL;
}
