#include "gate/gate_message.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

static sn_gate_event event_of(const sn__gate_message *l, sn_gate_reason reason, int joint,
                              double value) {
  return (sn_gate_event){
      .reason = reason, .source = l->source, .joint = joint, .value = value, .now_ns = l->now_ns};
}

void sn__gate_message_report(sn_gate *gate, const sn__gate_message *l, sn_gate_reason reason,
                             int joint, double value) {
  const sn_gate_event event = event_of(l, reason, joint, value);
  sn__gate_report(gate, &event);
}

/* Place in the sorted pose, or -1. With the table of the model it is known already, and in most
   other lists joints stand in the order of the pose, too.
   @param before  place of the name before it */
static int place_of(const sn_gate *gate, const sn_msg_names *names, size_t at, int before) {
  if (names->table == gate->names) {
    return (int)at;
  }
  const char *name = sn_msg_names_at(names, at);
  const size_t next = (size_t)before + 1 /* behind none: the first */;
  return next < gate->joint_count && strcmp(sn_names_at(gate->names, next), name) == 0
             ? (int)next
             : sn_names_index(gate->names, name);
}

/* ---- as a whole ---- */

static bool is_finite_at(const sn_joint_state *msg, size_t at) {
  return isfinite(msg->position.data[at]) &&
         (msg->velocity.count == 0 || isfinite(msg->velocity.data[at])) &&
         (msg->effort.count == 0 || isfinite(msg->effort.data[at]));
}

static bool lengths_are_good(const sn__gate_message *l) {
  return l->numbers->position.count == l->names->count &&
         sn__gate_message_fits(l, l->numbers->velocity.count) &&
         sn__gate_message_fits(l, l->numbers->effort.count);
}

bool sn__gate_message_open(sn_gate *gate, const sn__gate_message *l) {
  gate->message++;
  if (l->numbers != NULL && !lengths_are_good(l)) {
    sn__gate_message_report(gate, l, SN_GATE_LENGTHS, -1, 0.0);
    return false;
  }
  int joint = -1;
  gate->has_unknown = false;
  for (size_t i = 0; i < l->names->count; i++) {
    joint = place_of(gate, l->names, i, joint);
    if (l->numbers != NULL && !is_finite_at(l->numbers, i)) {
      sn__gate_message_report(gate, l, SN_GATE_NOT_FINITE, joint, 0.0);
      return false;
    }
    if (joint < 0) {
      gate->has_unknown = true;
      continue;
    }
    if (gate->joints[joint].seen == gate->message) {
      sn__gate_message_report(gate, l, SN_GATE_DUPLICATE, joint, 0.0);
      return false;
    }
    gate->joints[joint].seen = gate->message;
    gate->joints[joint].seen_at = i;
  }
  return true;
}

bool sn__gate_message_is_timely(sn_gate *gate, const sn__gate_message *l) {
  if (l->stamp_ns == 0) {
    return true;
  }
  const int64_t age_ns = sn__gate_age_ns(l->now_ns, l->stamp_ns);
  if (age_ns > gate->timeout_ns || l->stamp_ns < gate->sources[l->source].stamp_ns) {
    sn__gate_message_report(gate, l, SN_GATE_OLD, -1, 1e-9 * (double)age_ns);
    return false;
  }
  if (age_ns < -gate->timeout_ns) {
    sn__gate_message_report(gate, l, SN_GATE_FUTURE, -1, -1e-9 * (double)age_ns);
    return false;
  }
  return true;
}

void sn__gate_message_report_unknown(sn_gate *gate, const sn__gate_message *l) {
  for (size_t i = 0; gate->has_unknown && i < l->names->count; i++) {
    if (place_of(gate, l->names, i, -1) < 0) {
      sn_gate_event event = event_of(l, SN_GATE_UNKNOWN, -1, 0.0);
      (void)sn__text_clean(sn_msg_names_at(l->names, i), event.name, sizeof event.name);
      sn__gate_report(gate, &event);
    }
  }
}

void sn__gate_message_close(sn_gate *gate, const sn__gate_message *l) {
  if (l->stamp_ns != 0) {
    gate->sources[l->source].stamp_ns = l->stamp_ns;
  }
  gate->sources[l->source].counts.taken++;
}

/* ---- one joint of it ---- */

bool sn__gate_message_may_move(sn_gate *gate, const sn__gate_message *l, size_t index) {
  const sn__gate_joint *joint = &gate->joints[index];
  const int64_t stamp_ns = l->stamp_ns == 0 ? l->now_ns : l->stamp_ns;
  if (joint->owner != l->source) {
    /* Who lost it in this very cycle wrote before it could know. */
    if (joint->former != l->source || joint->owned_ns != l->now_ns) {
      sn__gate_message_report(gate, l, SN_GATE_NOT_OWNER, (int)index, 0.0);
    }
    return false;
  }
  if (joint->master >= 0) {
    return false; /* it is in every complete list, and nobody's mistake */
  }
  if (!joint->is_driven) {
    sn__gate_count(gate, SN_GATE_NOT_DRIVEN, l->source, (int)index);
    return false;
  }
  if (gate->stop.is_stopped) {
    sn__gate_count(gate, SN_GATE_STOPPED, l->source, (int)index);
    return false;
  }
  if (!gate->is_started || stamp_ns < joint->owned_ns || stamp_ns < gate->resumed_ns) {
    sn__gate_count(gate, SN_GATE_EARLY, l->source, (int)index);
    return false;
  }
  return true;
}

int64_t sn__gate_message_counts_ns(const sn__gate_message *l) {
  return l->stamp_ns == 0 || l->stamp_ns > l->now_ns ? l->now_ns : l->stamp_ns;
}
