/* Feetech's STS, SMS and SCS series, after the maker's "SCS Communication Protocol" manual:

       FF FF  id  length  instruction or error  parameters …  checksum

   The length counts what follows it; the checksum is the complement of the sum of all bytes but
   the header's. Answers and requests have the same form. Values of two
   bytes are low byte first in the STS and SMS series and high byte first in the SCS series:
   servo_family.c handles that. */
#include "bus/families/bus_protocol.h"

enum { ID_AT = 2, LENGTH_AT = 3, ERROR_AT = 4, DATA_AT = 5, STATUS_SIZE = 6, LENGTH_MAX = 255 };

static uint8_t checksum_of(const uint8_t *bytes, size_t count) {
  unsigned sum = 0;
  for (size_t i = ID_AT; i < count; i++) {
    sum += bytes[i];
  }
  return (uint8_t)~sum;
}

/* Bytes of parameters after the instruction; 0 if they do not fit. */
static size_t put_many(const sn_bus_request *request, uint8_t *out, size_t room) {
  const bool is_write = request->kind == SN_BUS_SYNC_WRITE;
  const size_t size = request->items[0].size;
  if (size > 0xFF || room < 2 + request->count * (1 + (is_write ? size : 0))) {
    return 0;
  }
  size_t used = 0;
  out[used++] = (uint8_t)request->items[0].address;
  out[used++] = (uint8_t)size;
  const uint8_t *data = request->data;
  for (size_t i = 0; i < request->count; i++) {
    out[used++] = request->items[i].id;
    for (size_t k = 0; is_write && k < size; k++) {
      out[used++] = *data++;
    }
  }
  return used;
}

static size_t put_one(const sn_bus_request *request, uint8_t *out, size_t room) {
  const sn_bus_item *item = &request->items[0];
  const bool is_write = request->kind == SN_BUS_WRITE;
  if (item->size > 0xFF || room < 1u + (is_write ? item->size : 1u)) {
    return 0;
  }
  size_t used = 0;
  out[used++] = (uint8_t)item->address;
  if (!is_write) {
    out[used++] = (uint8_t)item->size;
  }
  for (size_t k = 0; is_write && k < item->size; k++) {
    out[used++] = request->data[k];
  }
  return used;
}

static size_t build(const sn_bus_request *request, uint8_t *out, size_t size) {
  static const uint8_t instructions[] = {[SN_BUS_PING] = 0x01,
                                         [SN_BUS_READ] = 0x02,
                                         [SN_BUS_WRITE] = 0x03,
                                         [SN_BUS_SYNC_READ] = 0x82,
                                         [SN_BUS_SYNC_WRITE] = 0x83};
  if (!sn__bus_request_is_valid(&sn_bus_feetech, request) || size < STATUS_SIZE ||
      request->items[0].address > 0xFF) {
    return 0;
  }
  const bool is_to_many = request->kind == SN_BUS_SYNC_READ || request->kind == SN_BUS_SYNC_WRITE;
  const size_t room = size - STATUS_SIZE < LENGTH_MAX - 2 ? size - STATUS_SIZE : LENGTH_MAX - 2;
  size_t parameters = 0;
  if (request->kind != SN_BUS_PING) {
    parameters = (is_to_many ? put_many : put_one)(request, out + DATA_AT, room);
    if (parameters == 0) {
      return 0;
    }
  }
  out[0] = out[1] = 0xFF;
  out[ID_AT] = is_to_many ? SN_BUS_BROADCAST : request->items[0].id;
  out[LENGTH_AT] = (uint8_t)(parameters + 2);
  out[ERROR_AT] = instructions[request->kind];
  out[DATA_AT + parameters] = checksum_of(out, DATA_AT + parameters);
  return STATUS_SIZE + parameters;
}

static unsigned faults_of(uint8_t error) {
  static const unsigned faults[8] = {SN_SERVO_FAULT_VOLTAGE,     SN_SERVO_FAULT_POSITION,
                                     SN_SERVO_FAULT_TEMPERATURE, SN_SERVO_FAULT_ELECTRICAL,
                                     SN_SERVO_FAULT_POSITION,    SN_SERVO_FAULT_OVERLOAD,
                                     SN_SERVO_FAULT_REFUSED,     SN_SERVO_FAULT_REFUSED};
  return sn__bus_faults_of(error, faults);
}

static sn_bus_parse parse(uint8_t *bytes, size_t count, size_t size_max, size_t *used,
                          sn_bus_status *status) {
  *used = 0;
  if (bytes[0] != 0xFF || (count > 1 && bytes[1] != 0xFF) ||
      (count > ID_AT && bytes[ID_AT] > sn_bus_feetech.id_max)) {
    return sn__bus_skip_byte(used, SN_BUS_GARBAGE);
  }
  if (count <= LENGTH_AT) {
    return SN_BUS_MORE;
  }
  const size_t size = (size_t)bytes[LENGTH_AT] + 4;
  if (size < STATUS_SIZE || size > size_max) {
    return sn__bus_skip_byte(used, SN_BUS_GARBAGE);
  }
  if (count < size) {
    return SN_BUS_MORE;
  }
  if (checksum_of(bytes, size - 1) != bytes[size - 1]) {
    return sn__bus_skip_byte(used, SN_BUS_CHECKSUM);
  }
  *status = (sn_bus_status){.id = bytes[ID_AT],
                            .error = bytes[ERROR_AT],
                            .faults = faults_of(bytes[ERROR_AT]),
                            .data = bytes + DATA_AT,
                            .size = size - STATUS_SIZE};
  *used = size;
  return SN_BUS_PACKET;
}

static uint8_t command_of(const sn_bus_request *request) {
  (void)request;
  return 0;
}

const sn_bus_protocol sn_bus_feetech = {
    .name = "feetech",
    .id_max = 253,
    .packet_max = LENGTH_MAX + 4,
    .acks_writes = true,
    .has_weak_sum = true,
    .kinds = 1u << SN_BUS_PING | 1u << SN_BUS_READ | 1u << SN_BUS_WRITE | 1u << SN_BUS_SYNC_READ |
             1u << SN_BUS_SYNC_WRITE,
    .status_size = STATUS_SIZE,
    .build = build,
    .parse = parse,
    .command_of = command_of,
};
