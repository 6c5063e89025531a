#include "msg/wire/json_value.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "msg/scalar.h"

static size_t put_path(const sn__json_place *r, char *out, size_t used) {
  if (r->outer != NULL) {
    used = put_path(r->outer, out, used);
    used += used < SN__JSON_PATH_SIZE ? (size_t)snprintf(out + used, SN__JSON_PATH_SIZE - used, ".")
                                      : 0;
  }
  used += used < SN__JSON_PATH_SIZE
              ? (size_t)snprintf(out + used, SN__JSON_PATH_SIZE - used, "%s", r->name)
              : 0;
  if (r->index != SIZE_MAX && used < SN__JSON_PATH_SIZE) {
    used += (size_t)snprintf(out + used, SN__JSON_PATH_SIZE - used, "[%zu]", r->index);
  }
  return used;
}

void sn__json_path(const sn__json_place *r, char out[SN__JSON_PATH_SIZE]) {
  put_path(r, out, 0);
}

const char *sn__json_found(const json_t *value) {
  static const char *const texts[] = {
      [JSON_OBJECT] = "an object",   [JSON_ARRAY] = "an array",     [JSON_STRING] = "a text",
      [JSON_INTEGER] = "an integer", [JSON_REAL] = "a real number", [JSON_TRUE] = "true",
      [JSON_FALSE] = "false",        [JSON_NULL] = "null"};
  return texts[json_typeof(value)];
}

sn_status sn__json_complain(const sn__json_place *r, const json_t *value, const char *expected) {
  char path[SN__JSON_PATH_SIZE];
  sn__json_path(r, path);
  return sn__fail(r->how->err, SN_EINVAL, "%s: '%s' is %s, expected %s", r->how->subject, path,
                  sn__json_found(value), expected);
}

sn_status sn__json_complain_size(const sn__json_place *r, const char *what, size_t count,
                                 size_t room) {
  char path[SN__JSON_PATH_SIZE];
  sn__json_path(r, path);
  return sn__fail(r->how->err, SN_ENOSPC, "%s: '%s' has %zu %s, there is room for %zu",
                  r->how->subject, path, count, what, room);
}

static sn_status read_integer(const sn__json_place *r, const json_t *value, int64_t min,
                              int64_t max, int64_t *out) {
  if (!json_is_integer(value)) {
    return sn__json_complain(r, value, "an integer");
  }
  const int64_t number = json_integer_value(value);
  if (number < min || number > max) {
    char path[SN__JSON_PATH_SIZE];
    sn__json_path(r, path);
    return sn__fail(r->how->err, SN_EINVAL, "%s: '%s' is %lld, expected %lld .. %lld",
                    r->how->subject, path, (long long)number, (long long)min, (long long)max);
  }
  *out = number;
  return SN_OK;
}

static sn_status read_scalar(const sn__json_place *r, const json_t *value, char *at) {
  const sn_msg_kind kind = r->field->kind;
  const size_t bits = 8 * sn__kind_size(kind);
  const bool is_signed = sn__kind_is_signed(kind);
  const int64_t max = bits == 64 ? INT64_MAX : (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1;
  int64_t number = 0;
  if (kind == SN_MSG_BOOL) {
    if (!json_is_boolean(value)) {
      return sn__json_complain(r, value, "true or false");
    }
    number = json_is_true(value);
  } else {
    const sn_status status = read_integer(r, value, is_signed ? -max - 1 : 0, max, &number);
    if (status != SN_OK) {
      return status;
    }
  }
  if (r->how->store) {
    sn__scalar_store(kind, at, (uint64_t)number);
  }
  return SN_OK;
}

static sn_status read_float(const sn__json_place *r, const json_t *value, char *at) {
  const bool may_be_null = r->how->arena == NULL;
  if (!json_is_number(value) && !(may_be_null && json_is_null(value))) {
    return sn__json_complain(r, value, may_be_null ? "a number or null" : "a number");
  }
  const double number = json_is_null(value) ? (double)NAN : json_number_value(value);
  const bool is_single = r->field->kind == SN_MSG_FLOAT32;
  if (is_single && fabs(number) > (double)FLT_MAX) {
    return sn__json_complain(r, value, "one that fits into 32 bits");
  }
  const float single = is_single ? (float)number : 0.0f;
  if (r->how->store && is_single) {
    memcpy(at, &single, sizeof single);
  } else if (r->how->store) {
    memcpy(at, &number, sizeof number);
  }
  return SN_OK;
}

/* A part of a time, by one of its names: those of ROS 2, of ROS 1 and of genpy. */
static sn_status read_time_part(const sn__json_place *r, const json_t *value,
                                const char *const names[], int64_t min, int64_t max, int64_t *out,
                                size_t *known) {
  const json_t *part = NULL;
  for (size_t i = 0; names[i] != NULL && part == NULL; i++) {
    part = json_object_get(value, names[i]);
  }
  if (part == NULL) {
    return SN_OK;
  }
  (*known)++;
  return read_integer(r, part, min, max, out);
}

static sn_status read_time(const sn__json_place *r, const json_t *value, char *at) {
  static const char *const whole[] = {"sec", "secs", NULL};
  static const char *const rest[] = {"nanosec", "nsec", "nsecs", NULL};
  if (!json_is_object(value)) {
    return sn__json_complain(r, value, "an object with sec and nanosec");
  }
  int64_t sec = 0;
  int64_t nanosec = 0;
  size_t known = 0;
  sn_status status = read_time_part(r, value, whole, INT32_MIN, UINT32_MAX, &sec, &known);
  if (status == SN_OK) {
    status = read_time_part(r, value, rest, 0, SN__NS_PER_S - 1, &nanosec, &known);
  }
  if (status == SN_OK && json_object_size(value) != known) {
    status = sn__json_complain(r, value, "one with nothing but sec and nanosec");
  }
  if (status == SN_OK && r->how->store) {
    const int64_t time_ns = sn__wire_time_join(sec, nanosec);
    memcpy(at, &time_ns, sizeof time_ns);
  }
  return status;
}

sn_status sn__json_read_number(const sn__json_place *r, const json_t *value, char *at) {
  switch (r->field->kind) {
    case SN_MSG_FLOAT32:
    case SN_MSG_FLOAT64:
      return read_float(r, value, at);
    case SN_MSG_TIME:
    case SN_MSG_DURATION:
      return read_time(r, value, at);
    default:
      return read_scalar(r, value, at);
  }
}
