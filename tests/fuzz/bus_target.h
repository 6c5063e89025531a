/** @file
 *  What the fuzz targets of the bus protocols share: bytes from a wire, cut anywhere. */
#ifndef SN_BUS_TARGET_H
#define SN_BUS_TARGET_H

#include <stdlib.h>
#include <string.h>

#include "bus/families/bus_protocol.h"
#include "sinew/fault.h"

/** Does the family's check sum, computed in another way, agree? */
typedef int (*bus_oracle)(const uint8_t *packet, size_t size);

/** For any input, the parser makes progress, stays within the bytes, and accepts what the oracle
 * accepts. */
static inline int bus_target(const sn_bus_protocol *protocol, bus_oracle oracle,
                             const uint8_t *data, size_t size) {
  size_t at = 0;
  while (at < size) {
    /* A copy of exactly what is left, so that the sanitizer sees a byte too many. */
    const size_t count = size - at;
    uint8_t *bytes = malloc(count);
    SN_ASSERT(bytes != NULL);
    memcpy(bytes, data + at, count);
    size_t used = SIZE_MAX;
    sn_bus_status status = {0};
    const sn_bus_parse result = protocol->parse(bytes, count, 128, &used, &status);
    if (result == SN_BUS_PACKET) {
      SN_ASSERT(used >= protocol->status_size && used <= count && used <= 128);
      SN_ASSERT(status.id <= protocol->id_max);
      SN_ASSERT(status.size == 0 ||
                (status.data >= bytes && status.data + status.size <= bytes + used));
      SN_ASSERT(oracle(data + at, used));
    } else {
      SN_ASSERT(used == (result == SN_BUS_MORE ? 0u : 1u));
    }
    at += result == SN_BUS_PACKET ? used : 1;
    free(bytes);
  }
  return 0;
}

#endif
