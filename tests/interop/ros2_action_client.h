/** @file
 *  A client of actions, as ROS 2 nodes are, with the types of ros2_base.idl. */
#ifndef SN_ROS2_ACTION_CLIENT_H
#define SN_ROS2_ACTION_CLIENT_H

#include "ros2_base.h"
#include "ros2_rig.h"

enum { SUCCEEDED = 4, CANCELED, ABORTED };

/** A client of one action. */
typedef struct client {
  rig_client send, result, cancel;
  dds_entity_t feedback;
} client;

/* Types of one action. */
typedef struct action_types {
  const dds_topic_descriptor_t *send, *accepted, *ask, *result, *feedback;
} action_types;

static inline client open_client(dds_entity_t participant, const char *name,
                                 const action_types *types) {
  client c;
  char whole[128];
  snprintf(whole, sizeof whole, "%s/_action/send_goal", name);
  c.send = rig_open_client(participant, whole, types->send, types->accepted);
  snprintf(whole, sizeof whole, "%s/_action/get_result", name);
  c.result = rig_open_client(participant, whole, types->ask, types->result);
  snprintf(whole, sizeof whole, "%s/_action/cancel_goal", name);
  c.cancel = rig_open_client(participant, whole, &action_msgs_srv_dds__CancelGoal_Request__desc,
                             &action_msgs_srv_dds__CancelGoal_Response__desc);
  snprintf(whole, sizeof whole, "rt%s/_action/feedback", name);
  c.feedback = rig_reader(participant, types->feedback, whole, false);
  rig_wait_for_writer(c.feedback, whole);
  return c;
}

static inline unique_identifier_msgs_msg_dds__UUID_ new_id(void) {
  static uint8_t count;
  return (unique_identifier_msgs_msg_dds__UUID_){.uuid = {++count, 1}};
}

/* Requests of all actions begin alike, and so do the responses. */
typedef sweetie_bot_resource_control_msgs_action_dds__SetOperational_SendGoal_Response_ accepted;
typedef sweetie_bot_resource_control_msgs_action_dds__SetOperational_GetResult_Request_ ask;
typedef sweetie_bot_resource_control_msgs_action_dds__SetOperational_GetResult_Response_ result;

static inline bool send(client *c, void *request) {
  void *s = rig_answer(&c->send, rig_send(&c->send, request), PATIENCE_MS);
  CHECK(s != NULL, "no answer to a goal");
  const bool is_accepted = ((const accepted *)s)->accepted;
  rig_give_back(c->send.reader, s);
  return is_accepted;
}

static inline int64_t ask_result(client *c, const unique_identifier_msgs_msg_dds__UUID_ *id) {
  ask request = {.goal_id = *id};
  return rig_send(&c->result, &request);
}

static inline void expect_end(client *c, int64_t number, int status, int error_code,
                              const char *text) {
  void *s = rig_answer(&c->result, number, PATIENCE_MS);
  CHECK(s != NULL, "no result");
  const result *r = s;
  CHECK(r->status == status && r->result.error_code == error_code &&
            strstr(r->result.error_string, text) != NULL,
        "status %d, error %d, '%s'; expected %d, %d, '%s'", r->status, r->result.error_code,
        r->result.error_string, status, error_code, text);
  rig_give_back(c->result.reader, s);
}

static inline void cancel(client *c, const unique_identifier_msgs_msg_dds__UUID_ *id) {
  action_msgs_srv_dds__CancelGoal_Request_ request = {.goal_info = {.goal_id = *id}};
  void *s = rig_answer(&c->cancel, rig_send(&c->cancel, &request), PATIENCE_MS);
  CHECK(s != NULL, "no answer to a cancel request");
  const action_msgs_srv_dds__CancelGoal_Response_ *answer = s;
  CHECK(answer->return_code == 0 && answer->goals_canceling._length == 1, "not cancelled");
  rig_give_back(c->cancel.reader, s);
}

#endif
