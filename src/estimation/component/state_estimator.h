/** @file
 *  Internal: the component `state_estimator`, whose files share this struct. */
#ifndef SN_ESTIMATION_COMPONENT_STATE_ESTIMATOR_H
#define SN_ESTIMATION_COMPONENT_STATE_ESTIMATOR_H

#include "estimation/component/support_reader.h"
#include "estimation/fall.h"
#include "estimation/filter/estimator.h"
#include "estimation/limb_feet.h"
#include "sinew/component.h"
#include "sinew/kin.h"
#include "sinew/model.h"

typedef struct sn__state_estimator {
  sn_component component;
  sn__estimator_settings settings;
  sn__fall_settings fall_settings;
  const char *reaction; /**< to a fall */
  const char *world_frame;
  sn_input imu, joints_measured, contacts, in_supports, in_base;
  sn_output out_base, out_status, fall;
  sn_requester robot_model;

  const sn_model *model;
  sn_kin_data *kin;
  sn__limb_feet feet;
  sn__estimator *core;
  sn__fall_watch fall_watch;

  sn__name_map names;      /**< of joints_measured */
  double *q, *qd, *q_last; /**< sorted */
  bool *is_seen;           /**< joints that were measured once */
  bool has_pose;           /**< all joints of the feet were */
  int64_t joints_ns;       /**< when joints were measured last */
  sn__support_reader measured, commanded;
  int64_t contacts_ns; /**< when contacts were measured last */
  sn__imu_sample sample;
  bool has_sample;  /**< one arrived since the start */
  bool has_waited;  /**< long, and said so */
  int64_t last_ns;  /**< of the last step; 0: none */
  int64_t first_ns; /**< of the first step; 0: none */

  /* What was reported last. */
  sn__estimator_mode mode;
  sn__imu_fault imu_fault;
  sn__foot_fault foot_fault[SN__FILTER_FEET_MAX];
  bool stood[SN__FILTER_FEET_MAX], rested;
  uint64_t restart_count, fall_count;
  bool has_joints, has_contacts, has_names;
  sn_log_limit imu_limit, foot_limit, slip_limit, restart_limit, message_limit, base_limit,
      air_limit, time_limit;
} sn__state_estimator;

/** Read the inputs of a cycle into `feet`. @return the IMU's sample, NULL: none. RT: yes. */
const sn__imu_sample *sn__state_estimator_read(sn__state_estimator *self, int64_t now_ns) SN_RT;

/** Log what changed, and write `out_status`. RT: yes. */
void sn__state_estimator_report(sn__state_estimator *self, int64_t now_ns,
                                const sn__estimator_state *state) SN_RT;

/** Watch for a fall, report it and react. RT: yes. */
void sn__state_estimator_watch_fall(sn__state_estimator *self, int64_t now_ns, double dt_s,
                                    const sn__estimator_state *state) SN_RT;

#endif
