#include "controllers/cartesian/publish.h"

#include <string.h>

#include "base/fail.h"
#include "controllers/cartesian/world.h"

sn_status sn__publish_prepare(const sn_model *model, sn_output *out_base, sn_output *out_limbs,
                              sn_error *err) {
  const char *root = sn_model_link(model, 0)->name;
  sn_status status = SN_OK;
  if (out_base != NULL) {
    sn_rigid_body_state *base = out_base->msg;
    sn_msg_names_clear(&base->name);
    status = sn_msg_names_add(&base->name, root, strlen(root));
    status = status == SN_OK ? sn_msg_text_set(&base->header.frame_id, SN__WORLD_FRAME) : status;
    status = status == SN_OK && base->pose.capacity == 0 ? SN_ENOSPC : status;
  }
  if (status == SN_OK && out_limbs != NULL) {
    sn_limb_state *limbs = out_limbs->msg;
    status = sn_msg_text_set(&limbs->header.frame_id, root);
  }
  return status == SN_OK ? SN_OK
                         : sn__fail(err, status, "the names of links do not fit into a message");
}

void sn__publish_base(sn_output *out_base, const sn__body_state *base, int64_t now_ns) {
  sn_rigid_body_state *msg = out_base->msg;
  msg->header.stamp_ns = now_ns;
  msg->pose.count = msg->twist.count = 1;
  msg->pose.data[0] = sn_msg_pose_from(base->pose);
  msg->twist.data[0] = base->twist;
  (void)sn_output_write(out_base); /* what does not fit is counted there */
}

void sn__publish_limbs_begin(sn_output *out_limbs, int64_t now_ns) {
  sn_limb_state *msg = out_limbs->msg;
  msg->header.stamp_ns = now_ns;
  sn_msg_names_clear(&msg->name);
  msg->pose.count = msg->twist.count = 0;
}

void sn__publish_limbs_add(sn_output *out_limbs, const char *chain, const sn__body_state *end) {
  sn_limb_state *msg = out_limbs->msg;
  const size_t i = msg->pose.count;
  if (i < msg->pose.capacity && i < msg->twist.capacity &&
      sn_msg_names_add(&msg->name, chain, strlen(chain)) == SN_OK) {
    msg->pose.data[i] = sn_msg_pose_from(end->pose);
    msg->twist.data[i] = end->twist;
    msg->pose.count = msg->twist.count = i + 1;
  }
}

sn__body_state sn__seen_from_base(const sn__body_state *base, sn_pose pose_world_end) {
  const sn_vec3 arm = sn_vec3_sub(pose_world_end.pos, base->pose.pos);
  const sn_vec3 lin = sn_vec3_add(base->twist.lin, sn_vec3_cross(base->twist.ang, arm));
  return (sn__body_state){
      .pose = sn_pose_between(base->pose, pose_world_end),
      .twist = {sn_vec3_neg(sn_mat3_apply_transposed(base->pose.rot, base->twist.ang)),
                sn_vec3_neg(sn_mat3_apply_transposed(base->pose.rot, lin))}};
}
