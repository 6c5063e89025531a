/** @file
 *  Internal: calibration of a running driver: its servos are limp, a person moves them, the driver
 *  watches. */
#ifndef SN_BUS_DRIVER_DRIVER_CALIBRATION_H
#define SN_BUS_DRIVER_DRIVER_CALIBRATION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bus/driver/calibration.h"
#include "sinew/component.h"
#include "sinew/msg.h"

/** Why a calibration is not running. */
typedef enum sn__calibration_end {
  SN__CALIBRATION_NEVER,
  SN__CALIBRATION_RUNS,
  SN__CALIBRATION_SAVED,
  SN__CALIBRATION_CANCELLED,
  SN__CALIBRATION_STOPPED, /**< the emergency stop */
  SN__CALIBRATION_LOST,    /**< a servo does not answer */
  SN__CALIBRATION_TORQUE,  /**< a servo has torque: a controller has taken it */
  SN__CALIBRATION_UNHEARD  /**< the client no longer asks for readings */
} sn__calibration_end;

/** Calibration of one driver; accessed by its thread, but for the flags. */
typedef struct sn__driver_calibration {
  sn__calibration *joints; /**< [count of servos] */
  sn__calibration_end end;
  size_t culprit;   /**< servo that ended it */
  int64_t heard_ns; /**< when a client last asked for readings */
  atomic_bool is_saving, is_saved;
} sn__driver_calibration;

/** Readings of a calibration, as clients see them. Lists are empty unless it runs. */
typedef struct sn__calibration_state {
  bool active;
  bool saved;          /**< the last one was saved */
  sn_msg_text message; /**< why the last one ended */
  sn_msg_names name;   /**< of the joints */
  sn_seq_f64 position; /**< now, from the new zero, rad */
  sn_seq_f64 min;      /**< so far, rad */
  sn_seq_f64 max;      /**< so far, rad */
  sn_seq_i32 zero;     /**< counts at position 0 */
  sn_seq_i32 direction;
  sn_msg_names problem; /**< of each joint: what is missing; empty: it is complete */
} sn__calibration_state;

extern const sn_msg_type sn__calibration_state_type;

struct sn__driver;

/** Take the readings of this cycle, or end the calibration. RT: yes. */
void sn__driver_calibration_step(struct sn__driver *self, int64_t now_ns);

/** The operations; own-thread but for finish, which writes a file. */
sn_operation_function sn__driver_begin_calibration, sn__driver_get_calibration,
    sn__driver_finish_calibration, sn__driver_cancel_calibration;

#endif
