/** @file
 *  The servo's side of the three protocols: parses requests, builds answers. Written from the
 *  manuals, not from src/bus, so that the two cannot share a mistake. */
#ifndef SN_SERVO_WIRE_H
#define SN_SERVO_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum wire_family { WIRE_DYNAMIXEL, WIRE_FEETECH, WIRE_HERKULEX } wire_family;

typedef struct wire_request {
  uint8_t id;
  uint8_t instruction;
  uint8_t params[600]; /**< without stuffing */
  size_t count;
} wire_request;

/** Find a complete request.
 *  @param used  bytes that are consumed, even if no request was found
 *  @return whether a request with a valid checksum was found */
bool wire_read(wire_family family, const uint8_t *bytes, size_t count, size_t *used,
               wire_request *request);

/** An answer. For HerkuleX @p instruction is the request's, @p params the data before the two
 *  status bytes. @return bytes written, at most 2 * count + 16. */
size_t wire_write(wire_family family, uint8_t id, uint8_t instruction, uint8_t error,
                  uint8_t detail, const uint8_t *params, size_t count, uint8_t *out);

/** Dynamixel, the one packet that answers a fast sync read: its beginning, for @p count servos.
 *  @return bytes written */
size_t wire_write_parts(size_t count, size_t size, uint8_t *out);
/** The part of one servo, after the first @p used bytes. @return bytes written */
size_t wire_write_part(uint8_t id, uint8_t error, const uint8_t *data, size_t size, uint8_t *packet,
                       size_t used);

#endif
