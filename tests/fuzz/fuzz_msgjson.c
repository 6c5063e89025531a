/* Fuzzes messages as JSON, in both directions, and their printed form. */
#include "msg/msg_text.h"
#include "msg_target.h"
#include "sinew/msg_wire.h"

static sn_status read_json(const sn_msg_type *type, const void *bytes, size_t size, void *msg,
                           sn_error *err) {
  return sn_msg_from_json(type, bytes, size, msg, err);
}

static sn_status write_json(const sn_msg_type *type, const void *msg, void *out, size_t size,
                            size_t *written) {
  char line[256];
  SN_ASSERT(sn__msg_print(type, msg, line, sizeof line) > 0);
  *written = sn_msg_to_json(type, msg, out, size);
  if (*written < size) {
    SN_ASSERT(strlen(out) == *written);
    SN_ASSERT(!sn__text_has_control(out));
    return SN_OK;
  }
  *written += 1; /* the NUL */
  return SN_ENOSPC;
}

/* The NUL that was written is not part of the JSON. */
static sn_status read_line(const sn_msg_type *type, const void *bytes, size_t size, void *msg,
                           sn_error *err) {
  const char *text = bytes;
  const size_t length = size > 0 && text[size - 1] == '\0' ? size - 1 : size;
  return read_json(type, bytes, length, msg, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_wire(read_line, NULL, write_json, data, size);
  return 0;
}
