/** @file
 *  Internal: a gripper of one joint that goes to a position with a bounded force and notices when
 * it holds something.
 *
 *  Its servo pushes the more, the farther its goal is from where the joint is. So the command may
 *  be ahead of the measured position only as far as the force allows, and where efforts are
 *  measured it does not go on while they are too high. A gripper that stands still under load holds
 *  something; one that stands still without load is broken. */
#ifndef SN_CONTROLLERS_GRIPPER_GRASP_H
#define SN_CONTROLLERS_GRIPPER_GRASP_H

#include "sinew/api.h"

/** What the gripper can do. */
typedef struct sn__grasp_config {
  double speed;      /**< rad/s or m/s, > 0 */
  double tolerance;  /**< of its position, rad or m, > 0 */
  double effort_max; /**< N·m or N, > 0 */
  double lead;       /**< rad or m, > 0: the servo pushes with effort_max when it is so far ahead */
  double stall_s;    /**< it stands still if it has not moved by the tolerance for so long */
  double extra_s;    /**< time for a goal, besides that of its way */
} sn__grasp_config;

typedef enum sn__grasp_state {
  SN__GRASP_MOVING,
  SN__GRASP_REACHED, /**< it is at its goal */
  SN__GRASP_HOLDS,   /**< it holds something */
  SN__GRASP_STUCK,   /**< it does not move, and bears no load */
  SN__GRASP_LATE     /**< it moves, but does not arrive */
} sn__grasp_state;

/** Zero-initialise; sn__grasp_begin() does the rest. */
typedef struct sn__grasp {
  double goal, effort_max, lead; /**< of this goal */
  double command;                /**< rad or m */
  double from;                   /**< where it has moved last */
  double still_s;                /**< since it has */
  double left_s;                 /**< until it is late */
} sn__grasp;

/** What is measured. */
typedef struct sn__grasp_sample {
  double q;      /**< rad or m */
  double effort; /**< N·m or N; NaN: not measured */
} sn__grasp_sample;

/** A new goal.
 *  @param command     of the joint now
 *  @param effort_max  0: that of the configuration, which is never exceeded.  RT: yes. */
void sn__grasp_begin(sn__grasp *grasp, const sn__grasp_config *config, double command, double goal,
                     double effort_max) SN_RT;

/** One cycle; grasp->command is the command for its end.
 *  @param dt_s  > 0.  RT: yes. */
sn__grasp_state sn__grasp_step(sn__grasp *grasp, const sn__grasp_config *config,
                               sn__grasp_sample sample, double dt_s) SN_RT;

#endif
