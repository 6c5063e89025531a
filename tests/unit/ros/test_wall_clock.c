/* Times in messages, between the clock of the system and that of a ROS graph. */
#include "msg/types/msg_graph.h"
#include "ros/ros_transport.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_types.h"
#include "sn_test.h"

enum { OFFSET_NS = 1000 };

SN_TEST(every_time_of_a_message_is_shifted_and_zero_stays_zero) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "times", 0);
  sn_tf_message *frames = sn_msg_create(&arena, &sn__tf_message_type, NULL);
  assert_non_null(frames);
  frames->transforms.count = 3;
  for (size_t i = 0; i < 3; i++) {
    frames->transforms.data[i].header.stamp_ns = (int64_t)i * 5;
    frames->transforms.data[i].transform.translation.x = 7.0;
  }
  sn__times_shift(&sn__tf_message_type, frames, OFFSET_NS);
  assert_int_equal(frames->transforms.data[0].header.stamp_ns, 0);
  assert_int_equal(frames->transforms.data[1].header.stamp_ns, 5 + OFFSET_NS);
  assert_int_equal(frames->transforms.data[2].header.stamp_ns, 10 + OFFSET_NS);
  assert_true(frames->transforms.data[2].transform.translation.x == 7.0);
  sn__times_shift(&sn__tf_message_type, frames, -OFFSET_NS);
  assert_int_equal(frames->transforms.data[2].header.stamp_ns, 10);
  sn_arena_release(&arena);
}

SN_TEST(durations_are_not_times) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "times", 0);
  sn_joint_trajectory *path = sn_msg_create(&arena, &sn_joint_trajectory_type, NULL);
  assert_non_null(path);
  path->header.stamp_ns = 3;
  path->points.count = 1;
  path->points.data[0].time_from_start_ns = 4;
  sn__times_shift(&sn_joint_trajectory_type, path, OFFSET_NS);
  assert_int_equal(path->header.stamp_ns, 3 + OFFSET_NS);
  assert_int_equal(path->points.data[0].time_from_start_ns, 4);
  sn_arena_release(&arena);
}
