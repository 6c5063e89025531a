/* The property joint_limits: speed and acceleration of joints in place of the robot's. */
#include <math.h>

#include "base/fail.h"
#include "gate/gate_component.h"

const sn_property sn__gate_limit_table[] = {
    SN_PROPERTY(sn__gate_joint_limit, "joint", joint, .flags = SN_PROPERTY_REQUIRED,
                .doc = "Name of the joint."),
    SN_PROPERTY(sn__gate_joint_limit, "velocity", velocity, .unit = "rad/s or m/s", .min = 0,
                .max = 1e6, .doc = "Highest speed; 0: that of the robot."),
    SN_PROPERTY(sn__gate_joint_limit, "acceleration", acceleration, .unit = "rad/s^2 or m/s^2",
                .min = 0, .max = 1e9,
                .doc = "Highest acceleration, also for braking; 0: that of the robot."),
    {0}};

sn_status sn__gate_component_read_limits(const sn__gate_component *a, sn_gate_joint_limits *out,
                                         sn_error *err) {
  const sn__gate_joint_limit *items = a->joint_limits.data;
  for (size_t i = 0; i < a->joint_limits.count; i++) {
    const int joint = sn_model_joint_index(a->model, items[i].joint);
    if (joint < 0) {
      return sn__fail(err, SN_ENOENT, "joint_limits: '%.80s' is not a movable joint",
                      items[i].joint);
    }
    if (out[joint].velocity > 0.0 || out[joint].acceleration > 0.0) {
      return sn__fail(err, SN_EINVAL, "joint_limits: '%.80s' appears twice", items[i].joint);
    }
    out[joint] = (sn_gate_joint_limits){items[i].velocity, items[i].acceleration};
  }
  return SN_OK;
}
