/** @file
 *  Internal: one limb in a control loop: its solvers, its last answer, and why it failed.
 *  Components get one from SN_INVERSE_KINEMATICS (controllers/inverse_kinematics.h). */
#ifndef SN_IK_LIMB_LIMB_IK_H
#define SN_IK_LIMB_LIMB_IK_H

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

/** Zero-initialise, then set what differs. Vectors have an entry for each joint of the chain, from
 *  base to tip, and are copied. */
typedef struct sn__limb_ik_config {
  const sn_model *model;
  size_t chain;
  bool with_virtual;
  const char *solver;
  unsigned free_axes; /**< SN_IK_FREE_... */
  double jump_max;    /**< rad or m */
  double timeout_s;
  bool goes_near;              /**< out of reach: go as near as possible; else keep the pose */
  const double *lower, *upper; /**< the tighter of these and the limits of the robot apply; NULL:
                                    those of the robot */
  const double *nominal;       /**< the pose to prefer; NULL: none */
  /** Out of reach: weights of the squared errors of position (in lengths of the chain), rotation
   *  (rad) and the distance of the joints from `nominal`. The last one is also the share, up to 1,
   *  of the way to `nominal` that a limb with a choice goes in one query. */
  double weight_position, weight_rotation, weight_nominal; /**< finite, >= 0 */
  const sn_clock *clock;
} sn__limb_ik_config;

/** Which answers of a limb are allowed, such as those without a collision. */
typedef struct sn__limb_check {
  void *context;
  /** Before a query: the sorted pose of the robot. RT: yes. */
  void (*begin)(void *context, const double *q);
  sn_ik_callback *accept; /**< NULL: all are allowed */
} sn__limb_check;

/** Why a tip does not reach its target. */
typedef enum sn__limb_trouble {
  SN__LIMB_OUT_OF_REACH,
  SN__LIMB_AT_LIMIT, /**< `joint` is at its limit */
  SN__LIMB_FAR,      /**< farther than joints may move at once */
  SN__LIMB_TURNED,   /**< the position is reached, the orientation is not */
  SN__LIMB_REFUSED,  /**< the check of the limb accepts no answer: it stays */
  SN__LIMB_NO_POSE   /**< no valid target, or no answer: it stays */
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
  sn__limb_check check;  /**< may be set */
  double *jump;          /**< how far each joint may move at once; may be changed */
  double *lower, *upper; /**< how far it may move in this query */
  double *bent;          /**< another start pose */
  double *before;        /**< the answer before this query */
  double *nominal;       /**< the pose to prefer; NULL: none; NAN: no position of this joint */
  double *middle;        /**< memory for it */
  double *prefer;        /**< where to go on the way to it */
  double nominal_share;  /**< 0 .. 1 of the way to it in one query */
  double *seed;
  double *pose; /**< the last answer */
  double *rate; /**< its velocities */
  bool has_pose;
  bool goes_near;           /**< may be changed */
  bool failed;              /**< the last one did */
  sn__limb_trouble trouble; /**< why */
  int joint;                /**< in the sorted pose, of SN__LIMB_AT_LIMIT */
  double short_m,
      short_rad; /**< distance of the tip of `pose` from the target, without free axes */
} sn__limb_ik;

/** @return as sn_ik_create(); SN_EMODEL: limits leave a joint without a range */
sn_status sn__limb_ik_create(sn_arena *arena, const sn__limb_ik_config *config, sn__limb_ik *limb,
                             sn_error *err);

/** Bring the tip to @p target, relative to the first link. limb->pose and limb->rate have the
 *  answer. Without a solution it is the nearest pose within the allowed step; or, with `hold`, the
 *  last answer if that is within the step, else the present pose. The check of the limb applies to
 *  both: what it does not accept becomes `hold`. limb->failed and limb->trouble are set then.
 *  @param q      sorted pose of the robot
 *  @param twist  of the tip, in the axes of the first link; NULL: unknown
 *  @return whether there is an answer
 *  RT: yes, up to its timeout. */
bool sn__limb_ik_solve(sn__limb_ik *limb, const double *q, const sn_pose *target,
                       const sn_spatial *twist);

/** Without a nominal pose, prefer the middle of the joints' ranges, by a share of the way in one
 *  query: a straight knee then bends the way in which it has more room.  RT: yes. */
void sn__limb_ik_prefer_middle(sn__limb_ik *limb, double share) SN_RT;

/** The same without a valid target: a failure. */
void sn__limb_ik_fail(sn__limb_ik *limb, const double *q);

#endif
