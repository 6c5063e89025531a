/** @file
 *  Internal: the end of a limb of another arm, the leader, as a goal for one of this robot: also
 * for arms of another geometry. Its position is scaled and shifted, its orientation kept. */
#ifndef SN_CONTROLLERS_GUIDED_LEADER_TOOL_H
#define SN_CONTROLLERS_GUIDED_LEADER_TOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg_types.h"
#include "sinew/pose.h"
#include "sinew/property.h"
#include "sinew/spatial.h"

/** A member of a component's struct. */
typedef struct sn__leader_tool {
  const char *limb; /**< properties */
  double scale, timeout_s;
  sn_reals offset;

  sn_pose goal; /**< in the base of this robot */
  sn_spatial twist;
  bool is_heard; /**< the leader moves the goal */
  int64_t heard_ns;
} sn__leader_tool;

/* NOLINTBEGIN(bugprone-macro-parentheses): names of members */
#define SN__LEADER_TOOL_PROPERTIES(type, member)                                                \
  SN_PROPERTY(type, "leader_limb", member.limb,                                                 \
              .doc = "Which limb of in_leader is followed; empty: the first."),                 \
      SN_PROPERTY(type, "leader_scale", member.scale, .initial = "1", .unit = "", .min = 1e-3,  \
                  .max = 1e3, .doc = "Ways of this limb over those of the leader."),            \
      SN_PROPERTY(type, "leader_offset", member.offset, .initial = "[0, 0, 0]", .unit = "m",    \
                  .count_min = 3, .count_max = 3, .min = -100, .max = 100,                      \
                  .doc = "Where this limb's end is when that of the leader is at its origin."), \
      SN_PROPERTY(type, "leader_timeout", member.timeout_s, .initial = "0.1", .unit = "s",      \
                  .min = 0.004, .max = 10,                                                      \
                  .doc = "The limb holds when the leader is silent for longer.")
/* NOLINTEND(bugprone-macro-parentheses) */

/** What was wrong with a message. */
typedef enum sn__leader_tool_fault {
  SN__LEADER_TOOL_GOOD,
  SN__LEADER_TOOL_LENGTHS, /**< names and poses differ in number */
  SN__LEADER_TOOL_NO_LIMB, /**< it lacks the limb */
  SN__LEADER_TOOL_INVALID  /**< not finite, or a quaternion that is not of unit length */
} sn__leader_tool_fault;

/** A message of the leader. If it is wrong nothing changes. RT: yes. */
sn__leader_tool_fault sn__leader_tool_take(sn__leader_tool *tool, const sn_limb_state *msg,
                                           int64_t now_ns) SN_RT;

/** @return whether the leader fell silent since the last call.  RT: yes. */
bool sn__leader_tool_lost(sn__leader_tool *tool, int64_t now_ns) SN_RT;

#endif
