/* servo_ident: its tables and its life. */
#include "ident/ident_component.h"

#include <string.h>

#include "base/fail.h"
#include "msg/types/servo_ident_msg.h"
#include "rt/components/robot_model_client.h"
#include "servo/servo_original.h"
#include "sinew/components.h"
#include "sinew/msg_calls.h"

/* ---- configuration ---- */

static sn_status create_arrays(sn__ident_component *self, sn_error *err) {
  sn_arena *arena = sn_component_arena(&self->component);
  const size_t n = self->count;
  self->has_model = SN_NEW(arena, bool, n);
  self->goal = SN_NEW(arena, double, n);
  self->limp = SN_NEW(arena, bool, n);
  self->servo = SN_NEW(arena, int, n);
  self->stamps_ns = SN_NEW(arena, int64_t, n);
  self->accepted = SN_NEW(arena, bool, n);
  self->ended = SN_NEW(arena, sn_servo_ident_status, n);
  self->fresh = SN_NEW(arena, sn_servo_params, n);
  self->before = SN_NEW(arena, sn_servo_params, n);
  self->can_undo = SN_NEW(arena, bool, n);
  self->ext = SN_NEW(arena, sn_servo_extension, n);
  const bool good = self->has_model != NULL && self->goal != NULL && self->limp != NULL &&
                    self->servo != NULL && self->stamps_ns != NULL && self->accepted != NULL &&
                    self->ended != NULL && self->fresh != NULL && self->before != NULL &&
                    self->can_undo != NULL && self->ext != NULL &&
                    sn__name_map_init(&self->goal_names, arena, self->joints) &&
                    sn__name_map_init(&self->measured_names, arena, self->joints);
  return good ? SN_OK : sn__fail(err, SN_ENOMEM, "no memory for %zu servos", n);
}

/* Messages once, as far as they do not change. */
static sn_status fill_messages(sn__ident_component *self, sn_error *err) {
  sn_joint_state *error = self->torque_error.msg;
  sn_servo_model_array *models = self->servo_model.msg;
  sn_status status = sn__fits(self->count, error->effort.capacity, "joints", err);
  if (status == SN_OK) {
    status = sn__fits(self->count, models->models.capacity, "joints", err);
  }
  for (size_t i = 0; status == SN_OK && i < self->count; i++) {
    const char *name = sn_names_at(self->joints, i);
    if (sn_msg_text_set(&models->models.data[i].name, name) != SN_OK) {
      status = sn__fail(err, SN_ENOSPC, "the name '%.80s' does not fit into a message", name);
    }
  }
  if (status == SN_OK) {
    sn_msg_names_share(&error->name, self->joints);
    error->effort.count = self->count;
  }
  return status;
}

static sn_status create_core(sn__ident_component *self, sn_error *err) {
  const sn_servo_ident_config config = {
      .servo_count = self->count,
      .models = self->before,
      .has_model = self->has_model,
      .cycle_s = 1e-9 * (double)self->period_ns,
      .control_delay = (size_t)self->control_delay,
      .forgetting = self->relaxation_factor,
      .error_averaging_time_s = self->error_averaging_time,
      .threshold_rad = self->threshold,
      .battery_voltage = self->battery.nominal,
      .min_velocity = self->min_velocity,
      .sign_dead_zone = self->sign_dead_zone,
      .identify_inertia = self->identify_inertia,
      .identify_load_friction = self->identify_load_friction,
      .smoothing = (size_t)self->smoothing,
      .position_noise = self->position_noise,
      .velocity_noise = self->velocity_noise,
  };
  return sn__servo_ident_create(sn_component_arena(&self->component), &config, &self->core, err);
}

/* The property names all servos that are known, in the order of the robot. Where it cannot be set
   (a build without YAML), it stays as it was. */
static void complete_property(sn__ident_component *self) {
  sn_seq_servo_model *models = &((sn_servo_model_array *)self->servo_model.msg)->models;
  models->count = 0;
  for (size_t i = 0; i < self->count; i++) {
    if (self->has_model[i]) {
      sn_servo_model *model = &models->data[models->count++];
      (void)sn_msg_text_set(&model->name, sn_names_at(self->joints, i)); /* as was seen above */
      sn__servo_msg_fill(model, &self->before[i]);
    }
  }
  sn_error err;
  (void)sn__ident_set_property(&self->component, models->data, models->count, &err);
}

/* Messages hold little of the extension: the rest of it is that of the start. */
static void keep_extensions(sn__ident_component *self) {
  for (size_t i = 0; i < self->count; i++) {
    self->ext[i] = self->before[i].ext;
  }
}

static sn_status create_all(sn__ident_component *self, sn_error *err) {
  self->joints = sn_model_joint_names(self->model);
  self->count = sn_names_count(self->joints);
  self->period_ns = self->cycle_time > 0.0 ? (int64_t)(1e9 * self->cycle_time)
                                           : sn_component_period_ns(&self->component);
  if (self->period_ns <= 0) {
    return sn__fail(err, SN_EINVAL,
                    "its activity has no period: set cycle_time, the seconds of one cycle");
  }
  sn_status status = create_arrays(self, err);
  if (status == SN_OK) {
    status = fill_messages(self, err);
  }
  if (status == SN_OK) {
    status = sn__servo_setup_read(&self->setup, self->joints, self->before, self->has_model, err);
  }
  if (status == SN_OK) {
    keep_extensions(self);
    status = create_core(self, err);
  }
  if (status == SN_OK) {
    complete_property(self);
  }
  return status;
}

static void let_model_go(sn__ident_component *self) {
  sn_msg_names_clear(&((sn_joint_state *)self->torque_error.msg)->name);
  sn__model_release(&self->robot_model);
}

static sn_status configure(sn_component *component, sn_error *err) {
  sn__ident_component *self = (sn__ident_component *)component;
  self->model = sn__model_hold(&self->robot_model, err);
  if (self->model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  const sn_status status = create_all(self, err);
  if (status != SN_OK) {
    let_model_go(self);
  }
  return status;
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  sn__ident_component *self = (sn__ident_component *)component;
  (void)err;
  sn__battery_reset(&self->battery);
  self->has_goals = self->has_cycle = false;
  memset(self->limp, 0, self->count * sizeof *self->limp);
  memset(self->stamps_ns, 0, self->count * sizeof *self->stamps_ns);
  self->now_ns = self->progress_ns = now_ns;
  return SN_OK;
}

static void stop(sn_component *component) {
  (void)sn__servo_ident_abort(((sn__ident_component *)component)->core);
}

static void cleanup(sn_component *component) {
  let_model_go((sn__ident_component *)component);
}

/* ---- live properties ---- */

static void refuse_model(const sn__ident_component *self, const char *name, const char *why) {
  const sn_log_arg args[] = {{.kind = SN_LOG_TEXT, .value.text = name},
                             {.kind = SN_LOG_TEXT, .value.text = why}};
  sn_component_log(&self->component, self->now_ns, SN_LOG_ERROR,
                   "servo_models: '{}' {}: its model stays", 2, args);
}

static bool is_same(const sn_servo_params *a, const sn_servo_params *b) {
  bool is_equal = a->kp == b->kp && a->kgear == b->kgear && a->qs == b->qs &&
                  a->delta == b->delta && a->inertia == b->inertia;
  for (size_t k = 0; k < 4; k++) {
    is_equal = is_equal && a->alpha[k] == b->alpha[k];
  }
  return is_equal;
}

static bool is_same_extension(const sn_servo_extension *a, const sn_servo_extension *b) {
  return a->back_emf == b->back_emf && a->offset == b->offset && a->drive_max == b->drive_max &&
         a->delay_s == b->delay_s && a->backlash == b->backlash &&
         a->is_directional == b->is_directional && a->load[0] == b->load[0] &&
         a->load[1] == b->load[1] && a->back_load[0] == b->back_load[0] &&
         a->back_load[1] == b->back_load[1];
}

/* @return whether the servo has another model now */
static bool take_item(sn__ident_component *self, const sn__servo_item *item, int servo) {
  sn_servo_params params = sn__servo_item_params(item);
  const size_t i = (size_t)servo;
  sn_servo_extension expected = self->ext[i]; /* friction of load may have been identified */
  memcpy(expected.load, sn__servo_ident_model(self->core, i)->ext.load, sizeof expected.load);
  if (sn__servo_item_extend(&item->ext, "", &params.ext, NULL) != SN_OK ||
      !is_same_extension(&params.ext, &expected)) {
    refuse_model(
        self, item->name,
        "has another friction of load, offset, drive limit, delay, backlash or back-EMF, which is "
        "set before the start");
    return false;
  }
  if (is_same(&params, sn__servo_ident_model(self->core, i))) {
    return false;
  }
  const sn_status status =
      item->alpha.count == 1 || item->alpha.count == 2 || item->alpha.count == 3
          ? SN_EINVAL
          : sn__servo_ident_replace(self->core, i, &params);
  if (status != SN_OK) {
    refuse_model(
        self, item->name,
        status == SN_EBUSY ? "is being identified" : "has parameters that no servo can have");
    return false;
  }
  self->has_model[i] = true;
  return true;
}

/* Models set by hand are used and published like identified ones; undo affects neither. */
static void take_models(sn__ident_component *self) {
  const sn__servo_item *items = self->setup.servo_models.data;
  memset(self->accepted, 0, self->count * sizeof *self->accepted);
  for (size_t k = 0; k < self->setup.servo_models.count; k++) {
    const int servo = sn_names_index(self->joints, items[k].name);
    if (servo < 0) {
      refuse_model(self, items[k].name, "is not a joint of the robot");
    } else if (take_item(self, &items[k], servo)) {
      self->accepted[servo] = true;
    }
  }
  sn__ident_publish(self, self->accepted);
}

static void changed(sn_component *component, const sn_property *property) {
  sn__ident_component *self = (sn__ident_component *)component;
  if (strcmp(property->name, "servo_models") == 0) {
    take_models(self);
    return;
  }
  const sn_servo_ident_tuning tuning = {.forgetting = self->relaxation_factor,
                                        .error_averaging_time_s = self->error_averaging_time,
                                        .threshold_rad = self->threshold,
                                        .min_velocity = self->min_velocity};
  (void)sn__servo_ident_tune(self->core, &tuning, NULL); /* ranges are those of the table */
}

/* ---- tables ---- */

static const sn_property properties[] = {
    SN_PROPERTY(sn__ident_component, "control_delay", control_delay, .initial = "0",
                .unit = "cycles", .max = SN_SERVO_IDENT_DELAY_MAX,
                .doc = "Delay between a command and its measured effect."),
    SN_PROPERTY(sn__ident_component, "relaxation_factor", relaxation_factor, .unit = "",
                .initial = "0.995", .alias = "relaxaton_factor", .min = 1e-9, .max = 1,
                .flags = SN_PROPERTY_LIVE,
                .doc = "Forgetting factor per sample; 1: no forgetting. Applies to identifications "
                       "that start later."),
    SN_PROPERTY(sn__ident_component, "error_averaging_time", error_averaging_time, .initial = "1",
                .unit = "s", .min = 1e-3, .max = 1e6, .flags = SN_PROPERTY_LIVE,
                .doc = "Time over which the prediction error is averaged."),
    SN_PROPERTY(
        sn__ident_component, "threshold", threshold, .alias = "treshhold", .initial = "0.01",
        .unit = "rad", .min = 1e-12, .max = 100, .flags = SN_PROPERTY_LIVE,
        .doc = "Largest mean prediction error of the position with which a model is accepted."),
    SN_PROPERTY(sn__ident_component, "min_velocity", min_velocity, .initial = "0.01",
                .unit = "rad/s", .min = 1e-9, .max = 100, .flags = SN_PROPERTY_LIVE,
                .doc = "Velocity below which samples are ignored."),
    SN_PROPERTY(sn__ident_component, "sign_dead_zone", sign_dead_zone, .initial = "0.001",
                .unit = "rad/s", .min = 1e-9, .max = 1,
                .doc = "Velocity below which a joint counts as at rest."),
    SN_PROPERTY(sn__ident_component, "identify_inertia", identify_inertia,
                .doc = "Identify the inertia of the rotor too."),
    SN_PROPERTY(sn__ident_component, "identify_load_friction", identify_load_friction,
                .doc = "Identify the friction that grows with load too."),
    SN_PROPERTY(sn__ident_component, "smoothing", smoothing, .unit = "cycles", .initial = "16",
                .max = SN_SERVO_IDENT_SMOOTHING_MAX,
                .doc = "Cycles on each side over which the servo law is averaged, in total at most "
                       "30 ms or one cycle; 0: no averaging."),
    SN_PROPERTY(sn__ident_component, "position_noise", position_noise, .initial = "2e-4",
                .unit = "rad", .min = 1e-9, .max = 1,
                .doc = "Noise of the encoders, assumed until it has been measured."),
    SN_PROPERTY(sn__ident_component, "velocity_noise", velocity_noise, .initial = "0.02",
                .unit = "rad/s", .min = 1e-9, .max = 100,
                .doc = "Noise of measured velocities; determines whether accelerations are "
                       "computed from velocities or positions."),
    SN_PROPERTY(sn__ident_component, "cycle_time", cycle_time, .unit = "s", .max = 100,
                .doc = "Time between two commands; 0: the period of the activity."),
    SN__BATTERY_PROPERTIES(sn__ident_component, battery),
    SN__SERVO_SETUP_PROPERTIES(sn__ident_component, setup, SN_PROPERTY_LIVE),
    {0}};

static const sn_port ports[] = {
    SN_INPUT(sn__ident_component, "joints_sorted", joints_sorted, &sn_joint_state_type,
             .flags = SN_PORT_EVENT | SN_PORT_REQUIRED,
             .doc = "Commanded positions, velocities and efforts, complete and sorted."),
    SN_INPUT(sn__ident_component, "joints_measured", joints_measured, &sn_joint_state_type,
             .flags = SN_PORT_EVENT | SN_PORT_REQUIRED,
             .doc = "Measured states of any servos, in any order; several messages per cycle are "
                    "possible."),
    SN_INPUT(sn__ident_component, "goals", goals, &sn_servo_goal_type,
             .doc = "Goals that were sent; if not connected, they are computed from the models."),
    SN_INPUT(sn__ident_component, "battery_state", battery_state, &sn_battery_state_type,
             .doc = "The measured voltage."),
    SN_OUTPUT(sn__ident_component, "servo_model", servo_model, &sn_servo_model_array_type,
              .doc = "New models."),
    SN_OUTPUT(sn__ident_component, "torque_error_sorted", torque_error, &sn_joint_state_type,
              .flags = SN_PORT_DERIVED,
              .doc = "Torque errors: efforts according to the models minus commanded efforts."),
    {0}};

static const sn_need needs[] = {SN_ROBOT_MODEL_NEED(sn__ident_component), {0}};

static const sn_operation operations[] = {
    {"startIdentification", SN_OWN_THREAD, &sn_call_names_type, &sn_call_outcome_type,
     sn__ident_start, "Begin for these servos, or for none of them."},
    {"endIdentification", SN_CLIENT_THREAD | SN_IN_PARTS, NULL, &sn_ident_ended_type, sn__ident_end,
     "Stop; servos whose error is within the threshold get their model, which is saved."},
    {"abortIdentification", SN_OWN_THREAD, NULL, &sn_call_outcome_type, sn__ident_abort,
     "Stop; models stay as they were."},
    {"undoIdentification", SN_CLIENT_THREAD | SN_IN_PARTS, NULL, &sn_ident_ended_type,
     sn__ident_undo, "Back to the models before the last end, and save those."},
    {"status", SN_OWN_THREAD | SN_READ_ONLY, NULL, &sn_ident_state_type, sn__ident_status,
     "State of the identification of each servo."},
    {"identification", SN_CLIENT_THREAD | SN_IN_PARTS, &sn_ident_request_type,
     &sn_ident_answer_type, sn__ident_do,
     "All of these by a verb: start, status, abort, end, undo."},
    {"applyIdentification", SN_OWN_THREAD, &sn_call_name_type, &sn_ident_applied_type,
     sn__ident_apply, "What end and undo (its argument) do in the cycle; saves nothing."},
    {0}};

const sn_component_type sn_servo_ident_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "servo_ident",
    .doc = "Identifies servo models while the servos move, and estimates external torques.",
    .size = sizeof(sn__ident_component),
    .properties = properties,
    .translate = sn__servo_translate,
    .ports = ports,
    .operations = operations,
    .needs = needs,
    .example =
        "components:\n"
        "  servo_ident:\n"
        "    type: servo_ident\n"
        "    properties: {relaxation_factor: 0.999}\n",
    .configure = configure,
    .start = start,
    .step = sn__ident_step,
    .stop = stop,
    .cleanup = cleanup,
    .changed = changed,
};
