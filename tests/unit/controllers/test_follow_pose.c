/* FollowPose in the standard deployment. */
#include <string.h>

#include "cartesian_rig.h"
#include "controllers/guided/leader_tool.h"
#include "sn_test.h"

SN_TEST(limb_follows_a_pose_in_every_frame) {
  cartesian_rig b;
  cartesian_open(&b, "point", "");
  const sn_pose base = {sn_mat3_from_rpy(0.1, 0.2, 0.5), {1, 2, 0.3}};
  cartesian_write_body(b.in_base, "odom", "base_link", base);
  assert_int_equal(sn_source_write(b.in_base), SN_OK);
  assert_true(sn_deployed_switch(&b.d, "point", true, NULL));
  cartesian_cycles(&b, 5);
  const sn_pose end = cartesian_link(&b, "leg1_link6"), head = cartesian_link(&b, "head_link2");
  const sn_pose goal = sn_pose_mul(end, (sn_pose){sn_mat3_identity(), {0.01, 0.0, 0.015}});
  static const char *const frames[] = {"", "base_link", "odom", "head_link2"};
  for (size_t i = 0; i < 4; i++) {
    const sn_pose frame = i == 2 ? sn_pose_inverse(base) : i == 3 ? head : sn_pose_identity();
    cartesian_want_pose(&b, frames[i], sn_pose_between(frame, goal));
    cartesian_cycles(&b, 1500);
    sn_assert_pose_near(cartesian_link(&b, "leg1_link6"), goal, 1e-4);
    cartesian_want_pose(&b, "", end);
    cartesian_cycles(&b, 1500);
    sn_assert_pose_near(cartesian_link(&b, "leg1_link6"), end, 1e-4);
  }
  cartesian_want_pose(&b, "moon", goal);
  cartesian_cycles(&b, 1);
  assert_int_equal(sn_deployed_count_log(&b.d, "its frame is unknown"), 1);
  sn_pose_stamped *msg = sn_source_msg(b.pose_ref);
  cartesian_want_pose(&b, "", goal);
  msg->pose.orientation.z = 2.0;
  assert_int_equal(sn_source_write(b.pose_ref), SN_OK);
  cartesian_cycles(&b, 1000);
  assert_int_equal(sn_deployed_count_log(&b.d, "quaternion is not of unit length"), 1);
  sn_assert_pose_near(cartesian_link(&b, "leg1_link6"), end, 1e-4);
  cartesian_want_pose(&b, "", (sn_pose){end.rot, {0.1, -0.1, -3.0}});
  cartesian_cycles(&b, 1000);
  assert_int_equal(sn_deployed_count_log(&b.d, "leg1 cannot get there"), 1);
  cartesian_close(&b);
}

/* The base moves and the goal is fixed in the world: the limb moves back. */
SN_TEST(limb_stays_in_the_world_when_the_base_moves) {
  cartesian_rig b;
  cartesian_open(&b, "point", "");
  cartesian_write_body(b.in_base, "odom", "base_link", sn_pose_identity());
  assert_int_equal(sn_source_write(b.in_base), SN_OK);
  assert_true(sn_deployed_switch(&b.d, "point", true, NULL));
  cartesian_cycles(&b, 5);
  const sn_pose goal = cartesian_link(&b, "leg1_link6");
  cartesian_want_pose(&b, "odom", goal);
  sn_pose base = sn_pose_identity();
  for (int k = 0; k < 1000; k++) {
    base.pos.z = -2e-5 * k;
    cartesian_write_body(b.in_base, "odom", "base_link", base);
    sn_rigid_body_state *msg = sn_source_msg(b.in_base);
    msg->twist.count = 1;
    msg->twist.data[0] = (sn_spatial){{0, 0, 0}, {0, 0, -0.02}};
    assert_int_equal(sn_source_write(b.in_base), SN_OK);
    cartesian_cycles(&b, 1);
  }
  const sn_pose end = sn_pose_mul(base, cartesian_link(&b, "leg1_link6"));
  sn_assert_near(sn_vec3_norm(sn_vec3_sub(end.pos, goal.pos)), 0.0, 5e-4);
  cartesian_close(&b);
}

/* ---- the tool of another arm ---- */

static void say(sn_limb_state *msg, const char *limb, sn_pose pose) {
  sn_msg_reset(&sn_limb_state_type, msg);
  assert_int_equal(sn_msg_names_add(&msg->name, limb, strlen(limb)), SN_OK);
  msg->pose.count = 1;
  msg->pose.data[0] = sn_msg_pose_from(pose);
}

SN_TEST(limb_follows_the_tool_of_another_arm) {
  cartesian_rig b;
  sn_source *leader = NULL;
  cartesian_open(&b, "point", "");
  assert_int_equal(sn_source_open(b.d.system, "point.in_leader", NULL, &leader, &b.d.err), SN_OK);
  assert_true(sn_deployed_switch(&b.d, "point", true, NULL));
  cartesian_cycles(&b, 5);
  const sn_pose end = cartesian_link(&b, "leg1_link6");
  const sn_pose goal = sn_pose_mul(end, (sn_pose){sn_mat3_identity(), {0.01, 0.0, 0.015}});
  for (int k = 0; k < 200; k++) {
    say(sn_source_msg(leader), "tool", goal);
    assert_int_equal(sn_source_write(leader), SN_OK);
    cartesian_cycles(&b, 10); /* which checks the speed of every joint */
  }
  sn_assert_pose_near(cartesian_link(&b, "leg1_link6"), goal, 1e-4);
  assert_int_equal(sn_deployed_count_log(&b.d, "the leader is silent"), 0);
  cartesian_cycles(&b, 300);
  assert_int_equal(sn_deployed_count_log(&b.d, "the leader is silent for more than 0.1 s"), 1);
  sn_assert_pose_near(cartesian_link(&b, "leg1_link6"), goal, 1e-4);
  sn_limb_state *msg = sn_source_msg(leader);
  say(msg, "tool", end);
  msg->pose.count = 0;
  assert_int_equal(sn_source_write(leader), SN_OK);
  cartesian_cycles(&b, 1);
  assert_int_equal(sn_deployed_count_log(&b.d, "names, poses and twists differ in number"), 1);
  sn_source_close(leader);
  cartesian_close(&b);
}

SN_TEST(tool_of_the_leader_is_scaled_and_shifted) {
  static const double offset[] = {0.1, 0.0, -0.05};
  static const sn_msg_capacity room = {.item_count = 2, .text_size = 16};
  sn__leader_tool tool = {.limb = "tool", .scale = 0.5, .offset = {offset, 3}, .timeout_s = 0.1};
  const sn_pose pose = {sn_mat3_from_rpy(0.1, 0.2, 0.3), {0.4, 0.2, 0.6}};
  sn_arena arena;
  sn_arena_init_growing(&arena, "leader", 0);
  sn_limb_state *msg = sn_msg_create(&arena, &sn_limb_state_type, &room);
  say(msg, "elbow", sn_pose_identity());
  assert_int_equal(sn__leader_tool_take(&tool, msg, 0), SN__LEADER_TOOL_NO_LIMB);
  say(msg, "tool", pose);
  msg->twist.count = 1;
  msg->twist.data[0] = (sn_spatial){{1, 2, 3}, {4, 6, 8}};
  assert_int_equal(sn__leader_tool_take(&tool, msg, 1000), SN__LEADER_TOOL_GOOD);
  sn_assert_pose_near(tool.goal, ((sn_pose){pose.rot, {0.3, 0.1, 0.25}}), 1e-12);
  sn_assert_vec3_near(tool.twist.ang, sn_vec3_make(1, 2, 3), 0.0);
  sn_assert_vec3_near(tool.twist.lin, sn_vec3_make(2, 3, 4), 0.0);
  msg->twist.data[0].lin.x = NAN;
  assert_int_equal(sn__leader_tool_take(&tool, msg, 2000), SN__LEADER_TOOL_INVALID);
  assert_false(sn__leader_tool_lost(&tool, 100001000));
  assert_true(sn__leader_tool_lost(&tool, 100001001));
  assert_false(sn__leader_tool_lost(&tool, 200000000)); /* said once */
  sn_arena_release(&arena);
}
