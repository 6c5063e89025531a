/* The gate and its guard: what the joints would do, what they would do if they braked, and the
   share of each that is safe. */
#include "base/fail.h"
#include "collision/objects.h"
#include "gate/gate_internal.h"

/* ---- creation ---- */

static sn_status create_guard(sn_arena *arena, sn_gate *gate, const sn_gate_config *config,
                              sn_error *err) {
  sn__guard_limits *limits = SN_NEW(arena, sn__guard_limits, gate->joint_count);
  if (limits == NULL) {
    return sn__fail(err, SN_ENOMEM, "gate: no room in arena '%s'", sn_arena_name(arena));
  }
  for (size_t i = 0; i < gate->joint_count; i++) {
    const sn__gate_joint *joint = &gate->joints[i];
    if (joint->is_driven) {
      limits[i] = (sn__guard_limits){joint->limits.accel, joint->limits.brake};
    }
  }
  const sn__guard_config guard_config = {.margin_m = config->collision_margin,
                                         .period_max_s = 1e-9 * (double)gate->period_max_ns,
                                         .limits = limits};
  return sn__guard_create(arena, gate->model, config->collision, &guard_config, &gate->guard.guard,
                          err);
}

sn_status sn__gate_guard_create(sn_arena *arena, sn_gate *gate, const sn_gate_config *config,
                                sn_error *err) {
  const size_t n = gate->joint_count;
  sn__gate_guard *g = &gate->guard;
  double *numbers = SN_NEW(arena, double, 5 * n);
  g->before = SN_NEW(arena, sn__motion, n);
  if (numbers == NULL || g->before == NULL) {
    return sn__fail(err, SN_ENOMEM, "gate: no room in arena '%s'", sn_arena_name(arena));
  }
  g->from_qd = numbers;
  g->wanted_q = numbers + n;
  g->wanted_qd = numbers + 2 * n;
  g->brake_q = numbers + 3 * n;
  g->brake_qd = numbers + 4 * n;
  const sn_status status = create_guard(arena, gate, config, err);
  g->is_on = status == SN_OK;
  g->collision = config->collision;
  return status;
}

/* ---- one step ---- */

/* A limp joint is not moved by commands: the guard sees where it is, and no speed. */
static double speed_of(const sn_gate *gate, size_t joint, const sn__motion *motion) {
  return gate->limp[joint] ? 0.0 : motion->qd;
}

void sn__gate_guard_begin(sn_gate *gate) {
  sn__gate_guard *g = &gate->guard;
  for (size_t i = 0; i < gate->joint_count; i++) {
    g->before[i] = gate->joints[i].motion;
    g->from_qd[i] = speed_of(gate, i, &g->before[i]);
  }
}

static void find_brake(sn_gate *gate, double dt_s) {
  sn__gate_guard *g = &gate->guard;
  for (size_t i = 0; i < gate->joint_count; i++) {
    sn__motion motion = g->before[i];
    const bool brakes = gate->joints[i].is_driven && !gate->limp[i];
    if (brakes) {
      sn__limiter_brake(&gate->joints[i].limits, dt_s, &motion);
    }
    g->brake_q[i] = brakes ? motion.q : g->wanted_q[i];
    g->brake_qd[i] = brakes ? motion.qd : g->wanted_qd[i];
  }
}

/* A share of the wanted motion, the rest of braking: both are within limits, so all between is.
   @return whether that is less than was wanted */
static bool slow_down(sn_gate *gate, size_t index, double share, double dt_s) {
  sn__gate_guard *g = &gate->guard;
  sn__gate_joint *joint = &gate->joints[index];
  const double wanted = joint->motion.qd, brake = g->brake_qd[index];
  if (share >= 1.0 || wanted == brake || !joint->is_driven || gate->limp[index]) {
    return false;
  }
  const sn__motion *before = &g->before[index];
  const double qd = brake + share * (wanted - brake);
  joint->motion.qd = qd;
  joint->motion.qdd = (qd - before->qd) / dt_s;
  joint->motion.q = fmax(joint->limits.lower, fmin(joint->limits.upper, before->q + qd * dt_s));
  sn__gate_count(gate, SN_GATE_BLOCKED, joint->owner, (int)index);
  return true;
}

static void list_wanted(sn_gate *gate) {
  sn__gate_guard *g = &gate->guard;
  for (size_t i = 0; i < gate->joint_count; i++) {
    g->wanted_q[i] = gate->joints[i].motion.q;
    g->wanted_qd[i] = speed_of(gate, i, &gate->joints[i].motion);
  }
}

/* Was it limp until now? Then no guard has limited how fast it moves. */
static bool is_freed(const sn_gate *gate, size_t index) {
  const sn__gate_joint *joint = &gate->joints[index];
  return joint->is_driven && joint->was_limp && !gate->limp[index];
}

static bool has_freed(const sn_gate *gate) {
  for (size_t i = 0; i < gate->joint_count; i++) {
    if (is_freed(gate, i)) {
      return true;
    }
  }
  return false;
}

/* Their commands stand still at once. */
static void rest_freed(sn_gate *gate) {
  sn__gate_guard *g = &gate->guard;
  for (size_t i = 0; i < gate->joint_count; i++) {
    if (is_freed(gate, i)) {
      g->before[i].qd = g->before[i].qdd = g->from_qd[i] = 0.0;
      gate->joints[i].motion = g->before[i];
    }
  }
}

void sn__gate_guard_end(sn_gate *gate, double dt_s) {
  sn__gate_guard *g = &gate->guard;
  const sn__guard_motion from = {gate->q, g->from_qd}, wanted = {g->wanted_q, g->wanted_qd};
  const sn__guard_motion brake = {g->brake_q, g->brake_qd};
  g->is_blocked = false;
  list_wanted(gate);
  if (sn__guard_admits(g->guard, &from, &wanted, dt_s)) {
    return;
  }
  find_brake(gate, dt_s);
  if (has_freed(gate)) {
    /* They may be too fast to brake before a contact. */
    if (!sn__guard_allows(g->guard, &from, &brake, dt_s)) {
      rest_freed(gate);
      list_wanted(gate);
      find_brake(gate, dt_s);
    }
    if (sn__guard_admits(g->guard, &from, &wanted, dt_s)) {
      return;
    }
  }
  const double *shares = sn__guard_shares(g->guard, &from, &brake, &wanted);
  for (size_t i = 0; i < gate->joint_count; i++) {
    g->is_blocked = slow_down(gate, i, shares[i], dt_s) || g->is_blocked;
  }
  g->blocked_count += g->is_blocked;
}

/* ---- the outside ---- */

void sn__gate_set_base(sn_gate *gate, sn_pose pose_world_root) {
  sn__collision *collision = gate->guard.collision;
  if (collision == NULL) {
    return;
  }
  sn__collision_set_base(collision, pose_world_root);
  if (gate->guard.is_on && sn__collision_object_count(collision) > 0) {
    sn__guard_world_moved(gate->guard.guard, gate->q);
  }
}

void sn__gate_world_changed(sn_gate *gate) {
  gate->guard.is_blocked = false;
  if (gate->guard.is_on) {
    sn__guard_start(gate->guard.guard, gate->q);
  }
}

void sn__gate_set_guarded(sn_gate *gate, bool is_guarded) {
  const bool was_on = gate->guard.is_on;
  gate->guard.is_on = is_guarded && gate->guard.guard != NULL;
  if (gate->guard.is_on != was_on) {
    sn__gate_world_changed(gate);
  }
}

bool sn__gate_blocked_by(const sn_gate *gate, sn__guard_block *block) {
  if (gate->guard.is_blocked) {
    *block = sn__guard_blocked_by(gate->guard.guard);
  }
  return gate->guard.is_blocked;
}

const double *sn__gate_pose(const sn_gate *gate) {
  return gate->q;
}

uint64_t sn__gate_blocked_count(const sn_gate *gate) {
  return gate->guard.blocked_count;
}

double sn__gate_follow(sn_gate *gate, const double *from, const double *to, sn__guard_block *block,
                       bool *is_free) {
  *is_free = true;
  return gate->guard.is_on ? sn__guard_follow(gate->guard.guard, from, to, block, is_free) : 1.0;
}

double sn__gate_collision_margin(const sn_gate *gate) {
  return gate->guard.guard == NULL ? 0.0 : sn__guard_margin(gate->guard.guard);
}
