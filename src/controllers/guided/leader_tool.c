#include "controllers/guided/leader_tool.h"

#include <math.h>
#include <string.h>

#include "sinew/ik.h"

/* @return its index, or -1 */
static int find_limb(const sn__leader_tool *tool, const sn_msg_names *names) {
  for (size_t i = 0; i < names->count; i++) {
    if (*tool->limb == '\0' || strcmp(sn_msg_names_at(names, i), tool->limb) == 0) {
      return (int)i;
    }
  }
  return -1;
}

static bool is_finite(sn_spatial twist) {
  return isfinite(sn_vec3_norm(twist.ang)) && isfinite(sn_vec3_norm(twist.lin));
}

sn__leader_tool_fault sn__leader_tool_take(sn__leader_tool *tool, const sn_limb_state *msg,
                                           int64_t now_ns) {
  const bool has_twist = msg->twist.count > 0;
  if (msg->pose.count != msg->name.count || (has_twist && msg->twist.count != msg->name.count)) {
    return SN__LEADER_TOOL_LENGTHS;
  }
  const int at = find_limb(tool, &msg->name);
  if (at < 0) {
    return SN__LEADER_TOOL_NO_LIMB;
  }
  const sn_msg_pose *pose = &msg->pose.data[at];
  const sn_spatial twist = has_twist ? msg->twist.data[at] : sn_spatial_zero();
  sn_pose goal;
  if (sn_ik_pose_from_quat(pose->position, pose->orientation, &goal) != SN_IK_OK ||
      !is_finite(twist)) {
    return SN__LEADER_TOOL_INVALID;
  }
  const double *offset = tool->offset.data;
  goal.pos = sn_vec3_add(sn_vec3_scale(goal.pos, tool->scale),
                         sn_vec3_make(offset[0], offset[1], offset[2]));
  tool->goal = goal;
  tool->twist = (sn_spatial){twist.ang, sn_vec3_scale(twist.lin, tool->scale)};
  tool->is_heard = true;
  tool->heard_ns = now_ns;
  return SN__LEADER_TOOL_GOOD;
}

bool sn__leader_tool_lost(sn__leader_tool *tool, int64_t now_ns) {
  const bool is_lost = tool->is_heard && 1e-9 * (double)(now_ns - tool->heard_ns) > tool->timeout_s;
  tool->is_heard = tool->is_heard && !is_lost;
  return is_lost;
}
