/* ROS 1 actions (actionlib): goals and cancel requests arrive on topics; status, feedback and
   results are published on topics (wiki.ros.org/actionlib/DetailedDescription). */
#include <stdio.h>
#include <string.h>

#include "msg/types/msg_actionlib.h"
#include "ros/bridge_action.h"
#include "ros/ros_transport.h"

#define STATUS_NS INT64_C(200000000) /* clients treat a silent server as lost */

static const char recalled_text[] = "cancelled before it arrived";

static sn_actionlib_code code_of(sn_trajectory_status status) {
  static const sn_actionlib_code codes[] = {[SN_TRAJECTORY_UNKNOWN] = SN_ACTIONLIB_LOST,
                                            [SN_TRAJECTORY_ACCEPTED] = SN_ACTIONLIB_PENDING,
                                            [SN_TRAJECTORY_EXECUTING] = SN_ACTIONLIB_ACTIVE,
                                            [SN_TRAJECTORY_CANCELING] = SN_ACTIONLIB_PREEMPTING,
                                            [SN_TRAJECTORY_SUCCEEDED] = SN_ACTIONLIB_SUCCEEDED,
                                            [SN_TRAJECTORY_CANCELED] = SN_ACTIONLIB_PREEMPTED,
                                            [SN_TRAJECTORY_ABORTED] = SN_ACTIONLIB_ABORTED};
  return codes[status];
}

/* Strings fit: sn__action_id_set() has checked the length of the id. */
static void fill_status(sn_actionlib_status *msg, const sn__action_id *id, int64_t stamp_ns,
                        sn_actionlib_code code, const char *text) {
  char name[sizeof id->bytes + 1];
  snprintf(name, sizeof name, "%.*s", (int)id->size, id->bytes);
  msg->goal_id.stamp_ns = stamp_ns;
  msg->status = (uint8_t)code;
  (void)sn_msg_text_set(&msg->goal_id.id, name);
  (void)sn_msg_text_set(&msg->text, text);
}

/* System time, which sn__bridge_publish() expects. */
static int64_t now_of(const sn__bridge_action *action) {
  return sn__bridge_graph_now(action->bridge) - action->bridge->graph_offset_ns;
}

/* ---- outgoing ---- */

/* @param goal  NULL: it was not accepted */
static void publish_result(sn__bridge_action *action, const sn__action_goal *goal,
                           const sn__action_id *id, int64_t stamp_ns, sn_actionlib_code code,
                           int32_t error_code, const char *text) {
  sn_actionlib_result *msg = action->result_msg;
  msg->header.stamp_ns = now_of(action);
  fill_status(&msg->status, id, stamp_ns, code, text);
  if (action->kind->fill_result != NULL) {
    action->kind->fill_result(action, goal,
                              sn__action_content(action->kind->types->action_result, msg));
  } else {
    msg->result.error_code = error_code;
    (void)sn_msg_text_set(&msg->result.error_string, text);
  }
  sn__bridge_publish(action->bridge, action->result_topic, action->kind->types->action_result, msg);
}

static void on_goal_ended(sn__bridge_action *action, const sn__action_goal *goal) {
  publish_result(action, goal, &goal->id, goal->stamp_ns, code_of(goal->status), goal->error_code,
                 goal->error_text);
}

static void publish_status(sn__bridge_action *action) {
  sn_actionlib_status_array *msg = action->status_msg;
  if (action->bridge->transport->subscriber_count(action->status_topic) == 0) {
    return;
  }
  msg->header.stamp_ns = now_of(action);
  size_t count = 0;
  for (size_t i = 0; i < action->goals.goal_count; i++) {
    const sn__action_goal *goal = &action->goals.goals[i];
    fill_status(&msg->status_list.data[count++], &goal->id, goal->stamp_ns, code_of(goal->status),
                goal->error_text);
  }
  for (size_t i = 0; i < action->goals.recall_count; i++) {
    const sn__action_recall *recall = &action->goals.recalls[i];
    fill_status(&msg->status_list.data[count++], &recall->id, recall->stamp_ns,
                recall->has_arrived ? SN_ACTIONLIB_RECALLED : SN_ACTIONLIB_RECALLING,
                recall->has_arrived ? recalled_text : "");
  }
  msg->status_list.count = count;
  sn__bridge_publish(action->bridge, action->status_topic, &sn__actionlib_status_array_type, msg);
}

static void publish_feedback(sn__bridge_action *action, const sn__action_goal *goal,
                             const void *state) {
  const sn_msg_type *type = action->kind->types->action_feedback;
  sn_actionlib_feedback_head *head = action->feedback_msg; /* the first member */
  fill_status(&head->status, &goal->id, goal->stamp_ns, code_of(goal->status), "");
  head->header.stamp_ns = sn_msg_stamp_ns(action->kind->state_type, state);
  if (action->kind->fill_feedback(action, state, sn__action_content(type, action->feedback_msg))) {
    sn__bridge_publish(action->bridge, action->feedback_topic, type, action->feedback_msg);
  }
}

/* ---- incoming ---- */

/* A goal without an id gets one, as in actionlib. @return false if the id is too long */
static bool read_id(const sn_actionlib_id *msg, int64_t stamp_ns, sn__action_id *id) {
  char name[64];
  if (msg->id.count > 0) {
    return sn__action_id_set(id, msg->id.data, msg->id.count);
  }
  snprintf(name, sizeof name, "sinew-%lld", (long long)stamp_ns);
  return sn__action_id_set(id, name, strlen(name));
}

static void handle_goal(sn__bridge_action *action, sn_actionlib_goal_head *msg) {
  const sn_msg_type *type = action->kind->types->action_goal;
  const int64_t sent_ns = msg->goal_id.stamp_ns;
  const int64_t stamp_ns = sent_ns != 0 ? sent_ns : sn__bridge_graph_now(action->bridge);
  sn__action_id id = {.size = 0};
  if (!read_id(&msg->goal_id, stamp_ns, &id)) {
    sn__bridge_action_reject(action, "the goal id is too long");
  } else if (sn__action_find(&action->goals, &id) != NULL) {
    sn__bridge_action_reject(action, "a goal with this id already exists");
  } else if (sn__action_is_recalled(&action->goals, &id,
                                    action->bridge->transport->now_ns(action->bridge->node)) ||
             (sent_ns != 0 && sent_ns <= action->cancelled_until_ns)) {
    publish_result(action, NULL, &id, stamp_ns, SN_ACTIONLIB_RECALLED, action->kind->lost_code,
                   recalled_text);
  } else if (sn__bridge_action_send(action, &id, stamp_ns, type->fields[2].nested,
                                    sn__action_content(type, msg)) == NULL) {
    publish_result(action, NULL, &id, stamp_ns, SN_ACTIONLIB_REJECTED, action->reject_code,
                   action->reject_reason);
  }
}

static void on_goal(void *context, const char *caller, const void *bytes, size_t size) {
  sn__bridge_action *action = context;
  (void)caller;
  sn_arena arena;
  sn_arena_init_growing(&arena, "goal", 0);
  sn_error err = {SN_OK, ""};
  void *msg = NULL;
  if (action->bridge->transport->make(action->kind->types->action_goal, bytes, size, &arena, &msg,
                                      &err) == SN_OK) {
    handle_goal(action, msg);
  } else {
    sn__bridge_action_reject(action, err.message);
  }
  sn_arena_release(&arena);
}

static void on_cancel(void *context, const char *caller, const void *bytes, size_t size) {
  sn__bridge_action *action = context;
  (void)caller;
  char text[256];
  sn_actionlib_id msg = {.id = {.data = text, .capacity = sizeof text - 1}};
  sn_error err = {SN_OK, ""};
  sn__action_id id = {.size = 0};
  size_t count = 0;
  if (action->bridge->transport->read(&sn__actionlib_id_type, bytes, size, &msg, &err) != SN_OK ||
      !sn__action_id_set(&id, msg.id.data, msg.id.count)) {
    sn__bridge_action_reject(action, err.message);
    return;
  }
  /* Goals sent later are valid even if the clock of the cancelling client is ahead. */
  const int64_t now_ns = sn__bridge_graph_now(action->bridge);
  const int64_t until_ns = msg.stamp_ns < now_ns ? msg.stamp_ns : now_ns;
  if (until_ns > action->cancelled_until_ns) {
    action->cancelled_until_ns = until_ns;
  }
  (void)sn__bridge_action_cancel(action, &id, msg.stamp_ns, &count);
}

/* ---- setup ---- */

static void *advertise(const sn__bridge_action *action, const char *name, const char *part,
                       const sn_msg_type *type) {
  char whole[2 * SN__GRAPH_NAME_SIZE];
  snprintf(whole, sizeof whole, "%s/%s", name, part);
  return action->bridge->transport->advertise(action->bridge->node, whole, type, false);
}

static bool subscribe(sn__bridge_action *action, const char *name, const char *part,
                      const sn_msg_type *type, sn__ros_on_message *on_message) {
  char whole[2 * SN__GRAPH_NAME_SIZE];
  snprintf(whole, sizeof whole, "%s/%s", name, part);
  return action->bridge->transport->subscribe(action->bridge->node, whole, type, false, on_message,
                                              action) != NULL;
}

static bool add(sn__bridge_action *action, const char *name) {
  const sn__action_types *types = action->kind->types;
  sn_arena *arena = &action->bridge->arena;
  const sn_msg_capacity goals = {.item_count = SN__ACTION_GOALS + SN__ACTION_RECALLS,
                                 .text_size = SN__ACTION_TEXT_SIZE};
  const sn_msg_capacity joints = {.item_count = sn_model_pose_size(action->bridge->model) + 1,
                                  .text_size = SN__ACTION_TEXT_SIZE};
  action->status_msg = sn_msg_create(arena, &sn__actionlib_status_array_type, &goals);
  action->result_msg = sn_msg_create(arena, types->action_result, &goals);
  action->feedback_msg = sn_msg_create(arena, types->action_feedback, &joints);
  action->status_topic = advertise(action, name, "status", &sn__actionlib_status_array_type);
  action->result_topic = advertise(action, name, "result", types->action_result);
  action->feedback_topic = advertise(action, name, "feedback", types->action_feedback);
  return action->status_msg != NULL && action->result_msg != NULL && action->feedback_msg != NULL &&
         action->status_topic != NULL && action->result_topic != NULL &&
         action->feedback_topic != NULL &&
         subscribe(action, name, "goal", types->action_goal, on_goal) &&
         subscribe(action, name, "cancel", &sn__actionlib_id_type, on_cancel);
}

const sn__action_protocol sn__action_ros1 = {.add = add,
                                             .publish_status = publish_status,
                                             .publish_feedback = publish_feedback,
                                             .on_goal_ended = on_goal_ended,
                                             .status_ns = STATUS_NS,
                                             .may_preempt = true,
                                             .recall_capacity = SN__ACTION_RECALLS};
