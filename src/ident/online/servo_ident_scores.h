/** @file
 *  Internal: how far the estimates of a servo may be from the truth. */
#ifndef SN_IDENT_ONLINE_SERVO_IDENT_SCORES_H
#define SN_IDENT_ONLINE_SERVO_IDENT_SCORES_H

#include "ident/online/servo_ident_window.h"

/** Remember what a sample left unexplained.
 *  @param rest  what is left of the sample, V
 *  RT: yes. */
void sn__ident_score(const sn_servo_ident *ident, sn__ident_servo *servo, const double *row,
                     double rest) SN_RT;

/** Remember how well the velocity of a sample is known. RT: yes. */
void sn__ident_blur(sn__ident_servo *servo, const sn__ident_mean *mean) SN_RT;

/** Remember how well an equation is known.
 *  @param row  its regressors
 *  @param noise  of its acceleration
 *  RT: yes. */
void sn__ident_note(sn__ident_servo *servo, const double *row, double noise) SN_RT;

/** Add the group of samples that is not full to those before. RT: yes. */
void sn__ident_close_group(const sn_rls *rls, sn__ident_scores *c) SN_RT;

/** Standard deviations of the estimates, rls.count numbers: the spread of the residuals, and the
 *  systematic errors of sampled motion. RT: yes. */
void sn__ident_deviations(const sn_servo_ident *ident, const sn__ident_servo *servo,
                          double *out) SN_RT;

#endif
