/** @file
 *  Internal: the outline of a robot seen from above, and boxes on the ground that it must not
 *  enter. */
#ifndef SN_GAIT_OUTLINE_H
#define SN_GAIT_OUTLINE_H

#include "sinew/kin.h"
#include "sinew/model.h"

/** A box on the ground, which no part of the robot may enter. */
typedef struct sn__obstacle {
  sn_pose pose_world_box; /**< in odom */
  sn_vec3 half;           /**< half of its edges, m */
} sn__obstacle;

/** A rectangle around the links, in the path frame. */
typedef struct sn__outline {
  sn_vec3 low, high;    /**< low.z is not used */
  double step_height_m; /**< boxes lower than half of it are ground */
} sn__outline;

/** The outline of a pose.
 *  @param q         sorted pose
 *  @param height_m  of the base above the ground */
sn__outline sn__outline_of(const sn_model *model, sn_kin_data *kin, const double *q,
                           double height_m, double step_height_m);

/** The gap between the robot and a box seen from above, m; negative if they overlap, infinite if
 * the box does not matter: too low to stop a foot, or above the robot.
 *  @param pose_world_path  the path frame of the robot: on the ground below the base
 *  RT: yes */
double sn__outline_gap(const sn__outline *outline, const sn__obstacle *box,
                       sn_pose pose_world_path) SN_RT;

#endif
