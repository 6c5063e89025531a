/* FollowStance in the standard deployment: references, bad input, balance. */
#include <math.h>
#include <string.h>

#include "cartesian_rig.h"
#include "msg/msg_names_internal.h"
#include "sinew/quat.h"
#include "sn_test.h"

/* By the poses that the gate commands, half a second after the filter has settled. */
SN_TEST(base_goes_where_it_is_wanted_and_hooves_stay) {
  static const char *const hooves[] = {"leg1_link6", "leg2_link6", "leg3_link6", "leg4_link6"};
  cartesian_rig b;
  cartesian_open(&b, "stance", "");
  const sn_pose start = {sn_mat3_from_rpy(0, 0, 1.0), {3.0, 2.0, 0.2}};
  cartesian_write_body(b.in_base, "odom", "base_link", start);
  assert_int_equal(sn_source_write(b.in_base), SN_OK);
  cartesian_cycles(&b, 2);
  assert_true(sn_deployed_switch(&b.d, "stance", true, NULL));
  cartesian_cycles(&b, 2);
  sn_pose feet[4];
  for (size_t i = 0; i < 4; i++) {
    feet[i] = sn_pose_mul(start, cartesian_link(&b, hooves[i]));
  }
  const sn_pose wanted =
      sn_pose_mul(start, (sn_pose){sn_mat3_from_rpy(0.05, -0.04, 0.06), {0.01, 0.008, -0.01}});
  cartesian_want_base(&b, wanted);
  for (int k = 0; k < 1500; k++) {
    cartesian_cycles(&b, 1);
    if (k % 50 == 49) { /* the gate may lag by its limits of acceleration, by little */
      const sn_pose base = cartesian_base(&b);
      for (size_t i = 0; i < 4; i++) {
        const sn_pose foot = sn_pose_mul(base, cartesian_link(&b, hooves[i]));
        sn_assert_near(sn_vec3_norm(sn_vec3_sub(foot.pos, feet[i].pos)), 0.0, 1e-3);
      }
    }
  }
  sn_assert_pose_near(cartesian_base(&b), wanted, 1e-4);
  const sn_support_state *supports = sn_tap_read(b.supports, NULL);
  assert_int_equal(supports->name.count, 4);
  for (size_t i = 0; i < 4; i++) {
    assert_true(supports->support.data[i] == 1.0);
    const sn_pose foot = sn_pose_mul(wanted, cartesian_link(&b, hooves[i]));
    sn_assert_pose_near(foot, feet[i], 1e-4);
  }
  const sn_limb_state *limbs = sn_tap_read(b.limbs, NULL);
  assert_int_equal(limbs->name.count, 4);
  assert_string_equal(limbs->header.frame_id.data, "base_link");
  assert_string_equal(sn_deployed_owner(&b.d, "head"), "hold"); /* not needed, not taken */
  cartesian_close(&b);
}

SN_TEST(stance_stands_on_the_limbs_it_is_activated_with) {
  cartesian_rig b;
  cartesian_open(&b, "stance", "");
  assert_true(sn_deployed_switch(&b.d, "stance", true, "leg2"));
  cartesian_cycles(&b, 5);
  const sn_support_state *supports = sn_tap_read(b.supports, NULL);
  assert_int_equal(supports->name.count, 1);
  assert_string_equal(sn_msg_names_at(&supports->name, 0), "leg2");
  assert_string_equal(sn_deployed_owner(&b.d, "leg1"), "hold");
  cartesian_close(&b);
}

SN_TEST(base_out_of_reach_is_approached_and_reported) {
  cartesian_rig b;
  cartesian_open(&b, "stance", "");
  assert_true(sn_deployed_switch(&b.d, "stance", true, NULL));
  cartesian_cycles(&b, 2);
  cartesian_want_base(&b, (sn_pose){sn_mat3_identity(), {0, 0, -1.0}});
  cartesian_cycles(&b, 3000);
  const sn_pose down = cartesian_base(&b);
  assert_true(down.pos.z < -0.02 && down.pos.z > -0.3);
  assert_int_equal(sn_deployed_count_log(&b.d, "the base cannot get there"), 1);
  cartesian_want_base(&b, sn_pose_identity());
  cartesian_cycles(&b, 3000);
  sn_assert_pose_near(cartesian_base(&b), sn_pose_identity(), 1e-4);
  cartesian_close(&b);
}

SN_TEST(invalid_references_of_the_base_are_refused_and_named) {
  cartesian_rig b;
  cartesian_open(&b, "stance", "");
  assert_true(sn_deployed_switch(&b.d, "stance", true, NULL));
  cartesian_cycles(&b, 20);
  memcpy(b.last, b.q, sizeof b.last);
  const sn_pose pose = {sn_mat3_identity(), {0.01, 0, 0}};
  sn_rigid_body_state *msg = sn_source_msg(b.base_ref);
  cartesian_write_body(b.base_ref, "odom", "base_link", pose);
  msg->pose.data[0].orientation.w = 1.5;
  assert_int_equal(sn_source_write(b.base_ref), SN_OK);
  cartesian_cycles(&b, 1);
  assert_int_equal(sn_deployed_count_log(&b.d, "quaternion is not of unit length"), 1);
  cartesian_write_body(b.base_ref, "moon", "base_link", pose);
  assert_int_equal(sn_source_write(b.base_ref), SN_OK);
  cartesian_cycles(&b, 1);
  assert_int_equal(sn_deployed_count_log(&b.d, "its frame is not the world"), 1);
  cartesian_write_body(b.base_ref, "odom", "leg1_link1", pose);
  assert_int_equal(sn_source_write(b.base_ref), SN_OK);
  cartesian_cycles(&b, 1);
  assert_int_equal(sn_deployed_count_log(&b.d, "no body with the name of the root link"), 1);
  cartesian_cycles(&b, 300);
  for (size_t j = 0; j < b.n; j++) {
    sn_assert_near(b.q[j], b.last[j], 1e-9);
  }
  cartesian_close(&b);
}

/* A reference that moves, and then nothing more: the base stops near where it was. */
SN_TEST(silent_source_holds_the_base) {
  cartesian_rig b;
  cartesian_open(&b, "stance", "");
  assert_true(sn_deployed_switch(&b.d, "stance", true, NULL));
  cartesian_cycles(&b, 2);
  sn_rigid_body_state *msg = sn_source_msg(b.base_ref);
  for (int k = 0; k < 200; k++) {
    cartesian_write_body(b.base_ref, "odom", "base_link",
                         (sn_pose){sn_mat3_identity(), {5e-5 * k, 0, -1e-4 * k}});
    msg->twist.count = 1;
    msg->twist.data[0] = (sn_spatial){{0, 0, 0}, {0.05, 0, -0.1}};
    assert_int_equal(sn_source_write(b.base_ref), SN_OK);
    cartesian_cycles(&b, 1);
  }
  cartesian_cycles(&b, 1500);
  assert_int_equal(sn_deployed_count_log(&b.d, "fell silent while the base moved"), 1);
  const sn_pose held = cartesian_base(&b);
  sn_assert_near(held.pos.z, -0.02, 0.01);
  cartesian_cycles(&b, 500);
  sn_assert_pose_near(cartesian_base(&b), held, 1e-6);
  cartesian_close(&b);
}

SN_TEST(pose_feedback_needs_a_base) {
  cartesian_rig b;
  cartesian_open(&b, "stance", "  stance: {properties: {pose_feedback: true}}\n");
  assert_false(sn_deployed_switch(&b.d, "stance", true, NULL));
  sn_assert_contains(b.d.err.message, "no base has arrived on in_base");
  cartesian_write_body(b.in_base, "odom", "base_link", sn_pose_identity());
  assert_int_equal(sn_source_write(b.in_base), SN_OK);
  cartesian_cycles(&b, 2);
  assert_true(sn_deployed_switch(&b.d, "stance", true, NULL));
  cartesian_close(&b);
}

SN_TEST(unstable_reference_is_ignored_and_said) {
  cartesian_rig b;
  cartesian_open(&b, "stance",
                 "  stance: {properties: {check_balance: true, balance_margin: 0.02,\n"
                 "                        support_legs: [leg1, leg2, leg3]}}\n");
  assert_true(sn_deployed_switch(&b.d, "stance", true, NULL));
  cartesian_cycles(&b, 2);
  cartesian_want_base(&b, (sn_pose){sn_mat3_identity(), {-0.008, 0.008, -0.005}});
  cartesian_cycles(&b, 100);
  assert_int_equal(sn_deployed_count_log(&b.d, "the robot would not be balanced there"), 1);
  sn_assert_pose_near(cartesian_base(&b), sn_pose_identity(), 1e-9);
  cartesian_close(&b);
}

SN_TEST(centre_of_mass_outside_moves_the_base_back) {
  cartesian_rig b;
  cartesian_open(&b, "stance",
                 "  stance: {properties: {keep_balance: true, balance_margin: 0.03,\n"
                 "                        support_legs: [leg1, leg2, leg3]}}\n");
  assert_true(sn_deployed_switch(&b.d, "stance", true, NULL));
  cartesian_cycles(&b, 2);
  assert_int_equal(sn_deployed_count_log(&b.d, "the base moves back over the middle"), 1);
  cartesian_want_base(&b, (sn_pose){sn_mat3_identity(), {0, 0, 0.01}});
  cartesian_cycles(&b, 2);
  assert_int_equal(sn_deployed_count_log(&b.d, "the controller moves the centre of mass back"), 1);
  cartesian_cycles(&b, 1500);
  const sn_pose back = cartesian_base(&b);
  assert_true(back.pos.y < -0.003); /* away from leg 4, which does not stand */
  cartesian_close(&b);
}

/* All joints at zero: the knees are straight and have more room on one side. */
SN_TEST(straight_legs_bend_the_way_in_which_knees_have_room) {
  cartesian_rig b;
  cartesian_open_at(&b, "stance", "", "zero");
  assert_true(sn_deployed_switch(&b.d, "stance", true, NULL));
  cartesian_cycles(&b, 2);
  for (size_t j = 0; j < b.n; j++) {
    sn_assert_near(b.q[j], 0.0, 1e-4);
  }
  cartesian_want_base(&b, (sn_pose){sn_mat3_identity(), {0, 0, -0.03}});
  cartesian_cycles(&b, 3000);
  sn_assert_near(cartesian_base(&b).pos.z, -0.03, 1e-4);
  assert_true(b.q[sn_model_joint_index(b.robot.model, "leg1_joint4")] > 0.4);
  assert_true(b.q[sn_model_joint_index(b.robot.model, "leg3_joint4")] < -0.4);
  cartesian_close(&b);
}
