/* What goes out: one step of every joint. A limp joint has no command of its own: its command is
   where it is. */
#include <math.h>

#include "gate/gate_internal.h"

#define WAIT_REPORTED_NS INT64_C(200000000)

/* A reference this close counts as reached. */
static const double near = 1e-9;

/* How fast the reference itself moves: known if it arrived in this cycle and in the last one. A
   jump, faster than the joint can be, does not count. */
static double drift_of(const sn__gate_joint *joint, double dt_s) {
  const sn__reference *reference = &joint->reference;
  if (!reference->is_fresh || !reference->was_followed) {
    return 0.0;
  }
  const double drift = sn__gate_way(joint, reference->before, reference->q) / dt_s;
  return fabs(drift) <= joint->limits.speed ? drift : 0.0;
}

/* Hold a joint whose owner has been silent for too long. */
static void watch(sn_gate *gate, size_t index, int64_t now_ns) {
  sn__gate_joint *joint = &gate->joints[index];
  if (joint->owner < 0 || !joint->is_driven || joint->is_silent || gate->stop.is_stopped) {
    return;
  }
  int64_t since_ns = joint->reference.is_there ? joint->reference.at_ns : joint->owned_ns;
  since_ns = since_ns > gate->resumed_ns ? since_ns : gate->resumed_ns;
  const int64_t age_ns = sn__gate_age_ns(now_ns, since_ns);
  if (age_ns > gate->timeout_ns) {
    joint->is_silent = true;
    joint->reference = (sn__reference){0};
    const sn_gate_event event = {.reason = SN_GATE_SILENT,
                                 .source = joint->owner,
                                 .joint = (int)index,
                                 .value = 1e-9 * (double)age_ns,
                                 .now_ns = now_ns};
    sn__gate_report(gate, &event);
  }
}

/* ---- limp joints ---- */

static bool is_limp(const sn_gate *gate, const sn__gate_joint *joint) {
  if (!joint->is_driven) {
    return false;
  }
  return gate->stop.is_stopped ? gate->stop_limp || joint->stays_limp
                               : joint->reference.is_there && joint->reference.is_limp;
}

static void mark_limp(sn_gate *gate) {
  for (size_t i = 0; i < gate->joint_count; i++) {
    const int master = gate->joints[i].master;
    gate->joints[i].was_limp = gate->limp[i];
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

/* The command of a limp joint is where the joint is measured. */
static void move_limp(sn_gate *gate, size_t index, double dt_s, int64_t now_ns) {
  sn__gate_joint *joint = &gate->joints[index];
  const bool is_known = sn__gate_is_placed(gate, joint, now_ns);
  if (is_known) {
    const double from = joint->motion.q;
    const double q =
        joint->turns ? from + sn__gate_way(joint, from, joint->measured) : joint->measured;
    sn__limiter_place(&joint->limits, q, joint->measured_qd, &joint->motion);
  } else {
    sn__limiter_brake(&joint->limits, dt_s, &joint->motion);
    if (!joint->is_blind) { /* once: it may last for hours */
      report_blind(gate, index, now_ns);
    }
  }
  joint->is_blind = !is_known;
}

bool sn__gate_has_limp(const sn_gate *gate) {
  for (size_t i = 0; i < gate->joint_count; i++) {
    if (gate->limp[i]) {
      return true;
    }
  }
  return false;
}

/* ---- one step ---- */

static void move(sn__gate_joint *joint, double dt_s) {
  sn__reference *reference = &joint->reference;
  if (!reference->is_there) {
    sn__limiter_brake(&joint->limits, dt_s, &joint->motion);
    return;
  }
  sn__limiter_follow(&joint->limits, sn__gate_way(joint, joint->motion.q, reference->q),
                     drift_of(joint, dt_s), dt_s, &joint->motion);
}

/* The velocity of the reference is better than the difference of positions if the two nearly agree:
   half a period of acceleration may lie between them. */
static double velocity_of(const sn__gate_joint *joint, double dt_s) {
  const sn__reference *reference = &joint->reference;
  const sn__limits *limits = &joint->limits;
  const bool is_good =
      reference->is_there && reference->is_fresh && reference->has_qd &&
      fabs(sn__gate_way(joint, joint->motion.q, reference->q)) <= near &&
      fabs(reference->qd) <= limits->speed &&
      fabs(reference->qd - joint->motion.qd) <= fmax(limits->accel, limits->brake) * dt_s;
  return is_good ? reference->qd : joint->motion.qd;
}

static void end_step(sn__reference *reference) {
  reference->was_followed = reference->is_fresh;
  reference->before = reference->q;
  reference->is_fresh = false;
}

static void copy_masters(sn_gate *gate) {
  for (size_t i = 0; i < gate->joint_count; i++) {
    const sn__gate_joint *joint = &gate->joints[i];
    if (joint->master >= 0) {
      const size_t master = (size_t)joint->master;
      gate->q[i] = fmax(joint->limits.lower,
                        fmin(joint->limits.upper, joint->scale * gate->q[master] + joint->offset));
      gate->qd[i] = joint->scale * gate->qd[master];
      gate->qdd[i] = joint->scale * gate->qdd[master];
    }
  }
}

void sn__gate_settle(sn_gate *gate) {
  for (size_t i = 0; i < gate->joint_count; i++) {
    gate->q[i] = gate->joints[i].motion.q;
    gate->qd[i] = gate->qdd[i] = gate->tau[i] = 0.0;
  }
  gate->command.tau = NULL;
  copy_masters(gate);
  sn__gate_world_changed(gate);
}

static void move_joints(sn_gate *gate, double dt_s, int64_t now_ns) {
  for (size_t i = 0; i < gate->joint_count; i++) {
    sn__gate_joint *joint = &gate->joints[i];
    if (!joint->is_driven) {
      continue;
    }
    if (gate->limp[i]) {
      move_limp(gate, i, dt_s, now_ns);
    } else {
      move(joint, dt_s);
    }
  }
}

static void command_joints(sn_gate *gate, double dt_s) {
  bool has_tau = false;
  for (size_t i = 0; i < gate->joint_count; i++) {
    sn__gate_joint *joint = &gate->joints[i];
    if (!joint->is_driven) {
      continue;
    }
    gate->q[i] = joint->motion.q;
    gate->qd[i] = velocity_of(joint, dt_s);
    gate->qdd[i] = joint->motion.qdd;
    gate->tau[i] = joint->reference.tau;
    has_tau = has_tau || joint->reference.has_tau;
    end_step(&joint->reference);
  }
  gate->command.tau = has_tau ? gate->tau : NULL;
  copy_masters(gate);
}

static void move_all(sn_gate *gate, double dt_s, int64_t now_ns) {
  if (gate->guard.is_on) {
    sn__gate_guard_begin(gate);
    move_joints(gate, dt_s, now_ns);
    sn__gate_guard_end(gate, dt_s);
  } else {
    move_joints(gate, dt_s, now_ns);
  }
  command_joints(gate, dt_s);
}

/* Encoders need a moment to answer: a short wait is not reported. */
static bool waits_long(sn_gate *gate, int64_t now_ns) {
  if (!gate->is_waiting) {
    gate->is_waiting = true;
    gate->waiting_since_ns = now_ns;
  }
  return sn__gate_age_ns(now_ns, gate->waiting_since_ns) >= WAIT_REPORTED_NS;
}

static void report_unmeasured(sn_gate *gate, int64_t now_ns) {
  for (size_t i = 0; i < gate->joint_count; i++) {
    if (gate->joints[i].is_driven && !sn__gate_is_placed(gate, &gate->joints[i], now_ns)) {
      const sn_gate_event event = {
          .reason = SN_GATE_UNMEASURED, .source = -1, .joint = (int)i, .now_ns = now_ns};
      sn__gate_report(gate, &event);
      return;
    }
  }
}

/* The first command needs positions that are still true. */
static void check_start(sn_gate *gate, int64_t now_ns) {
  for (size_t i = 0; gate->starts_measured && !gate->has_stepped && i < gate->joint_count; i++) {
    const sn__gate_joint *joint = &gate->joints[i];
    gate->is_started =
        gate->is_started && (!joint->is_driven || sn__gate_is_placed(gate, joint, now_ns));
  }
}

const sn_gate_command *sn__gate_step(sn_gate *gate, int64_t now_ns) {
  check_start(gate, now_ns);
  if (!gate->is_started) {
    if (waits_long(gate, now_ns)) {
      report_unmeasured(gate, now_ns);
    }
    return NULL;
  }
  for (size_t i = 0; i < gate->joint_count; i++) {
    watch(gate, i, now_ns);
  }
  mark_limp(gate);
  const bool is_first = !gate->has_stepped;
  int64_t dt_ns = is_first ? 0 : sn__gate_age_ns(now_ns, gate->step_ns);
  if (is_first || dt_ns > 0) {
    gate->step_ns = now_ns;
    gate->has_stepped = true;
  }
  /* After a pause the command continues where it was; it does not catch up. */
  dt_ns = dt_ns > gate->period_max_ns ? gate->period_max_ns : dt_ns;
  if (dt_ns > 0) {
    move_all(gate, 1e-9 * (double)dt_ns, now_ns);
  } else if (is_first) {
    for (size_t i = 0; i < gate->joint_count; i++) {
      end_step(&gate->joints[i].reference);
    }
  }
  return &gate->command;
}

bool sn__gate_is_at_rest(const sn_gate *gate) {
  for (size_t i = 0; i < gate->joint_count; i++) {
    if (gate->joints[i].motion.qd != 0.0 && !gate->limp[i]) {
      return false;
    }
  }
  return true;
}
