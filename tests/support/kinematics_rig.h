/** @file
 *  What the tests of kinematics share. */
#ifndef SN_KINEMATICS_RIG_H
#define SN_KINEMATICS_RIG_H

#include "model_rig.h"
#include "sinew/kin.h"
#include "sinew/random.h"
#include "sn_test.h"

#define JOINTS_MAX 32

typedef struct fixture {
  model_rig m;
  sn_component *fwd, *inv;
  sn_source *joints, *seed, *limbs_ref;
  sn_tap *limbs, *joints_ref;
  sn_kin_data *kin;
  sn_random random;
  size_t n;
  double q[JOINTS_MAX], qd[JOINTS_MAX], near[JOINTS_MAX];
} fixture;

void kinematics_open_robot(fixture *f, const char *name);

/** @param settings  of the inverse kinematics: names, each with its value, then NULL; NULL: none */
void kinematics_begin_robot(fixture *f, const char *name, const char *const *settings);

void kinematics_close_robot(fixture *f);

/** A pose well inside its limits, another near it, and velocities. */
void kinematics_draw(fixture *f);

const sn_limb_state *kinematics_forward(fixture *f);

/** Ask for limbs, beginning at a pose; NULL if nothing new came. */
const sn_joint_state *kinematics_inverse(fixture *f, const double *seed,
                                         const sn_limb_state *limbs);

#endif
