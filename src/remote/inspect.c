#include "remote/inspect.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "rt/histogram.h"
#include "rt/overruns.h"
#include "sinew/estop.h"

const char *sn__remote_status_name(sn_status status) {
  switch (status) {
#define STATUS_NAME(name, value, text) \
  case name:                           \
    return #name;
    SN_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
  }
  return "SN_EINVAL";
}

sn_status sn__remote_find(sn_system *system, const char *name, sn_component **component,
                          const char **rest, sn_error *err) {
  char part[256];
  size_t length = strlen(name);
  if (length >= sizeof part) {
    return sn__fail(err, SN_EINVAL, "'%.60s...' is too long for a name", name);
  }
  memcpy(part, name, length + 1);
  for (;;) {
    *component = sn_system_find(system, part);
    if (*component != NULL) {
      *rest = name[length] == '\0' ? NULL : name + length + 1;
      return SN_OK;
    }
    char *dot = strrchr(part, '.');
    if (dot == NULL) {
      return sn__fail(err, SN_ENOENT, "unknown component '%.100s'", part);
    }
    *dot = '\0';
    length = (size_t)(dot - part);
  }
}

static void append_buckets(sn__buffer *out, const sn_histogram *histogram) {
  sn__json_open(out, "buckets", '[');
  for (size_t i = 0; i < SN_HISTOGRAM_BUCKETS; i++) {
    const uint64_t count = sn__histogram_bucket(histogram, i);
    if (count > 0) {
      sn__json_open(out, NULL, '[');
      sn__json_int(out, NULL, sn__histogram_edge_ns(i));
      sn__json_count(out, NULL, count);
      sn__json_close(out, ']');
    }
  }
  sn__json_close(out, ']');
}

void sn__remote_append_histogram(sn__buffer *out, const char *member, const sn_histogram *histogram,
                                 bool with_buckets) {
  sn__json_open(out, member, '{');
  sn__json_count(out, "count", sn__histogram_count(histogram));
  sn__json_int(out, "mean_ns", (int64_t)sn__histogram_mean_ns(histogram));
  sn__json_int(out, "p50_ns", sn__histogram_quantile_ns(histogram, 0.5));
  sn__json_int(out, "p99_ns", sn__histogram_quantile_ns(histogram, 0.99));
  sn__json_int(out, "max_ns", sn__histogram_max_ns(histogram));
  if (with_buckets) {
    append_buckets(out, histogram);
  }
  sn__json_close(out, '}');
}

void sn__remote_append_state(sn__buffer *out, const sn_component *component, bool with_counts) {
  const sn_component_info info = sn_component_info_of(component);
  sn__json_text(out, "name", component->name);
  sn__json_text(out, "type", component->type->name);
  sn__json_text(out, "state", sn_component_state_text(info.state));
  sn__json_text(out, "trouble",
                info.fault == SN_STEP_FAULT_NONE ? NULL : sn_step_fault_text(info.fault));
  sn__json_text(out, "activity",
                info.activity == NULL ? NULL : sn_activity_config_of(info.activity)->name);
  if (with_counts) {
    sn__json_count(out, "steps", info.steps);
    sn__json_count(out, "troubles", info.fault_count);
  }
}

static void append_components(sn__buffer *out, sn_system *system, bool with_buckets) {
  sn__json_open(out, "components", '[');
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    const sn_component *component = sn_system_component_at(system, i);
    sn__json_open(out, NULL, '{');
    sn__remote_append_state(out, component, true);
    const sn_component_info info = sn_component_info_of(component);
    if (info.duration != NULL) {
      sn__remote_append_histogram(out, "duration", info.duration, with_buckets);
    }
    sn__json_close(out, '}');
  }
  sn__json_close(out, ']');
}

void sn__remote_append_components(sn__buffer *out, sn_system *system) {
  sn_system_hold(system);
  sn__json_open(out, NULL, '{');
  append_components(out, system, false);
  sn__json_close(out, '}');
  sn_system_release(system);
}

/* The activity counts meanwhile. */
static uint64_t load(const uint64_t *count) {
  return __atomic_load_n(count, __ATOMIC_RELAXED);
}

static void append_activity(sn__buffer *out, const sn_activity *activity, int64_t now_ns,
                            bool with_buckets) {
  const sn_activity_config *config = sn_activity_config_of(activity);
  const sn_activity_timing *timing = sn_activity_timing_of(activity);
  sn__json_open(out, NULL, '{');
  sn__json_text(out, "name", config->name);
  sn__json_int(out, "period_ns", config->period_ns);
  sn__json_int(out, "priority", config->priority);
  sn__json_int(out, "cpu", config->cpu);
  sn__json_count(out, "cycles", load(&timing->cycles));
  sn__json_count(out, "overruns", load(&timing->overruns));
  sn__json_count(out, "skipped", load(&timing->skipped));
  sn__json_count(out, "overran", load(&timing->overran_last));
  sn__json_count(out, "lost", load(&timing->lost_last));
  sn__json_bool(out, "late", sn__activity_is_late(activity, now_ns));
  sn__remote_append_histogram(out, "lateness", &timing->lateness, with_buckets);
  sn__remote_append_histogram(out, "duration", &timing->duration, with_buckets);
  sn__json_close(out, '}');
}

static void append_counts(sn__buffer *out, const sn__remote_counts *counts) {
  sn__json_open(out, "server", '{');
  sn__json_count(out, "clients", counts->clients);
  sn__json_count(out, "requests", counts->requests);
  sn__json_count(out, "refused", counts->refused);
  sn__json_count(out, "events", counts->events);
  sn__json_count(out, "dropped", counts->dropped);
  sn__json_close(out, '}');
}

void sn__remote_append_timing(sn__buffer *out, const sn__remote_context *context,
                              bool with_buckets) {
  sn_system *system = context->system;
  sn_system_hold(system);
  sn__json_open(out, NULL, '{');
  const int64_t now_ns = sn_clock_now_ns(sn_system_clock(system));
  sn__json_int(out, "now_ns", now_ns);
  sn__json_open(out, "activities", '[');
  for (size_t i = 0; i < sn_system_activity_count(system); i++) {
    append_activity(out, sn_system_activity_at(system, i), now_ns, with_buckets);
  }
  sn__json_close(out, ']');
  append_components(out, system, with_buckets);
  if (context->counts != NULL) {
    append_counts(out, context->counts);
  }
  sn__json_close(out, '}');
  sn_system_release(system);
}

/* ---- names ---- */

static void append_port_names(sn__buffer *out, const char *name, const sn_port *ports,
                              bool outputs) {
  sn__json_open(out, name, '[');
  for (const sn_port *port = ports; port != NULL && port->name != NULL; port++) {
    if ((port->kind == SN_PORT_OUT) == outputs) {
      sn__json_text(out, NULL, port->name);
    }
  }
  sn__json_close(out, ']');
}

/* Those in bags as `bag.name`. A list of bags is set as a whole. */
static void append_property_names(sn__buffer *out, const sn_property *table, const char *before) {
  for (const sn_property *p = table; p != NULL && p->name != NULL; p++) {
    char name[256];
    const int length = snprintf(name, sizeof name, "%s%s.", before, p->name);
    if (length > 0 && length < (int)sizeof name) {
      name[length - 1] = '\0';
      sn__json_text(out, NULL, name);
      name[length - 1] = '.';
      append_property_names(out, p->kind == SN_PROPERTY_BAG ? p->items : NULL, name);
    }
  }
}

static void append_names(sn__buffer *out, const sn_component *component) {
  const sn_component_type *type = component->type;
  sn__json_open(out, NULL, '{');
  sn__json_text(out, "component", component->name);
  append_port_names(out, "inputs", type->ports, false);
  append_port_names(out, "outputs", type->ports, true);
  sn__json_open(out, "properties", '[');
  append_property_names(out, type->properties, "");
  sn__json_close(out, ']');
  sn__json_open(out, "operations", '[');
  for (const sn_operation *o = type->operations; o != NULL && o->name != NULL; o++) {
    sn__json_text(out, NULL, o->name);
  }
  for (const sn__remote_transition *t = sn__remote_transitions; t->name != NULL; t++) {
    sn__json_text(out, NULL, t->name);
  }
  sn__json_close(out, ']');
  sn__json_close(out, '}');
}

void sn__remote_append_names(sn__buffer *out, sn_system *system) {
  sn_system_hold(system);
  sn__json_open(out, NULL, '[');
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    append_names(out, sn_system_component_at(system, i));
  }
  sn__json_close(out, ']');
  sn_system_release(system);
}

/* ---- the emergency stop and the log ---- */

void sn__remote_append_stop_parties(sn__buffer *out, const char *member, sn_system *system,
                                    uint64_t number) {
  sn_estop_state state;
  sn_estop_look(system, number, &state);
  sn__json_open(out, member, '[');
  for (size_t i = 0; i < state.party_count; i++) {
    const sn_estop_party *party = &state.parties[i];
    sn__json_open(out, NULL, '{');
    sn__json_text(out, "name", party->name);
    sn__json_text(out, "role", party->is_gate ? "gate" : "actuator");
    sn__json_bool(out, "obeyed", party->has_obeyed);
    sn__json_close(out, '}');
  }
  sn__json_close(out, ']');
}

void sn__remote_append_log(sn__buffer *out, sn__remote_log *log, uint64_t number, uint64_t limit) {
  sn__json_open(out, NULL, '{');
  sn__json_open(out, "lines", '[');
  sn__remote_log_line line;
  for (uint64_t k = 0; k < limit && sn__remote_log_get(log, number, &line); k++) {
    sn__json_open(out, NULL, '{');
    sn__json_count(out, "number", line.number);
    sn__json_int(out, "time_ns", line.now_ns);
    sn__json_text(out, "level", sn__remote_log_level_text(line.level));
    sn__json_text(out, "text", line.text);
    sn__json_close(out, '}');
    number = line.number + 1;
  }
  sn__json_close(out, ']');
  sn__json_count(out, "next", number);
  sn__json_close(out, '}');
}
