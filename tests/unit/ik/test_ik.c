#include "ik_fake.h"
#include "robot.h"
#include "sinew/ik.h"

SN_TEST(defaults_are_those_of_the_specification) {
  world_create();
  sn_assert_near(sn_ik_default_timeout(world.ik), 1.0, 0.0);
  for (size_t i = 0; i < sn_ik_joint_count(world.ik); i++) {
    sn_assert_near(sn_ik_search_discretization(world.ik, i), 0.1, 0.0);
  }
  const int *redundant;
  assert_int_equal(sn_ik_redundant_joints(world.ik, &redundant), 0);
  assert_string_equal(sn_ik_group_name(world.ik), "");
}

SN_TEST(codes_have_the_values_and_names_of_moveit) {
  static const char *const names[] = {"OK",
                                      "UNSUPPORTED_DISCRETIZATION_REQUESTED",
                                      "DISCRETIZATION_NOT_INITIALIZED",
                                      "MULTIPLE_TIPS_NOT_SUPPORTED",
                                      "EMPTY_TIP_POSES",
                                      "IK_SEED_OUTSIDE_LIMITS",
                                      "SOLVER_NOT_ACTIVE",
                                      "NO_SOLUTION",
                                      "TIMED_OUT",
                                      "INVALID_ARGUMENT",
                                      "REFUSED"};
  for (int i = 0; i < 11; i++) {
    assert_string_equal(sn_ik_code_name((sn_ik_code)(i + 1)), names[i]);
  }
  assert_string_equal(sn_ik_code_name((sn_ik_code)0), "UNKNOWN");
  assert_string_equal(sn_ik_code_name((sn_ik_code)12), "UNKNOWN");
  assert_int_equal(SN_IK_NO_DISCRETIZATION, 1);
  assert_int_equal(SN_IK_SOME_RANDOM_SAMPLED, 5);
}

SN_TEST(group_describes_itself) {
  world_create();
  static const char *const joints[] = {"turn", "slide", "spin"};
  static const char *const links[] = {"a", "b", "c", "tip"};
  assert_string_equal(sn_ik_base_frame(world.ik), "base");
  assert_int_equal(sn_ik_tip_count(world.ik), 1);
  assert_string_equal(sn_ik_tip_frame(world.ik, 0), "tip");
  assert_int_equal(sn_ik_joint_count(world.ik), 3);
  sn_assert_names(sn_ik_joint_names(world.ik), joints, 3);
  sn_assert_names(sn_ik_link_names(world.ik), links, 4);
  assert_string_equal(sn_ik_solver_name(world.ik), "fake");
  assert_string_equal(sn_ik_solver_description(world.ik), "offers what the test sets");
}

SN_TEST(several_tips_share_joints_and_list_them_once) {
  world.config.tip_frames = fake_tips;
  world.config.tip_count = 2;
  world_create();
  static const char *const joints[] = {"turn", "slide", "spin", "follow", "bend"};
  static const char *const links[] = {"a", "b", "c", "tip", "d", "side"};
  sn_assert_names(sn_ik_joint_names(world.ik), joints, 5);
  sn_assert_names(sn_ik_link_names(world.ik), links, 6);
  assert_int_equal(sn_ik_tip_count(world.ik), 2);
  assert_string_equal(sn_ik_tip_frame(world.ik, 1), "side");
}

SN_TEST(chain_of_the_model_is_a_group) {
  /* Without a property file, every limb gives a chain. */
  const char *name = sn_names_at(sn_model_chain_names(world.model), 0);
  const sn_chain *chain = sn_model_chain(world.model, 0, true);
  world.config = (sn_ik_config){
      .registry = &world.registry, .solver = "fake", .clock = &world.clock, .group = name};
  const sn_link *last = sn_model_link(world.model, (size_t)chain->last_link);
  world_create();
  assert_string_equal(sn_ik_group_name(world.ik), name);
  assert_string_equal(sn_ik_tip_frame(world.ik, 0), last->name);
  assert_int_equal(sn_ik_joint_count(world.ik), chain->joint_count);
}

SN_TEST(wrong_names_are_reported_separately) {
  const sn_ik_config good = world.config;
  world.config.group = "tail";
  assert_create_fails(SN_ENOENT, "no chain or group 'tail'");
  world.config = good;
  world.config.base_frame = "bottom";
  assert_create_fails(SN_ENOENT, "no link 'bottom'");
  world.config = good;
  static const char *const top[] = {"top"};
  world.config.tip_frames = top;
  assert_create_fails(SN_ENOENT, "no link 'top'");
  world.config = good;
  world.config.solver = "oracle";
  assert_create_fails(SN_ENOENT, "unknown solver 'oracle'");
  world.config = good;
  world.config.base_frame = NULL;
  assert_create_fails(SN_EINVAL, "no base_frame");
  world.config = good;
  world.config.tip_count = 0;
  assert_create_fails(SN_EINVAL, "no tip_frames");
}

SN_TEST(impossible_chains_are_reported_separately) {
  const sn_ik_config good = world.config;
  world.config.base_frame = "c";
  assert_create_fails(SN_EINVAL, "no movable joint between 'c' and 'tip'");
  world.config = good;
  static const char *const root[] = {"root"};
  world.config.tip_frames = root;
  assert_create_fails(SN_EINVAL, "'root' is not below link 'base'");
  world.config = good;
  static const char *const twice[] = {"tip", "tip"};
  world.config.tip_frames = twice;
  world.config.tip_count = 2;
  assert_create_fails(SN_EINVAL, "tip 'tip' appears twice");
  world.config = good;
  static const char *const below[] = {"below"};
  world.config.base_frame = "root";
  world.config.tip_frames = below;
  assert_create_fails(SN_EINVAL, "joint 'fly' is floating");
}

SN_TEST(bad_numbers_of_a_configuration_are_refused) {
  const sn_ik_config good = world.config;
  const double bad[] = {-0.1, NAN, INFINITY};
  for (size_t i = 0; i < 3; i++) {
    world.config.search_discretization = bad[i];
    assert_create_fails(SN_EINVAL, "search_discretization");
    world.config = good;
    world.config.default_timeout_s = bad[i];
    assert_create_fails(SN_EINVAL, "default_timeout_s");
    world.config = good;
    world.config.position_tolerance_m = bad[i];
    assert_create_fails(SN_EINVAL, "position_tolerance_m");
    world.config = good;
    world.config.rotation_tolerance_rad = bad[i];
    assert_create_fails(SN_EINVAL, "rotation_tolerance_rad");
    world.config = good;
  }
}

SN_TEST(unsupported_group_has_a_reason) {
  static const char *const many[] = {"tip", "side", "f"};
  char reason[200] = "old";
  assert_true(sn_ik_supports_group(world.model, &world.config, reason, sizeof reason));
  assert_string_equal(reason, "");
  world.config.tip_frames = many;
  world.config.tip_count = 3;
  assert_create_fails(SN_EUNSUPPORTED, "3 tips are more than it can count to");
  assert_false(sn_ik_supports_group(world.model, &world.config, reason, sizeof reason));
  sn_assert_contains(reason, "3 tips are more than it can count to");
}

SN_TEST(full_arena_leaves_nothing_behind) {
  static unsigned char bytes[1 << 16];
  size_t failures = 0;
  for (size_t size = 0; size < sizeof bytes; size += 64) {
    sn_arena small;
    sn_arena_init(&small, "small", bytes, size);
    sn_ik *ik = NULL;
    const sn_status status = sn_ik_create(&small, world.model, &world.config, &ik, &world.err);
    if (status == SN_OK) {
      assert_true(failures > 10);
      return;
    }
    assert_int_equal(status, SN_ENOMEM);
    assert_null(ik);
    assert_int_equal(sn_arena_used(&small), 0);
    failures++;
  }
  fail_msg("64 kB are not enough");
}

SN_TEST(redundant_joints_are_set_by_index_or_name) {
  world_create();
  const int indices[] = {2, 0};
  const int *got;
  assert_int_equal(sn_ik_set_redundant_joints(world.ik, indices, 2, NULL), SN_OK);
  assert_int_equal(sn_ik_redundant_joints(world.ik, &got), 2);
  assert_int_equal(got[0], 2);
  assert_int_equal(got[1], 0);
  const char *const names[] = {"slide"};
  assert_int_equal(sn_ik_set_redundant_joint_names(world.ik, names, 1, NULL), SN_OK);
  assert_int_equal(sn_ik_redundant_joints(world.ik, &got), 1);
  assert_int_equal(got[0], 1);
  assert_int_equal(sn_ik_set_redundant_joints(world.ik, NULL, 0, NULL), SN_OK);
  assert_int_equal(sn_ik_redundant_joints(world.ik, &got), 0);
}

SN_TEST(wrong_redundant_joints_change_nothing) {
  world.config.tip_frames = fake_tips;
  world.config.tip_count = 2;
  world_create();
  const int first[] = {1};
  assert_int_equal(sn_ik_set_redundant_joints(world.ik, first, 1, NULL), SN_OK);
  const int beyond[] = {5};
  const int negative[] = {-1};
  const int twice[] = {0, 0};
  assert_int_equal(sn_ik_set_redundant_joints(world.ik, beyond, 1, &world.err), SN_EINVAL);
  sn_assert_contains(world.err.message, "no redundant joint 5");
  assert_int_equal(sn_ik_set_redundant_joints(world.ik, negative, 1, &world.err), SN_EINVAL);
  assert_int_equal(sn_ik_set_redundant_joints(world.ik, twice, 2, &world.err), SN_EINVAL);
  sn_assert_contains(world.err.message, "'turn' appears twice");
  const char *const unknown[] = {"wag"};
  const char *const follower[] = {"follow"};
  const char *const many[] = {"turn", "turn", "turn", "turn", "turn", "turn"};
  assert_int_equal(sn_ik_set_redundant_joint_names(world.ik, unknown, 1, &world.err), SN_ENOENT);
  sn_assert_contains(world.err.message, "'wag'");
  assert_int_equal(sn_ik_set_redundant_joint_names(world.ik, follower, 1, &world.err), SN_EINVAL);
  sn_assert_contains(world.err.message, "'follow' follows another");
  assert_int_equal(sn_ik_set_redundant_joint_names(world.ik, many, 6, &world.err), SN_EINVAL);
  const int *got;
  assert_int_equal(sn_ik_redundant_joints(world.ik, &got), 1);
  assert_int_equal(got[0], 1);
}

SN_TEST(search_discretization_is_one_value_or_one_per_joint) {
  world_create();
  assert_int_equal(sn_ik_set_search_discretization(world.ik, 0.25, NULL), SN_OK);
  sn_assert_near(sn_ik_search_discretization(world.ik, 2), 0.25, 0.0);
  const double steps[] = {0.1, 0.0, 0.3};
  assert_int_equal(sn_ik_set_search_discretizations(world.ik, steps, 3, NULL), SN_OK);
  sn_assert_near(sn_ik_search_discretization(world.ik, 1), 0.0, 0.0);
  sn_assert_near(sn_ik_search_discretization(world.ik, 2), 0.3, 0.0);

  const double bad[] = {0.1, -1.0, NAN};
  assert_int_equal(sn_ik_set_search_discretizations(world.ik, bad, 3, &world.err), SN_EINVAL);
  sn_assert_contains(world.err.message, "'slide' is -1");
  assert_int_equal(sn_ik_set_search_discretizations(world.ik, steps, 2, &world.err), SN_EINVAL);
  assert_int_equal(sn_ik_set_search_discretization(world.ik, 0.0, &world.err), SN_EINVAL);
  assert_int_equal(sn_ik_set_search_discretization(world.ik, NAN, &world.err), SN_EINVAL);
  sn_assert_near(sn_ik_search_discretization(world.ik, 0), 0.1, 0.0);
}

SN_TEST(default_timeout_is_finite_and_positive) {
  world_create();
  assert_int_equal(sn_ik_set_default_timeout(world.ik, 0.25, NULL), SN_OK);
  const double bad[] = {0.0, -1.0, NAN, INFINITY};
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(sn_ik_set_default_timeout(world.ik, bad[i], &world.err), SN_EINVAL);
  }
  sn_assert_near(sn_ik_default_timeout(world.ik), 0.25, 0.0);
}

SN_TEST(sliding_without_limits_leaves_only_keeping) {
  world_create();
  sn_ik_discretization methods[5];
  assert_int_equal(sn_ik_discretization_methods(world.ik, methods), 5);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(methods[i], i + 1);
  }
  const char *const slide[] = {"slide"};
  const double lower[] = {-1, -INFINITY, -1};
  const double upper[] = {1, INFINITY, 1};
  assert_int_equal(sn_ik_set_redundant_joint_names(world.ik, slide, 1, NULL), SN_OK);
  assert_int_equal(sn_ik_discretization_methods(world.ik, methods), 5);
  assert_int_equal(sn_ik_set_limits(world.ik, lower, upper, 3, NULL), SN_OK);
  assert_int_equal(sn_ik_discretization_methods(world.ik, methods), 1);
}

SN_TEST(limits_can_be_replaced_and_restored) {
  world_create();
  const double lower[] = {-1, -2, -3};
  const double upper[] = {1, 2, INFINITY};
  double l;
  double u;
  assert_int_equal(sn_ik_set_limits(world.ik, lower, upper, 3, NULL), SN_OK);
  sn_ik_limits(world.ik, 1, &l, &u);
  sn_assert_near(l, -2, 0.0);
  sn_assert_near(u, 2, 0.0);
  const double crossed[] = {-1, 3, 0};
  assert_int_equal(sn_ik_set_limits(world.ik, crossed, upper, 3, &world.err), SN_EINVAL);
  sn_assert_contains(world.err.message, "'slide' are 3 .. 2");
  assert_int_equal(sn_ik_set_limits(world.ik, lower, upper, 2, &world.err), SN_EINVAL);
  assert_int_equal(sn_ik_set_limits(world.ik, lower, NULL, 3, &world.err), SN_EINVAL);
  sn_ik_limits(world.ik, 1, &l, &u);
  sn_assert_near(l, -2, 0.0);
  assert_int_equal(sn_ik_set_limits(world.ik, NULL, NULL, 0, NULL), SN_OK);
  sn_ik_limits(world.ik, 0, &l, &u);
  sn_assert_near(l, -4, 0.0);
  sn_assert_near(u, 6, 0.0);
  sn_ik_limits(world.ik, 2, &l, &u);
  assert_true(isinf(l) && isinf(u));
}

SN_TEST(limits_of_followers_bind_their_master) {
  world.config.tip_frames = fake_tips;
  world.config.tip_count = 2;
  world_create();
  double l;
  double u;
  sn_ik_limits(world.ik, 0, &l, &u); /* 0.5 turn + 0.1 in -1 .. 1 */
  sn_assert_near(l, -2.2, 1e-12);
  sn_assert_near(u, 1.8, 1e-12);
  const double lower[] = {2, -1, -1, -1, -1};
  const double upper[] = {3, 1, 1, 1, 1};
  assert_int_equal(sn_ik_set_limits(world.ik, lower, upper, 5, &world.err), SN_EINVAL);
  sn_assert_contains(world.err.message, "no position of joint 'turn'");
  sn_ik_limits(world.ik, 0, &l, &u);
  sn_assert_near(u, 1.8, 1e-12);
}

SN_TEST(forward_kinematics_agrees_with_the_kernel) {
  world.config.tip_frames = fake_tips;
  world.config.tip_count = 2;
  world_create();
  sn_random random;
  sn_random_init(&random, 7);
  for (size_t k = 0; k < sn_test_cases(100); k++) {
    double q[5];
    for (size_t i = 0; i < 5; i++) {
      q[i] = sn_random_between(&random, -7, 7);
    }
    const double side_q[] = {q[0], 99.0, q[4]}; /* the follower's entry is ignored */
    const char *const links[] = {"tip", "side", "base", "f"};
    sn_pose poses[3];
    assert_int_equal(sn_ik_fk(world.ik, links, 3, q, 5, poses), SN_IK_OK);
    sn_assert_pose_near(poses[0], tip_at("tip", q), 1e-14);
    sn_assert_pose_near(poses[1], tip_at("side", side_q), 1e-14);
    sn_assert_pose_near(poses[2], sn_pose_identity(), 0.0);
  }
}

SN_TEST(forward_kinematics_refuses_what_it_cannot_know) {
  world_create();
  const double q[] = {0, 0, 0};
  const double nan[] = {0, NAN, 0};
  const sn_pose mark = {.pos = {7, 7, 7}};
  sn_pose poses[2] = {mark, mark};
  const char *const unknown[] = {"tip", "nothing"};
  const char *const above[] = {"tip", "root"};
  const char *const moved[] = {"tip", "side"};
  assert_int_equal(sn_ik_fk(world.ik, unknown, 2, q, 3, poses), SN_IK_INVALID_ARGUMENT);
  assert_explains("no link 'nothing'");
  assert_int_equal(sn_ik_fk(world.ik, above, 2, q, 3, poses), SN_IK_INVALID_ARGUMENT);
  assert_explains("'root' is not below");
  assert_int_equal(sn_ik_fk(world.ik, moved, 2, q, 3, poses), SN_IK_INVALID_ARGUMENT);
  assert_explains("joint 'bend'");
  assert_int_equal(sn_ik_fk(world.ik, fake_tip, 1, q, 2, poses), SN_IK_INVALID_ARGUMENT);
  assert_explains("q has 2 entries, the group has 3 joints");
  assert_int_equal(sn_ik_fk(world.ik, fake_tip, 1, nan, 3, poses), SN_IK_INVALID_ARGUMENT);
  assert_explains("joint 'slide' is nan");
  assert_int_equal(sn_ik_fk(NULL, fake_tip, 1, q, 3, poses), SN_IK_SOLVER_NOT_ACTIVE);
  assert_memory_equal(&poses[0], &mark, sizeof mark);
  assert_int_equal(sn_ik_fk(world.ik, fake_tip, 1, q, 3, poses), SN_IK_OK);
  char reason[8] = "old";
  assert_int_equal(sn_ik_explain(world.ik, reason, sizeof reason), 0);
  assert_string_equal(reason, "");
}

SN_TEST(quaternion_is_normalised_or_rejected) {
  const sn_vec3 pos = {1, 2, 3};
  const double c = sqrt(0.5);
  sn_pose pose;
  const sn_quat long_by_a_little = {0, 0, c * 1.0009, c * 1.0009};
  assert_int_equal(sn_ik_pose_from_quat(pos, long_by_a_little, &pose), SN_IK_OK);
  sn_assert_near(pose.rot.x.y, 1.0, 1e-15);
  sn_assert_near(sn_vec3_norm(pose.rot.y), 1.0, 1e-15);
  const sn_quat bad[] = {
      {0, 0, c * 1.0011, c * 1.0011}, {0, 0, 0, 0}, {NAN, 0, 0, 1}, {INFINITY, 0, 0, 1}};
  const sn_pose before = pose;
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(sn_ik_pose_from_quat(pos, bad[i], &pose), SN_IK_INVALID_ARGUMENT);
  }
  const sn_quat one = {0, 0, 0, 1};
  assert_int_equal(sn_ik_pose_from_quat(sn_vec3_make(0, NAN, 0), one, &pose),
                   SN_IK_INVALID_ARGUMENT);
  assert_memory_equal(&pose, &before, sizeof pose);
}

SN_TEST_EACH(world_setup, world_teardown)
