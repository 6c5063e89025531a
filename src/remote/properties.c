#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "remote/remote.h"

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

/* ---- values from JSON ---- */

typedef struct converter {
  sn_arena *arena;
  sn_error *err;
  size_t depth;
} converter;

static sn_status convert(converter *c, const char *name, json_t *json, const sn_value **out);

static sn_status convert_items(converter *c, json_t *json, size_t count, const sn_value **items) {
  sn_status status = c->depth < SN_VALUE_DEPTH_MAX
                         ? SN_OK
                         : sn__fail(c->err, SN_ELIMIT, "the value is nested deeper than %d levels",
                                    SN_VALUE_DEPTH_MAX);
  c->depth++;
  void *member = json_is_object(json) ? json_object_iter(json) : NULL;
  for (size_t i = 0; i < count && status == SN_OK; i++) {
    if (member == NULL) {
      status = convert(c, "", json_array_get(json, i), &items[i]);
      continue;
    }
    const char *key = json_object_iter_key(member);
    status = *key == '\0' ? sn__fail(c->err, SN_ESYNTAX, "a key must not be empty")
                          : convert(c, key, json_object_iter_value(member), &items[i]);
    member = json_object_iter_next(json, member);
  }
  c->depth--;
  return status;
}

/* The text of a scalar, as YAML would have it. @return NULL: out of memory */
static const char *scalar_text(sn_arena *arena, const json_t *json) {
  if (json_is_string(json)) {
    return sn_arena_text(arena, json_string_value(json), json_string_length(json));
  }
  char text[64];
  const size_t length =
      json_dumpb(json, text, sizeof text, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
  return length > sizeof text ? NULL : sn_arena_text(arena, text, length);
}

/* As deep as the value is nested, which is bounded. */
static sn_status convert(converter *c, const char *name, json_t *json, const sn_value **out) {
  const sn_place place = {.file = "value", .line = 1, .column = 1};
  sn_value *value = SN_NEW(c->arena, sn_value, 1);
  const bool is_scalar = !json_is_array(json) && !json_is_object(json);
  const size_t count = json_is_array(json) ? json_array_size(json) : json_object_size(json);
  const sn_value **items = is_scalar ? NULL : SN_NEW(c->arena, const sn_value *, count + 1);
  const char *text = is_scalar ? scalar_text(c->arena, json) : NULL;
  const char *copy = sn_arena_text(c->arena, name, strlen(name));
  if (value == NULL || copy == NULL || (is_scalar ? text == NULL : items == NULL)) {
    return sn__fail(c->err, SN_ENOMEM, "no memory for the value");
  }
  *value = (sn_value){.name = copy,
                      .kind = is_scalar             ? SN_VALUE_TEXT
                              : json_is_array(json) ? SN_VALUE_LIST
                                                    : SN_VALUE_BAG,
                      .text = text,
                      .item_count = count,
                      .items = items,
                      .place = place,
                      .name_place = place};
  *out = value;
  return is_scalar ? SN_OK : convert_items(c, json, count, items);
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

/* Exactly one of value, json and text is given. */
static sn_status set(const sn__remote_context *context, const char *name, const sn_value *value,
                     json_t *json, const char *text, sn_error *err) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "value", 16 * 1024);
  sn_report *report = sn_report_create(&arena);
  sn_status status = report == NULL ? sn__fail(err, SN_ENOMEM, "no memory for the value") : SN_OK;
  if (status == SN_OK && json != NULL) {
    converter c = {.arena = &arena, .err = err};
    status = convert(&c, "", json, &value);
  } else if (status == SN_OK && text != NULL) {
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

sn_status sn__remote_set(const sn__remote_context *context, const char *name, const sn_value *value,
                         sn_error *err) {
  return set(context, name, value, NULL, NULL, err);
}

sn_status sn__remote_set_json(const sn__remote_context *context, const char *name, json_t *value,
                              sn_error *err) {
  return set(context, name, NULL, value, NULL, err);
}

sn_status sn__remote_set_text(const sn__remote_context *context, const char *name, const char *text,
                              sn_error *err) {
  return set(context, name, NULL, NULL, text, err);
}
