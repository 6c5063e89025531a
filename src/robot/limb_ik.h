/** @file
 *  Internal: one chain of `kinematics_inv`: its solvers, where it was, how it fails. */
#ifndef SN_ROBOT_LIMB_IK_H
#define SN_ROBOT_LIMB_IK_H

#include <stdbool.h>
#include <stddef.h>

#include "ik/numeric/approach.h"
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
  bool goes_near; /**< out of reach: go as near as it can, else keep the pose */
  const sn_clock *clock;
} sn__limb_ik_config;

/** Why a tip is not where it should be. */
typedef enum sn__limb_trouble {
  SN__LIMB_OUT_OF_REACH,
  SN__LIMB_AT_LIMIT, /**< `joint` is at the limit that is in the way */
  SN__LIMB_FAR,      /**< farther than joints may go at once: it is on its way */
  SN__LIMB_TURNED,   /**< it is there, but not as it should be turned */
  SN__LIMB_NO_POSE   /**< there is no target that makes sense, or no answer at all: it stays */
} sn__limb_trouble;

/** All vectors have `count` entries, from base to tip. */
typedef struct sn__limb_ik {
  sn_ik *ik; /**< NULL: this chain is not solved */
  sn_ik_velocity *velocity;
  sn__approach approach;
  const sn_chain *chain;
  const sn_link *first; /**< what poses are relative to */
  size_t count;
  const int *joints; /**< in the sorted pose */
  unsigned free_axes;
  double *jump;          /**< how far each joint may go at once */
  double *lower, *upper; /**< how far it may go in this query */
  double *bent;          /**< another pose to begin from */
  double *seed;
  double *pose; /**< the last answer */
  double *rate; /**< its velocities */
  bool has_pose;
  bool goes_near;
  bool failed;               /**< the last one did */
  sn__limb_trouble trouble;  /**< why */
  int joint;                 /**< in the sorted pose, of SN__LIMB_AT_LIMIT */
  double short_m, short_rad; /**< how far the tip of `pose` is from the target, free axes apart */
} sn__limb_ik;

/** @return as sn_ik_create() */
sn_status sn__limb_ik_create(sn_arena *arena, const sn__limb_ik_config *config, sn__limb_ik *limb,
                             sn_error *err);

/** Bring the tip to @p target, relative to the first link. limb->pose and limb->rate have the
 *  answer. Where there is none, it is the nearest pose that no joint has to go farther for than it
 *  may at once; or, if it does not go near, the last answer if that is no jump from here, else the
 *  pose that the joints have. limb->failed and limb->trouble say so.
 *  @param q      sorted pose of the robot
 *  @param twist  of the tip, in the axes of the first link; NULL: unknown
 *  @return whether there is an answer
 *  RT: yes, up to its timeout. */
bool sn__limb_ik_solve(sn__limb_ik *limb, const double *q, const sn_pose *target,
                       const sn_spatial *twist);

/** The same without a target that makes sense: a failure. */
void sn__limb_ik_fail(sn__limb_ik *limb, const double *q);

#endif
