/* What can be seen of a system as a whole: `ls`, `names` and `top`. */
#include <stdio.h>
#include <string.h>

#include "remote/verbs.h"

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
    char *point = strrchr(part, '.');
    if (point == NULL) {
      return sn__fail(err, SN_ENOENT, "there is no component '%.100s'", part);
    }
    *point = '\0';
    length = (size_t)(point - part);
  }
}

static void write_buckets(sn__buffer *reply, const sn_histogram *histogram) {
  sn__json_open(reply, "buckets", '[');
  for (size_t i = 0; i < SN_HISTOGRAM_BUCKETS; i++) {
    const uint64_t count = sn_histogram_bucket(histogram, i);
    if (count > 0) {
      sn__json_open(reply, NULL, '[');
      sn__json_int(reply, NULL, sn_histogram_edge_ns(i));
      sn__json_count(reply, NULL, count);
      sn__json_close(reply, ']');
    }
  }
  sn__json_close(reply, ']');
}

void sn__remote_write_histogram(sn__buffer *reply, const char *name, const sn_histogram *histogram,
                                bool all) {
  sn__json_open(reply, name, '{');
  sn__json_count(reply, "count", sn_histogram_count(histogram));
  sn__json_int(reply, "mean_ns", (int64_t)sn_histogram_mean_ns(histogram));
  sn__json_int(reply, "p50_ns", sn_histogram_quantile_ns(histogram, 0.5));
  sn__json_int(reply, "p99_ns", sn_histogram_quantile_ns(histogram, 0.99));
  sn__json_int(reply, "max_ns", sn_histogram_max_ns(histogram));
  if (all) {
    write_buckets(reply, histogram);
  }
  sn__json_close(reply, '}');
}

void sn__remote_write_state(sn__buffer *reply, const sn_component *component) {
  const sn_component_info info = sn_component_info_of(component);
  sn__json_text(reply, "name", component->name);
  sn__json_text(reply, "type", component->type->name);
  sn__json_text(reply, "state", sn_component_state_text(info.state));
  sn__json_text(reply, "trouble",
                info.trouble == SN_STEP_FAULT_NONE ? NULL : sn_step_fault_text(info.trouble));
  sn__json_text(reply, "activity",
                info.activity == NULL ? NULL : sn_activity_config_of(info.activity)->name);
  sn__json_count(reply, "steps", info.steps);
  sn__json_count(reply, "troubles", info.troubles);
}

static void write_components(sn__buffer *reply, sn_system *system, bool all) {
  sn__json_open(reply, "components", '[');
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    const sn_component *component = sn_system_component_at(system, i);
    sn__json_open(reply, NULL, '{');
    sn__remote_write_state(reply, component);
    const sn_component_info info = sn_component_info_of(component);
    if (info.duration != NULL) {
      sn__remote_write_histogram(reply, "duration", info.duration, all);
    }
    sn__json_close(reply, '}');
  }
  sn__json_close(reply, ']');
}

sn_status sn__remote_ls(sn__remote_request *request, sn__remote_answer *answer, sn_error *err) {
  (void)err;
  sn_system *system = request->context->system;
  sn__buffer *reply = &answer->reply;
  sn_system_hold(system);
  sn__json_open(reply, NULL, '{');
  write_components(reply, system, false);
  sn__json_close(reply, '}');
  sn_system_release(system);
  return SN_OK;
}

/* The activity goes on counting meanwhile. */
static uint64_t load(const uint64_t *count) {
  return __atomic_load_n(count, __ATOMIC_RELAXED);
}

static void write_activity(sn__buffer *reply, const sn_activity *activity, int64_t now_ns,
                           bool all) {
  const sn_activity_config *config = sn_activity_config_of(activity);
  const sn_activity_timing *timing = sn_activity_timing_of(activity);
  sn__json_open(reply, NULL, '{');
  sn__json_text(reply, "name", config->name);
  sn__json_int(reply, "period_ns", config->period_ns);
  sn__json_int(reply, "priority", config->priority);
  sn__json_int(reply, "cpu", config->cpu);
  sn__json_count(reply, "cycles", load(&timing->cycles));
  sn__json_count(reply, "overruns", load(&timing->overruns));
  sn__json_count(reply, "skipped", load(&timing->skipped));
  sn__json_count(reply, "overran", load(&timing->overran_last));
  sn__json_count(reply, "lost", load(&timing->lost_last));
  sn__json_bool(reply, "late", sn_activity_is_late(activity, now_ns));
  sn__remote_write_histogram(reply, "lateness", &timing->lateness, all);
  sn__remote_write_histogram(reply, "duration", &timing->duration, all);
  sn__json_close(reply, '}');
}

static void write_counts(sn__buffer *reply, const sn__remote_counts *counts) {
  sn__json_open(reply, "server", '{');
  sn__json_count(reply, "clients", counts->clients);
  sn__json_count(reply, "requests", counts->requests);
  sn__json_count(reply, "refused", counts->refused);
  sn__json_count(reply, "events", counts->events);
  sn__json_count(reply, "dropped", counts->dropped);
  sn__json_close(reply, '}');
}

sn_status sn__remote_top(sn__remote_request *request, sn__remote_answer *answer, sn_error *err) {
  const json_t *histograms = json_object_get(request->json, "histograms");
  if (histograms != NULL && !json_is_boolean(histograms)) {
    return sn__fail(err, SN_EINVAL, "'histograms' must be true or false");
  }
  const bool all = json_is_true(histograms);
  sn_system *system = request->context->system;
  sn__buffer *reply = &answer->reply;
  sn_system_hold(system);
  sn__json_open(reply, NULL, '{');
  const int64_t now_ns = sn_clock_now_ns(sn_system_clock(system));
  sn__json_int(reply, "now_ns", now_ns);
  sn__json_open(reply, "activities", '[');
  for (size_t i = 0; i < sn_system_activity_count(system); i++) {
    write_activity(reply, sn_system_activity_at(system, i), now_ns, all);
  }
  sn__json_close(reply, ']');
  write_components(reply, system, all);
  if (request->context->counts != NULL) {
    write_counts(reply, request->context->counts);
  }
  sn__json_close(reply, '}');
  sn_system_release(system);
  return SN_OK;
}

static void write_port_names(sn__buffer *reply, const char *name, const sn_port *ports,
                             bool outputs) {
  sn__json_open(reply, name, '[');
  for (const sn_port *port = ports; port != NULL && port->name != NULL; port++) {
    if ((port->kind == SN_PORT_OUT) == outputs) {
      sn__json_text(reply, NULL, port->name);
    }
  }
  sn__json_close(reply, ']');
}

/* With those in bags, as `bag.name`; a list of bags is set as a whole. */
static void write_property_names(sn__buffer *reply, const sn_property *table, const char *before) {
  for (const sn_property *p = table; p != NULL && p->name != NULL; p++) {
    char name[256];
    const int length = snprintf(name, sizeof name, "%s%s.", before, p->name);
    if (length > 0 && length < (int)sizeof name) {
      name[length - 1] = '\0';
      sn__json_text(reply, NULL, name);
      name[length - 1] = '.';
      write_property_names(reply, p->kind == SN_PROPERTY_BAG ? p->items : NULL, name);
    }
  }
}

static void write_names(sn__buffer *reply, const sn_component *component) {
  const sn_component_type *type = component->type;
  sn__json_open(reply, NULL, '{');
  sn__json_text(reply, "component", component->name);
  write_port_names(reply, "inputs", type->ports, false);
  write_port_names(reply, "outputs", type->ports, true);
  sn__json_open(reply, "properties", '[');
  write_property_names(reply, type->properties, "");
  sn__json_close(reply, ']');
  sn__json_open(reply, "operations", '[');
  for (const sn_operation *o = type->operations; o != NULL && o->name != NULL; o++) {
    sn__json_text(reply, NULL, o->name);
  }
  for (const sn__remote_life *life = sn__remote_lives; life->name != NULL; life++) {
    sn__json_text(reply, NULL, life->name);
  }
  sn__json_close(reply, ']');
  sn__json_close(reply, '}');
}

sn_status sn__remote_names(sn__remote_request *request, sn__remote_answer *answer, sn_error *err) {
  (void)err;
  sn_system *system = request->context->system;
  sn__buffer *reply = &answer->reply;
  sn_system_hold(system);
  sn__json_open(reply, NULL, '[');
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    write_names(reply, sn_system_component_at(system, i));
  }
  sn__json_close(reply, ']');
  sn_system_release(system);
  return SN_OK;
}
