/* What can be seen of a system as a whole: `ls`, `names` and `top`. */
#include <stdio.h>
#include <string.h>

#include "control_verbs.h"

sn_status control_find(sn_system *system, const char *name, sn_component **component,
                       const char **rest, sn_error *err) {
  char part[256];
  size_t length = strlen(name);
  if (length >= sizeof part) {
    return control_fail(err, SN_EINVAL, "'%.60s...' is too long for a name", name);
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
      return control_fail(err, SN_ENOENT, "there is no component '%.100s'", part);
    }
    *point = '\0';
    length = (size_t)(point - part);
  }
}

static void write_buckets(control_reply *reply, const sn_histogram *histogram) {
  reply_open(reply, "buckets", '[');
  for (size_t i = 0; i < SN_HISTOGRAM_BUCKETS; i++) {
    const uint64_t count = sn_histogram_bucket(histogram, i);
    if (count > 0) {
      reply_open(reply, NULL, '[');
      reply_int(reply, NULL, sn_histogram_edge_ns(i));
      reply_count(reply, NULL, count);
      reply_close(reply, ']');
    }
  }
  reply_close(reply, ']');
}

void control_write_histogram(control_reply *reply, const char *name, const sn_histogram *histogram,
                             bool all) {
  reply_open(reply, name, '{');
  reply_count(reply, "count", sn_histogram_count(histogram));
  reply_int(reply, "mean_ns", (int64_t)sn_histogram_mean_ns(histogram));
  reply_int(reply, "p50_ns", sn_histogram_quantile_ns(histogram, 0.5));
  reply_int(reply, "p99_ns", sn_histogram_quantile_ns(histogram, 0.99));
  reply_int(reply, "max_ns", sn_histogram_max_ns(histogram));
  if (all) {
    write_buckets(reply, histogram);
  }
  reply_close(reply, '}');
}

void control_write_state(control_reply *reply, const sn_component *component) {
  const sn_component_info info = sn_component_info_of(component);
  reply_text(reply, "name", component->name);
  reply_text(reply, "type", component->type->name);
  reply_text(reply, "state", sn_component_state_text(info.state));
  reply_text(reply, "trouble",
             info.trouble == SN_TROUBLE_NONE ? NULL : sn_trouble_text(info.trouble));
  reply_text(reply, "activity",
             info.activity == NULL ? NULL : sn_activity_config_of(info.activity)->name);
  reply_count(reply, "steps", info.steps);
  reply_count(reply, "troubles", info.troubles);
}

static void write_components(control_reply *reply, sn_system *system, bool all) {
  reply_open(reply, "components", '[');
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    const sn_component *component = sn_system_component_at(system, i);
    reply_open(reply, NULL, '{');
    control_write_state(reply, component);
    const sn_component_info info = sn_component_info_of(component);
    if (info.duration != NULL) {
      control_write_histogram(reply, "duration", info.duration, all);
    }
    reply_close(reply, '}');
  }
  reply_close(reply, ']');
}

sn_status control_ls(control_request *request, control_answer *answer, sn_error *err) {
  (void)err;
  sn_system *system = request->context->system;
  control_reply *reply = &answer->reply;
  sn_system_hold(system);
  reply_open(reply, NULL, '{');
  write_components(reply, system, false);
  reply_close(reply, '}');
  sn_system_release(system);
  return SN_OK;
}

/* The activity goes on counting meanwhile. */
static uint64_t load(const uint64_t *count) {
  return __atomic_load_n(count, __ATOMIC_RELAXED);
}

static void write_activity(control_reply *reply, const sn_activity *activity, bool all) {
  const sn_activity_config *config = sn_activity_config_of(activity);
  const sn_activity_timing *timing = sn_activity_timing_of(activity);
  reply_open(reply, NULL, '{');
  reply_text(reply, "name", config->name);
  reply_int(reply, "period_ns", config->period_ns);
  reply_int(reply, "priority", config->priority);
  reply_int(reply, "cpu", config->cpu);
  reply_count(reply, "cycles", load(&timing->cycles));
  reply_count(reply, "overruns", load(&timing->overruns));
  reply_count(reply, "skipped", load(&timing->skipped));
  control_write_histogram(reply, "lateness", &timing->lateness, all);
  control_write_histogram(reply, "duration", &timing->duration, all);
  reply_close(reply, '}');
}

static void write_counts(control_reply *reply, const control_counts *counts) {
  reply_open(reply, "server", '{');
  reply_count(reply, "clients", counts->clients);
  reply_count(reply, "requests", counts->requests);
  reply_count(reply, "refused", counts->refused);
  reply_count(reply, "events", counts->events);
  reply_count(reply, "dropped", counts->dropped);
  reply_close(reply, '}');
}

sn_status control_top(control_request *request, control_answer *answer, sn_error *err) {
  const json_t *histograms = json_object_get(request->json, "histograms");
  if (histograms != NULL && !json_is_boolean(histograms)) {
    return control_fail(err, SN_EINVAL, "'histograms' must be true or false");
  }
  const bool all = json_is_true(histograms);
  sn_system *system = request->context->system;
  control_reply *reply = &answer->reply;
  sn_system_hold(system);
  reply_open(reply, NULL, '{');
  reply_int(reply, "now_ns", sn_clock_now_ns(sn_system_clock(system)));
  reply_open(reply, "activities", '[');
  for (size_t i = 0; i < sn_system_activity_count(system); i++) {
    write_activity(reply, sn_system_activity_at(system, i), all);
  }
  reply_close(reply, ']');
  write_components(reply, system, all);
  if (request->context->counts != NULL) {
    write_counts(reply, request->context->counts);
  }
  reply_close(reply, '}');
  sn_system_release(system);
  return SN_OK;
}

static void write_port_names(control_reply *reply, const char *name, const sn_port *ports,
                             bool outputs) {
  reply_open(reply, name, '[');
  for (const sn_port *port = ports; port != NULL && port->name != NULL; port++) {
    if ((port->kind == SN_PORT_OUT) == outputs) {
      reply_text(reply, NULL, port->name);
    }
  }
  reply_close(reply, ']');
}

/* With those in bags, as `bag.name`; a list of bags is set as a whole. */
static void write_property_names(control_reply *reply, const sn_property *table,
                                 const char *before) {
  for (const sn_property *p = table; p != NULL && p->name != NULL; p++) {
    char name[256];
    const int length = snprintf(name, sizeof name, "%s%s.", before, p->name);
    if (length > 0 && length < (int)sizeof name) {
      name[length - 1] = '\0';
      reply_text(reply, NULL, name);
      name[length - 1] = '.';
      write_property_names(reply, p->kind == SN_PROPERTY_BAG ? p->items : NULL, name);
    }
  }
}

static void write_names(control_reply *reply, const sn_component *component) {
  const sn_component_type *type = component->type;
  reply_open(reply, NULL, '{');
  reply_text(reply, "component", component->name);
  write_port_names(reply, "inputs", type->ports, false);
  write_port_names(reply, "outputs", type->ports, true);
  reply_open(reply, "properties", '[');
  write_property_names(reply, type->properties, "");
  reply_close(reply, ']');
  reply_open(reply, "operations", '[');
  for (const sn_operation *o = type->operations; o != NULL && o->name != NULL; o++) {
    reply_text(reply, NULL, o->name);
  }
  for (const control_life *life = control_lives; life->name != NULL; life++) {
    reply_text(reply, NULL, life->name);
  }
  reply_close(reply, ']');
  reply_close(reply, '}');
}

sn_status control_names(control_request *request, control_answer *answer, sn_error *err) {
  (void)err;
  sn_system *system = request->context->system;
  control_reply *reply = &answer->reply;
  sn_system_hold(system);
  reply_open(reply, NULL, '[');
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    write_names(reply, sn_system_component_at(system, i));
  }
  reply_close(reply, ']');
  sn_system_release(system);
  return SN_OK;
}
