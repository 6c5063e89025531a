/** @file
 *  Internal: the interface of the physics of a plant, with several implementations. */
#ifndef SN_PLANT_PHYSICS_H
#define SN_PLANT_PHYSICS_H

#include "plant/rigid/axle.h"
#include "plant/rigid/contacts.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/status.h"
#include "sinew/vec3.h"

/** State of all joints; arrays have an entry for each joint of the sorted pose. */
typedef struct sn__joint_motion {
  double *q, *qd; /**< at the beginning, then at the end of the step */
  double *qdd;    /**< out: mean acceleration during the step */
  double *load;   /**< out: torque of servos, joint friction and stops: inertia of the robot,
                   *  gravity, minus pushes */
} sn__joint_motion;

/** State of a floating base. */
typedef struct sn__base_motion {
  sn_pose pose_world_base; /**< at the beginning, then at the end of the step */
  sn_spatial twist;        /**< likewise; relative to the world, in the frame of the base */
  sn_spatial acceleration; /**< out: mean rate of change of `twist` during the step */
} sn__base_motion;

/** External wrench on a body. */
typedef struct sn__body_push {
  int body;          /**< of the tree; -1: the base */
  sn_vec3 at;        /**< point of application, in the frame of the body */
  sn_spatial wrench; /**< about that point, in the axes of the world */
} sn__body_push;

/** What acts on the robot during a step. */
typedef struct sn__influences {
  const sn__axle *axles; /**< an entry for each joint of the sorted pose */
  sn_vec3 gravity;       /**< in the frame of the world, which is that of a fixed base */
  const sn__body_push *pushes;
  size_t push_count;
} sn__influences;

/** First member of an implementation. */
typedef struct sn__physics {
  /** Advance by @p h_s. Finite in, finite out. With contacts it also writes `force_N` and
   *  `is_touching` of each contact point.
   *  @param base  NULL: fixed
   *  RT: yes */
  void (*step)(struct sn__physics *physics, const sn__influences *acting, double h_s,
               sn__joint_motion *motion, sn__base_motion *base);
  /** The state was set externally: reset internal state.
   *  @param base  NULL: fixed
   *  RT: yes; may be NULL */
  void (*reset)(struct sn__physics *physics, const sn__joint_motion *motion,
                const sn__base_motion *base);
  /** Free what is not in the arena. May be NULL */
  void (*release)(struct sn__physics *physics);
} sn__physics;

/** The robot for an implementation; everything must outlive it. */
typedef struct sn__physics_setup {
  const sn_model *model;
  const sn__axle *axles;  /**< pose_size, with the constant fields set */
  bool floats;            /**< the base moves */
  sn__contacts *contacts; /**< with the ground, whose description they contain; NULL: no ground */
} sn__physics_setup;

/** Creates physics in the arena. @return NULL with the reason */
typedef sn__physics *sn__physics_maker(sn_arena *arena, const sn__physics_setup *setup,
                                       sn_error *err);

/** Sinew's physics. Opaque; lives in the arena. */
typedef struct sn__rigid sn__rigid;

/** Configuration of a robot. */
typedef struct sn__rigid_config {
  const sn_tree *tree; /**< must outlive it, and have no massless_link. NULL: independent joints,
                        *  without gravity */
  size_t entry_count;  /**< of the pose */
  const double
      *inertias; /**< entry_count, copied: of each independent joint; used without a tree */
  bool floats;   /**< the base moves; needs a tree */
  sn__contacts *contacts; /**< with the ground; must outlive it. NULL: no ground */
} sn__rigid_config;

/** @return NULL: no memory */
sn__rigid *sn__rigid_create(sn_arena *arena, const sn__rigid_config *config);

/** Find the entries that move mass. @param has_mass  coord_count, false before */
void sn__find_massive(const sn_tree *tree, bool *has_mass);

sn__physics *sn__rigid_physics(sn__rigid *rigid);

/** Statistics of the solver since its creation. */
typedef struct sn__rigid_counts {
  unsigned long steps;
  unsigned long solves;   /**< factorisations; at least 1 per step */
  unsigned long failures; /**< steps without convergence */
} sn__rigid_counts;

const sn__rigid_counts *sn__rigid_counts_now(const sn__rigid *rigid);

#endif
