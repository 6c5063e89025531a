/** @file
 *  Internal: the servo's law, averaged over a few cycles around a measurement.
 *
 *  A goal is held for a whole cycle, while the joint goes on moving. At the moment of a measurement
 *  the law holds for the velocity and acceleration of that moment, which differ from those of the
 *  motion as a whole by a ripple of the cycle. Averaged over whole cycles the law holds exactly for
 *  the mean goal, the mean position and the mean velocity, and that one is a difference of
 *  positions. */
#ifndef SN_IDENT_ONLINE_SERVO_IDENT_WINDOW_H
#define SN_IDENT_ONLINE_SERVO_IDENT_WINDOW_H

#include "ident/online/servo_ident_state.h"

/** Samples that the noise which was configured counts for. */
#define SN__IDENT_NOISE_PRIOR 20.0

/** Averages over the cycles between two measurements. */
typedef struct sn__ident_mean {
  double center; /**< middle of the average, cycles */
  double q, qd, qdd;
  double q_wanted, qdd_wanted; /**< as commanded */
  double goal, tau, voltage;
  double tau_change; /**< of tau in a cycle */
  double qd_noise;   /**< standard deviation of qd */
  double qdd_noise;  /**< of qdd */
  double qd_spread;  /**< standard deviation of the velocity within the average */
  double qd_change;  /**< of the velocity from the beginning to the end, rad/s */
} sn__ident_mean;

/** Cycles that are averaged over: as long as @p smoothing allows, but not longer than the motion
 *  of a joint stays simple. */
size_t sn__ident_span(const sn_servo_ident_config *config);

/** Measurements from one average to the next: averages that overlap more say the same again. */
size_t sn__ident_stride(const sn_servo_ident_config *config);

/** Measurements to remember for that. */
size_t sn__ident_window(const sn_servo_ident_config *config);

/** Learn the noise of the positions from the newest measurements. RT: yes. */
void sn__ident_learn_noise(const sn_servo_ident *ident, sn__ident_servo *servo) SN_RT;

/** Learn how unevenly the joint turns within a cycle, if velocities are measured. RT: yes. */
void sn__ident_learn_ripple(const sn_servo_ident *ident, sn__ident_servo *servo) SN_RT;

/** A goal is held while the joint approaches it, so the joint is slowest when a cycle ends.
 *  @return velocity at the end of a cycle over the mean velocity, less 1: at most 0; 0 if not known
 *  RT: yes. */
double sn__ident_ripple(const sn__ident_servo *servo) SN_RT;

/** @return false if there are too few measurements, or cycles without a command among them.
 *  RT: yes, O(smoothing). */
bool sn__ident_average(const sn_servo_ident *ident, const sn__ident_servo *servo,
                       sn__ident_mean *out) SN_RT;

/** The moment @p back measurements ago. RT: yes. */
const sn__ident_moment *sn__ident_moment_at(const sn_servo_ident *ident,
                                            const sn__ident_servo *servo, size_t back) SN_RT;

#endif
