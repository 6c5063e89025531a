#include "gate_oracle.h"

#include <math.h>
#include <string.h>

static const double pi = 3.141592653589793;

/* From the text of gate_robot. The slide moves a finger, twice as fast, and by it a thumb, six
   times as fast: finger = 0.5 - 2 slide within +-0.2, thumb = 0.1 + 3 finger within +-1, 6 rad/s^2.
 */
static const sn__limits limits_of[GATE_JOINTS] = {
    [GATE_SHOULDER] = {-1.0, 2.0, 3.0, 30.0, 30.0},
    [GATE_ELBOW] = {-0.5, 0.5, 5.0, 20.0, 40.0},
    [GATE_WHEEL] = {-INFINITY, INFINITY, 8.0, 80.0, 80.0},
    [GATE_SPINNER] = {-INFINITY, INFINITY, 1.0, 10.0, 10.0},
    [GATE_SLIDE] = {0.15, 0.35, 0.3, 1.0, 1.0},
    [GATE_STUCK] = {-1.0, 1.0, 0.0, 0.0, 0.0},
    [GATE_FLOAT] = {-INFINITY, INFINITY, 0.0, 0.0, 0.0},
};
static const double effort_of[GATE_JOINTS] = {[GATE_SHOULDER] = 10.0,
                                              [GATE_ELBOW] = 5.0,
                                              [GATE_WHEEL] = 2.0,
                                              [GATE_SPINNER] = INFINITY,
                                              [GATE_SLIDE] = 50.0};

static bool is_driven(int joint) {
  return joint <= GATE_SLIDE;
}

static bool turns(int joint) {
  return joint == GATE_WHEEL || joint == GATE_SPINNER;
}

static double way(int joint, double from, double to) {
  return turns(joint) ? remainder(to - from, 2.0 * pi) : to - from;
}

static double within(const sn__limits *l, double q) {
  return q < l->lower ? l->lower : q > l->upper ? l->upper : q;
}

/* ---- counts and events ---- */

static void count(gate_oracle *o, sn_gate_reason reason, int source, int joint) {
  if (source >= 0) {
    o->sources[source].reasons[reason]++;
  }
  if (joint >= 0) {
    o->joints[joint].counts.reasons[reason]++;
  }
}

static void say(gate_oracle *o, sn_gate_reason reason, int source, int joint, double value,
                int64_t now_ns) {
  count(o, reason, source, joint);
  if (o->said[reason][source + 1].is_there &&
      now_ns - o->said[reason][source + 1].at_ns < 1000000000) {
    o->said[reason][source + 1].left_out++;
    return;
  }
  if (o->event_count < ORACLE_EVENTS) {
    o->events[o->event_count++] = (sn_gate_event){.reason = reason,
                                                  .source = source,
                                                  .joint = joint,
                                                  .value = value,
                                                  .count = o->said[reason][source + 1].left_out + 1,
                                                  .now_ns = now_ns};
  }
  o->said[reason][source + 1].is_there = true;
  o->said[reason][source + 1].at_ns = now_ns;
  o->said[reason][source + 1].left_out = 0;
}

/* ---- what arrives ---- */

static void settle(gate_oracle *o) {
  for (int j = 0; j < GATE_JOINTS; j++) {
    o->q[j] = o->joints[j].motion.q;
    o->qd[j] = o->qdd[j] = o->tau[j] = 0.0;
  }
  o->q[GATE_FINGER] = 0.5 - 2.0 * o->q[GATE_SLIDE];
  o->q[GATE_THUMB] = 0.1 + 3.0 * o->q[GATE_FINGER];
  o->has_tau = false;
}

void gate_oracle_init(gate_oracle *o, const double *pose, bool is_started) {
  memset(o, 0, sizeof *o);
  o->timeout_ns = 500000000;
  o->resumed_ns = INT64_MIN;
  o->is_started = is_started;
  o->starts_measured = !is_started;
  for (int j = 0; j < GATE_JOINTS; j++) {
    o->joints[j].limits = limits_of[j];
    o->joints[j].motion.q = pose[j];
    o->joints[j].owner = o->joints[j].lost[0] = o->joints[j].lost[1] = -1;
    o->joints[j].before.step = o->joints[j].word.step = NEVER;
  }
  settle(o);
}

static void forget(oracle_joint *joint) {
  joint->word = (oracle_word){.step = NEVER};
}

void gate_oracle_own(gate_oracle *o, const int *owners, int64_t now_ns) {
  for (int j = 0; j < GATE_JOINTS; j++) {
    oracle_joint *joint = &o->joints[j];
    if (owners[j] != joint->owner) {
      joint->lost[1] = joint->owned_ns == now_ns ? joint->lost[0] : -1;
      joint->lost[0] = joint->owner;
      joint->owner = owners[j];
      joint->owned_ns = now_ns;
      joint->is_silent = false;
      forget(joint);
      joint->before.step = NEVER;
    }
  }
}

void gate_oracle_lose(gate_oracle *o, int source, int64_t now_ns) {
  for (int j = 0; j < GATE_JOINTS; j++) {
    oracle_joint *joint = &o->joints[j];
    if (joint->owner == source && joint->word.is_there) {
      forget(joint);
      joint->before.step = NEVER;
      joint->is_silent = true;
      say(o, SN_GATE_LOST, source, j, 0.0, now_ns);
    }
  }
}

/* A measurement that is older than the timeout of references does not count. */
static bool is_placed(const gate_oracle *o, const oracle_joint *joint, int64_t now_ns) {
  return joint->is_measured && now_ns - joint->measured_ns <= o->timeout_ns;
}

static bool is_complete(gate_oracle *o, int64_t now_ns) {
  for (int j = 0; j < GATE_JOINTS; j++) {
    const oracle_joint *joint = &o->joints[j];
    if (is_driven(j) && !is_placed(o, joint, now_ns)) {
      return false;
    }
    if (is_driven(j) && fabs(joint->measured - within(&joint->limits, joint->measured)) > 0.05) {
      say(o, SN_GATE_OUTSIDE, -1, j, joint->measured, now_ns);
      return false;
    }
  }
  return true;
}

void gate_oracle_measure(gate_oracle *o, const int *joints, const double *q, const double *qd,
                         size_t n, int64_t now_ns) {
  for (size_t i = 0; i < n; i++) {
    oracle_joint *joint = &o->joints[joints[i]];
    joint->measured = q[i];
    joint->measured_qd = qd == NULL ? 0.0 : qd[i];
    joint->measured_ns = now_ns;
    joint->is_measured = true;
  }
  if (!o->starts_measured || o->has_stepped) {
    return;
  }
  o->is_started = is_complete(o, now_ns);
  if (o->is_started) {
    for (int j = 0; j < GATE_JOINTS; j++) {
      oracle_joint *joint = &o->joints[j];
      joint->motion.q =
          joint->is_measured ? within(&joint->limits, joint->measured) : joint->motion.q;
    }
    settle(o);
  }
}

/* May the source move the joint? */
static bool may_move(gate_oracle *o, const oracle_message *msg, int j) {
  const oracle_joint *joint = &o->joints[j];
  const int64_t written_ns = msg->stamp_ns == 0 ? msg->now_ns : msg->stamp_ns;
  if (joint->owner != msg->source) {
    const bool had_it = joint->owned_ns == msg->now_ns &&
                        (joint->lost[0] == msg->source || joint->lost[1] == msg->source);
    if (!had_it) {
      say(o, SN_GATE_NOT_OWNER, msg->source, j, 0.0, msg->now_ns);
    }
  } else if (j == GATE_FINGER || j == GATE_THUMB) {
    return false;
  } else if (!is_driven(j)) {
    count(o, SN_GATE_NOT_DRIVEN, msg->source, j);
  } else if (o->is_stopped) {
    count(o, SN_GATE_STOPPED, msg->source, j);
  } else if (!o->is_started || written_ns < joint->owned_ns || written_ns < o->resumed_ns) {
    count(o, SN_GATE_EARLY, msg->source, j);
  } else {
    return true;
  }
  return false;
}

static void store(gate_oracle *o, const oracle_message *msg, int j, const oracle_word *given) {
  oracle_joint *joint = &o->joints[j];
  joint->is_silent = false;
  joint->counts.taken++;
  const int64_t written_ns =
      msg->stamp_ns == 0 || msg->stamp_ns > msg->now_ns ? msg->now_ns : msg->stamp_ns;
  if (!given->is_there) { /* no longer limp; a reference stays in force */
    if (joint->word.is_limp) {
      forget(joint);
    }
    return;
  }
  joint->word = *given;
  joint->word.written_ns = written_ns;
  joint->word.step = given->is_limp ? NEVER : o->step;
  if (given->is_limp) {
    joint->before.step = NEVER;
    return;
  }
  joint->word.q = within(&joint->limits, given->q);
  if (joint->word.q != given->q) {
    say(o, SN_GATE_CLAMPED, msg->source, j, given->q, msg->now_ns);
  }
  joint->word.tau = given->has_tau ? fmax(-effort_of[j], fmin(effort_of[j], given->tau)) : 0.0;
}

sn_status gate_oracle_take(gate_oracle *o, const oracle_message *msg) {
  const int64_t age_ns = msg->now_ns - msg->stamp_ns;
  if (msg->stamp_ns != 0 && (age_ns > o->timeout_ns || msg->stamp_ns < o->source_ns[msg->source])) {
    say(o, SN_GATE_OLD, msg->source, -1, 1e-9 * (double)age_ns, msg->now_ns);
    return SN_EINVAL;
  }
  if (msg->stamp_ns != 0 && age_ns < -o->timeout_ns) {
    say(o, SN_GATE_FUTURE, msg->source, -1, -1e-9 * (double)age_ns, msg->now_ns);
    return SN_EINVAL;
  }
  for (size_t i = 0; i < msg->count; i++) {
    if (msg->joints[i] == GATE_JOINTS) {
      say(o, SN_GATE_UNKNOWN, msg->source, -1, 0.0, msg->now_ns);
    }
  }
  for (int j = 0; j < GATE_JOINTS; j++) { /* in the order of the pose */
    for (size_t i = 0; i < msg->count; i++) {
      if (msg->joints[i] == j && may_move(o, msg, j)) {
        store(o, msg, j, &msg->words[i]);
      }
    }
  }
  o->source_ns[msg->source] = msg->stamp_ns != 0 ? msg->stamp_ns : o->source_ns[msg->source];
  o->sources[msg->source].taken++;
  return SN_OK;
}

void gate_oracle_refuse(gate_oracle *o, int source, int64_t now_ns) {
  say(o, SN_GATE_LENGTHS, source, -1, 0.0, now_ns);
}

/* ---- stop, resume, restart ---- */

static bool is_limp(const gate_oracle *o, int j) {
  const oracle_joint *joint = &o->joints[j];
  if (!is_driven(j)) {
    return false;
  }
  return o->is_stopped ? o->stop_limp || joint->was_limp
                       : joint->word.is_there && joint->word.is_limp;
}

void gate_oracle_stop(gate_oracle *o) {
  if (o->is_stopped) {
    return;
  }
  for (int j = 0; j < GATE_JOINTS; j++) {
    o->joints[j].was_limp = is_limp(o, j);
    forget(&o->joints[j]);
    o->joints[j].before.step = NEVER;
  }
  o->is_stopped = true;
}

bool gate_oracle_is_at_rest(const gate_oracle *o) {
  bool rests = true;
  for (int j = 0; j < GATE_JOINTS; j++) {
    rests = rests && (o->joints[j].motion.qd == 0.0 || o->limp[j]);
  }
  return rests;
}

sn_status gate_oracle_resume(gate_oracle *o, int64_t now_ns) {
  if (!o->is_stopped) {
    return SN_EINVAL;
  }
  if (!gate_oracle_is_at_rest(o)) {
    return SN_EBUSY;
  }
  o->is_stopped = false;
  o->resumed_ns = now_ns;
  for (int j = 0; j < GATE_JOINTS; j++) {
    o->joints[j].is_silent = o->joints[j].was_limp = false;
  }
  return SN_OK;
}

void gate_oracle_restart(gate_oracle *o, bool wait, int64_t now_ns) {
  for (int j = 0; j < GATE_JOINTS; j++) {
    oracle_joint *joint = &o->joints[j];
    joint->motion.qd = joint->motion.qdd = 0.0;
    forget(joint);
    joint->before.step = NEVER;
    joint->is_measured = joint->is_silent = false;
  }
  o->resumed_ns = now_ns;
  o->has_stepped = o->is_waiting = false;
  o->is_started = !wait;
  o->starts_measured = wait;
  settle(o);
}

/* ---- one step ---- */

static void watch(gate_oracle *o, int j, int64_t now_ns) {
  oracle_joint *joint = &o->joints[j];
  int64_t since_ns = joint->word.is_there ? joint->word.written_ns : joint->owned_ns;
  since_ns = since_ns < o->resumed_ns ? o->resumed_ns : since_ns;
  const bool is_watched = joint->owner >= 0 && is_driven(j) && !joint->is_silent && !o->is_stopped;
  if (is_watched && now_ns - since_ns > o->timeout_ns) {
    joint->is_silent = true;
    forget(joint);
    joint->before.step = NEVER;
    say(o, SN_GATE_SILENT, joint->owner, j, 1e-9 * (double)(now_ns - since_ns), now_ns);
  }
}

static void move_limp(gate_oracle *o, int j, double dt_s, int64_t now_ns) {
  oracle_joint *joint = &o->joints[j];
  const bool is_known = is_placed(o, joint, now_ns);
  if (is_known) {
    const double q =
        turns(j) ? joint->motion.q + way(j, joint->motion.q, joint->measured) : joint->measured;
    sn__limiter_place(&joint->limits, q, joint->measured_qd, &joint->motion);
  } else {
    sn__limiter_brake(&joint->limits, dt_s, &joint->motion);
    if (!joint->is_blind) {
      say(o, SN_GATE_BLIND, joint->owner, j, 0.0, now_ns);
    }
  }
  joint->is_blind = !is_known;
}

static void move(gate_oracle *o, int j, double dt_s) {
  oracle_joint *joint = &o->joints[j];
  const oracle_word *word = &joint->word;
  if (!word->is_there) {
    sn__limiter_brake(&joint->limits, dt_s, &joint->motion);
    return;
  }
  const bool is_steady = word->step == o->step && joint->before.step == o->step - 1;
  double drift = is_steady ? way(j, joint->before.q, word->q) / dt_s : 0.0;
  drift = fabs(drift) > joint->limits.speed ? 0.0 : drift;
  sn__limiter_follow(&joint->limits, way(j, joint->motion.q, word->q), drift, dt_s, &joint->motion);
}

static void command(gate_oracle *o, int j, double dt_s) {
  oracle_joint *joint = &o->joints[j];
  const oracle_word *word = &joint->word;
  const double accel = fmax(joint->limits.accel, joint->limits.brake);
  const bool is_reached = word->is_there && word->step == o->step && word->has_qd &&
                          fabs(way(j, joint->motion.q, word->q)) <= 1e-9;
  const bool fits =
      fabs(word->qd) <= joint->limits.speed && fabs(word->qd - joint->motion.qd) <= accel * dt_s;
  o->q[j] = joint->motion.q;
  o->qd[j] = is_reached && fits ? word->qd : joint->motion.qd;
  o->qdd[j] = joint->motion.qdd;
  o->tau[j] = word->tau;
  o->has_tau = o->has_tau || word->has_tau;
}

/* A step ends: what arrived before it is no longer fresh in the next one. */
static void end(gate_oracle *o) {
  for (int j = 0; j < GATE_JOINTS; j++) {
    o->joints[j].before = o->joints[j].word;
  }
  o->step++;
}

static void move_all(gate_oracle *o, double dt_s, int64_t now_ns) {
  o->has_tau = false;
  for (int j = 0; j < GATE_JOINTS; j++) {
    if (is_driven(j) && o->limp[j]) {
      move_limp(o, j, dt_s, now_ns);
    } else if (is_driven(j)) {
      move(o, j, dt_s);
    }
  }
  for (int j = 0; j < GATE_JOINTS; j++) {
    if (is_driven(j)) {
      command(o, j, dt_s);
    }
  }
  const double scale[] = {[GATE_FINGER] = -2.0, [GATE_THUMB] = -6.0};
  const double offset[] = {[GATE_FINGER] = 0.5, [GATE_THUMB] = 0.1 + 3.0 * 0.5};
  for (int j = GATE_FINGER; j <= GATE_THUMB; j++) {
    o->q[j] = scale[j] * o->q[GATE_SLIDE] + offset[j];
    o->qd[j] = scale[j] * o->qd[GATE_SLIDE];
    o->qdd[j] = scale[j] * o->qdd[GATE_SLIDE];
  }
}

static void report_waiting(gate_oracle *o, int64_t now_ns) {
  if (!o->is_waiting) {
    o->is_waiting = true;
    o->waiting_ns = now_ns;
  }
  for (int j = 0; j < GATE_JOINTS && now_ns - o->waiting_ns >= 200000000; j++) {
    if (is_driven(j) && !is_placed(o, &o->joints[j], now_ns)) {
      say(o, SN_GATE_UNMEASURED, -1, j, 0.0, now_ns);
      return;
    }
  }
}

/* The first command needs measurements that still count. */
static void forget_old_start(gate_oracle *o, int64_t now_ns) {
  for (int j = 0; j < GATE_JOINTS; j++) {
    if (is_driven(j) && !is_placed(o, &o->joints[j], now_ns)) {
      o->is_started = false;
    }
  }
}

bool gate_oracle_step(gate_oracle *o, int64_t now_ns) {
  if (o->starts_measured && !o->has_stepped) {
    forget_old_start(o, now_ns);
  }
  if (!o->is_started) {
    report_waiting(o, now_ns);
    return false;
  }
  for (int j = 0; j < GATE_JOINTS; j++) {
    watch(o, j, now_ns);
  }
  for (int j = 0; j < GATE_JOINTS; j++) {
    const int master = j == GATE_FINGER || j == GATE_THUMB ? GATE_SLIDE : j;
    o->limp[j] = is_limp(o, master);
    o->joints[j].is_blind = o->joints[j].is_blind && o->limp[j];
  }
  const int64_t passed_ns = o->has_stepped ? now_ns - o->step_ns : 0;
  const bool is_first = !o->has_stepped;
  if (is_first || passed_ns > 0) {
    o->step_ns = now_ns;
    o->has_stepped = true;
  }
  if (passed_ns > 0) {
    move_all(o, 1e-9 * (double)(passed_ns > 20000000 ? 20000000 : passed_ns), now_ns);
  }
  if (passed_ns > 0 || is_first) {
    end(o);
  }
  return true;
}
