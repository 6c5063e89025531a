/* Properties from outside: `get` and `set`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remote/verbs.h"

/* The size is not known beforehand: more room until it fits. */
sn_status sn__remote_write_value(sn__buffer *reply, const char *name, sn_system *system,
                                 sn_component *component, const char *path, sn_error *err) {
  for (size_t size = 1024; size <= SN__BUFFER_MAX; size *= 4) {
    char *text = malloc(size);
    if (text == NULL) {
      break;
    }
    const sn_status status = sn_system_get(system, component, path, text, size, err);
    if (status == SN_OK) {
      sn__json_raw(reply, name, text, strlen(text));
    }
    free(text);
    if (status != SN_ENOSPC) {
      return status;
    }
  }
  return sn__fail(err, SN_ENOSPC, "the value of '%s.%s' is too long for an answer", component->name,
                  path == NULL ? "*" : path);
}

sn_status sn__remote_get(sn__remote_request *request, sn__remote_answer *answer, sn_error *err) {
  const char *name = NULL;
  sn_status status = sn__remote_argument_text(request, "name", &name, err);
  if (status != SN_OK) {
    return status;
  }
  sn_system *system = request->context->system;
  sn_component *component = NULL;
  const char *path = NULL;
  sn_system_hold(system);
  status = sn__remote_find(system, name, &component, &path, err);
  if (status == SN_OK) {
    status = sn__remote_write_value(&answer->reply, NULL, system, component, path, err);
  }
  sn_system_release(system);
  return status;
}

/* The value as a property tree: JSON is read as YAML, which it is a part of. */
static sn_status read_value(const sn__remote_request *request, sn_arena *arena, sn_report *report,
                            const sn_value **out, sn_error *err) {
  const json_t *value = json_object_get(request->json, "value");
  const char *text = NULL;
  const sn_status status = sn__remote_argument_text(request, "text", &text, err);
  if (status != SN_OK) {
    return status;
  }
  if ((value == NULL) == (text == NULL)) {
    return sn__fail(err, SN_EINVAL, "'set' needs either a 'value' or a 'text'");
  }
  if (text != NULL) {
    return sn_value_parse_text(arena, text, strlen(text), "value", report, out);
  }
  char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
  if (dumped == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for the value");
  }
  const sn_status parsed = sn_value_parse_text(arena, dumped, strlen(dumped), "value", report, out);
  free(dumped);
  return parsed;
}

/* The first problem stands for all. */
static sn_status explain(sn_status status, const sn_report *report, sn_error *err) {
  if (sn_report_count(report) > 0) {
    const size_t more = sn_report_count(report) - 1;
    char rest[40] = "";
    if (more > 0) {
      snprintf(rest, sizeof rest, " (and %zu more)", more);
    }
    (void)sn__fail(err, status, "%.190s%s", sn_report_at(report, 0)->message, rest);
  }
  return status;
}

/* Is it, or has it in it, the name of a file? */
static bool names_file(const sn_property *property) {
  bool is_one = (property->flags & SN_PROPERTY_PATH) != 0;
  for (const sn_property *p = property->items; p != NULL && p->name != NULL && !is_one; p++) {
    is_one = names_file(p); /* as deep as tables are nested */
  }
  return is_one;
}

/* Who may only talk to the robot must not write where the program may. */
static sn_status check_path(const sn__remote_request *request, const sn_component *component,
                            const char *path, sn_error *err) {
  size_t offset = 0;
  const sn_property *property = sn_property_at(component->type->properties, path, &offset);
  if (!request->context->is_network || property == NULL || !names_file(property)) {
    return SN_OK;
  }
  return sn__fail(err, SN_EUNSUPPORTED,
                  "'%.60s.%.60s' names a file of the robot's machine and is not set over "
                  "the network: set it in the deployment, or there with 'sinew set'",
                  component->name, path);
}

static sn_status set(const sn__remote_request *request, const char *name, const sn_value *value,
                     sn_report *report, sn__buffer *reply, sn_error *err) {
  sn_system *system = request->context->system;
  sn_component *component = NULL;
  const char *path = NULL;
  sn_status status = sn__remote_find(system, name, &component, &path, err);
  if (status == SN_OK && path == NULL) {
    status = sn__fail(err, SN_EINVAL, "'%.100s' names no property: component.property", name);
  }
  if (status == SN_OK) {
    status = check_path(request, component, path, err);
  }
  if (status == SN_OK) {
    status = sn_system_set(system, component, path, value, report, err);
  }
  return status == SN_OK ? sn__remote_write_value(reply, NULL, system, component, path, err)
                         : status;
}

/* The result is the value as it is now. */
sn_status sn__remote_set(sn__remote_request *request, sn__remote_answer *answer, sn_error *err) {
  const char *name = NULL;
  sn_status status = sn__remote_argument_text(request, "name", &name, err);
  if (status != SN_OK) {
    return status;
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "value", 16 * 1024);
  sn_report *report = sn_report_create(&arena);
  if (report == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for the value");
  }
  const sn_value *value = NULL;
  status = read_value(request, &arena, report, &value, err);
  if (status == SN_OK) {
    sn_system_hold(request->context->system);
    status = set(request, name, value, report, &answer->reply, err);
    sn_system_release(request->context->system);
  }
  if (status != SN_OK) {
    explain(status, report, err);
  }
  sn_arena_release(&arena);
  return status;
}
