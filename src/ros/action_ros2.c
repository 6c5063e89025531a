/* ROS 2 actions: goals, results and cancel requests are services, status and feedback are topics
   (design.ros2.org/articles/actions.html). */
#include <stdio.h>
#include <string.h>

#include "ros/bridge_action.h"
#include "ros/ros_transport.h"

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

static void on_goal(void *context, void *call, const char *caller, const void *bytes, size_t size) {
  sn__bridge_action *action = context;
  const sn__ros_transport *transport = action->bridge->transport;
  const sn_msg_type *type = action->kind->types->send_request;
  (void)caller;
  sn_arena arena;
  sn_arena_init_growing(&arena, "goal", 0);
  sn_error err = {SN_OK, ""};
  void *msg = NULL;
  if (transport->make(type, bytes, size, &arena, &msg, &err) != SN_OK) {
    transport->reject(call, err.message);
    sn_arena_release(&arena);
    return;
  }
  const sn_uuid *uuid = msg; /* the first member */
  const sn__action_id id = read_id(uuid);
  const sn__action_goal *accepted =
      sn__bridge_action_send(action, &id, sn__bridge_graph_now(action->bridge),
                             type->fields[1].nested, sn__action_content(type, msg));
  const sn_action_send_response response = {.accepted = accepted != NULL,
                                            .stamp_ns = accepted == NULL ? 0 : accepted->stamp_ns};
  sn_arena_release(&arena);
  answer(action, call, action->kind->types->send_response, &response);
}

/* ---- results ---- */

/* @param goal  NULL: unknown goal */
static void answer_result(sn__bridge_action *action, void *call, const sn__action_goal *goal) {
  sn_action_result_response *response = action->result_msg;
  response->status = (int8_t)(goal == NULL ? SN_TRAJECTORY_UNKNOWN : goal->status);
  if (action->kind->fill_result != NULL) {
    action->kind->fill_result(action, goal,
                              sn__action_content(action->kind->types->result_response, response));
  } else {
    response->result.error_code = goal == NULL ? 0 : goal->error_code;
    (void)sn_msg_text_set(&response->result.error_string, goal == NULL ? "" : goal->error_text);
  }
  answer(action, call, action->kind->types->result_response, response);
}

static void on_result_request(void *context, void *call, const char *caller, const void *bytes,
                              size_t size) {
  sn__bridge_action *action = context;
  const sn__ros_transport *transport = action->bridge->transport;
  (void)caller;
  sn_action_result_request request = {0};
  sn_error err = {SN_OK, ""};
  if (transport->read(action->kind->types->result_request, bytes, size, &request, &err) != SN_OK) {
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
                             const void *state) {
  const sn_msg_type *type = action->kind->types->feedback_message;
  sn_uuid *uuid = action->feedback_msg; /* the first member */
  *uuid = info_of(goal).goal_id;
  if (action->kind->fill_feedback(action, state, sn__action_content(type, action->feedback_msg))) {
    sn__bridge_publish(action->bridge, action->feedback_topic, type, action->feedback_msg);
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

/* The services of an action have types of their own, but for that which cancels. */
static bool add_services(sn__bridge_action *action, const char *name) {
  const sn__action_types *types = action->kind->types;
  char send[SN__GRAPH_NAME_SIZE], result[SN__GRAPH_NAME_SIZE];
  snprintf(send, sizeof send, "%s_SendGoal", types->name);
  snprintf(result, sizeof result, "%s_GetResult", types->name);
  return add_service(action, name, "send_goal", send, types->send_request, types->send_response,
                     on_goal) &&
         add_service(action, name, "get_result", result, types->result_request,
                     types->result_response, on_result_request) &&
         add_service(action, name, "cancel_goal", "action_msgs/CancelGoal",
                     &sn__cancel_goal_request_type, &sn__cancel_goal_response_type, on_cancel);
}

static void *advertise(const sn__bridge_action *action, const char *name, const char *part,
                       const sn_msg_type *type, bool is_latched) {
  char whole[2 * SN__GRAPH_NAME_SIZE];
  snprintf(whole, sizeof whole, "%s/_action/%s", name, part);
  return action->bridge->transport->advertise(action->bridge->node, whole, type, is_latched);
}

static bool add(sn__bridge_action *action, const char *name) {
  const sn__action_types *types = action->kind->types;
  sn_arena *arena = &action->bridge->arena;
  const sn_msg_capacity goals = {.item_count = SN__ACTION_GOALS, .text_size = SN__ACTION_TEXT_SIZE};
  const sn_msg_capacity joints = {.item_count = sn_model_pose_size(action->bridge->model) + 1,
                                  .text_size = SN__ACTION_TEXT_SIZE};
  action->status_msg = sn_msg_create(arena, &sn__goal_status_array_type, &goals);
  action->result_msg = sn_msg_create(arena, types->result_response, &goals);
  action->feedback_msg = sn_msg_create(arena, types->feedback_message, &joints);
  action->status_topic = advertise(action, name, "status", &sn__goal_status_array_type, true);
  action->feedback_topic = advertise(action, name, "feedback", types->feedback_message, false);
  return action->status_msg != NULL && action->result_msg != NULL && action->feedback_msg != NULL &&
         action->status_topic != NULL && action->feedback_topic != NULL &&
         add_services(action, name);
}

const sn__action_protocol sn__action_ros2 = {.add = add,
                                             .publish_status = publish_status,
                                             .publish_feedback = publish_feedback,
                                             .on_goal_ended = on_goal_ended};
