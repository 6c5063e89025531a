/** @file
 *  Internal: zero and range of a joint, measured while a person moves it. Pure: readings come from
 *  the driver or from `sinew bus calibrate`. */
#ifndef SN_BUS_DRIVER_CALIBRATION_H
#define SN_BUS_DRIVER_CALIBRATION_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/status.h"

/** Least angle that a servo must turn between the ends, rad: less is a joint that was forgotten. */
#define SN__CALIBRATION_SPAN_MIN 0.1

/** Readings of one joint, in counts of its encoder. */
typedef struct sn__calibration {
  int32_t zero; /**< in the pose that is position 0 */
  int32_t now;  /**< the last one */
  int32_t lowest, highest;
  bool has_wrapped; /**< it went past the end of the encoder's range */
} sn__calibration;

/** The servo of the joint. */
typedef struct sn__calibration_servo {
  int direction;         /**< 1 or -1: whether counts grow with the joint's position */
  double counts_per_rad; /**< of the servo */
  double gear;           /**< turns of the servo for one of the joint; > 0 */
  int32_t counts_max;    /**< the range of the encoder is 0 .. counts_max */
} sn__calibration_servo;

/** The result, as in an item of the property `servos`. */
typedef struct sn__servo_range {
  double zero; /**< counts at position 0 of the joint */
  int64_t direction;
  double min, max; /**< of the joint, rad; min <= 0 <= max */
} sn__servo_range;

/** Begin with the joint at position 0. RT: yes. */
SN_API void sn__calibration_begin(sn__calibration *joint, int32_t counts);

/** Take a place that the joint was moved to, however it got there. RT: yes. */
SN_API void sn__calibration_extend(sn__calibration *joint, int32_t counts);

/** Take the next of many readings. Between two of them a hand turns a servo by less than half its
 *  range, so a larger step is the encoder that starts again at its other end. RT: yes. */
void sn__calibration_take(sn__calibration *joint, int32_t counts, int32_t counts_max);

/** The range so far, complete or not. RT: yes. */
SN_API sn__servo_range sn__calibration_range(const sn__calibration *joint,
                                             const sn__calibration_servo *servo);

/** @return SN_OK; SN_EINVAL with the reason and the way out: the joint was not moved enough, or the
 *  encoder's range ends within that of the joint.  RT: no, formats. */
SN_API sn_status sn__calibration_check(const sn__calibration *joint,
                                       const sn__calibration_servo *servo, const char *name,
                                       sn_error *err);

#endif
