/* What arrives: references and limp flags of the owners, and measured positions. Each message is
   checked as a whole, then joint by joint. */
#include <math.h>

#include "base/text.h"
#include "gate/gate_internal.h"
#include "sinew/fault.h"

/* Where a message comes from, and when. */
typedef struct origin {
  int source;       /* -1: measured */
  int64_t stamp_ns; /* 0: now */
  int64_t now_ns;
} origin;

static void report(sn_gate *gate, const origin *from, sn_gate_reason reason, int joint,
                   double value) {
  const sn_gate_event event = {.reason = reason,
                               .source = from->source,
                               .joint = joint,
                               .value = value,
                               .now_ns = from->now_ns};
  sn__gate_report(gate, &event);
}

/* ---- the message as a whole ---- */

/* @return whether the verdict lets the message pass; else it is reported */
static bool passes(sn_gate *gate, const origin *from, sn__read_verdict verdict, int joint) {
  if (sn__read_is_good(verdict)) {
    return true;
  }
  report(gate, from,
         verdict == SN__READ_LENGTHS      ? SN_GATE_LENGTHS
         : verdict == SN__READ_NOT_FINITE ? SN_GATE_NOT_FINITE
                                          : SN_GATE_DUPLICATE,
         joint, 0.0);
  return false;
}

static bool is_timely(sn_gate *gate, const origin *from) {
  if (from->stamp_ns == 0) {
    return true;
  }
  const int64_t age_ns = sn__gate_age_ns(from->now_ns, from->stamp_ns);
  if (age_ns > gate->timeout_ns || from->stamp_ns < gate->sources[from->source].stamp_ns) {
    report(gate, from, SN_GATE_OLD, -1, 1e-9 * (double)age_ns);
    return false;
  }
  if (age_ns < -gate->timeout_ns) {
    report(gate, from, SN_GATE_FUTURE, -1, -1e-9 * (double)age_ns);
    return false;
  }
  return true;
}

static void report_unknown(sn_gate *gate, const origin *from, const sn_msg_names *names) {
  for (size_t i = 0; gate->sources[from->source].names.has_unknown && i < names->count; i++) {
    const char *name = sn_msg_names_at(names, i);
    if (sn_names_index(gate->names, name) < 0) {
      sn_gate_event event = {
          .reason = SN_GATE_UNKNOWN, .source = from->source, .joint = -1, .now_ns = from->now_ns};
      (void)sn__text_clean(name, event.name, sizeof event.name);
      sn__gate_report(gate, &event);
    }
  }
}

static void count_taken(sn_gate *gate, const origin *from) {
  sn__gate_source *source = &gate->sources[from->source];
  source->stamp_ns = from->stamp_ns != 0 ? from->stamp_ns : source->stamp_ns;
  source->counts.taken++;
}

/* ---- one joint ---- */

/* May the source command this joint now? If not, that is counted. */
static bool may_move(sn_gate *gate, const origin *from, size_t index) {
  const sn__gate_joint *joint = &gate->joints[index];
  const int64_t stamp_ns = from->stamp_ns == 0 ? from->now_ns : from->stamp_ns;
  if (joint->owner != from->source) {
    /* A source that lost it in this very cycle wrote before it could know. */
    const bool had_it = joint->former[0] == from->source || joint->former[1] == from->source;
    if (!had_it || joint->owned_ns != from->now_ns) {
      report(gate, from, SN_GATE_NOT_OWNER, (int)index, 0.0);
    }
    return false;
  }
  if (joint->master >= 0) {
    return false; /* it is in every complete list, which is not a mistake */
  }
  if (!joint->is_driven) {
    sn__gate_count(gate, SN_GATE_NOT_DRIVEN, from->source, (int)index);
    return false;
  }
  if (gate->stop.is_stopped) {
    sn__gate_count(gate, SN_GATE_STOPPED, from->source, (int)index);
    return false;
  }
  if (!gate->is_started || stamp_ns < joint->owned_ns || stamp_ns < gate->resumed_ns) {
    sn__gate_count(gate, SN_GATE_EARLY, from->source, (int)index);
    return false;
  }
  return true;
}

/* When a reference was written; one from the future, now. */
static int64_t written_ns(const origin *from) {
  return from->stamp_ns == 0 || from->stamp_ns > from->now_ns ? from->now_ns : from->stamp_ns;
}

static void store(sn_gate *gate, const origin *from, size_t index, const sn_joint_state *msg,
                  size_t at) {
  sn__gate_joint *joint = &gate->joints[index];
  sn__reference *reference = &joint->reference;
  const double wanted = msg->position.data[at];
  const double q = fmax(joint->limits.lower, fmin(joint->limits.upper, wanted));
  if (q != wanted) {
    report(gate, from, SN_GATE_CLAMPED, (int)index, wanted);
  }
  reference->is_there = reference->is_fresh = true;
  reference->is_limp = false;
  reference->q = q;
  /* What the message does not state is unknown: nothing of the last one stays. */
  reference->has_qd = msg->velocity.count > 0;
  reference->qd = reference->has_qd ? msg->velocity.data[at] : 0.0;
  reference->has_tau = msg->effort.count > 0;
  reference->tau = reference->has_tau
                       ? fmax(-joint->effort_max, fmin(joint->effort_max, msg->effort.data[at]))
                       : 0.0;
  reference->at_ns = written_ns(from);
  joint->is_silent = false;
  joint->counts.taken++;
}

sn_status sn__gate_take(sn_gate *gate, size_t source, const sn_joint_state *reference,
                        int64_t now_ns) {
  SN_ASSERT(source < gate->source_count);
  const origin from = {(int)source, reference->header.stamp_ns, now_ns};
  sn__name_map *names = &gate->sources[source].names;
  int joint = -1;
  const sn__read_verdict verdict = sn__read_joint_state(names, reference, &joint);
  if (!passes(gate, &from, verdict, joint) || !is_timely(gate, &from)) {
    return SN_EINVAL;
  }
  report_unknown(gate, &from, &reference->name);
  for (size_t j = 0; j < gate->joint_count; j++) {
    if (names->at[j] >= 0 && may_move(gate, &from, j)) {
      store(gate, &from, j, reference, (size_t)names->at[j]);
    }
  }
  count_taken(gate, &from);
  return SN_OK;
}

/* ---- limp joints ---- */

/* A joint that is no longer limp is held until a reference arrives. */
static void store_limp(sn__gate_joint *joint, bool limp, int64_t at_ns) {
  if (limp || joint->reference.is_limp) {
    joint->reference = (sn__reference){.is_there = limp, .is_limp = limp, .at_ns = at_ns};
  }
  joint->is_silent = false;
  joint->counts.taken++;
}

sn_status sn__gate_let_go(sn_gate *gate, size_t source, const sn_servo_goal *goal, int64_t now_ns) {
  SN_ASSERT(source < gate->source_count);
  const origin from = {(int)source, goal->header.stamp_ns, now_ns};
  sn__name_map *names = &gate->sources[source].names;
  const bool fits = goal->limp.count == 0 || goal->limp.count == goal->name.count;
  int joint = -1;
  const sn__read_verdict verdict =
      fits ? sn__name_map_read(names, &goal->name, NULL, NULL, NULL, &joint) : SN__READ_LENGTHS;
  if (!passes(gate, &from, verdict, joint) || !is_timely(gate, &from)) {
    return SN_EINVAL;
  }
  report_unknown(gate, &from, &goal->name);
  for (size_t j = 0; j < gate->joint_count; j++) {
    if (names->at[j] >= 0 && may_move(gate, &from, j)) {
      const bool limp = goal->limp.count > 0 && goal->limp.data[names->at[j]];
      store_limp(&gate->joints[j], limp, written_ns(&from));
    }
  }
  count_taken(gate, &from);
  return SN_OK;
}

/* ---- measured positions ---- */

static bool can_start(sn_gate *gate, const origin *from) {
  for (size_t i = 0; i < gate->joint_count; i++) {
    const sn__gate_joint *joint = &gate->joints[i];
    if (joint->is_driven && !sn__gate_is_placed(gate, joint, from->now_ns)) {
      return false;
    }
    if (joint->is_driven && (joint->measured < joint->limits.lower - gate->start_tolerance ||
                             joint->measured > joint->limits.upper + gate->start_tolerance)) {
      report(gate, from, SN_GATE_OUTSIDE, (int)i, joint->measured);
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
  sn__gate_settle(gate);
}

sn_status sn__gate_measure(sn_gate *gate, const sn_joint_state *measured, int64_t now_ns) {
  const origin from = {-1, measured->header.stamp_ns, now_ns};
  int index = -1;
  const sn__read_verdict verdict = sn__read_joint_state(&gate->measured_names, measured, &index);
  if (!passes(gate, &from, verdict, index)) {
    return SN_EINVAL;
  }
  for (size_t j = 0; j < gate->joint_count; j++) {
    sn__gate_joint *joint = &gate->joints[j];
    const int at = gate->measured_names.at[j];
    if (at >= 0) {
      joint->measured = measured->position.data[at];
      joint->measured_qd = measured->velocity.count == 0 ? 0.0 : measured->velocity.data[at];
      joint->measured_ns = now_ns;
      joint->is_measured = true;
    }
  }
  /* Until the first command the start follows the robot: it may be moved meanwhile. */
  if (gate->starts_measured && !gate->has_stepped) {
    gate->is_started = can_start(gate, &from);
    if (gate->is_started) {
      start(gate);
    }
  }
  return SN_OK;
}
