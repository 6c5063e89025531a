/** @file
 *  Internal: the workspace of dynamics, and what its algorithms share. */
#ifndef SN_DYN_DATA_H
#define SN_DYN_DATA_H

#include "dyn/moments.h"
#include "dyn/motion.h"
#include "dyn/vec6.h"
#include "kin/joint.h"
#include "sinew/dyn.h"

/** Constants of a body, in one place for inverse dynamics. */
typedef struct sn__body {
  sn__moments moments;
  sn__rot_pair rot;   /**< of the joint at value 0, in the parent's frame */
  sn_vec3 pos;        /**< likewise */
  sn__rot_pair lever; /**< pos cross rot in the first halves, 0 in the second: the torque of a force
                           on the body about the parent's origin */
  double scale;       /**< of joint value to entry */
  int parent;
  int coord;
  bool weightless; /**< no mass at or below it: a virtual link, ignored by dynamics
                    */
  bool slides;
  bool branches; /**< carries another body than the next */
} sn__body;

/** State of a body in forward dynamics, in the frame of the base. */
typedef struct sn__articulated {
  sn__sym6 inertia;
  sn__vec6 bias;       /**< force of the articulated body while the joints do not accelerate */
  sn__vec6 axis;       /**< motion of the body at unit joint velocity */
  sn__vec6 force;      /**< inertia times axis */
  sn_spatial velocity; /**< of the body */
  sn_spatial drift;    /**< its acceleration while the joints do not accelerate, less gravity */
  double inverse;      /**< 1 / (axis . force) */
  double tau;          /**< the joint's force minus the bias */
} sn__articulated;

struct sn_dyn_data {
  const sn_tree *tree;
  sn__joints joints;
  bool simple; /* every body has its own entry and follows it one to one */

  /* [1 + body_count]: the base, then the bodies */
  sn__body *body;
  sn_inertia *inertia; /* as the moments: those that turn lack the mass on their axis */
  sn__motion *motion;
  sn__vec3_pair *force;   /* torque and force on the body by its parent, in its frame */
  sn__vec6 *acceleration; /* in the frame of the base */
  sn__articulated *articulated;

  /* [body_count] */
  sn__rows *pose;           /* in the base */
  sn__moment_sum *composed; /* of the body and all it carries, in the frame of the base */
  sn_spatial *axis;     /* motion of the body at unit joint velocity, in the frame of the base */
  sn_spatial *momentum; /* of all it carries, at unit joint velocity, in the frame of the base */

  bool *idle;     /* [coord_count]: moves no mass */
  double *matrix; /* [size][size], size the larger of bodies and entries, plus 6; NULL: none */
  double *vector; /* [size] */
  bool has_factor;
};

/** Motion of a body at unit joint velocity, in the frame of the base. */
static inline sn_spatial sn__dyn_axis(const sn__rows *pose, bool slides) {
  const sn_vec3 z = sn__rows_axis(pose);
  const sn_spatial slide = {{0, 0, 0}, z}, turn = {z, sn_vec3_cross(sn__rows_pos(pose), z)};
  return slides ? slide : turn;
}

/** Moments of a body at this pose in the base. */
static inline sn__moment_sum sn__dyn_moments(const sn__body *body, const sn__rows *pose) {
  return body->slides ? sn__moments_out(pose, &body->moments, false)
                      : sn__moments_out(pose, &body->moments, true);
}

/** Force of a rigid body that moves and accelerates so, in one frame. */
static inline sn__vec6 sn__dyn_rigid_force(const sn__moments *moments, sn_spatial velocity,
                                           sn_spatial acceleration) {
  const sn__vec3_pair turn = sn__vec3_pair_make(velocity.ang, acceleration.ang);
  const sn_vec3 carried = sn_vec3_cross(velocity.ang, velocity.lin);
  const sn_vec3 lin = sn_vec3_add(acceleration.lin, carried);
  const sn__motion motion = {turn, sn__motion_field(turn), sn__vec3_pair_make(lin, lin)};
  return sn__vec6_from_pair(sn__motion_force(moments, &motion, false));
}

/** Poses, axes, composed inertias and momenta at @p q. @return the inertia of the whole robot. */
sn_inertia sn__dyn_compose(sn_dyn_data *data, const double *q);

/** The same as sn_dyn_create(), but without the mass matrix, whose memory grows with the square of
 *  the joints: for all but sn_dyn_forward(), sn_dyn_forward_floating() and sn__dyn_mass_factor().
 */
sn_status sn__dyn_create_small(sn_arena *arena, const sn_tree *tree, sn_dyn_data **out,
                               sn_error *err);

/** Mass matrix after sn__dyn_compose(), coord_count square. */
void sn__dyn_fill_mass(const sn_dyn_data *data, double *mass);

/** Likewise with the base, coord_count + 6 square. */
void sn__dyn_fill_mass_floating(const sn_dyn_data *data, sn_inertia whole, double *mass);

/** sn_dyn_forward() and sn_dyn_forward_floating() for any tree. */
sn_status sn__dyn_forward_by_mass(sn_dyn_data *data, const sn_dyn_world *world, const double *q,
                                  const double *qd, const double *tau, double *qdd);
sn_status sn__dyn_forward_floating_by_mass(sn_dyn_data *data, const sn_dyn_world *world,
                                           const double *q, const double *qd, const double *tau,
                                           double *qdd, sn_spatial *base_acceleration);

/** World or its default. */
const sn_dyn_world *sn__dyn_world_or_default(const sn_dyn_world *world);

/** Base or its default. */
const sn_base_state *sn__dyn_base_or_default(const sn_base_state *base);

#endif
