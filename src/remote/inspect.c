/* What can be seen of a system as a whole: `ls`, `names` and `top`. */
#include <stdio.h>
#include <string.h>

#include "remote/verbs.h"

sn_status sn__remote_find(sn_system *system, const char *name, sn_component **component,
                          const char **rest, sn_error *err) {
  char part[256];
  size_t length = strlen(name);
  if (length >= sizeof part) {
    return sn__remote_fail(err, SN_EINVAL, "'%.60s...' is too long for a name", name);
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
      return sn__remote_fail(err, SN_ENOENT, "there is no component '%.100s'", part);
    }
    *point = '\0';
    length = (size_t)(point - part);
  }
}

static void write_buckets(sn__reply *reply, const sn_histogram *histogram) {
  sn__reply_open(reply, "buckets", '[');
  for (size_t i = 0; i < SN_HISTOGRAM_BUCKETS; i++) {
    const uint64_t count = sn_histogram_bucket(histogram, i);
    if (count > 0) {
      sn__reply_open(reply, NULL, '[');
      sn__reply_int(reply, NULL, sn_histogram_edge_ns(i));
      sn__reply_count(reply, NULL, count);
      sn__reply_close(reply, ']');
    }
  }
  sn__reply_close(reply, ']');
}

void sn__remote_write_histogram(sn__reply *reply, const char *name, const sn_histogram *histogram,
                                bool all) {
  sn__reply_open(reply, name, '{');
  sn__reply_count(reply, "count", sn_histogram_count(histogram));
  sn__reply_int(reply, "mean_ns", (int64_t)sn_histogram_mean_ns(histogram));
  sn__reply_int(reply, "p50_ns", sn_histogram_quantile_ns(histogram, 0.5));
  sn__reply_int(reply, "p99_ns", sn_histogram_quantile_ns(histogram, 0.99));
  sn__reply_int(reply, "max_ns", sn_histogram_max_ns(histogram));
  if (all) {
    write_buckets(reply, histogram);
  }
  sn__reply_close(reply, '}');
}

void sn__remote_write_state(sn__reply *reply, const sn_component *component) {
  const sn_component_info info = sn_component_info_of(component);
  sn__reply_text(reply, "name", component->name);
  sn__reply_text(reply, "type", component->type->name);
  sn__reply_text(reply, "state", sn_component_state_text(info.state));
  sn__reply_text(reply, "trouble",
                 info.fault == SN_STEP_FAULT_NONE ? NULL : sn_step_fault_text(info.fault));
  sn__reply_text(reply, "activity",
                 info.activity == NULL ? NULL : sn_activity_config_of(info.activity)->name);
  sn__reply_count(reply, "steps", info.steps);
  sn__reply_count(reply, "troubles", info.fault_count);
}

static void write_components(sn__reply *reply, sn_system *system, bool all) {
  sn__reply_open(reply, "components", '[');
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    const sn_component *component = sn_system_component_at(system, i);
    sn__reply_open(reply, NULL, '{');
    sn__remote_write_state(reply, component);
    const sn_component_info info = sn_component_info_of(component);
    if (info.duration != NULL) {
      sn__remote_write_histogram(reply, "duration", info.duration, all);
    }
    sn__reply_close(reply, '}');
  }
  sn__reply_close(reply, ']');
}

sn_status sn__remote_ls(sn__remote_request *request, sn__remote_answer *answer, sn_error *err) {
  (void)err;
  sn_system *system = request->context->system;
  sn__reply *reply = &answer->reply;
  sn_system_hold(system);
  sn__reply_open(reply, NULL, '{');
  write_components(reply, system, false);
  sn__reply_close(reply, '}');
  sn_system_release(system);
  return SN_OK;
}

/* The activity goes on counting meanwhile. */
static uint64_t load(const uint64_t *count) {
  return __atomic_load_n(count, __ATOMIC_RELAXED);
}

static void write_activity(sn__reply *reply, const sn_activity *activity, int64_t now_ns,
                           bool all) {
  const sn_activity_config *config = sn_activity_config_of(activity);
  const sn_activity_timing *timing = sn_activity_timing_of(activity);
  sn__reply_open(reply, NULL, '{');
  sn__reply_text(reply, "name", config->name);
  sn__reply_int(reply, "period_ns", config->period_ns);
  sn__reply_int(reply, "priority", config->priority);
  sn__reply_int(reply, "cpu", config->cpu);
  sn__reply_count(reply, "cycles", load(&timing->cycles));
  sn__reply_count(reply, "overruns", load(&timing->overruns));
  sn__reply_count(reply, "skipped", load(&timing->skipped));
  sn__reply_count(reply, "overran", load(&timing->overran_last));
  sn__reply_count(reply, "lost", load(&timing->lost_last));
  sn__reply_bool(reply, "late", sn_activity_is_late(activity, now_ns));
  sn__remote_write_histogram(reply, "lateness", &timing->lateness, all);
  sn__remote_write_histogram(reply, "duration", &timing->duration, all);
  sn__reply_close(reply, '}');
}

static void write_counts(sn__reply *reply, const sn__remote_counts *counts) {
  sn__reply_open(reply, "server", '{');
  sn__reply_count(reply, "clients", counts->clients);
  sn__reply_count(reply, "requests", counts->requests);
  sn__reply_count(reply, "refused", counts->refused);
  sn__reply_count(reply, "events", counts->events);
  sn__reply_count(reply, "dropped", counts->dropped);
  sn__reply_close(reply, '}');
}

sn_status sn__remote_top(sn__remote_request *request, sn__remote_answer *answer, sn_error *err) {
  const json_t *histograms = json_object_get(request->json, "histograms");
  if (histograms != NULL && !json_is_boolean(histograms)) {
    return sn__remote_fail(err, SN_EINVAL, "'histograms' must be true or false");
  }
  const bool all = json_is_true(histograms);
  sn_system *system = request->context->system;
  sn__reply *reply = &answer->reply;
  sn_system_hold(system);
  sn__reply_open(reply, NULL, '{');
  const int64_t now_ns = sn_clock_now_ns(sn_system_clock(system));
  sn__reply_int(reply, "now_ns", now_ns);
  sn__reply_open(reply, "activities", '[');
  for (size_t i = 0; i < sn_system_activity_count(system); i++) {
    write_activity(reply, sn_system_activity_at(system, i), now_ns, all);
  }
  sn__reply_close(reply, ']');
  write_components(reply, system, all);
  if (request->context->counts != NULL) {
    write_counts(reply, request->context->counts);
  }
  sn__reply_close(reply, '}');
  sn_system_release(system);
  return SN_OK;
}

static void write_port_names(sn__reply *reply, const char *name, const sn_port *ports,
                             bool outputs) {
  sn__reply_open(reply, name, '[');
  for (const sn_port *port = ports; port != NULL && port->name != NULL; port++) {
    if ((port->kind == SN_PORT_OUT) == outputs) {
      sn__reply_text(reply, NULL, port->name);
    }
  }
  sn__reply_close(reply, ']');
}

/* With those in bags, as `bag.name`; a list of bags is set as a whole. */
static void write_property_names(sn__reply *reply, const sn_property *table, const char *before) {
  for (const sn_property *p = table; p != NULL && p->name != NULL; p++) {
    char name[256];
    const int length = snprintf(name, sizeof name, "%s%s.", before, p->name);
    if (length > 0 && length < (int)sizeof name) {
      name[length - 1] = '\0';
      sn__reply_text(reply, NULL, name);
      name[length - 1] = '.';
      write_property_names(reply, p->kind == SN_PROPERTY_BAG ? p->items : NULL, name);
    }
  }
}

static void write_names(sn__reply *reply, const sn_component *component) {
  const sn_component_type *type = component->type;
  sn__reply_open(reply, NULL, '{');
  sn__reply_text(reply, "component", component->name);
  write_port_names(reply, "inputs", type->ports, false);
  write_port_names(reply, "outputs", type->ports, true);
  sn__reply_open(reply, "properties", '[');
  write_property_names(reply, type->properties, "");
  sn__reply_close(reply, ']');
  sn__reply_open(reply, "operations", '[');
  for (const sn_operation *o = type->operations; o != NULL && o->name != NULL; o++) {
    sn__reply_text(reply, NULL, o->name);
  }
  for (const sn__remote_life *life = sn__remote_lives; life->name != NULL; life++) {
    sn__reply_text(reply, NULL, life->name);
  }
  sn__reply_close(reply, ']');
  sn__reply_close(reply, '}');
}

sn_status sn__remote_names(sn__remote_request *request, sn__remote_answer *answer, sn_error *err) {
  (void)err;
  sn_system *system = request->context->system;
  sn__reply *reply = &answer->reply;
  sn_system_hold(system);
  sn__reply_open(reply, NULL, '[');
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    write_names(reply, sn_system_component_at(system, i));
  }
  sn__reply_close(reply, ']');
  sn_system_release(system);
  return SN_OK;
}
