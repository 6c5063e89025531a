#include "msg/wire/msg_ros1.h"

#include "msg/wire/digest.h"
#include "msg/wire/schema.h"
#include "msg/wire/wire.h"
#include "sinew/fault.h"

sn_status sn__ros1_write(const sn_msg_type *type, const void *msg, void *out, size_t size,
                         size_t *written) {
  return sn__wire_write(SN__WIRE_ROS1, type, msg, out, size, written);
}

sn_status sn__ros1_read(const sn_msg_type *type, const void *bytes, size_t size, void *msg,
                        sn_error *err) {
  return sn__wire_read(SN__WIRE_ROS1, type, bytes, size, msg, err);
}

sn_status sn__ros1_make(const sn_msg_type *type, const void *bytes, size_t size, sn_arena *arena,
                        void **out, sn_error *err) {
  return sn__wire_make(SN__WIRE_ROS1, type, bytes, size, arena, out, err);
}

/* The MD5 sum is that of the normalised definition: constants first, one blank, no comments, and
   instead of a nested type, without brackets, the sum of that type. */
static void add_definition(sn__digest *md5, const sn_msg_type *type) {
  const char *separator = "";
  for (size_t i = 0; i < type->constant_count + type->field_count; i++) {
    char line[256];
    sn__sink sink = {.out = line, .size = sizeof line};
    sn__sink_text(&sink, separator);
    separator = "\n";
    if (i < type->constant_count) {
      const sn_msg_constant *constant = &type->constants[i];
      sn__sink_text(&sink, sn__kind_word(constant->kind, true));
      sn__sink_text(&sink, " ");
      sn__sink_text(&sink, constant->name);
      sn__sink_text(&sink, "=");
      sn__sink_signed(&sink, constant->value);
    } else {
      const sn_msg_field *field = &type->fields[i - type->constant_count];
      if (field->kind == SN_MSG_NESTED) {
        char nested[SN_ROS1_MD5_SIZE];
        sn__ros1_md5(field->nested, nested);
        sn__sink_text(&sink, nested);
      } else {
        sn__sink_text(&sink, sn__field_word(field, true));
        sn__put_shape(&sink, field);
      }
      sn__sink_text(&sink, " ");
      sn__sink_text(&sink, field->name);
    }
    SN_ASSERT(sink.used <= sizeof line);
    sn__digest_add(md5, line, sink.used);
  }
}

void sn__ros1_md5(const sn_msg_type *type, char out[SN_ROS1_MD5_SIZE]) {
  sn__digest md5;
  sn__digest_init(&md5, &sn__md5);
  add_definition(&md5, type);
  sn__digest_end(&md5, out);
}

/* The definitions are concatenated. */
void sn__ros1_service_md5(const sn_msg_type *request, const sn_msg_type *response,
                          char out[SN_ROS1_MD5_SIZE]) {
  sn__digest md5;
  sn__digest_init(&md5, &sn__md5);
  if (request != NULL) {
    add_definition(&md5, request);
  }
  if (response != NULL) {
    add_definition(&md5, response);
  }
  sn__digest_end(&md5, out);
}
