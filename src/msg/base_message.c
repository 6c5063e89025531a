#include "msg/base_message.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"

bool sn__msg_pose_is_valid(sn_msg_pose pose) {
  const sn_quat q = pose.orientation;
  const double norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  return isfinite(pose.position.x + pose.position.y + pose.position.z) && norm > 0.9 && norm < 1.1;
}

sn_status sn__base_message_prepare(sn_rigid_body_state *msg, const char *frame, const char *root,
                                   sn_error *err) {
  sn_msg_names_clear(&msg->name);
  if (sn_msg_text_set(&msg->header.frame_id, frame) != SN_OK ||
      sn_msg_names_add(&msg->name, root, strlen(root)) != SN_OK) {
    return sn__fail(err, SN_ENOSPC, "the names '%s' and '%s' do not fit into a message", frame,
                    root);
  }
  msg->pose.count = msg->twist.count = 1;
  msg->wrench.count = 0;
  return SN_OK;
}

void sn__base_message_fill(sn_rigid_body_state *msg, int64_t stamp_ns, sn_pose pose_world_base,
                           sn_spatial twist) {
  msg->header.stamp_ns = stamp_ns;
  msg->pose.data[0] = sn_msg_pose_from(pose_world_base);
  msg->twist.data[0] = twist;
}

static bool is_finite(sn_spatial s) {
  return isfinite(s.ang.x + s.ang.y + s.ang.z + s.lin.x + s.lin.y + s.lin.z);
}

bool sn__base_message_read(const sn_rigid_body_state *msg, const char *root,
                           sn_pose *pose_world_base, sn_spatial *twist, bool *has_twist) {
  for (size_t i = 0; i < msg->name.count && i < msg->pose.count; i++) {
    if (strcmp(sn_msg_names_at(&msg->name, i), root) == 0) {
      const bool has = i < msg->twist.count && is_finite(msg->twist.data[i]);
      if (!sn__msg_pose_is_valid(msg->pose.data[i])) {
        return false;
      }
      *pose_world_base = sn_pose_from_msg(msg->pose.data[i]);
      *twist = has ? msg->twist.data[i] : sn_spatial_zero();
      if (has_twist != NULL) {
        *has_twist = has;
      }
      return true;
    }
  }
  return false;
}
