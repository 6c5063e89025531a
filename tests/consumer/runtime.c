/* Two components and one of a plugin in simulated time, and an emergency stop.
   usage: runtime FOLDER PLUGIN */
#include <string.h>

#include "check.h"

enum { PERIOD_NS = 10000000 };

typedef struct source {
  sn_component component;
  sn_output used, unused;
  bool is_used, is_unused;
  int64_t period_ns;
} source;

typedef struct sink {
  sn_component component;
  sn_input used, unused;
  bool is_used, is_unused;
  const sn_component *writer;
  int received;
} sink;

static sn_status source_step(sn_component *component, int64_t now_ns) {
  source *self = (source *)component;
  self->is_used = sn_output_is_connected(&self->used);
  self->is_unused = !sn_output_is_connected(&self->unused);
  self->period_ns = sn_component_period_ns(component);
  ((sn_joint_state *)self->used.msg)->header.stamp_ns = now_ns;
  return sn_output_write(&self->used);
}

static sn_status sink_step(sn_component *component, int64_t now_ns) {
  (void)now_ns;
  sink *self = (sink *)component;
  self->is_used = sn_input_is_connected(&self->used);
  self->is_unused = !sn_input_is_connected(&self->unused) && sn_input_writer(&self->unused) == NULL;
  self->writer = sn_input_writer(&self->used);
  self->received += sn_input_newest(&self->used) != NULL;
  return SN_OK;
}

static const sn_port source_ports[] = {
    SN_OUTPUT(source, "used", used, &sn_joint_state_type, .doc = "Connected."),
    SN_OUTPUT(source, "unused", unused, &sn_joint_state_type, .doc = "Not connected."),
    {0}};
static const sn_port sink_ports[] = {
    SN_INPUT(sink, "used", used, &sn_joint_state_type, .doc = "Connected."),
    SN_INPUT(sink, "unused", unused, &sn_joint_state_type, .doc = "Not connected."),
    {0}};
static const sn_component_type source_type = {.abi = SN_COMPONENT_ABI,
                                              .name = "source",
                                              .doc = "Writes.",
                                              .size = sizeof(source),
                                              .ports = source_ports,
                                              .step = source_step};
static const sn_component_type sink_type = {.abi = SN_COMPONENT_ABI,
                                            .name = "sink",
                                            .doc = "Reads.",
                                            .size = sizeof(sink),
                                            .ports = sink_ports,
                                            .step = sink_step};

static void check_clock(void) {
  sn_clock clock;
  sn_clock_init_simulated(&clock, 5);
  sn_clock_advance(&clock, 7);
  CHECK(sn_clock_now_ns(&clock) == 12);
}

/* The type of the plugin; NULL and a failed check if it cannot be loaded. */
static const sn_component_type *load(sn_arena *arena, const char *path) {
  sn_component_registry *registry = sn_component_registry_create(arena);
  sn_error err = {SN_OK, ""};
  CHECK(sn_component_registry_load(registry, "/nowhere/plugin.so", NULL) == SN_EIO);
  if (!CHECK(sn_component_registry_load(registry, path, &err) == SN_OK)) {
    fprintf(stderr, "%s\n", err.message);
  }
  CHECK(sn_component_registry_load(registry, path, NULL) == SN_OK);
  CHECK(sn_component_registry_count(registry) == 1);
  return sn_component_registry_find(registry, "count");
}

static void check_run(sn_system *system, sn_activity *activity, const sn_component_type *count) {
  sn_component *writer = NULL;
  sn_component *reader = NULL;
  sn_component *counter = NULL;
  CHECK(sn_system_add(system, &source_type, "source", &writer, NULL) == SN_OK &&
        sn_system_add(system, &sink_type, "sink", &reader, NULL) == SN_OK &&
        sn_system_add(system, count, "counter", &counter, NULL) == SN_OK &&
        sn_system_assign(system, writer, activity, 0, NULL) == SN_OK &&
        sn_system_assign(system, reader, activity, 0, NULL) == SN_OK &&
        sn_system_assign(system, counter, activity, 0, NULL) == SN_OK &&
        sn_system_connect(system, "source.used", "sink.used", NULL, NULL) == SN_OK &&
        sn_system_begin(system, NULL) == SN_OK &&
        sn_system_run(system, 10 * (int64_t)PERIOD_NS, NULL, NULL, NULL) == SN_OK);
  if (check_failures == 0) {
    const source *from = (const source *)writer;
    const sink *to = (const sink *)reader;
    char steps[32];
    CHECK(from->is_used && from->is_unused && from->period_ns == PERIOD_NS);
    CHECK(to->is_used && to->is_unused && to->writer == writer);
    CHECK(sn_system_get(system, counter, "steps", steps, sizeof steps, NULL) == SN_OK);
    CHECK(strcmp(steps, "10") == 0 && to->received == 10);
  }
}

/* Without a gate the latch is reset here; a second time there is nothing to reset. */
static void check_stop(sn_system *system) {
  sn_estop_state state;
  CHECK(sn_estop_resume(system, NULL) == SN_EINVAL);
  CHECK(sn_estop_request(system, "consumer", "test") == 1);
  sn_estop_look(system, 0, &state);
  CHECK(state.is_latched && state.number == 1);
  CHECK(sn_estop_resume(system, NULL) == SN_OK);
  sn_estop_look(system, 0, &state);
  CHECK(!state.is_latched);
  CHECK(sn_estop_resume(system, NULL) == SN_EINVAL);
}

int main(int argc, char **argv) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "runtime", 0);
  sn_clock clock;
  sn_clock_init_simulated(&clock, 0);
  sn_system *system = sn_system_create(&(sn_system_config){.clock = &clock});
  const sn_activity_config control = {.name = "control", .period_ns = PERIOD_NS};
  sn_activity *activity = NULL;
  const sn_component_type *count = argc == 3 ? load(&arena, argv[2]) : NULL;
  check_clock();
  if (CHECK(count != NULL) &&
      CHECK(sn_system_add_activity(system, &control, &activity, NULL) == SN_OK)) {
    check_run(system, activity, count);
    check_stop(system);
  }
  sn_system_destroy(system);
  sn_arena_release(&arena);
  return check_result();
}
