/* A plan as a message. */
#include <stdio.h>

#include "base/fail.h"
#include "controllers/walking/move_base.h"

static void write_point(const sn__step_point *from, sn_rigid_body_point *to) {
  *to = (sn_rigid_body_point){
      .pose = sn_msg_pose_from(from->pose), .twist = from->twist, .contact = from->contact};
}

static sn_status write_body(const char *name, const sn__step_point *points, size_t count,
                            size_t stride, sn_rigid_body_trajectory *out) {
  const sn_status status = sn_msg_text_set(&out->name, name);
  out->points.count = 1 + (count - 1) / stride;
  for (size_t k = 0; k < out->points.count; k++) {
    const size_t at = k + 1 == out->points.count ? count - 1 : k * stride;
    write_point(&points[at], &out->points.data[k]);
  }
  return status;
}

sn_status sn__move_base_write(const sn_model *model, const sn__step_sequence *s, size_t stride,
                              sn_step_goal *out, sn_error *err) {
  char frame[100];
  const char *root = sn_model_link(model, 0)->name;
  const size_t count = 1 + (s->point_count - 1) / stride;
  if (count > out->time_from_start.capacity || s->limb_count > out->ee_motion.capacity) {
    return sn__fail(err, SN_ENOSPC, "a plan of %zu points does not fit into the message", count);
  }
  snprintf(frame, sizeof frame, "%.80s_path", root);
  sn_status status = sn_msg_text_set(&out->header.frame_id, frame);
  out->header.stamp_ns = 0;
  out->append = false;
  out->time_from_start.count = count;
  for (size_t k = 0; k < count; k++) {
    out->time_from_start.data[k] = s->times[k + 1 == count ? s->point_count - 1 : k * stride];
  }
  if (status == SN_OK) {
    status = write_body(root, s->base, s->point_count, stride, &out->base_motion);
  }
  out->ee_motion.count = s->limb_count;
  for (size_t i = 0; status == SN_OK && i < s->limb_count; i++) {
    const char *name = sn_names_at(sn_model_chain_names(model), s->limbs[i].chain);
    status = write_body(name, s->limbs[i].points, s->point_count, stride, &out->ee_motion.data[i]);
  }
  out->position_tolerance = s->position_tolerance_m;
  out->orientation_tolerance = s->orientation_tolerance_rad;
  return status == SN_OK ? SN_OK : sn__fail(err, status, "a name does not fit into the message");
}

void sn__move_base_to_odom(sn_pose frame, sn_step_goal *out) {
  (void)sn_msg_text_set(&out->header.frame_id, "odom");
  for (size_t k = 0; k < out->base_motion.points.count; k++) {
    sn_rigid_body_point *point = &out->base_motion.points.data[k];
    point->pose = sn_msg_pose_from(sn_pose_mul(frame, sn_pose_from_msg(point->pose)));
    point->twist.lin = sn_mat3_apply(frame.rot, point->twist.lin);
    point->twist.ang = sn_mat3_apply(frame.rot, point->twist.ang);
  }
}
