/** @file
 *  Internal: the answer to `planTool`: a motion of a tool before it is executed, or the nearest
 *  that the tool gets to a target that it cannot reach, and why. */
#ifndef SN_CONTROLLERS_CARTESIAN_TOOL_PREVIEW_H
#define SN_CONTROLLERS_CARTESIAN_TOOL_PREVIEW_H

#include "ik/limb/limb_ik.h"
#include "path/tool_path.h"
#include "sinew/msg.h"

/** A motion as its client sees it. */
typedef struct sn__tool_preview {
  bool success;         /**< `moveTool` would execute it */
  sn_msg_text message;  /**< else: why not, and how near the tool gets */
  double duration;      /**< s */
  sn_msg_names joints;  /**< of the chain, from base to tip */
  sn_seq_f64 positions; /**< at equal times, pose after pose, rad or m; without success: on the way
                             to the nearest pose; empty: there is none */
  bool until_contact;   /**< they are those of the motion itself, up to where links would touch */
} sn__tool_preview;

extern const sn_msg_type sn__tool_preview_type;

/** Sample a motion; as many poses as there is room for, at most 40.
 *  @param end_s  up to there
 *  @return SN_OK or SN_ENOSPC: no room for two poses or the names */
sn_status sn__tool_preview_motion(const sn_model *model, const sn_chain *chain,
                                  const sn__tool_motion *motion, double end_s,
                                  sn__tool_preview *out, sn_error *err);

/** Bring the tip of a limb as near to a pose as it gets, with steps no larger than its jumps.
 *  @param q    [joints of the robot] sorted pose; in: where to begin, out: where it ends
 *  @param why  receives what keeps it from the target, and the distance left; "" if nothing does */
void sn__tool_preview_nearest(sn__limb_ik *limb, const sn_model *model, const sn_pose *target,
                              double *q, char *why, size_t size);

#endif
