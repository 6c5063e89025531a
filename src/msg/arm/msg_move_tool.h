/** @file
 *  The action sinew_msgs/MoveTool: its goal is sn_tool_goal, its result sn_action_result with the
 *  codes of sn_trajectory_error. */
#ifndef SN_MSG_ARM_MSG_MOVE_TOOL_H
#define SN_MSG_ARM_MSG_MOVE_TOOL_H

#include <stdint.h>

#include "msg/types/action_types.h"
#include "sinew/api.h"
#include "sinew/msg.h"

SN_BEGIN_DECLS

typedef struct sn_move_tool_feedback {
  int64_t time_from_start_ns;
  int64_t duration_ns; /**< of the whole motion */
} sn_move_tool_feedback;

SN_API extern const sn_msg_type sn__move_tool_result_type; /**< sn_action_result */
SN_API extern const sn_msg_type sn__move_tool_feedback_type;
SN_API extern const sn__action_types sn__move_tool_action;
SN__ACTION_DECLARE(sn__move_tool);

SN_END_DECLS

#endif
