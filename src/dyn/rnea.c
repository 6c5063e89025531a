/* Recursive Newton-Euler: Luh, Walker, Paul, "On-line computational scheme for mechanical
   manipulators" (1980), in the frames of the bodies, on second moments of mass. */
#include <string.h>

#include "dyn/data.h"
#include "sinew/dyn.h"

/* The acceleration field of a body that turns: angular acceleration cross, and centripetal. */
static inline sn_mat3 make_field(sn_vec3 w, sn_vec3 a) {
  const double xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  const double xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  return (sn_mat3){
      .x = {-(yy + zz), xy + a.z, xz - a.y},
      .y = {xy - a.z, -(xx + zz), yz + a.x},
      .z = {xz + a.y, yz - a.x, -(xx + yy)},
  };
}

/* Force that makes a body accelerate so. With second moments S and field A, the torque is the skew
   part of A S. */
static inline sn_spatial make_force(const sn__mass *mass, const sn__motion *motion) {
  const sn_mat3 f = motion->field;
  const sn_sym3 s = mass->second;
  const sn_vec3 turn = {
      (f.x.z * s.xy + f.y.z * s.yy + f.z.z * s.yz) - (f.x.y * s.xz + f.y.y * s.yz + f.z.y * s.zz),
      (f.x.x * s.xz + f.y.x * s.yz + f.z.x * s.zz) - (f.x.z * s.xx + f.y.z * s.xy + f.z.z * s.xz),
      (f.x.y * s.xx + f.y.y * s.xy + f.z.y * s.xz) - (f.x.x * s.xy + f.y.x * s.yy + f.z.x * s.yz)};
  return (sn_spatial){sn_vec3_add(sn_vec3_cross(mass->h, motion->lin), turn),
                      sn_vec3_add_scaled(sn_mat3_apply(f, mass->h), mass->mass_kg, motion->lin)};
}

static inline sn_vec3 turn_in(double sine, double cosine, sn_vec3 v) {
  return sn_vec3_make(cosine * v.x + sine * v.y, cosine * v.y - sine * v.x, v.z);
}

static inline sn_vec3 turn_out(double sine, double cosine, sn_vec3 v) {
  return sn_vec3_make(cosine * v.x - sine * v.y, cosine * v.y + sine * v.x, v.z);
}

/* The motion of a body from that of its parent. */
static inline sn__motion next_motion(const sn_tree *tree, const sn__joints *joints, size_t i,
                                     const sn__motion *parent, double rate, double rate_rate) {
  const sn_pose *p = &tree->pose_parent_joint[i];
  const sn_vec3 velocity = sn_mat3_apply_transposed(p->rot, parent->velocity);
  const sn_vec3 acceleration = sn_mat3_apply_transposed(p->rot, parent->acceleration);
  sn__motion m;
  if (tree->prismatic[i]) {
    const sn_vec3 pos = sn_vec3_add_scaled(p->pos, joints->value[i], p->rot.z);
    const sn_vec3 lin = sn_vec3_add(parent->lin, sn_mat3_apply(parent->field, pos));
    m.velocity = velocity;
    m.acceleration = acceleration;
    m.lin = sn_mat3_apply_transposed(p->rot, lin);
    m.lin.x += 2.0 * velocity.y * rate; /* Coriolis: 2 w cross z rate */
    m.lin.y -= 2.0 * velocity.x * rate;
    m.lin.z += rate_rate;
  } else {
    const double s = joints->sine[i], c = joints->cosine[i];
    const sn_vec3 lin = sn_vec3_add(parent->lin, sn_mat3_apply(parent->field, p->pos));
    m.velocity = turn_in(s, c, velocity);
    m.acceleration = turn_in(s, c, acceleration);
    m.acceleration.x += m.velocity.y * rate; /* w cross z rate */
    m.acceleration.y -= m.velocity.x * rate;
    m.acceleration.z += rate_rate;
    m.velocity.z += rate;
    m.lin = turn_in(s, c, sn_mat3_apply_transposed(p->rot, lin));
  }
  m.field = make_field(m.velocity, m.acceleration);
  return m;
}

/* A force on body i as a force on its parent. */
static inline sn_spatial pass_on(const sn_tree *tree, const sn__joints *joints, size_t i,
                                 sn_spatial force) {
  const sn_pose *p = &tree->pose_parent_joint[i];
  sn_vec3 pos = p->pos;
  if (tree->prismatic[i]) {
    pos = sn_vec3_add_scaled(pos, joints->value[i], p->rot.z);
  } else {
    force.ang = turn_out(joints->sine[i], joints->cosine[i], force.ang);
    force.lin = turn_out(joints->sine[i], joints->cosine[i], force.lin);
  }
  const sn_vec3 lin = sn_mat3_apply(p->rot, force.lin);
  return (sn_spatial){sn_vec3_add(sn_mat3_apply(p->rot, force.ang), sn_vec3_cross(pos, lin)), lin};
}

/* Gravity is taken as an acceleration of the base upwards. */
static void start_at_base(sn_dyn_data *data, const sn_dyn_world *world, const sn_base_state *base) {
  const sn_vec3 gravity = sn_mat3_apply_transposed(base->pose_world_base.rot, world->gravity);
  sn__motion *m = &data->motion[0];
  m->velocity = base->twist.ang;
  m->acceleration = base->acceleration.ang;
  m->lin = sn_vec3_add(base->acceleration.lin, sn_vec3_cross(base->twist.ang, base->twist.lin));
  m->lin = sn_vec3_sub(m->lin, gravity);
  m->field = make_field(m->velocity, m->acceleration);
  data->force[0] = sn_spatial_sub(make_force(&data->mass[0], m), base->force);
}

static void forward(sn_dyn_data *data, const sn_spatial *forces, const double *qd,
                    const double *qdd) {
  const sn_tree *tree = data->tree;
  for (size_t i = 0; i < tree->body_count; i++) {
    const double scale = tree->q_scale[i];
    const double rate = qd == NULL ? 0.0 : scale * qd[tree->coord[i]];
    const double rate_rate = qdd == NULL ? 0.0 : scale * qdd[tree->coord[i]];
    const sn__motion *parent = &data->motion[tree->parent[i] + 1];
    const sn__motion m = next_motion(tree, &data->joints, i, parent, rate, rate_rate);
    data->motion[i + 1] = m;
    data->force[i + 1] = make_force(&data->mass[i + 1], &m);
    if (forces != NULL) {
      data->force[i + 1] = sn_spatial_sub(data->force[i + 1], forces[i]);
    }
  }
}

static void backward(sn_dyn_data *data, double *tau) {
  const sn_tree *tree = data->tree;
  for (size_t i = tree->body_count; i-- > 0;) {
    const sn_spatial force = data->force[i + 1];
    const double along = tree->prismatic[i] ? force.lin.z : force.ang.z;
    tau[tree->coord[i]] += tree->q_scale[i] * along;
    sn_spatial *on_parent = &data->force[tree->parent[i] + 1];
    *on_parent = sn_spatial_add(*on_parent, pass_on(tree, &data->joints, i, force));
  }
}

void sn_dyn_inverse(sn_dyn_data *data, const sn_dyn_world *world_or_null, const double *q,
                    const double *qd, const double *qdd, double *tau, sn_spatial *base_wrench) {
  const sn_dyn_world world = sn__dyn_world_or_default(world_or_null);
  const sn_base_state base = sn__dyn_base_or_default(world.base);
  sn__joints_update(data->tree, q, &data->joints);
  start_at_base(data, &world, &base);
  forward(data, world.forces, qd, qdd);
  memset(tau, 0, data->tree->coord_count * sizeof *tau);
  backward(data, tau);
  if (base_wrench != NULL) {
    *base_wrench = data->force[0];
  }
}
