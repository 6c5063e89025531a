#include <jansson.h>

#include "base/fail.h"
#include "base/report_internal.h"
#include "msg/walk.h"
#include "msg/wire/json_value.h"
#include "msg/wire/msg_json_internal.h"
#include "sinew/msg_wire.h"

/* The room that a sequence or a text has, or gets. @param spare  elements beyond the capacity: the
   NUL */
static sn_status find_room(const sn__json_place *r, char *at, size_t count, size_t spare,
                           size_t size, sn__seq *seq) {
  if (r->how->arena == NULL) {
    *seq = sn__seq_load(at);
    return SN_OK;
  }
  *seq = (sn__seq){.capacity = count};
  seq->data = sn_arena_alloc_array(r->how->arena, count + spare, size, _Alignof(max_align_t));
  if (seq->data == NULL) {
    return sn__fail(r->how->err, SN_ENOMEM, "%s: no memory for '%s'", r->how->subject, r->name);
  }
  memcpy(at, seq, sizeof *seq);
  return SN_OK;
}

static sn_status read_text(const sn__json_place *r, const json_t *value, char *at) {
  if (!json_is_string(value)) {
    return sn__json_complain(r, value, "a text");
  }
  const size_t length = json_string_length(value);
  sn__seq text;
  const sn_status status = find_room(r, at, length, 1, 1, &text);
  if (status != SN_OK) {
    return status;
  }
  if (length > text.capacity) {
    return sn__json_complain_size(r, "bytes", length, text.capacity);
  }
  if (r->how->store) {
    memcpy(text.data, json_string_value(value), length + 1);
    sn__seq_set_count(at, length);
  }
  return SN_OK;
}

/* Bytes of all names, each with its NUL. */
static sn_status measure_names(const sn__json_place *r, const json_t *value, size_t *size) {
  sn__json_place item = *r;
  *size = 0;
  for (size_t i = 0; i < json_array_size(value); i++) {
    const json_t *name = json_array_get(value, i);
    if (!json_is_string(name)) {
      item.index = i;
      return sn__json_complain(&item, name, "a text");
    }
    *size += json_string_length(name) + 1;
  }
  return SN_OK;
}

static sn_status make_names(const sn__json_place *r, size_t count, size_t size,
                            sn_msg_names *list) {
  uint32_t *starts = SN_NEW(r->how->arena, uint32_t, count + 1);
  char *text = SN_NEW(r->how->arena, char, size + 1);
  if (starts == NULL || text == NULL) {
    return sn__fail(r->how->err, SN_ENOMEM, "%s: no memory for '%s'", r->how->subject, r->name);
  }
  *list = (sn_msg_names){.capacity = count, .starts = starts, .text = text, .text_capacity = size};
  return SN_OK;
}

static sn_status read_names(const sn__json_place *r, const json_t *value, char *at) {
  sn_msg_names *list = sn__names_at(at);
  const size_t count = json_array_size(value);
  size_t size = 0;
  sn_status status = measure_names(r, value, &size);
  if (status == SN_OK && r->how->arena != NULL) {
    status = make_names(r, count, size, list);
  }
  if (status == SN_OK && count > list->capacity) {
    status = sn__json_complain_size(r, "names", count, list->capacity);
  }
  if (status == SN_OK && size > list->text_capacity) {
    status = sn__json_complain_size(r, "bytes in its names", size, list->text_capacity);
  }
  if (status != SN_OK || !r->how->store) {
    return status;
  }
  sn_msg_names_clear(list);
  for (size_t i = 0; i < count && status == SN_OK; i++) {
    const json_t *name = json_array_get(value, i);
    status = sn_msg_names_add(list, json_string_value(name), json_string_length(name));
  }
  return status;
}

static sn_status read_struct(const sn__json_reading *how, const sn__json_place *outer,
                             const sn_msg_type *type, json_t *object, char *msg);

static sn_status read_element(const sn__json_place *r, json_t *value, char *at) {
  switch (r->field->kind) {
    case SN_MSG_TEXT:
      return read_text(r, value, at);
    case SN_MSG_NESTED:
      return json_is_object(value) ? read_struct(r->how, r, r->field->nested, value, at)
                                   : sn__json_complain(r, value, "an object");
    default:
      return sn__json_read_number(r, value, at);
  }
}

static sn_status read_elements(const sn__json_place *r, json_t *value, char *at, char *elements) {
  const size_t count = json_array_size(value);
  if (r->how->store && r->field->shape == SN_MSG_SEQUENCE) {
    sn__seq_set_count(at, count);
  }
  sn__json_place item = *r;
  sn_status status = SN_OK;
  for (size_t i = 0; i < count && status == SN_OK; i++) {
    item.index = i;
    status = read_element(&item, json_array_get(value, i), elements + i * r->field->size);
  }
  return status;
}

static sn_status read_field(const sn__json_place *r, json_t *value, char *msg) {
  const sn_msg_field *field = r->field;
  char *at = msg + field->offset;
  if (field->shape == SN_MSG_SINGLE) {
    return read_element(r, value, at);
  }
  if (!json_is_array(value)) {
    return sn__json_complain(r, value, "an array");
  }
  if (field->kind == SN_MSG_TEXT) {
    return read_names(r, value, at);
  }
  const size_t count = json_array_size(value);
  sn__seq seq = sn__field_elements(field, msg);
  if (field->shape == SN_MSG_ARRAY && count != field->count) {
    return sn__fail(r->how->err, SN_EINVAL, "%s: '%s' has %zu items, expected %zu", r->how->subject,
                    field->name, count, field->count);
  }
  sn_status status = SN_OK;
  if (field->shape == SN_MSG_SEQUENCE) {
    status = find_room(r, at, count, 0, field->size, &seq);
  }
  if (status == SN_OK && count > seq.capacity) {
    status = sn__json_complain_size(r, "items", count, seq.capacity);
  }
  return status == SN_OK ? read_elements(r, value, at, seq.data) : status;
}

static const sn_msg_field *find_field(const sn_msg_type *type, const char *name) {
  for (size_t i = 0; i < type->field_count; i++) {
    if (sn__field_is_stored(&type->fields[i]) && strcmp(type->fields[i].name, name) == 0) {
      return &type->fields[i];
    }
  }
  return NULL;
}

/* Fields that are not mentioned: zero or empty. The memory of a message that is made is zero. */
static void clear_struct(const sn__json_reading *how, const sn_msg_type *type, char *msg) {
  if (how->arena == NULL) {
    sn_msg_reset(type, msg);
    return;
  }
  const sn__seq nothing = {.data = how->nothing};
  for (size_t i = 0; i < type->field_count; i++) {
    const sn_msg_field *field = &type->fields[i];
    const sn__layout layout = sn__field_layout(field);
    if (layout == SN__LAYOUT_TEXT || layout == SN__LAYOUT_FLAT_SEQ ||
        layout == SN__LAYOUT_DEEP_SEQ) {
      memcpy(msg + field->offset, &nothing, sizeof nothing);
    } else if (layout == SN__LAYOUT_DEEP && field->shape == SN_MSG_SINGLE) {
      clear_struct(how, field->nested, msg + field->offset);
    }
  }
}

/* A field that the type does not have, or only in ROS 1. */
static sn_status skip_field(const sn__json_place *r, const sn_msg_type *type) {
  char path[SN__JSON_PATH_SIZE];
  sn__json_path(r, path);
  if (r->how->warnings == NULL) {
    return sn__fail(r->how->err, SN_EINVAL, "%s: unknown field '%s'", r->how->subject, path);
  }
  for (size_t i = 0; i < type->field_count; i++) {
    if (strcmp(type->fields[i].name, r->name) == 0) {
      return SN_OK;
    }
  }
  sn__report_add(r->how->warnings, SN_SEVERITY_WARNING, (sn_place){.file = r->how->subject}, NULL,
                 "unknown field '%s': ignored", path);
  return SN_OK;
}

static sn_status read_struct(const sn__json_reading *how, const sn__json_place *outer,
                             const sn_msg_type *type, json_t *object, char *msg) {
  if (how->store) {
    clear_struct(how, type, msg);
  }
  sn_status status = SN_OK;
  for (void *i = json_object_iter(object); i != NULL && status == SN_OK;
       i = json_object_iter_next(object, i)) {
    const char *key = json_object_iter_key(i);
    const sn__json_place r = {how, outer, key, find_field(type, key), SIZE_MAX};
    status =
        r.field == NULL ? skip_field(&r, type) : read_field(&r, json_object_iter_value(i), msg);
  }
  return status;
}

static sn_status check_root(const sn__json_reading *how, const json_t *root) {
  return json_is_object(root)
             ? SN_OK
             : sn__fail(how->err, SN_EINVAL, "%s: the JSON is %s, expected an object", how->subject,
                        sn__json_found(root));
}

sn_status sn__msg_from_json_tree(const sn_msg_type *type, json_t *root, void *msg, sn_error *err) {
  sn__json_reading how = {.subject = type->name, .err = err};
  sn_status status = check_root(&how, root);
  for (int pass = 0; pass < 2 && status == SN_OK; pass++) {
    how.store = pass == 1;
    status = read_struct(&how, NULL, type, root, msg);
  }
  return status;
}

sn_status sn__msg_make_from_json_tree(const sn_msg_type *type, json_t *root, const char *file,
                                      sn_arena *arena, sn_report *warnings, void **out,
                                      sn_error *err) {
  const sn_arena_mark mark = sn_arena_save(arena);
  const sn__json_reading how = {.subject = file,
                                .store = true,
                                .arena = arena,
                                .warnings = warnings,
                                .nothing = sn_arena_alloc(arena, 1, _Alignof(max_align_t)),
                                .err = err};
  sn_status status = check_root(&how, root);
  char *msg = sn_arena_alloc(arena, type->size, _Alignof(max_align_t));
  if (status == SN_OK && (msg == NULL || how.nothing == NULL)) {
    status = sn__fail(err, SN_ENOMEM, "%s: no memory", file);
  }
  if (status == SN_OK) {
    status = read_struct(&how, NULL, type, root, msg);
  }
  if (status != SN_OK) {
    sn_arena_restore(arena, mark);
    return status;
  }
  *out = msg;
  return SN_OK;
}

sn_status sn_msg_from_json(const sn_msg_type *type, const char *text, size_t size, void *msg,
                           sn_error *err) {
  if (size > SN_MSG_JSON_SIZE_MAX) {
    return sn__fail(err, SN_ELIMIT, "%s: %zu bytes of JSON are more than %u", type->name, size,
                    SN_MSG_JSON_SIZE_MAX);
  }
  json_error_t problem;
  json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &problem);
  if (root == NULL) {
    return sn__fail(err, SN_ESYNTAX, "%s: JSON, line %d, column %d: %s", type->name, problem.line,
                    problem.column, problem.text);
  }
  const sn_status status = sn__msg_from_json_tree(type, root, msg, err);
  json_decref(root);
  return status;
}
