/** @file
 *  Internal: the workspace of dynamics, and what its algorithms share. */
#ifndef SN_DYN_DATA_H
#define SN_DYN_DATA_H

#include "kin/joint.h"
#include "sinew/dyn.h"

/** What inverse dynamics reads of a body. The second moments of mass are used instead of the
 *  inertia tensor: the torque of a motion with acceleration field A r is then the skew part of
 *  A times them, which takes fewer operations. */
typedef struct sn__mass {
  double mass_kg;
  sn_vec3 h;      /**< mass times centre of mass */
  sn_sym3 second; /**< integral of r r^T over the mass; trace(tensor)/2 - tensor */
} sn__mass;

/** How a body moves, in its own frame. */
typedef struct sn__motion {
  sn_vec3 velocity;     /**< angular velocity */
  sn_vec3 acceleration; /**< angular acceleration */
  sn_vec3 lin;          /**< acceleration of the origin, less gravity */
  sn_mat3 field;        /**< a point r of the body accelerates by lin + field r */
} sn__motion;

/** A 6 x 6 symmetric matrix over motions, in blocks: [ang, cross; cross^T, lin]. */
typedef struct sn__sym6 {
  sn_sym3 ang, lin;
  sn_mat3 cross;
} sn__sym6;

/** What forward dynamics keeps of a body, in the frame of the base. */
typedef struct sn__articulated {
  sn__sym6 inertia;
  sn_spatial bias;     /**< force of the articulated body at zero acceleration */
  sn_spatial velocity; /**< of the body */
  sn_spatial drift;    /**< acceleration that velocities alone cause at the joint */
  sn_spatial force;    /**< inertia times axis */
  double inverse;      /**< 1 / (axis . force) */
  double tau;          /**< what is left of the joint's force */
} sn__articulated;

struct sn_dyn_data {
  const sn_tree *tree;
  sn__joints joints;
  bool simple; /* every body has an entry of its own and follows it one to one */

  /* [1 + body_count]: the base, then the bodies */
  sn__mass *mass;
  sn__motion *motion;
  sn_spatial *force; /* on the body by its parent, in the frame of the body */
  sn__articulated *articulated;

  /* [body_count] */
  sn_pose *pose;        /* in the parent for inverse dynamics, in the base for the others */
  sn_inertia *composed; /* of the body and all it carries, in the frame of the base */
  sn_spatial *axis;     /* motion of the body at unit joint velocity, in the frame of the base */
  sn_spatial *momentum; /* of all it carries, at unit joint velocity, in the frame of the base */

  bool *idle;     /* [coord_count]: moves no body */
  double *matrix; /* [size][size], size the larger of bodies and entries, plus 6 */
  double *vector; /* [size] */
  bool has_factor;
};

/** Motion of a body at unit joint velocity, in the frame of the base. */
static inline sn_spatial sn__dyn_axis(const sn_pose *pose, bool slides) {
  const sn_vec3 z = pose->rot.z;
  const sn_spatial slide = {{0, 0, 0}, z}, turn = {z, sn_vec3_cross(pose->pos, z)};
  return slides ? slide : turn;
}

/** As sn_inertia_out(), in line. */
static inline sn_inertia sn__dyn_inertia_out(const sn_pose *pose, const sn_inertia *inertia) {
  return sn_inertia_out(*pose, *inertia);
}

/** Poses of all bodies in the base at @p q. */
void sn__dyn_poses(sn_dyn_data *data, const double *q);

/** Poses, axes, composed inertias and momenta at @p q. @return the inertia of the whole robot. */
sn_inertia sn__dyn_compose(sn_dyn_data *data, const double *q);

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
sn_dyn_world sn__dyn_world_or_default(const sn_dyn_world *world);

/** Base or its default. */
sn_base_state sn__dyn_base_or_default(const sn_base_state *base);

#endif
