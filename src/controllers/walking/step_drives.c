/* What the drives of the joints can do, from models of the servos. */
#include "controllers/walking/step_drives.h"

#include <math.h>

#include "base/fail.h"

typedef sn__step_servo servo;

const sn_property sn__step_servo_properties[] = {
    SN_PROPERTY(servo, "name", name, .flags = SN_PROPERTY_REQUIRED, .doc = "Name of the joint."),
    SN_PROPERTY(servo, "kp", kp, .unit = "1/rad", .min = 0, .max = 1e9,
                .doc = "Gain of the regulator; not used."),
    SN_PROPERTY(servo, "kgear", kgear, .unit = "", .initial = "1",
                .doc = "Ratio of the servo's goal to the joint's position; not used."),
    SN_PROPERTY(servo, "alpha", alpha, .unit = "V·s/rad, V, V, V/(N·m)", .count_min = 0,
                .count_max = 4,
                .doc = "All four or none: viscous, Coulomb and Stribeck friction, volts per "
                       "torque. Empty: unknown."),
    SN_PROPERTY(servo, "qs", qs, .unit = "rad/s", .min = 0, .max = 1e6,
                .doc = "Stribeck velocity; not used."),
    SN_PROPERTY(servo, "delta", delta, .unit = "", .min = 0, .max = 100,
                .doc = "Stribeck exponent; not used."),
    SN_PROPERTY(servo, "inertia", inertia, .unit = "V·s²/rad", .min = 0, .max = 1e9,
                .doc = "Inertia of the rotor."),
    SN_PROPERTY(servo, "torque_max", torque_max, .unit = "N·m", .min = 0, .max = 1e9,
                .doc = "Torque limit of the motor; 0: the joint's effort limit."),
    SN_PROPERTY(servo, "speed_max", speed_max, .unit = "rad/s", .min = 0, .max = 1e9,
                .doc = "Speed limit of the motor; 0: none but what the torque allows."),
    SN__SERVO_EXTENSION_PROPERTIES(servo, ext),
    {0}};

/* A virtual joint has no servo. */
static bool is_virtual(const sn_model *model, size_t joint) {
  const int chain = sn_model_joint(model, joint)->chain;
  const sn_chain *run = chain < 0 ? NULL : sn_model_chain(model, (size_t)chain, false);
  for (size_t i = 0; run != NULL && i < run->joint_count; i++) {
    if (run->joints[i] == (int)joint) {
      return false;
    }
  }
  return run != NULL;
}

static void take(const servo *s, sn__step_drive *drive) {
  const double per_torque = s->alpha.count == 4 ? s->alpha.data[3] : 0.0;
  drive->torque_max = s->torque_max > 0.0 ? s->torque_max : drive->torque_max;
  drive->speed_max = s->speed_max > 0.0 ? s->speed_max : INFINITY;
  if (per_torque > 0.0) {
    drive->viscous = s->alpha.data[0] / per_torque;
    drive->dry = fmax(0.0, s->alpha.data[1]) / per_torque;
    drive->inertia = s->inertia / per_torque;
    drive->speed_max = fmin(drive->speed_max, drive->torque_max / drive->viscous);
  }
}

sn_status sn__step_drives_read(const sn_model *model, const sn_bags *servo_models,
                               sn__step_drive *drives, sn_error *err) {
  const servo *servos = servo_models->data;
  const size_t joint_count = sn_model_pose_size(model);
  for (size_t j = 0; j < joint_count; j++) {
    const sn_joint *joint = sn_model_joint(model, j);
    drives[j] = (sn__step_drive){.speed_max = joint->velocity_max, .torque_max = joint->effort_max};
  }
  for (size_t i = 0; i < servo_models->count; i++) {
    const int joint = sn_model_joint_index(model, servos[i].name);
    if (joint < 0) {
      return sn__fail(err, SN_ENOENT, "servo_models: '%.80s' is not a movable joint",
                      servos[i].name);
    }
    take(&servos[i], &drives[joint]);
  }
  for (size_t j = 0; j < joint_count; j++) {
    if (is_virtual(model, j)) {
      drives[j] = (sn__step_drive){.speed_max = INFINITY, .torque_max = INFINITY};
    }
  }
  return SN_OK;
}
