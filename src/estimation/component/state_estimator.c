/* The base in the world from IMU, joints and contacts. */
#include "estimation/component/state_estimator.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "msg/base_message.h"
#include "rt/components/robot_model_client.h"
#include "sinew/components.h"
#include "sinew/msg_estimation.h"

typedef sn__state_estimator state_estimator;

static const sn_property properties[] = {
    SN_PROPERTY(state_estimator, "world_frame", world_frame, .initial = "odom",
                .doc = "Name of the frame that the base is estimated in."),
    SN_PROPERTY(state_estimator, "gravity", settings.gravity, .unit = "m/s^2", .initial = "9.81",
                .min = 0.1, .max = 100, .doc = "Magnitude of gravity."),
    SN_PROPERTY(state_estimator, "gyro_noise", settings.noise.gyro, .unit = "rad/s/sqrt(Hz)",
                .initial = "0.0003", .min = 1e-7, .max = 1, .flags = SN_PROPERTY_LIVE,
                .doc = "Noise density of the gyro."),
    SN_PROPERTY(state_estimator, "accel_noise", settings.noise.accel, .unit = "m/s^2/sqrt(Hz)",
                .initial = "0.01", .min = 1e-6, .max = 100, .flags = SN_PROPERTY_LIVE,
                .doc = "Noise density of the accelerometer, with vibration and impacts."),
    SN_PROPERTY(state_estimator, "gyro_bias_drift", settings.noise.gyro_bias_drift,
                .unit = "rad/s/sqrt(s)", .initial = "2e-05", .min = 0, .max = 1,
                .flags = SN_PROPERTY_LIVE, .doc = "How fast the bias of the gyro changes."),
    SN_PROPERTY(state_estimator, "accel_bias_drift", settings.noise.accel_bias_drift,
                .unit = "m/s^2/sqrt(s)", .initial = "0.001", .min = 0, .max = 10,
                .flags = SN_PROPERTY_LIVE,
                .doc = "How fast the bias of the accelerometer changes."),
    SN_PROPERTY(state_estimator, "gyro_bias_max", settings.bias_max, .unit = "rad/s",
                .initial = "0.2", .min = 0, .max = 10, .flags = SN_PROPERTY_LIVE,
                .doc = "Largest plausible bias of the gyro; beyond it the robot is not at rest."),
    SN_PROPERTY(state_estimator, "foot_noise", settings.noise.foot, .unit = "m", .initial = "0.001",
                .min = 1e-6, .max = 1, .flags = SN_PROPERTY_LIVE,
                .doc = "Standard deviation of the place of a foot by the joints."),
    SN_PROPERTY(state_estimator, "foot_drift", settings.noise.foot_drift, .unit = "m/sqrt(s)",
                .initial = "0.003", .min = 0, .max = 1, .flags = SN_PROPERTY_LIVE,
                .doc = "How fast a foot in stance creeps; larger: trust the IMU more."),
    SN_PROPERTY(state_estimator, "foot_turn_noise", settings.foot_turn, .unit = "rad/s/sqrt(Hz)",
                .initial = "0.05", .min = 0, .max = 100, .flags = SN_PROPERTY_LIVE,
                .doc = "Turning of a flat foot on the ground; 0: its heading is not used."),
    SN_PROPERTY(state_estimator, "foot_turn_bias", settings.noise.foot_turn_bias, .unit = "rad/s",
                .initial = "0.0015", .min = 0, .max = 10, .flags = SN_PROPERTY_LIVE,
                .doc = "Rate at which feet in stance may turn for long: they do not show the bias "
                       "of the gyro about the vertical better than this."),
    SN_PROPERTY(state_estimator, "slip_speed", settings.slip_speed, .unit = "m/s",
                .initial = "0.15", .min = 1e-3, .max = 100, .flags = SN_PROPERTY_LIVE,
                .doc = "A foot in contact that is faster than this is not used."),
    SN_PROPERTY(state_estimator, "force_contact_z_to_zero", settings.force_contact_z_to_zero,
                .flags = SN_PROPERTY_LIVE, .doc = "The ground is level: feet stand at height 0."),
    SN_PROPERTY(state_estimator, "imu_timeout", settings.imu.timeout_s, .unit = "s",
                .initial = "0.05", .min = 1e-3, .max = 10, .flags = SN_PROPERTY_LIVE,
                .doc = "Time without a sample after which the IMU counts as silent."),
    SN_PROPERTY(state_estimator, "imu_delay_s", settings.imu_delay_s, .unit = "s", .initial = "0",
                .min = 0, .max = 0.05, .flags = SN_PROPERTY_LIVE,
                .doc = "How late samples of the IMU are: they are joined with the feet of that "
                       "time, and the base is brought forward."),
    SN_PROPERTY(state_estimator, "gyro_range", settings.imu.gyro_range, .unit = "rad/s",
                .initial = "34.9", .min = 0.1, .max = 1e4, .flags = SN_PROPERTY_LIVE,
                .doc = "Range of the gyro; values at its end are not used."),
    SN_PROPERTY(state_estimator, "accel_range", settings.imu.accel_range, .unit = "m/s^2",
                .initial = "157", .min = 10, .max = 1e5, .flags = SN_PROPERTY_LIVE,
                .doc = "Range of the accelerometer; values at its end are not used."),
    SN_PROPERTY(state_estimator, "fall_tilt", fall_settings.tilt_max, .unit = "rad",
                .initial = "0.7", .min = 0.1, .max = 3.2, .flags = SN_PROPERTY_LIVE,
                .doc = "Tilt of the base beyond which the robot falls."),
    SN_PROPERTY(state_estimator, "free_fall_time", fall_settings.free_fall_s, .unit = "s",
                .initial = "0.04", .min = 0, .max = 10, .flags = SN_PROPERTY_LIVE,
                .doc = "Time without weight and contact after which the robot falls."),
    SN_PROPERTY(state_estimator, "reaction", reaction, .initial = "hold",
                .choices = "limp|hold|none", .flags = SN_PROPERTY_LIVE,
                .doc = "Emergency stop at a fall: make all joints limp, or hold them; or none."),
    {0}};

static const sn_port ports[] = {
    SN_INPUT(state_estimator, "imu", imu, &sn_imu_type,
             .doc = "Gyro and accelerometer in the axes of the root link."),
    SN_INPUT(state_estimator, "joints_measured", joints_measured, &sn_joint_state_type,
             .flags = SN_PORT_REQUIRED, .doc = "Measured positions, and velocities if known."),
    SN_INPUT(state_estimator, "contacts", contacts, &sn_support_state_type,
             .doc = "Contacts of the feet, from sensors."),
    SN_INPUT(state_estimator, "in_supports", in_supports, &sn_support_state_type,
             .doc = "Commanded supports: used without contacts, and to check them."),
    SN_INPUT(state_estimator, "in_base", in_base, &sn_rigid_body_state_type,
             .flags = SN_PORT_FEEDBACK,
             .doc = "Override: the base in the world, from a source that knows it better."),
    SN_OUTPUT(state_estimator, "out_base", out_base, &sn_rigid_body_state_type,
              .doc = "The base in the world: pose and twist."),
    SN_OUTPUT(state_estimator, "out_status", out_status, &sn_estimator_status_type,
              .doc = "Biases, mode, and what is wrong with IMU and feet."),
    SN_OUTPUT(state_estimator, "fall", fall, &sn_fall_state_type,
              .doc = "Written when the robot falls and when it stands again."),
    {0}};

static const sn_need needs[] = {SN_ROBOT_MODEL_NEED(state_estimator), {0}};

/* ---- configuration ---- */

static bool create_arrays(state_estimator *self, sn_arena *arena) {
  const size_t n = sn_model_pose_size(self->model);
  self->q = SN_NEW(arena, double, n);
  self->qd = SN_NEW(arena, double, n);
  self->q_last = SN_NEW(arena, double, n);
  self->is_seen = SN_NEW(arena, bool, n);
  self->core = sn__estimator_create(arena, self->feet.foot_count, self->feet.points_max);
  return self->q != NULL && self->qd != NULL && self->q_last != NULL && self->is_seen != NULL &&
         self->core != NULL &&
         sn__name_map_init(&self->names, arena, sn_model_joint_names(self->model)) &&
         sn__support_reader_init(&self->measured, arena, &self->feet) &&
         sn__support_reader_init(&self->commanded, arena, &self->feet);
}

/* The constant parts of the messages. */
static sn_status fill_messages(state_estimator *self, sn_error *err) {
  sn_estimator_status *status = self->out_status.msg;
  const char *root = sn_model_link(self->model, 0)->name;
  if (sn_msg_text_set(&status->header.frame_id, root) != SN_OK) {
    return sn__fail(err, SN_ENOSPC, "the name '%s' does not fit into a message", root);
  }
  const sn_status fits = sn__fits(self->feet.foot_count, status->standing.capacity, "feet", err);
  return fits == SN_OK ? sn__base_message_prepare(self->out_base.msg, self->world_frame, root, err)
                       : fits;
}

static sn_status create_all(sn_component *component, sn_error *err) {
  state_estimator *self = (state_estimator *)component;
  sn_arena *arena = sn_component_arena(component);
  sn_status status = sn_kin_create(arena, sn_model_tree(self->model), &self->kin, err);
  if (status == SN_OK) {
    status = sn__limb_feet_create(arena, self->model, SN__FILTER_FEET_MAX, false, &self->feet, err);
  }
  if (status == SN_OK && !create_arrays(self, arena)) {
    status = sn__fail(err, SN_ENOMEM, "no memory");
  }
  return status == SN_OK ? fill_messages(self, err) : status;
}

static sn_status configure(sn_component *component, sn_error *err) {
  state_estimator *self = (state_estimator *)component;
  return sn__configure_with_model(component, &self->robot_model, &self->model, create_all, err);
}

static void cleanup(sn_component *component) {
  sn__model_release(&((state_estimator *)component)->robot_model);
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  state_estimator *self = (state_estimator *)component;
  (void)now_ns;
  (void)err;
  sn__estimator_reset(self->core);
  self->fall_watch = (sn__fall_watch){.reason = SN__FALL_NONE};
  self->has_pose = self->has_joints = self->has_contacts = self->has_names = self->rested = false;
  self->measured.has_message = self->commanded.has_message = false;
  memset(self->is_seen, 0, self->names.count * sizeof *self->is_seen);
  memset(self->foot_fault, 0, sizeof self->foot_fault);
  self->mode = SN__ESTIMATOR_STARTING;
  self->imu_fault = SN__IMU_GOOD;
  self->restart_count = self->fall_count = 0;
  self->last_ns = self->first_ns = 0;
  self->has_sample = self->has_waited = false;
  return SN_OK;
}

/* ---- one cycle ---- */

static const int64_t WAIT_NS = 1000000000;
static const int64_t GAP_NS = 100000000; /* a longer time without a cycle is reported */

static void log_jump(state_estimator *self, int64_t now_ns, int64_t since_ns) {
  const sn_log_arg arg = {.kind = SN_LOG_REAL, .value.real = 1e-9 * fabs((double)since_ns)};
  sn_component_log_limited(&self->component, &self->time_limit, now_ns, SN_LOG_WARNING,
                           since_ns < 0
                               ? "time went back by {} s: the cycle is ignored"
                               : "no cycle for {} s: how the base moved meanwhile is not known",
                           1, &arg);
}

/* Since the last cycle, s; <= 0: the cycle is ignored. */
static double cycle_time(state_estimator *self, int64_t now_ns) {
  const int64_t period_ns = sn_component_period_ns(&self->component);
  const int64_t since_ns = self->last_ns == 0 ? period_ns : now_ns - self->last_ns;
  const int64_t most_ns = period_ns > GAP_NS / 2 ? 2 * period_ns : GAP_NS;
  self->last_ns = now_ns;
  if (since_ns < 0 || since_ns > most_ns) {
    log_jump(self, now_ns, since_ns);
  }
  return 1e-9 * (double)since_ns;
}

/* An estimate begins with the first sample: without an IMU there is `odometry`. */
static bool has_imu(state_estimator *self, int64_t now_ns) {
  self->first_ns = self->first_ns == 0 ? now_ns : self->first_ns;
  if (!self->has_sample && !self->has_waited && now_ns - self->first_ns > WAIT_NS) {
    self->has_waited = true;
    sn_component_log(&self->component, now_ns, SN_LOG_INFO,
                     "no sample of an IMU so far: the base is not estimated", 0, NULL);
  }
  return self->has_sample;
}

static sn_status step(sn_component *component, int64_t now_ns) {
  state_estimator *self = (state_estimator *)component;
  const sn__imu_sample *sample = sn__state_estimator_read(self, now_ns);
  if (!self->has_pose || !has_imu(self, now_ns)) {
    return SN_OK; /* a fixed robot, or one whose sensors are silent so far */
  }
  const double dt_s = cycle_time(self, now_ns);
  if (!(dt_s > 0.0)) {
    return SN_OK;
  }
  const sn__estimator_input input = {.feet = self->feet.feet,
                                     .commanded = self->has_contacts && self->commanded.has_message
                                                      ? self->commanded.touches
                                                      : NULL,
                                     .turn = self->feet.turn,
                                     .is_flat = self->feet.is_flat,
                                     .imu = sample,
                                     .dt_s = dt_s};
  const sn__estimator_state *state = sn__estimator_step(self->core, &input, &self->settings);
  sn__state_estimator_report(self, now_ns, state);
  sn__state_estimator_watch_fall(self, now_ns, dt_s, state);
  sn__base_message_fill(self->out_base.msg, now_ns, state->base.pose_world_base, state->base.twist);
  return sn_output_write(&self->out_base);
}

const sn_component_type sn_state_estimator_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "state_estimator",
    .doc = "The base in the world, from IMU, leg kinematics and contacts; detects falls.",
    .size = sizeof(state_estimator),
    .properties = properties,
    .ports = ports,
    .needs = needs,
    .example =
        "components:\n"
        "  state_estimator:\n"
        "    type: state_estimator\n"
        "    properties: {reaction: limp}\n"
        "connections:\n"
        "  - plant.joints_measured -> state_estimator.joints_measured\n"
        "  - plant.imu -> state_estimator.imu\n"
        "  - aggregator.supports -> state_estimator.in_supports\n",
    .configure = configure,
    .start = start,
    .step = step,
    .cleanup = cleanup,
};
