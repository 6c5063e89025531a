/* Writes movements. */
#include <stdlib.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "files/file_replace.h"
#include "movements/movement.h"
#include "msg/wire/msg_json_internal.h"

#define TEXT_MAX ((size_t)256 << 20)

static void put_line(sn__buffer *out, size_t depth) {
  sn__buffer_append(out, "\n", 1);
  for (size_t i = 0; i < depth; i++) {
    sn__buffer_append(out, "    ", 4);
  }
}

/* One value a line, as the files of the original have it. */
static void put_indented(sn__buffer *out, const char *json, size_t length) {
  size_t depth = 0;
  bool is_text = false;
  for (size_t i = 0; i < length; i++) {
    const char c = json[i];
    const bool is_empty = i > 0 && (json[i - 1] == '{' || json[i - 1] == '[');
    if (!is_text && (c == '}' || c == ']')) {
      depth--;
      if (!is_empty) {
        put_line(out, depth);
      }
    } else if (!is_text && is_empty) {
      put_line(out, depth);
    }
    sn__buffer_append(out, &c, 1);
    if (is_text && c == '\\') {
      sn__buffer_append(out, &json[++i], 1);
    } else if (c == '"') {
      is_text = !is_text;
    } else if (!is_text && (c == '{' || c == '[')) {
      depth++;
    } else if (!is_text && c == ',') {
      put_line(out, depth);
    } else if (!is_text && c == ':') {
      sn__buffer_append(out, " ", 1);
    }
  }
  sn__buffer_append(out, "\n", 1);
}

void sn__movement_write(const sn__movement *movement, sn__buffer *out) {
  const sn_msg_type *type = sn__movement_type(movement->kind);
  const size_t length = sn__msg_to_json_ros1(type, movement->msg, NULL, 0);
  char *json = length < TEXT_MAX ? malloc(length + 1) : NULL;
  if (json == NULL) {
    out->failed = true;
    return;
  }
  sn__msg_to_json_ros1(type, movement->msg, json, length + 1);
  put_indented(out, json, length);
  free(json);
}

sn_status sn__movement_save(const char *path, const sn__movement *movement, sn_error *err) {
  if (!sn_msg_is_finite(sn__movement_type(movement->kind), movement->msg)) {
    return sn__fail(err, SN_EINVAL, "%s: cannot save: a number is not finite", path);
  }
  sn__buffer text = {.max = TEXT_MAX};
  sn__movement_write(movement, &text);
  const sn_status status = text.failed
                               ? sn__fail(err, SN_ENOMEM, "%s: cannot save: no memory", path)
                               : sn__file_replace(path, text.data, text.used, err);
  sn__buffer_free(&text);
  return status;
}
