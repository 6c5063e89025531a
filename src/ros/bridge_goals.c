/* Controllers that execute goals: `execute` sends one, `cancel` ends it, `getGoal` and a port of
   type TrajectoryState say how it is doing. Any component with these operations is one, including
   plugins. */
#include <stdio.h>

#include "base/fail.h"
#include "msg/arm/msg_gripper.h"
#include "msg/arm/msg_move_tool.h"
#include "msg/types/msg_follow.h"
#include "ros/bridge_action.h"
#include "sinew/msg_locomotion.h"

/* Buffers for responses. */
typedef struct controller {
  sn_trajectory_answer *answer;
  sn_trajectory_state *state;
  sn_call_outcome *outcome;
} controller;

/* ---- what all of them do ---- */

/* @param operation  that sends a goal */
static bool executes(const sn_component *component, const char *operation,
                     const sn_msg_type *goal) {
  return sn__bridge_has_operation(component, operation, goal, &sn_trajectory_answer_type) &&
         sn__bridge_has_operation(component, "cancel", &sn_trajectory_id_type,
                                  &sn_call_outcome_type) &&
         sn__bridge_has_operation(component, "getGoal", &sn_trajectory_id_type,
                                  &sn_trajectory_state_type);
}

static bool setup(sn__bridge_action *action, const sn_component *component) {
  sn__bridge *bridge = action->bridge;
  const sn_msg_capacity capacity = {.item_count = sn_model_pose_size(bridge->model) + 1,
                                    .text_size = SN__ACTION_TEXT_SIZE};
  controller *c = SN_NEW(&bridge->arena, controller, 1);
  if (c == NULL) {
    return false;
  }
  *c = (controller){sn_msg_create(&bridge->arena, &sn_trajectory_answer_type, &capacity),
                    sn_msg_create(&bridge->arena, &sn_trajectory_state_type, &capacity),
                    sn_msg_create(&bridge->arena, &sn_call_outcome_type, &capacity)};
  action->data = c;
  action->state_port = sn__bridge_find_output(bridge, component, &sn_trajectory_state_type);
  return c->answer != NULL && c->state != NULL && c->outcome != NULL;
}

/* @param begin_ns  when the goal begins: converted from wall clock to system time */
static bool execute(sn__bridge_action *action, const char *operation, const void *goal,
                    int64_t *begin_ns, uint64_t *number, int32_t *code, sn_error *err) {
  const controller *c = action->data;
  *begin_ns -= *begin_ns == 0 ? 0 : action->bridge->graph_offset_ns;
  if (sn__bridge_action_call(action, action->component, operation, SN__ACTION_CALL_NS, goal,
                             c->answer, err) != SN_OK) {
    return false;
  }
  *number = c->answer->goal_id;
  *code = c->answer->error_code;
  if (!c->answer->accepted) {
    (void)sn__fail(err, SN_EINVAL, "%s", c->answer->message.data);
  }
  return c->answer->accepted;
}

static void cancel(sn__bridge_action *action, const sn__action_goal *goal) {
  const sn_trajectory_id request = {goal->number};
  const controller *c = action->data;
  sn_error err = {SN_OK, ""};
  (void)sn__bridge_action_call(action, action->component, "cancel", SN__ACTION_CALL_NS, &request,
                               c->outcome, &err);
}

static void end(sn__bridge_action *action, sn__action_goal *goal, const sn_trajectory_state *state,
                const char *part, int64_t now_ns) {
  char text[SN__ACTION_TEXT_SIZE];
  if (state->name.count > 0) {
    snprintf(text, sizeof text, "%s: %s '%s'", state->message.data, part,
             sn_msg_names_at(&state->name, 0));
  } else {
    snprintf(text, sizeof text, "%s", state->message.data);
  }
  sn__bridge_action_end(action, goal, (sn_trajectory_status)state->state, state->error_code, text,
                        now_ns);
}

/* @param part  what the names of a state are */
static void poll(sn__bridge_action *action, sn__action_goal *goal, const char *part,
                 int64_t now_ns) {
  const sn_trajectory_id request = {goal->number};
  sn_trajectory_state *state = ((const controller *)action->data)->state;
  sn_error err = {SN_OK, ""};
  sn_msg_reset(&sn_trajectory_state_type, state);
  const sn_status status = sn__bridge_action_call(action, action->component, "getGoal",
                                                  SN__ACTION_POLL_NS, &request, state, &err);
  if (sn__bridge_is_busy(status)) {
    return; /* polled again soon */
  }
  if (status != SN_OK) {
    sn__bridge_action_end(action, goal, SN_TRAJECTORY_ABORTED, action->kind->lost_code, err.message,
                          now_ns);
  } else if (state->state == SN_TRAJECTORY_EXECUTING && goal->status == SN_TRAJECTORY_CANCELING) {
    cancel(action, goal); /* the controller was busy */
  } else if (state->state < SN_TRAJECTORY_SUCCEEDED) {
    sn__action_update(&action->goals, goal, (sn_trajectory_status)state->state);
  } else {
    end(action, goal, state, part, now_ns);
  }
}

static void on_state(sn__bridge_action *action, const void *msg, int64_t now_ns) {
  const sn_trajectory_state *state = msg;
  const bool has_ended = state->state >= SN_TRAJECTORY_SUCCEEDED;
  action->newest = state->goal_id > action->newest ? state->goal_id : action->newest;
  action->ended = has_ended && state->goal_id > action->ended ? state->goal_id : action->ended;
  for (size_t i = 0; i < action->goals.goal_count; i++) {
    sn__action_goal *goal = &action->goals.goals[i];
    if (goal->number == state->goal_id && !sn__action_has_ended(goal) && !has_ended) {
      sn__action_update(&action->goals, goal, (sn_trajectory_status)state->state);
      if (state->state == SN_TRAJECTORY_EXECUTING) {
        sn__bridge_action_feedback(action, goal, state, now_ns);
      }
    }
  }
}

/* ---- control_msgs/FollowJointTrajectory ---- */

static bool follow_is_offered(const sn_component *component) {
  return executes(component, "execute", &sn_trajectory_goal_type);
}

/* The goal of ROS 2 has fields that that of ROS 1 and of the controller lacks.
   @return false: it uses them */
static bool read_ros2_goal(const sn_follow_goal *from, sn_trajectory_goal *to) {
  *to = (sn_trajectory_goal){.trajectory = from->trajectory,
                             .path_tolerance = from->path_tolerance,
                             .goal_tolerance = from->goal_tolerance,
                             .goal_time_tolerance_ns = from->goal_time_tolerance_ns};
  return from->multi_dof_trajectory.joint_names.count == 0 &&
         from->multi_dof_trajectory.points.count == 0 &&
         from->component_path_tolerance.count == 0 && from->component_goal_tolerance.count == 0;
}

static bool follow_start(sn__bridge_action *action, void *goal, uint64_t *number, int32_t *code,
                         sn_error *err) {
  sn_trajectory_goal copy;
  sn_trajectory_goal *msg = goal;
  if (action->protocol == &sn__action_ros2) {
    msg = &copy;
    if (!read_ros2_goal(goal, msg)) {
      (void)sn__fail(err, SN_EINVAL, "multi-DOF joints are not supported");
      return false;
    }
  }
  return execute(action, "execute", msg, &msg->trajectory.header.stamp_ns, number, code, err);
}

static void follow_poll(sn__bridge_action *action, sn__action_goal *goal, int64_t now_ns) {
  poll(action, goal, "joint", now_ns);
}

/* @param minus  NULL, or subtracted */
static void fill_point(sn_joint_trajectory_point *point, const sn_seq_f64 *values,
                       const sn_seq_f64 *minus, int64_t time_ns) {
  const size_t count = minus != NULL && minus->count < values->count ? minus->count : values->count;
  point->positions.count = count < point->positions.capacity ? count : point->positions.capacity;
  point->time_from_start_ns = time_ns;
  for (size_t i = 0; i < point->positions.count; i++) {
    point->positions.data[i] = values->data[i] - (minus == NULL ? 0.0 : minus->data[i]);
  }
}

/* The feedback of ROS 2 begins with that of ROS 1. */
static bool follow_fill_feedback(const sn__bridge_action *action, const void *msg, void *out) {
  const sn_trajectory_state *state = msg;
  sn_follow_feedback_ros1 *feedback = out;
  const int64_t time_ns = state->time_from_start_ns;
  feedback->header.stamp_ns = sn__bridge_graph_time(action->bridge, state->header.stamp_ns);
  fill_point(&feedback->desired, &state->desired, NULL, time_ns);
  fill_point(&feedback->actual, &state->actual, NULL, time_ns);
  fill_point(&feedback->error, &state->desired, &state->actual, time_ns);
  return sn_msg_names_copy(&feedback->joint_names, &state->name) == SN_OK;
}

const sn__action_kind sn__follow_kind = {.name = "follow_joint_trajectory", /* as MoveIt expects */
                                         .types = &sn__follow_action,
                                         .state_type = &sn_trajectory_state_type,
                                         .invalid_code = SN_TRAJECTORY_INVALID_GOAL,
                                         .lost_code = SN_TRAJECTORY_INVALID_GOAL,
                                         .is_offered = follow_is_offered,
                                         .setup = setup,
                                         .start = follow_start,
                                         .cancel = cancel,
                                         .poll = follow_poll,
                                         .on_state = on_state,
                                         .fill_feedback = follow_fill_feedback};

/* ---- sinew_msgs/MoveTool ---- */

static bool tool_is_offered(const sn_component *component) {
  return executes(component, "moveTool", &sn_tool_goal_type);
}

/* Its goal has no time of its own: it begins when it is accepted. */
static bool tool_start(sn__bridge_action *action, void *goal, uint64_t *number, int32_t *code,
                       sn_error *err) {
  int64_t begin_ns = 0;
  return execute(action, "moveTool", goal, &begin_ns, number, code, err);
}

static bool tool_fill_feedback(const sn__bridge_action *action, const void *msg, void *out) {
  const sn_trajectory_state *state = msg;
  sn_move_tool_feedback *feedback = out;
  (void)action;
  feedback->time_from_start_ns = state->time_from_start_ns;
  feedback->duration_ns = state->duration_ns;
  return true;
}

const sn__action_kind sn__tool_kind = {.name = "move_tool",
                                       .types = &sn__move_tool_action,
                                       .state_type = &sn_trajectory_state_type,
                                       .invalid_code = SN_TRAJECTORY_INVALID_GOAL,
                                       .lost_code = SN_TRAJECTORY_INVALID_GOAL,
                                       .is_offered = tool_is_offered,
                                       .setup = setup,
                                       .start = tool_start,
                                       .cancel = cancel,
                                       .poll = follow_poll,
                                       .on_state = on_state,
                                       .fill_feedback = tool_fill_feedback};

/* ---- control_msgs/GripperCommand ---- */

/* The last states of goals, by their numbers: results are asked for later. */
typedef struct gripper_data {
  controller controller; /* first */
  sn_gripper_state last[SN__ACTION_GOALS];
} gripper_data;

static bool gripper_is_offered(const sn_component *component) {
  return executes(component, "grip", &sn__gripper_goal_type);
}

static bool gripper_setup(sn__bridge_action *action, const sn_component *component) {
  gripper_data *data = SN_NEW(&action->bridge->arena, gripper_data, 1);
  if (data == NULL || !setup(action, component)) {
    return false;
  }
  data->controller = *(const controller *)action->data;
  action->data = data;
  action->state_port = sn__bridge_find_output(action->bridge, component, &sn__gripper_state_type);
  return true;
}

static bool gripper_start(sn__bridge_action *action, void *goal, uint64_t *number, int32_t *code,
                          sn_error *err) {
  int64_t begin_ns = 0;
  return execute(action, "grip", goal, &begin_ns, number, code, err);
}

static void gripper_on_state(sn__bridge_action *action, const void *msg, int64_t now_ns) {
  const sn_gripper_state *state = msg;
  gripper_data *data = action->data;
  data->last[state->goal_id % SN__ACTION_GOALS] = *state; /* its text is not used */
  for (size_t i = 0; i < action->goals.goal_count; i++) {
    sn__action_goal *goal = &action->goals.goals[i];
    if (goal->number == state->goal_id && !sn__action_has_ended(goal)) {
      sn__bridge_action_feedback(action, goal, state, now_ns);
    }
  }
}

static bool gripper_fill_feedback(const sn__bridge_action *action, const void *msg, void *out) {
  const sn_gripper_state *state = msg;
  (void)action;
  *(sn_gripper_result *)out =
      (sn_gripper_result){state->position, state->effort, state->stalled, state->reached_goal};
  return true;
}

static void gripper_fill_result(const sn__bridge_action *action, const sn__action_goal *goal,
                                void *out) {
  const gripper_data *data = action->data;
  const sn_gripper_state *last = goal == NULL ? NULL : &data->last[goal->number % SN__ACTION_GOALS];
  *(sn_gripper_result *)out = (sn_gripper_result){0};
  if (last != NULL && last->goal_id == goal->number) {
    (void)gripper_fill_feedback(action, last, out);
  }
}

const sn__action_kind sn__gripper_kind = {.name = "gripper_cmd", /* as MoveIt expects */
                                          .types = &sn__gripper_action,
                                          .state_type = &sn__gripper_state_type,
                                          .invalid_code = SN_TRAJECTORY_INVALID_GOAL,
                                          .lost_code = SN_TRAJECTORY_INVALID_GOAL,
                                          .is_offered = gripper_is_offered,
                                          .setup = gripper_setup,
                                          .start = gripper_start,
                                          .cancel = cancel,
                                          .poll = follow_poll,
                                          .on_state = gripper_on_state,
                                          .fill_feedback = gripper_fill_feedback,
                                          .fill_result = gripper_fill_result};

/* ---- sweetie_bot_control_msgs/FollowStepSequence ---- */

static bool step_is_offered(const sn_component *component) {
  return executes(component, "execute", &sn_step_goal_type);
}

static bool step_start(sn__bridge_action *action, void *goal, uint64_t *number, int32_t *code,
                       sn_error *err) {
  sn_step_goal *msg = goal;
  return execute(action, "execute", msg, &msg->header.stamp_ns, number, code, err);
}

static void step_poll(sn__bridge_action *action, sn__action_goal *goal, int64_t now_ns) {
  poll(action, goal, "limb", now_ns);
}

static bool step_fill_feedback(const sn__bridge_action *action, const void *msg, void *out) {
  (void)action;
  ((sn_step_feedback *)out)->time_from_start_ns =
      ((const sn_trajectory_state *)msg)->time_from_start_ns;
  return true;
}

const sn__action_kind sn__step_kind = {.name = "follow_step_sequence",
                                       .types = &sn__step_action,
                                       .state_type = &sn_trajectory_state_type,
                                       .invalid_code = SN_STEP_INVALID_TRAJECTORY,
                                       .lost_code = SN_STEP_INTERNAL_ERROR,
                                       .is_offered = step_is_offered,
                                       .setup = setup,
                                       .start = step_start,
                                       .cancel = cancel,
                                       .poll = step_poll,
                                       .on_state = on_state,
                                       .fill_feedback = step_fill_feedback};

/* ---- sweetie_bot_gait_generator/MoveBase ---- */

static bool move_is_offered(const sn_component *component) {
  return executes(component, "move", &sn_move_base_goal_type);
}

static bool move_start(sn__bridge_action *action, void *goal, uint64_t *number, int32_t *code,
                       sn_error *err) {
  sn_move_base_goal *msg = goal;
  return execute(action, "move", msg, &msg->header.stamp_ns, number, code, err);
}

static bool move_fill_feedback(const sn__bridge_action *action, const void *msg, void *out) {
  (void)action;
  ((sn_move_base_feedback *)out)->time_from_start =
      1e-9 * (double)((const sn_trajectory_state *)msg)->time_from_start_ns;
  return true;
}

const sn__action_kind sn__move_kind = {.name = "move_base",
                                       .types = &sn__move_base_action,
                                       .state_type = &sn_trajectory_state_type,
                                       .invalid_code = SN_MOVE_BASE_INVALID_GOAL,
                                       .lost_code = SN_MOVE_BASE_INTERNAL_ERROR,
                                       .is_offered = move_is_offered,
                                       .setup = setup,
                                       .start = move_start,
                                       .cancel = cancel,
                                       .poll = step_poll,
                                       .on_state = on_state,
                                       .fill_feedback = move_fill_feedback};
