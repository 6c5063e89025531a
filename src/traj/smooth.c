#include "traj/smooth.h"

#include <math.h>

#include "base/fail.h"
#include "sinew/fault.h"
#include "traj/smooth_types.h"

struct sn_smooth {
  const sn_smooth_type *type;
  void *filter;
  size_t joint_count;
  double period_s; /* 0 until the first reset */
};

static const sn_smooth_type *const types[] = {&sn__smooth_transient_exp, &sn__smooth_filter_exp,
                                              &sn__smooth_jerk_limited};
enum { TYPE_COUNT = sizeof types / sizeof types[0] };

static char plain(char c) {
  return c == '-' ? '_' : c;
}

const sn_smooth_type *sn__smooth_find(const char *name) {
  for (size_t i = 0; i < TYPE_COUNT; i++) {
    const char *a = types[i]->name;
    const char *b = name;
    while (*a != '\0' && plain(*a) == plain(*b)) {
      a++;
      b++;
    }
    if (*a == *b) {
      return types[i];
    }
  }
  return NULL;
}

const sn_smooth_type *sn__smooth_at(size_t index) {
  return index < TYPE_COUNT ? types[index] : NULL;
}

sn_status sn__smooth_read_rates(const sn_smooth_config *config, const char *name, double *rates,
                                sn_error *err) {
  const double common = config->transient_time_s == 0.0 ? 1.0 : config->transient_time_s;
  for (size_t j = 0; j < config->joint_count; j++) {
    const double *times = config->transient_times_s;
    const double time = times != NULL ? times[j] : common;
    if (!(time >= 1e-6 && time <= 1e6)) { /* the negated form also rejects NaN */
      return sn__fail(err, SN_EINVAL, "%s: transient time of joint %zu is %g s, must be 1e-6..1e6",
                      name, j, time);
    }
    rates[j] = SN__SMOOTH_RATE / time;
  }
  return SN_OK;
}

sn_status sn__smooth_create(sn_arena *arena, const char *name, const sn_smooth_config *config,
                            sn_smooth **out, sn_error *err) {
  const sn_smooth_type *type = sn__smooth_find(name);
  if (type == NULL) {
    return sn__fail(
        err, SN_ENOENT,
        "smooth: unknown filter '%s', expected transient_exp, filter_exp or jerk_limited", name);
  }
  return sn__smooth_create_type(arena, type, config, out, err);
}

sn_status sn__smooth_create_type(sn_arena *arena, const sn_smooth_type *type,
                                 const sn_smooth_config *config, sn_smooth **out, sn_error *err) {
  SN_ASSERT(arena != NULL);
  SN_ASSERT(type != NULL);
  SN_ASSERT(out != NULL);
  const size_t n = config->joint_count;
  if (n == 0 || n > SN_OTG_JOINTS_MAX) {
    return sn__fail(err, SN_EINVAL, "%s: %zu joints, must be 1..%d", type->name, n,
                    SN_OTG_JOINTS_MAX);
  }
  const sn_arena_mark mark = sn_arena_save(arena);
  sn_smooth *smooth = SN_NEW(arena, sn_smooth, 1);
  if (smooth == NULL) {
    return sn__fail(err, SN_ENOMEM, "%s: no room in arena '%s'", type->name, sn_arena_name(arena));
  }
  *smooth = (sn_smooth){.type = type, .joint_count = n};
  const sn_status status = type->create(arena, config, &smooth->filter, err);
  if (status != SN_OK) {
    sn_arena_restore(arena, mark);
    return status;
  }
  *out = smooth;
  return SN_OK;
}

/* NULL is valid: it means zeros, or not wanted. */
static bool are_values(size_t n, const double *values) {
  for (size_t j = 0; values != NULL && j < n; j++) {
    if (!(fabs(values[j]) <= SN_OTG_VALUE_MAX)) {
      return false;
    }
  }
  return true;
}

static bool is_state(size_t n, const sn_smooth_state *state) {
  return are_values(n, state->q) && are_values(n, state->qd) && are_values(n, state->qdd);
}

sn_status sn__smooth_reset(sn_smooth *smooth, const sn_smooth_state *state, double period_s) {
  if (!is_state(smooth->joint_count, state) || !(period_s > 0.0 && period_s <= 1e3)) {
    return SN_EINVAL;
  }
  smooth->period_s = period_s;
  for (size_t j = 0; j < smooth->joint_count; j++) {
    const sn_otg_state one = {state->q[j], state->qd != NULL ? state->qd[j] : 0.0,
                              state->qdd != NULL ? state->qdd[j] : 0.0};
    smooth->type->reset(smooth->filter, j, one, period_s);
  }
  return SN_OK;
}

sn_status sn__smooth_reset_joint(sn_smooth *smooth, size_t joint, sn_otg_state state) {
  SN_ASSERT(joint < smooth->joint_count);
  if (smooth->period_s == 0.0) {
    return SN_ENOTCONFIGURED;
  }
  if (!are_values(3, (const double[]){state.q, state.qd, state.qdd})) {
    return SN_EINVAL;
  }
  smooth->type->reset(smooth->filter, joint, state, smooth->period_s);
  return SN_OK;
}

sn_status sn__smooth_update(sn_smooth *smooth, const sn_smooth_state *state,
                            const sn_smooth_reference *reference,
                            const sn_smooth_state *new_state) {
  if (smooth->period_s == 0.0) {
    return SN_ENOTCONFIGURED;
  }
  const size_t n = smooth->joint_count;
  const bool is_known = state != NULL && is_state(n, state);
  const bool is_good =
      are_values(n, reference->q) && are_values(n, reference->qd) && (state == NULL || is_known);
  smooth->type->update(smooth->filter, is_known ? state : NULL, is_good ? reference : NULL,
                       new_state);
  return is_good ? SN_OK : SN_EINVAL;
}

const sn_smooth_type *sn__smooth_kind(const sn_smooth *smooth) {
  return smooth->type;
}
