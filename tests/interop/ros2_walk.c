/* A DDS participant that moves a robot on its feet, as ROS 2 nodes do: by the action MoveBase, then
   by velocities on cmd_vel. Exit 0 on success, otherwise it prints the failed check.

   usage: ros2_walk */
#include <math.h>

#include "ros2_action_client.h"

typedef sweetie_bot_gait_generator_action_dds__MoveBase_SendGoal_Request_ move;
typedef sweetie_bot_gait_generator_action_dds__MoveBase_FeedbackMessage_ progress;
typedef sweetie_bot_gait_generator_msg_dds__EndEffectorGoal_ foot_goal;

/* The height is free. */
static move request(char *gait, double duration_s, unsigned steps, double x) {
  return (move){.goal_id = new_id(),
                .goal = {.header = {.frame_id = "base_link_path"},
                         .gait_type = gait,
                         .duration = duration_s,
                         .n_steps = steps,
                         .base_goal = {{x, 0.0, 0.0}, {0.0, 0.0, 0.0, 1.0}},
                         .base_goal_bounds = 32}};
}

static client open_move_base(dds_entity_t participant) {
  const action_types types = {
      &sweetie_bot_gait_generator_action_dds__MoveBase_SendGoal_Request__desc,
      &sweetie_bot_gait_generator_action_dds__MoveBase_SendGoal_Response__desc,
      &sweetie_bot_gait_generator_action_dds__MoveBase_GetResult_Request__desc,
      &sweetie_bot_gait_generator_action_dds__MoveBase_GetResult_Response__desc,
      &sweetie_bot_gait_generator_action_dds__MoveBase_FeedbackMessage__desc};
  return open_client(participant, "/move_base/move_base", &types);
}

static void check_rejected(client *c) {
  move goal = request("gallop", 3.0, 2, 0.1);
  CHECK(!send(c, &goal), "an unknown gait was accepted");
  goal = request("walk", 0.0, 2, 0.1);
  CHECK(!send(c, &goal), "no duration was accepted");
  goal = request("walk", NAN, 2, 0.1);
  CHECK(!send(c, &goal), "NaN was accepted");
  goal = request("walk", 3.0, 0, 0.1);
  CHECK(!send(c, &goal), "no steps were accepted");
  goal = request("walk", 3.0, 1, 50.0);
  CHECK(!send(c, &goal), "a goal out of reach was accepted");
  foot_goal feet[2] = {{.name = "leg1", .contact = true}, {.name = "leg1", .contact = true}};
  goal = request("walk", 3.0, 1, 0.0);
  goal.goal.ee_goal._buffer = feet;
  goal.goal.ee_goal._length = 2;
  CHECK(!send(c, &goal), "a foot that is named twice was accepted");
}

/* A robot that has just been started settles first. */
static void send_when_standing(client *c, move *goal) {
  bool is_accepted = false;
  for (int i = 0; i < 100 && !is_accepted; i++) {
    goal->goal_id = new_id();
    is_accepted = send(c, goal);
    dds_sleepfor(is_accepted ? 0 : DDS_MSECS(200));
  }
  CHECK(is_accepted, "a valid goal was rejected");
}

static void check_moves(client *c) {
  move goal = request("walk", 4.0, 2, 0.05);
  goal.goal.visualize_only = true;
  send_when_standing(c, &goal);
  expect_end(c, ask_result(c, &goal.goal_id), SUCCEEDED, 0, "");
  goal = request("stand", 1.0, 0, 0.01);
  send_when_standing(c, &goal);
  const int64_t first = ask_result(c, &goal.goal_id);
  dds_sample_info_t info;
  void *s = rig_next(c->feedback, PATIENCE_MS, &info);
  CHECK(s != NULL && memcmp(&((const progress *)s)->goal_id, &goal.goal_id, 16) == 0,
        "no feedback");
  rig_give_back(c->feedback, s);
  expect_end(c, first, SUCCEEDED, 0, "");
  goal = request("stand", 100.0, 0, 0.0);
  send_when_standing(c, &goal);
  const int64_t second = ask_result(c, &goal.goal_id);
  cancel(c, &goal.goal_id);
  expect_end(c, second, CANCELED, 0, "");
}

/* ---- velocities ---- */

static double place(dds_entity_t odometry) {
  dds_sample_info_t info;
  void *s = rig_next(odometry, PATIENCE_MS, &info);
  CHECK(s != NULL, "no odometry");
  const double x = ((const nav_msgs_msg_dds__Odometry_ *)s)->pose.pose.position.x;
  rig_give_back(odometry, s);
  return x;
}

/* Commands are repeated, as of a stick: silence is a stop. */
static void check_cmd_vel(dds_entity_t participant) {
  const dds_entity_t odometry =
      rig_reader(participant, &nav_msgs_msg_dds__Odometry__desc, "rt/odom", false);
  const dds_entity_t writer =
      rig_writer(participant, &geometry_msgs_msg_dds__Twist__desc, "rt/cmd_vel", NULL);
  rig_wait_for_reader(writer, "rt/cmd_vel");
  const geometry_msgs_msg_dds__Twist_ velocity = {.linear = {.x = 0.08}};
  const double from = place(odometry);
  double way = 0.0;
  for (int i = 0; i < 3000 && way < 0.1; i++) {
    CHECK(dds_write(writer, &velocity) == DDS_RETCODE_OK, "cannot write");
    dds_sleepfor(DDS_MSECS(20));
    way = place(odometry) - from;
  }
  CHECK(way >= 0.1, "walked %.3f m", way);
}

int main(void) {
  const dds_entity_t participant = rig_participant();
  client c = open_move_base(participant);
  check_rejected(&c);
  check_moves(&c);
  check_cmd_vel(participant);
  dds_delete(participant);
  return 0;
}
