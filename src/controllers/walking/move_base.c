/* `MoveBase`: tables, lifecycle and the cycle. */
#include "controllers/walking/move_base.h"

#include <string.h>

#include "base/fail.h"
#include "msg/msg_names_internal.h"
#include "rt/component_tables.h"
#include "servo/servo_original.h"
#include "sinew/components.h"

typedef sn__move_base mover;

/* Farther between two points of a plan is another branch of the inverse kinematics, rad. */
static const double JUMP_MAX = 0.8;

static const sn_property properties[] = {
    SN_PROPERTY(mover, "steps", steps, .initial = "steps",
                .doc = "The controller that executes plans, of type ExecuteStepSequence."),
    SN_PROPERTY(mover, "ground", ground, .initial = "plant",
                .doc = "The component whose list `boxes` names obstacles on the ground: goals "
                       "behind them are rejected. Empty or unknown: there are none."),
    SN_PROPERTY(mover, "zmp_margin", zmp_margin_m, .initial = "0", .unit = "m", .min = 0, .max = 1,
                .doc = "By which the zero-moment point stays inside of the feet's polygon; less "
                       "where no path of the body has it. 0: 0.8 of what the smallest polygon of "
                       "all feet but one has in its middle."),
    SN_PROPERTY(mover, "step_height", step_height_m, .initial = "0", .unit = "m", .min = 0,
                .max = 1, .doc = "How high feet are lifted; 0: 0.15 of the height of the base."),
    SN_PROPERTY(mover, "friction", friction, .initial = "0.4", .unit = "", .min = 1e-3, .max = 100,
                .doc = "Friction coefficient of the ground."),
    SN_PROPERTY(mover, "stretch_max", stretch_max, .initial = "4", .unit = "", .min = 1, .max = 100,
                .doc =
                    "Largest factor by which a plan is longer than requested, because the drives "
                    "are too slow; beyond it the request is rejected."),
    SN_PROPERTY_BAGS_OF(mover, "servo_models", servo_models, sn__step_servo,
                        sn__step_servo_properties,
                        .doc = "Servos, which limit speed and torque; others have the limits of "
                               "the robot."),
    {0}};

static const sn_port ports[] = {
    SN_INPUT(mover, "in_base", in_base, &sn_rigid_body_state_type, .flags = SN_PORT_FEEDBACK,
             .doc = "The base in odom; without it the world begins at the robot."),
    SN_INPUT(mover, "in_joints_sorted", in_joints_sorted, &sn_joint_state_type,
             .flags = SN_PORT_FEEDBACK, .doc = "The commanded pose, from which plans begin."),
    SN_INPUT(mover, "in_state", in_state, &sn_trajectory_state_type, .flags = SN_PORT_FEEDBACK,
             .doc = "State of the goals of the controller that executes plans."),
    SN_OUTPUT(mover, "plan", plan, &sn_step_goal_type,
              .capacity = {.item_count = SN__MOVE_PLAN_POINTS_MAX, .text_size = 64},
              .doc = "The last plan, in odom, with fewer points than are executed."),
    SN_OUTPUT(mover, "trajectory_state", trajectory_state, &sn_trajectory_state_type,
              .doc = "State of the goal, while there is one; its names are limbs."),
    {0}};

static const sn_need needs[] = {
    SN_ROBOT_MODEL_NEED(sn__move_base), SN_INVERSE_KINEMATICS_NEED(sn__move_base), {0}};

/* ---- lifecycle ---- */

static bool is_leg(const sn_model *model, size_t chain) {
  const sn_chain *run = sn_model_chain(model, chain, true);
  return run->first_link == 0 && run->joint_count > 0 &&
         sn_model_chain_default_contact(model, chain) >= 0;
}

static sn__limb_ik *create_limbs(mover *self, sn_arena *arena) {
  const sn__inverse_kinematics *service = self->kinematics_inv.iface;
  sn__limb_ik *limbs = SN_NEW(arena, sn__limb_ik, self->chain_count + 1);
  for (size_t i = 0; limbs != NULL && i < self->chain_count; i++) {
    if (is_leg(self->model, i) &&
        service->create(service->component, arena, i, &limbs[i], NULL) == SN_OK) {
      limbs[i].goes_near = false;
      for (size_t k = 0; k < limbs[i].count; k++) {
        limbs[i].jump[k] = JUMP_MAX;
      }
    }
  }
  return limbs;
}

static sn_status create(sn_component *component, sn_error *err) {
  mover *self = (mover *)component;
  sn_arena *arena = sn_component_arena(component);
  const size_t n = sn_model_pose_size(self->model);
  self->chain_count = sn_names_count(sn_model_chain_names(self->model));
  self->drives = SN_NEW(arena, sn__step_drive, n);
  self->pose_now = SN_NEW(arena, _Atomic(double), n);
  self->start = SN_NEW(arena, double, n);
  self->limbs = create_limbs(self, arena);
  if (self->drives == NULL || self->pose_now == NULL || self->start == NULL ||
      self->limbs == NULL ||
      !sn__name_map_init(&self->names, arena, sn_model_joint_names(self->model))) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", n);
  }
  self->balance = NULL;
  sn_status status = sn__balance_create(arena, self->model, &self->balance, err);
  status = status == SN_EMODEL ? SN_OK : status;
  if (status == SN_OK) {
    status = sn__step_drives_read(self->model, &self->servo_models, self->drives, err);
  }
  if (status == SN_OK) {
    self->planner = NULL;
    self->has_plan = false;
    pthread_mutex_init(&self->lock, NULL);
    sn_arena_init_growing(&self->arena, "plans", 0);
  }
  return status;
}

static sn_status configure(sn_component *component, sn_error *err) {
  mover *self = (mover *)component;
  return sn__configure_with_model(component, &self->robot_model, &self->model, create, err);
}

static void cleanup(sn_component *component) {
  mover *self = (mover *)component;
  pthread_mutex_destroy(&self->lock);
  sn_arena_release(&self->arena);
  sn__model_release(&self->robot_model);
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  mover *self = (mover *)component;
  (void)now_ns;
  (void)err;
  atomic_store(&self->has_pose, false);
  atomic_store(&self->has_base, false);
  atomic_store(&self->stage, SN__MOVE_EMPTY);
  atomic_store(&self->shown_steps_id, 0);
  return SN_OK;
}

/* ---- the cycle ---- */

static void read_pose(mover *self) {
  size_t left = SN_INPUT_BURST_MAX;
  for (const sn_joint_state *msg; (msg = sn_input_next(&self->in_joints_sorted, &left)) != NULL;) {
    if (!sn__read_is_good(sn__read_joint_state(&self->names, msg, NULL))) {
      continue;
    }
    size_t known = 0;
    for (size_t j = 0; j < self->names.count; j++) {
      const int at = self->names.at[j];
      if (at >= 0 && (size_t)at < msg->position.count) {
        atomic_store_explicit(&self->pose_now[j], msg->position.data[at], memory_order_relaxed);
        known++;
      }
    }
    if (known == self->names.count) {
      atomic_store(&self->has_pose, true);
    }
  }
}

/* Readers repeat if the version was odd or has changed. */
static void read_base(mover *self) {
  const char *root = sn_model_link(self->model, 0)->name;
  const sn_rigid_body_state *msg = sn_input_newest(&self->in_base);
  const int index = msg == NULL ? -1 : sn__msg_names_index(&msg->name, root);
  sn_pose pose;
  if (index < 0 || (size_t)index >= msg->pose.count ||
      sn_ik_pose_from_quat(msg->pose.data[index].position, msg->pose.data[index].orientation,
                           &pose) != SN_IK_OK) {
    return;
  }
  const sn_vec3 at = msg->pose.data[index].position;
  const sn_quat turn = msg->pose.data[index].orientation;
  const double numbers[SN__MOVE_BASE_NUMBERS] = {at.x, at.y, at.z, turn.x, turn.y, turn.z, turn.w};
  atomic_fetch_add(&self->base_version, 1);
  for (size_t i = 0; i < SN__MOVE_BASE_NUMBERS; i++) {
    atomic_store(&self->base_now[i], numbers[i]);
  }
  atomic_fetch_add(&self->base_version, 1);
  atomic_store(&self->has_base, true);
}

static void publish_plan(mover *self) {
  int expected = SN__MOVE_FILLED;
  if (atomic_compare_exchange_strong(&self->stage, &expected, SN__MOVE_PUBLISHING)) {
    (void)sn_output_write(&self->plan); /* a small reader is counted there */
    atomic_store(&self->stage, SN__MOVE_EMPTY);
  }
}

/* The state of the goal of the controller is that of ours. */
static void publish_state(mover *self) {
  size_t left = SN_INPUT_BURST_MAX;
  for (const sn_trajectory_state *msg; (msg = sn_input_next(&self->in_state, &left)) != NULL;) {
    sn_trajectory_state *out = self->trajectory_state.msg;
    if (msg->goal_id != 0 && msg->goal_id == atomic_load(&self->shown_steps_id) &&
        sn_msg_copy(&sn_trajectory_state_type, out, msg) == SN_OK) {
      out->goal_id = atomic_load(&self->shown_id);
      out->error_code = sn__move_base_code(msg->error_code);
      (void)sn_output_write(&self->trajectory_state);
    }
  }
}

static sn_status step(sn_component *component, int64_t now_ns) {
  mover *self = (mover *)component;
  (void)now_ns;
  read_pose(self);
  read_base(self);
  publish_state(self);
  publish_plan(self);
  return SN_OK;
}

static const sn_operation operations[] = {
    {"plan", SN_CLIENT_THREAD, &sn_move_base_goal_type, &sn_move_base_plan_type, sn__move_base_plan,
     "Plan steps from the present stance; the plan is published, not executed."},
    {"move", SN_CLIENT_THREAD, &sn_move_base_goal_type, &sn_trajectory_answer_type,
     sn__move_base_move, "Plan steps and execute them; replaces what is executed."},
    {"cancel", SN_CLIENT_THREAD, &sn_trajectory_id_type, &sn_call_outcome_type,
     sn__move_base_cancel, "Stop on its feet: the goal with this number; 0: any."},
    {"getGoal", SN_CLIENT_THREAD | SN_READ_ONLY, &sn_trajectory_id_type, &sn_trajectory_state_type,
     sn__move_base_get_goal,
     "The state of the goal with this number, or how it ended and which limb failed."},
    {"getPlan", SN_CLIENT_THREAD | SN_READ_ONLY, NULL, &sn_step_goal_type, sn__move_base_get_plan,
     "The last plan with all its points."},
    {"getNominal", SN_CLIENT_THREAD | SN_READ_ONLY, NULL, &sn_joint_state_type,
     sn__move_base_get_nominal, "The pose in which the robot stands nominally."},
    {0}};

const sn_component_type sn_move_base_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "MoveBase",
    .doc =
        "Plans steps that bring the base to a goal: footholds, times, a path of the body that is "
        "balanced and that the servos can follow; a controller executes them.",
    .size = sizeof(sn__move_base),
    SN__COMPONENT_TABLES,
    .example =
        "components:\n"
        "  steps: {type: ExecuteStepSequence}\n"
        "  move_base:\n"
        "    type: MoveBase\n"
        "    properties: {step_height: 0.03}\n",
    .configure = configure,
    .start = start,
    .step = step,
    .cleanup = cleanup,
    .translate = sn__servo_translate,
};
