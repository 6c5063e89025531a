#include "sinew/otg.h"

#include <math.h>

#include "base/fail.h"
#include "sinew/fault.h"
#include "traj/otg_plan.h"
#include "traj/otg_profile.h"

/* A joint in motion. */
typedef struct joint {
  size_t index;   /* current phase; profile.count after the last */
  double passed;  /* s, of the present phase */
  double elapsed; /* s, of the whole profile */
  sn_otg_profile profile;
  bool has_target;
  bool is_followed; /* the target moves on */
  sn_otg_state target;
  sn__otg_scale scale;
} joint;

struct sn_otg {
  size_t joint_count;
  bool synchronise;
  joint *joints;       /* [joint_count] */
  sn__otg_task *tasks; /* [joint_count] if synchronised */
};

static sn_status check(const sn_otg_config *config, sn_error *err) {
  if (config->joint_count == 0 || config->joint_count > SN_OTG_JOINTS_MAX) {
    return sn__fail(err, SN_EINVAL, "otg: %zu joints, must be 1..%d", config->joint_count,
                    SN_OTG_JOINTS_MAX);
  }
  if (config->limits == NULL) {
    return sn__fail(err, SN_EINVAL, "otg: limits are missing");
  }
  for (size_t j = 0; j < config->joint_count; j++) {
    const sn_otg_limits *limits = &config->limits[j];
    if (!sn__otg_are_limits(limits)) {
      return sn__fail(
          err, SN_EINVAL,
          "otg: limits of joint %zu are velocity %g, acceleration %g, jerk %g; each must "
          "be %g..%g",
          j, limits->velocity, limits->acceleration, limits->jerk, 1.0 / SN_OTG_VALUE_MAX,
          SN_OTG_VALUE_MAX);
    }
  }
  return SN_OK;
}

static void restart(joint *j) {
  j->index = 0;
  j->passed = 0.0;
  j->elapsed = 0.0;
}

static void put(joint *j, sn_otg_state state) {
  sn__otg_write_velocity(&j->scale, state, 0.0, &j->profile);
  j->has_target = false;
  restart(j);
}

sn_status sn_otg_create(sn_arena *arena, const sn_otg_config *config, sn_otg **out, sn_error *err) {
  SN_ASSERT(arena != NULL);
  SN_ASSERT(out != NULL);
  const sn_status status = check(config, err);
  if (status != SN_OK) {
    return status;
  }
  const size_t n = config->joint_count;
  const sn_arena_mark mark = sn_arena_save(arena);
  sn_otg *otg = SN_NEW(arena, sn_otg, 1);
  joint *joints = SN_NEW(arena, joint, n);
  sn__otg_task *tasks = SN_NEW(arena, sn__otg_task, config->synchronise ? n : 0);
  if (otg == NULL || joints == NULL || tasks == NULL) {
    sn_arena_restore(arena, mark);
    return sn__fail(err, SN_ENOMEM, "otg: no room in arena '%s'", sn_arena_name(arena));
  }
  *otg = (sn_otg){n, config->synchronise, joints, tasks};
  for (size_t j = 0; j < n; j++) {
    sn__otg_scale_init(&joints[j].scale, &config->limits[j]);
    put(&joints[j], (sn_otg_state){0.0, 0.0, 0.0});
  }
  *out = otg;
  return SN_OK;
}

static double value_or_zero(const double *values, size_t j) {
  return values != NULL ? values[j] : 0.0;
}

sn_status sn_otg_reset(sn_otg *otg, const double *q, const double *qd, const double *qdd) {
  for (size_t j = 0; j < otg->joint_count; j++) {
    if (!sn__otg_is_value(q[j]) || !sn__otg_is_value(value_or_zero(qd, j)) ||
        !sn__otg_is_value(value_or_zero(qdd, j))) {
      return SN_EINVAL;
    }
  }
  for (size_t j = 0; j < otg->joint_count; j++) {
    put(&otg->joints[j], (sn_otg_state){q[j], value_or_zero(qd, j), value_or_zero(qdd, j)});
  }
  return SN_OK;
}

sn_status sn_otg_reset_joint(sn_otg *otg, size_t index, sn_otg_state state) {
  SN_ASSERT(index < otg->joint_count);
  if (!sn__otg_is_value(state.q) || !sn__otg_is_value(state.qd) || !sn__otg_is_value(state.qdd)) {
    return SN_EINVAL;
  }
  put(&otg->joints[index], state);
  return SN_OK;
}

static sn_otg_state present(const joint *j) {
  if (j->index < j->profile.count) {
    const sn_otg_phase *phase = &j->profile.phases[j->index];
    return sn__otg_move(phase->start, phase->jerk, j->passed);
  }
  return sn__otg_move(j->profile.end, 0.0, j->passed);
}

static void step(joint *j, double dt_s) {
  j->elapsed += dt_s;
  j->passed += dt_s;
  while (j->index < j->profile.count && j->passed >= j->profile.phases[j->index].duration_s) {
    j->passed -= j->profile.phases[j->index].duration_s;
    j->index++;
  }
}

void sn_otg_step(sn_otg *otg, double dt_s, double *q, double *qd, double *qdd) {
  SN_ASSERT(dt_s >= 0.0);
  for (size_t j = 0; j < otg->joint_count; j++) {
    step(&otg->joints[j], dt_s);
    const sn_otg_state state = present(&otg->joints[j]);
    if (q != NULL) {
      q[j] = state.q;
    }
    if (qd != NULL) {
      qd[j] = state.qd;
    }
    if (qdd != NULL) {
      qdd[j] = state.qdd;
    }
  }
}

/* The shortest time in which all joints can arrive together. Every joint has at most a few
 * intervals of impossible durations, so this ends after a few rounds; the bound covers rounding. */
static double common_duration(const sn_otg *otg) {
  double duration_s = 0.0;
  bool is_possible = false;
  for (size_t round = 0; round < 4 * otg->joint_count + 1 && !is_possible; round++) {
    is_possible = true;
    for (size_t j = 0; j < otg->joint_count; j++) {
      const double next_s = sn__otg_task_next_duration(&otg->tasks[j], duration_s);
      if (next_s > duration_s) {
        duration_s = next_s;
        is_possible = false;
      }
    }
  }
  return duration_s;
}

static void plan_together(sn_otg *otg) {
  for (size_t j = 0; j < otg->joint_count; j++) {
    joint *one = &otg->joints[j];
    sn__otg_task_init(&otg->tasks[j], &one->scale, present(one), one->target, one->is_followed);
  }
  const double duration_s = common_duration(otg);
  for (size_t j = 0; j < otg->joint_count; j++) {
    joint *one = &otg->joints[j];
    sn__otg_task_write_for(&otg->tasks[j], duration_s, &one->profile);
    restart(one);
  }
}

static void plan_alone(joint *j) {
  sn__otg_task task;
  sn__otg_task_init(&task, &j->scale, present(j), j->target, j->is_followed);
  sn__otg_task_write(&task, &j->profile);
  restart(j);
}

/* The target of a joint; false if it is unchanged. A followed target has moved since it was set, so
 * it is always new unless it is at rest. */
static bool take_target(joint *j, double q, double qd, bool is_followed) {
  const sn_otg_state target = {q, qd, 0.0};
  is_followed = is_followed && qd != 0.0;
  if (j->has_target && !is_followed && !j->is_followed && j->target.q == q && j->target.qd == qd) {
    return false;
  }
  j->target = target;
  j->has_target = true;
  j->is_followed = is_followed;
  return true;
}

static void take_targets(sn_otg *otg, const double *q, const double *qd, bool is_followed) {
  bool some_changed = false;
  for (size_t j = 0; j < otg->joint_count; j++) {
    joint *one = &otg->joints[j];
    double velocity = value_or_zero(qd, j);
    if (is_followed) {
      const double most = SN_OTG_FOLLOW_SHARE * one->scale.limits.velocity;
      velocity = fmin(fmax(velocity, -most), most);
    }
    if (take_target(one, q[j], velocity, is_followed)) {
      some_changed = true;
      if (!otg->synchronise) {
        plan_alone(one);
      }
    }
  }
  if (otg->synchronise && some_changed) {
    plan_together(otg);
  }
}

sn_status sn_otg_set_target(sn_otg *otg, const double *q, const double *qd) {
  for (size_t j = 0; j < otg->joint_count; j++) {
    if (!sn__otg_is_value(q[j]) ||
        !sn__otg_is_velocity(&otg->joints[j].scale.limits, value_or_zero(qd, j))) {
      return SN_EINVAL;
    }
  }
  take_targets(otg, q, qd, false);
  return SN_OK;
}

sn_status sn_otg_follow(sn_otg *otg, const double *q, const double *qd) {
  for (size_t j = 0; j < otg->joint_count; j++) {
    if (!sn__otg_is_value(q[j]) || !sn__otg_is_value(value_or_zero(qd, j))) {
      return SN_EINVAL;
    }
  }
  take_targets(otg, q, qd, true);
  return SN_OK;
}

double sn_otg_duration(const sn_otg *otg) {
  double left_s = 0.0;
  for (size_t j = 0; j < otg->joint_count; j++) {
    left_s = fmax(left_s, otg->joints[j].profile.duration_s - otg->joints[j].elapsed);
  }
  return left_s;
}

bool sn_otg_is_done(const sn_otg *otg) {
  for (size_t j = 0; j < otg->joint_count; j++) {
    if (otg->joints[j].index < otg->joints[j].profile.count) {
      return false;
    }
  }
  return true;
}
