#include "ident/online/servo_ident_load.h"

#include <math.h>

/* Part of the squares of both columns that is added to them: a motion that does not tell position
   from acceleration shares the torque between them. */
static const double RIDGE = 1e-3;
/* The same of the squares of what the joint missed: slopes are used for as much as that, so they
   count when commands differ by more. */
static const double MISSED_RIDGE = 0.03;

static void add(sn__ident_load *l, const double *mean, const sn__ident_accel *a, double keep) {
  const double q = mean[SN__IDENT_WANTED_Q], qdd = mean[SN__IDENT_WANTED_QDD];
  const double tau = mean[SN__IDENT_TAU], missed = a->measured - qdd;
  l->weight = keep * l->weight + 1.0;
  l->q = keep * l->q + q;
  l->qdd = keep * l->qdd + qdd;
  l->tau = keep * l->tau + tau;
  l->q_q = keep * l->q_q + q * q;
  l->q_qdd = keep * l->q_qdd + q * qdd;
  l->qdd_qdd = keep * l->qdd_qdd + qdd * qdd;
  l->q_tau = keep * l->q_tau + q * tau;
  l->qdd_tau = keep * l->qdd_tau + qdd * tau;
  l->tau_tau = keep * l->tau_tau + tau * tau;
  l->missed_qdd = keep * l->missed_qdd + missed * missed;
  l->missed_q = keep * l->missed_q + mean[SN__IDENT_MISSED_Q] * mean[SN__IDENT_MISSED_Q];
}

/* Least squares of the torque over position and acceleration. */
static void solve(sn__ident_load *l) {
  const double w = l->weight;
  const double qq = (l->q_q - l->q * l->q / w) * (1.0 + RIDGE) + MISSED_RIDGE * l->missed_q;
  const double aa =
      (l->qdd_qdd - l->qdd * l->qdd / w) * (1.0 + RIDGE) + MISSED_RIDGE * l->missed_qdd;
  const double qa = l->q_qdd - l->q * l->qdd / w;
  const double qt = l->q_tau - l->q * l->tau / w, at = l->qdd_tau - l->qdd * l->tau / w;
  const double tt = l->tau_tau - l->tau * l->tau / w;
  const double det = qq * aa - qa * qa;
  if (!(det > 0.0)) {
    return;
  }
  l->stiffness = (aa * qt - qa * at) / det;
  l->inertia = (qq * at - qa * qt) / det;
  l->unknown = tt > 0.0 ? fmax(0.0, 1.0 - (l->stiffness * qt + l->inertia * at) / tt) : 1.0;
}

void sn__ident_bear(sn__ident_servo *s, double *mean, const sn__ident_accel *qdd) {
  sn__ident_load *l = &s->load;
  add(l, mean, qdd, s->rls.forgetting);
  solve(l);
  const double missed = qdd->measured - mean[SN__IDENT_WANTED_QDD];
  const double correction = l->stiffness * mean[SN__IDENT_MISSED_Q] + l->inertia * missed;
  l->correction_square = s->rls.forgetting * l->correction_square + correction * correction;
  mean[SN__IDENT_TAU] += correction;
}
