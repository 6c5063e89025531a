/* What the estimator reports: its log, its status, falls. */
#include <string.h>

#include "estimation/component/state_estimator.h"
#include "rt/estop/estop.h"
#include "sinew/msg_estimation.h"

static const char *foot_text(sn__foot_fault fault) {
  static const char *const texts[] = {[SN__FOOT_GOOD] = "good",
                                      [SN__FOOT_SLIPS] = "slips",
                                      [SN__FOOT_STUCK_ON] = "stuck on",
                                      [SN__FOOT_STUCK_OFF] = "stuck off"};
  return texts[fault];
}

static const char *foot_name(const sn__state_estimator *self, size_t foot) {
  return sn_names_at(sn_model_chain_names(self->model), self->feet.limbs[foot].chain);
}

/* ---- log ---- */

static void log_imu(sn__state_estimator *self, int64_t now_ns, sn__imu_fault fault) {
  if (fault == self->imu_fault) {
    return;
  }
  self->imu_fault = fault;
  const sn_log_arg arg = {.kind = SN_LOG_TEXT, .value.text = sn__imu_fault_text(fault)};
  if (fault == SN__IMU_GOOD) {
    sn_component_log_limited(&self->component, &self->imu_limit, now_ns, SN_LOG_INFO,
                             "the IMU works again", 0, NULL);
  } else {
    sn_component_log_limited(&self->component, &self->imu_limit, now_ns, SN_LOG_WARNING,
                             "the IMU is {}: the base follows the feet alone", 1, &arg);
  }
}

static void log_foot(sn__state_estimator *self, int64_t now_ns, size_t foot, sn__foot_fault fault) {
  if (fault == self->foot_fault[foot]) {
    return;
  }
  self->foot_fault[foot] = fault;
  const sn_log_arg arg = {.kind = SN_LOG_TEXT, .value.text = foot_name(self, foot)};
  if (fault == SN__FOOT_SLIPS) {
    sn_component_log_limited(&self->component, &self->slip_limit, now_ns, SN_LOG_INFO, "{} slips",
                             1, &arg);
  } else if (fault == SN__FOOT_STUCK_ON) {
    sn_component_log_limited(&self->component, &self->foot_limit, now_ns, SN_LOG_WARNING,
                             "{}: contact is reported while the foot moves; it is ignored", 1,
                             &arg);
  } else if (fault == SN__FOOT_STUCK_OFF) {
    sn_component_log_limited(&self->component, &self->foot_limit, now_ns, SN_LOG_WARNING,
                             "{}: no contact is reported while the foot stands; the commanded "
                             "support counts instead",
                             1, &arg);
  }
}

static void log_mode(sn__state_estimator *self, int64_t now_ns, const sn__estimator_state *state) {
  if (self->mode == SN__ESTIMATOR_STARTING && state->mode != SN__ESTIMATOR_STARTING &&
      state->standing_count == 0) {
    sn_component_log_limited(&self->component, &self->air_limit, now_ns, SN_LOG_WARNING,
                             "no foot touches the ground at the start", 0, NULL);
  }
  if (state->mode == SN__ESTIMATOR_BLIND && self->mode != SN__ESTIMATOR_BLIND) {
    sn_component_log_limited(&self->component, &self->base_limit, now_ns, SN_LOG_WARNING,
                             "neither IMU nor feet: the base is not observed", 0, NULL);
  }
  if (state->restart_count != self->restart_count) {
    sn_component_log_limited(&self->component, &self->restart_limit, now_ns, SN_LOG_INFO,
                             "the filter starts again", 0, NULL);
  }
  self->mode = state->mode;
  self->restart_count = state->restart_count;
}

/* ---- status ---- */

static bool has_changed(const sn__state_estimator *self, const sn__estimator_state *state) {
  bool has = state->mode != self->mode || state->imu != self->imu_fault ||
             state->is_at_rest != self->rested || !self->has_names;
  for (size_t i = 0; i < self->feet.foot_count; i++) {
    has = has || state->in_stance[i] != self->stood[i] || state->feet[i] != self->foot_fault[i];
  }
  return has;
}

/* Texts are written only if they changed. */
static void fill_texts(sn__state_estimator *self, const sn__estimator_state *state,
                       sn_estimator_status *out) {
  (void)sn_msg_text_set(&out->mode, sn__estimator_mode_text(state->mode));
  (void)sn_msg_text_set(&out->imu, sn__imu_fault_text(state->imu));
  sn_msg_names_clear(&out->foot);
  sn_msg_names_clear(&out->state);
  for (size_t i = 0; i < self->feet.foot_count; i++) {
    const char *name = foot_name(self, i), *text = foot_text(state->feet[i]);
    if (sn_msg_names_add(&out->foot, name, strlen(name)) != SN_OK ||
        sn_msg_names_add(&out->state, text, strlen(text)) != SN_OK) {
      break; /* those that fit */
    }
  }
  self->has_names = true;
}

static void write_status(sn__state_estimator *self, int64_t now_ns,
                         const sn__estimator_state *state) {
  if (!sn_output_is_connected(&self->out_status)) {
    self->has_names = false;
    return;
  }
  sn_estimator_status *out = self->out_status.msg;
  if (has_changed(self, state)) {
    fill_texts(self, state, out);
  }
  out->header.stamp_ns = now_ns;
  out->at_rest = state->is_at_rest;
  out->gyro_bias = state->gyro_bias;
  out->accel_bias = state->accel_bias;
  out->restarts = state->restart_count;
  out->standing.count = out->foot.count;
  for (size_t i = 0; i < out->standing.count; i++) {
    out->standing.data[i] = state->in_stance[i];
  }
  (void)sn_output_write(&self->out_status);
}

void sn__state_estimator_report(sn__state_estimator *self, int64_t now_ns,
                                const sn__estimator_state *state) {
  write_status(self, now_ns, state);
  log_imu(self, now_ns, state->imu);
  log_mode(self, now_ns, state);
  for (size_t i = 0; i < self->feet.foot_count; i++) {
    log_foot(self, now_ns, i, state->feet[i]);
    self->stood[i] = state->in_stance[i];
  }
  self->rested = state->is_at_rest;
}

/* ---- falls ---- */

static bool is_flight(const sn__state_estimator *self) {
  bool is_flight = self->commanded.has_message;
  for (size_t i = 0; i < self->feet.foot_count; i++) {
    is_flight = is_flight && !self->commanded.touches[i];
  }
  return is_flight;
}

static void react(const sn__state_estimator *self, const char *reason) {
  sn__estop *stop = sn__estop_of(self->component.system);
  if (strcmp(self->reaction, "limp") == 0) {
    (void)sn__estop_request_limp(stop, self->component.name, reason);
  } else if (strcmp(self->reaction, "hold") == 0) {
    (void)sn__estop_request(stop, self->component.name, reason);
  }
}

static void write_fall(sn__state_estimator *self, int64_t now_ns, sn__fall_reason reason) {
  sn_fall_state *out = self->fall.msg;
  out->header.stamp_ns = now_ns;
  out->fallen = reason != SN__FALL_NONE;
  out->tilt = self->fall_watch.tilt_rad;
  out->count = self->fall_count;
  (void)sn_msg_text_set(&out->reason, out->fallen ? sn__fall_reason_text(reason) : "");
  (void)sn_output_write(&self->fall);
}

void sn__state_estimator_watch_fall(sn__state_estimator *self, int64_t now_ns, double dt_s,
                                    const sn__estimator_state *state) {
  const sn__fall_reason before = self->fall_watch.reason;
  const bool has_imu = state->imu == SN__IMU_GOOD;
  const sn__fall_input input = {.base = &state->base,
                                .feet = self->feet.feet,
                                .foot_count = self->feet.foot_count,
                                .has_force = has_imu,
                                .force = sn_vec3_norm(self->sample.accel),
                                .is_flight = is_flight(self),
                                .gravity = self->settings.gravity,
                                .dt_s = dt_s};
  const bool begins = sn__fall_watch_step(&self->fall_watch, &input, &self->fall_settings);
  const sn__fall_reason now = self->fall_watch.reason;
  if (begins) {
    self->fall_count++;
    const char *text = sn__fall_reason_text(now);
    const sn_log_arg args[] = {{.kind = SN_LOG_TEXT, .value.text = text},
                               {.kind = SN_LOG_REAL, .value.real = self->fall_watch.tilt_rad},
                               {.kind = SN_LOG_TEXT, .value.text = self->reaction}};
    sn_component_log(
        &self->component, now_ns, SN_LOG_ERROR,
        state->mode == SN__ESTIMATOR_STARTING
            ? "the robot does not stand at the start: it {} (tilt {} rad); reaction: {}"
            : "the robot falls: it {} (tilt {} rad); reaction: {}",
        3, args);
    react(self, text);
  }
  if (begins || (before != SN__FALL_NONE && now == SN__FALL_NONE)) {
    write_fall(self, now_ns, now);
  }
}
