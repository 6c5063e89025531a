/* A DDS participant that is a client of the actions MoveTool and GripperCommand of the desktop arm,
   as ROS 2 nodes are. Exit 0 on success, otherwise it prints the failed check.

   usage: ros2_arm [wall]     wall: something is in the way */
#include <math.h>

#include "ros2_action_client.h"

enum { JOINTS = 5 };

/* ---- sinew_msgs/MoveTool ---- */

typedef sinew_msgs_action_dds__MoveTool_SendGoal_Request_ tool_goal;
typedef sinew_msgs_action_dds__MoveTool_FeedbackMessage_ tool_feedback;
typedef sinew_msgs_msg_dds__ToolTarget_ tool_target;

static const action_types tool_types = {&sinew_msgs_action_dds__MoveTool_SendGoal_Request__desc,
                                        &sinew_msgs_action_dds__MoveTool_SendGoal_Response__desc,
                                        &sinew_msgs_action_dds__MoveTool_GetResult_Request__desc,
                                        &sinew_msgs_action_dds__MoveTool_GetResult_Response__desc,
                                        &sinew_msgs_action_dds__MoveTool_FeedbackMessage__desc};

/* A motion in joint space. */
static tool_goal make_goal(tool_target *target, double *joints, double speed) {
  *target = (tool_target){.kind = "ptp",
                          .joints = {._buffer = joints, ._length = JOINTS},
                          .pose = {.orientation = {0.0, 0.0, 0.0, 1.0}}};
  return (tool_goal){.goal_id = new_id(),
                     .goal = {.targets = {._buffer = target, ._length = 1}, .speed = speed}};
}

static double seconds(const builtin_interfaces_msg_dds__Duration_ *time) {
  return time->sec + 1e-9 * time->nanosec;
}

static void check_tool(client *c) {
  double ready[JOINTS] = {0.3, -0.5, 0.7, 0.8, 0.1};
  tool_target target;
  /* Slowly: the server may find the reader of the feedback a second after the reader has found it.
   */
  tool_goal goal = make_goal(&target, ready, 0.15);
  CHECK(send(c, &goal), "a motion was rejected");
  const int64_t number = ask_result(c, &goal.goal_id);
  dds_sample_info_t info;
  void *s = rig_next(c->feedback, PATIENCE_MS, &info);
  CHECK(s != NULL, "no feedback");
  const tool_feedback *m = s;
  CHECK(memcmp(&m->goal_id, &goal.goal_id, 16) == 0 && seconds(&m->feedback.duration) > 0.1 &&
            seconds(&m->feedback.time_from_start) >= 0.0,
        "feedback after %g of %g s", seconds(&m->feedback.time_from_start),
        seconds(&m->feedback.duration));
  rig_give_back(c->feedback, s);
  expect_end(c, number, SUCCEEDED, 0, "");
}

static void check_tool_cancel(client *c) {
  double far[JOINTS] = {-1.2, -0.5, 0.7, 0.8, 0.1};
  tool_target target;
  tool_goal goal = make_goal(&target, far, 0.02);
  CHECK(send(c, &goal), "a slow motion was rejected");
  const int64_t number = ask_result(c, &goal.goal_id);
  cancel(c, &goal.goal_id);
  expect_end(c, number, CANCELED, 0, "");
}

static void check_tool_rejections(client *c) {
  double joints[JOINTS] = {0.0};
  tool_target target;
  tool_goal goal = make_goal(&target, joints, 2.0);
  CHECK(!send(c, &goal), "twice the full speed was accepted");
  goal = make_goal(&target, joints, 0.5);
  target.kind = "fly";
  CHECK(!send(c, &goal), "an unknown kind was accepted");
  goal = make_goal(&target, joints, 0.5);
  target.joints._length = 0;
  target.pose.orientation.w = NAN;
  CHECK(!send(c, &goal), "NaN was accepted");
}

/* ---- control_msgs/GripperCommand ---- */

typedef control_msgs_action_dds__GripperCommand_SendGoal_Request_ grip_goal;
typedef control_msgs_action_dds__GripperCommand_GetResult_Response_ grip_result;
typedef control_msgs_action_dds__GripperCommand_FeedbackMessage_ grip_feedback;

static const action_types grip_types = {
    &control_msgs_action_dds__GripperCommand_SendGoal_Request__desc,
    &control_msgs_action_dds__GripperCommand_SendGoal_Response__desc,
    &control_msgs_action_dds__GripperCommand_GetResult_Request__desc,
    &control_msgs_action_dds__GripperCommand_GetResult_Response__desc,
    &control_msgs_action_dds__GripperCommand_FeedbackMessage__desc};

static void check_grip(client *c, double position, double effort) {
  grip_goal goal = {.goal_id = new_id(), .goal = {.command = {position, effort}}};
  CHECK(send(c, &goal), "a goal of the gripper was rejected");
  const int64_t number = ask_result(c, &goal.goal_id);
  dds_sample_info_t info;
  void *s = rig_next(c->feedback, PATIENCE_MS, &info);
  CHECK(s != NULL && isfinite(((const grip_feedback *)s)->feedback.position), "no feedback");
  rig_give_back(c->feedback, s);
  s = rig_answer(&c->result, number, PATIENCE_MS);
  CHECK(s != NULL, "no result");
  const grip_result *r = s;
  CHECK(r->status == SUCCEEDED && r->result.reached_goal && !r->result.stalled &&
            fabs(r->result.position - position) < 0.06,
        "status %d at %g, expected %g", r->status, r->result.position, position);
  rig_give_back(c->result.reader, s);
}

static void check_gripper(client *c) {
  check_grip(c, 0.8, 0.0);
  check_grip(c, 0.2, 0.5);
  grip_goal goal = {.goal_id = new_id(), .goal = {.command = {NAN, 0.0}}};
  CHECK(!send(c, &goal), "NaN was accepted");
}

int main(int argc, char **argv) {
  const dds_entity_t participant = rig_participant();
  client tool = open_client(participant, "/tool/move_tool", &tool_types);
  if (argc > 1 && strcmp(argv[1], "wall") == 0) {
    double behind[JOINTS] = {-0.8, -0.5, 0.7, 0.8, 0.1};
    tool_target target;
    tool_goal goal = make_goal(&target, behind, 0.5);
    goal.goal_id.uuid[15] = 1; /* not one of the other run */
    CHECK(!send(&tool, &goal), "a motion through a wall was accepted");
  } else {
    check_tool(&tool);
    check_tool_cancel(&tool);
    check_tool_rejections(&tool);
    client gripper = open_client(participant, "/gripper/gripper_cmd", &grip_types);
    check_gripper(&gripper);
  }
  dds_delete(participant);
  return 0;
}
