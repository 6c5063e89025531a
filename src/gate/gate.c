#include "gate/gate.h"

#include <math.h>

#include "base/fail.h"
#include "base/text.h"
#include "gate/gate_internal.h"
#include "sinew/fault.h"

static int64_t to_ns(double s) {
  return (int64_t)(s * 1e9);
}

/* ---- creation ---- */

static sn_status check_value(const char *name, double *value, double initial, double max,
                             sn_error *err) {
  *value = *value == 0.0 ? initial : *value;
  if (!(*value > 0.0) || !(*value <= max)) {
    return sn__fail(err, SN_EINVAL, "gate: %s is %g, must be above 0 and at most %g", name, *value,
                    max);
  }
  return SN_OK;
}

/* Put the defaults in. */
static sn_status check_config(sn_gate_config *config, sn_error *err) {
  const struct {
    const char *name;
    double *value;
    double initial, max;
  } values[] = {
      {"reference_timeout_s", &config->reference_timeout_s, 0.5, 3600.0},
      {"acceleration_time_s", &config->acceleration_time_s, 0.1, 3600.0},
      {"velocity_default", &config->velocity_default, 1.0, 1e6},
      {"period_max_s", &config->period_max_s, 0.02, 10.0},
      {"start_tolerance", &config->start_tolerance, 0.05, 10.0},
  };
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    if (check_value(values[i].name, values[i].value, values[i].initial, values[i].max, err) !=
        SN_OK) {
      return SN_EINVAL;
    }
  }
  return config->source_count <= SN_GATE_SOURCES_MAX
             ? SN_OK
             : sn__fail(err, SN_EINVAL, "gate: %zu sources, at most %d are possible",
                        config->source_count, SN_GATE_SOURCES_MAX);
}

static sn_gate *allocate(sn_arena *arena, const sn_model *model, size_t source_count) {
  const size_t n = sn_model_pose_size(model);
  const size_t limit_count = (size_t)SN_GATE_REASON_COUNT * (source_count + 1);
  sn_gate *gate = SN_NEW(arena, sn_gate, 1);
  sn__gate_joint *joints = SN_NEW(arena, sn__gate_joint, n);
  sn__gate_source *sources = SN_NEW(arena, sn__gate_source, source_count);
  double *numbers = SN_NEW(arena, double, 4 * n);
  bool *limp = SN_NEW(arena, bool, n);
  sn_log_limit *limits = SN_NEW(arena, sn_log_limit, limit_count);
  sn_gate_event *events = SN_NEW(arena, sn_gate_event, limit_count);
  if (gate == NULL || joints == NULL || sources == NULL || numbers == NULL || limp == NULL ||
      limits == NULL || events == NULL) {
    return NULL;
  }
  *gate = (sn_gate){.model = model,
                    .names = sn_model_joint_names(model),
                    .joint_count = n,
                    .source_count = source_count,
                    .joints = joints,
                    .sources = sources,
                    .q = numbers,
                    .qd = numbers + n,
                    .qdd = numbers + 2 * n,
                    .tau = numbers + 3 * n,
                    .limp = limp,
                    .limits = limits,
                    .events = events,
                    .event_capacity = limit_count};
  bool is_good = sn__name_map_init(&gate->measured_names, arena, gate->names);
  for (size_t i = 0; is_good && i < source_count; i++) {
    is_good = sn__name_map_init(&sources[i].names, arena, gate->names);
  }
  gate->command = (sn_gate_command){.q = gate->q, .qd = gate->qd, .qdd = gate->qdd, .limp = limp};
  return is_good ? gate : NULL;
}

static sn_status set_initial_pose(sn_gate *gate, const double *pose, sn_error *err) {
  for (size_t i = 0; i < gate->joint_count; i++) {
    sn__gate_joint *joint = &gate->joints[i];
    const double q = pose == NULL || isnan(pose[i]) ? 0.0 : pose[i];
    if (joint->master < 0 && pose != NULL && !isnan(pose[i]) &&
        !(isfinite(q) && q >= joint->limits.lower && q <= joint->limits.upper)) {
      return sn__fail(err, SN_EINVAL,
                      "initial pose: joint '%.60s' at %g is outside of its limits %g .. %g",
                      sn_names_at(gate->names, i), q, joint->limits.lower, joint->limits.upper);
    }
    joint->motion.q = fmax(joint->limits.lower, fmin(joint->limits.upper, q));
  }
  return SN_OK;
}

sn_status sn__gate_create(sn_arena *arena, const sn_model *model, const sn_gate_config *config,
                          sn_gate **out, sn_error *err) {
  SN_ASSERT(model != NULL);
  SN_ASSERT(out != NULL);
  sn_gate_config c = *config;
  sn_status status = check_config(&c, err);
  if (status != SN_OK) {
    return status;
  }
  const sn_arena_mark mark = sn_arena_save(arena);
  sn_gate *gate = allocate(arena, model, c.source_count);
  if (gate == NULL) {
    sn_arena_restore(arena, mark);
    return sn__fail(err, SN_ENOMEM, "gate: no room in arena '%s'", sn_arena_name(arena));
  }
  gate->period_max_ns = to_ns(c.period_max_s);
  gate->start_tolerance = c.start_tolerance;
  gate->stop_limp = c.stop_limp;
  sn__gate_set_reference_timeout(gate, c.reference_timeout_s);
  status = sn__gate_read_limits(gate, &c, err);
  if (status == SN_OK) {
    status = set_initial_pose(gate, c.initial_pose, err);
  }
  if (status == SN_OK && c.collision != NULL) {
    status = sn__gate_guard_create(arena, gate, &c, err);
  }
  if (status != SN_OK) {
    sn_arena_restore(arena, mark);
    return status;
  }
  sn__gate_restart(gate, c.wait_for_measured, INT64_MIN);
  *out = gate;
  return SN_OK;
}

void sn__gate_restart(sn_gate *gate, bool wait_for_measured, int64_t now_ns) {
  for (size_t i = 0; i < gate->joint_count; i++) {
    sn__gate_joint *joint = &gate->joints[i];
    joint->motion.qd = joint->motion.qdd = 0.0;
    joint->reference = (sn__reference){0};
    joint->is_measured = joint->is_silent = false;
  }
  gate->resumed_ns = now_ns;
  gate->has_stepped = gate->is_waiting = false;
  gate->starts_measured = wait_for_measured;
  gate->is_started = !wait_for_measured;
  sn__gate_settle(gate);
}

/* ---- owners ---- */

void sn__gate_own(sn_gate *gate, const int *owners, int64_t now_ns) {
  for (size_t i = 0; i < gate->joint_count; i++) {
    sn__gate_joint *joint = &gate->joints[i];
    if (owners[i] == joint->owner) {
      continue;
    }
    SN_ASSERT(owners[i] < (int)gate->source_count);
    joint->former[1] = joint->owned_ns == now_ns ? joint->former[0] : -1;
    joint->former[0] = joint->owner;
    joint->owner = owners[i] < 0 ? -1 : owners[i];
    joint->owned_ns = now_ns;
    joint->is_silent = false;
    joint->reference = (sn__reference){0};
  }
}

void sn__gate_lose(sn_gate *gate, size_t source, int64_t now_ns) {
  SN_ASSERT(source < gate->source_count);
  for (size_t i = 0; i < gate->joint_count; i++) {
    sn__gate_joint *joint = &gate->joints[i];
    if (joint->owner == (int)source && joint->reference.is_there) {
      joint->reference = (sn__reference){0};
      joint->is_silent = true;
      const sn_gate_event event = {
          .reason = SN_GATE_LOST, .source = (int)source, .joint = (int)i, .now_ns = now_ns};
      sn__gate_report(gate, &event);
    }
  }
}

/* ---- emergency stop ---- */

static void copy_text(char *to, size_t size, const char *from) {
  (void)sn__text_clean(from == NULL ? "" : from, to, size);
}

void sn__gate_stop_explain(sn_gate *gate, const char *who, const char *why) {
  copy_text(gate->stop.who, sizeof gate->stop.who, who);
  copy_text(gate->stop.why, sizeof gate->stop.why, why);
}

void sn__gate_stop(sn_gate *gate, const char *who, const char *why, int64_t now_ns) {
  gate->stop.count++;
  if (gate->stop.is_stopped) {
    return;
  }
  sn__gate_keep_limp(gate);
  gate->stop.is_stopped = true;
  gate->stop.since_ns = now_ns;
  sn__gate_stop_explain(gate, who, why);
  for (size_t i = 0; i < gate->joint_count; i++) {
    gate->joints[i].reference = (sn__reference){0};
  }
}

sn_status sn__gate_resume(sn_gate *gate, const char *who, int64_t now_ns) {
  if (!gate->stop.is_stopped) {
    return SN_EINVAL;
  }
  if (!sn__gate_is_at_rest(gate)) {
    return SN_EBUSY;
  }
  gate->stop.is_stopped = false;
  gate->stop.resumed_ns = now_ns;
  copy_text(gate->stop.resumed_by, sizeof gate->stop.resumed_by, who);
  gate->resumed_ns = now_ns;
  for (size_t i = 0; i < gate->joint_count; i++) {
    gate->joints[i].is_silent = gate->joints[i].stays_limp = false;
  }
  return SN_OK;
}

/* ---- counts and events ---- */

const char *sn__gate_reason_text(sn_gate_reason reason) {
  static const char *const texts[SN_GATE_REASON_COUNT] = {
      [SN_GATE_LENGTHS] = "names, positions, velocities and efforts differ in number",
      [SN_GATE_NOT_FINITE] = "a number is not finite",
      [SN_GATE_DUPLICATE] = "the joint appears twice",
      [SN_GATE_OLD] = "the stamp is older than allowed",
      [SN_GATE_FUTURE] = "the stamp lies in the future",
      [SN_GATE_UNKNOWN] = "unknown joint",
      [SN_GATE_NOT_OWNER] = "the source does not own it",
      [SN_GATE_NOT_DRIVEN] = "it cannot move",
      [SN_GATE_EARLY] = "written before it counted",
      [SN_GATE_STOPPED] = "emergency stop",
      [SN_GATE_CLAMPED] = "the reference is outside of the limits",
      [SN_GATE_SILENT] = "no reference in time, held",
      [SN_GATE_LOST] = "its owner is gone, held",
      [SN_GATE_UNMEASURED] = "the start waits for its measured position",
      [SN_GATE_OUTSIDE] = "measured outside of its limits, no start",
      [SN_GATE_BLIND] = "limp and not measured, the last command is held",
      [SN_GATE_BLOCKED] = "slowed down before a collision",
  };
  return (unsigned)reason < SN_GATE_REASON_COUNT ? texts[reason] : "unknown reason";
}

void sn__gate_count(sn_gate *gate, sn_gate_reason reason, int source, int joint) {
  if (source >= 0) {
    gate->sources[source].counts.reasons[reason]++;
  }
  if (joint >= 0) {
    gate->joints[joint].counts.reasons[reason]++;
  }
}

void sn__gate_report(sn_gate *gate, const sn_gate_event *event) {
  sn__gate_count(gate, event->reason, event->source, event->joint);
  sn_log_limit *limit =
      &gate->limits[(size_t)event->reason * (gate->source_count + 1) + (size_t)(event->source + 1)];
  uint64_t suppressed = 0;
  if (gate->event_count == gate->event_capacity) {
    limit->suppressed++;
    return;
  }
  if (!sn_log_limit_pass(limit, event->now_ns, &suppressed)) {
    return;
  }
  const size_t end = (gate->event_begin + gate->event_count) % gate->event_capacity;
  gate->event_count++;
  gate->events[end] = *event;
  gate->events[end].count = suppressed + 1;
}

bool sn__gate_next_event(sn_gate *gate, sn_gate_event *event) {
  if (gate->event_count == 0) {
    return false;
  }
  *event = gate->events[gate->event_begin];
  gate->event_begin = (gate->event_begin + 1) % gate->event_capacity;
  gate->event_count--;
  return true;
}

/* ---- queries ---- */

const sn_gate_stop_state *sn__gate_stop_now(const sn_gate *gate) {
  return &gate->stop;
}

void sn__gate_set_reference_timeout(sn_gate *gate, double timeout_s) {
  SN_ASSERT(timeout_s > 0.0);
  gate->timeout_ns = to_ns(fmin(timeout_s, 3600.0));
}

void sn__gate_set_stop_limp(sn_gate *gate, bool stop_limp) {
  gate->stop_limp = stop_limp;
}

const sn_gate_counts *sn__gate_source_counts(const sn_gate *gate, size_t source) {
  SN_ASSERT(source < gate->source_count);
  return &gate->sources[source].counts;
}

const sn_gate_counts *sn__gate_joint_counts(const sn_gate *gate, size_t joint) {
  SN_ASSERT(joint < gate->joint_count);
  return &gate->joints[joint].counts;
}
