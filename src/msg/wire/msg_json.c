#include <float.h>
#include <jansson.h>
#include <math.h>

#include "base/fail.h"
#include "msg/scalar.h"
#include "msg/walk.h"
#include "msg/wire/msg_json_internal.h"
#include "sinew/msg_wire.h"

/* Everything is read twice: the first pass checks, the second stores, so that a message is never
   partly read. */
typedef struct reader {
  const sn_msg_type *type; /* of the struct that is being read */
  const sn_msg_field *field;
  bool store;
  sn_error *err;
} reader;

static const char *found_text(const json_t *value) {
  static const char *const texts[] = {
      [JSON_OBJECT] = "an object",   [JSON_ARRAY] = "an array",     [JSON_STRING] = "a text",
      [JSON_INTEGER] = "an integer", [JSON_REAL] = "a real number", [JSON_TRUE] = "true",
      [JSON_FALSE] = "false",        [JSON_NULL] = "null"};
  return texts[json_typeof(value)];
}

static sn_status complain(const reader *r, const json_t *value, const char *expected) {
  return sn__fail(r->err, SN_EINVAL, "%s: '%s' is %s, expected %s", r->type->name, r->field->name,
                  found_text(value), expected);
}

static sn_status complain_size(const reader *r, const char *what, size_t count, size_t room) {
  return sn__fail(r->err, SN_ENOSPC, "%s: '%s' has %zu %s, there is room for %zu", r->type->name,
                  r->field->name, count, what, room);
}

static sn_status read_integer(const reader *r, const json_t *value, int64_t min, int64_t max,
                              int64_t *out) {
  if (!json_is_integer(value)) {
    return complain(r, value, "an integer");
  }
  const int64_t number = json_integer_value(value);
  if (number < min || number > max) {
    return sn__fail(r->err, SN_EINVAL, "%s: '%s' is %lld, expected %lld .. %lld", r->type->name,
                    r->field->name, (long long)number, (long long)min, (long long)max);
  }
  *out = number;
  return SN_OK;
}

static sn_status read_scalar(const reader *r, const json_t *value, char *at) {
  const sn_msg_kind kind = r->field->kind;
  const size_t bits = 8 * sn__kind_size(kind);
  const bool is_signed = sn__kind_is_signed(kind);
  const int64_t max = bits == 64 ? INT64_MAX : (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1;
  int64_t number = 0;
  if (kind == SN_MSG_BOOL) {
    if (!json_is_boolean(value)) {
      return complain(r, value, "true or false");
    }
    number = json_is_true(value);
  } else {
    const sn_status status = read_integer(r, value, is_signed ? -max - 1 : 0, max, &number);
    if (status != SN_OK) {
      return status;
    }
  }
  if (r->store) {
    sn__scalar_store(kind, at, (uint64_t)number);
  }
  return SN_OK;
}

static sn_status read_float(const reader *r, const json_t *value, char *at) {
  if (!json_is_number(value) && !json_is_null(value)) {
    return complain(r, value, "a number or null");
  }
  const double number = json_is_null(value) ? (double)NAN : json_number_value(value);
  const bool is_single = r->field->kind == SN_MSG_FLOAT32;
  if (is_single && fabs(number) > (double)FLT_MAX) {
    return sn__fail(r->err, SN_EINVAL, "%s: '%s' is too large for 32 bits", r->type->name,
                    r->field->name);
  }
  const float single = is_single ? (float)number : 0.0f;
  if (r->store && is_single) {
    memcpy(at, &single, sizeof single);
  } else if (r->store) {
    memcpy(at, &number, sizeof number);
  }
  return SN_OK;
}

static sn_status read_time(const reader *r, const json_t *value, char *at) {
  if (!json_is_object(value)) {
    return complain(r, value, "an object with sec and nanosec");
  }
  int64_t sec = 0;
  int64_t nanosec = 0;
  size_t known = 0;
  const json_t *part = json_object_get(value, "sec");
  if (part != NULL) {
    const sn_status status = read_integer(r, part, INT32_MIN, UINT32_MAX, &sec);
    if (status != SN_OK) {
      return status;
    }
    known++;
  }
  part = json_object_get(value, "nanosec");
  part = part == NULL ? json_object_get(value, "nsec") : part;
  if (part != NULL) {
    const sn_status status = read_integer(r, part, 0, SN__NS_PER_S - 1, &nanosec);
    if (status != SN_OK) {
      return status;
    }
    known++;
  }
  if (json_object_size(value) != known) {
    return complain(r, value, "one with nothing but sec and nanosec");
  }
  if (r->store) {
    const int64_t time_ns = sn__wire_time_join(sec, nanosec);
    memcpy(at, &time_ns, sizeof time_ns);
  }
  return SN_OK;
}

static sn_status read_text(const reader *r, const json_t *value, char *at) {
  if (!json_is_string(value)) {
    return complain(r, value, "a text");
  }
  const sn__seq text = sn__seq_load(at);
  const size_t length = json_string_length(value);
  if (length > text.capacity) {
    return complain_size(r, "bytes", length, text.capacity);
  }
  if (r->store) {
    memcpy(text.data, json_string_value(value), length + 1);
    sn__seq_set_count(at, length);
  }
  return SN_OK;
}

static sn_status read_names(const reader *r, const json_t *value, char *at) {
  sn_msg_names *list = sn__names_at(at);
  const size_t count = json_array_size(value);
  if (count > list->capacity) {
    return complain_size(r, "names", count, list->capacity);
  }
  if (r->store) {
    sn_msg_names_clear(list);
  }
  size_t text_count = 0;
  for (size_t i = 0; i < count; i++) {
    const json_t *name = json_array_get(value, i);
    if (!json_is_string(name)) {
      return complain(r, name, "texts only");
    }
    text_count += json_string_length(name) + 1;
    if (text_count > list->text_capacity) {
      return complain_size(r, "bytes or more in its names", text_count, list->text_capacity);
    }
    if (r->store) {
      const sn_status status =
          sn_msg_names_add(list, json_string_value(name), json_string_length(name));
      if (status != SN_OK) {
        return sn__fail(r->err, status, "%s: '%s' is full", r->type->name, r->field->name);
      }
    }
  }
  return SN_OK;
}

static sn_status read_struct(const reader *parent, const sn_msg_type *type, json_t *object,
                             char *msg);

static sn_status read_element(const reader *r, json_t *value, char *at) {
  switch (r->field->kind) {
    case SN_MSG_FLOAT32:
    case SN_MSG_FLOAT64:
      return read_float(r, value, at);
    case SN_MSG_TIME:
    case SN_MSG_DURATION:
      return read_time(r, value, at);
    case SN_MSG_TEXT:
      return read_text(r, value, at);
    case SN_MSG_NESTED:
      return json_is_object(value) ? read_struct(r, r->field->nested, value, at)
                                   : complain(r, value, "an object");
    default:
      return read_scalar(r, value, at);
  }
}

static sn_status read_field(const reader *r, json_t *value, char *msg) {
  const sn_msg_field *field = r->field;
  char *at = msg + field->offset;
  if (field->shape == SN_MSG_SINGLE) {
    return read_element(r, value, at);
  }
  if (!json_is_array(value)) {
    return complain(r, value, "an array");
  }
  if (field->kind == SN_MSG_TEXT) {
    return read_names(r, value, at);
  }
  const size_t count = json_array_size(value);
  const sn__seq seq = sn__field_elements(field, msg);
  if (field->shape == SN_MSG_ARRAY && count != field->count) {
    return sn__fail(r->err, SN_EINVAL, "%s: '%s' has %zu items, expected %zu", r->type->name,
                    field->name, count, field->count);
  }
  if (count > seq.capacity) {
    return complain_size(r, "items", count, seq.capacity);
  }
  if (r->store && field->shape == SN_MSG_SEQUENCE) {
    sn__seq_set_count(at, count);
  }
  sn_status status = SN_OK;
  for (size_t i = 0; i < count && status == SN_OK; i++) {
    status = read_element(r, json_array_get(value, i), (char *)seq.data + i * field->size);
  }
  return status;
}

static const sn_msg_field *find_field(const sn_msg_type *type, const char *name) {
  for (size_t i = 0; i < type->field_count; i++) {
    if (sn__field_is_stored(&type->fields[i]) && strcmp(type->fields[i].name, name) == 0) {
      return &type->fields[i];
    }
  }
  return NULL;
}

static sn_status read_struct(const reader *parent, const sn_msg_type *type, json_t *object,
                             char *msg) {
  if (parent->store) {
    sn_msg_reset(type, msg);
  }
  sn_status status = SN_OK;
  for (void *i = json_object_iter(object); i != NULL && status == SN_OK;
       i = json_object_iter_next(object, i)) {
    const char *key = json_object_iter_key(i);
    const reader r = {type, find_field(type, key), parent->store, parent->err};
    status = r.field == NULL ? sn__fail(r.err, SN_EINVAL, "%s: unknown field '%s'", type->name, key)
                             : read_field(&r, json_object_iter_value(i), msg);
  }
  return status;
}

sn_status sn__msg_from_json_tree(const sn_msg_type *type, json_t *root, void *msg, sn_error *err) {
  reader r = {.type = type, .err = err};
  if (!json_is_object(root)) {
    return sn__fail(err, SN_EINVAL, "%s: the JSON is %s, expected an object", type->name,
                    found_text(root));
  }
  sn_status status = SN_OK;
  for (int pass = 0; pass < 2 && status == SN_OK; pass++) {
    r.store = pass == 1;
    status = read_struct(&r, type, root, msg);
  }
  return status;
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
