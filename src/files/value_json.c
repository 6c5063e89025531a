#include "files/value_json.h"

#include <jansson.h>
#include <string.h>

#include "base/report_internal.h"
#include "files/value_tree.h"

typedef struct converter {
  sn__value_builder builder;
  sn_place place; /* of all values: jansson keeps none */
} converter;

static sn_status convert(converter *c, const char *name, json_t *json);

static sn_status convert_list(converter *c, const json_t *json) {
  sn_status status = SN_OK;
  for (size_t i = 0; i < json_array_size(json) && status == SN_OK; i++) {
    status = convert(c, "", json_array_get(json, i));
  }
  return status;
}

static sn_status convert_bag(converter *c, json_t *json) {
  sn_status status = SN_OK;
  for (void *i = json_object_iter(json); i != NULL && status == SN_OK;
       i = json_object_iter_next(json, i)) {
    const char *key = json_object_iter_key(i);
    if (*key == '\0') {
      sn__report_add(c->builder.report, SN_SEVERITY_ERROR, c->place, NULL,
                     "a key must not be empty");
      return SN_ESYNTAX;
    }
    status = convert(c, key, json_object_iter_value(i));
  }
  return status;
}

/* Numbers and words become the texts that YAML would read. */
static sn_status convert_scalar(converter *c, const char *name, const json_t *json) {
  char text[64];
  const char *scalar = json_string_value(json);
  if (scalar == NULL) {
    const size_t length =
        json_dumpb(json, text, sizeof text - 1, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    text[length < sizeof text ? length : 0] = '\0';
    scalar = text;
  }
  return sn__value_text(&c->builder, name, scalar, c->place) == NULL ? SN_ENOMEM : SN_OK;
}

/* As deep as the value is nested; the builder bounds the depth. */
static sn_status convert(converter *c, const char *name, json_t *json) {
  const bool is_list = json_is_array(json);
  if (!is_list && !json_is_object(json)) {
    return convert_scalar(c, name, json);
  }
  if (!sn__value_open(&c->builder, name, is_list ? SN_VALUE_LIST : SN_VALUE_BAG, c->place)) {
    return c->builder.is_out_of_memory ? SN_ENOMEM : SN_ELIMIT;
  }
  const sn_status status = is_list ? convert_list(c, json) : convert_bag(c, json);
  if (status != SN_OK) {
    return status;
  }
  return sn__value_close(&c->builder) ? SN_OK : SN_ENOMEM;
}

sn_status sn__value_from_json(sn_arena *arena, json_t *json, const char *file, sn_report *report,
                              const sn_value **out) {
  const size_t errors_before = sn_report_error_count(report);
  const char *file_copy = sn_arena_text(arena, file, strlen(file));
  if (file_copy == NULL) {
    return SN_ENOMEM;
  }
  sn_arena scratch;
  sn_arena_init_growing(&scratch, "json scratch", 16 * 1024);
  converter c = {.place = {.file = file_copy, .line = 1, .column = 1}};
  sn__value_builder_init(&c.builder, arena, &scratch, report);
  sn_status status = convert(&c, "", json);
  if (status == SN_OK && c.builder.is_out_of_memory) {
    status = SN_ENOMEM;
  }
  if (status == SN_OK && sn_report_error_count(report) > errors_before) {
    status = SN_ESYNTAX; /* a control character, for instance */
  }
  if (status == SN_OK) {
    *out = c.builder.root;
  }
  sn_arena_release(&scratch);
  return status;
}
