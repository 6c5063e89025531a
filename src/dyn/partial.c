/* One pass out and one in: what all derivatives have in common. */
#include "dyn/partial.h"

#include "sinew/dyn.h"

static inline sn_spatial spatial(sn__vec6 v) {
  sn_spatial s;
  sn__vec6_store(v, &s);
  return s;
}

static inline sn__vec6 vec6(sn_spatial s) {
  return sn__vec6_load(&s);
}

/* A row (y, z, l) of the matrix of velocities, times three rows of the moments. */
static inline sn__row flow_row(double a, const sn__row *y, double b, const sn__row *z, double l,
                               const sn__row *w) {
  const sn__row row = {a * y->xy + b * z->xy + l * w->xy, a * y->zp + b * z->zp + l * w->zp};
  return row;
}

static inline sn__flow flow_of(const sn__moments *m, sn_spatial v) {
  const sn__flow flow = {flow_row(-v.ang.z, &m->y, v.ang.y, &m->z, v.lin.x, &m->w),
                         flow_row(v.ang.z, &m->x, -v.ang.x, &m->z, v.lin.y, &m->w),
                         flow_row(-v.ang.y, &m->x, v.ang.x, &m->y, v.lin.z, &m->w)};
  return flow;
}

static inline sn_vec3 flow_momentum(const sn__flow *f) {
  return sn_vec3_make(f->x.zp[1], f->y.zp[1], f->z.zp[1]);
}

static inline double flow_trace(const sn__flow *f) {
  return f->x.xy[0] + f->y.xy[1] + f->z.zp[0];
}

/* D x, of which only the angular part of x matters. */
static inline sn_spatial flow_apply(const sn__flow *f, sn_vec3 x) {
  const sn_vec3 k = {f->x.xy[0] * x.x + f->x.xy[1] * x.y + f->x.zp[0] * x.z,
                     f->y.xy[0] * x.x + f->y.xy[1] * x.y + f->y.zp[0] * x.z,
                     f->z.xy[0] * x.x + f->z.xy[1] * x.y + f->z.zp[0] * x.z};
  const sn_vec3 ang = sn_vec3_sub(sn_vec3_scale(x, flow_trace(f)), k);
  const sn_vec3 lin = sn_vec3_cross(x, flow_momentum(f));
  return (sn_spatial){sn_vec3_add(ang, ang), sn_vec3_add(lin, lin)};
}

/* D^T s, whose linear part is 0. */
static inline sn_spatial flow_apply_transposed(const sn__flow *f, sn_spatial s) {
  const sn_vec3 x = s.ang;
  const sn_vec3 k = {f->x.xy[0] * x.x + f->y.xy[0] * x.y + f->z.xy[0] * x.z,
                     f->x.xy[1] * x.x + f->y.xy[1] * x.y + f->z.xy[1] * x.z,
                     f->x.zp[0] * x.x + f->y.zp[0] * x.y + f->z.zp[0] * x.z};
  const sn_vec3 carried = sn_vec3_cross(flow_momentum(f), s.lin);
  const sn_vec3 ang = sn_vec3_add(sn_vec3_sub(sn_vec3_scale(x, flow_trace(f)), k), carried);
  return (sn_spatial){sn_vec3_add(ang, ang), {0, 0, 0}};
}

static sn_spatial base_acceleration(const sn_dyn_world *world) {
  const sn_base_state *base = sn__dyn_base_or_default(world->base);
  const sn_vec3 g = sn_mat3_apply_transposed(base->pose_world_base.rot, world->gravity);
  return (sn_spatial){base->acceleration.ang, sn_vec3_sub(base->acceleration.lin, g)};
}

/* Mass, momentum and force of a single body whose motion is known. */
static inline void isolate(sn__partial *p) {
  const sn__moments moments = sn__moment_sum_matrix(&p->moments);
  p->flow = flow_of(&moments, p->velocity);
  p->force = sn__dyn_rigid_force(&moments, p->velocity, p->acceleration);
}

static void start_at_base(sn_dyn_derivatives *data, const sn_dyn_world *world) {
  const sn_base_state *base = sn__dyn_base_or_default(world->base);
  const sn__rows identity = sn__rows_identity();
  sn__partial *p = &data->body[0];
  p->velocity = base->twist;
  p->acceleration = base_acceleration(world);
  p->moments = sn__moments_out(&identity, &data->dyn->body[0].moments, false);
  isolate(p);
  p->force = sn__vec6_add_scaled(p->force, -1.0, vec6(base->force));
}

static void outward(sn_dyn_derivatives *data, const sn_spatial *forces, const double *qd,
                    const double *qdd) {
  sn_dyn_data *dyn = data->dyn;
  sn__rows pose = sn__rows_identity();
  for (size_t i = 0; i < dyn->tree->body_count; i++) {
    const sn__body *b = &dyn->body[i + 1];
    pose = sn__tree_step(dyn->tree, &dyn->joints, i, &pose, dyn->pose);
    dyn->pose[i] = pose;
    const sn__partial *parent = &data->body[b->parent + 1];
    const sn_spatial v = parent->velocity, a = parent->acceleration;
    const double rate = qd == NULL ? 0.0 : b->scale * qd[b->coord];
    const double rate_rate = qdd == NULL ? 0.0 : b->scale * qdd[b->coord];
    const sn_spatial axis = sn__dyn_axis(&pose, b->slides);
    const sn_spatial psi = sn_spatial_cross_motion(v, axis);
    sn__partial *p = &data->body[i + 1];
    p->axis = vec6(axis);
    p->psi = vec6(psi);
    p->psi2 =
        vec6(sn_spatial_add(sn_spatial_cross_motion(a, axis), sn_spatial_cross_motion(v, psi)));
    sn__vec6_store(sn__vec6_add_scaled(vec6(v), rate, p->axis), &p->velocity);
    const sn__vec6 carried = sn__vec6_add_scaled(vec6(a), rate, p->psi);
    sn__vec6_store(sn__vec6_add_scaled(carried, rate_rate, p->axis), &p->acceleration);
    p->moments = sn__dyn_moments(b, &pose);
    isolate(p);
    if (forces != NULL) {
      const sn_spatial force = sn_spatial_force_out(sn__rows_to_pose(&pose), forces[i]);
      p->force = sn__vec6_add_scaled(p->force, -1.0, vec6(force));
    }
  }
}

/* Columns and rows of a joint, from all that it carries. */
static inline void finish(sn__partial *p) {
  const sn_spatial s = spatial(p->axis), psi = spatial(p->psi), psi2 = spatial(p->psi2);
  const sn_inertia inertia = sn__moment_sum_inertia(&p->moments);
  const sn__vec6 slow = vec6(sn_inertia_apply(inertia, psi));
  const sn__vec6 turned = vec6(sn_spatial_cross_force(s, spatial(p->force)));
  const sn__vec6 accelerated = vec6(sn_inertia_apply(inertia, psi2));
  p->momentum = vec6(sn_inertia_apply(inertia, s));
  p->turn = vec6(flow_apply_transposed(&p->flow, s));
  p->by_q = sn__vec6_add(sn__vec6_add(turned, accelerated), vec6(flow_apply(&p->flow, psi.ang)));
  p->by_qd = sn__vec6_add_scaled(vec6(flow_apply(&p->flow, s.ang)), 2.0, slow);
}

static void inward(sn_dyn_derivatives *data) {
  const sn_dyn_data *dyn = data->dyn;
  for (size_t i = dyn->tree->body_count; i-- > 0;) {
    sn__partial *p = &data->body[i + 1];
    sn__partial *parent = &data->body[dyn->body[i + 1].parent + 1];
    finish(p);
    parent->force = sn__vec6_add(parent->force, p->force);
    parent->moments = sn__moment_sum_add(parent->moments, &p->moments);
    parent->flow = sn__flow_add(&parent->flow, &p->flow);
  }
}

void sn__partial_update(sn_dyn_derivatives *data, const sn_dyn_world *world, const double *q,
                        const double *qd, const double *qdd) {
  sn__joints_update(data->dyn->tree, q, &data->dyn->joints);
  start_at_base(data, world);
  outward(data, world->forces, qd, qdd);
  inward(data);
}

sn_spatial sn__flow_apply(const sn__flow *flow, sn_vec3 x) {
  return flow_apply(flow, x);
}
