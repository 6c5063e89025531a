#include <string.h>

#include "base/fail.h"
#include "msg/wire/wire.h"
#include "sinew/msg_wire.h"

/* Identifier of plain CDR, little-endian, and two unused bytes of options (DDS Interoperability
   Wire Protocol 2.2, section 10.5). Alignment counts from the byte after it. */
static const uint8_t header[4] = {0x00, 0x01, 0x00, 0x00};

sn_status sn_cdr_write(const sn_msg_type *type, const void *msg, void *out, size_t size,
                       size_t *written) {
  const size_t room = size < sizeof header ? 0 : size - sizeof header;
  uint8_t *body = room == 0 ? NULL : (uint8_t *)out + sizeof header;
  size_t body_size = 0;
  sn_status status = sn__wire_write(SN__WIRE_CDR, type, msg, body, room, &body_size);
  *written = body_size + sizeof header;
  if (status == SN_OK && size < sizeof header) {
    status = SN_ENOSPC;
  }
  if (status == SN_OK) {
    memcpy(out, header, sizeof header);
  }
  return status;
}

static sn_status check_header(const sn_msg_type *type, const uint8_t *bytes, size_t size,
                              sn_error *err) {
  if (size < sizeof header) {
    return sn__fail(err, SN_ESYNTAX, "%s: %zu bytes are not CDR", type->name, size);
  }
  return memcmp(bytes, header, 2) == 0
             ? SN_OK
             : sn__fail(err, SN_EUNSUPPORTED,
                        "%s: CDR of kind %02x%02x, expected 0001 (plain, little-endian)",
                        type->name, (unsigned)bytes[0], (unsigned)bytes[1]);
}

sn_status sn_cdr_read(const sn_msg_type *type, const void *bytes, size_t size, void *msg,
                      sn_error *err) {
  const uint8_t *all = bytes;
  const sn_status status = check_header(type, all, size, err);
  return status == SN_OK ? sn__wire_read(SN__WIRE_CDR, type, all + sizeof header,
                                         size - sizeof header, msg, err)
                         : status;
}

sn_status sn_cdr_make(const sn_msg_type *type, const void *bytes, size_t size, sn_arena *arena,
                      void **out, sn_error *err) {
  const uint8_t *all = bytes;
  const sn_status status = check_header(type, all, size, err);
  return status == SN_OK ? sn__wire_make(SN__WIRE_CDR, type, all + sizeof header,
                                         size - sizeof header, arena, out, err)
                         : status;
}
