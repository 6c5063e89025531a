/** @file
 *  Internal: a step sequence from its message. Every error names its point and body. */
#ifndef SN_STEPS_STEP_READ_H
#define SN_STEPS_STEP_READ_H

#include "sinew/model.h"
#include "sinew/msg_locomotion.h"
#include "sinew/status.h"
#include "steps/step_sequence.h"

/** Read and check a message: lengths, times, names, numbers, and contacts that contradict motion.
 *  A sequence without contacts whose base has no orientation has no base: the robot hangs.
 *  @param contact_tolerance_m  by which a foot in contact may move from point to point
 *  @param out    set on success
 *  @param error  out: the code of the action, if it is invalid
 *  @return SN_OK; SN_EINVAL or SN_ENOENT with the reason; SN_ENOMEM
 *  RT: no */
sn_status sn__step_sequence_read(sn_arena *arena, const sn_model *model, const sn_step_goal *msg,
                                 double contact_tolerance_m, sn__step_sequence *out, int32_t *error,
                                 sn_error *err);

#endif
