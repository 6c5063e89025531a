/** @file
 *  What the tests of bus_protocol share. */
#ifndef SN_BUS_PROTOCOL_RIG_H
#define SN_BUS_PROTOCOL_RIG_H

#include "bus/families/bus_protocol.h"
#include "sim/servo_wire.h"
#include "sn_test.h"

extern const sn_bus_protocol *const bus_protocol_protocols[];

size_t bus_protocol_hex(const char *text, uint8_t *out);

typedef struct printed_request {
  wire_family family;
  sn_bus_kind kind;
  const sn_bus_item items[4];
  size_t count;
  const char *data;
  uint8_t play_time;
  const char *packet;
} printed_request;

size_t bus_protocol_build(const printed_request *printed, uint8_t *out, size_t size);

#endif
