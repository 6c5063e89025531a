/** @file
 *  A robot whose servos have known parameters, with `servo_ident` watching it: the test writes
 * commands and measurements in each cycle. */
#ifndef SN_TEST_IDENT_RIG_H
#define SN_TEST_IDENT_RIG_H

#include "model_rig.h"
#include "msg/types/servo_ident_msg.h"
#include "servo_rig.h"

#define IDENT_RIG_MAX 32

typedef struct ident_rig {
  model_rig m;
  sn_component *ident;
  sn_source *joints, *measured, *goals, *battery;
  sn_tap *models, *error;
  sn_servo_rig servos[IDENT_RIG_MAX]; /**< true parameters */
  size_t n;
  size_t cycle;
  size_t delay; /**< cycles between a goal and its execution */
  bool without_velocity;
  bool holds_goals; /**< a goal is the mean over its cycle, else that of the measurement */
  bool in_pieces;   /**< measured messages of three servos, from the last to the first */
  double push[IDENT_RIG_MAX]; /**< torque from outside, N·m */
} ident_rig;

/** The quadruped, not begun. The assumed models are wrong except kp; nothing is smoothed. */
void ident_rig_open(ident_rig *w);
void ident_rig_close(ident_rig *w);

const char *ident_rig_joint(const ident_rig *w, size_t servo);

/** Write commands and measurements of this cycle. */
void ident_rig_feed(void *w);
/** The same, and run the cycle. */
void ident_rig_run(ident_rig *w, size_t cycles);

/** Call an operation.
 *  @param response  valid until the next call; may be NULL
 *  @return its status, with the reason in w->m.r.err */
sn_status ident_rig_call(ident_rig *w, const char *operation, const void *request,
                         const void **response);
/** startIdentification for these servos. @return its answer */
bool ident_rig_start(ident_rig *w, const size_t *servos, size_t count);

#endif
