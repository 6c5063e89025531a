/** @file
 *  Internal: the messages that an action consists of on the wires of ROS 1 and ROS 2. They differ
 *  from action to action in names and in what is nested, so one table lists them for the bridge,
 *  and macros define them. */
#ifndef SN_MSG_TYPES_ACTION_TYPES_H
#define SN_MSG_TYPES_ACTION_TYPES_H

#include "msg/table.h"
#include "msg/types/msg_action.h"
#include "msg/types/msg_actionlib.h"
#include "sinew/msg.h"

/** One action. The goal of a request and the feedback of a message is the last field of its type.
 */
typedef struct sn__action_types {
  const char *name; /**< `control_msgs/action/FollowJointTrajectory` */
  /* ROS 2 */
  const sn_msg_type *send_request;     /**< sn_uuid goal_id, goal */
  const sn_msg_type *send_response;    /**< sn_action_send_response */
  const sn_msg_type *result_request;   /**< sn_action_result_request */
  const sn_msg_type *result_response;  /**< begins as sn_action_result_response */
  const sn_msg_type *feedback_message; /**< sn_uuid goal_id, feedback */
  /* ROS 1 */
  const sn_msg_type *action_goal;     /**< begins as sn_actionlib_goal_head */
  const sn_msg_type *action_result;   /**< begins as sn_actionlib_result */
  const sn_msg_type *action_feedback; /**< begins as sn_actionlib_feedback_head */
} sn__action_types;

SN_API extern const sn__action_types sn__step_action;            /**< FollowStepSequence */
SN_API extern const sn__action_types sn__move_base_action;       /**< MoveBase */
SN_API extern const sn__action_types sn__set_operational_action; /**< SetOperational */

/** The last field of a message of an action: the goal or the feedback. */
static inline void *sn__action_content(const sn_msg_type *type, void *msg) {
  return (char *)msg + type->fields[type->field_count - 1].offset;
}

/* ---- definitions, for source files ---- */

#define SN__ACTION_NAMES(package, action, part) SN__PART_NAMES(package, "action", action part)

/** The messages of ROS 2, as prefix_send_request_type, ….
 *  @param goal, result, feedback  structs; goal_type, result_type, feedback_type: their types */
#define SN__ACTION_ROS2_TYPES(prefix, package, action, goal, goal_type, result, result_type,      \
                              feedback, feedback_type)                                            \
  typedef struct prefix##_send_request {                                                          \
    sn_uuid goal_id;                                                                              \
    goal content;                                                                                 \
  } prefix##_send_request;                                                                        \
  typedef struct prefix##_result_response { /* as sn_action_result_response */                    \
    int8_t status;                                                                                \
    result content;                                                                               \
  } prefix##_result_response;                                                                     \
  typedef struct prefix##_feedback_message {                                                      \
    sn_uuid goal_id;                                                                              \
    feedback content;                                                                             \
  } prefix##_feedback_message;                                                                    \
  static const sn_msg_field prefix##_send_request_fields[] = {                                    \
      SN_MSG_FIELD_NESTED(prefix##_send_request, "goal_id", goal_id, &sn_uuid_type, ""),          \
      SN_MSG_FIELD_NESTED(prefix##_send_request, "goal", content, goal_type, "")};                \
  const sn_msg_type prefix##_send_request_type = {                                                \
      SN__ACTION_NAMES(package, action, "_SendGoal_Request"),                                     \
      .brief = "A goal with its identifier.", .size = sizeof(prefix##_send_request),              \
      SN__FIELDS(prefix##_send_request_fields)};                                                  \
  const sn_msg_type prefix##_send_response_type = {                                               \
      SN__ACTION_NAMES(package, action, "_SendGoal_Response"),                                    \
      .brief = "Whether a goal was accepted, and when.", .size = sizeof(sn_action_send_response), \
      .fields = sn__action_send_response_fields, .field_count = 2};                               \
  const sn_msg_type prefix##_result_request_type = {                                              \
      SN__ACTION_NAMES(package, action, "_GetResult_Request"),                                    \
      .brief = "A request for the result of a goal.",                                             \
      .size = sizeof(sn_action_result_request),                                                   \
      .is_flat = true,                                                                            \
      .fields = sn__action_result_request_fields,                                                 \
      .field_count = 1};                                                                          \
  static const sn_msg_field prefix##_result_response_fields[] = {                                 \
      SN_MSG_FIELD(prefix##_result_response, "status", status, ""),                               \
      SN_MSG_FIELD_NESTED(prefix##_result_response, "result", content, result_type, "")};         \
  const sn_msg_type prefix##_result_response_type = {                                             \
      SN__ACTION_NAMES(package, action, "_GetResult_Response"), .brief = "Result of a goal.",     \
      .size = sizeof(prefix##_result_response), SN__FIELDS(prefix##_result_response_fields)};     \
  static const sn_msg_field prefix##_feedback_message_fields[] = {                                \
      SN_MSG_FIELD_NESTED(prefix##_feedback_message, "goal_id", goal_id, &sn_uuid_type, ""),      \
      SN_MSG_FIELD_NESTED(prefix##_feedback_message, "feedback", content, feedback_type, "")};    \
  const sn_msg_type prefix##_feedback_message_type = {                                            \
      SN__ACTION_NAMES(package, action, "_FeedbackMessage"), .brief = "Progress of a goal.",      \
      .size = sizeof(prefix##_feedback_message), SN__FIELDS(prefix##_feedback_message_fields)}

/** The messages of ROS 1, as prefix_action_goal_type, …. */
#define SN__ACTION_ROS1_TYPES(prefix, package, action, goal, goal_type, result, result_type,     \
                              feedback, feedback_type)                                           \
  typedef struct prefix##_action_goal {                                                          \
    sn_actionlib_goal_head head;                                                                 \
    goal content;                                                                                \
  } prefix##_action_goal;                                                                        \
  typedef struct prefix##_action_result { /* as sn_actionlib_result */                           \
    sn_actionlib_feedback_head head;                                                             \
    result content;                                                                              \
  } prefix##_action_result;                                                                      \
  typedef struct prefix##_action_feedback {                                                      \
    sn_actionlib_feedback_head head;                                                             \
    feedback content;                                                                            \
  } prefix##_action_feedback;                                                                    \
  static const sn_msg_field prefix##_action_goal_fields[] = {                                    \
      SN_MSG_FIELD_NESTED(prefix##_action_goal, "header", head.header, &sn_header_type, ""),     \
      SN_MSG_FIELD_NESTED(prefix##_action_goal, "goal_id", head.goal_id, &sn__actionlib_id_type, \
                          ""),                                                                   \
      SN_MSG_FIELD_NESTED(prefix##_action_goal, "goal", content, goal_type, "")};                \
  const sn_msg_type prefix##_action_goal_type = {                                                \
      SN_MSG_TYPE_NAMES(package, action "ActionGoal"), .brief = "A goal with its identifier.",   \
      .size = sizeof(prefix##_action_goal), SN__FIELDS(prefix##_action_goal_fields)};            \
  static const sn_msg_field prefix##_action_result_fields[] = {                                  \
      SN_MSG_FIELD_NESTED(prefix##_action_result, "header", head.header, &sn_header_type, ""),   \
      SN_MSG_FIELD_NESTED(prefix##_action_result, "status", head.status,                         \
                          &sn_actionlib_status_type, ""),                                        \
      SN_MSG_FIELD_NESTED(prefix##_action_result, "result", content, result_type, "")};          \
  const sn_msg_type prefix##_action_result_type = {                                              \
      SN_MSG_TYPE_NAMES(package, action "ActionResult"), .brief = "Result of a goal.",           \
      .size = sizeof(prefix##_action_result), SN__FIELDS(prefix##_action_result_fields)};        \
  static const sn_msg_field prefix##_action_feedback_fields[] = {                                \
      SN_MSG_FIELD_NESTED(prefix##_action_feedback, "header", head.header, &sn_header_type, ""), \
      SN_MSG_FIELD_NESTED(prefix##_action_feedback, "status", head.status,                       \
                          &sn_actionlib_status_type, ""),                                        \
      SN_MSG_FIELD_NESTED(prefix##_action_feedback, "feedback", content, feedback_type, "")};    \
  const sn_msg_type prefix##_action_feedback_type = {                                            \
      SN_MSG_TYPE_NAMES(package, action "ActionFeedback"), .brief = "Progress of a goal.",       \
      .size = sizeof(prefix##_action_feedback), SN__FIELDS(prefix##_action_feedback_fields)}

/** The table of those messages. */
#define SN__ACTION_TABLE(prefix, package, action)                                             \
  {                                                                                           \
    .name = package "/action/" action, .send_request = &prefix##_send_request_type,           \
    .send_response = &prefix##_send_response_type,                                            \
    .result_request = &prefix##_result_request_type,                                          \
    .result_response = &prefix##_result_response_type,                                        \
    .feedback_message = &prefix##_feedback_message_type,                                      \
    .action_goal = &prefix##_action_goal_type, .action_result = &prefix##_action_result_type, \
    .action_feedback = &prefix##_action_feedback_type                                         \
  }

/** Their declarations. */
#define SN__ACTION_DECLARE(prefix)                                \
  SN_API extern const sn_msg_type prefix##_send_request_type;     \
  SN_API extern const sn_msg_type prefix##_send_response_type;    \
  SN_API extern const sn_msg_type prefix##_result_request_type;   \
  SN_API extern const sn_msg_type prefix##_result_response_type;  \
  SN_API extern const sn_msg_type prefix##_feedback_message_type; \
  SN_API extern const sn_msg_type prefix##_action_goal_type;      \
  SN_API extern const sn_msg_type prefix##_action_result_type;    \
  SN_API extern const sn_msg_type prefix##_action_feedback_type

SN__ACTION_DECLARE(sn__step);
SN__ACTION_DECLARE(sn__move_base);
SN__ACTION_DECLARE(sn__set_operational);

#endif
