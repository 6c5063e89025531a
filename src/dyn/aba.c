/* Articulated bodies: Featherstone, *Rigid Body Dynamics Algorithms* (2008), section 7.3, all in
   the frame of the base. Articulated inertias then add up without being transformed, which is most
   of the work in the frames of the bodies. A base that moves counts as an inertial frame that
   happens to be where the base is. */
#include <string.h>

#include "dyn/data.h"
#include "sinew/dense.h"
#include "sinew/dyn.h"
#include "sinew/fault.h"

static inline sn__sym6 sym6_from_inertia(const sn_inertia *i) {
  return (sn__sym6){
      .ang = i->tensor,
      .lin = {i->mass_kg, i->mass_kg, i->mass_kg, 0, 0, 0},
      .cross = {{0, i->h.z, -i->h.y}, {-i->h.z, 0, i->h.x}, {i->h.y, -i->h.x, 0}},
  };
}

static inline sn_spatial sym6_apply(const sn__sym6 *m, sn_spatial v) {
  return (sn_spatial){
      sn_vec3_add(sn_sym3_apply(m->ang, v.ang), sn_mat3_apply(m->cross, v.lin)),
      sn_vec3_add(sn_mat3_apply_transposed(m->cross, v.ang), sn_sym3_apply(m->lin, v.lin))};
}

static inline sn_sym3 sym3_add_square(sn_sym3 s, double k, sn_vec3 u) {
  const sn_vec3 w = sn_vec3_scale(u, k);
  return (sn_sym3){s.xx + w.x * u.x, s.yy + w.y * u.y, s.zz + w.z * u.z,
                   s.xy + w.x * u.y, s.xz + w.x * u.z, s.yz + w.y * u.z};
}

/* m + k u u^T */
static inline sn__sym6 sym6_add_square(const sn__sym6 *m, double k, sn_spatial u) {
  return (sn__sym6){
      .ang = sym3_add_square(m->ang, k, u.ang),
      .lin = sym3_add_square(m->lin, k, u.lin),
      .cross = {sn_vec3_add_scaled(m->cross.x, k * u.lin.x, u.ang),
                sn_vec3_add_scaled(m->cross.y, k * u.lin.y, u.ang),
                sn_vec3_add_scaled(m->cross.z, k * u.lin.z, u.ang)},
  };
}

static inline void sym6_add(sn__sym6 *m, const sn__sym6 *other) {
  m->ang = sn_sym3_add(m->ang, other->ang);
  m->lin = sn_sym3_add(m->lin, other->lin);
  m->cross.x = sn_vec3_add(m->cross.x, other->cross.x);
  m->cross.y = sn_vec3_add(m->cross.y, other->cross.y);
  m->cross.z = sn_vec3_add(m->cross.z, other->cross.z);
}

static void start_at_base(sn_dyn_data *data, const sn_base_state *base) {
  const sn_inertia *inertia = &data->tree->base_inertia;
  const sn_spatial momentum = sn_inertia_apply(*inertia, base->twist);
  sn__articulated *a = &data->articulated[0];
  a->inertia = sym6_from_inertia(inertia);
  a->velocity = base->twist;
  a->bias = sn_spatial_sub(sn_spatial_cross_force(base->twist, momentum), base->force);
}

/* Velocities, and each body for itself. */
static void outward(sn_dyn_data *data, const sn_spatial *forces, const double *qd) {
  const sn_tree *tree = data->tree;
  for (size_t i = 0; i < tree->body_count; i++) {
    const sn_pose *pose = &data->pose[i];
    const sn_spatial axis = sn__dyn_axis(pose, tree->prismatic[i]);
    const sn_spatial step = sn_spatial_scale(axis, qd == NULL ? 0.0 : qd[tree->coord[i]]);
    const sn_spatial carried = data->articulated[tree->parent[i] + 1].velocity;
    const sn_inertia inertia = sn__dyn_inertia_out(pose, &tree->inertia[i]);
    sn__articulated *a = &data->articulated[i + 1];
    a->velocity = sn_spatial_add(carried, step);
    a->drift = sn_spatial_cross_motion(carried, step);
    a->inertia = sym6_from_inertia(&inertia);
    a->bias = sn_spatial_cross_force(a->velocity, sn_inertia_apply(inertia, a->velocity));
    if (forces != NULL) {
      a->bias = sn_spatial_sub(a->bias, sn_spatial_force_out(*pose, forces[i]));
    }
    data->axis[i] = axis;
  }
}

/* From the tips: what each body with all it carries feels like, its joints giving way. */
static bool inward(sn_dyn_data *data, const double *tau) {
  const sn_tree *tree = data->tree;
  for (size_t i = tree->body_count; i-- > 0;) {
    sn__articulated *a = &data->articulated[i + 1];
    sn__articulated *carrier = &data->articulated[tree->parent[i] + 1];
    const sn_spatial axis = data->axis[i];
    const sn_spatial force = sym6_apply(&a->inertia, axis);
    const double resistance = sn_spatial_dot(axis, force);
    if (!(resistance > 0.0)) { /* also rejects NaN */
      return false;
    }
    a->force = force;
    a->inverse = 1.0 / resistance;
    a->tau = (tau == NULL ? 0.0 : tau[tree->coord[i]]) - sn_spatial_dot(axis, a->bias);
    const double push = a->inverse * (a->tau - sn_spatial_dot(force, a->drift));
    const sn_spatial drift_force = sym6_apply(&a->inertia, a->drift);
    const sn__sym6 inertia = sym6_add_square(&a->inertia, -a->inverse, force);
    sym6_add(&carrier->inertia, &inertia);
    const sn_spatial bias = sn_spatial_add(a->bias, drift_force);
    carrier->bias =
        sn_spatial_add(carrier->bias, sn_spatial_add(bias, sn_spatial_scale(force, push)));
  }
  return true;
}

/* From the base: accelerations. */
static void solve_joints(sn_dyn_data *data, sn_spatial base_acceleration, double *qdd) {
  const sn_tree *tree = data->tree;
  sn_spatial *acceleration = data->force;
  acceleration[0] = base_acceleration;
  memset(qdd, 0, tree->coord_count * sizeof *qdd);
  for (size_t i = 0; i < tree->body_count; i++) {
    const sn__articulated *a = &data->articulated[i + 1];
    const sn_spatial carried = sn_spatial_add(acceleration[tree->parent[i] + 1], a->drift);
    const double rate = a->inverse * (a->tau - sn_spatial_dot(a->force, carried));
    acceleration[i + 1] = sn_spatial_add(carried, sn_spatial_scale(data->axis[i], rate));
    qdd[tree->coord[i]] = rate;
  }
}

/* Gravity is taken as an acceleration of the base upwards: this much is added to it. */
static sn_spatial against_gravity(const sn_dyn_world *world, const sn_base_state *base) {
  const sn_vec3 g = sn_mat3_apply_transposed(base->pose_world_base.rot, world->gravity);
  return (sn_spatial){{0, 0, 0}, sn_vec3_neg(g)};
}

static bool solve_base(const sn__articulated *base, sn_spatial *acceleration) {
  const sn_sym3 j = base->inertia.ang, m = base->inertia.lin;
  const sn_mat3 c = base->inertia.cross;
  double matrix[36] = {
      j.xx,  0,     0,     0,    0,    0,    /* lower triangle */
      j.xy,  j.yy,  0,     0,    0,    0,    /**/
      j.xz,  j.yz,  j.zz,  0,    0,    0,    /**/
      c.x.x, c.x.y, c.x.z, m.xx, 0,    0,    /**/
      c.y.x, c.y.y, c.y.z, m.xy, m.yy, 0,    /**/
      c.z.x, c.z.y, c.z.z, m.xz, m.yz, m.zz, /**/
  };
  const sn_spatial p = base->bias;
  double x[6] = {-p.ang.x, -p.ang.y, -p.ang.z, -p.lin.x, -p.lin.y, -p.lin.z};
  if (!sn_cholesky_factor(6, matrix)) {
    return false;
  }
  sn_cholesky_solve(6, matrix, x);
  *acceleration = (sn_spatial){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
  return true;
}

static bool articulate(sn_dyn_data *data, const sn_dyn_world *world, const sn_base_state *base,
                       const double *q, const double *qd, const double *tau) {
  sn__dyn_poses(data, q);
  start_at_base(data, base);
  outward(data, world->forces, qd);
  return inward(data, tau);
}

sn_status sn_dyn_forward(sn_dyn_data *data, const sn_dyn_world *world_or_null, const double *q,
                         const double *qd, const double *tau, double *qdd) {
  const sn_dyn_world world = sn__dyn_world_or_default(world_or_null);
  if (data->tree->has_mimic) {
    return sn__dyn_forward_by_mass(data, &world, q, qd, tau, qdd);
  }
  const sn_base_state base = sn__dyn_base_or_default(world.base);
  if (!articulate(data, &world, &base, q, qd, tau)) {
    return SN_EMODEL;
  }
  solve_joints(data, sn_spatial_add(base.acceleration, against_gravity(&world, &base)), qdd);
  return SN_OK;
}

sn_status sn_dyn_forward_floating(sn_dyn_data *data, const sn_dyn_world *world, const double *q,
                                  const double *qd, const double *tau, double *qdd,
                                  sn_spatial *base_acceleration) {
  SN_ASSERT(world != NULL);
  SN_ASSERT(world->base != NULL);
  SN_ASSERT(base_acceleration != NULL);
  if (data->tree->has_mimic) {
    return sn__dyn_forward_floating_by_mass(data, world, q, qd, tau, qdd, base_acceleration);
  }
  sn_spatial felt;
  if (!articulate(data, world, world->base, q, qd, tau) ||
      !solve_base(&data->articulated[0], &felt)) {
    return SN_EMODEL;
  }
  solve_joints(data, felt, qdd);
  *base_acceleration = sn_spatial_sub(felt, against_gravity(world, world->base));
  return SN_OK;
}
