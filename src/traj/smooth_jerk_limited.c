/* The fastest motion under limits of velocity, acceleration and jerk, planned anew whenever the
   reference changes. */
#include "base/fail.h"
#include "sinew/fault.h"
#include "traj/smooth_types.h"

typedef struct jerk_limited {
  sn_otg *otg;
  size_t joint_count;
  double period_s;
  double *r;      /* [joint_count] the last good reference */
  double *r_from; /* [joint_count] where it was a period earlier */
} jerk_limited;

static sn_status create(sn_arena *arena, const sn_smooth_config *config, void **out,
                        sn_error *err) {
  jerk_limited *filter = SN_NEW(arena, jerk_limited, 1);
  double *values = SN_NEW(arena, double, 2 * config->joint_count);
  if (filter == NULL || values == NULL) {
    return sn__fail(err, SN_ENOMEM, "jerk_limited: no room in arena '%s'", sn_arena_name(arena));
  }
  const sn_otg_config otg = {.joint_count = config->joint_count,
                             .limits = config->limits,
                             .synchronise = config->synchronise};
  filter->joint_count = config->joint_count;
  filter->r = values;
  filter->r_from = values + config->joint_count;
  *out = filter;
  return sn_otg_create(arena, &otg, &filter->otg, err);
}

static void reset(void *self, size_t joint, sn_otg_state state, double period_s) {
  jerk_limited *filter = self;
  filter->period_s = period_s;
  filter->r[joint] = state.q;
  const sn_status status = sn_otg_reset_joint(filter->otg, joint, state);
  SN_ASSERT(status == SN_OK);
}

/* The reference is for the end of the period; the joints leave for it at the beginning. */
static void update(void *self, const sn_smooth_state *state, const sn_smooth_reference *reference,
                   const sn_smooth_state *new_state) {
  (void)state;
  jerk_limited *filter = self;
  const double *rd = reference != NULL ? reference->qd : NULL;
  for (size_t j = 0; j < filter->joint_count; j++) {
    filter->r[j] = reference != NULL ? reference->q[j] : filter->r[j];
    const double from = filter->r[j] - (rd != NULL ? rd[j] * filter->period_s : 0.0);
    filter->r_from[j] = fmin(fmax(from, -SN_OTG_VALUE_MAX), SN_OTG_VALUE_MAX);
  }
  const sn_status status = sn_otg_follow(filter->otg, filter->r_from, rd);
  SN_ASSERT(status == SN_OK);
  sn_otg_step(filter->otg, filter->period_s, new_state->q, new_state->qd, new_state->qdd);
}

const sn_smooth_type sn__smooth_jerk_limited = {
    .name = "jerk_limited",
    .doc = "fastest motion within limits of velocity, acceleration and jerk",
    .forms_motion = true,
    .create = create,
    .reset = reset,
    .update = update};
