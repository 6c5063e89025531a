#include "bus_protocol_rig.h"

const sn_bus_protocol *const bus_protocol_protocols[] = {&sn_bus_dynamixel, &sn_bus_feetech,
                                                         &sn_bus_herkulex};

size_t bus_protocol_hex(const char *text, uint8_t *out) {
  size_t count = 0;
  int length = 0;
  unsigned byte = 0;
  while (sscanf(text, " %2x%n", &byte, &length) == 1) {
    out[count++] = (uint8_t)byte;
    text += length;
  }
  return count;
}

size_t bus_protocol_build(const printed_request *printed, uint8_t *out, size_t size) {
  uint8_t data[64];
  (void)bus_protocol_hex(printed->data, data);
  const sn_bus_request request = {.kind = printed->kind,
                                  .count = printed->count,
                                  .items = printed->items,
                                  .data = data,
                                  .play_time = printed->play_time};
  return bus_protocol_protocols[printed->family]->build(&request, out, size);
}
