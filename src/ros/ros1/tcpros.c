#include "ros/ros1/tcpros.h"

#include <string.h>

#include "base/fail.h"

sn_status sn__tcpros_frame(const char *bytes, size_t size, size_t size_max, size_t *used,
                           sn_error *err) {
  if (size < 4) {
    return SN_EBUSY;
  }
  const size_t length = sn__u32_at(bytes);
  if (length > size_max) {
    return sn__fail(err, SN_ELIMIT, "TCPROS: length of %zu bytes, at most %zu are allowed", length,
                    size_max);
  }
  if (size - 4 < length) {
    return SN_EBUSY;
  }
  *used = 4 + length;
  return SN_OK;
}

sn_status sn__tcpros_parse(const char *bytes, size_t size, sn__tcpros_header *out, sn_error *err) {
  sn__tcpros_header header = {.count = 0};
  for (size_t at = 0; at < size;) {
    if (size - at < 4 || sn__u32_at(bytes + at) > size - at - 4) {
      return sn__fail(err, SN_ESYNTAX, "TCPROS: truncated header field");
    }
    const size_t length = sn__u32_at(bytes + at);
    const char *field = bytes + at + 4;
    const char *sign = length == 0 ? NULL : memchr(field, '=', length);
    if (sign == NULL || sign == field) {
      return sn__fail(err, SN_ESYNTAX, "TCPROS: invalid header field, expected name=value");
    }
    if (header.count == SN__TCPROS_FIELDS_MAX) {
      return sn__fail(err, SN_ELIMIT, "TCPROS: more than %d fields in a header",
                      SN__TCPROS_FIELDS_MAX);
    }
    const size_t name_size = (size_t)(sign - field);
    header.fields[header.count++] =
        (sn__tcpros_field){field, sign + 1, name_size, length - name_size - 1};
    at += 4 + length;
  }
  *out = header;
  return SN_OK;
}

bool sn__tcpros_get(const sn__tcpros_header *header, const char *name, char *out, size_t size) {
  *out = '\0';
  for (size_t i = 0; i < header->count; i++) {
    const sn__tcpros_field *f = &header->fields[i];
    if (f->name_size == strlen(name) && memcmp(f->name, name, f->name_size) == 0) {
      if (f->value_size >= size ||
          (f->value_size > 0 && memchr(f->value, '\0', f->value_size) != NULL)) {
        return false;
      }
      memcpy(out, f->value, f->value_size);
      out[f->value_size] = '\0';
      return true;
    }
  }
  return false;
}

size_t sn__tcpros_begin(sn__bytes *out) {
  const size_t start = out->used;
  sn__bytes_u32(out, 0);
  return start;
}

void sn__tcpros_put(sn__bytes *out, const char *name, const char *value) {
  const size_t name_size = strlen(name);
  const size_t value_size = strlen(value);
  sn__bytes_u32(out, (uint32_t)(name_size + 1 + value_size));
  sn__bytes_put(out, name, name_size);
  sn__bytes_put(out, "=", 1);
  sn__bytes_put(out, value, value_size);
}

void sn__tcpros_end(sn__bytes *out, size_t start) {
  if (!out->failed) {
    sn__u32_set(out->data + start, (uint32_t)(out->used - start - 4));
  }
}
