/* What every controller of poses promises: FollowStance, FollowPose and LookAt in the standard
   deployment. */
#include <string.h>

#include "allocation.h"
#include "cartesian_rig.h"
#include "program.h"
#include "sn_test.h"

/* It commands every joint it owns, begins at the pose, and is silent in the cycle in which it loses
   its limb. */
static void keeps_the_contract(const char *who, const char *limb, size_t joint_count) {
  cartesian_rig b;
  cartesian_open(&b, who, "");
  cartesian_cycles(&b, 5);
  sn_flow flow = SN_NO_DATA;
  (void)sn_tap_read(b.joints, &flow);
  assert_int_equal(flow, SN_NO_DATA); /* nothing is published before */
  memcpy(b.last, b.q, sizeof b.last);
  if (!sn_deployed_switch(&b.d, who, true, NULL)) {
    fail_msg("%s", b.d.err.message);
  }
  cartesian_cycles(&b, 200);
  const sn_joint_state *ref = sn_tap_read(b.joints, &flow);
  assert_int_equal(flow, SN_NEW_DATA);
  assert_int_equal(ref->name.count, joint_count);
  assert_int_equal(ref->velocity.count, joint_count);
  for (size_t j = 0; j < b.n; j++) { /* without a reference nothing moves */
    sn_assert_near(b.q[j], b.last[j], 1e-6);
  }
  assert_string_equal(sn_deployed_owner(&b.d, limb), who);
  assert_true(sn_deployed_switch(&b.d, "follow", true, limb));
  cartesian_cycles(&b, 1);
  (void)sn_tap_read(b.joints, &flow);
  cartesian_cycles(&b, 1);
  (void)sn_tap_read(b.joints, &flow);
  assert_int_equal(flow, SN_OLD_DATA);
  assert_string_equal(sn_deployed_owner(&b.d, limb), "follow");
  assert_true(sn_deployed_switch(&b.d, who, true, NULL)); /* and back */
  cartesian_cycles(&b, 2);
  assert_string_equal(sn_deployed_owner(&b.d, limb), who);
  assert_true(sn_deployed_switch(&b.d, who, false, NULL));
  cartesian_cycles(&b, 2);
  assert_string_equal(sn_deployed_owner(&b.d, limb), "hold");
  cartesian_close(&b);
}

SN_TEST(stance_commands_what_it_owns_from_where_it_is) {
  keeps_the_contract("stance", "leg3", 24);
}

SN_TEST(look_commands_what_it_owns_from_where_it_is) {
  keeps_the_contract("look", "head", 4);
}

SN_TEST(follow_pose_commands_what_it_owns_from_where_it_is) {
  keeps_the_contract("point", "leg1", 6);
}

SN_TEST(robots_without_legs_or_head_run_and_refuse_the_activation) {
  sn_deployed d;
  char folder[64], path[128], text[256];
  sn_test_folder_create(folder);
  snprintf(text, sizeof text, "include: [standard.yaml]\nrobot: small.urdf\n");
  sn_test_write(folder, "small.urdf", sn_deployed_robot);
  sn_test_write(folder, "d.yaml", text);
  snprintf(path, sizeof path, "%s/d.yaml", folder);
  sn_deployed_open(&d, path);
  sn_deployed_run(&d, 0.05);
  assert_false(sn_deployed_switch(&d, "stance", true, NULL));
  sn_assert_contains(d.err.message, "no limb of the robot can stand");
  sn_deployed_free(&d);
  sn_test_folder_remove(folder);
}

SN_TEST(cycles_touch_no_heap) {
  static const char *const who[] = {"stance", "look", "point"};
  for (size_t i = 0; i < 3; i++) {
    cartesian_rig b;
    cartesian_open(&b, who[i], "");
    assert_true(sn_deployed_switch(&b.d, who[i], true, NULL));
    cartesian_cycles(&b, 10);
    cartesian_want_base(&b, (sn_pose){sn_mat3_from_rpy(0.05, 0.02, 0.03), {0.01, 0.5, -0.02}});
    cartesian_want_point(&b, "", (sn_vec3){1, 1, 1});
    cartesian_want_pose(&b, "", (sn_pose){sn_mat3_identity(), {0.1, -0.1, -3}});
    cartesian_cycles(&b, 1);
    const size_t before = sn_test_heap_calls();
    sn_deployed_run(&b.d, 0.001); /* what the run itself takes */
    const size_t run_calls = sn_test_heap_calls() - before;
    const size_t middle = sn_test_heap_calls();
    sn_deployed_run(&b.d, 0.3);
    assert_int_equal(sn_test_heap_calls() - middle, run_calls);
    cartesian_close(&b);
  }
}
