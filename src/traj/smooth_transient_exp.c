/* The initial error decays critically damped and is zero after the transient time. An exponential
 * never reaches zero: the remaining 1 % is subtracted by a polynomial of fifth degree, whose value
 * and first two derivatives are zero at the beginning and those of the exponential at the end, so
 * position, velocity and acceleration of the error all end at zero. */
#include "base/fail.h"
#include "traj/smooth_types.h"

typedef struct transient_joint {
  double rate;        /* 1/s */
  double q, qd;       /* latest output */
  double r;           /* the last good reference; before the first one, where the reset was */
  bool has_reference; /* a valid one arrived since the reset */
  bool has_error;     /* the error decays, also while the reference is missing */
  double t_s;         /* since it began */
  double e, ed;       /* what it was then */
  double c3, c4, c5;  /* the polynomial, over t / transient time */
} transient_joint;

typedef struct transient_exp {
  size_t joint_count;
  double period_s;
  transient_joint *joints;
} transient_exp;

static sn_status create(sn_arena *arena, const sn_smooth_config *config, void **out,
                        sn_error *err) {
  const size_t n = config->joint_count;
  transient_exp *filter = SN_NEW(arena, transient_exp, 1);
  transient_joint *joints = SN_NEW(arena, transient_joint, n);
  double *rates = SN_NEW(arena, double, n);
  if (filter == NULL || joints == NULL || rates == NULL) {
    return sn__fail(err, SN_ENOMEM, "transient_exp: no room in arena '%s'", sn_arena_name(arena));
  }
  const sn_status status = sn__smooth_read_rates(config, "transient_exp", rates, err);
  for (size_t j = 0; status == SN_OK && j < n; j++) {
    joints[j].rate = rates[j];
  }
  *filter = (transient_exp){.joint_count = n, .joints = joints};
  *out = filter;
  return status;
}

static void reset(void *self, size_t joint, sn_otg_state state, double period_s) {
  transient_exp *filter = self;
  filter->period_s = period_s;
  filter->joints[joint] = (transient_joint){
      .rate = filter->joints[joint].rate, .q = state.q, .qd = state.qd, .r = state.q};
}

/* The error of the latest output against the reference extrapolated one period back by its
 * velocity. */
static void begin(transient_joint *joint, double r, double rd, double period_s) {
  joint->has_error = true;
  joint->t_s = 0.0;
  joint->e = joint->q - (r - rd * period_s);
  joint->ed = joint->qd - rd;
  const double time = SN__SMOOTH_RATE / joint->rate;
  const sn_otg_state left = sn__smooth_fade(joint->e, joint->ed, joint->rate, time);
  const double p = left.q;
  const double v = left.qd * time;
  const double a = left.qdd * time * time;
  joint->c3 = 10.0 * p - 4.0 * v + 0.5 * a;
  joint->c4 = -15.0 * p + 7.0 * v - a;
  joint->c5 = 6.0 * p - 3.0 * v + 0.5 * a;
}

static sn_otg_state error_at(const transient_joint *joint) {
  const double rate = joint->rate / SN__SMOOTH_RATE;
  const double x = joint->t_s * rate;
  sn_otg_state e = sn__smooth_fade(joint->e, joint->ed, joint->rate, joint->t_s);
  e.q -= x * x * x * (joint->c3 + x * (joint->c4 + x * joint->c5));
  e.qd -= rate * x * x * (3.0 * joint->c3 + x * (4.0 * joint->c4 + x * 5.0 * joint->c5));
  e.qdd -= rate * rate * x * (6.0 * joint->c3 + x * (12.0 * joint->c4 + x * 20.0 * joint->c5));
  return e;
}

/* Advance the error in time; at the end of the transient it is zero. */
static sn_otg_state advance(transient_joint *joint, double period_s) {
  joint->t_s += period_s;
  if (joint->t_s * joint->rate >= SN__SMOOTH_RATE) {
    joint->has_error = false;
  }
  return joint->has_error ? error_at(joint) : (sn_otg_state){0.0, 0.0, 0.0};
}

static void update(void *self, const sn_smooth_state *state, const sn_smooth_reference *reference,
                   const sn_smooth_state *new_state) {
  (void)state;
  const transient_exp *filter = self;
  for (size_t j = 0; j < filter->joint_count; j++) {
    transient_joint *joint = &filter->joints[j];
    const double rd = reference != NULL && reference->qd != NULL ? reference->qd[j] : 0.0;
    joint->r = reference != NULL ? reference->q[j] : joint->r;
    if (!joint->has_reference && (reference != NULL || !joint->has_error)) {
      begin(joint, joint->r, rd, filter->period_s);
      joint->has_reference = reference != NULL;
    }
    sn_otg_state e = {0.0, 0.0, 0.0};
    if (joint->has_error) {
      e = advance(joint, filter->period_s);
    }
    joint->q = joint->r + e.q;
    joint->qd = rd + e.qd;
    new_state->q[j] = joint->q;
    new_state->qd[j] = joint->qd;
    new_state->qdd[j] = e.qdd;
  }
}

const sn_smooth_type sn__smooth_transient_exp = {
    .name = "transient_exp",
    .doc = "removes the initial error, then passes the reference unchanged",
    .create = create,
    .reset = reset,
    .update = update};
