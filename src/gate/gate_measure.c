/* Where the robot is: the start pose, and later where limp joints are. */
#include <math.h>

#include "gate/gate_message.h"

static bool can_start(sn_gate *gate, const sn__gate_message *l) {
  for (size_t i = 0; i < gate->joint_count; i++) {
    const sn__gate_joint *joint = &gate->joints[i];
    if (joint->is_driven && !joint->is_measured) {
      return false;
    }
    if (joint->is_driven && (joint->measured < joint->limits.lower - gate->start_tolerance ||
                             joint->measured > joint->limits.upper + gate->start_tolerance)) {
      sn__gate_message_report(gate, l, SN_GATE_OUTSIDE, (int)i, joint->measured);
      return false;
    }
  }
  return true;
}

static void start(sn_gate *gate) {
  for (size_t j = 0; j < gate->joint_count; j++) {
    sn__gate_joint *joint = &gate->joints[j];
    if (joint->is_measured) {
      joint->motion.q = fmax(joint->limits.lower, fmin(joint->limits.upper, joint->measured));
    }
  }
  gate->is_started = true;
  sn__gate_settle(gate);
}

sn_status sn_gate_measure(sn_gate *gate, const sn_joint_state *measured, int64_t now_ns) {
  const sn__gate_message l = {.names = &measured->name,
                              .numbers = measured,
                              .stamp_ns = measured->header.stamp_ns,
                              .source = -1,
                              .now_ns = now_ns};
  if (!sn__gate_message_open(gate, &l)) {
    return SN_EINVAL;
  }
  for (size_t j = 0; j < gate->joint_count; j++) {
    sn__gate_joint *joint = &gate->joints[j];
    if (sn__gate_message_has(gate, j)) {
      joint->measured = measured->position.data[joint->seen_at];
      joint->measured_qd =
          measured->velocity.count == 0 ? 0.0 : measured->velocity.data[joint->seen_at];
      joint->measured_ns = now_ns;
      joint->is_measured = true;
    }
  }
  if (!gate->is_started && can_start(gate, &l)) {
    start(gate);
  }
  return SN_OK;
}
