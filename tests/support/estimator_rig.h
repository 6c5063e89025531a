/** @file
 *  The estimator of the base on a robot whose path is known, with sensors that can fail. */
#ifndef SN_TEST_ESTIMATOR_RIG_H
#define SN_TEST_ESTIMATOR_RIG_H

#include "estimation/filter/estimator.h"
#include "walker.h"

/** A walk with an ordinary IMU. */
extern const walker_config ordinary_walk;

typedef struct estimator_rig {
  char memory[1 << 18];
  sn_arena arena;
  sn__estimator *estimator;
  sn__estimator_settings settings;
  sn_random random;
  walker_config walk;
  double dt_s, t_s;
  walker_truth truth;
  const sn__estimator_state *state;
  double way_m; /**< walked so far, on the ground */

  bool is_imu_silent, is_imu_frozen;
  sn__imu_sample sample;
  bool is_foot_forced[WALKER_FEET], forced[WALKER_FEET];
  const bool *commanded;
} estimator_rig;

void estimator_rig_open(estimator_rig *rig, const walker_config *walk, double dt_s, uint64_t seed);

/** One cycle of the walk and of the estimator. */
void estimator_rig_cycle(estimator_rig *rig);
void estimator_rig_run_until(estimator_rig *rig, double t_s);

/** Estimate against truth. */
sn_vec3 estimator_rig_turn_error(const estimator_rig *rig);
double estimator_rig_tilt_error(const estimator_rig *rig);
sn_vec3 estimator_rig_place_error(const estimator_rig *rig);

#endif
