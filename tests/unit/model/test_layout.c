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

/* What points constrain: copies count once, points on a line are an axis, whatever their number and
 * wherever the line is. */
SN_TEST(contact_kind_follows_the_geometry) {
  static const struct {
    const char *points;
    sn_contact_kind kind;
    int freedoms;
  } cases[] = {
      {"[[1, 2, 3]]", SN_CONTACT_POINT, 3},
      {"[[1, 2, 3], [1, 2, 3]]", SN_CONTACT_POINT, 3},
      {"[[1, 2, 3], [1, 2, 3.0000000001], [1, 2, 3], [1, 2, 3]]", SN_CONTACT_POINT, 3},
      {"[[0, 0, 0], [0, 0, 0.001]]", SN_CONTACT_AXIS, 1},
      {"[[0, 0, 0], [0, 0, 0], [1, 0, 0]]", SN_CONTACT_AXIS, 1},
      {"[[1, 1, 1], [2, 3, 4], [3, 5, 7]]", SN_CONTACT_AXIS, 1},
      {"[[1, 1, 1], [3, 5, 7], [2, 3, 4], [0, -1, -2], [1, 1, 1]]", SN_CONTACT_AXIS, 1},
      {"[[0.1, 0.1, 0.1], [0.3, 0.3, 0.3], [0.7, 0.7, 0.7]]", SN_CONTACT_AXIS, 1},
      {"[[0, 0, 0], [1, 0, 0], [0, 1, 0]]", SN_CONTACT_FULL, 0},
      {"[[0, 0, 0], [1, 0, 0], [2, 0, 0], [1, 0.001, 0]]", SN_CONTACT_FULL, 0},
      {"[[5, 5, 5], [5, 5, 5], [5, 5.01, 5], [5, 5, 5.01]]", SN_CONTACT_FULL, 0},
      {"[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]", SN_CONTACT_FULL, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char yaml[256];
    snprintf(yaml, sizeof yaml, "contacts: {c: {points: %s}}", cases[i].points);
    sn_test_robot robot;
    sn_test_robot_init_good(&robot, sn_test_torso, yaml);
    const sn_contact *contact = sn_model_contact(robot.model, 0);
    assert_string_equal(contact->name, "c");
    if (contact->kind != cases[i].kind || contact->freedoms != cases[i].freedoms) {
      fail_msg("%s is of kind %d with %d freedoms", cases[i].points, (int)contact->kind,
               contact->freedoms);
    }
    sn_test_robot_free(&robot);
  }
}

/* The first link that moves without any mass at or beyond it is named; a virtual one may be so. */
SN_TEST(massless_link_is_named_for_dynamics) {
  static const char heavy[] =
      "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"
      "</inertial>";
  char urdf[1024];
  snprintf(urdf, sizeof urdf,
           "<robot name='r'>" SN_TEST_LINK("base") "<link name='a'>%s</link>" SN_TEST_LINK("b")
               SN_TEST_MOVES("ja", "base", "a") SN_TEST_MOVES("jb", "a", "b") "</robot>",
           heavy);
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, urdf, NULL);
  assert_string_equal(sn_model_tree(robot.model)->massless_link, "b");
  sn_assert_contains(sn_test_problems(robot.report), "link 'b' moves but has no inertial");
  assert_int_equal(sn_report_warning_count(robot.report), 1);
  sn_test_robot_free(&robot);
  /* The same link beyond a chain's last one is virtual. */
  sn_test_robot_init_good(&robot, urdf,
                          "chains: {c: {first_link: base, last_link: a, last_link_virtual: b}}");
  assert_null(sn_model_tree(robot.model)->massless_link);
  assert_null(sn_model_chain(robot.model, 0, true)->tree.massless_link);
  sn_assert_problems(robot.report, "");
  sn_test_robot_free(&robot);
  /* Massless in between is carried by what hangs on it. */
  snprintf(urdf, sizeof urdf,
           "<robot name='r'>" SN_TEST_LINK("base")
               SN_TEST_LINK("a") "<link name='b'>%s</link>" SN_TEST_MOVES("ja", "base", "a")
                   SN_TEST_FIXED("jb", "a", "b") "</robot>",
           heavy);
  sn_test_robot_init_good(&robot, urdf, NULL);
  assert_null(sn_model_tree(robot.model)->massless_link);
  sn_assert_contains(sn_test_problems(robot.report), "(its mass is taken as 0)");
  sn_test_robot_free(&robot);
}

typedef struct problem_case {
  const char *yaml;
  const char *problems;
} problem_case;

/* All errors, one in a line; the warnings of the robot are left out. */
static void list_errors(const sn_report *report, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < sn_report_count(report); i++) {
    const sn_problem *p = sn_report_at(report, i);
    if (p->severity == SN_SEVERITY_ERROR) {
      assert_string_equal(p->place.file, "robot.yaml");
      used += (size_t)snprintf(text + used, size - used, "%u:%u: %s%s%s%s\n", p->place.line,
                               p->place.column, p->message, p->hint == NULL ? "" : " (",
                               p->hint == NULL ? "" : p->hint, p->hint == NULL ? "" : ")");
    }
  }
}

SN_TEST(wrong_properties_are_rejected_with_the_reason) {
  static const problem_case cases[] = {
      {"chans: {}",
       "1:1: unknown property 'chans' (known are kinematics_chains (or chains), contacts and "
       "groups)\n"},
      {"chains: {}\nkinematics_chains: {}",
       "1:1: 'chains' and 'kinematics_chains' are the same property, given twice\n"},
      {"chains: [a]", "1:1: 'chains' is a list, expected a bag of properties\n"},
      {"chains: {c: 1}", "1:13: 'c' is a text, expected a bag of properties\n"},
      {"chains: {c: {last_link: l2}}", "1:10: chain 'c' has no first_link\n"},
      {"chains: {c: {first_link: base, last_link: }}",
       "1:43: 'last_link' is empty, expected a text\n"},
      {"chains: {c: {first_link: base, last_link: [l2]}}",
       "1:32: 'last_link' is a list, expected a text\n"},
      {"chains: {c: {first_link: moon, last_link: l2}}",
       "1:26: chain 'c': first_link 'moon' is not a link of the robot\n"},
      {"chains: {c: {first_link: base, last_link: waist}}",
       "1:43: chain 'c': last_link 'waist' is not a link of the robot\n"},
      {"chains: {c: {first_link: l2, last_link: base}}",
       "1:10: chain 'c': last_link 'base' is not below first_link 'l2'\n"},
      {"chains: {c: {first_link: r1, last_link: l2}}",
       "1:10: chain 'c': last_link 'l2' is not below first_link 'r1'\n"},
      {"chains: {c: {first_link: base, last_link: l2, last_link_virtual: moon}}",
       "1:66: chain 'c': last_link_virtual 'moon' is not a link of the robot\n"},
      {"chains: {c: {first_link: base, last_link: l2, last_link_virtual: r1}}",
       "1:10: chain 'c': last_link_virtual 'r1' is not below last_link 'l2'\n"},
      {"chains: {c: {first_link: l2, last_link: l_hand}}",
       "1:10: chain 'c' has no movable joint\n"},
      {"chains: {c: {first_link: l2, last_link: l2}}", "1:10: chain 'c' has no movable joint\n"},
      {"chains: {c: {first_link: base, last_link: l2, default_contact: moon}}",
       "1:64: chain 'c': default_contact 'moon' is not a contact\n"},
      {"chains: {c: {first_link: base, last_link: l2, default_contact: }}",
       "1:64: 'default_contact' is empty, expected a text\n"},
      {"contacts: 7", "1:11: 'contacts' is a text, expected a bag of properties\n"},
      {"contacts: {c: [1]}", "1:12: 'c' is a list, expected a bag of properties\n"},
      {"contacts: {c: }", "1:15: contact 'c' has no points\n"},
      {"contacts: {c: {}}", "1:12: contact 'c' has no points\n"},
      {"contacts: {c: {points: }}", "1:12: contact 'c' has no points\n"},
      {"contacts: {c: {points: ~}}", "1:12: contact 'c' has no points\n"},
      {"contacts: {c: {points: []}}", "1:12: contact 'c' has no points\n"},
      {"contacts: {c: {points: {}}}", "1:16: 'points' is a bag of properties, expected a list\n"},
      {"contacts: {c: {points: 7}}", "1:24: 'points' is a text, expected a list\n"},
      {"contacts: {c: {points: {a: [1, 2, 3]}}}",
       "1:16: 'points' is a bag of properties, expected a list\n"},
      {"contacts: {c: {points: [[1, 2, 3], [1, 2]]}}",
       "1:36: contact 'c': point 2 is not three finite decimal numbers x, y, z (such as [0.1, 0, "
       "-0.02])\n"},
      {"contacts: {c: {points: [1, 2, 3]}}",
       "1:25: contact 'c': point 1 is not three finite decimal numbers x, y, z (such as [0.1, 0, "
       "-0.02])\n"
       "1:28: contact 'c': point 2 is not three finite decimal numbers x, y, z (such as [0.1, 0, "
       "-0.02])\n"
       "1:31: contact 'c': point 3 is not three finite decimal numbers x, y, z (such as [0.1, 0, "
       "-0.02])\n"},
      {"contacts: {c: {points: [[1, 2, nan]]}}",
       "1:25: contact 'c': point 1 is not three finite decimal numbers x, y, z (such as [0.1, 0, "
       "-0.02])\n"},
      {"contacts: {c: {points: [[1, 2, [3]]]}}",
       "1:25: contact 'c': point 1 is not three finite decimal numbers x, y, z (such as [0.1, 0, "
       "-0.02])\n"},
      {"contacts: {c: {points: [{x: 1, y: 2, w: 3}]}}",
       "1:25: contact 'c': point 1 is not three finite decimal numbers x, y, z (such as [0.1, 0, "
       "-0.02])\n"},
      {"groups: 7", "1:9: 'groups' is a text, expected a bag of properties\n"},
      {"groups: {g: [waist]}", "1:10: 'g' is a list, expected a bag of properties\n"},
      {"groups: {g: {joins: [waist]}}",
       "1:14: group 'g': unknown property 'joins' (known are chains and joints)\n"},
      {"groups: {g: {joints: waist}}", "1:22: 'joints' is a text, expected a list\n"},
      {"groups: {g: {joints: [moon]}}", "1:23: group 'g': 'moon' is not a movable joint\n"},
      {"groups: {g: {joints: [l_wrist]}}", "1:23: group 'g': 'l_wrist' is not a movable joint\n"},
      {"groups: {g: {joints: [[waist]]}}",
       "1:23: an item of the list is a list, expected a text\n"},
      {"groups: {g: {chains: [moon]}}", "1:23: group 'g': 'moon' is not a chain\n"},
      /* An invalid chain is reported once, not again where it is referenced. */
      {"chains: {c: {first_link: base}}\ngroups: {g: {chains: [c]}}",
       "1:10: chain 'c' has no last_link\n"},
      {"groups: {g: {joints: [waist]}, h: {chains: [torso]}}",
       "1:32: groups 'g' and 'h' share joint 'waist'\n"},
      {"groups: {g: {joints: [finger2_joint]}, h: {chains: [right_gripper]}}",
       "1:40: groups 'g' and 'h' share joint 'finger2_joint'\n"},
  };
  size_t failed = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_test_robot robot;
    sn_test_robot_init(&robot, sn_test_torso, cases[i].yaml);
    char actual[1024];
    list_errors(robot.report, actual, sizeof actual);
    if (robot.status != SN_EMODEL || strcmp(actual, cases[i].problems) != 0) {
      print_error("%s\nis %s:\n%sexpected\n%s\n", cases[i].yaml, sn_status_text(robot.status),
                  actual, cases[i].problems);
      failed++;
    }
    sn_test_robot_free(&robot);
  }
  assert_int_equal(failed, 0);
}

/* A bag with x, y, z in any order, in small or capital letters, is a point too. */
SN_TEST(points_may_be_bags) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, sn_test_torso,
                          "contacts: {c: {points: [{z: 3, x: 1, y: 2}, {X: 4, Y: 5, Z: 6}]}}");
  const sn_contact *contact = sn_model_contact(robot.model, 0);
  const double expected[] = {1, 2, 3, 4, 5, 6};
  assert_int_equal(contact->point_count, 2);
  assert_memory_equal(contact->points, expected, sizeof expected);
  sn_test_robot_free(&robot);
}

/* A robot with more leaves than chains are allowed: derived ones stop there with a warning,
   declared ones are an error. */
SN_TEST(number_of_chains_is_limited) {
  static char urdf[64 * 1024];
  static char yaml[16 * 1024];
  for (int count = SN_CHAINS_MAX; count <= SN_CHAINS_MAX + 1; count++) {
    size_t used = (size_t)snprintf(urdf, sizeof urdf, "<robot name='r'>" SN_TEST_LINK("base"));
    size_t yaml_used = (size_t)snprintf(yaml, sizeof yaml, "chains:\n");
    for (int i = 0; i < count; i++) {
      used += (size_t)snprintf(urdf + used, sizeof urdf - used,
                               "<link name='l%d'/><joint name='j%d' type='continuous'>"
                               "<parent link='base'/><child link='l%d'/></joint>",
                               i, i, i);
      yaml_used += (size_t)snprintf(yaml + yaml_used, sizeof yaml - yaml_used,
                                    "  c%d: {first_link: base, last_link: l%d}\n", i, i);
    }
    snprintf(urdf + used, sizeof urdf - used, "</robot>");
    const bool is_too_many = count > SN_CHAINS_MAX;
    sn_test_robot robot;
    sn_test_robot_init_good(&robot, urdf, NULL);
    assert_int_equal(sn_names_count(sn_model_chain_names(robot.model)), SN_CHAINS_MAX);
    assert_int_equal(sn_model_pose_size(robot.model), count);
    assert_int_equal(strstr(sn_test_problems(robot.report),
                            "the robot has more than 128 limbs, the others have no chain") != NULL,
                     is_too_many);
    sn_test_robot_free(&robot);
    sn_test_robot_init(&robot, urdf, yaml);
    assert_int_equal(robot.status, is_too_many ? SN_EMODEL : SN_OK);
    assert_int_equal(
        strstr(sn_test_problems(robot.report), "129 chains, at most 128 are allowed") != NULL,
        is_too_many);
    sn_test_robot_free(&robot);
  }
}
