/** @file
 *  Arms for tests of inverse kinematics, defined by the axes of their joints. */
#ifndef SN_ARMS_H
#define SN_ARMS_H

#include "sinew/ik_solver.h"
#include "sinew/random.h"

#define SN_TEST_ARM_JOINTS_MAX 8

/** A chain of turning joints and the setup of a solver for it. Do not copy: it points into itself.
 */
typedef struct sn_test_arm {
  size_t count;
  sn_pose step[SN_TEST_ARM_JOINTS_MAX];
  int parent[SN_TEST_ARM_JOINTS_MAX];
  bool prismatic[SN_TEST_ARM_JOINTS_MAX];
  int coord[SN_TEST_ARM_JOINTS_MAX];
  double scale[SN_TEST_ARM_JOINTS_MAX];
  double offset[SN_TEST_ARM_JOINTS_MAX];
  int joints[SN_TEST_ARM_JOINTS_MAX];
  double lower[SN_TEST_ARM_JOINTS_MAX];
  double upper[SN_TEST_ARM_JOINTS_MAX];
  sn_inertia inertia[SN_TEST_ARM_JOINTS_MAX];
  sn_chain chain;
  sn_ik_tip tip;
  sn_ik_setup setup;
} sn_test_arm;

/** @param h, r   axes (any length but zero) and a point of each, at joint values of zero
 *  @param tip    at joint values of zero
 *  @param limit  limits are -limit .. limit, rad */
void sn_test_arm_init(sn_test_arm *arm, size_t count, const sn_vec3 *h, const sn_vec3 *r,
                      sn_pose tip, double limit);

/** Move and tilt every joint by up to this much, like manufacturing tolerances. */
void sn_test_arm_bend(sn_test_arm *arm, sn_random *random, double length_m, double angle_rad);

/** What the lines of an arm have in common; everything else is random. */
typedef enum sn_test_arm_kind {
  SN_ARM_WRIST,         /**< 6R, 4-5-6 meet, 2-3 parallel */
  SN_ARM_WRIST_MEETING, /**< 6R, 4-5-6 meet, 1-2 meet */
  SN_ARM_WRIST_GENERAL, /**< 6R, 4-5-6 meet, nothing else */
  SN_ARM_WRIST_RIGHT, /**< 6R, 4-5-6 meet at right angles, 2-3 parallel, as industry builds them */
  SN_ARM_SHOULDER,    /**< 6R, 1-2-3 meet, 4-5 parallel */
  SN_ARM_MIDDLE,      /**< 6R, 3-4-5 meet */
  SN_ARM_MIDDLE_REVERSE,        /**< 6R, 2-3-4 meet */
  SN_ARM_UR,                    /**< 6R, 2-3-4 parallel, 5-6 meet, lengths of a UR5 */
  SN_ARM_PARALLEL_234,          /**< 6R, 2-3-4 parallel, nothing else */
  SN_ARM_PARALLEL_345,          /**< 6R, 3-4-5 parallel, 1-2 meet: a leg */
  SN_ARM_PARALLEL_123,          /**< 6R, 1-2-3 parallel, 5-6 meet */
  SN_ARM_PARALLEL_123_B,        /**< 6R, 1-2-3 parallel, 4-5 meet */
  SN_ARM_PARALLEL_456,          /**< 6R, 4-5-6 parallel, 1-2 meet */
  SN_ARM_6R_KINDS,              /* how many are above */
  SN_ARM_LEG = SN_ARM_6R_KINDS, /**< 3R, 2-3 parallel */
  SN_ARM_LEG_GENERAL,           /**< 3R */
  SN_ARM_SRS,                   /**< 7R, 1-2-3 meet, 5-6-7 meet */
  SN_ARM_SHOULDER_7,            /**< 7R, 1-2-3 meet, 5-6 meet */
  SN_ARM_OFFSET_WRIST,          /**< 6R, 2-3 parallel, 4-5 meet, 5-6 meet elsewhere */
  SN_ARM_OFFSET_WRIST_REVERSE,  /**< the same from tip to base */
  SN_ARM_ONE_PAIR,              /**< 6R, 5-6 meet */
  SN_ARM_GENERAL_6R             /**< 6R, nothing in common */
} sn_test_arm_kind;

/** A random arm of this kind, about 1 m long, with limits -limit .. limit. */
void sn_test_arm_make(sn_test_arm *arm, sn_test_arm_kind kind, sn_random *random, double limit);

/** Joint values inside the limits, and inside -pi .. pi. */
void sn_test_arm_pose(const sn_test_arm *arm, sn_random *random, double *q);

#endif
