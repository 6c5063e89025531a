/* Values of properties, which the system gives and takes as JSON, as values of parameters. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "remote/remote.h"
#include "ros/node/parameters.h"

/* ---- reading ---- */

static void read_reals(sn__node_answer *answer, const json_t *list, sn__parameter_value *out) {
  const size_t count = json_array_size(list);
  double *data = sn__answer_alloc(answer, count, sizeof *data);
  for (size_t i = 0; data != NULL && i < count; i++) {
    data[i] = json_number_value(json_array_get(list, i));
  }
  out->double_array_value =
      (sn_seq_f64){.data = data, .count = data == NULL ? 0 : count, .capacity = count};
}

static void read_texts(sn__node_answer *answer, const json_t *list, sn__parameter_value *out) {
  const size_t count = json_array_size(list);
  size_t text_size = 0;
  for (size_t i = 0; i < count; i++) {
    text_size += json_string_length(json_array_get(list, i)) + 1;
  }
  out->string_array_value = sn__answer_names(answer, count, text_size);
  for (size_t i = 0; i < count && !answer->is_out_of_memory; i++) {
    const json_t *item = json_array_get(list, i);
    (void)sn_msg_names_add(&out->string_array_value, json_string_value(item),
                           json_string_length(item));
  }
}

static void read_value(sn__node_answer *answer, const sn__known_parameter *parameter,
                       const char *text, const json_t *json, sn__parameter_value *out) {
  const char *plain =
      parameter->property->kind == SN_PROPERTY_TEXT ? json_string_value(json) : text;
  out->type = (uint8_t)sn__parameter_kind_of(parameter);
  out->bool_value = json_is_true(json);
  switch (out->type) {
    case SN__PARAMETER_INTEGER:
      out->integer_value = json_integer_value(json);
      break;
    case SN__PARAMETER_DOUBLE:
      out->double_value = json_number_value(json);
      break;
    case SN__PARAMETER_DOUBLE_ARRAY:
      read_reals(answer, json, out);
      break;
    case SN__PARAMETER_STRING_ARRAY:
      read_texts(answer, json, out);
      break;
    case SN__PARAMETER_STRING:
      out->string_value = sn__answer_text(answer, plain == NULL ? "" : plain);
      break;
    default:
      break;
  }
}

sn_status sn__parameter_get(sn__node_answer *answer, const sn__known_parameter *parameter,
                            sn__parameter_value *out, sn_error *err) {
  const sn__bridge *bridge = answer->bridge;
  if (parameter->property == NULL) {
    *out = (sn__parameter_value){.type = SN__PARAMETER_BOOL,
                                 .bool_value = bridge->time_source != SN__TIME_WALL};
    return SN_OK;
  }
  sn__buffer text = {.max = 0};
  sn_status status = sn__remote_get(bridge->component.system, parameter->name, &text, err);
  if (status == SN_OK && sn__buffer_reserve(&text, 1) == NULL) {
    status = sn__fail(err, SN_ENOMEM, "out of memory for '%.100s'", parameter->name);
  }
  if (status == SN_OK) {
    text.data[text.used] = '\0';
    json_t *json = json_loadb(text.data, text.used, JSON_DECODE_ANY, NULL);
    read_value(answer, parameter, text.data, json, out);
    json_decref(json);
  }
  sn__buffer_free(&text);
  return status;
}

/* ---- setting ---- */

static json_t *list_of_reals(const sn_seq_f64 *reals) {
  json_t *list = json_array();
  for (size_t i = 0; i < reals->count; i++) {
    if (json_array_append_new(list, json_real(reals->data[i])) !=
        0) { /* not finite, or no memory */
      json_decref(list);
      return NULL;
    }
  }
  return list;
}

static json_t *list_of_texts(const sn_msg_names *texts) {
  json_t *list = json_array();
  for (size_t i = 0; i < texts->count; i++) {
    if (json_array_append_new(list, json_string(sn_msg_names_at(texts, i))) != 0) {
      json_decref(list);
      return NULL;
    }
  }
  return list;
}

/* @return NULL: a number is not finite, a text is not UTF-8, or no memory */
static json_t *json_of(const sn__parameter_value *value) {
  switch (value->type) {
    case SN__PARAMETER_BOOL:
      return json_boolean(value->bool_value);
    case SN__PARAMETER_INTEGER:
      return json_integer(value->integer_value);
    case SN__PARAMETER_DOUBLE:
      return json_real(value->double_value);
    case SN__PARAMETER_STRING:
      return json_string(value->string_value.data);
    case SN__PARAMETER_DOUBLE_ARRAY:
      return list_of_reals(&value->double_array_value);
    case SN__PARAMETER_STRING_ARRAY:
      return list_of_texts(&value->string_array_value);
    default:
      return NULL;
  }
}

static sn_status check_type(const sn__known_parameter *parameter, const sn__parameter_value *value,
                            sn_error *err) {
  const unsigned expected = sn__parameter_kind_of(parameter);
  if (value->type == expected) {
    return SN_OK;
  }
  const bool lacks_point =
      (expected == SN__PARAMETER_DOUBLE && value->type == SN__PARAMETER_INTEGER) ||
      (expected == SN__PARAMETER_DOUBLE_ARRAY && value->type == SN__PARAMETER_INTEGER_ARRAY);
  return sn__fail(err, SN_EINVAL, "'%.100s' is of type %s, got %s%s", parameter->name,
                  sn__parameter_kind_text(expected), sn__parameter_kind_text(value->type),
                  lacks_point ? ": write the number with a decimal point" : "");
}

sn_status sn__parameter_set(const sn__bridge *bridge, const sn__known_parameter *parameter,
                            const sn__parameter_value *value, sn_error *err) {
  const sn__remote_context context = {.system = bridge->component.system, .is_network = true};
  if (parameter->property == NULL) {
    return sn__fail(err, SN_EBUSY,
                    SN__USE_SIM_TIME " is read-only: set the property " SN__USE_SIM_TIME
                                     " of '%s' in the deployment",
                    bridge->component.name);
  }
  sn_status status = check_type(parameter, value, err);
  if (status != SN_OK) {
    return status;
  }
  const sn_property_kind kind = parameter->property->kind;
  if (kind == SN_PROPERTY_TREE || kind == SN_PROPERTY_BAGS) {
    return sn__remote_set_text(&context, parameter->name, value->string_value.data, err);
  }
  json_t *json = json_of(value);
  if (json == NULL) {
    return sn__fail(err, SN_EINVAL, "'%.100s': expected finite numbers and texts in UTF-8",
                    parameter->name);
  }
  status = sn__remote_set_json(&context, parameter->name, json, err);
  json_decref(json);
  return status;
}
