#include "bus/families/bus_protocol.h"

#include "sinew/fault.h"

const char *sn__servo_fault_text(unsigned fault) {
  switch (fault) {
    case SN_SERVO_FAULT_VOLTAGE:
      return "supply voltage out of range";
    case SN_SERVO_FAULT_TEMPERATURE:
      return "too hot";
    case SN_SERVO_FAULT_OVERLOAD:
      return "overload";
    case SN_SERVO_FAULT_POSITION:
      return "position sensor or limit";
    case SN_SERVO_FAULT_ELECTRICAL:
      return "motor driver or current";
    case SN_SERVO_FAULT_MEMORY:
      return "permanent registers damaged";
    case SN_SERVO_FAULT_REFUSED:
      return "instruction refused";
    case SN_SERVO_FAULT_ALERT:
      return "hardware alert";
    default:
      return "unknown fault";
  }
}

static bool names_one(sn_bus_kind kind) {
  return kind == SN_BUS_PING || kind == SN_BUS_READ || kind == SN_BUS_WRITE ||
         kind == SN_BUS_REBOOT;
}

static bool has_registers(sn_bus_kind kind) {
  return kind != SN_BUS_PING && kind != SN_BUS_REBOOT && kind != SN_BUS_JOG;
}

static bool is_sync(sn_bus_kind kind) {
  return kind == SN_BUS_SYNC_READ || kind == SN_BUS_FAST_SYNC_READ || kind == SN_BUS_SYNC_WRITE;
}

bool sn__bus_request_is_valid(const sn_bus_protocol *protocol, const sn_bus_request *request) {
  const sn_bus_kind kind = request->kind;
  if ((unsigned)kind > SN_BUS_REBOOT || (protocol->kinds >> kind & 1u) == 0 ||
      request->count == 0 || request->count > SN_BUS_ITEMS_MAX ||
      (names_one(kind) && request->count != 1)) {
    return false;
  }
  for (size_t i = 0; i < request->count; i++) {
    const sn_bus_item *item = &request->items[i];
    const bool may_be_all = kind == SN_BUS_PING || kind == SN_BUS_REBOOT || kind == SN_BUS_WRITE;
    if (item->id > protocol->id_max && !(may_be_all && item->id == SN_BUS_BROADCAST)) {
      return false;
    }
    if (has_registers(kind) && (item->size == 0 || item->size > SN_BUS_PACKET_MAX)) {
      return false;
    }
    if (is_sync(kind) &&
        (item->address != request->items[0].address || item->size != request->items[0].size)) {
      return false;
    }
  }
  return true;
}

size_t sn__bus_reply_count(const sn_bus_protocol *protocol, const sn_bus_request *request) {
  const bool is_to_all = request->items[0].id == SN_BUS_BROADCAST;
  switch (request->kind) {
    case SN_BUS_PING: /* to all: at least one */
    case SN_BUS_READ:
      return 1;
    case SN_BUS_SYNC_READ:
    case SN_BUS_FAST_SYNC_READ:
    case SN_BUS_BULK_READ:
      return request->count;
    case SN_BUS_WRITE:
    case SN_BUS_REBOOT:
      return protocol->acks_writes && !is_to_all ? 1 : 0;
    default:
      return 0;
  }
}

static bool is_read(sn_bus_kind kind) {
  return kind == SN_BUS_READ || kind == SN_BUS_SYNC_READ || kind == SN_BUS_BULK_READ;
}

static size_t data_size(const sn_bus_protocol *protocol, const sn_bus_request *request,
                        size_t index) {
  return is_read(request->kind)         ? request->items[index].size
         : request->kind == SN_BUS_PING ? protocol->ping_size
                                        : 0;
}

size_t sn__bus_reply_size(const sn_bus_protocol *protocol, const sn_bus_request *request,
                          size_t index) {
  SN_ASSERT(index < request->count);
  if (request->kind == SN_BUS_FAST_SYNC_READ) {
    return protocol->part_size + request->items[index].size +
           (index == 0 ? protocol->parts_head : 0);
  }
  return protocol->status_size + data_size(protocol, request, index) +
         (is_read(request->kind) ? protocol->read_extra : 0);
}

bool sn__bus_status_answers(const sn_bus_protocol *protocol, const sn_bus_request *request,
                            size_t index, const sn_bus_status *status) {
  SN_ASSERT(index < request->count);
  const sn_bus_item *item = &request->items[index];
  const bool any = request->kind == SN_BUS_PING && item->id == SN_BUS_BROADCAST;
  if ((status->id != item->id && !any) || status->command != protocol->command_of(request)) {
    return false;
  }
  if (is_read(request->kind) && protocol->read_extra > 0 &&
      status->address != (item->address & 0xFFu)) {
    return false;
  }
  const bool is_refusal = status->size == 0 && (status->faults & SN_SERVO_FAULT_REFUSED) != 0;
  return status->size == data_size(protocol, request, index) || is_refusal;
}
