/** @file
 *  What the tests of balance share. */
#ifndef SN_BALANCE_RIG_H
#define SN_BALANCE_RIG_H

#include "dyn/balance.h"
#include "robot.h"
#include "sinew/dyn.h"
#include "sinew/kin.h"
#include "sinew/random.h"
#include "sn_test.h"

#define JOINTS_MAX 32
#define CHAINS_MAX 8
#define BODIES_MAX 32

extern const sn_vec3 balance_DOWN;

typedef struct fixture {
  sn_test_robot robot;
  sn_arena arena;
  sn_random random;
  const sn_model *model;
  const sn_tree *tree;
  sn_balance *balance;
  sn_dyn_data *dyn;
  sn_kin_data *kin;
  double q[JOINTS_MAX], qd[JOINTS_MAX], qdd[JOINTS_MAX], tau[JOINTS_MAX];
  sn_support supports[CHAINS_MAX];
  sn_balance_input input;
  sn_balance_result result;
} fixture;

void balance_open_robot(fixture *f, const char *name, uint64_t seed);

void balance_close_robot(fixture *f);

/** Legs 1 to 4 support the robot. Entries of virtual joints do not accelerate. */
void balance_draw_pose(fixture *f, double speed, double acceleration);

void balance_stand_on(fixture *f, const char *const *chains, size_t count, const char *contact);

extern const char *const balance_LEGS[];

void balance_step(fixture *f);

void balance_assert_all_finite(const fixture *f);

/** Places of a support's contact points in the base, by kin. */
size_t balance_contact_places(fixture *f, size_t support, const double *q, sn_vec3 *places);

/** With the efforts, the ground forces and the missing wrench at the base, forward dynamics gives
 * the commanded accelerations of joints and base. */
void balance_assert_moves_as_told(fixture *f);

#endif
