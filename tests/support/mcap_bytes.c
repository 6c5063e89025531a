#include "mcap_bytes.h"

#include <stdlib.h>

#include "base/fail.h"
#include "sn_test.h"

void mcap_bytes_init(mcap_bytes *bytes) {
  *bytes = (mcap_bytes){.room = SIZE_MAX};
}

void mcap_bytes_free(mcap_bytes *bytes) {
  free(bytes->data);
  bytes->data = NULL;
}

static sn_status append(void *context, const void *data, size_t size, sn_error *err) {
  mcap_bytes *bytes = context;
  const size_t room = bytes->room - bytes->size;
  const size_t part = size < room ? size : room;
  bytes->writes++;
  if (bytes->size + part > bytes->capacity) {
    bytes->capacity = 2 * (bytes->size + part);
    bytes->data = realloc(bytes->data, bytes->capacity);
    assert_non_null(bytes->data);
  }
  if (part > 0) {
    memcpy(bytes->data + bytes->size, data, part);
  }
  bytes->size += part;
  return part == size ? SN_OK : sn__fail(err, SN_EIO, "disk full");
}

sn_mcap_sink mcap_bytes_sink(mcap_bytes *bytes) {
  return (sn_mcap_sink){.write = append, .context = bytes};
}

static sn_status read_part(void *context, uint64_t offset, void *out, size_t size, sn_error *err) {
  (void)err;
  const mcap_bytes *bytes = context;
  assert_true(offset <= bytes->size && size <= bytes->size - offset);
  if (size > 0) {
    memcpy(out, bytes->data + offset, size);
  }
  return SN_OK;
}

sn_mcap_source mcap_bytes_source(mcap_bytes *bytes, size_t size) {
  return (sn_mcap_source){size, read_part, bytes};
}
