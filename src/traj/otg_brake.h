/** @file
 *  Internal: brings a joint back inside its limits, in units in which the limits of jerk and
 * acceleration are 1. */
#ifndef SN_TRAJ_OTG_BRAKE_H
#define SN_TRAJ_OTG_BRAKE_H

#include <stddef.h>

/** Maximum number of phases. */
#define SN__OTG_BRAKE_MAX 4

/** Phases of constant jerk, and the state behind them. */
typedef struct sn__otg_brake {
  size_t count;
  double time[SN__OTG_BRAKE_MAX];
  double jerk[SN__OTG_BRAKE_MAX]; /**< -1, 0 or 1 */
  double v, a;                    /**< inside the limits but for rounding */
} sn__otg_brake;

/** A state is inside if acceleration and velocity are, and the velocity stays inside while the
 *  acceleration is taken back to 0. For such a state the plan has no phases. */
void sn__otg_brake_plan(double v_max, double v, double a, sn__otg_brake *brake);

#endif
