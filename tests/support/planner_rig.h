/** @file
 *  A planner of steps for a robot of robots/, and requests to it. */
#ifndef SN_TEST_PLANNER_RIG_H
#define SN_TEST_PLANNER_RIG_H

#include "gait/nominal.h"
#include "gait/planner.h"
#include "robot.h"

enum { PLANNER_RIG_JOINTS_MAX = 64 };

typedef struct planner_rig {
  sn_test_robot robot;
  sn_arena arena;
  size_t joint_count;
  sn__limb_ik *limbs; /**< [chains] */
  sn__legs legs;
  sn__step_leg feet[SN__LEGS_MAX];
  sn__step_drive drives[PLANNER_RIG_JOINTS_MAX];
  sn_balance *balance;
  sn__planner *planner;
  sn_move_base_goal *goal; /**< a message with room for all limbs */
  sn__plan_request request;
  sn__walk_plan plan;
  sn_error err;
} planner_rig;

/** @param speed_max  of all joints, rad/s */
void planner_rig_open(planner_rig *rig, const char *robot, double speed_max);
void planner_rig_close(planner_rig *rig);

/** Fill the message: all feet end in the nominal stance. Lengths are in m, the angle in rad. */
void planner_rig_ask(planner_rig *rig, const char *gait, double duration_s, unsigned steps,
                     double x, double y, double turn_rad);

/** Read the message and plan from the nominal stance. @return the code of the action */
int32_t planner_rig_plan(planner_rig *rig);

#endif
