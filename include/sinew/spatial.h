/** @file
 *  Spatial vectors (angular part first) and rigid-body inertia, after Featherstone, *Rigid Body
 *  Dynamics Algorithms* (2008), chapter 2. RT: yes, all of it.  Threads: any. */
#ifndef SINEW_SPATIAL_H
#define SINEW_SPATIAL_H

#include "sinew/api.h"
#include "sinew/pose.h"
#include "sinew/vec3.h"

SN_BEGIN_DECLS

/** A motion (angular velocity rad/s, linear velocity m/s of the frame's origin) or a force (torque
 *  about the frame's origin N·m, force N). */
typedef struct sn_spatial {
  sn_vec3 ang, lin;
} sn_spatial;

/** Of a body, about the origin of the frame it is expressed in. */
typedef struct sn_inertia {
  double mass_kg;
  sn_vec3 h;      /**< mass times centre of mass, kg·m */
  sn_sym3 tensor; /**< about the origin of the frame, kg·m² */
} sn_inertia;

static inline sn_spatial sn_spatial_zero(void) {
  const sn_spatial s = {{0, 0, 0}, {0, 0, 0}};
  return s;
}

static inline sn_spatial sn_spatial_add(sn_spatial a, sn_spatial b) {
  const sn_spatial s = {sn_vec3_add(a.ang, b.ang), sn_vec3_add(a.lin, b.lin)};
  return s;
}

static inline sn_spatial sn_spatial_sub(sn_spatial a, sn_spatial b) {
  const sn_spatial s = {sn_vec3_sub(a.ang, b.ang), sn_vec3_sub(a.lin, b.lin)};
  return s;
}

static inline sn_spatial sn_spatial_scale(sn_spatial a, double k) {
  const sn_spatial s = {sn_vec3_scale(a.ang, k), sn_vec3_scale(a.lin, k)};
  return s;
}

/** Power of a force on a motion, or any such product. */
static inline double sn_spatial_dot(sn_spatial a, sn_spatial b) {
  return sn_vec3_dot(a.ang, b.ang) + sn_vec3_dot(a.lin, b.lin);
}

/** Motion cross motion: the rate of change of m when carried along by v. */
static inline sn_spatial sn_spatial_cross_motion(sn_spatial v, sn_spatial m) {
  const sn_spatial s = {sn_vec3_cross(v.ang, m.ang),
                        sn_vec3_add(sn_vec3_cross(v.ang, m.lin), sn_vec3_cross(v.lin, m.ang))};
  return s;
}

/** Motion cross force: the rate of change of f when carried along by v. */
static inline sn_spatial sn_spatial_cross_force(sn_spatial v, sn_spatial f) {
  const sn_spatial s = {sn_vec3_add(sn_vec3_cross(v.ang, f.ang), sn_vec3_cross(v.lin, f.lin)),
                        sn_vec3_cross(v.ang, f.lin)};
  return s;
}

/** A motion of the outer frame, expressed in the inner frame of pose_outer_inner. */
static inline sn_spatial sn_spatial_motion_in(sn_pose p, sn_spatial m) {
  const sn_vec3 lin = sn_vec3_sub(m.lin, sn_vec3_cross(p.pos, m.ang));
  const sn_spatial s = {sn_mat3_apply_transposed(p.rot, m.ang),
                        sn_mat3_apply_transposed(p.rot, lin)};
  return s;
}

/** A motion of the inner frame, expressed in the outer frame of pose_outer_inner. */
static inline sn_spatial sn_spatial_motion_out(sn_pose p, sn_spatial m) {
  const sn_vec3 ang = sn_mat3_apply(p.rot, m.ang);
  const sn_spatial s = {ang, sn_vec3_add(sn_mat3_apply(p.rot, m.lin), sn_vec3_cross(p.pos, ang))};
  return s;
}

/** A force of the inner frame, expressed in the outer frame of pose_outer_inner. */
static inline sn_spatial sn_spatial_force_out(sn_pose p, sn_spatial f) {
  const sn_vec3 lin = sn_mat3_apply(p.rot, f.lin);
  const sn_spatial s = {sn_vec3_add(sn_mat3_apply(p.rot, f.ang), sn_vec3_cross(p.pos, lin)), lin};
  return s;
}

/** A force of the outer frame, expressed in the inner frame of pose_outer_inner. */
static inline sn_spatial sn_spatial_force_in(sn_pose p, sn_spatial f) {
  const sn_vec3 ang = sn_vec3_sub(f.ang, sn_vec3_cross(p.pos, f.lin));
  const sn_spatial s = {sn_mat3_apply_transposed(p.rot, ang),
                        sn_mat3_apply_transposed(p.rot, f.lin)};
  return s;
}

/** Momentum (a force-like vector) of the body moving with @p m. */
static inline sn_spatial sn_inertia_apply(sn_inertia i, sn_spatial m) {
  const sn_spatial s = {sn_vec3_add(sn_sym3_apply(i.tensor, m.ang), sn_vec3_cross(i.h, m.lin)),
                        sn_vec3_sub(sn_vec3_scale(m.lin, i.mass_kg), sn_vec3_cross(i.h, m.ang))};
  return s;
}

SN_END_DECLS

#endif
