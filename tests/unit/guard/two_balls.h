/** @file
 *  Two arms in one plane whose distance is known, for tests of the guard in a gate. */
#ifndef SN_TWO_BALLS_H
#define SN_TWO_BALLS_H

#include <math.h>

#include "gate_case.h"
#include "guard_rig.h"

/* Two arms in one plane, a metre apart: balls of 0.1 m at their ends meet at (0.6, -0.6) and
   beyond. */
#define MASS                                                                     \
  "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' " \
  "iyz='0'/></inertial>"
#define BALL(name, radius)                                              \
  "<link name='" name "'>" MASS                                         \
  "<collision><origin xyz='0 0 0.8'/><geometry><sphere radius='" radius \
  "'/></geometry></collision></link>"
#define HINGE(name, child, x, speed)                                                  \
  "<joint name='" name "' type='revolute'><origin xyz='" x                            \
  " 0 0'/><parent link='base'/><child link='" child                                   \
  "'/><axis xyz='0 1 0'/><limit lower='-1.5' upper='1.5' effort='1' velocity='" speed \
  "'/></joint>"
static const char TWO_BALLS[] = "<robot name='balls'><link name='base'/>" BALL("left", "0.1")
    BALL("right", "0.1") HINGE("a", "left", "-0.5", "3") HINGE("b", "right", "0.5", "3") "</robot>";

static const sn_gate_config QUICK = {.period_max_s = 0.002, .collision_margin = 0.01};

/* Of the two balls. */
static inline double gap(const double *q) {
  const double x = 1.0 + 0.8 * (sin(q[1]) - sin(q[0])), z = 0.8 * (cos(q[1]) - cos(q[0]));
  return hypot(x, z) - 0.2;
}

/* Follow a reference for a while. @return the least gap on the way */
static inline double go(guard_rig *rig, const double *reference, size_t cycles) {
  double least = INFINITY;
  for (size_t i = 0; i < cycles; i++) {
    guard_rig_take(rig, rig->guarded, 0, reference);
    least = fmin(least, gap(guard_rig_step(rig)));
  }
  return least;
}

#endif
