/* What owners want: references, and joints that shall be let go. */
#include <math.h>

#include "gate/gate_message.h"
#include "sinew/fault.h"

static void store(sn_gate *gate, const sn__gate_message *l, size_t index) {
  sn__gate_joint *joint = &gate->joints[index];
  sn__reference *reference = &joint->reference;
  const size_t at = joint->seen_at;
  const sn_joint_state *msg = l->numbers;
  const double wanted = msg->position.data[at];
  const double q = fmax(joint->limits.lower, fmin(joint->limits.upper, wanted));
  if (q != wanted) {
    sn__gate_message_report(gate, l, SN_GATE_CLAMPED, (int)index, wanted);
  }
  reference->is_there = reference->is_fresh = true;
  reference->is_limp = false;
  reference->q = q;
  /* What the message does not say is not known: nothing of the last one stays. */
  reference->has_qd = msg->velocity.count > 0;
  reference->qd = reference->has_qd ? msg->velocity.data[at] : 0.0;
  reference->has_tau = msg->effort.count > 0;
  reference->tau = reference->has_tau
                       ? fmax(-joint->effort_max, fmin(joint->effort_max, msg->effort.data[at]))
                       : 0.0;
  reference->at_ns = sn__gate_message_counts_ns(l);
  joint->is_silent = false;
  joint->counts.taken++;
}

sn_status sn_gate_take(sn_gate *gate, size_t source, const sn_joint_state *reference,
                       int64_t now_ns) {
  SN_ASSERT(source < gate->source_count);
  const sn__gate_message l = {.names = &reference->name,
                              .numbers = reference,
                              .stamp_ns = reference->header.stamp_ns,
                              .source = (int)source,
                              .now_ns = now_ns};
  if (!sn__gate_message_open(gate, &l) || !sn__gate_message_is_timely(gate, &l)) {
    return SN_EINVAL;
  }
  sn__gate_message_report_unknown(gate, &l);
  for (size_t j = 0; j < gate->joint_count; j++) {
    if (sn__gate_message_has(gate, j) && sn__gate_message_may_move(gate, &l, j)) {
      store(gate, &l, j);
    }
  }
  sn__gate_message_close(gate, &l);
  return SN_OK;
}

/* What is no longer to be limp is held until there is a reference. */
static void store_limp(sn__gate_joint *joint, bool limp, int64_t at_ns) {
  if (limp || joint->reference.is_limp) {
    joint->reference = (sn__reference){.is_there = limp, .is_limp = limp, .at_ns = at_ns};
  }
  joint->is_silent = false;
  joint->counts.taken++;
}

sn_status sn_gate_let_go(sn_gate *gate, size_t source, const sn_servo_goal *goal, int64_t now_ns) {
  SN_ASSERT(source < gate->source_count);
  const sn__gate_message l = {.names = &goal->name,
                              .stamp_ns = goal->header.stamp_ns,
                              .source = (int)source,
                              .now_ns = now_ns};
  if (!sn__gate_message_fits(&l, goal->limp.count)) {
    sn__gate_message_report(gate, &l, SN_GATE_LENGTHS, -1, 0.0);
    return SN_EINVAL;
  }
  if (!sn__gate_message_open(gate, &l) || !sn__gate_message_is_timely(gate, &l)) {
    return SN_EINVAL;
  }
  sn__gate_message_report_unknown(gate, &l);
  for (size_t j = 0; j < gate->joint_count; j++) {
    if (sn__gate_message_has(gate, j) && sn__gate_message_may_move(gate, &l, j)) {
      const bool limp = goal->limp.count > 0 && goal->limp.data[gate->joints[j].seen_at];
      store_limp(&gate->joints[j], limp, sn__gate_message_counts_ns(&l));
    }
  }
  sn__gate_message_close(gate, &l);
  return SN_OK;
}
