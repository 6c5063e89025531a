#include "model/groups.h"
#include "robot.h"
#include "sn_test.h"

SN_TEST(chain_ends_at_the_last_or_at_the_virtual_link) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, sn_test_torso, sn_test_torso_yaml);
  const sn_model *model = robot.model;
  assert_int_equal(sn_model_chain_index(model, "left"), 0);
  assert_int_equal(sn_model_chain_index(model, "right"), 1);
  assert_int_equal(sn_model_chain_index(model, "l_hand"), -1);
  const sn_chain *physical = sn_model_chain(model, 0, false);
  const sn_chain *full = sn_model_chain(model, 0, true);
  static const int joints[] = {0, 1, 2, 3};
  sn_assert_indices(physical->joints, physical->joint_count, joints, 3);
  sn_assert_indices(full->joints, full->joint_count, joints, 4);
  assert_int_equal(physical->last_link, sn_model_link_index(model, "l_hand"));
  assert_int_equal(full->last_link, sn_model_link_index(model, "l_virtual"));
  assert_int_equal(full->first_link, 0);
  assert_int_equal(full->tree.body_count, 4);
  assert_int_equal(full->tree.coord_count, 4);
  for (size_t i = 0; i < 4; i++) {
    sn_assert_near(full->lower[i], -1.0, 0.0);
    sn_assert_near(full->upper[i], 1.0, 0.0);
  }
  /* Without a virtual link both are the same run. */
  assert_int_equal(sn_model_chain(model, 1, true)->last_link,
                   sn_model_chain(model, 1, false)->last_link);
  /* Created once: the same result each time. */
  assert_ptr_equal(sn_model_chain(model, 0, true), full);
  sn_assert_fault(sn_model_chain(model, 2, true), "index < sn_names_count(model->chain_names)");
  sn_test_robot_free(&robot);
}

SN_TEST(chain_properties_are_kept_as_text) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, sn_test_torso, sn_test_torso_yaml);
  const sn_model *model = robot.model;
  static const char *const pairs[][2] = {{"first_link", "base"},
                                         {"last_link", "l_hand"},
                                         {"last_link_virtual", "l_virtual"},
                                         {"default_contact", "palm"},
                                         {"colour", "red"},
                                         {"weight", "1.50"},
                                         {"empty", ""}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    assert_string_equal(sn_model_chain_property(model, 0, pairs[i][0]), pairs[i][1]);
  }
  assert_null(sn_model_chain_property(model, 0, "nothing"));
  assert_null(sn_model_chain_property(model, 1, "last_link_virtual"));
  assert_string_equal(sn_model_chain_property(model, 1, "last_link"), "r2");
  sn_assert_fault(sn_model_chain_property(model, 2, "first_link"), "index <");
  sn_test_robot_free(&robot);
}

/* Extra keys may hold lists and bags too; they have no text. */
SN_TEST(structured_extra_keys_are_allowed) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, sn_test_torso,
                          "chains:\n"
                          "  left: {first_link: base, last_link: l2, list: [1], bag: {a: b}}\n");
  assert_null(sn_model_chain_property(robot.model, 0, "list"));
  assert_null(sn_model_chain_property(robot.model, 0, "bag"));
  assert_string_equal(sn_model_chain_property(robot.model, 0, "last_link"), "l2");
  sn_test_robot_free(&robot);
}

SN_TEST(default_contact_is_found_or_there_is_none) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, sn_test_torso, sn_test_torso_yaml);
  const sn_model *model = robot.model;
  static const char *const contacts[] = {"tip", "palm"};
  sn_assert_names(sn_model_contact_names(model), contacts, 2);
  assert_int_equal(sn_model_chain_default_contact(model, 0), 1);
  assert_int_equal(sn_model_chain_default_contact(model, 1), -1);
  assert_int_equal(sn_model_contact_index(model, "palm"), 1);
  assert_int_equal(sn_model_contact_index(model, "left"), -1);
  sn_assert_fault(sn_model_chain_default_contact(model, 2), "index <");
  sn_test_robot_free(&robot);
}

/* Without declared chains they are derived, one for each limb: see test_limb_divide.c. */
SN_TEST(chains_are_derived_one_per_limb) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, sn_test_torso, NULL);
  const sn_model *model = robot.model;
  static const char *const chains[] = {"tail", "torso", "right_arm", "right_gripper", "left_arm"};
  static const char *const first[] = {"base", "base", "trunk", "r2", "trunk"};
  static const char *const last[] = {"tail_tip", "trunk", "r2", "finger1", "l_virtual"};
  sn_assert_names(sn_model_chain_names(model), chains, 5);
  static const char *const pose[] = {"tail_joint", "waist",         "r_shoulder",
                                     "r_elbow",    "finger1_joint", "finger2_joint",
                                     "l_shoulder", "l_elbow",       "l_virtual_joint"};
  sn_assert_names(sn_model_joint_names(model), pose, 9);
  for (size_t i = 0; i < 5; i++) {
    assert_string_equal(sn_model_chain_property(model, i, "first_link"), first[i]);
    assert_string_equal(sn_model_chain_property(model, i, "last_link"), last[i]);
    assert_null(sn_model_chain_property(model, i, "default_contact"));
    assert_int_equal(sn_model_chain_default_contact(model, i), -1);
  }
  /* The gripper's run is its driven finger; the finger that mimics it is its joint, too. */
  size_t count = 0;
  static const int fingers[] = {4, 5};
  sn_assert_indices(sn_model_chain(model, 3, true)->joints,
                    sn_model_chain(model, 3, true)->joint_count, fingers, 1);
  const int *joints = sn_model_chain_joints(model, 3, &count);
  sn_assert_indices(joints, count, fingers, 2);
  assert_int_equal(sn_model_joint(model, 5)->chain, 3);
  assert_int_equal(sn_names_count(sn_model_contact_names(model)), 0);
  assert_int_equal(sn_names_count(sn__model_group_names(model)), 0);
  sn_test_robot_free(&robot);
}

/* A rigid part may branch: its tip is the deepest of its links, the last of equals. */
SN_TEST(tip_of_a_leaf_is_its_deepest_link) {
  sn_test_robot robot;
  sn_test_robot_init_good(
      &robot,
      "<robot name='r'>" SN_TEST_LINK("base") SN_TEST_LINK("hand") SN_TEST_LINK("f1")
          SN_TEST_LINK("f1_tip") SN_TEST_LINK("f2") SN_TEST_LINK("f2_tip") SN_TEST_LINK("cap")
              SN_TEST_MOVES("wrist", "base", "hand") SN_TEST_FIXED("a", "hand", "f1")
                  SN_TEST_FIXED("b", "f1", "f1_tip") SN_TEST_FIXED("c", "hand", "f2") SN_TEST_FIXED(
                      "d", "f2", "f2_tip") SN_TEST_FIXED("e", "hand", "cap") "</robot>",
      NULL);
  assert_int_equal(sn_names_count(sn_model_chain_names(robot.model)), 1);
  assert_string_equal(sn_model_chain_property(robot.model, 0, "last_link"), "f2_tip");
  sn_test_robot_free(&robot);
}

/* Contacts without chains in the file: chains are still derived. */
SN_TEST(contacts_alone_leave_the_chains_derived) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, sn_test_torso, "contacts: {c: {points: [[0, 0, 0]]}}\n");
  assert_int_equal(sn_names_count(sn_model_chain_names(robot.model)), 5);
  sn_test_robot_free(&robot);
  sn_test_robot_init_good(&robot, sn_test_torso, "kinematics_chains:\n");
  assert_int_equal(sn_names_count(sn_model_chain_names(robot.model)), 0);
  assert_int_equal(sn_model_pose_size(robot.model), 9);
  sn_test_robot_free(&robot);
}

/* A derived chain begins after the last undriven joint. */
SN_TEST(derived_chains_begin_behind_undriven_joints) {
  sn_test_robot robot;
  sn_test_robot_init_good(
      &robot,
      "<robot name='r'>" SN_TEST_LINK("world") SN_TEST_LINK("trunk") SN_TEST_LINK("leg") SN_TEST_LINK("foot") SN_TEST_LINK("kite")
          "<joint name='free' type='floating'><parent link='world'/><child link='trunk'/></joint>"
          "<joint name='line' type='planar'><parent link='trunk'/><child link='kite'/></joint>"
          SN_TEST_MOVES("hip", "trunk", "leg") SN_TEST_FIXED("ankle", "leg", "foot") "</robot>",
      NULL);
  const sn_model *model = robot.model;
  static const char *const chains[] = {"leg"};
  sn_assert_names(sn_model_chain_names(model), chains, 1);
  assert_string_equal(sn_model_chain_property(model, 0, "first_link"), "trunk");
  static const char *const pose[] = {"hip", "free", "line"};
  sn_assert_names(sn_model_joint_names(model), pose, 3);
  assert_int_equal(sn_model_dof(model), 1);
  /* Undriven joints move no body; what hangs on them lies in the base. */
  assert_int_equal(sn_model_joint(model, 1)->body, -1);
  assert_int_equal(sn_model_tree(model)->body_count, 1);
  assert_int_equal(sn_model_tree(model)->coord_count, 3);
  assert_int_equal(sn_model_link(model, 1)->body, -1);
  sn_test_robot_free(&robot);
}

SN_TEST(groups_hold_ascending_joints_of_chains_and_names) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, sn_test_torso, sn_test_torso_yaml);
  const sn_model *model = robot.model;
  static const char *const names[] = {"upper", "others", "nothing"};
  sn_assert_names(sn__model_group_names(model), names, 3);
  static const int upper[] = {0, 1, 2, 3}; /* the virtual joint too */
  static const int others[] = {4, 5, 6};
  sn_assert_indices(sn__model_group(model, 0)->joints, sn__model_group(model, 0)->joint_count,
                    upper, 4);
  sn_assert_indices(sn__model_group(model, 1)->joints, sn__model_group(model, 1)->joint_count,
                    others, 3);
  assert_int_equal(sn__model_group(model, 2)->joint_count, 0);
  assert_string_equal(sn__model_group(model, 1)->name, "others");
  sn_test_robot_free(&robot);
  /* Twice in one group is once. */
  sn_test_robot_init_good(&robot, sn_test_torso,
                          "chains: {c: {first_link: base, last_link: trunk}}\n"
                          "groups: {g: {chains: [c, c], joints: [waist, waist]}}\n");
  assert_int_equal(sn__model_group(robot.model, 0)->joint_count, 1);
  sn_test_robot_free(&robot);
}
