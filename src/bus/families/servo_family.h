/** @file
 *  Servo families: addresses of registers and the meaning of their values.
 *  Constant tables and pure functions; RT: yes, Threads: any, all of it.
 *
 *  Sources: ROBOTIS e-Manual, control table of the X series; Feetech, "STS Series Servo Memory
 *  Table" and "SCSCL Servo Memory Table"; "HerkuleX Manual", chapter 4-2. */
#ifndef SN_BUS_FAMILIES_SERVO_FAMILY_H
#define SN_BUS_FAMILIES_SERVO_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bus/families/bus_protocol.h"
#include "sinew/api.h"

SN_BEGIN_DECLS

/** Consecutive registers; size 0: not available. */
typedef struct sn_servo_block {
  uint16_t address, size;
} sn_servo_block;

/** A reading of a servo. */
typedef struct sn_servo_reading {
  int32_t counts;  /**< position */
  int32_t check;   /**< HerkuleX reports its position twice: the bytes between; others 0 */
  double velocity; /**< counts/s */
  double load;     /**< -1 .. 1 of the full drive or current */
  bool has_supply; /**< voltage and temperature are valid */
  double voltage;  /**< V */
  bool has_temperature;
  double temperature; /**< °C */
} sn_servo_reading;

/** A baud rate and its code in the register. */
typedef struct sn_servo_baud {
  int64_t baud;
  uint8_t code;
} sn_servo_baud;

/** A family of servos; constant data. The blocks that are read during motion differ in size,
 *  so that a late answer to one is never mistaken for an answer to the other. */
typedef struct sn_servo_family {
  const char *name; /**< `dynamixel`, `feetech_sts`, `feetech_scs`, `herkulex` */
  const sn_bus_protocol *protocol;
  double counts_per_rad;
  int32_t counts_centre, counts_max;
  bool is_big_endian;
  bool has_sync_read;
  sn_servo_block state;  /**< position, velocity, load */
  sn_servo_block supply; /**< voltage, temperature, where not in `state` */
  sn_servo_block goal;   /**< of HerkuleX none: goals are jogs */
  sn_servo_block model;
  sn_servo_block fault;    /**< Dynamixel: cause of the alert */
  sn_servo_block clear;    /**< HerkuleX: writing zeros clears the faults */
  sn_servo_block lock;     /**< Feetech: 0 unlocks the permanent registers */
  sn_servo_block watchdog; /**< Dynamixel: without a packet for so many ticks a servo with torque
                                stops, says 255 here and takes no goals; 0: it is not watched, and
                                what has stopped is cleared */
  double watchdog_tick;    /**< s */
  uint16_t id_address, baud_address, torque_address;
  uint8_t torque_on;
  sn_servo_block gain; /**< proportional gain of the position regulator */
  sn_servo_block torque_limit;
  double torque_limit_full;   /**< register value of the full torque */
  const sn_servo_baud *bauds; /**< ends with a baud of 0 */
  void (*read_state)(const uint8_t *data, sn_servo_reading *out) SN_RT;
  void (*read_supply)(const uint8_t *data, sn_servo_reading *out) SN_RT;
  /** Bytes of a goal: goal.size, or 3 of a jog. @return how many */
  size_t (*write_goal)(int32_t counts, uint8_t *out) SN_RT;
} sn_servo_family;

/** @return NULL if the name is unknown */
SN_API const sn_servo_family *sn__servo_family_find(const char *name) SN_RT;
SN_API size_t sn__servo_family_count(void) SN_RT;
SN_API const sn_servo_family *sn__servo_family_at(size_t index) SN_RT;

/** A number of 1, 2 or 4 bytes in the family's order. */
SN_API uint32_t sn__servo_get(const sn_servo_family *family, const uint8_t *data,
                              size_t size) SN_RT;
SN_API void sn__servo_put(const sn_servo_family *family, uint32_t value, uint8_t *data,
                          size_t size) SN_RT;

/** Does a servo with this answer to a ping support fast sync reads? Dynamixel, by model and
 *  firmware version. */
bool sn__servo_is_fast(const sn_servo_family *family, const uint8_t *ping, size_t size) SN_RT;

/** Dynamixel's hardware error register as SN_SERVO_FAULT_…. */
SN_API unsigned sn__servo_hardware_faults(uint8_t value) SN_RT;

SN_END_DECLS

#endif
