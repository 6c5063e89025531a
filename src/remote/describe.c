/* Everything about one component, from its tables and from what the runtime knows: `describe`. */
#include <stdlib.h>
#include <string.h>

#include "remote/verbs.h"

enum { SHORT_VALUE = 4096 };

static const char *kind_text(sn_msg_kind kind) {
  static const char *const texts[] = {
      [SN_MSG_BOOL] = "bool",       [SN_MSG_INT8] = "int8",         [SN_MSG_UINT8] = "uint8",
      [SN_MSG_INT16] = "int16",     [SN_MSG_UINT16] = "uint16",     [SN_MSG_INT32] = "int32",
      [SN_MSG_UINT32] = "uint32",   [SN_MSG_INT64] = "int64",       [SN_MSG_UINT64] = "uint64",
      [SN_MSG_FLOAT32] = "float32", [SN_MSG_FLOAT64] = "float64",   [SN_MSG_TIME] = "time",
      [SN_MSG_TEXT] = "string",     [SN_MSG_DURATION] = "duration", [SN_MSG_NESTED] = "nested"};
  return texts[kind];
}

static void write_field(sn__reply *reply, const sn_msg_field *field) {
  char type[96];
  const char *base = field->kind == SN_MSG_NESTED ? field->nested->name : kind_text(field->kind);
  if (field->shape == SN_MSG_ARRAY) {
    snprintf(type, sizeof type, "%s[%zu]", base, field->count);
  } else {
    snprintf(type, sizeof type, "%s%s", base, field->shape == SN_MSG_SEQUENCE ? "[]" : "");
  }
  sn__reply_open(reply, NULL, '{');
  sn__reply_text(reply, "name", field->name);
  sn__reply_text(reply, "type", type);
  sn__reply_text(reply, "unit", field->unit);
  sn__reply_close(reply, '}');
}

/* Arguments, or results, of an operation. */
static void write_type(sn__reply *reply, const char *name, const sn_msg_type *type) {
  if (type == NULL) {
    sn__reply_text(reply, name, NULL);
    return;
  }
  sn__reply_open(reply, name, '{');
  sn__reply_text(reply, "type", type->name);
  sn__reply_open(reply, "fields", '[');
  for (size_t i = 0; i < type->field_count; i++) {
    if ((type->fields[i].flags & SN_MSG_ROS1_ONLY) == 0) {
      write_field(reply, &type->fields[i]);
    }
  }
  sn__reply_close(reply, ']');
  sn__reply_close(reply, '}');
}

/* What its table says about a property, and about those in a bag. */
static void write_facts(sn__reply *reply, const sn_property *p) {
  sn__reply_text(reply, "kind", sn_property_kind_text(p->kind));
  sn__reply_bool(reply, "live", (p->flags & SN_PROPERTY_LIVE) != 0);
  sn__reply_bool(reply, "required", (p->flags & SN_PROPERTY_REQUIRED) != 0);
  sn__reply_bool(reply, "path", (p->flags & SN_PROPERTY_PATH) != 0);
  if (p->min != 0.0 || p->max != 0.0) {
    sn__reply_real(reply, "min", p->min);
    sn__reply_real(reply, "max", p->max);
  }
  if (p->count_min != 0 || p->count_max != 0) {
    sn__reply_count(reply, "count_min", p->count_min);
    sn__reply_count(reply, "count_max", p->count_max);
  }
  if (p->choices != NULL) {
    sn__reply_text(reply, "choices", p->choices);
  }
  sn__reply_text(reply, "initial", p->initial);
  sn__reply_text(reply, "unit", p->unit);
  sn__reply_text(reply, "doc", p->doc);
  if (p->items != NULL) {
    sn__reply_open(reply, "items", '[');
    for (const sn_property *item = p->items; item->name != NULL; item++) {
      sn__reply_open(reply, NULL, '{');
      sn__reply_text(reply, "name", item->name);
      write_facts(reply, item); /* as deep as tables are nested */
      sn__reply_close(reply, '}');
    }
    sn__reply_close(reply, ']');
  }
}

/* A robot's description is long, and few want it again and again. */
static sn_status write_short_value(sn__reply *reply, sn_system *system, sn_component *component,
                                   const char *path, sn_error *err) {
  char text[SHORT_VALUE];
  const sn_status status = sn_system_get(system, component, path, text, sizeof text, err);
  if (status == SN_OK) {
    sn__reply_json(reply, "value", text, strlen(text));
  }
  return status;
}

static void write_property(sn__reply *reply, const sn_property *p, sn_system *system,
                           sn_component *component, bool with_all) {
  sn__reply_open(reply, NULL, '{');
  sn__reply_text(reply, "name", p->name);
  sn_error err;
  const sn_status status =
      with_all ? sn__remote_write_value(reply, "value", system, component, p->name, &err)
               : write_short_value(reply, system, component, p->name, &err);
  if (status != SN_OK) {
    sn__reply_text(reply, "value", NULL);
  }
  write_facts(reply, p);
  sn__reply_close(reply, '}');
}

static void write_connection(sn__reply *reply, const sn_connection_info *info, bool is_output,
                             bool with_all) {
  const sn_component *peer = is_output ? info->reader : info->writer;
  const char *port = is_output ? info->reader_port : info->writer_port;
  char name[320];
  if (peer == NULL) {
    snprintf(name, sizeof name, "outside");
  } else {
    snprintf(name, sizeof name, "%s.%s", peer->name, port);
  }
  sn__reply_open(reply, NULL, '{');
  sn__reply_text(reply, "peer", name);
  sn__reply_count(reply, "buffer", info->connection.buffer);
  if (info->connection.buffer > 0) {
    sn__reply_text(reply, "overflow",
                   info->connection.overflow == SN_OVERFLOW_REFUSE ? "refuse" : "drop_oldest");
  }
  sn__reply_bool(reply, "delayed", info->connection.delayed);
  if (with_all) {
    sn__reply_count(reply, "written", info->counts.written);
    sn__reply_count(reply, "lost", info->counts.lost);
    sn__reply_count(reply, "waiting", info->waiting);
  }
  sn__reply_close(reply, '}');
}

/* The connections of one component, looked up once. */
typedef struct connections {
  sn_connection_info *list; /* free() */
  size_t count;
} connections;

static sn_status find_connections(const sn_component *component, connections *all, sn_error *err) {
  const size_t count = sn_component_connections(component, NULL, 0);
  *all = (connections){malloc((count + 1) * sizeof *all->list), 0};
  if (all->list == NULL) {
    return sn__remote_fail(err, SN_ENOMEM, "no memory for %zu connections", count);
  }
  const size_t found = sn_component_connections(component, all->list, count);
  all->count = found < count ? found : count;
  return SN_OK;
}

static void write_port(sn__reply *reply, const sn_component *component, const sn_port *port,
                       const connections *all, bool with_all) {
  static const char *const kinds[] = {
      [SN_PORT_IN] = "in", [SN_PORT_MANY] = "many", [SN_PORT_OUT] = "out"};
  const bool is_output = port->kind == SN_PORT_OUT;
  sn__reply_open(reply, NULL, '{');
  sn__reply_text(reply, "name", port->name);
  sn__reply_text(reply, "kind", kinds[port->kind]);
  sn__reply_text(reply, "type", port->type->name);
  sn__reply_bool(reply, "event", (port->flags & SN_PORT_EVENT) != 0);
  sn__reply_bool(reply, "feedback", (port->flags & SN_PORT_FEEDBACK) != 0);
  sn__reply_bool(reply, "required", (port->flags & SN_PORT_REQUIRED) != 0);
  sn__reply_text(reply, "doc", port->doc);
  sn__reply_open(reply, "connections", '[');
  for (size_t i = 0; i < all->count; i++) {
    const sn_connection_info *info = &all->list[i];
    const sn_component *owner = is_output ? info->writer : info->reader;
    const char *name = is_output ? info->writer_port : info->reader_port;
    if (owner == component && name != NULL && strcmp(name, port->name) == 0) {
      write_connection(reply, info, is_output, with_all);
    }
  }
  sn__reply_close(reply, ']');
  sn__reply_close(reply, '}');
}

static void write_operations(sn__reply *reply, const sn_component_type *type) {
  sn__reply_open(reply, "operations", '[');
  for (const sn_operation *o = type->operations; o != NULL && o->name != NULL; o++) {
    sn__reply_open(reply, NULL, '{');
    sn__reply_text(reply, "name", o->name);
    sn__reply_text(reply, "thread", (o->flags & SN_OWN_THREAD) != 0 ? "own" : "client");
    sn__reply_bool(reply, "only_asks", (o->flags & SN_READ_ONLY) != 0);
    write_type(reply, "request", o->request);
    write_type(reply, "response", o->response);
    sn__reply_text(reply, "doc", o->doc);
    sn__reply_close(reply, '}');
  }
  for (const sn__remote_life *life = sn__remote_lives; life->name != NULL; life++) {
    sn__reply_open(reply, NULL, '{');
    sn__reply_text(reply, "name", life->name);
    sn__reply_text(reply, "thread", "client");
    sn__reply_bool(reply, "only_asks", false);
    sn__reply_text(reply, "request", NULL);
    sn__reply_text(reply, "response", NULL);
    sn__reply_text(reply, "doc", life->doc);
    sn__reply_close(reply, '}');
  }
  sn__reply_close(reply, ']');
}

static void write_services(sn__reply *reply, const sn_component_type *type) {
  sn__reply_open(reply, "services", '[');
  for (const sn_service *s = type->services; s != NULL && s->name != NULL; s++) {
    sn__reply_open(reply, NULL, '{');
    sn__reply_text(reply, "name", s->name);
    sn__reply_text(reply, "doc", s->doc);
    sn__reply_close(reply, '}');
  }
  sn__reply_close(reply, ']');
}

static void write_needs(sn__reply *reply, const sn_component *component) {
  sn__reply_open(reply, "needs", '[');
  for (const sn_need *n = component->type->needs; n != NULL && n->name != NULL; n++) {
    const void *member = (const char *)component + n->offset;
    sn__reply_open(reply, NULL, '{');
    sn__reply_text(reply, "name", n->name);
    sn__reply_text(reply, n->interface != NULL ? "interface" : "operation",
                   n->interface != NULL ? n->interface : n->operation);
    sn__reply_bool(reply, "optional", n->is_optional);
    sn__reply_bool(reply, "ready",
                   n->interface != NULL ? sn_requester_is_ready((const sn_requester *)member)
                                        : sn_caller_is_ready((const sn_caller *)member));
    sn__reply_text(reply, "doc", n->doc);
    sn__reply_close(reply, '}');
  }
  sn__reply_close(reply, ']');
}

static void write_figures(sn__reply *reply, const sn_component *component) {
  const sn_component_info info = sn_component_info_of(component);
  if (info.fault != SN_STEP_FAULT_NONE) {
    sn__reply_text(reply, "trouble_status", sn__remote_status_name(info.fault_status));
    sn__reply_int(reply, "trouble_ns", info.fault_ns);
  }
  sn__reply_count(reply, "calls", info.calls);
  sn__reply_int(reply, "deadline_ns", info.deadline_ns);
  sn__reply_count(reply, "memory_size", info.memory_size);
  if (info.duration != NULL) {
    sn__remote_write_histogram(reply, "duration", info.duration, true);
  }
}

static void write_tables(sn__reply *reply, sn_system *system, sn_component *component,
                         const connections *all, bool with_all) {
  const sn_component_type *type = component->type;
  sn__reply_text(reply, "doc", type->doc);
  sn__reply_open(reply, "properties", '[');
  for (const sn_property *p = type->properties; p != NULL && p->name != NULL; p++) {
    write_property(reply, p, system, component, with_all);
  }
  sn__reply_close(reply, ']');
  sn__reply_open(reply, "ports", '[');
  for (const sn_port *port = type->ports; port != NULL && port->name != NULL; port++) {
    write_port(reply, component, port, all, with_all);
  }
  sn__reply_close(reply, ']');
  write_operations(reply, type);
  write_services(reply, type);
  write_needs(reply, component);
}

static void write_component(sn__reply *reply, sn_system *system, sn_component *component,
                            const connections *all) {
  sn__reply_open(reply, NULL, '{');
  sn__remote_write_state(reply, component);
  write_figures(reply, component);
  write_tables(reply, system, component, all, true);
  sn__reply_close(reply, '}');
}

void sn__remote_write_component(sn__reply *reply, sn_system *system, sn_component *component) {
  connections all;
  sn_error err;
  if (find_connections(component, &all, &err) != SN_OK) {
    reply->failed = true;
    return;
  }
  const sn_component_info info = sn_component_info_of(component);
  sn__reply_open(reply, NULL, '{');
  sn__reply_text(reply, "name", component->name);
  sn__reply_text(reply, "type", component->type->name);
  sn__reply_text(reply, "state", sn_component_state_text(info.state));
  sn__reply_text(reply, "trouble",
                 info.fault == SN_STEP_FAULT_NONE ? NULL : sn_step_fault_text(info.fault));
  sn__reply_text(reply, "activity",
                 info.activity == NULL ? NULL : sn_activity_config_of(info.activity)->name);
  write_tables(reply, system, component, &all, false);
  sn__reply_close(reply, '}');
  free(all.list);
}

static const sn_port *find_port(const sn_component_type *type, const char *name) {
  for (const sn_port *port = type->ports; port != NULL && port->name != NULL; port++) {
    if (strcmp(port->name, name) == 0) {
      return port;
    }
  }
  return NULL;
}

static sn_status describe(sn__reply *reply, sn_system *system, const char *name, sn_error *err) {
  sn_component *component = NULL;
  const char *rest = NULL;
  sn_status status = sn__remote_find(system, name, &component, &rest, err);
  if (status != SN_OK) {
    return status;
  }
  const sn_port *port = rest == NULL ? NULL : find_port(component->type, rest);
  if (rest != NULL && port == NULL) {
    return sn__remote_fail(err, SN_ENOENT, "component '%s' has no port '%.100s'", component->name,
                           rest);
  }
  connections all;
  status = find_connections(component, &all, err);
  if (status == SN_OK && port != NULL) {
    write_port(reply, component, port, &all, true);
  } else if (status == SN_OK) {
    write_component(reply, system, component, &all);
  }
  free(all.list);
  return status;
}

sn_status sn__remote_describe(sn__remote_request *request, sn__remote_answer *answer,
                              sn_error *err) {
  const char *name = NULL;
  sn_status status = sn__remote_argument_text(request, "name", &name, err);
  if (status == SN_OK) {
    sn_system *system = request->context->system;
    sn_system_hold(system);
    status = describe(&answer->reply, system, name, err);
    sn_system_release(system);
  }
  return status;
}
