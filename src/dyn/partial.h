/** @file
 *  Internal: the workspace of derivatives.
 *
 *  Everything is in the frame of the base, where sums over the bodies that a joint carries need no
 *  transformation. With s the axis of a joint, v and a the motion of its parent, rotating all that
 *  it carries equals changing the parent's motion by psi = v x s and psi2 = a x s + v x psi
 *  (Singh, Russell, Wensing, "Efficient analytical derivatives of rigid-body dynamics using spatial
 *  vector algebra", 2022).
 *
 *  The force that a velocity x adds to a body in motion is D x = v x* I x - I (v x x) + x x* I v.
 *  For a mass point that is 2 m x.ang x velocity, acting at the point. So D reads the angular part
 *  only, and has the twelve numbers of the matrix below instead of 36. */
#ifndef SN_DYN_PARTIAL_H
#define SN_DYN_PARTIAL_H

#include "dyn/data.h"
#include "sinew/dyn_derivatives.h"

/** Rows of the 3 x 4 matrix [K, p]: K the integral of velocity times position^T over the mass, p
 * the linear momentum. */
typedef struct sn__flow {
  sn__row x, y, z;
} sn__flow;

/** A body and all that it carries; the base comes first. */
typedef struct sn__partial {
  sn__vec6 axis, psi, psi2;
  sn__vec6 force;                    /**< on the body by its parent */
  sn_spatial velocity, acceleration; /**< of the body alone; less gravity */
  sn__moment_sum moments;
  sn__flow flow;
  /* The columns and rows of the joint: */
  sn__vec6 momentum; /**< I s */
  sn__vec6 turn;     /**< D^T s; its linear part is 0 */
  sn__vec6 by_q;     /**< of the force, by the joint's position */
  sn__vec6 by_qd;    /**< likewise by its velocity */
} sn__partial;

/** Rows of a system of equations with the mass matrix: row r has entries only in the columns r,
 * up[r], up[up[r]], ... */
typedef struct sn__system {
  size_t size;
  const int *up;    /**< -1: none */
  const int *entry; /**< of the caller's matrix */
} sn__system;

/** Columns that are solved for at once: their numbers in one row. */
enum { SN__PANEL = 8 };
typedef struct sn__panel {
  sn__pair a, b, c, d;
} sn__panel;

struct sn_dyn_derivatives {
  sn_dyn_data *dyn;
  sn__partial *body; /* [1 + body_count] */
  sn__system fixed, floating;
  double *mass;     /* [size][size], size of the floating system: by entries */
  double *matrix;   /* likewise: its factor, by rows of the system */
  double *by[2];    /* likewise: derivatives of inverse dynamics */
  sn__panel *panel; /* [size] */
  double *vector;   /* [size] */
};

/** Poses, motions, forces and their derivatives of all bodies, the base included. */
void sn__partial_update(sn_dyn_derivatives *data, const sn_dyn_world *world, const double *q,
                        const double *qd, const double *qdd);

/** D x of a body with this flow; @p x is an angular velocity. */
sn_spatial sn__flow_apply(const sn__flow *flow, sn_vec3 x);

/** Add up the flows of two bodies. */
static inline sn__flow sn__flow_add(const sn__flow *a, const sn__flow *b) {
  const sn__flow sum = {{a->x.xy + b->x.xy, a->x.zp + b->x.zp},
                        {a->y.xy + b->y.xy, a->y.zp + b->y.zp},
                        {a->z.xy + b->z.xy, a->z.zp + b->z.zp}};
  return sum;
}

#endif
