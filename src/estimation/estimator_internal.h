/** @file
 *  Internal to the estimator: its state, and what it measures while the IMU is good. */
#ifndef SN_ESTIMATION_ESTIMATOR_INTERNAL_H
#define SN_ESTIMATION_ESTIMATOR_INTERNAL_H

#include "estimation/estimator.h"
#include "estimation/rest_watch.h"

struct sn__estimator {
  size_t foot_count;
  sn__base_filter filter;
  sn__odometry *odometry;
  sn__imu_watch imu;
  sn__rest_watch rest;
  sn__foot_watch feet[SN__FILTER_FEET_MAX];
  sn__estimator_state state;

  /* Of the cycle. */
  sn__foot *used; /* [foot_count] with the contacts that count */
  sn_vec3 middle[SN__FILTER_FEET_MAX], velocity[SN__FILTER_FEET_MAX];
  bool is_known[SN__FILTER_FEET_MAX]; /* its place is finite */
  double loose[SN__FILTER_FEET_MAX];

  double start_s;     /* since the first cycle */
  double flight_s;    /* since a foot stood */
  unsigned rest_axis; /* of the samples at rest that are used next */
  unsigned turn;      /* whose turn it is: measurements that take turns */
};

/** Everything that corrects the prediction of the filter in this cycle. RT: yes. */
void sn__estimator_measure(sn__estimator *e, const sn__estimator_input *in,
                           const sn__estimator_settings *s) SN_RT;

#endif
