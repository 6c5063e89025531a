/* The component plant: life cycle and step. */
#include "plant/plant_component.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "ik/start_pose.h"
#include "legs/legs.h"
#include "rt/components/robot_model_client.h"
#include "servo/servo_original.h"
#include "sinew/components.h"

/* ---- configuration ---- */

/* The pose in which the robot stands on its feet. */
sn_status sn__plant_find_stance(sn__plant_component *self, double *pose, sn_error *err) {
  sn__legs legs;
  sn_error reason = {.message = ""};
  const sn_status status =
      sn__legs_find(sn_component_arena(&self->component), self->model, NULL, &legs, &reason);
  if (status != SN_OK) {
    return sn__fail(err, status, "start_pose: stand: %.200s", reason.message);
  }
  memcpy(pose, legs.stance, sn_model_pose_size(self->model) * sizeof *pose);
  return SN_OK;
}

/* Start positions of joints not named by initial_pose. */
static sn_status choose_pose(sn__plant_component *self, double *pose, sn_error *err) {
  sn_arena *arena = sn_component_arena(&self->component);
  if (strcmp(self->start_pose, "movable") == 0) {
    return sn__start_pose(arena, self->model, pose, err);
  }
  if (strcmp(self->start_pose, "stand") == 0) {
    return sn__plant_find_stance(self, pose, err);
  }
  for (size_t i = 0; i < sn_model_pose_size(self->model); i++) {
    pose[i] = NAN; /* the plant's choice */
  }
  return SN_OK;
}

static sn_status read_pose(sn__plant_component *self, double *pose, sn_error *err) {
  const sn_value *bag = self->initial_pose;
  const sn_status status = choose_pose(self, pose, err);
  if (status != SN_OK) {
    return status;
  }
  if (bag != NULL && bag->kind != SN_VALUE_BAG) {
    return sn__fail(err, SN_EINVAL, "initial_pose: must be joints with their positions");
  }
  for (size_t i = 0; bag != NULL && i < bag->item_count; i++) {
    const char *name = bag->items[i]->name;
    const int joint = sn_model_joint_index(self->model, name);
    if (joint < 0) {
      return sn__fail(err, SN_ENOENT, "initial_pose: '%.80s' is not a movable joint", name);
    }
    if (!sn_value_number(bag->items[i], &pose[joint])) {
      return sn__fail(err, SN_EINVAL, "initial_pose: '%.80s' is not a number", name);
    }
  }
  return SN_OK;
}

static sn_plant_dynamics dynamics_of(const char *text) {
  return strcmp(text, "decoupled") == 0 ? SN_PLANT_DECOUPLED : SN_PLANT_COUPLED;
}

/* The plant from the properties; lists are in @p arena. */
static sn_status create_from(sn__plant_component *self, sn__physics_maker *maker, double *pose,
                             sn_plant_servo *servos, sn_plant_box *boxes, sn_error *err) {
  sn_arena *arena = sn_component_arena(&self->component);
  sn_pose base;
  bool has_base = false;
  sn_status status = read_pose(self, pose, err);
  status = status == SN_OK ? sn__plant_read_servos(self, arena, servos, err) : status;
  status = status == SN_OK ? sn__plant_read_base(self, &base, &has_base, err) : status;
  const sn_plant_ground ground = sn__plant_read_ground(self, boxes);
  const char *robot_file, *package_path;
  sn__model_files(&self->robot_model, &robot_file, &package_path);
  const sn_plant_config config = {.dynamics = dynamics_of(self->dynamics),
                                  .servos = servos,
                                  .start_pose = pose,
                                  .step_max_s = self->integration_step,
                                  .without_stops = !self->joint_limits,
                                  .seed = (uint64_t)self->seed,
                                  .ground = sn__plant_reads_floating(self, pose) ? &ground : NULL,
                                  .start_base = has_base ? &base : NULL,
                                  .robot_file = robot_file,
                                  .package_path = package_path};
  return status == SN_OK
             ? sn__plant_create_with(arena, self->model, &config, maker, &self->plant, err)
             : status;
}

/* The pose for putOnFeet: the start pose if that is a stance, else one is searched. */
static sn_status keep_stance(sn__plant_component *self, const double *pose) {
  const size_t n = sn_model_pose_size(self->model);
  double *stance = SN_NEW(sn_component_arena(&self->component), double, n);
  if (stance == NULL) {
    return SN_ENOMEM;
  }
  const bool stands = strcmp(self->start_pose, "stand") == 0;
  if (stands) {
    memcpy(stance, pose, n * sizeof *stance);
  }
  self->stance = stands || sn__plant_find_stance(self, stance, NULL) == SN_OK ? stance : NULL;
  return SN_OK;
}

static sn_status create(sn__plant_component *self, sn__physics_maker *maker, sn_error *err) {
  sn_arena *arena = sn_component_arena(&self->component);
  const size_t n = sn_model_pose_size(self->model);
  const sn_joint_state *measured = self->joints_measured.msg;
  if (sn__fits(n, measured->position.capacity, "joints", err) != SN_OK) {
    return SN_ENOSPC;
  }
  double *pose = SN_NEW(arena, double, n);
  sn_plant_servo *servos = SN_NEW(arena, sn_plant_servo, n);
  sn_plant_box *boxes = SN_NEW(arena, sn_plant_box, self->boxes.count + 1);
  self->placed_q = SN_NEW(arena, double, n);
  if (pose == NULL || servos == NULL || boxes == NULL || self->placed_q == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", n);
  }
  sn_status status = create_from(self, maker, pose, servos, boxes, err);
  self->stance = NULL;
  if (status == SN_OK && sn__plant_floats(self->plant)) {
    status = keep_stance(self, pose);
  }
  return status == SN_OK ? sn__plant_prepare_outputs(self, err) : status;
}

static void release(sn__plant_component *self) {
  sn__plant_clear_outputs(self);
  if (self->plant != NULL) {
    sn__plant_release(self->plant);
  }
  self->plant = NULL;
  sn__model_release(&self->robot_model);
}

sn_status sn__plant_configure(sn__plant_component *self, sn__physics_maker *maker, sn_error *err) {
  self->model = sn__model_hold(&self->robot_model, err);
  if (self->model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  sn_status status = create(self, maker, err);
  if (status == SN_OK) {
    status = sn__plant_join_stop(self, err);
  }
  if (status != SN_OK) {
    release(self);
  }
  return status;
}

void sn__plant_cleanup(sn_component *component) {
  sn__plant_component *self = (sn__plant_component *)component;
  sn__plant_leave_stop(self);
  release(self);
}

/* ---- properties in force ---- */

static void apply_settings(sn__plant_component *self) {
  const sn_plant_settings settings = {
      .bus_delay = (size_t)self->bus_delay,
      .smooth_goals = self->smooth_goals,
      .goal_timeout_s = self->goal_timeout,
      .encoder_step = self->encoder_step,
      .position_noise = self->position_noise,
      .velocity_noise = self->velocity_noise,
      .effort_noise = self->effort_noise,
      .dropout_rate = self->dropout_rate,
      .message_loss_rate = self->message_loss_rate,
      .goal_loss_rate = self->goal_loss_rate,
      .battery_voltage = self->battery_voltage,
      .battery_resistance = self->battery_resistance,
      .current_per_torque = self->current_per_torque,
      .omit_velocity = !self->measure_velocity,
      .omit_effort = !self->measure_effort,
      .gravity = {self->gravity.data[0], self->gravity.data[1], self->gravity.data[2]},
      .gyro_bias = {self->gyro_bias.data[0], self->gyro_bias.data[1], self->gyro_bias.data[2]},
      .accel_bias = {self->accel_bias.data[0], self->accel_bias.data[1], self->accel_bias.data[2]},
      .gyro_noise = self->gyro_noise,
      .accel_noise = self->accel_noise,
      .imu_delay = (size_t)self->imu_delay,
      .contact_threshold_N = self->contact_threshold};
  sn__plant_set(self->plant, &settings);
}

static bool has_name(const sn_texts *names, const char *name) {
  bool is_there = false;
  for (size_t i = 0; i < names->count; i++) {
    is_there = is_there || strcmp(names->data[i], name) == 0;
  }
  return is_there;
}

/* The properties that name joints with a fault. */
static const struct {
  const char *name;
  size_t offset;
  sn_plant_fault fault;
} faults[SN_PLANT_FAULT_COUNT] = {
    {"frozen", offsetof(sn__plant_component, frozen), SN_PLANT_FROZEN},
    {"silent", offsetof(sn__plant_component, silent), SN_PLANT_SILENT},
    {"hot", offsetof(sn__plant_component, hot), SN_PLANT_HOT},
    {"stuck", offsetof(sn__plant_component, stuck), SN_PLANT_STUCK},
    {"noisy", offsetof(sn__plant_component, noisy), SN_PLANT_NOISY},
    {"delayed", offsetof(sn__plant_component, delayed), SN_PLANT_DELAYED},
};

static const sn_texts *joints_with_fault(const sn__plant_component *self, size_t i) {
  return (const void *)((const char *)self + faults[i].offset);
}

static void apply_faults(sn__plant_component *self) {
  for (size_t i = 0; i < sn_model_pose_size(self->model); i++) {
    const char *name = sn_names_at(sn_model_joint_names(self->model), i);
    unsigned sum = 0;
    for (size_t k = 0; k < SN_PLANT_FAULT_COUNT; k++) {
      sum |= has_name(joints_with_fault(self, k), name) ? (unsigned)faults[k].fault : 0U;
    }
    sn__plant_set_faults(self->plant, i, sum);
  }
  self->names_changed = true;
}

void sn__plant_changed(sn_component *component, const sn_property *property) {
  sn__plant_component *self = (sn__plant_component *)component;
  (void)property;
  if (self->plant != NULL) {
    apply_settings(self);
    apply_faults(self);
  }
}

/* One line for all unknown names of a list: a list can be long and set repeatedly. */
static void warn_unknown(sn__plant_component *self, const sn_texts *names, const char *what,
                         int64_t now_ns) {
  const char *first = NULL;
  int64_t others = -1;
  for (size_t i = 0; i < names->count; i++) {
    if (sn_model_joint_index(self->model, names->data[i]) < 0) {
      first = first == NULL ? names->data[i] : first;
      others++;
    }
  }
  if (first != NULL) {
    const sn_log_arg args[] = {{.kind = SN_LOG_TEXT, .value.text = what},
                               {.kind = SN_LOG_TEXT, .value.text = first},
                               {.kind = SN_LOG_INT, .value.integer = others}};
    sn_component_log_limited(&self->component, &self->unknown_names, now_ns, SN_LOG_WARNING,
                             others > 0 ? "{}: '{}' and {} others are not movable joints"
                                        : "{}: '{}' is not a movable joint",
                             3, args);
  }
}

/* ---- life ---- */

static void log_boxed(const sn__plant_component *self, int64_t now_ns) {
  const char *link = sn__plant_boxed_link(self->plant);
  if (link != NULL) {
    const sn_log_arg arg = {.kind = SN_LOG_TEXT, .value.text = link};
    sn_component_log(
        &self->component, now_ns, SN_LOG_INFO,
        "the collision mesh of link '{}' cannot be read: it touches the ground with the box of "
        "its inertia",
        1, &arg);
  }
}

sn_status sn__plant_start(sn_component *component, int64_t now_ns, sn_error *err) {
  sn__plant_component *self = (sn__plant_component *)component;
  (void)err;
  if (self->model == NULL || self->plant == NULL) {
    return sn__fail(err, SN_ENOTCONFIGURED, "not configured");
  }
  apply_settings(self);
  apply_faults(self);
  sn__plant_reset(self->plant);
  self->has_last = false;
  self->was_deserted = false;
  self->was_placed = false;
  self->guard = (sn__estop_guard){.first = 0};
  self->goal_ns = INT64_MIN;
  const sn_tree *tree = sn_model_tree(self->model);
  if (tree->massless_link != NULL) {
    const sn_log_arg arg = {.kind = SN_LOG_TEXT, .value.text = tree->massless_link};
    sn_component_log(component, now_ns, SN_LOG_INFO, "link '{}' has no inertia: it weighs nothing",
                     1, &arg);
  }
  log_boxed(self, now_ns);
  sn__plant_log_lift(self, sn__plant_start_lift(self->plant), now_ns);
  return SN_OK;
}

void sn__plant_log_lift(const sn__plant_component *self, double lift_m, int64_t now_ns) {
  if (lift_m > 0.0) {
    const sn_log_arg arg = {.kind = SN_LOG_REAL, .value.real = lift_m};
    sn_component_log(&self->component, now_ns, SN_LOG_WARNING,
                     "the robot was placed inside the ground: lifted by {} m", 1, &arg);
  }
}

/* ---- a cycle ---- */

static void log_verdict(const sn__plant_component *self, const char *port, sn_plant_verdict verdict,
                        sn_log_limit *limits, int64_t now_ns) {
  if (verdict != SN_PLANT_TAKEN && verdict != SN_PLANT_LOST) {
    const sn_log_arg args[] = {
        {.kind = SN_LOG_TEXT, .value.text = port},
        {.kind = SN_LOG_TEXT, .value.text = verdict == SN_PLANT_UNKNOWN ? "" : "refused, "},
        {.kind = SN_LOG_TEXT, .value.text = sn__plant_verdict_text(verdict)}};
    sn_component_log_limited(&self->component, &limits[verdict], now_ns, SN_LOG_WARNING, "{}: {}{}",
                             3, args);
  }
}

static void take_goals(sn__plant_component *self, const sn_servo_goal *goals, int64_t now_ns) {
  const sn_plant_verdict verdict = sn__plant_take_goals(self->plant, goals);
  if (verdict == SN_PLANT_TAKEN || verdict == SN_PLANT_UNKNOWN) {
    self->goal_ns = now_ns;
  }
  log_verdict(self, "goals", verdict, self->goals_refused, now_ns);
}

/* Goals received during an emergency stop are dropped. */
static void take_messages(sn__plant_component *self, int64_t now_ns) {
  const bool takes_goals = sn__plant_obey_stop(self, now_ns);
  size_t left = SN_INPUT_BURST_MAX;
  for (const sn_servo_goal *goals; (goals = sn_input_next(&self->goals, &left)) != NULL;) {
    if (takes_goals) {
      take_goals(self, goals, now_ns);
    }
  }
  const sn_joint_state *push = sn_input_newest(&self->push);
  if (push != NULL) {
    log_verdict(self, "push", sn__plant_push(self->plant, push), self->push_refused, now_ns);
  }
  const sn_rigid_body_state *links = sn_input_newest(&self->push_links);
  if (links != NULL) {
    log_verdict(self, "push_links", sn__plant_push_links(self->plant, &links->name, &links->wrench),
                self->push_links_refused, now_ns);
  }
}

static void log_deserted(sn__plant_component *self, int64_t now_ns) {
  const bool is_deserted = sn__plant_is_deserted(self->plant);
  if (is_deserted != self->was_deserted) {
    self->was_deserted = is_deserted;
    sn_component_log_limited(
        &self->component, &self->deserted[is_deserted], now_ns,
        is_deserted ? SN_LOG_WARNING : SN_LOG_INFO,
        is_deserted ? "no goals any more: the servos let go" : "goals come again", 0, NULL);
  }
}

/* Advance by the elapsed time; in the first cycle by the period of the activity. */
static double cycle_s(sn__plant_component *self, int64_t now_ns) {
  const int64_t period_ns = sn_component_period_ns(&self->component);
  const int64_t passed_ns = self->has_last ? now_ns - self->last_ns : period_ns;
  self->last_ns = now_ns;
  self->has_last = true;
  return 1e-9 * (double)passed_ns;
}

sn_status sn__plant_cycle(sn_component *component, int64_t now_ns) {
  sn__plant_component *self = (sn__plant_component *)component;
  if (self->names_changed) {
    self->names_changed = false;
    for (size_t i = 0; i < SN_PLANT_FAULT_COUNT; i++) {
      warn_unknown(self, joints_with_fault(self, i), faults[i].name, now_ns);
    }
  }
  take_messages(self, now_ns);
  sn__plant_step(self->plant, cycle_s(self, now_ns));
  log_deserted(self, now_ns);
  return sn__plant_write_outputs(self, now_ns);
}

static sn_status configure(sn_component *component, sn_error *err) {
  return sn__plant_configure((sn__plant_component *)component, NULL, err);
}

const sn_component_type sn_plant_component = SN__PLANT_TYPE(
    "plant", "Simulates the robot: servo models on a bus with faults, and rigid-body dynamics.",
    "components:\n"
    "  plant:\n"
    "    type: plant\n"
    "    properties: {encoder_step: 0.0015, position_noise: 0.0005, dropout_rate: 0.01}\n");
