/** @file
 *  Internal: one chain of `kinematics_inv`: its solvers, where it was, how it fails. */
#ifndef SN_CONTROL_LIMB_IK_H
#define SN_CONTROL_LIMB_IK_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/arena.h"
#include "sinew/clock.h"
#include "sinew/ik.h"
#include "sinew/ik_velocity.h"
#include "sinew/model.h"
#include "sinew/spatial.h"
#include "sinew/status.h"

typedef struct sn__limb_ik_config {
  const sn_model *model;
  size_t chain;
  bool with_virtual;
  const char *solver;
  unsigned free_axes; /**< SN_IK_FREE_... */
  double jump_max;    /**< rad or m */
  double timeout_s;
  const sn_clock *clock;
} sn__limb_ik_config;

/** All vectors have `count` entries, from base to tip. */
typedef struct sn__limb_ik {
  sn_ik *ik; /**< NULL: this chain is not solved */
  sn_ik_velocity *velocity;
  const sn_link *first; /**< what poses are relative to */
  size_t count;
  const int *joints; /**< in the sorted pose */
  unsigned free_axes;
  double *jump; /**< how far each joint may go at once */
  double *seed;
  double *pose; /**< the last answer */
  double *rate; /**< its velocities */
  bool has_pose;
  bool failed; /**< the last one did */
} sn__limb_ik;

/** @return as sn_ik_create() */
sn_status sn__limb_ik_create(sn_arena *arena, const sn__limb_ik_config *config, sn__limb_ik *limb,
                             sn_error *err);

/** Bring the tip to @p target, relative to the first link. limb->pose and limb->rate have the
 *  answer; where there is none, the last answer if it is no jump from here, else the pose that the
 *  joints have.
 *  @param q      sorted pose of the robot
 *  @param twist  of the tip, in the axes of the first link; NULL: unknown
 *  @return whether there is an answer
 *  RT: yes, up to its timeout. */
bool sn__limb_ik_solve(sn__limb_ik *limb, const double *q, const sn_pose *target,
                       const sn_spatial *twist);

/** The same without a target that makes sense: a failure. */
void sn__limb_ik_fail(sn__limb_ik *limb, const double *q);

#endif
