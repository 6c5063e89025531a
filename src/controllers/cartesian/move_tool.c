/* The component `MoveTool`: goals are motions of a tool, planned as a whole in the thread of the
   sender (path/tool_path.h) and executed as trajectories are. */
#include <string.h>

#include "base/fail.h"
#include "controllers/execute_component.h"
#include "path/tool_path.h"
#include "sinew/components.h"
#include "sinew/ik.h"

typedef struct move_tool {
  sn__execute_component execute; /* first */
  const char *chain;
  double tool_speed, tool_acceleration, jerk_time_s;

  sn__tool_planner *planner;
  double *start; /* [joints of the chain] */
} move_tool;

static const sn_property properties[] = {
    SN_CONTROLLER_PROPERTIES,
    SN__EXECUTE_PROPERTIES("0.01"),
    SN_PROPERTY(move_tool, "chain", chain,
                .doc = "The chain whose last link is the tool; empty: the first one of "
                       "controlled_chains, or of the robot."),
    SN_PROPERTY(move_tool, "tool_speed", tool_speed, .initial = "0", .unit = "m/s", .min = 0,
                .max = 1e3, .doc = "The greatest speed of the tool; 0: as the joints allow."),
    SN_PROPERTY(move_tool, "tool_acceleration", tool_acceleration, .initial = "0", .unit = "m/s^2",
                .min = 0, .max = 1e4,
                .doc = "The greatest acceleration of the tool; 0: as the joints allow."),
    SN_PROPERTY(move_tool, "jerk_time", jerk_time_s, .initial = "0.1", .unit = "s", .min = 1e-3,
                .max = 1e3,
                .doc = "From no to full acceleration, where the URDF states no limit of jerk."),
    {0}};

static const sn_port ports[] = {SN__EXECUTE_PORTS, {0}};

/* ---- goals, in the thread of the sender ---- */

static sn_status read_kind(const sn_msg_text *text, size_t number, sn__tool_kind *kind,
                           sn_error *err) {
  static const char *const names[] = {"ptp", "lin", "circ", "spline"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (text->count > 0 && strcmp(text->data, names[i]) == 0) {
      *kind = (sn__tool_kind)i;
      return SN_OK;
    }
  }
  return sn__fail(err, SN_EINVAL, "target %zu: its kind is '%s', expected ptp, lin, circ or spline",
                  number, text->count > 0 ? text->data : "");
}

static sn_status read_target(const move_tool *self, const sn_tool_target *msg, size_t number,
                             sn__tool_target *out, sn_error *err) {
  const size_t n = sn__tool_planner_chain(self->planner)->joint_count;
  *out = (sn__tool_target){.via = msg->via, .blend_m = msg->blend};
  const sn_status status = read_kind(&msg->kind, number, &out->kind, err);
  if (status != SN_OK) {
    return status;
  }
  if (out->kind == SN__TOOL_PTP && msg->joints.count > 0) {
    out->q = msg->joints.data;
    return msg->joints.count == n
               ? SN_OK
               : sn__fail(err, SN_EINVAL, "target %zu: %zu joint positions, expected %zu", number,
                          msg->joints.count, n);
  }
  return sn_ik_pose_from_quat(msg->pose.position, msg->pose.orientation, &out->pose) == SN_IK_OK
             ? SN_OK
             : sn__fail(err, SN_EINVAL,
                        "target %zu: its pose is not finite, or its quaternion not of unit length",
                        number);
}

static void motion_at(const void *context, double t_s, double *q, double *qd, double *qdd) {
  sn__tool_motion_at(context, t_s, q, qd, qdd);
}

static sn_status plan(move_tool *self, const sn_tool_goal *msg, sn__goal *goal, sn_error *err) {
  const sn_chain *chain = sn__tool_planner_chain(self->planner);
  sn__tool_target *targets = SN_NEW(&goal->arena, sn__tool_target, msg->targets.count);
  if (targets == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu targets", msg->targets.count);
  }
  for (size_t i = 0; i < msg->targets.count; i++) {
    const sn_status status = read_target(self, &msg->targets.data[i], i, &targets[i], err);
    if (status != SN_OK) {
      return status;
    }
  }
  for (size_t j = 0; j < chain->joint_count; j++) {
    self->start[j] =
        atomic_load_explicit(&self->execute.pose_now[chain->joints[j]], memory_order_relaxed);
  }
  const sn__tool_request request = {.q = self->start,
                                    .targets = targets,
                                    .count = msg->targets.count,
                                    .speed = msg->speed,
                                    .may_change_branch = msg->other_branch};
  sn__tool_motion *motion = NULL;
  const sn_status status = sn__tool_plan(self->planner, &goal->arena, &request, &motion, err);
  if (status != SN_OK) {
    return status;
  }
  const sn_trajectory_motion trajectory = {.joint_count = chain->joint_count,
                                           .duration_s = sn__tool_motion_duration(motion),
                                           .context = motion,
                                           .at = motion_at};
  return sn__joint_goal_of_motion(&self->execute.defaults, &trajectory, chain->joints, goal, err);
}

static sn_status read_goal(void *context, const void *msg, sn__goal *goal, int32_t *error,
                           sn_error *err) {
  *error = SN_TRAJECTORY_INVALID_GOAL;
  return plan(context, msg, goal, err);
}

/* ---- configuration ---- */

static sn_status find_chain(const move_tool *self, size_t *chain, sn_error *err) {
  const sn_controller *c = &self->execute.controller;
  const bool is_named = self->chain != NULL && *self->chain != '\0';
  const char *name = is_named                         ? self->chain
                     : c->controlled_chains.count > 0 ? c->controlled_chains.data[0]
                                                      : NULL;
  const int index = name == NULL ? 0 : sn_model_chain_index(c->model, name);
  if (index < 0 || sn_names_count(sn_model_chain_names(c->model)) == 0) {
    return sn__fail(err, SN_ENOENT, "the robot has no chain '%s'", name == NULL ? "" : name);
  }
  *chain = (size_t)index;
  return SN_OK;
}

static sn_status create_planner(move_tool *self, size_t index, sn_error *err) {
  const sn_controller *c = &self->execute.controller;
  sn_arena *arena = sn_component_arena(&self->execute.controller.component);
  const sn_chain *chain = sn_model_chain(c->model, index, false);
  const sn__otg_defaults defaults = {
      .velocity = 10.0,
      .acceleration_time_s = self->execute.limits.acceleration_time_s,
      .jerk_time_s = self->jerk_time_s};
  sn_otg_limits *limits = SN_NEW(arena, sn_otg_limits, chain->joint_count);
  self->start = SN_NEW(arena, double, chain->joint_count);
  if (limits == NULL || self->start == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", chain->joint_count);
  }
  for (size_t j = 0; j < chain->joint_count; j++) {
    limits[j] = sn__otg_limits_of(sn_model_joint(c->model, (size_t)chain->joints[j]), &defaults);
  }
  const sn__tool_planner_config config = {
      .model = c->model,
      .base = sn_model_link(c->model, (size_t)chain->first_link)->name,
      .tip = sn_model_link(c->model, (size_t)chain->last_link)->name,
      .limits = limits,
      .tool_speed_max = self->tool_speed,
      .tool_acceleration_max = self->tool_acceleration};
  return sn__tool_planner_create(arena, &config, &self->planner, err);
}

static sn_status create(sn_component *component, sn_error *err) {
  move_tool *self = (move_tool *)component;
  size_t chain = 0;
  sn_status status = sn__execute_component_create(component, read_goal, self, err);
  status = status == SN_OK ? find_chain(self, &chain, err) : status;
  return status == SN_OK ? create_planner(self, chain, err) : status;
}

static sn_status configure(sn_component *component, sn_error *err) {
  static const sn_controller_hooks hooks = {.create = create,
                                            .owned_changed = sn__execute_component_owned_changed};
  return sn_controller_configure(component, &hooks, err);
}

static const sn_operation operations[] = {
    {"moveTool", SN_CLIENT_THREAD, &sn_tool_goal_type, &sn_trajectory_answer_type,
     sn__execute_component_execute,
     "Plan a motion of the tool through these targets and move it; replaces a goal in execution. "
     "What cannot be done is rejected with its place before anything moves."},
    SN__EXECUTE_OPERATIONS,
    {0}};

const sn_component_type sn_move_tool_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "MoveTool",
    .doc =
        "Moves a tool through targets: in joint space, on lines, arcs and curves, as fast as the "
        "limits of the joints allow.",
    .size = sizeof(move_tool),
    .properties = properties,
    .ports = ports,
    .operations = operations,
    .services = sn_controller_services,
    .needs = sn_controller_needs,
    .example =
        "components:\n"
        "  tool:\n"
        "    type: MoveTool\n"
        "    properties: {tool_speed: 0.25}\n"
        "connections:\n"
        "  - timer.sync -> tool.sync\n"
        "  - aggregator.joints_sorted -> tool.in_joints_sorted\n"
        "  - tool.out_joints_ref -> aggregator.in_joints\n",
    .configure = configure,
    .start = sn__execute_component_start,
    .step = sn__execute_component_step,
    .stop = sn__execute_component_stop,
    .cleanup = sn_controller_cleanup,
    .dispose = sn__execute_component_dispose,
};
