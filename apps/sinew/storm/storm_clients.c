/* Clients of the system: they come, flood and go, and call what they like. */
#include <stdio.h>
#include <string.h>

#include "storm/storm_faults.h"

enum { FLOOD_MAX = 300 };

static size_t port_count(const sn_component *component) {
  size_t count = 0;
  while (component->type->ports != NULL && component->type->ports[count].name != NULL) {
    count++;
  }
  return count;
}

/* The port of a client: any but that of a controller's references, which the storm itself writes.
 */
void storm_come(storm_run *run, sn_random *random) {
  storm_client *client = &run->clients[sn_random_below(random, STORM_CLIENTS_MAX)];
  const sn_component *component = storm_any_component(run, random);
  const size_t count = port_count(component);
  if (client->tap != NULL || client->source != NULL || count == 0) {
    return;
  }
  const sn_port *port = &component->type->ports[sn_random_below(random, count)];
  char name[200];
  sn_error err;
  snprintf(name, sizeof name, "%s.%s", component->name, port->name);
  const sn_connection connection = {.buffer = 1 + (size_t)sn_random_below(random, 8)};
  if (port->kind == SN_PORT_OUT) {
    (void)sn_tap_open(run->app.system, name, &connection, &client->tap, &err);
  } else {
    (void)sn_source_open(run->app.system, name, &connection, &client->source, &err);
  }
}

static void leave(storm_client *client) {
  sn_tap_close(client->tap);
  if (client->source != NULL) {
    sn_source_close(client->source);
  }
  *client = (storm_client){0};
}

void storm_go(storm_run *run, sn_random *random) {
  leave(&run->clients[sn_random_below(random, STORM_CLIENTS_MAX)]);
}

void storm_all_go(storm_run *run) {
  for (size_t i = 0; i < STORM_CLIENTS_MAX; i++) {
    leave(&run->clients[i]);
  }
}

void storm_flood(storm_run *run, sn_random *random) {
  const uint64_t count = 1 + sn_random_below(random, FLOOD_MAX);
  for (size_t i = 0; i < STORM_CLIENTS_MAX; i++) {
    sn_source *source = run->clients[i].source;
    for (uint64_t k = 0; source != NULL && k < count; k++) {
      sn_error err;
      json_t *message = storm_nonsense(run, sn_source_type(source), random, 0);
      (void)sn__remote_publish_json(source, message, &err);
      json_decref(message);
    }
  }
}

/* What ends the run, writes files, or takes the ground from under the checks. */
static bool is_left_out(const char *name) {
  static const char *const parts[] = {
      "esume", "mergencyStop", "etCollisionPair", "putOnFeet", "ave", "ecord", "oad"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (strstr(name, parts[i]) != NULL) {
      return true;
    }
  }
  return false;
}

void storm_operate(storm_run *run, sn_random *random) {
  const sn_component *component = storm_any_component(run, random);
  const sn_operation *operations = component->type->operations;
  size_t count = 0;
  while (operations != NULL && operations[count].name != NULL) {
    count++;
  }
  const sn_operation *o = count == 0 ? NULL : &operations[sn_random_below(random, count)];
  if (o != NULL && !is_left_out(o->name)) {
    char name[200];
    snprintf(name, sizeof name, "%s.%s", component->name, o->name);
    (void)storm_call(run, name, storm_nonsense(run, o->request, random, 0));
  }
}
