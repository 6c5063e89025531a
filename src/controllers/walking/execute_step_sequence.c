#include "controllers/walking/execute_step_sequence.h"

#include <string.h>

#include "base/fail.h"
#include "rt/component_tables.h"
#include "rt/components/robot_model_client.h"
#include "servo/servo_original.h"
#include "sinew/components.h"

typedef sn__execute_step_sequence steps;

/* The most that a joint may move between two cycles or samples, rad: further is another branch. */
static const double JUMP_MAX = 0.4;

static const sn_property properties[] = {
    SN_CONTROLLER_PROPERTIES,
    SN_PROPERTY(steps, "release_when_done", release_when_done,
                .doc = "Release the limbs of a goal when it has ended; otherwise the robot stands "
                       "on them, and its base is kept in place."),
    SN_PROPERTY(steps, "use_base", use_base, .initial = "true",
                .doc = "Correct the motion by the base of in_base; otherwise execute as planned."),
    SN_PROPERTY(steps, "start_tolerance", start_tolerance_m, .initial = "0.03", .unit = "m",
                .min = 0, .max = 10, .doc = "Maximum distance of a limb from its first point."),
    SN_PROPERTY(steps, "start_tolerance_rotation", start_tolerance_rad, .initial = "0.3",
                .unit = "rad", .min = 0, .max = 10, .doc = "The same for its orientation."),
    SN_PROPERTY(steps, "position_tolerance", position_tolerance_m, .initial = "0", .unit = "m",
                .min = 0, .max = 10,
                .doc =
                    "Maximum distance of a measured limb from its path, and of the base from its "
                    "goal, unless a goal sets it; 0: any."),
    SN_PROPERTY(steps, "orientation_tolerance", orientation_tolerance_rad, .initial = "0",
                .unit = "rad", .min = 0, .max = 10, .doc = "The same for its orientation."),
    SN_PROPERTY(steps, "contact_tolerance", contact_tolerance_m, .initial = "0.01", .unit = "m",
                .min = 0, .max = 10,
                .doc = "By which a foot in contact may move from point to point."),
    SN_PROPERTY(steps, "reach_tolerance", reach_m, .initial = "0.03", .unit = "m", .min = 0,
                .max = 1,
                .doc = "A limb goes as near as it can to a point that is out of its reach by at "
                       "most this; a sequence with points farther away is rejected."),
    SN_PROPERTY(steps, "reach_tolerance_rotation", reach_rad, .initial = "0.3", .unit = "rad",
                .min = 0, .max = 10, .doc = "The same for its orientation."),
    SN_PROPERTY(steps, "clearance", clearance_m, .initial = "0.005", .unit = "m", .min = 0,
                .max = 1,
                .doc = "By which feet in the air are raised above their points, since one that "
                       "touches the ground too early stumbles."),
    SN_PROPERTY(steps, "settle_time", settle_time_s, .initial = "0.5", .unit = "s", .min = 0,
                .max = 60,
                .doc = "Longest time after the end in which the base is brought in place."),
    SN_PROPERTY(steps, "stretch_max", stretch_max, .initial = "20", .unit = "", .min = 1,
                .max = 1000, .doc = "Largest factor by which a sequence is stretched in time."),
    SN_PROPERTY(steps, "friction", friction, .initial = "0.6", .unit = "", .min = 1e-3, .max = 100,
                .doc = "Friction coefficient of the ground."),
    SN_PROPERTY(steps, "zmp_margin", zmp_margin_m, .initial = "0.02", .unit = "m", .min = -1,
                .max = 1,
                .doc = "By which the zero-moment point stays inside of the feet's polygon: the "
                       "path of the body is shifted as needed; negative: it is not shifted."),
    SN_PROPERTY(
        steps, "kp", gains.kp, .initial = "0.3", .unit = "", .min = 0, .max = 10,
        .doc = "Correction of the base's position and heading, as a multiple of the error."),
    SN_PROPERTY(steps, "ki", gains.ki, .initial = "2", .unit = "1/s", .min = 0, .max = 100,
                .doc = "The same for the integral of the error."),
    SN_PROPERTY(steps, "kp_tilt", gains.kp_tilt, .initial = "0.3", .unit = "", .min = 0, .max = 10,
                .doc = "Correction of roll and pitch, as a multiple of the error."),
    SN_PROPERTY(steps, "ki_tilt", gains.ki_tilt, .initial = "1", .unit = "1/s", .min = 0,
                .max = 100, .doc = "The same for the integral of the error."),
    SN_PROPERTY(steps, "kd", gains.kd, .initial = "0.02", .unit = "s", .min = 0, .max = 10,
                .doc = "Correction by the rate of all errors."),
    SN_PROPERTY(steps, "smoothing_time", gains.smoothing_s, .initial = "0.02", .unit = "s",
                .min = 1e-4, .max = 10, .doc = "Time constant of the filter of the error."),
    SN_PROPERTY(steps, "correction_max", gains.shift_max_m, .initial = "0.03", .unit = "m",
                .min = 0, .max = 1, .doc = "Largest correction of the position."),
    SN_PROPERTY(steps, "correction_max_tilt", gains.tilt_max_rad, .initial = "0.2", .unit = "rad",
                .min = 0, .max = 1, .doc = "Largest correction of roll and pitch."),
    SN_PROPERTY(steps, "correction_max_heading", gains.yaw_max_rad, .initial = "0.3", .unit = "rad",
                .min = 0, .max = 1, .doc = "Largest correction of the heading."),
    SN_PROPERTY_BAGS_OF(steps, "servo_models", servo_models, sn__step_servo,
                        sn__step_servo_properties,
                        .doc = "Servos, which limit speed and torque; others have the limits of "
                               "the robot."),
    {0}};

static const sn_port ports[] = {
    SN_CONTROLLER_PORTS,
    SN_INPUT(steps, "in_base", in_base, &sn_rigid_body_state_type, .flags = SN_PORT_FEEDBACK,
             .doc = "The base in odom; without it a sequence is executed as planned."),
    SN_INPUT(steps, "in_joints_measured", in_joints_measured, &sn_joint_state_type,
             .flags = SN_PORT_FEEDBACK,
             .doc = "Measured positions; without them tolerances are not checked."),
    SN_INPUT(steps, "in_fall", in_fall, &sn_fall_state_type, .flags = SN_PORT_FEEDBACK,
             .doc = "Falls of the robot, which end a sequence."),
    SN_OUTPUT(steps, "trajectory_state", trajectory_state, &sn_trajectory_state_type,
              .doc = "State of the goal, while there is one; its names are limbs."),
    SN_OUTPUT(steps, "out_base_ref", out_base_ref, &sn_rigid_body_state_type,
              .doc = "Where the base should be in odom."),
    SN_OUTPUT(steps, "out_limbs_ref", out_limbs_ref, &sn_limb_state_type, .flags = SN_PORT_DERIVED,
              .doc = "Commanded poses of limbs in the base."),
    {0}};

static const sn_need needs[] = {
    SN_CONTROLLER_NEEDS, SN_INVERSE_KINEMATICS_NEED(sn__execute_step_sequence), {0}};

/* ---- lifecycle ---- */

static bool is_chain_known(const sn_model *model, size_t chain) {
  const sn_chain *run = sn_model_chain(model, chain, true);
  return run->first_link == 0 && run->joint_count > 0;
}

/* Solvers for every limb that begins at the base; those that cannot be solved stay empty. */
static sn__limb_ik *create_limbs(steps *self) {
  sn_arena *arena = sn_component_arena(&self->controller.component);
  const sn__inverse_kinematics *service = self->kinematics_inv.iface;
  sn__limb_ik *limbs = SN_NEW(arena, sn__limb_ik, self->chain_count);
  for (size_t i = 0; limbs != NULL && i < self->chain_count; i++) {
    if (is_chain_known(self->controller.model, i) &&
        service->create(service->component, arena, i, &limbs[i], NULL) == SN_OK) {
      limbs[i].goes_near = true;
      for (size_t k = 0; k < limbs[i].count; k++) {
        limbs[i].jump[k] = JUMP_MAX;
      }
    }
  }
  return limbs;
}

static bool create_arrays(steps *self, sn_arena *arena) {
  const size_t n = self->controller.joint_count;
  self->drives = SN_NEW(arena, sn__step_drive, n);
  self->start = SN_NEW(arena, double, n);
  self->last.q = SN_NEW(arena, double, n);
  self->pose_now = SN_NEW(arena, _Atomic(double), n);
  self->solved = SN_NEW(arena, double, n);
  self->offset = SN_NEW(arena, double, n);
  self->measured = SN_NEW(arena, double, n);
  self->planning = create_limbs(self);
  self->walking = create_limbs(self);
  return self->drives != NULL && self->start != NULL && self->last.q != NULL &&
         self->pose_now != NULL && self->solved != NULL && self->offset != NULL &&
         self->measured != NULL && self->planning != NULL && self->walking != NULL &&
         sn__name_map_init(&self->measured_names, arena,
                           sn_model_joint_names(self->controller.model));
}

static sn_status prepare_messages(steps *self, sn_error *err) {
  sn_rigid_body_state *base = self->out_base_ref.msg;
  sn_limb_state *limbs = self->out_limbs_ref.msg;
  const char *root = sn_model_link(self->controller.model, 0)->name;
  sn_msg_names_clear(&base->name);
  if (sn_msg_text_set(&base->header.frame_id, "odom") != SN_OK ||
      sn_msg_text_set(&limbs->header.frame_id, root) != SN_OK ||
      sn_msg_names_add(&base->name, root, strlen(root)) != SN_OK) {
    return sn__fail(err, SN_ENOSPC, "the name '%s' does not fit into a message", root);
  }
  base->pose.count = base->twist.count = 1;
  return sn__fits(SN__STEP_LIMBS_MAX, limbs->pose.capacity, "limbs", err);
}

static sn_status create(sn_component *component, sn_error *err) {
  steps *self = (steps *)component;
  sn_arena *arena = sn_component_arena(component);
  self->chain_count = sn_names_count(sn_model_chain_names(self->controller.model));
  self->controller.has_velocity = true;
  self->walker.gains = self->gains;
  if (!create_arrays(self, arena)) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", self->controller.joint_count);
  }
  sn__goals_init(&self->goals);
  self->goals.reader = sn__step_goal_read;
  self->goals.context = self;
  self->balance = NULL;
  sn_status status = sn__balance_create(arena, self->controller.model, &self->balance, err);
  status = status == SN_EMODEL ? SN_OK : status;
  if (status == SN_OK) {
    status = sn__step_drives_read(self->controller.model, &self->servo_models, self->drives, err);
  }
  return status == SN_OK ? prepare_messages(self, err) : status;
}

static void owned_changed(sn_component *component, const bool *had) {
  steps *self = (steps *)component;
  const sn_controller *c = &self->controller;
  for (size_t j = 0; j < c->joint_count; j++) {
    if (c->owned[j] && !had[j]) {
      self->solved[j] = c->pose[j];
    }
  }
}

static sn_status configure(sn_component *component, sn_error *err) {
  static const sn_controller_hooks hooks = {.create = create, .owned_changed = owned_changed};
  return sn_controller_configure(component, &hooks, err);
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  steps *self = (steps *)component;
  self->has_measured = self->has_base = self->is_walking = self->is_goals_limbs = false;
  self->goal = self->next = NULL;
  self->last.id = 0;
  self->last_ns = now_ns;
  atomic_store(&self->goals.now_ns, now_ns);
  sn__goals_open(&self->goals, component->system);
  return sn_controller_start(component, now_ns, err);
}

static void stop(sn_component *component) {
  steps *self = (steps *)component;
  sn__step_walker_stand(&self->walker);
  self->goal = self->next = NULL;
  self->is_walking = false;
  sn__goals_close(&self->goals);
}

static void dispose(sn_component *component) {
  sn__goals_dispose(&((steps *)component)->goals);
}

/* ---- operations, in the thread of the caller ---- */

static sn_status run_execute(sn_component *component, const void *request, void *response,
                             sn_error *err) {
  steps *self = (steps *)component;
  return sn__goals_run_execute(&self->goals, request, SN_STEP_INTERNAL_ERROR, response, err);
}

static sn_status run_cancel(sn_component *component, const void *request, void *response,
                            sn_error *err) {
  (void)err;
  return sn__goals_run_cancel(&((steps *)component)->goals, request, response);
}

static sn_status run_get_goal(sn_component *component, const void *request, void *response,
                              sn_error *err) {
  steps *self = (steps *)component;
  return sn__goals_read_state(&self->goals, ((const sn_trajectory_id *)request)->goal_id, response,
                              err);
}

static const sn_operation operations[] = {
    {"execute", SN_CLIENT_THREAD, &sn_step_goal_type, &sn_trajectory_answer_type, run_execute,
     "Take the limbs of a step sequence and execute it; replaces one under way, or continues it."},
    {"cancel", SN_CLIENT_THREAD, &sn_trajectory_id_type, &sn_call_outcome_type, run_cancel,
     "Stop on its feet: the goal with this number; 0: any."},
    {"getGoal", SN_CLIENT_THREAD | SN_READ_ONLY, &sn_trajectory_id_type, &sn_trajectory_state_type,
     run_get_goal,
     "The state of the goal with this number, or how it ended and which limb failed."},
    SN_CONTROLLER_OPERATIONS,
    {0}};

const sn_component_type sn_execute_step_sequence_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "ExecuteStepSequence",
    .doc =
        "Executes step sequences: the base and the feet follow them, stretched in time if the "
        "servos are too slow. Legs in contact correct the base about their footholds.",
    .size = sizeof(sn__execute_step_sequence),
    SN__COMPONENT_TABLES,
    .services = sn_controller_services,
    .example =
        "components:\n"
        "  steps:\n"
        "    type: ExecuteStepSequence\n"
        "    properties: {settle_time: 1, correction_max: 0.02}\n",
    .configure = configure,
    .start = start,
    .step = sn__execute_step_sequence_step,
    .stop = stop,
    .cleanup = sn_controller_cleanup,
    .dispose = dispose,
    .translate = sn__servo_translate,
};
