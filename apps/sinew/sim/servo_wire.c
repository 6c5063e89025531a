#include "sim/servo_wire.h"

#include <string.h>

/* Bit by bit, as in a shift register. */
static unsigned crc16(const uint8_t *bytes, size_t count) {
  unsigned crc = 0;
  for (size_t bit = 0; bit < 8 * count; bit++) {
    const unsigned in = (unsigned)bytes[bit / 8] >> (7 - bit % 8) & 1u;
    const unsigned out = crc >> 15 & 1u;
    crc = (crc << 1 & 0xFFFFu) ^ (in != out ? 0x8005u : 0u);
  }
  return crc;
}

static bool is_mark(const uint8_t *bytes) {
  return bytes[0] == 0xFF && bytes[1] == 0xFF && bytes[2] == 0xFD;
}

static bool read_dynamixel(const uint8_t *bytes, size_t count, size_t *used, wire_request *r) {
  size_t at = 0;
  for (; at + 10 <= count; at++) {
    if (!is_mark(bytes + at) || bytes[at + 3] != 0) {
      continue;
    }
    const size_t length = bytes[at + 5] + 256u * bytes[at + 6];
    if (length < 3 || length > 512) {
      continue;
    }
    if (at + 7 + length > count) {
      break;
    }
    const uint8_t *end = bytes + at + 7 + length;
    if (crc16(bytes + at, 5 + length) != end[-2] + 256u * end[-1]) {
      continue;
    }
    r->id = bytes[at + 4];
    r->instruction = bytes[at + 7];
    r->count = 0;
    for (const uint8_t *p = bytes + at + 8; p < end - 2; p++) {
      const bool is_stuffing = *p == 0xFD && p - 3 >= bytes + at + 7 && is_mark(p - 3);
      if (!is_stuffing) {
        r->params[r->count++] = *p;
      }
    }
    *used = at + 7 + length;
    return true;
  }
  *used = at;
  return false;
}

static bool read_feetech(const uint8_t *bytes, size_t count, size_t *used, wire_request *r) {
  size_t at = 0;
  for (; at + 6 <= count; at++) {
    const uint8_t *p = bytes + at;
    if (p[0] != 0xFF || p[1] != 0xFF || p[2] == 0xFF || p[3] < 2) {
      continue;
    }
    if (at + 4u + p[3] > count) {
      break;
    }
    uint8_t sum = 0xFF; /* all bytes with their checksum add up to this */
    for (size_t i = 2; i < 4u + p[3]; i++) {
      sum = (uint8_t)(sum - p[i]);
    }
    if (sum != 0) {
      continue;
    }
    r->id = p[2];
    r->instruction = p[4];
    r->count = p[3] - 2u;
    memcpy(r->params, p + 5, r->count);
    *used = at + 4u + p[3];
    return true;
  }
  *used = at;
  return false;
}

static uint8_t parity(const uint8_t *p, size_t size) {
  uint8_t sum = 0;
  for (size_t i = 2; i < size; i++) {
    sum = (uint8_t)(sum ^ (i == 5 || i == 6 ? 0 : p[i]));
  }
  return sum & 0xFE;
}

static bool read_herkulex(const uint8_t *bytes, size_t count, size_t *used, wire_request *r) {
  size_t at = 0;
  for (; at + 7 <= count; at++) {
    const uint8_t *p = bytes + at;
    if (p[0] != 0xFF || p[1] != 0xFF || p[2] < 7 || p[2] > 223) {
      continue;
    }
    if (at + p[2] > count) {
      break;
    }
    if (p[5] != parity(p, p[2]) || (p[5] ^ p[6]) != 0xFE) {
      continue;
    }
    r->id = p[3];
    r->instruction = p[4];
    r->count = p[2] - 7u;
    memcpy(r->params, p + 7, r->count);
    *used = at + p[2];
    return true;
  }
  *used = at;
  return false;
}

bool wire_read(wire_family family, const uint8_t *bytes, size_t count, size_t *used,
               wire_request *request) {
  return (family == WIRE_DYNAMIXEL ? read_dynamixel
          : family == WIRE_FEETECH ? read_feetech
                                   : read_herkulex)(bytes, count, used, request);
}

static size_t write_dynamixel(uint8_t id, uint8_t error, const uint8_t *params, size_t count,
                              uint8_t *out) {
  const uint8_t head[] = {0xFF, 0xFF, 0xFD, 0x00, id, 0, 0, 0x55, error};
  memcpy(out, head, sizeof head);
  size_t used = sizeof head;
  for (size_t i = 0; i < count; i++) {
    out[used++] = params[i];
    if (used >= 10 && is_mark(out + used - 3) && used - 3 >= 7) {
      out[used++] = 0xFD;
    }
  }
  out[5] = (uint8_t)((used - 7 + 2) % 256);
  out[6] = (uint8_t)((used - 7 + 2) / 256);
  const unsigned crc = crc16(out, used);
  out[used++] = (uint8_t)(crc % 256);
  out[used++] = (uint8_t)(crc / 256);
  return used;
}

/* Never read beyond the bytes that arrived. */
static void copy(uint8_t *out, const uint8_t *params, size_t count) {
  if (count > 0) {
    memcpy(out, params, count);
  }
}

size_t wire_write(wire_family family, uint8_t id, uint8_t instruction, uint8_t error,
                  uint8_t detail, const uint8_t *params, size_t count, uint8_t *out) {
  if (family == WIRE_DYNAMIXEL) {
    return write_dynamixel(id, error, params, count, out);
  }
  out[0] = out[1] = 0xFF;
  if (family == WIRE_FEETECH) {
    out[2] = id;
    out[3] = (uint8_t)(count + 2);
    out[4] = error;
    copy(out + 5, params, count);
    uint8_t sum = 0;
    for (size_t i = 2; i < 5 + count; i++) {
      sum = (uint8_t)(sum + out[i]);
    }
    out[5 + count] = 0xFF ^ sum;
    return 6 + count;
  }
  const size_t size = 9 + count;
  out[2] = (uint8_t)size;
  out[3] = id;
  out[4] = (uint8_t)(instruction + 0x40);
  copy(out + 7, params, count);
  out[7 + count] = error;
  out[8 + count] = detail;
  out[5] = parity(out, size);
  out[6] = (uint8_t)(0xFE ^ out[5]);
  return size;
}

size_t wire_write_parts(size_t count, size_t size, uint8_t *out) {
  const size_t length = 1 + count * (1 + 1 + size + 2); /* error, id, data, CRC */
  const uint8_t head[] = {
      0xFF, 0xFF, 0xFD, 0x00, 0xFE, (uint8_t)(length % 256), (uint8_t)(length / 256), 0x55};
  memcpy(out, head, sizeof head);
  return sizeof head;
}

size_t wire_write_part(uint8_t id, uint8_t error, const uint8_t *data, size_t size, uint8_t *packet,
                       size_t used) {
  uint8_t *part = packet + used;
  part[0] = error;
  part[1] = id;
  memcpy(part + 2, data, size);
  const unsigned crc = crc16(packet, used + 2 + size);
  part[2 + size] = (uint8_t)(crc % 256);
  part[3 + size] = (uint8_t)(crc / 256);
  return 4 + size;
}
