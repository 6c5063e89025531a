/* Computes goals of servos from the desired motion of their joints. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "msg/name_map.h"
#include "rt/components/robot_model_client.h"
#include "servo/battery.h"
#include "servo/servo_inv.h"
#include "servo/servo_original.h"
#include "servo/servo_setup.h"
#include "sinew/components.h"

typedef struct servo_inv_7param {
  sn_component component;
  double lead, sign_dead_zone, model_change_time;
  sn__battery battery;
  sn__servo_setup setup;
  sn_input joints_sorted, joints_accel, limp, servo_model, battery_state;
  sn_output out_goals;
  sn_requester robot_model;

  const sn_model *model;
  sn_servo_inv *core;
  sn__name_map names, accel_names, limp_names; /* of the inputs */
  double *q, *qd, *qdd, *tau;                  /* sorted */
  bool has_pose;                               /* every joint has been named */
  int64_t last_ns;                             /* of the last goals */
  sn_log_limit model_refused;
} servo_inv_7param;

enum { MODELS_MAX = 64 }; /* messages with models per cycle; the others wait */

static const sn_property properties[] = {
    SN_PROPERTY(
        servo_inv_7param, "lead", lead, .unit = "s", .min = 0, .max = 1, .flags = SN_PROPERTY_LIVE,
        .doc =
            "Lead of the goals before the commanded pose, which compensates the delay of the bus."),
    SN__BATTERY_PROPERTIES(servo_inv_7param, battery),
    SN_PROPERTY(servo_inv_7param, "sign_dead_zone", sign_dead_zone, .initial = "0.001",
                .unit = "rad/s", .min = 1e-9, .max = 1,
                .doc = "Velocity below which a joint counts as at rest, without friction."),
    SN_PROPERTY(servo_inv_7param, "model_change_time", model_change_time, .initial = "0.2",
                .unit = "s", .min = 0, .max = 10,
                .doc = "Duration of the transition to a new model."),
    SN__SERVO_SETUP_PROPERTIES(servo_inv_7param, setup, 0),
    {0}};

static const sn_port ports[] = {
    SN_INPUT(servo_inv_7param, "joints_sorted", joints_sorted, &sn_joint_state_type,
             .flags = SN_PORT_EVENT | SN_PORT_REQUIRED,
             .doc = "The pose of the whole robot, with the efforts that it takes."),
    SN_INPUT(servo_inv_7param, "joints_accel", joints_accel, &sn_joint_state_accel_type,
             .doc = "Accelerations for the pose of the same cycle."),
    SN_INPUT(servo_inv_7param, "limp", limp, &sn_servo_goal_type,
             .doc = "Which servos are let go: passed on."),
    SN_INPUT(servo_inv_7param, "servo_model", servo_model, &sn_servo_model_array_type,
             .flags = SN_PORT_FEEDBACK,
             .doc = "Models that replace those of the servos they name."),
    SN_INPUT(servo_inv_7param, "battery_state", battery_state, &sn_battery_state_type,
             .flags = SN_PORT_FEEDBACK, .doc = "The measured voltage."),
    SN_OUTPUT(servo_inv_7param, "out_goals", out_goals, &sn_servo_goal_type,
              .doc = "What is sent to the servos."),
    {0}};

static const sn_need needs[] = {SN_ROBOT_MODEL_NEED(servo_inv_7param), {0}};

/* ---- configuration ---- */

static sn_status create_core(servo_inv_7param *self, sn_error *err) {
  sn_arena *arena = sn_component_arena(&self->component);
  const sn_names *joints = sn_model_joint_names(self->model);
  const size_t n = sn_names_count(joints);
  sn_servo_params *models = SN_NEW(arena, sn_servo_params, n);
  self->q = SN_NEW(arena, double, n);
  self->qd = SN_NEW(arena, double, n);
  self->qdd = SN_NEW(arena, double, n);
  self->tau = SN_NEW(arena, double, n);
  if (models == NULL || self->q == NULL || self->qd == NULL || self->qdd == NULL ||
      self->tau == NULL || !sn__name_map_init(&self->names, arena, joints) ||
      !sn__name_map_init(&self->accel_names, arena, joints) ||
      !sn__name_map_init(&self->limp_names, arena, joints)) {
    return sn__fail(err, SN_ENOMEM, "no memory");
  }
  const sn_status status = sn__servo_setup_read(&self->setup, joints, models, NULL, err);
  const sn_servo_inv_config config = {.servo_count = n,
                                      .models = models,
                                      .sign_dead_zone = self->sign_dead_zone,
                                      .change_time_s = self->model_change_time};
  return status == SN_OK ? sn__servo_inv_create(arena, &config, &self->core, err) : status;
}

static sn_status create_all(sn_component *component, sn_error *err) {
  servo_inv_7param *self = (servo_inv_7param *)component;
  sn_servo_goal *out = self->out_goals.msg;
  const size_t n = sn_model_pose_size(self->model);
  sn_status status = sn__fits(n, out->goal.capacity, "joints", err);
  if (status == SN_OK) {
    status = create_core(self, err);
  }
  if (status == SN_OK) {
    self->has_pose = false;
    sn_msg_names_share(&out->name, sn_model_joint_names(self->model));
    out->goal.count = n;
    out->limp.count = 0;
    memset(out->limp.data, 0, n * sizeof *out->limp.data);
  }
  return status;
}

static sn_status configure(sn_component *component, sn_error *err) {
  servo_inv_7param *self = (servo_inv_7param *)component;
  return sn__configure_with_model(component, &self->robot_model, &self->model, create_all, err);
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  servo_inv_7param *self = (servo_inv_7param *)component;
  (void)err;
  sn__battery_reset(&self->battery);
  self->last_ns = now_ns;
  return SN_OK;
}

static void cleanup(sn_component *component) {
  servo_inv_7param *self = (servo_inv_7param *)component;
  sn_msg_names_clear(&((sn_servo_goal *)self->out_goals.msg)->name);
  sn__model_release(&self->robot_model);
}

/* ---- a cycle ---- */

static void log_bad_model(servo_inv_7param *self, int64_t now_ns, const char *name,
                          const char *why) {
  const sn_log_arg args[] = {{.kind = SN_LOG_TEXT, .value.text = name},
                             {.kind = SN_LOG_TEXT, .value.text = why}};
  sn_component_log_limited(&self->component, &self->model_refused, now_ns, SN_LOG_WARNING,
                           "servo_model: '{}' {}: this model is not used", 2, args);
}

static void take_model(servo_inv_7param *self, int64_t now_ns, const sn_servo_model *msg) {
  const int joint = sn_model_joint_index(self->model, msg->name.data);
  sn_servo_params params = sn__servo_msg_params(msg);
  if (joint >= 0) {
    params.ext = sn__servo_msg_extension(msg, &sn__servo_inv_model(self->core, (size_t)joint)->ext);
  }
  if (joint < 0) {
    log_bad_model(self, now_ns, msg->name.data, "is not a joint of the robot");
  } else if (sn__servo_inv_replace(self->core, (size_t)joint, &params) != SN_OK) {
    log_bad_model(self, now_ns, msg->name.data, "has parameters that no servo can have");
  }
}

static void take_models(servo_inv_7param *self, int64_t now_ns) {
  size_t left = MODELS_MAX;
  for (const sn_servo_model_array *in; (in = sn_input_next(&self->servo_model, &left)) != NULL;) {
    for (size_t i = 0; i < in->models.count; i++) {
      take_model(self, now_ns, &in->models.data[i]);
    }
  }
}

static void take_limp(servo_inv_7param *self) {
  sn_servo_goal *out = self->out_goals.msg;
  out->limp.count = sn_input_is_connected(&self->limp) ? out->goal.count : 0;
  size_t left = SN_INPUT_BURST_MAX;
  for (const sn_servo_goal *in; (in = sn_input_next(&self->limp, &left)) != NULL;) {
    const bool is_good = sn__read_is_good(sn__read_servo_goal(&self->limp_names, in));
    for (size_t j = 0; is_good && in->limp.count > 0 && j < self->limp_names.count; j++) {
      if (self->limp_names.at[j] >= 0) {
        out->limp.data[j] = in->limp.data[self->limp_names.at[j]];
      }
    }
  }
}

/* @return whether the pose is known */
static bool take_pose(servo_inv_7param *self, const sn_joint_state *in) {
  if (!sn__read_is_good(sn__read_joint_state(&self->names, in, NULL))) {
    return false;
  }
  const size_t n = self->names.count;
  const size_t known = sn__name_map_sort(&self->names, &in->position, self->q);
  self->has_pose = self->has_pose || known == n;
  memset(self->qd, 0, n * sizeof *self->qd); /* missing fields are zero */
  memset(self->qdd, 0, n * sizeof *self->qdd);
  memset(self->tau, 0, n * sizeof *self->tau);
  (void)sn__name_map_sort(&self->names, &in->velocity, self->qd);
  (void)sn__name_map_sort(&self->names, &in->effort, self->tau);
  const sn_joint_state_accel *accel = sn_input_newest(&self->joints_accel);
  if (accel != NULL) {
    sn__name_map_find(&self->accel_names, &accel->name);
    (void)sn__name_map_sort(&self->accel_names, &accel->acceleration, self->qdd);
  }
  return self->has_pose;
}

static sn_status step(sn_component *component, int64_t now_ns) {
  servo_inv_7param *self = (servo_inv_7param *)component;
  const double voltage = sn__battery_read(&self->battery, &self->battery_state, component, now_ns);
  take_models(self, now_ns);
  take_limp(self);
  const sn_joint_state *in = sn_input_newest(&self->joints_sorted);
  if (in == NULL || !take_pose(self, in)) {
    return SN_OK;
  }
  const sn_servo_reference reference = {
      .q = self->q,
      .qd = self->qd,
      .qdd = self->qdd,
      .tau = self->tau,
      .voltage = voltage,
      .lead_s = self->lead,
      .dt_s = 1e-9 * (double)(now_ns > self->last_ns ? now_ns - self->last_ns : 0)};
  self->last_ns = now_ns;
  sn_servo_goal *out = self->out_goals.msg;
  out->header.stamp_ns = in->header.stamp_ns;
  sn__servo_inv_step(self->core, &reference, out->goal.data);
  return sn_output_write(&self->out_goals);
}

const sn_component_type sn_servo_inv_7param_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "servo_inv_7param",
    .doc = "Computes the goals of the servos from the commanded pose and their models.",
    .size = sizeof(servo_inv_7param),
    .properties = properties,
    .ports = ports,
    .needs = needs,
    .example =
        "components:\n"
        "  servo_inv_7param:\n"
        "    type: servo_inv_7param\n"
        "    properties:\n"
        "      servo_models:\n"
        "        - {name: leg1_joint1, kp: 30, alpha: [0.8, 0.3, 0, 4.5]}\n",
    .configure = configure,
    .start = start,
    .translate = sn__servo_translate,
    .step = step,
    .cleanup = cleanup,
};
