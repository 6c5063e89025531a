/** @file
 *  An arm whose tool is jogged, without a system. The limits of its joints are checked in every
 * cycle, by differences of commanded positions. */
#ifndef SN_JOG_RIG_H
#define SN_JOG_RIG_H

#include "controllers/jog/tool_servo.h"
#include "sinew/sinew.h"

enum { JOG_JOINTS = 7 };

typedef struct jog_arm {
  sn_arena arena;
  const sn_model *model;
  const sn_chain *chain;
  sn_otg_limits limits[JOG_JOINTS];
  sn__tool_servo *servo;
  double q[JOG_JOINTS], qd[JOG_JOINTS], qdd[JOG_JOINTS]; /**< by differences */
  sn__servo_outcome outcome;
} jog_arm;

/** @param name  of a robot in robots/ or tests/robots/, with links base_link and tool0
 *  @param q     where it begins; NULL: where the chain's coordinates are zero */
void jog_open(jog_arm *a, const char *name, const double *q);
/** Begin again, at rest. */
void jog_begin(jog_arm *a, const double *q);
void jog_close(jog_arm *a);

/** One cycle of 1 ms. */
void jog_step(jog_arm *a, const sn__servo_command *command);
void jog_steps(jog_arm *a, const sn__servo_command *command, int count);

/** @param v  rad/s, then m/s */
sn__servo_command jog_twist(sn__servo_kind kind, const double v[6]);

/** Between two orientations, rad. */
double jog_angle(sn_mat3 a, sn_mat3 b);

#endif
