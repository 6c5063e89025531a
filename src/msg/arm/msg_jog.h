/** @file
 *  What the controller `CartesianServo` says of a tool that is jogged. Its inputs are
 *  sn_twist_stamped, sn_joint_jog and sn_pose_stamped. */
#ifndef SN_MSG_ARM_MSG_JOG_H
#define SN_MSG_ARM_MSG_JOG_H

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/msg_types.h"

SN_BEGIN_DECLS

/** State of a tool that is jogged. Poses are in `header.frame_id`, the first link of the chain. */
typedef struct sn_jog_state {
  sn_header header;
  sn_msg_text chain;  /**< the limb */
  sn_msg_text status; /**< `idle`, `holding`, `moving`, `slowed` or `blocked` */
  sn_msg_text reason; /**< of slowed and blocked: `limit`, `singular`, `speed`, `obstacle`; why
                         there is no motion: `silent`, `refused`, `lost`; else empty */
  sn_msg_text joint;  /**< of `limit` and `speed`; else empty */
  double share;       /**< 0 … 1 of the wanted velocity that is commanded */
  sn_msg_pose pose;   /**< of the tool, commanded */
  sn_spatial twist;   /**< likewise: rad/s, m/s */
} sn_jog_state;

SN_API extern const sn_msg_type sn__jog_state_type;

SN_END_DECLS

#endif
