/* What comes in: looked at as a whole first, and only then taken, joint by joint. */
#include <math.h>

#include "base/text.h"
#include "control/gate_data.h"
#include "sinew/fault.h"

/* A message that is looked at. */
typedef struct letter {
  const sn_joint_state *msg;
  int source; /* -1: measured */
  int64_t now_ns;
} letter;

static sn_gate_event event_of(const letter *l, sn_gate_reason reason, int joint, double value) {
  return (sn_gate_event){
      .reason = reason, .source = l->source, .joint = joint, .value = value, .now_ns = l->now_ns};
}

static void report(sn_gate *gate, const letter *l, sn_gate_reason reason, int joint, double value) {
  const sn_gate_event event = event_of(l, reason, joint, value);
  sn__gate_report(gate, &event);
}

static void report_unknown(sn_gate *gate, const letter *l, size_t at) {
  sn_gate_event event = event_of(l, SN_GATE_UNKNOWN, -1, 0.0);
  (void)sn__text_clean(sn_msg_names_at(&l->msg->name, at), event.name, sizeof event.name);
  sn__gate_report(gate, &event);
}

/* Place in the sorted pose, or -1. With the table of the model it is known already. */
static int place_of(const sn_gate *gate, const sn_msg_names *names, size_t at) {
  return names->table == gate->names ? (int)at
                                     : sn_names_index(gate->names, sn_msg_names_at(names, at));
}

/* ---- the message as a whole ---- */

static bool fits(const sn_seq_f64 *sequence, size_t count) {
  return sequence->count == count || sequence->count == 0;
}

static bool lengths_are_good(const sn_joint_state *msg) {
  const size_t count = msg->name.count;
  return msg->position.count == count && fits(&msg->velocity, count) && fits(&msg->effort, count);
}

static bool is_finite_at(const sn_joint_state *msg, size_t at) {
  return isfinite(msg->position.data[at]) &&
         (msg->velocity.count == 0 || isfinite(msg->velocity.data[at])) &&
         (msg->effort.count == 0 || isfinite(msg->effort.data[at]));
}

/* Note where each joint is in the message. @return whether the message is good */
static bool index_joints(sn_gate *gate, const letter *l) {
  gate->message++;
  for (size_t i = 0; i < l->msg->name.count; i++) {
    const int joint = place_of(gate, &l->msg->name, i);
    if (!is_finite_at(l->msg, i)) {
      report(gate, l, SN_GATE_NOT_FINITE, joint, 0.0);
      return false;
    }
    if (joint < 0) {
      continue;
    }
    if (gate->joints[joint].seen == gate->message) {
      report(gate, l, SN_GATE_DUPLICATE, joint, 0.0);
      return false;
    }
    gate->joints[joint].seen = gate->message;
    gate->joints[joint].seen_at = i;
  }
  return true;
}

static bool is_well_formed(sn_gate *gate, const letter *l) {
  if (!lengths_are_good(l->msg)) {
    report(gate, l, SN_GATE_LENGTHS, -1, 0.0);
    return false;
  }
  return index_joints(gate, l);
}

static bool stamp_is_good(sn_gate *gate, const letter *l) {
  const int64_t stamp_ns = l->msg->header.stamp_ns;
  if (stamp_ns == 0) {
    return true;
  }
  const int64_t age_ns = sn__gate_age_ns(l->now_ns, stamp_ns);
  if (age_ns > gate->timeout_ns || stamp_ns < gate->sources[l->source].stamp_ns) {
    report(gate, l, SN_GATE_OLD, -1, 1e-9 * (double)age_ns);
    return false;
  }
  if (age_ns < -gate->timeout_ns) {
    report(gate, l, SN_GATE_FUTURE, -1, -1e-9 * (double)age_ns);
    return false;
  }
  return true;
}

/* ---- one joint of it ---- */

static bool may_move(sn_gate *gate, const letter *l, int index) {
  const sn__gate_joint *joint = &gate->joints[index];
  const int64_t stamp_ns = l->msg->header.stamp_ns == 0 ? l->now_ns : l->msg->header.stamp_ns;
  if (joint->owner != l->source) {
    /* Who lost it in this very cycle wrote before it could know. */
    if (joint->former != l->source || joint->owned_ns != l->now_ns) {
      report(gate, l, SN_GATE_NOT_OWNER, index, 0.0);
    }
    return false;
  }
  if (joint->master >= 0) {
    return false; /* it is in every complete list, and nobody's mistake */
  }
  if (!joint->is_driven) {
    sn__gate_count(gate, SN_GATE_NOT_DRIVEN, l->source, index);
    return false;
  }
  if (gate->stop.is_stopped) {
    sn__gate_count(gate, SN_GATE_STOPPED, l->source, index);
    return false;
  }
  if (!gate->is_started || stamp_ns < joint->owned_ns || stamp_ns < gate->resumed_ns) {
    sn__gate_count(gate, SN_GATE_EARLY, l->source, index);
    return false;
  }
  return true;
}

static void store(sn_gate *gate, const letter *l, int index) {
  sn__gate_joint *joint = &gate->joints[index];
  sn__reference *reference = &joint->reference;
  const size_t at = joint->seen_at;
  const int64_t stamp_ns = l->msg->header.stamp_ns;
  const double wanted = l->msg->position.data[at];
  const double q = fmax(joint->limits.lower, fmin(joint->limits.upper, wanted));
  if (q != wanted) {
    report(gate, l, SN_GATE_CLAMPED, index, wanted);
  }
  reference->is_there = reference->is_fresh = true;
  reference->q = q;
  /* What the message does not say is not known: nothing of the last one stays. */
  reference->has_qd = l->msg->velocity.count > 0;
  reference->qd = reference->has_qd ? l->msg->velocity.data[at] : 0.0;
  reference->has_tau = l->msg->effort.count > 0;
  reference->tau = reference->has_tau
                       ? fmax(-joint->effort_max, fmin(joint->effort_max, l->msg->effort.data[at]))
                       : 0.0;
  reference->at_ns = stamp_ns == 0 || stamp_ns > l->now_ns ? l->now_ns : stamp_ns;
  joint->is_silent = false;
  joint->counts.taken++;
}

sn_status sn_gate_take(sn_gate *gate, size_t source, const sn_joint_state *reference,
                       int64_t now_ns) {
  SN_ASSERT(source < gate->source_count);
  const letter l = {reference, (int)source, now_ns};
  if (!is_well_formed(gate, &l) || !stamp_is_good(gate, &l)) {
    return SN_EINVAL;
  }
  for (size_t i = 0; i < reference->name.count && reference->name.table != gate->names; i++) {
    if (place_of(gate, &reference->name, i) < 0) {
      report_unknown(gate, &l, i);
    }
  }
  for (size_t j = 0; j < gate->joint_count; j++) {
    if (gate->joints[j].seen == gate->message && may_move(gate, &l, (int)j)) {
      store(gate, &l, (int)j);
    }
  }
  if (reference->header.stamp_ns != 0) {
    gate->sources[source].stamp_ns = reference->header.stamp_ns;
  }
  gate->sources[source].counts.taken++;
  return SN_OK;
}

/* ---- the start pose ---- */

static bool can_start(sn_gate *gate, const letter *l) {
  for (size_t i = 0; i < gate->joint_count; i++) {
    const sn__gate_joint *joint = &gate->joints[i];
    if (joint->is_driven && !joint->is_measured) {
      return false;
    }
    if (joint->is_driven && (joint->measured < joint->limits.lower - gate->start_tolerance ||
                             joint->measured > joint->limits.upper + gate->start_tolerance)) {
      report(gate, l, SN_GATE_OUTSIDE, (int)i, joint->measured);
      return false;
    }
  }
  return true;
}

sn_status sn_gate_measure(sn_gate *gate, const sn_joint_state *measured, int64_t now_ns) {
  const letter l = {measured, -1, now_ns};
  if (gate->is_started) {
    return SN_OK;
  }
  if (!is_well_formed(gate, &l)) {
    return SN_EINVAL;
  }
  for (size_t j = 0; j < gate->joint_count; j++) {
    sn__gate_joint *joint = &gate->joints[j];
    if (joint->seen == gate->message) {
      joint->measured = measured->position.data[joint->seen_at];
      joint->is_measured = true;
    }
  }
  if (can_start(gate, &l)) {
    for (size_t j = 0; j < gate->joint_count; j++) {
      sn__gate_joint *joint = &gate->joints[j];
      if (joint->is_measured) {
        joint->motion.q = fmax(joint->limits.lower, fmin(joint->limits.upper, joint->measured));
      }
    }
    gate->is_started = true;
    sn__gate_settle(gate);
  }
  return SN_OK;
}
