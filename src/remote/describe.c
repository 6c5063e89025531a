/* Components in detail: their tables and what the runtime knows about them. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "remote/inspect.h"

enum { SHORT_VALUE = 16384 };

static const char *kind_text(sn_msg_kind kind) {
  static const char *const texts[] = {
      [SN_MSG_BOOL] = "bool",       [SN_MSG_INT8] = "int8",         [SN_MSG_UINT8] = "uint8",
      [SN_MSG_INT16] = "int16",     [SN_MSG_UINT16] = "uint16",     [SN_MSG_INT32] = "int32",
      [SN_MSG_UINT32] = "uint32",   [SN_MSG_INT64] = "int64",       [SN_MSG_UINT64] = "uint64",
      [SN_MSG_FLOAT32] = "float32", [SN_MSG_FLOAT64] = "float64",   [SN_MSG_TIME] = "time",
      [SN_MSG_TEXT] = "string",     [SN_MSG_DURATION] = "duration", [SN_MSG_NESTED] = "nested"};
  return texts[kind];
}

static void append_field(sn__buffer *out, const sn_msg_field *field) {
  char type[96];
  const char *base = field->kind == SN_MSG_NESTED ? field->nested->name : kind_text(field->kind);
  if (field->shape == SN_MSG_ARRAY) {
    snprintf(type, sizeof type, "%s[%zu]", base, field->count);
  } else {
    snprintf(type, sizeof type, "%s%s", base, field->shape == SN_MSG_SEQUENCE ? "[]" : "");
  }
  sn__json_open(out, NULL, '{');
  sn__json_text(out, "name", field->name);
  sn__json_text(out, "type", type);
  sn__json_text(out, "unit", field->unit);
  sn__json_close(out, '}');
}

/* Arguments, or results, of an operation. */
static void append_type(sn__buffer *out, const char *name, const sn_msg_type *type) {
  if (type == NULL) {
    sn__json_null(out, name);
    return;
  }
  sn__json_open(out, name, '{');
  sn__json_text(out, "type", type->name);
  sn__json_open(out, "fields", '[');
  for (size_t i = 0; i < type->field_count; i++) {
    if ((type->fields[i].flags & SN_MSG_ROS1_ONLY) == 0) {
      append_field(out, &type->fields[i]);
    }
  }
  sn__json_close(out, ']');
  sn__json_close(out, '}');
}

/* What the table says about a property, and about those in a bag. */
static void append_facts(sn__buffer *out, const sn_property *p) {
  sn__json_text(out, "kind", sn_property_kind_text(p->kind));
  sn__json_bool(out, "live", (p->flags & SN_PROPERTY_LIVE) != 0);
  sn__json_bool(out, "required", (p->flags & SN_PROPERTY_REQUIRED) != 0);
  sn__json_bool(out, "path", (p->flags & SN_PROPERTY_PATH) != 0);
  if (p->min != 0.0 || p->max != 0.0) {
    sn__json_real(out, "min", p->min);
    sn__json_real(out, "max", p->max);
  }
  if (p->count_min != 0 || p->count_max != 0) {
    sn__json_count(out, "count_min", p->count_min);
    sn__json_count(out, "count_max", p->count_max);
  }
  if (p->choices != NULL) {
    sn__json_text(out, "choices", p->choices);
  }
  sn__json_text(out, "initial", p->initial);
  sn__json_text(out, "unit", p->unit);
  sn__json_text(out, "doc", p->doc);
  if (p->items != NULL) {
    sn__json_open(out, "items", '[');
    for (const sn_property *item = p->items; item->name != NULL; item++) {
      sn__json_open(out, NULL, '{');
      sn__json_text(out, "name", item->name);
      append_facts(out, item); /* as deep as tables are nested */
      sn__json_close(out, '}');
    }
    sn__json_close(out, ']');
  }
}

static void append_property(sn__buffer *out, const sn_property *p, sn_system *system,
                            sn_component *component, bool with_all) {
  /* A robot's description is long; regular reports leave it out. */
  const size_t size_max = with_all ? SN__BUFFER_MAX : SHORT_VALUE;
  sn_error err;
  sn__json_open(out, NULL, '{');
  sn__json_text(out, "name", p->name);
  if (sn__remote_append_property(out, "value", system, component, p->name, size_max, &err) !=
      SN_OK) {
    sn__json_null(out, "value");
  }
  append_facts(out, p);
  sn__json_close(out, '}');
}

static void append_connection(sn__buffer *out, const sn_connection_info *info, bool is_output,
                              bool with_all) {
  const sn_component *peer = is_output ? info->reader : info->writer;
  const char *port = is_output ? info->reader_port : info->writer_port;
  char name[320];
  if (peer == NULL) {
    snprintf(name, sizeof name, "outside");
  } else {
    snprintf(name, sizeof name, "%s.%s", peer->name, port);
  }
  sn__json_open(out, NULL, '{');
  sn__json_text(out, "peer", name);
  sn__json_count(out, "buffer", info->connection.buffer);
  if (info->connection.buffer > 0) {
    sn__json_text(out, "overflow",
                  info->connection.overflow == SN_OVERFLOW_REFUSE ? "refuse" : "drop_oldest");
  }
  sn__json_bool(out, "delayed", info->connection.delayed);
  if (with_all) {
    sn__json_count(out, "written", info->counts.written);
    sn__json_count(out, "lost", info->counts.lost);
    sn__json_count(out, "waiting", info->waiting);
  }
  sn__json_close(out, '}');
}

/* The connections of one component. */
typedef struct connections {
  sn_connection_info *list; /* free() */
  size_t count;
} connections;

static sn_status find_connections(const sn_component *component, connections *all, sn_error *err) {
  const size_t count = sn_component_connections(component, NULL, 0);
  *all = (connections){malloc((count + 1) * sizeof *all->list), 0};
  if (all->list == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu connections", count);
  }
  const size_t found = sn_component_connections(component, all->list, count);
  all->count = found < count ? found : count;
  return SN_OK;
}

static void append_port(sn__buffer *out, const sn_component *component, const sn_port *port,
                        const connections *all, bool with_all) {
  static const char *const kinds[] = {
      [SN_PORT_IN] = "in", [SN_PORT_MANY] = "many", [SN_PORT_OUT] = "out"};
  const bool is_output = port->kind == SN_PORT_OUT;
  sn__json_open(out, NULL, '{');
  sn__json_text(out, "name", port->name);
  sn__json_text(out, "kind", kinds[port->kind]);
  sn__json_text(out, "type", port->type->name);
  sn__json_bool(out, "event", (port->flags & SN_PORT_EVENT) != 0);
  sn__json_bool(out, "feedback", (port->flags & SN_PORT_FEEDBACK) != 0);
  sn__json_bool(out, "required", (port->flags & SN_PORT_REQUIRED) != 0);
  sn__json_text(out, "doc", port->doc);
  sn__json_open(out, "connections", '[');
  for (size_t i = 0; i < all->count; i++) {
    const sn_connection_info *info = &all->list[i];
    const sn_component *owner = is_output ? info->writer : info->reader;
    const char *name = is_output ? info->writer_port : info->reader_port;
    if (owner == component && name != NULL && strcmp(name, port->name) == 0) {
      append_connection(out, info, is_output, with_all);
    }
  }
  sn__json_close(out, ']');
  sn__json_close(out, '}');
}

static void append_operations(sn__buffer *out, const sn_component_type *type) {
  sn__json_open(out, "operations", '[');
  for (const sn_operation *o = type->operations; o != NULL && o->name != NULL; o++) {
    sn__json_open(out, NULL, '{');
    sn__json_text(out, "name", o->name);
    sn__json_text(out, "thread", (o->flags & SN_OWN_THREAD) != 0 ? "own" : "client");
    sn__json_bool(out, "only_asks", (o->flags & SN_READ_ONLY) != 0);
    append_type(out, "request", o->request);
    append_type(out, "response", o->response);
    sn__json_text(out, "doc", o->doc);
    sn__json_close(out, '}');
  }
  for (const sn__remote_transition *t = sn__remote_transitions; t->name != NULL; t++) {
    sn__json_open(out, NULL, '{');
    sn__json_text(out, "name", t->name);
    sn__json_text(out, "thread", "client");
    sn__json_bool(out, "only_asks", false);
    sn__json_null(out, "request");
    sn__json_null(out, "response");
    sn__json_text(out, "doc", t->doc);
    sn__json_close(out, '}');
  }
  sn__json_close(out, ']');
}

static void append_services(sn__buffer *out, const sn_component_type *type) {
  sn__json_open(out, "services", '[');
  for (const sn_service *s = type->services; s != NULL && s->name != NULL; s++) {
    sn__json_open(out, NULL, '{');
    sn__json_text(out, "name", s->name);
    sn__json_text(out, "doc", s->doc);
    sn__json_close(out, '}');
  }
  sn__json_close(out, ']');
}

static void append_needs(sn__buffer *out, const sn_component *component) {
  sn__json_open(out, "needs", '[');
  for (const sn_need *n = component->type->needs; n != NULL && n->name != NULL; n++) {
    const void *member = (const char *)component + n->offset;
    sn__json_open(out, NULL, '{');
    sn__json_text(out, "name", n->name);
    sn__json_text(out, n->interface != NULL ? "interface" : "operation",
                  n->interface != NULL ? n->interface : n->operation);
    sn__json_bool(out, "optional", n->is_optional);
    sn__json_bool(out, "ready",
                  n->interface != NULL ? sn_requester_is_ready((const sn_requester *)member)
                                       : sn_caller_is_ready((const sn_caller *)member));
    sn__json_text(out, "doc", n->doc);
    sn__json_close(out, '}');
  }
  sn__json_close(out, ']');
}

static void append_figures(sn__buffer *out, const sn_component *component) {
  const sn_component_info info = sn_component_info_of(component);
  if (info.fault != SN_STEP_FAULT_NONE) {
    sn__json_text(out, "trouble_status", sn__remote_status_name(info.fault_status));
    sn__json_int(out, "trouble_ns", info.fault_ns);
  }
  sn__json_count(out, "calls", info.calls);
  sn__json_int(out, "deadline_ns", info.deadline_ns);
  sn__json_count(out, "memory_size", info.memory_size);
  if (info.duration != NULL) {
    sn__remote_append_histogram(out, "duration", info.duration, true);
  }
}

static void append_tables(sn__buffer *out, sn_system *system, sn_component *component,
                          const connections *all, bool with_all) {
  const sn_component_type *type = component->type;
  sn__json_text(out, "doc", type->doc);
  sn__json_open(out, "properties", '[');
  for (const sn_property *p = type->properties; p != NULL && p->name != NULL; p++) {
    append_property(out, p, system, component, with_all);
  }
  sn__json_close(out, ']');
  sn__json_open(out, "ports", '[');
  for (const sn_port *port = type->ports; port != NULL && port->name != NULL; port++) {
    append_port(out, component, port, all, with_all);
  }
  sn__json_close(out, ']');
  append_operations(out, type);
  append_services(out, type);
  append_needs(out, component);
}

static void append_component(sn__buffer *out, sn_system *system, sn_component *component,
                             const connections *all, bool with_all) {
  sn__json_open(out, NULL, '{');
  sn__remote_append_state(out, component, with_all);
  if (with_all) {
    append_figures(out, component);
  }
  append_tables(out, system, component, all, with_all);
  sn__json_close(out, '}');
}

void sn__remote_append_catalog(sn__buffer *out, sn_system *system) {
  sn_error err;
  sn_system_hold(system);
  sn__json_open(out, NULL, '{');
  sn__json_open(out, "components", '[');
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    sn_component *component = sn_system_component_at(system, i);
    connections all;
    if (find_connections(component, &all, &err) == SN_OK) {
      append_component(out, system, component, &all, false);
      free(all.list);
    } else {
      out->failed = true;
    }
  }
  sn__json_close(out, ']');
  sn__json_close(out, '}');
  sn_system_release(system);
}

static const sn_port *find_port(const sn_component_type *type, const char *name) {
  for (const sn_port *port = type->ports; port != NULL && port->name != NULL; port++) {
    if (strcmp(port->name, name) == 0) {
      return port;
    }
  }
  return NULL;
}

static sn_status describe(sn__buffer *out, sn_system *system, const char *name, sn_error *err) {
  sn_component *component = NULL;
  const char *rest = NULL;
  sn_status status = sn__remote_find(system, name, &component, &rest, err);
  if (status != SN_OK) {
    return status;
  }
  const sn_port *port = rest == NULL ? NULL : find_port(component->type, rest);
  if (rest != NULL && port == NULL) {
    return sn__fail(err, SN_ENOENT, "component '%s' has no port '%.100s'", component->name, rest);
  }
  connections all;
  status = find_connections(component, &all, err);
  if (status == SN_OK && port != NULL) {
    append_port(out, component, port, &all, true);
  } else if (status == SN_OK) {
    append_component(out, system, component, &all, true);
  }
  free(all.list);
  return status;
}

sn_status sn__remote_append_description(sn__buffer *out, sn_system *system, const char *name,
                                        sn_error *err) {
  sn_system_hold(system);
  const sn_status status = describe(out, system, name, err);
  sn_system_release(system);
  return status;
}
