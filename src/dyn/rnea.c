/* Recursive Newton-Euler: Luh, Walker, Paul, "On-line computational scheme for mechanical
   manipulators" (1980), in the frames of the bodies, on moments of mass. */
#include <string.h>

#include "dyn/data.h"
#include "sinew/dyn.h"

static inline sn_vec3 acceleration_at(const sn__motion *m, sn_vec3 r) {
  const sn__rot_pair *f = &m->field;
  return sn_vec3_make(m->lin.x[0] + (f->x.x[0] * r.x + f->y.x[0] * r.y + f->z.x[0] * r.z),
                      m->lin.y[0] + (f->x.y[0] * r.x + f->y.y[0] * r.y + f->z.y[0] * r.z),
                      m->lin.z[0] + (f->x.z[0] * r.x + f->y.z[0] * r.y + f->z.z[0] * r.z));
}

/* Origin of a body in its parent's frame. */
static inline sn_vec3 origin_of(const sn__body *b, double value) {
  const sn_vec3 slid = {b->pos.x + value * b->rot.z.x[0], b->pos.y + value * b->rot.z.y[0],
                        b->pos.z + value * b->rot.z.z[0]};
  return b->slides ? slid : b->pos;
}

static inline sn_vec3 vector_in(const sn__rot_pair *r, sn_vec3 v) {
  return sn_vec3_make(r->x.x[0] * v.x + r->x.y[0] * v.y + r->x.z[0] * v.z,
                      r->y.x[0] * v.x + r->y.y[0] * v.y + r->y.z[0] * v.z,
                      r->z.x[0] * v.x + r->z.y[0] * v.y + r->z.z[0] * v.z);
}

/* The motion of body i from that of its parent; @p rate is velocity and acceleration of the joint.
 */
static inline sn__motion next_motion(const sn__body *b, const sn__joints *joints, size_t i,
                                     const sn__motion *parent, sn__pair rate) {
  const sn__vec3_pair turn = sn__rot_pair_apply_inverse(&b->rot, parent->turn);
  const sn_vec3 at = acceleration_at(parent, origin_of(b, joints->value[i]));
  const sn_vec3 lin = vector_in(&b->rot, at);
  sn__motion m;
  if (b->slides) {
    m.turn = turn;
    m.lin.x = sn__pair_both(lin.x + 2.0 * turn.y[0] * rate[0]); /* Coriolis: 2 w cross z rate */
    m.lin.y = sn__pair_both(lin.y - 2.0 * turn.x[0] * rate[0]);
    m.lin.z = sn__pair_both(lin.z + rate[1]);
  } else {
    const double s = joints->sine[i], c = joints->cosine[i];
    m.turn.x = c * turn.x + s * turn.y;
    m.turn.y = c * turn.y - s * turn.x;
    m.turn.z = turn.z + rate;
    const double wx = m.turn.x[0] * rate[0], wy = m.turn.y[0] * rate[0]; /* w cross z rate */
    m.turn.x += sn__pair_make(0.0, wy);
    m.turn.y -= sn__pair_make(0.0, wx);
    m.lin.x = sn__pair_both(c * lin.x + s * lin.y);
    m.lin.y = sn__pair_both(c * lin.y - s * lin.x);
    m.lin.z = sn__pair_both(lin.z);
  }
  m.field = sn__motion_field(m.turn);
  return m;
}

/* Torque and force on body i as those on its parent. */
static inline sn__vec3_pair pass_on(const sn__body *b, const sn__joints *joints, size_t i,
                                    sn__vec3_pair force) {
  if (b->slides) {
    const sn__vec3_pair out = sn__rot_pair_apply(&b->rot, force);
    const sn_vec3 lin = {out.x[1], out.y[1], out.z[1]};
    const sn_vec3 torque = sn_vec3_cross(origin_of(b, joints->value[i]), lin);
    return sn__vec3_pair_add(out, sn__vec3_pair_make(torque, sn_vec3_make(0, 0, 0)));
  }
  const double s = joints->sine[i], c = joints->cosine[i];
  const sn__vec3_pair turned = {c * force.x - s * force.y, c * force.y + s * force.x, force.z};
  const sn__vec3_pair lin = {sn__pair_both(turned.x[1]), sn__pair_both(turned.y[1]),
                             sn__pair_both(turned.z[1])};
  return sn__vec3_pair_add(sn__rot_pair_apply(&b->rot, turned), sn__rot_pair_apply(&b->lever, lin));
}

static inline sn__vec3_pair pair_sub(sn__vec3_pair a, sn_spatial b) {
  return (sn__vec3_pair){a.x - sn__pair_make(b.ang.x, b.lin.x),
                         a.y - sn__pair_make(b.ang.y, b.lin.y),
                         a.z - sn__pair_make(b.ang.z, b.lin.z)};
}

/* Gravity is taken as an acceleration of the base upwards. */
static void start_at_base(sn__motion *m, const sn_dyn_world *world) {
  if (world->base == NULL) {
    const sn_vec3 up = sn_vec3_neg(world->gravity);
    *m = (sn__motion){.lin = sn__vec3_pair_make(up, up)};
    return;
  }
  const sn_base_state *base = world->base;
  const sn_vec3 gravity = sn_mat3_apply_transposed(base->pose_world_base.rot, world->gravity);
  const sn_vec3 carried = sn_vec3_cross(base->twist.ang, base->twist.lin);
  const sn_vec3 lin = sn_vec3_sub(sn_vec3_add(base->acceleration.lin, carried), gravity);
  m->turn = sn__vec3_pair_make(base->twist.ang, base->acceleration.ang);
  m->lin = sn__vec3_pair_make(lin, lin);
  m->field = sn__motion_field(m->turn);
}

static void forward(sn_dyn_data *data, const sn_spatial *forces, const double *qd,
                    const double *qdd) {
  const size_t n = data->tree->body_count;
  sn__motion m = data->motion[0];
  for (size_t i = 0; i < n; i++) {
    const sn__body *b = &data->body[i + 1];
    if (b->parent != (int)i - 1) { /* most often the parent was the last one */
      m = data->motion[b->parent + 1];
    }
    const sn__pair rate = {qd == NULL ? 0.0 : b->scale * qd[b->coord],
                           qdd == NULL ? 0.0 : b->scale * qdd[b->coord]};
    m = next_motion(b, &data->joints, i, &m, rate);
    sn__vec3_pair force = b->slides ? sn__motion_force(&b->moments, &m, false)
                                    : sn__motion_force(&b->moments, &m, true);
    if (forces != NULL) {
      force = pair_sub(force, forces[i]);
    }
    if (b->branches) {
      data->motion[i + 1] = m;
    }
    data->force[i + 1] = force;
  }
}

/* Forces of the base's children are added to data->force[0] only on request. */
static void backward(sn_dyn_data *data, double *tau, bool to_base) {
  const sn__vec3_pair none = {{0, 0}, {0, 0}, {0, 0}};
  sn__vec3_pair passed = none; /* on body i, if it is the parent of the last one */
  for (size_t i = data->tree->body_count; i-- > 0;) {
    const sn__body *b = &data->body[i + 1];
    const sn__vec3_pair force = sn__vec3_pair_add(data->force[i + 1], passed);
    tau[b->coord] += b->scale * (b->slides ? force.z[1] : force.z[0]);
    passed = none;
    if (b->parent >= 0 || to_base) {
      passed = pass_on(b, &data->joints, i, force);
      if (b->parent != (int)i - 1 || i == 0) {
        data->force[b->parent + 1] = sn__vec3_pair_add(data->force[b->parent + 1], passed);
        passed = none;
      }
    }
  }
}

void sn_dyn_inverse(sn_dyn_data *data, const sn_dyn_world *world_or_null, const double *q,
                    const double *qd, const double *qdd, double *tau, sn_spatial *base_wrench) {
  const sn_dyn_world *world = sn__dyn_world_or_default(world_or_null);
  sn__joints_update(data->tree, q, &data->joints);
  start_at_base(&data->motion[0], world);
  forward(data, world->forces, qd, qdd);
  for (size_t j = 0; j < data->tree->coord_count; j++) {
    tau[j] = 0.0;
  }
  if (base_wrench == NULL) {
    backward(data, tau, false);
    return;
  }
  data->force[0] = sn__motion_force(&data->body[0].moments, &data->motion[0], false);
  backward(data, tau, true);
  const sn__vec3_pair f = data->force[0];
  const sn_spatial wrench = {{f.x[0], f.y[0], f.z[0]}, {f.x[1], f.y[1], f.z[1]}};
  *base_wrench = sn_spatial_sub(wrench, sn__dyn_base_or_default(world->base)->force);
}
