/** @file
 *  Internal to the estimator: its state, and what it measures while the IMU is good. */
#ifndef SN_ESTIMATION_FILTER_ESTIMATOR_INTERNAL_H
#define SN_ESTIMATION_FILTER_ESTIMATOR_INTERNAL_H

#include "estimation/filter/delay_line.h"
#include "estimation/filter/estimator.h"
#include "estimation/filter/rest_watch.h"

struct sn__estimator {
  size_t foot_count;
  sn__base_filter filter;
  sn__odometry *odometry;
  sn__imu_watch imu;
  sn__rest_watch rest;
  sn__foot_watch feet[SN__FILTER_FEET_MAX];
  sn__estimator_state state; /* when the IMU measured */
  sn__estimator_state now;   /* the same, brought forward by the delay of the IMU */
  sn__delay_line past;

  /* Of the cycle. */
  sn__foot *used; /* [foot_count] with the contacts that count */
  sn_vec3 middle[SN__FILTER_FEET_MAX], velocity[SN__FILTER_FEET_MAX];
  bool is_known[SN__FILTER_FEET_MAX]; /* its place is finite */
  sn__foot_looseness loose[SN__FILTER_FEET_MAX];

  double start_s;     /* since the first cycle */
  sn_vec3 start_up;   /* until the filter runs: upwards, in the base */
  sn_vec3 start_turn; /* likewise: turned since it last rested, rad */
  double flight_s;    /* since a foot stood */
  bool has_moved;     /* since the start */
  unsigned rest_axis; /* of the samples at rest that are used next */
  unsigned turn;      /* whose turn it is: measurements that take turns */
};

/** Everything that corrects the prediction of the filter in this cycle. RT: yes. */
void sn__estimator_measure(sn__estimator *e, const sn__estimator_input *in,
                           const sn__estimator_settings *s) SN_RT;

#endif
