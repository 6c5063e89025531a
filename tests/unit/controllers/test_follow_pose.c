/* FollowPose in the standard deployment. */
#include <string.h>

#include "cartesian_rig.h"
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
