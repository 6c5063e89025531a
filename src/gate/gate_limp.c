/* Joints that are let go: nobody commands them, so the command goes where they are. */
#include "gate/gate_data.h"

static bool is_limp(const sn_gate *gate, const sn__gate_joint *joint) {
  if (!joint->is_driven) {
    return false;
  }
  return gate->stop.is_stopped ? gate->stop_limp || joint->stays_limp
                               : joint->reference.is_there && joint->reference.is_limp;
}

void sn__gate_mark_limp(sn_gate *gate) {
  for (size_t i = 0; i < gate->joint_count; i++) {
    const int master = gate->joints[i].master;
    gate->limp[i] = is_limp(gate, &gate->joints[master < 0 ? i : (size_t)master]);
    gate->joints[i].is_blind = gate->joints[i].is_blind && gate->limp[i];
  }
}

void sn__gate_keep_limp(sn_gate *gate) {
  for (size_t i = 0; i < gate->joint_count; i++) {
    gate->joints[i].stays_limp = is_limp(gate, &gate->joints[i]);
  }
}

static void report_blind(sn_gate *gate, size_t index, int64_t now_ns) {
  const sn_gate_event event = {.reason = SN_GATE_BLIND,
                               .source = gate->joints[index].owner,
                               .joint = (int)index,
                               .now_ns = now_ns};
  sn__gate_report(gate, &event);
}

/* What was measured too long ago says nothing of where the joint is. */
void sn__gate_move_limp(sn_gate *gate, size_t index, double dt_s, int64_t now_ns) {
  sn__gate_joint *joint = &gate->joints[index];
  const bool is_known =
      joint->is_measured && sn__gate_age_ns(now_ns, joint->measured_ns) <= gate->timeout_ns;
  if (is_known) {
    const double from = joint->motion.q;
    const double q =
        joint->turns ? from + sn__gate_way(joint, from, joint->measured) : joint->measured;
    sn__limiter_place(&joint->limits, q, joint->measured_qd, &joint->motion);
  } else {
    sn__limiter_brake(&joint->limits, dt_s, &joint->motion);
    if (!joint->is_blind) { /* once: it may be meant to be so for hours */
      report_blind(gate, index, now_ns);
    }
  }
  joint->is_blind = !is_known;
}

bool sn_gate_has_limp(const sn_gate *gate) {
  for (size_t i = 0; i < gate->joint_count; i++) {
    if (gate->limp[i]) {
      return true;
    }
  }
  return false;
}
