/* Recursive Newton-Euler: Luh, Walker, Paul, "On-line computational scheme for mechanical
   manipulators" (1980), in the frames of the bodies, on moments of mass. */
#include <string.h>

#include "dyn/data.h"
#include "sinew/dyn.h"

static inline sn_vec3 acceleration_at(const sn__motion *m, sn_vec3 r) {
  return sn_vec3_add(m->lin, sn_mat3_apply(m->field, r));
}

static inline sn_vec3 joint_position(const sn_dyn_data *data, size_t i) {
  const sn_pose *p = &data->tree->pose_parent_joint[i];
  return data->tree->prismatic[i] ? sn_vec3_add_scaled(p->pos, data->joints.value[i], p->rot.z)
                                  : p->pos;
}

/* The motion of a body from that of its parent; @p rate is velocity and acceleration of the joint.
 */
static inline sn__motion next_motion(const sn_dyn_data *data, size_t i, const sn__motion *parent,
                                     sn__pair rate) {
  const sn_pose *p = &data->tree->pose_parent_joint[i];
  const sn__twin turn = sn__twin_in(&data->body[i + 1].rot, parent->turn);
  sn_vec3 lin = acceleration_at(parent, joint_position(data, i));
  lin = sn_mat3_apply_transposed(p->rot, lin);
  sn__motion m;
  if (data->tree->prismatic[i]) {
    m.turn = turn;
    m.lin.x = lin.x + 2.0 * turn.y[0] * rate[0]; /* Coriolis: 2 w cross z rate */
    m.lin.y = lin.y - 2.0 * turn.x[0] * rate[0];
    m.lin.z = lin.z + rate[1];
  } else {
    const double s = data->joints.sine[i], c = data->joints.cosine[i];
    m.turn.x = c * turn.x + s * turn.y;
    m.turn.y = c * turn.y - s * turn.x;
    m.turn.z = turn.z + rate;
    const double wx = m.turn.x[0] * rate[0], wy = m.turn.y[0] * rate[0]; /* w cross z rate */
    m.turn.x += sn__pair_make(0.0, wy);
    m.turn.y -= sn__pair_make(0.0, wx);
    m.lin = sn_vec3_make(c * lin.x + s * lin.y, c * lin.y - s * lin.x, lin.z);
  }
  m.field = sn__motion_field(m.turn);
  return m;
}

/* Torque and force on a body as those on its parent. */
static inline sn__twin pass_on(const sn_dyn_data *data, size_t i, sn__twin force) {
  if (!data->tree->prismatic[i]) {
    const double s = data->joints.sine[i], c = data->joints.cosine[i];
    const sn__pair x = force.x;
    force.x = c * x - s * force.y;
    force.y = c * force.y + s * x;
  }
  const sn__twin out = sn__twin_out(&data->body[i + 1].rot, force);
  const sn_vec3 lin = {out.x[1], out.y[1], out.z[1]};
  const sn_vec3 lever = sn_vec3_cross(joint_position(data, i), lin);
  return sn__twin_add(out, sn__twin_make(lever, sn_vec3_make(0, 0, 0)));
}

static inline sn__twin twin_sub(sn__twin a, sn_spatial b) {
  return (sn__twin){a.x - sn__pair_make(b.ang.x, b.lin.x), a.y - sn__pair_make(b.ang.y, b.lin.y),
                    a.z - sn__pair_make(b.ang.z, b.lin.z)};
}

/* Gravity is taken as an acceleration of the base upwards. */
static void start_at_base(sn_dyn_data *data, const sn_dyn_world *world, const sn_base_state *base) {
  const sn_vec3 gravity = sn_mat3_apply_transposed(base->pose_world_base.rot, world->gravity);
  const sn_vec3 carried = sn_vec3_cross(base->twist.ang, base->twist.lin);
  const sn_vec3 lin = sn_vec3_add(base->acceleration.lin, carried);
  sn__motion *m = &data->motion[0];
  m->turn = sn__twin_make(base->twist.ang, base->acceleration.ang);
  m->lin = sn_vec3_sub(lin, gravity);
  m->field = sn__motion_field(m->turn);
}

static void forward(sn_dyn_data *data, const sn_spatial *forces, const double *qd,
                    const double *qdd) {
  const sn_tree *tree = data->tree;
  sn__motion m = data->motion[0];
  for (size_t i = 0; i < tree->body_count; i++) {
    if (tree->parent[i] != (int)i - 1) { /* most often the parent was the last one */
      m = data->motion[tree->parent[i] + 1];
    }
    const double scale = tree->q_scale[i];
    const size_t j = (size_t)tree->coord[i];
    const sn__pair rate = {qd == NULL ? 0.0 : scale * qd[j], qdd == NULL ? 0.0 : scale * qdd[j]};
    m = next_motion(data, i, &m, rate);
    const sn__moments *moments = &data->body[i + 1].moments;
    sn__twin force = tree->prismatic[i] ? sn__motion_force(moments, &m, false)
                                        : sn__motion_force(moments, &m, true);
    if (forces != NULL) {
      force = twin_sub(force, forces[i]);
    }
    if (data->branches[i]) {
      data->motion[i + 1] = m;
    }
    data->force[i + 1] = force;
  }
}

/* @p base receives what is passed on to it; NULL if nobody asks. */
static void backward(sn_dyn_data *data, double *tau, sn__twin *base) {
  const sn_tree *tree = data->tree;
  sn__twin passed = {{0, 0}, {0, 0}, {0, 0}}; /* on body i, if it is the parent of the last one */
  for (size_t i = tree->body_count; i-- > 0;) {
    const sn__twin force = sn__twin_add(data->force[i + 1], passed);
    tau[tree->coord[i]] += tree->q_scale[i] * (tree->prismatic[i] ? force.z[1] : force.z[0]);
    if (tree->parent[i] < 0 && base == NULL) {
      passed = (sn__twin){{0, 0}, {0, 0}, {0, 0}};
      continue;
    }
    passed = pass_on(data, i, force);
    if (tree->parent[i] != (int)i - 1 || i == 0) {
      sn__twin *on_parent = tree->parent[i] < 0 ? base : &data->force[tree->parent[i] + 1];
      *on_parent = sn__twin_add(*on_parent, passed);
      passed = (sn__twin){{0, 0}, {0, 0}, {0, 0}};
    }
  }
}

void sn_dyn_inverse(sn_dyn_data *data, const sn_dyn_world *world_or_null, const double *q,
                    const double *qd, const double *qdd, double *tau, sn_spatial *base_wrench) {
  const sn_dyn_world *world = sn__dyn_world_or_default(world_or_null);
  const sn_base_state *base = sn__dyn_base_or_default(world->base);
  sn__joints_update(data->tree, q, &data->joints);
  start_at_base(data, world, base);
  forward(data, world->forces, qd, qdd);
  for (size_t j = 0; j < data->tree->coord_count; j++) {
    tau[j] = 0.0;
  }
  if (base_wrench == NULL) {
    backward(data, tau, NULL);
    return;
  }
  sn__twin f = sn__motion_force(&data->body[0].moments, &data->motion[0], false);
  backward(data, tau, &f);
  const sn_spatial wrench = {{f.x[0], f.y[0], f.z[0]}, {f.x[1], f.y[1], f.z[1]}};
  *base_wrench = sn_spatial_sub(wrench, base->force);
}
