/** @file
 *  Internal: HerkuleX servos in the form of the system that Sinew succeeds. */
#ifndef SN_BUS_DRIVER_DRIVER_ORIGINAL_H
#define SN_BUS_DRIVER_DRIVER_ORIGINAL_H

#include "sinew/value.h"

/** The hook `translate` of `driver_herkulex`. Files of the original system have `servos` as a bag
 * by joint with `servo_id`, `model`, `offset` (counts at zero) and `reverse`, and `groups` with
 * modes and registers. Ids, zeros and directions are taken over; models, modes and registers are
 * not used, which is reported. */
const sn_value *sn__driver_translate(sn_arena *arena, const sn_value *bag, sn_report *report);

#endif
