#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "files/value_json.h"
#include "remote/remote.h"
#include "sinew/fault.h"

/* ---- reading ---- */

/* The size is not known beforehand: try with more room until the value fits. */
sn_status sn__remote_append_property(sn__buffer *out, const char *member, sn_system *system,
                                     sn_component *component, const char *path, size_t size_max,
                                     sn_error *err) {
  const size_t before = out->used;
  sn__json_raw(out, member, "", 0);
  const size_t bound = out->max == 0 ? SN__BUFFER_MAX : out->max;
  const size_t left = out->failed ? 0 : bound - out->used;
  const size_t most = left < size_max ? left : size_max;
  sn_status status = SN_ENOSPC;
  for (size_t size = 256; status == SN_ENOSPC && size < 4 * most; size *= 4) {
    const size_t room_size = size < most ? size : most;
    char *room = sn__buffer_reserve(out, room_size);
    if (room == NULL) {
      break;
    }
    status = sn_system_get(system, component, path, room, room_size, err);
    if (status == SN_OK) {
      out->used += strlen(room);
      return SN_OK;
    }
  }
  out->used = before;
  return status != SN_ENOSPC
             ? status
             : sn__fail(err, SN_ENOSPC, "the value of '%s.%s' is too long for an answer",
                        component->name, path == NULL ? "*" : path);
}

sn_status sn__remote_get(sn_system *system, const char *name, sn__buffer *out, sn_error *err) {
  sn_component *component = NULL;
  const char *path = NULL;
  sn_system_hold(system);
  sn_status status = sn__remote_find(system, name, &component, &path, err);
  if (status == SN_OK) {
    status = sn__remote_append_property(out, NULL, system, component, path, SIZE_MAX / 4, err);
  }
  sn_system_release(system);
  return status;
}

/* ---- setting ---- */

static bool names_file(const sn_property *property) {
  bool is_one = (property->flags & SN_PROPERTY_PATH) != 0;
  for (const sn_property *p = property->items; p != NULL && p->name != NULL && !is_one; p++) {
    is_one = names_file(p); /* as deep as tables are nested */
  }
  return is_one;
}

/* A client that may only talk to the robot must not make the program write a file. */
static sn_status check_path(const sn__remote_context *context, const sn_component *component,
                            const char *path, sn_error *err) {
  size_t offset = 0;
  const sn_property *property = sn_property_at(component->type->properties, path, &offset);
  if (!context->is_network || property == NULL || !names_file(property)) {
    return SN_OK;
  }
  return sn__fail(err, SN_EUNSUPPORTED,
                  "'%.60s.%.60s' names a file of the robot's machine and is not set over "
                  "the network: set it in the deployment, or there with 'sinew set'",
                  component->name, path);
}

static sn_status find_and_set(const sn__remote_context *context, const char *name,
                              const sn_value *value, sn_report *report, sn_error *err) {
  sn_system *system = context->system;
  sn_component *component = NULL;
  const char *path = NULL;
  sn_system_hold(system);
  sn_status status = sn__remote_find(system, name, &component, &path, err);
  if (status == SN_OK && path == NULL) {
    status = sn__fail(err, SN_EINVAL,
                      "'%.100s' is not the name of a property: expected component.property", name);
  }
  if (status == SN_OK) {
    status = check_path(context, component, path, err);
  }
  if (status == SN_OK) {
    status = sn_system_set(system, component, path, value, report, err);
  }
  sn_system_release(system);
  return status;
}

static void report_first(const sn_report *report, sn_status status, sn_error *err) {
  const size_t count = sn_report_count(report);
  if (count > 0) {
    char others[40] = "";
    if (count > 1) {
      snprintf(others, sizeof others, " (and %zu more)", count - 1);
    }
    (void)sn__fail(err, status, "%.190s%s", sn_report_at(report, 0)->message, others);
  }
}

/* Either json or text is given. */
static sn_status set(const sn__remote_context *context, const char *name, json_t *json,
                     const char *text, sn_error *err) {
  const sn_value *value = NULL;
  sn_arena arena;
  sn_arena_init_growing(&arena, "value", 16 * 1024);
  sn_report *report = NULL;
  sn_status status = sn_report_create(&arena, &report, err);
  if (status == SN_OK && json != NULL) {
    status = sn__value_from_json(&arena, json, "value", report, &value);
  } else if (status == SN_OK) {
    SN_ASSERT(text != NULL);
    status = sn_value_parse_text(&arena, text, strlen(text), "value", report, &value);
  }
  if (status == SN_OK) {
    status = find_and_set(context, name, value, report, err);
  }
  if (status != SN_OK && report != NULL) {
    report_first(report, status, err);
  }
  sn_arena_release(&arena);
  return status;
}

sn_status sn__remote_set_json(const sn__remote_context *context, const char *name, json_t *value,
                              sn_error *err) {
  return set(context, name, value, NULL, err);
}

sn_status sn__remote_set_text(const sn__remote_context *context, const char *name, const char *text,
                              sn_error *err) {
  return set(context, name, NULL, text, err);
}
