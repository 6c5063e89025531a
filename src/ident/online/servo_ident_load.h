/** @file
 *  Internal: the torque that a joint really bears.
 *
 *  The commanded torque is that of the commanded motion. A joint that does not follow bears another
 *  one, and least squares would take the difference for friction. How the torque of a joint depends
 *  on its own position and acceleration is seen in the commands themselves, which have no noise. */
#ifndef SN_IDENT_ONLINE_SERVO_IDENT_LOAD_H
#define SN_IDENT_ONLINE_SERVO_IDENT_LOAD_H

#include "ident/online/servo_ident_state.h"

/** An acceleration, rad/s². */
typedef struct sn__ident_accel {
  double measured;
  double noise; /**< its standard deviation */
} sn__ident_accel;

/** Correct the torque of an equation by how far the joint is from its command.
 *  @param mean  SN__IDENT_TERMS numbers
 *  RT: yes. */
void sn__ident_bear(sn__ident_servo *servo, double *mean, const sn__ident_accel *qdd) SN_RT;

#endif
