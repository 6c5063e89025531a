#include "foxglove/catalog.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "foxglove/schema.h"
#include "msg/wire/msg_schema.h"
#include "remote/remote.h"
#include "sinew/components.h"
#include "sinew/msg_calls.h"

enum { NAME_SIZE = 512, ADVERTISE_MAX = 16 << 20 };

/* ---- the lists ---- */

/* Runs twice: the first pass counts, the second fills the lists. */
typedef struct builder {
  sn__fox_catalog *catalog;
  bool is_filling;
  bool is_out_of_memory;
} builder;

static const char *copy_text(builder *b, const char *text) {
  const char *copy = sn_arena_text(&b->catalog->arena, text, strlen(text));
  b->is_out_of_memory |= copy == NULL;
  return copy;
}

/* `a.b.c` -> `/a/b/c` */
static const char *copy_topic(builder *b, const char *name) {
  char topic[NAME_SIZE + 1];
  snprintf(topic, sizeof topic, "/%s", name);
  for (char *c = topic; *c != '\0'; c++) {
    *c = *c == '.' ? '/' : *c;
  }
  return copy_text(b, topic);
}

static void add_channel(builder *b, sn__fox_kind kind, const char *topic, const char *port,
                        const sn_msg_type *type) {
  if (b->is_filling) {
    b->catalog->channels[b->catalog->channel_count] =
        (sn__fox_channel){.kind = kind,
                          .topic = port == NULL ? topic : copy_topic(b, port),
                          .port = port == NULL ? NULL : copy_text(b, port),
                          .type = type};
  }
  b->catalog->channel_count++;
}

static void add_input(builder *b, const char *port) {
  if (b->is_filling) {
    b->catalog->inputs[b->catalog->input_count] =
        (sn__fox_input){.topic = copy_topic(b, port), .port = copy_text(b, port)};
  }
  b->catalog->input_count++;
}

static void add_parameter(builder *b, const char *name, bool is_part) {
  if (b->is_filling) {
    b->catalog->parameters[b->catalog->parameter_count] =
        (sn__fox_parameter){.name = copy_text(b, name), .is_part = is_part};
  }
  b->catalog->parameter_count++;
}

static void add_service(builder *b, sn__fox_service_kind kind, const char *operation,
                        const sn_msg_type *request) {
  if (b->is_filling) {
    b->catalog->services[b->catalog->service_count] =
        (sn__fox_service){.kind = kind,
                          .name = copy_topic(b, operation),
                          .operation = copy_text(b, operation),
                          .request = request};
  }
  b->catalog->service_count++;
}

/* Also those in bags; a list of bags is set as a whole. As deep as tables are nested. */
static void add_parameters(builder *b, const char *prefix, const sn_property *table, bool is_part) {
  for (const sn_property *p = table; p != NULL && p->name != NULL; p++) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%s.%s", prefix, p->name);
    add_parameter(b, name, is_part || strcmp(p->name, "robot_description") == 0);
    if (p->kind == SN_PROPERTY_BAG) {
      add_parameters(b, name, p->items, true);
    }
  }
}

static void add_ports(builder *b, const sn_component *component) {
  for (const sn_port *p = component->type->ports; p != NULL && p->name != NULL; p++) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%s.%s", component->name, p->name);
    if (p->kind == SN_PORT_OUT) {
      add_channel(b, SN__FOX_PORT, NULL, name, p->type);
    } else {
      add_input(b, name);
    }
  }
}

static void add_services(builder *b, const sn_component *component, bool is_self) {
  char name[NAME_SIZE];
  for (const sn_operation *o = component->type->operations; o != NULL && o->name != NULL; o++) {
    const bool is_stop = strcmp(o->name, "emergencyStop") == 0 && (o->flags & SN_OWN_THREAD) == 0 &&
                         o->request == &sn_call_stop_type && o->response == NULL;
    snprintf(name, sizeof name, "%s.%s", component->name, o->name);
    const bool is_read_only = (o->flags & SN_READ_ONLY) != 0;
    add_service(b,
                is_stop        ? SN__FOX_STOP
                : is_read_only ? SN__FOX_READ
                               : SN__FOX_CALL,
                name, o->request);
  }
  for (const sn__remote_transition *t = sn__remote_transitions; !is_self && t->name != NULL; t++) {
    snprintf(name, sizeof name, "%s.%s", component->name, t->name);
    add_service(b, SN__FOX_CALL, name, NULL);
  }
}

static bool serves_robot(const sn_component *component) {
  for (const sn_service *s = component->type->services; s != NULL && s->name != NULL; s++) {
    if (strcmp(s->name, SN_ROBOT_MODEL) == 0) {
      return sn_property_find(component->type->properties, "robot_description") != NULL;
    }
  }
  return false;
}

static void add_all(builder *b, sn_system *system, const sn_component *self) {
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    const sn_component *component = sn_system_component_at(system, i);
    add_ports(b, component);
    add_parameters(b, component->name, component->type->properties, false);
    add_services(b, component, component == self);
    if (b->is_filling && b->catalog->robot_component == NULL && serves_robot(component)) {
      b->catalog->robot_component = copy_text(b, component->name);
    }
  }
  add_channel(b, SN__FOX_ROBOT, "/robot_description", NULL, &sn__fox_string_type);
  add_channel(b, SN__FOX_LOG, "/sinew/log", NULL, &sn__fox_log_type);
  add_channel(b, SN__FOX_COMPONENTS, "/sinew/components", NULL, NULL);
  add_channel(b, SN__FOX_TIMING, "/sinew/timing", NULL, NULL);
  add_parameter(b, "/robot_description", true);
  add_service(b, SN__FOX_AUTHORIZE, "sinew.authorize", NULL);
}

/* ---- the messages that advertise them ---- */

static void write_channel(sn__buffer *reply, size_t index, const sn__fox_channel *channel) {
  sn__json_open(reply, NULL, '{');
  sn__json_count(reply, "id", index + 1);
  sn__json_text(reply, "topic", channel->topic);
  sn__json_text(reply, "encoding", channel->type == NULL ? "json" : "cdr");
  if (channel->type == NULL) {
    const bool is_timing = channel->kind == SN__FOX_TIMING;
    sn__json_text(reply, "schemaName", is_timing ? "sinew.Timing" : "sinew.Components");
    sn__json_text(reply, "schemaEncoding", "jsonschema");
    sn__json_text(reply, "schema", is_timing ? sn__fox_timing_schema : sn__fox_components_schema);
  } else {
    char schema[16384]; /* a type takes 2 kB at the most */
    sn__msg_schema_ros2(channel->type, schema, sizeof schema);
    sn__json_text(reply, "schemaName", channel->type->ros2_name);
    sn__json_text(reply, "schemaEncoding", "ros2msg");
    sn__json_text(reply, "schema", schema);
  }
  sn__json_close(reply, '}');
}

static void write_schema(sn__buffer *reply, const char *member, const sn_msg_type *type) {
  sn__buffer schema = {0};
  sn__fox_write_schema(&schema, type);
  sn__buffer_append(&schema, "", 1);
  sn__json_open(reply, member, '{');
  sn__json_text(reply, "encoding", "json");
  sn__json_text(reply, "schemaName", type == NULL ? "sinew.Nothing" : type->name);
  sn__json_text(reply, "schemaEncoding", "jsonschema");
  sn__json_text(reply, "schema", schema.failed ? "{}" : schema.data);
  sn__json_close(reply, '}');
  sn__buffer_free(&schema);
}

static const sn_operation *find_operation(sn_system *system, const char *name) {
  const char *dot = strrchr(name, '.');
  char owner[NAME_SIZE];
  snprintf(owner, sizeof owner, "%.*s", (int)(dot - name), name);
  const sn_component *component = sn_system_find(system, owner);
  const sn_operation *o = component == NULL ? NULL : component->type->operations;
  while (o != NULL && o->name != NULL && strcmp(o->name, dot + 1) != 0) {
    o++;
  }
  return o == NULL || o->name == NULL ? NULL : o;
}

static void write_service(sn__buffer *reply, sn_system *system, size_t index,
                          const sn__fox_service *service) {
  const sn_operation *operation = find_operation(system, service->operation);
  sn__json_open(reply, NULL, '{');
  sn__json_count(reply, "id", index + 1);
  sn__json_text(reply, "name", service->name);
  sn__json_text(reply, "type", service->operation);
  write_schema(reply, "request", service->request);
  write_schema(reply, "response", operation == NULL ? NULL : operation->response);
  sn__json_close(reply, '}');
}

static void write_messages(sn__fox_catalog *catalog, sn_system *system) {
  sn__buffer *reply = &catalog->advertise;
  reply->max = ADVERTISE_MAX;
  sn__json_open(reply, NULL, '{');
  sn__json_text(reply, "op", "advertise");
  sn__json_open(reply, "channels", '[');
  for (size_t i = 0; i < catalog->channel_count; i++) {
    write_channel(reply, i, &catalog->channels[i]);
  }
  sn__json_close(reply, ']');
  sn__json_close(reply, '}');
  reply = &catalog->advertise_services;
  reply->max = ADVERTISE_MAX;
  sn__json_open(reply, NULL, '{');
  sn__json_text(reply, "op", "advertiseServices");
  sn__json_open(reply, "services", '[');
  for (size_t i = 0; i < catalog->service_count; i++) {
    write_service(reply, system, i, &catalog->services[i]);
  }
  sn__json_close(reply, ']');
  sn__json_close(reply, '}');
}

sn_status sn__fox_catalog_init(sn__fox_catalog *catalog, sn_system *system,
                               const sn_component *self, sn_error *err) {
  *catalog = (sn__fox_catalog){0};
  sn_arena_init_growing(&catalog->arena, "catalog", 64 * 1024);
  builder b = {.catalog = catalog};
  sn_system_hold(system);
  add_all(&b, system, self);
  catalog->channels = SN_NEW(&catalog->arena, sn__fox_channel, catalog->channel_count);
  catalog->inputs = SN_NEW(&catalog->arena, sn__fox_input, catalog->input_count + 1);
  catalog->parameters = SN_NEW(&catalog->arena, sn__fox_parameter, catalog->parameter_count);
  catalog->services = SN_NEW(&catalog->arena, sn__fox_service, catalog->service_count);
  b.is_out_of_memory = catalog->channels == NULL || catalog->inputs == NULL ||
                       catalog->parameters == NULL || catalog->services == NULL;
  if (!b.is_out_of_memory) {
    catalog->channel_count = catalog->input_count = 0;
    catalog->parameter_count = catalog->service_count = 0;
    b.is_filling = true;
    add_all(&b, system, self);
  }
  if (!b.is_out_of_memory) {
    write_messages(catalog, system);
  }
  sn_system_release(system);
  if (b.is_out_of_memory || catalog->advertise.failed || catalog->advertise_services.failed) {
    sn__fox_catalog_free(catalog);
    return sn__fail(err, SN_ENOMEM, "no memory for the catalog");
  }
  return SN_OK;
}

void sn__fox_catalog_free(sn__fox_catalog *catalog) {
  sn__buffer_free(&catalog->advertise);
  sn__buffer_free(&catalog->advertise_services);
  sn_arena_release(&catalog->arena);
}

int sn__fox_find_input(const sn__fox_catalog *catalog, const char *topic) {
  for (size_t i = 0; i < catalog->input_count; i++) {
    if (strcmp(catalog->inputs[i].topic, topic) == 0) {
      return (int)i;
    }
  }
  return -1;
}

int sn__fox_find_parameter(const sn__fox_catalog *catalog, const char *name) {
  for (size_t i = 0; i < catalog->parameter_count; i++) {
    if (strcmp(catalog->parameters[i].name, name) == 0) {
      return (int)i;
    }
  }
  return -1;
}
