/** @file
 *  Internal: the bytes that stop the servos of a bus, ready to be written by a process without
 *  protocol code. */
#ifndef SN_BUS_GUARD_SAFE_FRAMES_H
#define SN_BUS_GUARD_SAFE_FRAMES_H

#include "bus/families/servo_bus.h"

/** Room for 64 servos of any family. */
#define SN__SAFE_BYTES_MAX 1024

typedef struct sn__safe_bytes {
  uint32_t count;
  uint8_t bytes[SN__SAFE_BYTES_MAX];
} sn__safe_bytes;

/** Goals: every servo with torque holds its last measured or its frozen position.
 *  Servos do not answer. Empty if no servo has torque. RT: yes. */
void sn__safe_frames_hold(const sn__servo_bus *bus, sn__safe_bytes *out) SN_RT;

/** Torque off for every servo of the bus. RT: yes. */
void sn__safe_frames_limp(const sn__servo_bus *bus, sn__safe_bytes *out) SN_RT;

#endif
