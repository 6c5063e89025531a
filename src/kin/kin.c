#include "sinew/kin.h"

#include "base/fail.h"
#include "kin/data.h"
#include "sinew/fault.h"

sn_status sn_kin_create(sn_arena *arena, const sn_tree *tree, sn_kin_data **out, sn_error *err) {
  SN_ASSERT(tree != NULL);
  SN_ASSERT(out != NULL);

  const sn_arena_mark mark = sn_arena_save(arena);
  sn_kin_data *data = SN_NEW(arena, sn_kin_data, 1);
  sn_pose *pose = SN_NEW(arena, sn_pose, tree->body_count);
  sn_spatial *twist = SN_NEW(arena, sn_spatial, tree->body_count);
  sn__joints joints;
  if (!sn__joints_create(arena, tree, &joints) || data == NULL || pose == NULL || twist == NULL) {
    sn_arena_restore(arena, mark);
    return sn__fail(err, SN_ENOMEM, "kinematics: no room in arena '%s'", sn_arena_name(arena));
  }
  *data = (sn_kin_data){.tree = tree, .joints = joints, .pose = pose, .twist = twist};
  *out = data;
  return SN_OK;
}

void sn_kin_update(sn_kin_data *data, const double *q) {
  sn__joints_update(data->tree, q, &data->joints);
  sn__tree_poses(data->tree, &data->joints, data->pose);
  data->has_pose = true;
  data->has_twist = false;
}

void sn_kin_update_velocity(sn_kin_data *data, const double *q, const double *qd) {
  sn_kin_update(data, q);
  const sn_tree *tree = data->tree;
  const sn_spatial at_rest = sn_spatial_zero();
  for (size_t i = 0; i < tree->body_count; i++) {
    const int parent = tree->parent[i];
    const sn_spatial *carried = parent < 0 ? &at_rest : &data->twist[parent];
    const sn_pose *pose = &data->pose[i];
    const sn_vec3 lever = parent < 0 ? pose->pos : sn_vec3_sub(pose->pos, data->pose[parent].pos);
    const sn_vec3 lin = sn_vec3_add(carried->lin, sn_vec3_cross(carried->ang, lever));
    const double rate = tree->q_scale[i] * qd[tree->coord[i]];
    data->twist[i] = tree->prismatic[i]
                         ? (sn_spatial){carried->ang, sn_vec3_add_scaled(lin, rate, pose->rot.z)}
                         : (sn_spatial){sn_vec3_add_scaled(carried->ang, rate, pose->rot.z), lin};
  }
  data->has_twist = true;
}

sn_pose sn_kin_body_pose(const sn_kin_data *data, int body) {
  SN_ASSERT(data->has_pose);
  SN_ASSERT(body >= -1 && body < (int)data->tree->body_count);
  return body < 0 ? sn_pose_identity() : data->pose[body];
}

sn_pose sn_kin_link_pose(const sn_kin_data *data, const sn_link *link) {
  return sn_pose_mul(sn_kin_body_pose(data, link->body), link->pose_body_link);
}

sn_spatial sn_kin_body_twist(const sn_kin_data *data, int body) {
  SN_ASSERT(data->has_twist);
  SN_ASSERT(body >= -1 && body < (int)data->tree->body_count);
  return body < 0 ? sn_spatial_zero() : data->twist[body];
}

sn_spatial sn_kin_link_twist(const sn_kin_data *data, const sn_link *link) {
  const sn_spatial twist = sn_kin_body_twist(data, link->body);
  const sn_mat3 rot = sn_kin_body_pose(data, link->body).rot;
  const sn_vec3 lever = sn_mat3_apply(rot, link->pose_body_link.pos);
  return (sn_spatial){twist.ang, sn_vec3_add(twist.lin, sn_vec3_cross(twist.ang, lever))};
}
