/* Messages to the estimator: joints, contacts, IMU, an override of the base. */
#include <math.h>
#include <string.h>

#include "estimation/component/state_estimator.h"
#include "msg/base_message.h"

static const int64_t JOINTS_MAX_NS = 100000000; /* older joints do not place the feet */
static const int64_t CONTACTS_MAX_NS = 200000000;

static void warn_of_message(sn__state_estimator *self, int64_t now_ns, const char *port,
                            const char *what) {
  const sn_log_arg args[] = {{.kind = SN_LOG_TEXT, .value.text = port},
                             {.kind = SN_LOG_TEXT, .value.text = what}};
  sn_component_log_limited(&self->component, &self->message_limit, now_ns, SN_LOG_WARNING,
                           "{}: message ignored: {}", 2, args);
}

/* ---- joints ---- */

static bool are_feet_seen(const sn__state_estimator *self) {
  for (size_t i = 0; i < self->feet.foot_count; i++) {
    const sn_chain *chain = sn_model_chain(self->model, self->feet.limbs[i].chain, false);
    for (size_t k = 0; k < chain->joint_count; k++) {
      if (!self->is_seen[chain->joints[k]]) {
        return false;
      }
    }
  }
  return true;
}

/* Velocities that the message does not have, from the change of positions. */
static void differentiate(sn__state_estimator *self, double since_s) {
  for (size_t j = 0; j < self->names.count; j++) {
    const bool is_possible = self->has_pose && since_s > 0.0;
    self->qd[j] = is_possible ? (self->q[j] - self->q_last[j]) / since_s : 0.0;
  }
}

static void take_joints(sn__state_estimator *self, const sn_joint_state *in, int64_t now_ns) {
  const sn__read_verdict verdict = sn__read_joint_state(&self->names, in, NULL);
  if (!sn__read_is_good(verdict)) {
    warn_of_message(self, now_ns, "joints_measured", sn__read_verdict_text(verdict));
    return;
  }
  const size_t n = self->names.count;
  memcpy(self->q_last, self->q, n * sizeof *self->q);
  (void)sn__name_map_sort(&self->names, &in->position, self->q);
  if (in->velocity.count > 0) {
    memset(self->qd, 0, n * sizeof *self->qd);
    (void)sn__name_map_sort(&self->names, &in->velocity, self->qd);
  } else {
    differentiate(self, 1e-9 * (double)(now_ns - self->joints_ns));
  }
  for (size_t j = 0; j < n && !self->has_pose; j++) {
    self->is_seen[j] = self->is_seen[j] || self->names.at[j] >= 0;
  }
  self->has_pose = self->has_pose || are_feet_seen(self);
  self->joints_ns = now_ns;
  if (self->has_pose) {
    sn_kin_update_velocity(self->kin, self->q, self->qd);
    sn__limb_feet_from_joints(&self->feet, self->kin);
  }
}

/* ---- contacts ---- */

static bool take_supports(sn__state_estimator *self, sn__support_reader *reader, sn_input *input,
                          const char *port, bool sets_contacts, int64_t now_ns) {
  const sn_support_state *in = sn_input_newest(input);
  if (in == NULL) {
    return false;
  }
  bool is_unknown = false;
  const sn__read_verdict verdict =
      sn__support_reader_take(reader, in, &self->feet, sets_contacts, &is_unknown);
  if (!sn__read_is_good(verdict)) {
    warn_of_message(self, now_ns, port, sn__read_verdict_text(verdict));
  } else if (is_unknown) {
    warn_of_message(self, now_ns, port, "an unknown chain or contact");
  }
  return sn__read_is_good(verdict);
}

/* A foot that is being lifted still touches the ground for a while, and slides. It does not count,
   unless no foot is meant to bear weight. */
static void leave_out_lifted(sn__state_estimator *self) {
  bool stays = false;
  for (size_t i = 0; i < self->feet.foot_count; i++) {
    stays = stays || (self->measured.touches[i] && self->commanded.touches[i]);
  }
  for (size_t i = 0; stays && i < self->feet.foot_count; i++) {
    sn__foot *foot = &self->feet.feet[i];
    foot->is_touching = foot->is_touching && self->commanded.touches[i];
  }
}

/* Contacts as measured, else as commanded, else every foot. */
static void take_contacts(sn__state_estimator *self, int64_t now_ns) {
  const bool has_sensors = sn_input_is_connected(&self->contacts);
  (void)take_supports(self, &self->commanded, &self->in_supports, "in_supports", true, now_ns);
  if (take_supports(self, &self->measured, &self->contacts, "contacts", false, now_ns)) {
    self->contacts_ns = now_ns;
  }
  const bool is_fresh =
      has_sensors && self->measured.has_message && now_ns - self->contacts_ns <= CONTACTS_MAX_NS;
  const sn__support_reader *source = is_fresh                      ? &self->measured
                                     : self->commanded.has_message ? &self->commanded
                                                                   : NULL;
  const bool has_joints = self->has_pose && now_ns - self->joints_ns <= JOINTS_MAX_NS;
  for (size_t i = 0; i < self->feet.foot_count; i++) {
    self->feet.feet[i].is_touching = has_joints && (source == NULL || source->touches[i]);
  }
  if (is_fresh && self->commanded.has_message) {
    leave_out_lifted(self);
  }
  if (has_sensors && self->has_contacts && !is_fresh) {
    sn_component_log(&self->component, now_ns, SN_LOG_WARNING,
                     "contacts: silent; the commanded supports count instead", 0, NULL);
  }
  if (self->has_joints && !has_joints) {
    sn_component_log(&self->component, now_ns, SN_LOG_WARNING,
                     "joints_measured: silent; the feet are not used", 0, NULL);
  }
  self->has_contacts = is_fresh;
  self->has_joints = has_joints;
}

/* ---- IMU and override ---- */

static const sn__imu_sample *take_imu(sn__state_estimator *self) {
  const sn_imu *in = sn_input_newest(&self->imu);
  if (in == NULL) {
    return NULL;
  }
  const double variance = in->orientation_covariance[0];
  self->sample = (sn__imu_sample){.gyro = in->angular_velocity,
                                  .accel = in->linear_acceleration,
                                  .has_orientation = variance >= 0.0,
                                  .orientation = in->orientation,
                                  .orientation_std_rad = variance > 1e-8 ? sqrt(variance) : 0.02};
  self->has_sample = true;
  return &self->sample;
}

static void take_base(sn__state_estimator *self, int64_t now_ns) {
  const sn_rigid_body_state *in = sn_input_newest(&self->in_base);
  sn_pose pose;
  sn_spatial twist;
  bool has_twist = false;
  if (in == NULL) {
    return;
  }
  if (!sn__base_message_read(in, sn_model_link(self->model, 0)->name, &pose, &twist, &has_twist)) {
    warn_of_message(self, now_ns, "in_base", "it has no valid pose of the root link");
    return;
  }
  sn__estimator_move(self->core, pose, has_twist ? &twist : NULL);
}

const sn__imu_sample *sn__state_estimator_read(sn__state_estimator *self, int64_t now_ns) {
  const sn_joint_state *joints = sn_input_newest(&self->joints_measured);
  if (joints != NULL) {
    take_joints(self, joints, now_ns);
  }
  take_contacts(self, now_ns);
  take_base(self, now_ns);
  return take_imu(self);
}
