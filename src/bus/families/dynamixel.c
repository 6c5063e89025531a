/* Dynamixel Protocol 2.0, after the maker's e-manual, "DYNAMIXEL Protocol 2.0":

       FF FF FD 00  id  length(2)  instruction  parameters …  crc(2)

   The length counts what follows it. If the bytes FF FF FD occur between instruction and CRC,
   another FD is inserted after them, so that a header occurs nowhere else. */
#include <string.h>

#include "bus/families/bus_protocol.h"

enum {
  HEADER_SIZE = 4,
  LENGTH_AT = 5,
  INSTRUCTION_AT = 7,
  ERROR_AT = 8,
  STATUS = 0x55,
  ALERT = 0x80,
  STATUS_SIZE = 11, /* without data */
  PARTS_HEAD = 8,
  PART_SIZE = 4 /* error, id and CRC */
};

static const uint8_t header[HEADER_SIZE] = {0xFF, 0xFF, 0xFD, 0x00};

/* CRC-16 with x^16 + x^15 + x^2 + 1, from 0, highest bit first; four bits at a time. */
static uint16_t crc_of(const uint8_t *bytes, size_t count) {
  static const uint16_t table[16] = {0x0000, 0x8005, 0x800F, 0x000A, 0x801B, 0x001E,
                                     0x0014, 0x8011, 0x8033, 0x0036, 0x003C, 0x8039,
                                     0x0028, 0x802D, 0x8027, 0x0022};
  uint16_t crc = 0;
  for (size_t i = 0; i < count; i++) {
    crc = (uint16_t)(crc << 4 ^ table[(crc >> 12 ^ bytes[i] >> 4) & 15]);
    crc = (uint16_t)(crc << 4 ^ table[(crc >> 12 ^ bytes[i]) & 15]);
  }
  return crc;
}

/* A packet under construction; bytes are stuffed as they are added. */
typedef struct writer {
  uint8_t *out;
  size_t size, used;
  bool is_full;
} writer;

static void put(writer *w, unsigned byte) {
  const bool follows_header = w->used >= INSTRUCTION_AT + 3u && w->out[w->used - 1] == 0xFD &&
                              w->out[w->used - 2] == 0xFF && w->out[w->used - 3] == 0xFF;
  const size_t need = follows_header ? 2 : 1;
  if (w->size - w->used < need) {
    w->is_full = true;
    return;
  }
  if (follows_header) {
    w->out[w->used++] = 0xFD;
  }
  w->out[w->used++] = (uint8_t)byte;
}

static void put_word(writer *w, unsigned word) {
  put(w, word & 0xFF);
  put(w, word >> 8);
}

static void put_registers(writer *w, const sn_bus_item *item) {
  put_word(w, item->address);
  put_word(w, item->size);
}

static const uint8_t *put_data(writer *w, const uint8_t *data, size_t count) {
  for (size_t i = 0; i < count; i++) {
    put(w, data[i]);
  }
  return data + count;
}

static void put_items(writer *w, const sn_bus_request *request) {
  const bool is_bulk = request->kind == SN_BUS_BULK_READ || request->kind == SN_BUS_BULK_WRITE;
  const bool is_write = request->kind == SN_BUS_SYNC_WRITE || request->kind == SN_BUS_BULK_WRITE;
  const uint8_t *data = request->data;
  if (!is_bulk) {
    put_registers(w, &request->items[0]);
  }
  for (size_t i = 0; i < request->count; i++) {
    put(w, request->items[i].id);
    if (is_bulk) {
      put_registers(w, &request->items[i]);
    }
    if (is_write) {
      data = put_data(w, data, request->items[i].size);
    }
  }
}

static size_t build(const sn_bus_request *request, uint8_t *out, size_t size) {
  static const uint8_t instructions[] = {
      [SN_BUS_PING] = 0x01,      [SN_BUS_READ] = 0x02,           [SN_BUS_WRITE] = 0x03,
      [SN_BUS_SYNC_READ] = 0x82, [SN_BUS_FAST_SYNC_READ] = 0x8A, [SN_BUS_SYNC_WRITE] = 0x83,
      [SN_BUS_BULK_READ] = 0x92, [SN_BUS_BULK_WRITE] = 0x93,     [SN_BUS_REBOOT] = 0x08};
  if (!sn__bus_request_is_valid(&sn_bus_dynamixel, request) || size < STATUS_SIZE) {
    return 0;
  }
  const sn_bus_item *item = &request->items[0];
  const bool is_to_many = request->kind >= SN_BUS_SYNC_READ && request->kind <= SN_BUS_BULK_WRITE;
  memcpy(out, header, HEADER_SIZE);
  out[HEADER_SIZE] = is_to_many ? SN_BUS_BROADCAST : item->id;
  /* The last two bytes are the CRC's, and a stuffing byte may come before it. */
  writer w = {out, size - 3, INSTRUCTION_AT, false};
  put(&w, instructions[request->kind]);
  if (is_to_many) {
    put_items(&w, request);
  } else if (request->kind == SN_BUS_READ) {
    put_registers(&w, item);
  } else if (request->kind == SN_BUS_WRITE) {
    put_word(&w, item->address);
    put_data(&w, request->data, item->size);
  }
  if (w.is_full) {
    return 0;
  }
  if (w.used >= INSTRUCTION_AT + 3u && memcmp(out + w.used - 3, header, 3) == 0) {
    out[w.used++] = 0xFD;
  }
  const size_t length = w.used - INSTRUCTION_AT + 2;
  out[LENGTH_AT] = (uint8_t)(length & 0xFF);
  out[LENGTH_AT + 1] = (uint8_t)(length >> 8);
  const uint16_t crc = crc_of(out, w.used);
  out[w.used++] = (uint8_t)(crc & 0xFF);
  out[w.used++] = (uint8_t)(crc >> 8);
  return w.used;
}

/* Removes the stuffing in place. @return the new count, or SIZE_MAX if a header occurs that is not
   stuffed. */
static size_t unstuff(uint8_t *bytes, size_t count) {
  size_t kept = 0, run = 0; /* run: how much of FF FF FD the last bytes are */
  for (size_t i = 0; i < count; i++) {
    const uint8_t byte = bytes[i];
    if (run == 3) {
      run = 0;
      if (byte != 0xFD) {
        return SIZE_MAX;
      }
      continue;
    }
    run = byte == 0xFF ? (run < 2 ? run + 1 : 2) : run == 2 && byte == 0xFD ? 3 : 0;
    bytes[kept++] = byte;
  }
  return run == 3 ? SIZE_MAX : kept;
}

static unsigned faults_of(uint8_t error) {
  return ((error & ALERT) != 0 ? SN_SERVO_FAULT_ALERT : 0u) |
         ((error & ~ALERT) != 0 ? SN_SERVO_FAULT_REFUSED : 0u);
}

static sn_bus_parse parse(uint8_t *bytes, size_t count, size_t size_max, size_t *used,
                          sn_bus_status *status) {
  *used = 0;
  if (memcmp(bytes, header, count < HEADER_SIZE ? count : HEADER_SIZE) != 0) {
    return sn__bus_skip_byte(used, SN_BUS_GARBAGE);
  }
  if (count < INSTRUCTION_AT) {
    return SN_BUS_MORE;
  }
  const size_t length = bytes[LENGTH_AT] | (size_t)bytes[LENGTH_AT + 1] << 8;
  const size_t size = INSTRUCTION_AT + length;
  if (bytes[HEADER_SIZE] > sn_bus_dynamixel.id_max || size < STATUS_SIZE || size > size_max) {
    return sn__bus_skip_byte(used, SN_BUS_GARBAGE);
  }
  if (count > INSTRUCTION_AT && bytes[INSTRUCTION_AT] != STATUS) {
    return sn__bus_skip_byte(used, SN_BUS_GARBAGE);
  }
  if (count < size) {
    return SN_BUS_MORE;
  }
  const uint16_t crc = (uint16_t)(bytes[size - 2] | bytes[size - 1] << 8);
  if (crc_of(bytes, size - 2) != crc) {
    return sn__bus_skip_byte(used, SN_BUS_CHECKSUM);
  }
  const size_t body = unstuff(bytes + INSTRUCTION_AT, size - 2 - INSTRUCTION_AT);
  if (body == SIZE_MAX || body < 2) {
    return sn__bus_skip_byte(used, SN_BUS_GARBAGE);
  }
  *status = (sn_bus_status){.id = bytes[HEADER_SIZE],
                            .error = bytes[ERROR_AT],
                            .faults = faults_of(bytes[ERROR_AT]),
                            .data = bytes + ERROR_AT + 1,
                            .size = body - 2};
  *used = size;
  return SN_BUS_PACKET;
}

/* FF FF FD 00  FE  length(2)  55, then of each servo: error  id  data …  crc(2). Nothing is
   stuffed, and each CRC is that of all bytes before it. */
static sn_bus_parse parse_part(const sn_bus_request *request, size_t index, const uint8_t *bytes,
                               size_t count, sn_bus_status *status) {
  const size_t size = request->items[0].size, step = PART_SIZE + size;
  const size_t length = 1 + request->count * step;
  const uint8_t head[PARTS_HEAD] = {
      0xFF,  0xFF, 0xFD, 0x00, SN_BUS_BROADCAST, (uint8_t)(length & 0xFF), (uint8_t)(length >> 8),
      STATUS};
  if (memcmp(bytes, head, count < PARTS_HEAD ? count : PARTS_HEAD) != 0) {
    return SN_BUS_GARBAGE;
  }
  const size_t at = PARTS_HEAD + index * step, end = at + step;
  if (count < end) {
    return SN_BUS_MORE;
  }
  const uint16_t crc = (uint16_t)(bytes[end - 2] | bytes[end - 1] << 8);
  if (crc_of(bytes, end - 2) != crc || bytes[at + 1] != request->items[index].id) {
    return SN_BUS_CHECKSUM;
  }
  *status = (sn_bus_status){.id = bytes[at + 1],
                            .error = bytes[at],
                            .faults = faults_of(bytes[at]),
                            .data = bytes + at + 2,
                            .size = size};
  return SN_BUS_PACKET;
}

static uint8_t command_of(const sn_bus_request *request) {
  (void)request;
  return 0;
}

const sn_bus_protocol sn_bus_dynamixel = {
    .name = "dynamixel",
    .id_max = 252,
    .packet_max = SN_BUS_PACKET_MAX,
    .acks_writes = true,
    .kinds = 1u << SN_BUS_PING | 1u << SN_BUS_READ | 1u << SN_BUS_WRITE | 1u << SN_BUS_SYNC_READ |
             1u << SN_BUS_FAST_SYNC_READ | 1u << SN_BUS_SYNC_WRITE | 1u << SN_BUS_BULK_READ |
             1u << SN_BUS_BULK_WRITE | 1u << SN_BUS_REBOOT,
    .status_size = STATUS_SIZE,
    .ping_size = 3,
    .parts_head = PARTS_HEAD,
    .part_size = PART_SIZE,
    .build = build,
    .parse = parse,
    .parse_part = parse_part,
    .command_of = command_of,
};
