#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "deploy/deployment.h"
#include "rt/components/property_access.h"

typedef struct connection_keys {
  const char *from;
  const char *to;
  int64_t buffer;
  const char *overflow;
  bool delayed, optional;
} connection_keys;

const sn_property sn__connection_table[] = {
    SN_PROPERTY(connection_keys, "from", from, .flags = SN_PROPERTY_REQUIRED,
                .doc = "The output: component.port."),
    SN_PROPERTY(connection_keys, "to", to, .flags = SN_PROPERTY_REQUIRED,
                .doc = "The input: component.port."),
    SN_PROPERTY(connection_keys, "buffer", buffer, .unit = "messages", .min = 0.0,
                .max = SN_BUFFER_MAX, .doc = "Queue length; 0: the latest message only."),
    SN_PROPERTY(connection_keys, "overflow", overflow, .initial = "drop_oldest",
                .choices = "drop_oldest|refuse", .doc = "What happens when the buffer is full."),
    SN_PROPERTY(connection_keys, "delayed", delayed,
                .doc = "The reader gets the message of the last cycle."),
    SN_PROPERTY(connection_keys, "optional", optional,
                .doc = "Left out if the writer has no such output."),
    {0}};

/* One end of a connection, as in the file. */
typedef struct end {
  const char *text;
  sn_place place;
  const sn__part *part;
  const sn_port *port;
} end;

static const sn_port *find_port(const sn_component_type *type, const char *name) {
  for (const sn_port *p = type->ports; p != NULL && p->name != NULL; p++) {
    if (strcmp(p->name, name) == 0) {
      return p;
    }
  }
  return NULL;
}

static void report_port(sn__reading *reading, const end *e, const char *name) {
  sn__nearest nearest;
  sn__nearest_init(&nearest, name);
  for (const sn_port *p = e->part->type->ports; p != NULL && p->name != NULL; p++) {
    sn__nearest_offer(&nearest, p->name);
  }
  char hint[100];
  sn__report_error(reading, e->place, sn__nearest_hint(&nearest, hint, sizeof hint, NULL),
                   "'%s' (%s) has no port '%.80s'", e->part->name, e->part->type->name, name);
}

/* `component.port`; the name of a service inside a component contains a dot. The port stays NULL
   if it does not exist, which is reported unless the component itself is invalid. */
static void resolve(sn__reading *reading, end *e) {
  const char *dot = strrchr(e->text, '.');
  if (dot == NULL || dot == e->text || dot[1] == '\0') {
    sn__report_error(reading, e->place, NULL, "'%.80s' is not of the form component.port", e->text);
    return;
  }
  char *name = sn_arena_text(reading->scratch, e->text, (size_t)(dot - e->text));
  if (name == NULL) {
    sn__reading_out_of_memory(reading);
    return;
  }
  e->part = sn__find_part(reading->deployment, name);
  if (e->part == NULL) {
    char hint[100];
    sn__report_error(reading, e->place, sn__part_hint(reading->deployment, name, hint, sizeof hint),
                     "unknown component '%.80s'", name);
    return;
  }
  if (e->part->type == NULL) {
    return;
  }
  e->port = find_port(e->part->type, dot + 1);
  if (e->port == NULL) {
    report_port(reading, e, dot + 1);
  }
}

/* Types are compared by name: a plugin may contain its own copy. */
static bool have_same_type(const sn_port *a, const sn_port *b) {
  return a->type == b->type || strcmp(a->type->ros2_name, b->type->ros2_name) == 0;
}

static void check_writers(sn__reading *reading, const sn__link *link) {
  const sn_deployment *deployment = reading->deployment;
  for (size_t i = 0; i < deployment->link_count; i++) {
    const sn__link *other = &deployment->links[i];
    if (other->reader != link->reader || other->input != link->input) {
      continue;
    }
    if (other->writer == link->writer && other->output == link->output) {
      sn__report_error(reading, link->place, NULL, "'%s -> %s' appears twice, first in line %u",
                       link->from, link->to, other->place.line);
      return;
    }
    if (link->input->kind == SN_PORT_IN) {
      sn__report_error(reading, link->place, NULL, "'%s' already has a writer: '%s', in line %u",
                       link->to, other->from, other->place.line);
      return;
    }
  }
}

/* Check that the ends of a connection match. */
static bool check_ends(sn__reading *reading, const end *from, const end *to, sn_place place) {
  if (from->port != NULL && from->port->kind != SN_PORT_OUT) {
    sn__report_error(reading, from->place, "a connection goes from an output to an input",
                     "'%s' is an input, expected an output", from->text);
    return false;
  }
  if (to->port != NULL && to->port->kind == SN_PORT_OUT) {
    sn__report_error(reading, to->place, "a connection goes from an output to an input",
                     "'%s' is an output, expected an input", to->text);
    return false;
  }
  if (from->port == NULL || to->port == NULL) {
    return false;
  }
  if (!have_same_type(from->port, to->port)) {
    sn__report_error(reading, place, NULL, "'%s' sends %s, '%s' takes %s", from->text,
                     from->port->type->name, to->text, to->port->type->name);
    return false;
  }
  return true;
}

static void add_link(sn__reading *reading, end from, end to, sn_connection connection,
                     sn_place place) {
  sn_deployment *deployment = reading->deployment;
  if (reading->status != SN_OK) {
    return; /* the texts may be missing */
  }
  resolve(reading, &from);
  resolve(reading, &to);
  const bool is_good = check_ends(reading, &from, &to, place);
  if (to.port == NULL || to.port->kind == SN_PORT_OUT) {
    return;
  }
  const sn__link link = {.writer = is_good ? from.part : NULL,
                         .reader = to.part,
                         .output = from.port,
                         .input = to.port,
                         .from = from.text,
                         .to = to.text,
                         .connection = connection,
                         .place = place};
  if (is_good) {
    check_writers(reading, &link);
  }
  deployment->links[deployment->link_count++] =
      link; /* an invalid one, too: the input is not missing */
}

/* The part of a text between two marks, without blanks around it. */
static end cut(sn__reading *reading, const sn_value *item, size_t first, size_t last) {
  while (first < last && sn__text_is_blank(item->text[first])) {
    first++;
  }
  while (last > first && sn__text_is_blank(item->text[last - 1])) {
    last--;
  }
  end e = {.text = sn_arena_text(reading->arena, item->text + first, last - first),
           .place = item->place};
  e.place.column += e.place.column == 0 ? 0 : (unsigned)first;
  if (e.text == NULL) {
    sn__reading_out_of_memory(reading);
    e.text = "";
  }
  return e;
}

/* `a.out -> b.in` */
static void read_arrow(sn__reading *reading, const sn_value *item) {
  const char *arrow = strstr(item->text, "->");
  if (arrow == NULL) {
    sn__report_error(reading, item->place, NULL,
                     "'%.80s' is not a connection, expected 'component.port -> component.port'",
                     item->text);
    return;
  }
  const size_t at = (size_t)(arrow - item->text);
  add_link(reading, cut(reading, item, 0, at), cut(reading, item, at + 2, strlen(item->text)),
           (sn_connection){0}, item->place);
}

/* Does the component exist, but not its output? A driver lacks some outputs of a plant. */
static bool has_no_output(const sn__reading *reading, const char *text) {
  const char *dot = strrchr(text, '.');
  char name[200];
  if (dot == NULL || (size_t)(dot - text) >= sizeof name) {
    return false;
  }
  snprintf(name, sizeof name, "%.*s", (int)(dot - text), text);
  const sn__part *part = sn__find_part(reading->deployment, name);
  return part != NULL && part->type != NULL && find_port(part->type, dot + 1) == NULL;
}

static void read_bag(sn__reading *reading, const sn_value *item, const char *path) {
  connection_keys keys = {.from = "", .to = "", .overflow = "drop_oldest"};
  sn__read_bag(reading, sn__connection_table, &keys, item, path);
  sn__property_check_required(sn__connection_table, item, path, item->place, reading->report);
  const sn_value *from = sn_value_find(item, "from");
  const sn_value *to = sn_value_find(item, "to");
  if (from == NULL || to == NULL || from->kind != SN_VALUE_TEXT || to->kind != SN_VALUE_TEXT) {
    return; /* already reported */
  }
  if (keys.optional && has_no_output(reading, keys.from)) {
    return;
  }
  const sn_connection connection = {.buffer = (size_t)keys.buffer,
                                    .overflow = strcmp(keys.overflow, "refuse") == 0
                                                    ? SN_OVERFLOW_REFUSE
                                                    : SN_OVERFLOW_DROP_OLDEST,
                                    .delayed = keys.delayed};
  add_link(reading, (end){.text = keys.from, .place = from->place},
           (end){.text = keys.to, .place = to->place}, connection, item->place);
}

void sn__read_connections(sn__reading *reading, const sn_value *connections) {
  if (connections == NULL || connections->kind != SN_VALUE_LIST) {
    if (connections != NULL &&
        !(connections->kind == SN_VALUE_TEXT && *connections->text == '\0')) {
      sn__report_error(reading, connections->place, NULL, "'connections' is not a list");
    }
    return;
  }
  sn_deployment *deployment = reading->deployment;
  if (connections->item_count > SN_DEPLOYMENT_CONNECTIONS_MAX) {
    sn__report_error(reading, connections->place, NULL,
                     "there are %zu connections, at most %d are allowed", connections->item_count,
                     SN_DEPLOYMENT_CONNECTIONS_MAX);
    return;
  }
  deployment->links = SN_NEW(reading->arena, sn__link, connections->item_count);
  if (deployment->links == NULL) {
    sn__reading_out_of_memory(reading);
    return;
  }
  for (size_t i = 0; i < connections->item_count && reading->status == SN_OK; i++) {
    const sn_value *item = connections->items[i];
    char path[40];
    snprintf(path, sizeof path, "connections[%zu]", i);
    if (item->kind == SN_VALUE_TEXT) {
      read_arrow(reading, item);
    } else {
      read_bag(reading, item, path);
    }
  }
}
