/* The component `MoveTool`: goals are motions of a tool, planned as a whole in the thread of the
   sender (path/tool_path.h) and executed as trajectories are. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "controllers/cartesian/tool_contact.h"
#include "controllers/cartesian/tool_preview.h"
#include "controllers/execute_component.h"
#include "msg/types/msg_collision.h"
#include "path/tool_path.h"
#include "sinew/components.h"
#include "sinew/ik.h"
#include "sinew/kin.h"

typedef struct move_tool {
  sn__execute_component execute; /* first */
  const char *chain;
  double tool_speed, tool_acceleration, tool_jerk, jerk_time_s;
  sn_caller guard; /* checkWay */

  sn__tool_planner *planner; /* NULL: the robot has no chain */
  sn__limb_ik limb;          /* how near the tool gets to a target out of reach; ik NULL: unknown */
  double *start;             /* [joints of the chain] */
  double *pose;              /* [joints of the robot] */
} move_tool;

static const sn_property properties[] = {
    SN_CONTROLLER_PROPERTIES,
    SN__EXECUTE_PROPERTIES("0.01"),
    SN_PROPERTY(move_tool, "chain", chain,
                .doc = "The chain whose last link is the tool; empty: the first one of "
                       "controlled_chains, or the first one of the robot with six joints, or else "
                       "the first one."),
    SN_PROPERTY(move_tool, "tool_speed", tool_speed, .initial = "0", .unit = "m/s", .min = 0,
                .max = 1e3, .doc = "The greatest speed of the tool; 0: as the joints allow."),
    SN_PROPERTY(move_tool, "tool_acceleration", tool_acceleration, .initial = "0", .unit = "m/s^2",
                .min = 0, .max = 1e4,
                .doc = "The greatest acceleration of the tool; 0: as the joints allow."),
    SN_PROPERTY(move_tool, "tool_jerk", tool_jerk, .initial = "0", .unit = "m/s^3", .min = 0,
                .max = 1e6, .doc = "The greatest jerk of the tool; 0: as the joints allow."),
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

static sn_status read_joints(const sn_chain *chain, const sn_seq_f64 *joints, size_t number,
                             sn__tool_target *out, sn_error *err) {
  if (joints->count != chain->joint_count) {
    return sn__fail(err, SN_EINVAL, "target %zu: %zu joint positions, expected %zu", number,
                    joints->count, chain->joint_count);
  }
  if (out->kind == SN__TOOL_PTP) {
    out->q = joints->data;
  } else {
    out->pose = sn_chain_fk(chain, joints->data); /* checked with all poses */
  }
  return SN_OK;
}

static sn_status read_target(const move_tool *self, const sn_tool_target *msg, size_t number,
                             sn__tool_target *out, sn_error *err) {
  *out = (sn__tool_target){.via = msg->via, .blend_m = msg->blend};
  const sn_status status = read_kind(&msg->kind, number, &out->kind, err);
  if (status != SN_OK) {
    return status;
  }
  if (msg->joints.count > 0) {
    return read_joints(sn__tool_planner_chain(self->planner), &msg->joints, number, out, err);
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

/* Where the joints are commanded to be now. */
static void read_start(move_tool *self) {
  const sn_chain *chain = sn__tool_planner_chain(self->planner);
  for (size_t j = 0; j < self->execute.controller.joint_count; j++) {
    self->pose[j] = atomic_load_explicit(&self->execute.pose_now[j], memory_order_relaxed);
  }
  for (size_t j = 0; j < chain->joint_count; j++) {
    self->start[j] = self->pose[chain->joints[j]];
  }
}

/* Read the targets of a message. @param out  [msg->targets.count] in the arena */
static sn_status read_targets(const move_tool *self, const sn_tool_goal *msg, sn_arena *arena,
                              sn__tool_target **out, sn_error *err) {
  if (self->planner == NULL) {
    return sn__fail(err, SN_ENOENT, "the robot has no chain, so it has no tool");
  }
  sn__tool_target *targets = SN_NEW(arena, sn__tool_target, msg->targets.count);
  if (targets == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu targets", msg->targets.count);
  }
  for (size_t i = 0; i < msg->targets.count; i++) {
    const sn_status status = read_target(self, &msg->targets.data[i], i, &targets[i], err);
    if (status != SN_OK) {
      return status;
    }
  }
  *out = targets;
  return SN_OK;
}

static sn_status plan_motion(move_tool *self, const sn_tool_goal *msg,
                             const sn__tool_target *targets, sn_arena *arena, sn__tool_motion **out,
                             sn_error *err) {
  read_start(self);
  const sn__tool_request request = {.q = self->start,
                                    .targets = targets,
                                    .count = msg->targets.count,
                                    .speed = msg->speed,
                                    .may_change_branch = msg->other_branch};
  return sn__tool_plan(self->planner, arena, &request, out, err);
}

static sn_status check_contacts(const move_tool *self, const sn__tool_motion *motion,
                                double *free_s, sn_error *err) {
  return sn__tool_contact_check(&self->guard, self->execute.controller.model,
                                sn__tool_planner_chain(self->planner), motion, free_s, err);
}

static sn_status plan_goal(move_tool *self, const sn_tool_goal *msg, sn__goal *goal,
                           sn_error *err) {
  sn__tool_target *targets = NULL;
  sn__tool_motion *motion = NULL;
  sn_status status = read_targets(self, msg, &goal->arena, &targets, err);
  if (status == SN_OK) {
    status = plan_motion(self, msg, targets, &goal->arena, &motion, err);
  }
  double free_s = 0.0;
  status = status == SN_OK ? check_contacts(self, motion, &free_s, err) : status;
  if (status != SN_OK) {
    return status;
  }
  const sn_chain *chain = sn__tool_planner_chain(self->planner);
  const sn_trajectory_motion trajectory = {.joint_count = chain->joint_count,
                                           .duration_s = sn__tool_motion_duration(motion),
                                           .context = motion,
                                           .at = motion_at};
  return sn__joint_goal_of_motion(&self->execute.defaults, &trajectory, chain->joints, goal, err);
}

static sn_status read_goal(void *context, const void *msg, sn__goal *goal, int32_t *error,
                           sn_error *err) {
  *error = SN_TRAJECTORY_INVALID_GOAL;
  return plan_goal(context, msg, goal, err);
}

/* ---- previews, in the thread of the client ---- */

/* The way to the pose of the joints that is nearest to a target, in joint space. */
static sn_status preview_nearest(move_tool *self, const sn__tool_target *target, double speed,
                                 sn_arena *arena, sn__tool_preview *out, const sn_error *refusal,
                                 sn_error *err) {
  const sn_chain *chain = sn__tool_planner_chain(self->planner);
  char why[240];
  char text[2 * sizeof why + 2 * sizeof refusal->message];
  double *q = SN_NEW(arena, double, chain->joint_count);
  if (q == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", chain->joint_count);
  }
  sn__tool_preview_nearest(&self->limb, self->execute.controller.model, &target->pose, self->pose,
                           why, sizeof why);
  for (size_t j = 0; j < chain->joint_count; j++) {
    q[j] = self->pose[chain->joints[j]];
  }
  const sn__tool_target nearest = {.kind = SN__TOOL_PTP, .q = q};
  const sn__tool_request request = {
      .q = self->start, .targets = &nearest, .count = 1, .speed = speed};
  sn__tool_motion *motion = NULL;
  sn_error contact = {SN_OK, ""};
  double free_s = 0.0;
  const sn_status status = sn__tool_plan(self->planner, arena, &request, &motion, err);
  const bool is_free = status != SN_OK || check_contacts(self, motion, &free_s, &contact) == SN_OK;
  /* What is in the way of a pose is all there is to say; a line also has a place. */
  const bool is_told = *why != '\0' && target->kind == SN__TOOL_PTP;
  snprintf(text, sizeof text, "%s%s%s%s%s", why, *why == '\0' || is_told ? "" : ". ",
           is_told ? "" : refusal->message,
           is_free ? "" : ". Nor is it free to go there: ", contact.message);
  (void)sn_msg_text_set(&out->message, text);
  return status == SN_OK ? sn__tool_preview_motion(self->execute.controller.model, chain, motion,
                                                   free_s, out, err)
                         : status;
}

/* A refusal is an answer. */
static sn_status preview(move_tool *self, const sn_tool_goal *msg, sn_arena *arena,
                         sn__tool_preview *out, sn_error *err) {
  sn_error refusal = {SN_OK, ""};
  sn__tool_target *targets = NULL;
  sn__tool_motion *motion = NULL;
  sn_status status = read_targets(self, msg, arena, &targets, &refusal);
  const bool is_read = status == SN_OK;
  if (is_read) {
    status = plan_motion(self, msg, targets, arena, &motion, &refusal);
  }
  if (status == SN_OK) {
    double free_s = 0.0;
    out->success = check_contacts(self, motion, &free_s, &refusal) == SN_OK;
    out->until_contact = !out->success;
    (void)sn_msg_text_set(&out->message, refusal.message);
    return sn__tool_preview_motion(self->execute.controller.model,
                                   sn__tool_planner_chain(self->planner), motion, free_s, out, err);
  }
  (void)sn_msg_text_set(&out->message, refusal.message);
  const sn__tool_target *last =
      is_read && msg->targets.count > 0 ? &targets[msg->targets.count - 1] : NULL;
  sn_error without = {SN_OK, ""};
  if (last != NULL && last->q == NULL && self->limb.ik != NULL &&
      preview_nearest(self, last, msg->speed, arena, out, &refusal, &without) != SN_OK) {
    out->positions.count = 0; /* the refusal is in the message */
  }
  return SN_OK;
}

static sn_status plan_tool(sn_component *component, const void *request, void *response,
                           sn_error *err) {
  move_tool *self = (move_tool *)component;
  sn_arena arena;
  if (!sn__goals_enter(&self->execute.goals)) {
    return sn__fail(err, SN_ESTOPPED, "the controller is not running");
  }
  sn_arena_init_growing(&arena, "preview", 0);
  sn_msg_reset(&sn__tool_preview_type, response);
  const sn_status status = preview(self, request, &arena, response, err);
  sn_arena_release(&arena);
  sn__goals_leave(&self->execute.goals);
  return status;
}

/* ---- configuration ---- */

/* A robot without limbs has no tool: its goals are rejected. */
static bool has_chain(const move_tool *self) {
  return sn_names_count(sn_model_chain_names(self->execute.controller.model)) > 0;
}

/* The first limb that can lead a tool in position and orientation, or else the first one. */
static size_t first_arm(const sn_model *model) {
  const size_t count = sn_names_count(sn_model_chain_names(model));
  size_t i = 0;
  while (i < count && sn_model_chain(model, i, false)->joint_count < 6) {
    i++;
  }
  return i < count ? i : 0;
}

static sn_status find_chain(const move_tool *self, size_t *chain, sn_error *err) {
  const sn_controller *c = &self->execute.controller;
  const bool is_named = self->chain != NULL && *self->chain != '\0';
  const char *name = is_named                         ? self->chain
                     : c->controlled_chains.count > 0 ? c->controlled_chains.data[0]
                                                      : NULL;
  const int index = name == NULL ? -1 : sn_model_chain_index(c->model, name);
  if (name != NULL && index < 0) {
    return sn__fail(err, SN_ENOENT, "the robot has no chain '%s'", name);
  }
  *chain = name == NULL ? first_arm(c->model) : (size_t)index;
  return SN_OK;
}

/* A chain that cannot be solved still moves to joint positions. */
static void create_limb(move_tool *self, size_t index) {
  const sn__limb_ik_config config = {.model = self->execute.controller.model,
                                     .chain = index,
                                     .jump_max = 0.5,
                                     .timeout_s = 0.01,
                                     .goes_near = true,
                                     .weight_position = 1.0,
                                     .weight_rotation = 0.1};
  sn_arena *arena = sn_component_arena(&self->execute.controller.component);
  if (sn__limb_ik_create(arena, &config, &self->limb, NULL) != SN_OK) {
    self->limb = (sn__limb_ik){.ik = NULL};
  }
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
  self->pose = SN_NEW(arena, double, c->joint_count);
  if (limits == NULL || self->start == NULL || self->pose == NULL) {
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
      .tool_acceleration_max = self->tool_acceleration,
      .tool_jerk_max = self->tool_jerk};
  return sn__tool_planner_create(arena, &config, &self->planner, err);
}

static sn_status create(sn_component *component, sn_error *err) {
  move_tool *self = (move_tool *)component;
  size_t chain = 0;
  sn_status status = sn__execute_component_create(component, read_goal, self, err);
  status = status == SN_OK ? find_chain(self, &chain, err) : status;
  if (status == SN_OK && has_chain(self)) {
    status = create_planner(self, chain, err);
    create_limb(self, chain);
  }
  return status;
}

static sn_status configure(sn_component *component, sn_error *err) {
  static const sn_controller_hooks hooks = {.create = create,
                                            .owned_changed = sn__execute_component_owned_changed};
  return sn_controller_configure(component, &hooks, err);
}

static const sn_need needs[] = {
    SN_CONTROLLER_NEEDS,
    {.name = "guard",
     .operation = "checkWay",
     .request = &sn_joint_state_type,
     .response = &sn_checked_way_type,
     .offset = offsetof(move_tool, guard),
     .is_optional = true,
     .doc = "Whether links would touch each other, or an object; without it nothing is checked."},
    {0}};

static const sn_operation operations[] = {
    {"moveTool", SN_CLIENT_THREAD, &sn_tool_goal_type, &sn_trajectory_answer_type,
     sn__execute_component_execute,
     "Plan a motion of the tool through these targets and move it; replaces a goal in execution. "
     "What cannot be done is rejected with its place before anything moves."},
    {"planTool", SN_CLIENT_THREAD, &sn_tool_goal_type, &sn__tool_preview_type, plan_tool,
     "The motion that moveTool would make, without moving; or the nearest that the tool gets to "
     "the last target, and why."},
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
    .needs = needs,
    .example =
        "components:\n"
        "  tool:\n"
        "    type: MoveTool\n"
        "    properties: {tool_speed: 0.25}\n",
    .configure = configure,
    .start = sn__execute_component_start,
    .step = sn__execute_component_step,
    .stop = sn__execute_component_stop,
    .cleanup = sn_controller_cleanup,
    .dispose = sn__execute_component_dispose,
};
