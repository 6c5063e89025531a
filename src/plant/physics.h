/** @file
 *  Internal: what moves the joints of a plant. One interface, so that the physics can be somebody
 *  else's. */
#ifndef SN_PLANT_PHYSICS_H
#define SN_PLANT_PHYSICS_H

#include "plant/axle.h"
#include "sinew/arena.h"
#include "sinew/status.h"
#include "sinew/tree.h"
#include "sinew/vec3.h"

/** Of all joints; arrays have an entry for each place of the sorted pose. */
typedef struct sn__joint_motion {
  double *q, *qd; /**< at the beginning, then at the end of the step */
  double *qdd;    /**< out: mean acceleration during the step */
  double *load;   /**< out: what the servos and the friction and stops of the joints delivered:
                       inertia of the robot, gravity, less pushes */
} sn__joint_motion;

/** First member of an implementation. */
typedef struct sn__physics {
  /** Advance by @p h_s. Finite in, finite out. RT: yes */
  void (*step)(struct sn__physics *physics, const sn__axle *axles, sn_vec3 gravity, double h_s,
               sn__joint_motion *motion);
  /** The state was set from outside: forget all about the past. RT: yes; may be NULL */
  void (*reset)(struct sn__physics *physics, const sn__joint_motion *motion);
  /** Free what is not in the arena. May be NULL */
  void (*release)(struct sn__physics *physics);
} sn__physics;

/** Our own. Opaque; lives in the arena. */
typedef struct sn__rigid sn__rigid;

/** @param tree      must outlive it, and have no massless_link. NULL: each joint by itself, without
 *                   gravity
 *  @param n         entries of the pose
 *  @param inertias  n, copied: of each joint by itself; read without a tree
 *  @return NULL if there is no memory */
sn__rigid *sn__rigid_create(sn_arena *arena, const sn_tree *tree, size_t n, const double *inertias);

/** Which entries move something that has mass. @param has_mass  coord_count, false before */
void sn__find_massive(const sn_tree *tree, bool *has_mass);

sn__physics *sn__rigid_physics(sn__rigid *rigid);

/** How hard the coupled equations were, since the creation. */
typedef struct sn__rigid_counts {
  unsigned long steps;
  unsigned long solves;   /**< factorisations; 1 a step is the least */
  unsigned long failures; /**< steps that ended near the solution, not at it */
} sn__rigid_counts;

const sn__rigid_counts *sn__rigid_counts_now(const sn__rigid *rigid);

#endif
