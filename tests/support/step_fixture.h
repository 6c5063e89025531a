/** @file
 *  Step sequences for the demo quadruped, made by formulas. */
#ifndef SN_TEST_STEP_FIXTURE_H
#define SN_TEST_STEP_FIXTURE_H

#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/msg_locomotion.h"
#include "sinew/pose.h"

enum { STEP_FIXTURE_LEGS = 4, STEP_FIXTURE_POINTS = 61 };

/** What a walk does. */
typedef struct step_fixture {
  const sn_model *model;
  double forward_m, turn_rad; /**< of the base, from the start to the end */
  double scale;               /**< of all times; 1: 3 s */
} step_fixture;

/** The sorted pose of the robot that stands: knees bent, all else 0. */
void step_fixture_stand(const sn_model *model, double *q);

/** Base and foot of a leg in the path frame at a time, by the formula. @param contact may be NULL
 */
sn_pose step_fixture_base(const step_fixture *f, double time_s);
sn_pose step_fixture_foot(const step_fixture *f, size_t leg, double time_s, bool *contact);

/** The message; one leg after the other swings once. */
sn_step_goal *step_fixture_goal(const step_fixture *f, sn_arena *arena);

#endif
