/* FollowJointState and resources_control in a running system: who owns a limb, and when. */
#include "rt/system_internal.h"
#include "two_followers.h"

SN_TEST(background_controller_gets_its_limb_back) {
  two_followers b;
  two_followers_open(&b);
  two_followers_send_pose(&b, 0.0);
  rig_run(&b.r, MS);
  assert_true(two_followers_switch(&b, "a.rosSetOperational", true, NULL));
  const char *limb = sn_names_at(sn_model_chain_names(b.robot.model), 0);
  const size_t limb_joints = sn_model_chain(b.robot.model, 0, true)->joint_count;
  assert_string_equal(two_followers_owner(&b, limb), "a");
  rig_run(&b.r, 2 * MS);
  assert_int_equal(two_followers_count_out(b.out_a), b.n);
  /* b takes one limb, named by one of its joints. */
  assert_true(
      two_followers_switch(&b, "b.setOperational", true, sn_model_joint(b.robot.model, 0)->name));
  assert_string_equal(two_followers_owner(&b, limb), "b");
  for (int i = 0; i < 3; i++) {
    rig_run(&b.r, MS);
    assert_int_equal(two_followers_count_out(b.out_a), b.n - limb_joints);
    assert_int_equal(two_followers_count_out(b.out_b), limb_joints);
  }
  /* b releases: it owns the limb until the next cycle begins, and then a commands it. */
  assert_true(two_followers_switch(&b, "b.rosSetOperational", false, NULL));
  assert_string_equal(two_followers_owner(&b, limb), "b");
  rig_run(&b.r, MS);
  assert_string_equal(two_followers_owner(&b, limb), "a");
  assert_int_equal(two_followers_count_out(b.out_b), 0);
  assert_int_equal(two_followers_count_out(b.out_a), b.n);
  two_followers_close(&b);
}

SN_TEST(controller_that_stops_or_fails_loses_its_limbs_in_the_next_cycle) {
  two_followers b;
  two_followers_open(&b);
  two_followers_send_pose(&b, 0.0);
  rig_run(&b.r, MS);
  assert_true(two_followers_switch(&b, "a.rosSetOperational", true, NULL));
  const char *limb = sn_names_at(sn_model_chain_names(b.robot.model), 0);
  assert_true(two_followers_switch(&b, "b.setOperational", true, limb));
  assert_string_equal(two_followers_owner(&b, limb), "b");
  assert_int_equal(sn_system_stop(b.r.system, b.b, &b.r.err), SN_OK);
  rig_run(&b.r, MS);
  assert_string_equal(two_followers_owner(&b, limb), "a");
  assert_int_equal(two_followers_count_out(b.out_a), b.n);
  assert_int_equal(sn_system_start(b.r.system, b.b, &b.r.err), SN_OK);
  rig_run(&b.r, MS);
  assert_false(
      two_followers_switch(&b, "b.setOperational", true, limb)); /* the pose may be out of date */
  two_followers_send_pose(&b, 0.0);
  rig_run(&b.r, MS);
  assert_true(two_followers_switch(&b, "b.setOperational", true, limb)); /* it may ask again */
  two_followers_close(&b);
}

/* Cleaned up before it could be notified that it lost its limbs, and configured again. */
SN_TEST(controller_may_be_cleaned_up_while_it_owns_limbs) {
  two_followers b;
  two_followers_open(&b);
  two_followers_send_pose(&b, 0.0);
  rig_run(&b.r, MS);
  assert_true(two_followers_switch(&b, "a.rosSetOperational", true, NULL));
  const char *limb = sn_names_at(sn_model_chain_names(b.robot.model), 0);
  assert_true(two_followers_switch(&b, "b.setOperational", true, limb));
  assert_int_equal(sn_system_stop(b.r.system, b.b, &b.r.err), SN_OK);
  assert_int_equal(sn_system_cleanup(b.r.system, b.b, &b.r.err), SN_OK);
  assert_int_equal(sn__system_remove(b.r.system, b.b, &b.r.err), SN_EBUSY); /* it is in the list */
  rig_run(&b.r, 3 * MS);
  assert_string_equal(two_followers_owner(&b, limb), "a");
  assert_int_equal(sn_system_configure(b.r.system, b.b, &b.r.err), SN_OK);
  assert_int_equal(sn_system_start(b.r.system, b.b, &b.r.err), SN_OK);
  two_followers_send_pose(&b, 0.0);
  rig_run(&b.r, 2 * MS);
  assert_int_equal(two_followers_count_out(b.out_b), 0);
  assert_true(two_followers_switch(&b, "b.setOperational", true, limb));
  assert_string_equal(two_followers_owner(&b, limb), "b");
  two_followers_close(&b);
}

SN_TEST(without_the_arbiter_no_controller_owns_anything_and_all_restart) {
  two_followers b;
  two_followers_open(&b);
  two_followers_send_pose(&b, 0.0);
  rig_run(&b.r, MS);
  assert_true(two_followers_switch(&b, "a.rosSetOperational", true, NULL));
  rig_run(&b.r, 2 * MS);
  assert_int_equal(sn_system_stop(b.r.system, b.control, &b.r.err), SN_OK);
  rig_run(&b.r, 2 * MS);
  assert_false(two_followers_switch(&b, "b.rosSetOperational", true, NULL));
  assert_int_equal(sn_system_start(b.r.system, b.control, &b.r.err), SN_OK);
  (void)two_followers_count_out(b.out_a);
  rig_run(&b.r, 2 * MS);
  assert_int_equal(two_followers_count_out(b.out_a), 0); /* what it had is void */
  const char *limb = sn_names_at(sn_model_chain_names(b.robot.model), 0);
  assert_string_equal(two_followers_owner(&b, limb), "");
  assert_true(two_followers_switch(&b, "a.rosSetOperational", true, NULL));
  rig_run(&b.r, 2 * MS);
  assert_int_equal(two_followers_count_out(b.out_a), b.n);
  two_followers_close(&b);
}
