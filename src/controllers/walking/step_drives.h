/** @file
 *  Internal: what the drives of the joints can do, from models of the servos. */
#ifndef SN_CONTROLLERS_WALKING_STEP_DRIVES_H
#define SN_CONTROLLERS_WALKING_STEP_DRIVES_H

#include "servo/servo_setup.h"
#include "sinew/component.h"
#include "steps/step_plan.h"

/** An item of `servo_models`, as the plant has them. */
typedef struct sn__step_servo {
  const char *name;
  double kp, kgear;
  sn_reals alpha;
  double qs, delta, inertia;
  double torque_max, speed_max;
  sn__servo_item_extension ext; /**< not used: plans leave room for it */
} sn__step_servo;

extern const sn_property sn__step_servo_properties[];

/** Abilities of the drives from the servo models, or from the robot.
 *  @param servo_models  of sn__step_servo
 *  @param drives        out: [pose_size]
 *  @return SN_OK or SN_ENOENT */
sn_status sn__step_drives_read(const sn_model *model, const sn_bags *servo_models,
                               sn__step_drive *drives, sn_error *err);

#endif
