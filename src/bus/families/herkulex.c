/* HerkuleX DRS-0101 and DRS-0201, after the maker's "HerkuleX Manual", chapters 4 to 6:

       FF FF  size  id  command  checksum 1  checksum 2  data …

   The size is that of the whole packet. Checksum 1 is the exclusive or of size, id, command and
   data without its lowest bit, checksum 2 its complement: the lowest bit of a byte is not
   protected. The answer to a read repeats address and length; the last two bytes of every answer
   are status error and status detail. */
#include "bus/families/bus_protocol.h"

enum {
  SIZE_AT = 2,
  ID_AT = 3,
  COMMAND_AT = 4,
  CHECKSUM_AT = 5,
  DATA_AT = 7,
  STATUS_SIZE = 9, /* with status error and status detail */
  PACKET_MAX = 223,
  ANSWER = 0x40,
  EEP_WRITE = 1,
  EEP_READ = 2,
  RAM_WRITE = 3,
  RAM_READ = 4,
  S_JOG = 6,
  STAT = 7,
  REBOOT = 9,
  JOG_SIZE = 3
};

static uint8_t checksum_of(const uint8_t *bytes, size_t size) {
  unsigned sum = bytes[SIZE_AT] ^ bytes[ID_AT] ^ bytes[COMMAND_AT];
  for (size_t i = DATA_AT; i < size; i++) {
    sum ^= bytes[i];
  }
  return (uint8_t)(sum & 0xFEu);
}

static uint8_t command_of_request(const sn_bus_request *request) {
  const bool is_eep = request->items[0].address >= SN_BUS_EEP;
  switch (request->kind) {
    case SN_BUS_PING:
      return STAT;
    case SN_BUS_READ:
      return is_eep ? EEP_READ : RAM_READ;
    case SN_BUS_WRITE:
      return is_eep ? EEP_WRITE : RAM_WRITE;
    case SN_BUS_JOG:
      return S_JOG;
    default:
      return REBOOT;
  }
}

static uint8_t command_of(const sn_bus_request *request) {
  return (uint8_t)(command_of_request(request) | ANSWER);
}

static size_t data_size(const sn_bus_request *request) {
  switch (request->kind) {
    case SN_BUS_READ:
      return 2;
    case SN_BUS_WRITE:
      return 2u + request->items[0].size;
    case SN_BUS_JOG:
      return 1 + request->count * (JOG_SIZE + 1);
    default:
      return 0;
  }
}

static size_t build(const sn_bus_request *request, uint8_t *out, size_t size) {
  if (!sn__bus_request_is_valid(&sn_bus_herkulex, request)) {
    return 0;
  }
  const sn_bus_item *item = &request->items[0];
  const size_t packet = DATA_AT + data_size(request);
  const bool has_registers = request->kind == SN_BUS_READ || request->kind == SN_BUS_WRITE;
  if (packet > size || packet > PACKET_MAX ||
      (has_registers && (item->address >= 2 * SN_BUS_EEP || item->size > PACKET_MAX))) {
    return 0;
  }
  out[0] = out[1] = 0xFF;
  out[SIZE_AT] = (uint8_t)packet;
  out[ID_AT] = request->kind == SN_BUS_JOG ? SN_BUS_BROADCAST : item->id;
  out[COMMAND_AT] = command_of_request(request);
  size_t used = DATA_AT;
  if (has_registers) {
    out[used++] = (uint8_t)(item->address & 0xFF);
    out[used++] = (uint8_t)item->size;
    for (size_t k = 0; request->kind == SN_BUS_WRITE && k < item->size; k++) {
      out[used++] = request->data[k];
    }
  } else if (request->kind == SN_BUS_JOG) {
    out[used++] = request->play_time;
    for (size_t i = 0; i < request->count; i++) {
      for (size_t k = 0; k < JOG_SIZE; k++) {
        out[used++] = request->data[JOG_SIZE * i + k];
      }
      out[used++] = request->items[i].id;
    }
  }
  out[CHECKSUM_AT] = checksum_of(out, packet);
  out[CHECKSUM_AT + 1] = (uint8_t)(~out[CHECKSUM_AT] & 0xFE);
  return packet;
}

static unsigned faults_of(uint8_t error) {
  static const unsigned faults[8] = {SN_SERVO_FAULT_VOLTAGE,     SN_SERVO_FAULT_POSITION,
                                     SN_SERVO_FAULT_TEMPERATURE, SN_SERVO_FAULT_REFUSED,
                                     SN_SERVO_FAULT_OVERLOAD,    SN_SERVO_FAULT_ELECTRICAL,
                                     SN_SERVO_FAULT_MEMORY,      SN_SERVO_FAULT_REFUSED};
  return sn__bus_faults_of(error, faults);
}

/* The data of an answer without the status at its end. */
static bool read_data(const uint8_t *bytes, size_t size, sn_bus_status *status) {
  const unsigned command = status->command & ~(unsigned)ANSWER;
  const uint8_t *data = bytes + DATA_AT;
  const size_t count = size - STATUS_SIZE;
  if (command != EEP_READ && command != RAM_READ) {
    status->data = data;
    return count == 0;
  }
  if (count < 2 || data[1] != count - 2) {
    return false;
  }
  status->address = data[0];
  status->data = data + 2;
  status->size = count - 2;
  return true;
}

static sn_bus_parse parse(uint8_t *bytes, size_t count, size_t size_max, size_t *used,
                          sn_bus_status *status) {
  *used = 0;
  if (bytes[0] != 0xFF || (count > 1 && bytes[1] != 0xFF)) {
    return sn__bus_skip_byte(used, SN_BUS_GARBAGE);
  }
  if (count <= SIZE_AT) {
    return SN_BUS_MORE;
  }
  const size_t size = bytes[SIZE_AT];
  if (size < STATUS_SIZE || size > size_max || size > PACKET_MAX ||
      (count > ID_AT && bytes[ID_AT] > sn_bus_herkulex.id_max) ||
      (count > COMMAND_AT &&
       (bytes[COMMAND_AT] <= ANSWER || bytes[COMMAND_AT] > ANSWER + REBOOT))) {
    return sn__bus_skip_byte(used, SN_BUS_GARBAGE);
  }
  if (count < size) {
    return SN_BUS_MORE;
  }
  const uint8_t checksum = checksum_of(bytes, size);
  if (bytes[CHECKSUM_AT] != checksum || bytes[CHECKSUM_AT + 1] != (uint8_t)(~checksum & 0xFE)) {
    return sn__bus_skip_byte(used, SN_BUS_CHECKSUM);
  }
  sn_bus_status found = {.id = bytes[ID_AT],
                         .command = bytes[COMMAND_AT],
                         .error = bytes[size - 2],
                         .faults = faults_of(bytes[size - 2])};
  if (!read_data(bytes, size, &found)) {
    return sn__bus_skip_byte(used, SN_BUS_GARBAGE);
  }
  *status = found;
  *used = size;
  return SN_BUS_PACKET;
}

const sn_bus_protocol sn_bus_herkulex = {
    .name = "herkulex",
    .id_max = 253,
    .packet_max = PACKET_MAX,
    .acks_writes = false,
    .has_weak_sum = true,
    .kinds = 1u << SN_BUS_PING | 1u << SN_BUS_READ | 1u << SN_BUS_WRITE | 1u << SN_BUS_JOG |
             1u << SN_BUS_REBOOT,
    .status_size = STATUS_SIZE,
    .read_extra = 2,
    .build = build,
    .parse = parse,
    .command_of = command_of,
};
