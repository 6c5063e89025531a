/** @file
 *  Logs of a servo with a pendulum as Rhoban/bam records them: a JSON object with `mass` (kg),
 *  `length` (m), `kp` (gain of the firmware), `vin` (V), `motor`, `trajectory`, and `entries`, each
 *  with `timestamp` (s), `position` and `goal_position` (rad), `torque_enable`, and possibly
 *  `input_volts` and `load` (the duty as a signed number of 16 bits). `arm_mass` may be there. */
#ifndef SINEW_APP_BAM_LOG_H
#define SINEW_APP_BAM_LOG_H

#include <stdbool.h>

#include "ident/output_error/servo_log.h"
#include "sinew/arena.h"

/** Does a text begin as JSON? */
bool bam_log_is_one(const char *bytes, size_t size);

/** Read a log. What it does not state is 0, or empty, or NaN; sn__servo_log_check() then says what
 *  is missing.
 *  @param path  for messages; kept
 *  @param out   set on success, untouched on failure
 *  @return SN_OK, SN_ESYNTAX (no JSON, or not of this form), SN_EINVAL (it contradicts itself) or
 *          SN_ENOMEM */
sn_status bam_log_parse(sn_arena *arena, const char *bytes, size_t size, const char *path,
                        sn__servo_log *out, sn_error *err);

#endif
