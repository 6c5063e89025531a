/** @file
 *  Internal: the bytes that stop the servos of a bus, ready to be written by a process that knows
 * no protocol. */
#ifndef SN_BUS_GUARD_SAFE_FRAMES_H
#define SN_BUS_GUARD_SAFE_FRAMES_H

#include "bus/families/servo_bus.h"

/** Room for 64 servos of any family. */
#define SN__SAFE_BYTES_MAX 1024

typedef struct sn__safe_bytes {
  uint32_t count;
  uint8_t bytes[SN__SAFE_BYTES_MAX];
} sn__safe_bytes;

/** Goals: every servo that has torque holds where it was measured last, or where it is frozen.
 *  Servos do not answer. No bytes: no servo has torque. RT: yes. */
void sn__safe_frames_hold(const sn__servo_bus *bus, sn__safe_bytes *out) SN_RT;

/** Torque off for every servo of the bus. RT: yes. */
void sn__safe_frames_limp(const sn__servo_bus *bus, sn__safe_bytes *out) SN_RT;

#endif
