#include <string.h>

#include "kin/data.h"
#include "sinew/fault.h"
#include "sinew/kin.h"

/* The frame of the tip, and the point whose motion the columns describe. */
typedef struct target {
  sn_pose tip;
  sn_spatial twist; /* of the tip's origin */
  sn_vec3 point, point_rate;
  bool in_tip_axes;
} target;

static target make_target(const sn_kin_data *data, int body, sn_pose pose_body_tip,
                          sn_jac_frame frame) {
  const sn_pose pose = sn_kin_body_pose(data, body);
  target t = {.tip = sn_pose_mul(pose, pose_body_tip), .in_tip_axes = frame == SN_JAC_TIP};
  if (frame != SN_JAC_BASE) {
    t.point = t.tip.pos;
  }
  return t;
}

/* Rates of change need the motion of the tip, too. */
static void add_motion(const sn_kin_data *data, int body, sn_jac_frame frame, target *t) {
  if (body >= 0) {
    const sn_spatial twist = data->twist[body];
    const sn_vec3 lever = sn_vec3_sub(t->tip.pos, data->pose[body].pos);
    t->twist = (sn_spatial){twist.ang, sn_vec3_add(twist.lin, sn_vec3_cross(twist.ang, lever))};
  }
  if (frame != SN_JAC_BASE) {
    t->point_rate = t->twist.lin;
  }
}

static inline sn_spatial column_of(const sn_kin_data *data, int i, const target *t) {
  const sn_pose *joint = &data->pose[i];
  const sn_vec3 axis = joint->rot.z;
  if (data->tree->prismatic[i]) {
    return (sn_spatial){{0, 0, 0}, axis};
  }
  return (sn_spatial){axis, sn_vec3_cross(axis, sn_vec3_sub(t->point, joint->pos))};
}

/* The axis is fixed to body i and turns with it; a joint's own motion does not move its axis. */
static sn_spatial column_rate(const sn_kin_data *data, int i, const target *t) {
  const sn_pose *joint = &data->pose[i];
  const sn_spatial twist = data->twist[i];
  const sn_vec3 axis = joint->rot.z;
  const sn_vec3 axis_rate = sn_vec3_cross(twist.ang, axis);
  if (data->tree->prismatic[i]) {
    return (sn_spatial){{0, 0, 0}, axis_rate};
  }
  const sn_vec3 lever = sn_vec3_sub(t->point, joint->pos);
  const sn_vec3 lever_rate = sn_vec3_sub(t->point_rate, twist.lin);
  return (sn_spatial){
      axis_rate, sn_vec3_add(sn_vec3_cross(axis_rate, lever), sn_vec3_cross(axis, lever_rate))};
}

static sn_spatial to_tip_axes(const target *t, sn_spatial column) {
  return (sn_spatial){sn_mat3_apply_transposed(t->tip.rot, column.ang),
                      sn_mat3_apply_transposed(t->tip.rot, column.lin)};
}

/* In axes that rotate with the tip, the rotation of the axes is subtracted from the column. */
static sn_spatial rate_to_tip_axes(const target *t, sn_spatial column, sn_spatial rate) {
  const sn_spatial carried = {sn_vec3_cross(t->twist.ang, column.ang),
                              sn_vec3_cross(t->twist.ang, column.lin)};
  return to_tip_axes(t, sn_spatial_sub(rate, carried));
}

static inline void add_column(double *jac, size_t n, size_t j, double scale, sn_spatial column) {
  jac[0 * n + j] += scale * column.ang.x;
  jac[1 * n + j] += scale * column.ang.y;
  jac[2 * n + j] += scale * column.ang.z;
  jac[3 * n + j] += scale * column.lin.x;
  jac[4 * n + j] += scale * column.lin.y;
  jac[5 * n + j] += scale * column.lin.z;
}

void sn_kin_jacobian(const sn_kin_data *data, int body, sn_pose pose_body_tip, sn_jac_frame frame,
                     double *jac) {
  const sn_tree *tree = data->tree;
  const target t = make_target(data, body, pose_body_tip, frame);
  memset(jac, 0, 6 * tree->coord_count * sizeof *jac);
  for (int i = body; i >= 0; i = tree->parent[i]) {
    sn_spatial column = column_of(data, i, &t);
    if (t.in_tip_axes) {
      column = to_tip_axes(&t, column);
    }
    add_column(jac, tree->coord_count, (size_t)tree->coord[i], tree->q_scale[i], column);
  }
}

void sn_kin_jacobian_dot(const sn_kin_data *data, int body, sn_pose pose_body_tip,
                         sn_jac_frame frame, double *jac_dot) {
  SN_ASSERT(data->has_twist);
  const sn_tree *tree = data->tree;
  target t = make_target(data, body, pose_body_tip, frame);
  add_motion(data, body, frame, &t);
  memset(jac_dot, 0, 6 * tree->coord_count * sizeof *jac_dot);
  for (int i = body; i >= 0; i = tree->parent[i]) {
    sn_spatial rate = column_rate(data, i, &t);
    if (t.in_tip_axes) {
      rate = rate_to_tip_axes(&t, column_of(data, i, &t), rate);
    }
    add_column(jac_dot, tree->coord_count, (size_t)tree->coord[i], tree->q_scale[i], rate);
  }
}
