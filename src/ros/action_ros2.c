/* ROS 2 actions: goals, results and cancel requests are services, status and feedback are topics
   (design.ros2.org/articles/actions.html). */
#include <stdio.h>
#include <string.h>

#include "ros/bridge_action.h"
#include "ros/wall_clock.h"

#define TYPE "control_msgs/action/FollowJointTrajectory"

/* An all-zero id means none. */
static sn__action_id read_id(const sn_uuid *uuid) {
  static const sn_uuid none;
  sn__action_id id = {.size = 0};
  if (memcmp(uuid, &none, sizeof none) != 0) {
    (void)sn__action_id_set(&id, uuid->uuid, sizeof uuid->uuid); /* 16 bytes fit */
  }
  return id;
}

static sn_goal_info info_of(const sn__action_goal *goal) {
  sn_goal_info info = {.stamp_ns = goal->stamp_ns};
  memcpy(info.goal_id.uuid, goal->id.bytes, sizeof info.goal_id.uuid);
  return info;
}

static void answer(const sn__bridge_action *action, void *call, const sn_msg_type *type,
                   const void *msg) {
  size_t size = 0;
  const void *bytes = sn__bridge_encode(action->bridge, type, msg, &size);
  if (bytes != NULL) {
    action->bridge->transport->respond(call, bytes, size);
  } else {
    action->bridge->transport->reject(call, "no memory for the response");
  }
}

/* ---- goals ---- */

static const char *unsupported_reason(const sn_follow_goal *goal) {
  return goal->multi_dof_trajectory.joint_names.count > 0 ||
                 goal->multi_dof_trajectory.points.count > 0 ||
                 goal->component_path_tolerance.count > 0 ||
                 goal->component_goal_tolerance.count > 0
             ? "multi-DOF joints are not supported"
             : NULL;
}

static void on_goal(void *context, void *call, const char *caller, const void *bytes, size_t size) {
  sn__bridge_action *action = context;
  const sn__ros_transport *transport = action->bridge->transport;
  (void)caller;
  sn_arena arena;
  sn_arena_init_growing(&arena, "goal", 0);
  sn_error err = {SN_OK, ""};
  void *msg = NULL;
  if (transport->make(&sn__follow_send_request_type, bytes, size, &arena, &msg, &err) != SN_OK) {
    transport->reject(call, err.message);
    sn_arena_release(&arena);
    return;
  }
  const sn_follow_send_request *request = msg;
  const sn__action_id id = read_id(&request->goal_id);
  sn_trajectory_goal goal = {.trajectory = request->goal.trajectory,
                             .path_tolerance = request->goal.path_tolerance,
                             .goal_tolerance = request->goal.goal_tolerance,
                             .goal_time_tolerance_ns = request->goal.goal_time_tolerance_ns};
  const char *why = unsupported_reason(&request->goal);
  const sn__action_goal *accepted = NULL;
  if (why != NULL) {
    sn__bridge_action_reject(action, why);
  } else {
    accepted = sn__bridge_action_send(action, &id, sn__wall_now_ns(), &goal);
  }
  const sn_follow_send_response response = {.accepted = accepted != NULL,
                                            .stamp_ns = accepted == NULL ? 0 : accepted->stamp_ns};
  sn_arena_release(&arena);
  answer(action, call, &sn__follow_send_response_type, &response);
}

/* ---- results ---- */

/* @param goal  NULL: unknown goal */
static void answer_result(sn__bridge_action *action, void *call, const sn__action_goal *goal) {
  sn_follow_result_response *response = action->result_msg;
  response->status = (int8_t)(goal == NULL ? SN_TRAJECTORY_UNKNOWN : goal->status);
  response->result.error_code = goal == NULL ? 0 : goal->error_code;
  (void)sn_msg_text_set(&response->result.error_string, goal == NULL ? "" : goal->error_text);
  answer(action, call, &sn__follow_result_response_type, response);
}

static void on_result_request(void *context, void *call, const char *caller, const void *bytes,
                              size_t size) {
  sn__bridge_action *action = context;
  const sn__ros_transport *transport = action->bridge->transport;
  (void)caller;
  sn_follow_result_request request = {0};
  sn_error err = {SN_OK, ""};
  if (transport->read(&sn__follow_result_request_type, bytes, size, &request, &err) != SN_OK) {
    transport->reject(call, err.message);
    return;
  }
  const sn__action_id id = read_id(&request.goal_id);
  const sn__action_goal *goal = NULL;
  switch (sn__action_await(&action->goals, &id, call, &goal)) {
    case SN__ACTION_WAITS:
      break;
    case SN__ACTION_ANSWER:
    case SN__ACTION_UNKNOWN:
      answer_result(action, call, goal);
      break;
    case SN__ACTION_FULL:
      transport->reject(call, "too many clients wait for results");
      break;
  }
}

static void on_goal_ended(sn__bridge_action *action, const sn__action_goal *goal) {
  for (void *call = sn__action_next_waiter(&action->goals, &goal); call != NULL;
       call = sn__action_next_waiter(&action->goals, &goal)) {
    answer_result(action, call, goal);
  }
}

/* ---- cancelling ---- */

static void on_cancel(void *context, void *call, const char *caller, const void *bytes,
                      size_t size) {
  sn__bridge_action *action = context;
  const sn__ros_transport *transport = action->bridge->transport;
  (void)caller;
  sn_cancel_goal_request request = {0};
  sn_error err = {SN_OK, ""};
  if (transport->read(&sn__cancel_goal_request_type, bytes, size, &request, &err) != SN_OK) {
    transport->reject(call, err.message);
    return;
  }
  const sn__action_id id = read_id(&request.goal_info.goal_id);
  sn_goal_info list[SN__ACTION_GOALS];
  sn_cancel_goal_response response = {
      .goals_canceling = {.data = list, .capacity = SN__ACTION_GOALS}};
  response.return_code = (int8_t)sn__bridge_action_cancel(action, &id, request.goal_info.stamp_ns,
                                                          &response.goals_canceling.count);
  for (size_t i = 0; i < response.goals_canceling.count; i++) {
    list[i] = info_of(action->cancelled[i]);
  }
  answer(action, call, &sn__cancel_goal_response_type, &response);
}

/* ---- topics ---- */

static void publish_status(sn__bridge_action *action) {
  sn_goal_status_array *msg = action->status_msg;
  msg->status_list.count = action->goals.goal_count;
  for (size_t i = 0; i < action->goals.goal_count; i++) {
    const sn__action_goal *goal = &action->goals.goals[i];
    msg->status_list.data[i] =
        (sn_goal_status){.goal_info = info_of(goal), .status = (int8_t)goal->status};
  }
  sn__bridge_publish(action->bridge, action->status_topic, &sn__goal_status_array_type, msg);
}

static void publish_feedback(sn__bridge_action *action, const sn__action_goal *goal,
                             const sn_trajectory_state *state) {
  sn_follow_feedback_message *msg = action->feedback_msg;
  sn_follow_feedback *feedback = &msg->feedback;
  const int64_t time_ns = state->time_from_start_ns;
  msg->goal_id = info_of(goal).goal_id;
  feedback->header.stamp_ns = state->header.stamp_ns + action->bridge->wall_offset_ns;
  if (sn_msg_names_copy(&feedback->joint_names, &state->name) == SN_OK) {
    sn__bridge_action_point(&feedback->desired, &state->desired, NULL, time_ns);
    sn__bridge_action_point(&feedback->actual, &state->actual, NULL, time_ns);
    sn__bridge_action_point(&feedback->error, &state->desired, &state->actual, time_ns);
    sn__bridge_publish(action->bridge, action->feedback_topic, &sn__follow_feedback_message_type,
                       msg);
  }
}

/* ---- setup ---- */

static bool add_service(sn__bridge_action *action, const char *name, const char *part,
                        const char *type, const sn_msg_type *request, const sn_msg_type *response,
                        sn__ros_on_request *on_request) {
  char whole[2 * SN__GRAPH_NAME_SIZE];
  snprintf(whole, sizeof whole, "%s/_action/%s", name, part);
  return action->bridge->transport->add_deferred_service(action->bridge->node, whole, type, request,
                                                         response, on_request, action);
}

static void *advertise(const sn__bridge_action *action, const char *name, const char *part,
                       const sn_msg_type *type, bool is_latched) {
  char whole[2 * SN__GRAPH_NAME_SIZE];
  snprintf(whole, sizeof whole, "%s/_action/%s", name, part);
  return action->bridge->transport->advertise(action->bridge->node, whole, type, is_latched);
}

static bool add(sn__bridge_action *action, const char *name) {
  sn_arena *arena = &action->bridge->arena;
  const sn_msg_capacity goals = {.item_count = SN__ACTION_GOALS, .text_size = SN__ACTION_TEXT_SIZE};
  const sn_msg_capacity joints = {.item_count = sn_model_pose_size(action->bridge->model) + 1,
                                  .text_size = SN__ACTION_TEXT_SIZE};
  action->status_msg = sn_msg_create(arena, &sn__goal_status_array_type, &goals);
  action->result_msg = sn_msg_create(arena, &sn__follow_result_response_type, &goals);
  action->feedback_msg = sn_msg_create(arena, &sn__follow_feedback_message_type, &joints);
  action->status_topic = advertise(action, name, "status", &sn__goal_status_array_type, true);
  action->feedback_topic =
      advertise(action, name, "feedback", &sn__follow_feedback_message_type, false);
  return action->status_msg != NULL && action->result_msg != NULL && action->feedback_msg != NULL &&
         action->status_topic != NULL && action->feedback_topic != NULL &&
         add_service(action, name, "send_goal", TYPE "_SendGoal", &sn__follow_send_request_type,
                     &sn__follow_send_response_type, on_goal) &&
         add_service(action, name, "get_result", TYPE "_GetResult", &sn__follow_result_request_type,
                     &sn__follow_result_response_type, on_result_request) &&
         add_service(action, name, "cancel_goal", "action_msgs/CancelGoal",
                     &sn__cancel_goal_request_type, &sn__cancel_goal_response_type, on_cancel);
}

const sn__action_protocol sn__action_ros2 = {.add = add,
                                             .publish_status = publish_status,
                                             .publish_feedback = publish_feedback,
                                             .on_goal_ended = on_goal_ended};
