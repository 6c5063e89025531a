/* A critically damped second-order low-pass, q'' = w^2 (r - q) + 2 w (r' - q'), by its exact
   solution over one period. */
#include "base/fail.h"
#include "traj/smooth_types.h"

typedef struct filter_joint {
  double rate; /* 1/s */
  double q, qd;
  double r; /* the last good reference */
} filter_joint;

typedef struct filter_exp {
  size_t joint_count;
  double period_s;
  filter_joint *joints;
} filter_exp;

static sn_status create(sn_arena *arena, const sn_smooth_config *config, void **out,
                        sn_error *err) {
  const size_t n = config->joint_count;
  filter_exp *filter = SN_NEW(arena, filter_exp, 1);
  filter_joint *joints = SN_NEW(arena, filter_joint, n);
  double *rates = SN_NEW(arena, double, n);
  if (filter == NULL || joints == NULL || rates == NULL) {
    return sn__fail(err, SN_ENOMEM, "filter_exp: no room in arena '%s'", sn_arena_name(arena));
  }
  const sn_status status = sn__smooth_read_rates(config, "filter_exp", rates, err);
  for (size_t j = 0; status == SN_OK && j < n; j++) {
    joints[j].rate = rates[j];
  }
  *filter = (filter_exp){.joint_count = n, .joints = joints};
  *out = filter;
  return status;
}

static void reset(void *self, size_t joint, sn_otg_state state, double period_s) {
  filter_exp *filter = self;
  filter->period_s = period_s;
  filter->joints[joint].q = state.q;
  filter->joints[joint].qd = state.qd;
  filter->joints[joint].r = state.q;
}

/* One period ago the reference was at its position minus velocity times period; the difference
 * decays.
 */
static void update(void *self, const sn_smooth_state *state, const sn_smooth_reference *reference,
                   const sn_smooth_state *new_state) {
  (void)state;
  const filter_exp *filter = self;
  const double dt = filter->period_s;
  for (size_t j = 0; j < filter->joint_count; j++) {
    filter_joint *joint = &filter->joints[j];
    const double rd = reference != NULL && reference->qd != NULL ? reference->qd[j] : 0.0;
    joint->r = reference != NULL ? reference->q[j] : joint->r;
    const double r = joint->r;
    const sn_otg_state e =
        sn__smooth_fade(joint->q - (r - rd * dt), joint->qd - rd, joint->rate, dt);
    joint->q = r + e.q;
    joint->qd = rd + e.qd;
    new_state->q[j] = joint->q;
    new_state->qd[j] = joint->qd;
    new_state->qdd[j] = e.qdd;
  }
}

const sn_smooth_type sn__smooth_filter_exp = {.name = "filter_exp",
                                              .doc = "critically damped second-order low-pass",
                                              .forms_motion = true,
                                              .create = create,
                                              .reset = reset,
                                              .update = update};
