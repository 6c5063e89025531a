#include "controllers/follow.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "controllers/ref_interpolator.h"
#include "msg/name_map.h"

struct sn_follow {
  const sn_model *model;
  size_t joint_count;
  int64_t delay_ns, timeout_ns;
  int64_t interval_max_ns; /* longest interval of positions that are joined; 0: never joined */
  int64_t period_ns;
  sn_smooth *smooth;
  bool is_smooth_ready; /* the filter was reset once, which sets its period */
  bool has_stamp;
  int64_t stamp_ns;            /* of the last reference that was taken */
  int64_t taken_ns;            /* when */
  int silent_joint;            /* moving when the source fell silent in this cycle; -1: none */
  const double *pose;          /* [joint_count] each */
  sn__ref_interpolator *lines; /* where the source wants each joint */
  double *target, *target_velocity;
  double *filtered_acceleration; /* output of the filter that is not used */
  double *held;                  /* the last good output of the filter */
  int64_t *active_ns;            /* when the source counts */
  bool *owned;
  bool *is_new;        /* owned since the last step: earlier references do not count */
  bool *has_reference; /* one arrived since it is owned */
  sn__name_map names;
};

static bool is_time(double s) {
  return s >= 0.0 && s <= 1e6; /* false for NaN */
}

static int64_t to_ns(double s) {
  return (int64_t)(1e9 * s);
}

sn_status sn__follow_create(sn_arena *arena, const sn_follow_config *config, sn_follow **out,
                            sn_error *err) {
  if (!is_time(config->activation_delay_s) || !is_time(config->reference_timeout_s) ||
      !is_time(config->source_interval_s)) {
    return sn__fail(
        err, SN_EINVAL, "follow: delay %g s, time-out %g s, interval %g s, must be 0 .. 1e6",
        config->activation_delay_s, config->reference_timeout_s, config->source_interval_s);
  }
  const size_t n = sn_model_pose_size(config->model);
  /* Without a filter, or with one that passes the reference on, positions are not joined. */
  const bool joins = config->smooth != NULL && sn__smooth_kind(config->smooth)->forms_motion;
  const double timeout_s = config->reference_timeout_s == 0.0 ? 0.5 : config->reference_timeout_s;
  const sn_arena_mark mark = sn_arena_save(arena);
  sn_follow *follow = SN_NEW(arena, sn_follow, 1);
  double *reals = SN_NEW(arena, double, 4 * n);
  sn__ref_interpolator *lines = SN_NEW(arena, sn__ref_interpolator, n);
  int64_t *active_ns = SN_NEW(arena, int64_t, n);
  bool *flags = SN_NEW(arena, bool, 3 * n);
  sn__name_map names;
  if (!sn__name_map_init(&names, arena, sn_model_joint_names(config->model)) || follow == NULL ||
      reals == NULL || lines == NULL || active_ns == NULL || flags == NULL) {
    sn_arena_restore(arena, mark); /* all or nothing */
    return sn__fail(err, SN_ENOMEM, "follow: no room in arena '%s'", sn_arena_name(arena));
  }
  *follow = (sn_follow){.model = config->model,
                        .joint_count = n,
                        .silent_joint = -1,
                        .delay_ns = to_ns(config->activation_delay_s),
                        .timeout_ns = to_ns(timeout_s),
                        .interval_max_ns = joins ? to_ns(config->source_interval_s) : 0,
                        .smooth = config->smooth,
                        .lines = lines,
                        .pose = config->pose,
                        .target = reals,
                        .target_velocity = reals + n,
                        .filtered_acceleration = reals + 2 * n,
                        .held = reals + 3 * n,
                        .active_ns = active_ns,
                        .owned = flags,
                        .is_new = flags + n,
                        .has_reference = flags + 2 * n,
                        .names = names};
  *out = follow;
  return SN_OK;
}

/* The joint stays where it is until its delay is over. */
static void activate(sn_follow *follow, size_t j, int64_t now_ns) {
  follow->is_new[j] = true;
  follow->has_reference[j] = false;
  follow->held[j] = follow->pose[j];
  sn__ref_interpolator_reset(&follow->lines[j], follow->pose[j]);
  follow->target_velocity[j] = 0.0;
  follow->active_ns[j] = now_ns + follow->delay_ns;
}

static void reset_filter(sn_follow *follow, size_t j, double period_s) {
  if (follow->smooth == NULL) {
    return;
  }
  if (!follow->is_smooth_ready) {
    memcpy(follow->target, follow->pose, follow->joint_count * sizeof *follow->target);
    const sn_smooth_state at_rest = {.q = follow->target};
    follow->is_smooth_ready = sn__smooth_reset(follow->smooth, &at_rest, period_s) == SN_OK;
  }
  const sn_otg_state state = {.q = follow->pose[j]};
  (void)sn__smooth_reset_joint(follow->smooth, j, state); /* the pose was checked */
}

/* The joint is held until the first reference. The filter starts now: it fades the error against
   this reference. */
static void begin_filter(sn_follow *follow, size_t j) {
  if (follow->smooth != NULL && !follow->has_reference[j]) {
    const sn_otg_state at_rest = {.q = follow->held[j]};
    (void)sn__smooth_reset_joint(follow->smooth, j, at_rest); /* the output was checked */
  }
  follow->has_reference[j] = true;
}

void sn__follow_own(sn_follow *follow, const bool *owned, double period_s, int64_t now_ns) {
  bool owns_any = false;
  follow->period_ns = to_ns(period_s);
  for (size_t j = 0; j < follow->joint_count; j++) {
    if (owned[j] && !follow->owned[j]) {
      activate(follow, j, now_ns);
      reset_filter(follow, j, period_s);
    }
    follow->owned[j] = owned[j];
    owns_any |= owned[j];
  }
  if (!owns_any) {
    follow->has_stamp = false; /* the next source may have another clock */
  }
}

static double clamp(const sn_joint *joint, double q) {
  return fmin(fmax(q, joint->lower), joint->upper);
}

static sn_follow_verdict check(sn_follow *follow, const sn_joint_state *msg) {
  static const sn_follow_fault faults[] = {[SN__READ_GOOD] = SN_FOLLOW_GOOD,
                                           [SN__READ_UNKNOWN] = SN_FOLLOW_GOOD,
                                           [SN__READ_LENGTHS] = SN_FOLLOW_LENGTHS,
                                           [SN__READ_NOT_FINITE] = SN_FOLLOW_NOT_FINITE,
                                           [SN__READ_DUPLICATE] = SN_FOLLOW_DUPLICATE};
  sn_follow_verdict verdict = {.joint = -1};
  verdict.fault = faults[sn__read_joint_state(&follow->names, msg, &verdict.joint)];
  if (verdict.fault == SN_FOLLOW_GOOD && follow->has_stamp && msg->header.stamp_ns != 0 &&
      msg->header.stamp_ns < follow->stamp_ns) {
    verdict.fault = SN_FOLLOW_OLD;
  }
  return verdict;
}

/* A continuous joint goes the shorter way round, as in the gate: a filter must not take the longer
   one. Without a filter the gate does it. */
static double nearest(const sn_follow *follow, size_t j, double q) {
  const double full_turn = 6.283185307179586;
  const double before = follow->lines[j].to;
  return follow->smooth != NULL && sn_model_joint(follow->model, j)->type == SN_JOINT_CONTINUOUS
             ? before + remainder(q - before, full_turn)
             : q;
}

/* @return whether it is within the limits */
static bool store(sn_follow *follow, size_t j, const sn_joint_state *reference, size_t at,
                  int64_t now_ns) {
  const double said = reference->position.data[at];
  const double inside = clamp(sn_model_joint(follow->model, j), said);
  const bool has_velocity = reference->velocity.count > 0;
  begin_filter(follow, j);
  /* A missing velocity is zero, and so is one that leads out of the limits. */
  follow->target_velocity[j] = has_velocity && inside == said ? reference->velocity.data[at] : 0.0;
  sn__ref_interpolator_add(&follow->lines[j], nearest(follow, j, inside),
                           has_velocity ? 0 : follow->interval_max_ns, follow->period_ns, now_ns);
  return inside == said;
}

sn_follow_verdict sn__follow_take(sn_follow *follow, const sn_joint_state *reference,
                                  int64_t now_ns) {
  sn_follow_verdict verdict = check(follow, reference);
  if (verdict.fault != SN_FOLLOW_GOOD) {
    return verdict;
  }
  bool is_taken = false;
  for (size_t j = 0; j < follow->joint_count; j++) {
    const int at = follow->names.at[j];
    if (at < 0 || !follow->owned[j] || follow->is_new[j] || now_ns < follow->active_ns[j]) {
      continue;
    }
    if (!store(follow, j, reference, (size_t)at, now_ns)) {
      verdict = (sn_follow_verdict){SN_FOLLOW_CLAMPED, (int)j};
    }
    is_taken = true;
  }
  if (!is_taken) {
    return (sn_follow_verdict){SN_FOLLOW_EARLY, -1};
  }
  follow->taken_ns = now_ns;
  if (reference->header.stamp_ns != 0) {
    follow->stamp_ns = reference->header.stamp_ns;
    follow->has_stamp = true;
  }
  return verdict;
}

/* The output of the filter, for owned joints. If the filter fails the joint is held; the reference
   never passes unfiltered. */
static void filter(sn_follow *follow, double *q, double *qd) {
  const sn_smooth_reference reference = {.q = follow->target, .qd = follow->target_velocity};
  const sn_smooth_state out = {.q = q, .qd = qd, .qdd = follow->filtered_acceleration};
  (void)sn__smooth_update(follow->smooth, NULL, &reference,
                          &out); /* on failure the joints are held */
  for (size_t j = 0; j < follow->joint_count; j++) {
    if (!follow->owned[j]) {
      q[j] = follow->pose[j];
      qd[j] = 0.0;
      continue;
    }
    const bool is_good = isfinite(q[j]) && isfinite(qd[j]);
    const double inside = clamp(sn_model_joint(follow->model, j), is_good ? q[j] : follow->held[j]);
    qd[j] = is_good && inside == q[j] ? qd[j] : 0.0;
    q[j] = follow->held[j] = inside;
  }
}

bool sn__follow_step(sn_follow *follow, int64_t now_ns, double *q, double *qd) {
  bool is_activating = false;
  const bool is_silent = now_ns - follow->taken_ns > follow->timeout_ns;
  follow->silent_joint = -1;
  for (size_t j = 0; j < follow->joint_count; j++) {
    follow->target[j] = follow->owned[j]
                            ? sn__ref_interpolator_at(&follow->lines[j], follow->period_ns, now_ns)
                            : follow->pose[j];
    if (follow->owned[j] && is_silent && follow->target_velocity[j] != 0.0) {
      follow->silent_joint = (int)j;
    }
    if (!follow->owned[j] || is_silent) {
      follow->target_velocity[j] = 0.0;
    }
    is_activating |= follow->owned[j] && now_ns < follow->active_ns[j];
    follow->is_new[j] = false;
    q[j] = follow->target[j];
    qd[j] = follow->target_velocity[j];
  }
  if (follow->smooth != NULL && follow->is_smooth_ready) {
    filter(follow, q, qd);
  }
  return is_activating;
}

int sn__follow_silent_joint(const sn_follow *follow) {
  return follow->silent_joint;
}
