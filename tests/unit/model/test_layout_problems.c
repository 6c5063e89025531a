/* Contacts, masses and invalid property files. */
#include "robot.h"
#include "sn_test.h"

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
       "1:1: unknown property 'chans' (known are kinematics_chains (or chains), contacts, "
       "groups, poses and joint_limits)\n"},
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
      {"joint_limits: [waist]", "1:1: 'joint_limits' is a list, expected a bag of properties\n"},
      {"joint_limits: {waist: 1}", "1:23: 'waist' is a text, expected a bag of properties\n"},
      {"joint_limits: {moon: {lower: 0}}", "1:16: joint_limits: 'moon' is not a movable joint\n"},
      {"joint_limits: {l_wrist: {lower: 0}}",
       "1:16: joint_limits: 'l_wrist' is not a movable joint\n"},
      {"joint_limits: {waist: {least: 0}}",
       "1:31: joint_limits of 'waist': unknown property 'least' (known are lower, upper, velocity "
       "and acceleration)\n"},
      {"joint_limits: {waist: {lower: -1.1, upper: 1.1}}",
       "1:31: joint_limits of 'waist': lower '-1.1': it must be within the limits of the robot, "
       "and lower must not exceed upper\n"
       "1:44: joint_limits of 'waist': upper '1.1': it must be within the limits of the robot, "
       "and lower must not exceed upper\n"},
      {"joint_limits: {waist: {lower: 0.5, upper: 0.4}}",
       "1:43: joint_limits of 'waist': upper '0.4': it must be within the limits of the robot, "
       "and lower must not exceed upper\n"},
      {"joint_limits: {waist: {lower: nan}}",
       "1:31: joint_limits of 'waist': lower 'nan': expected a number in rad or m\n"},
      {"joint_limits: {waist: {velocity: 0}}",
       "1:34: joint_limits of 'waist': velocity '0': it must be more than 0 and at most that of "
       "the robot\n"},
      {"joint_limits: {waist: {velocity: 1.5}}",
       "1:34: joint_limits of 'waist': velocity '1.5': it must be more than 0 and at most that of "
       "the robot\n"},
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

/* Everything that copies limits gets the smaller ones; the end stops stay where they are. */
SN_TEST(limits_of_the_property_file_replace_those_of_the_robot) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, sn_test_torso,
                          "chains: {left: {first_link: base, last_link: l2}}\n"
                          "joint_limits: {waist: {lower: -0.5, upper: 0.25}, l_elbow: {velocity: "
                          "0.5, acceleration: 3}}");
  const sn_joint *waist = sn_model_joint(robot.model, 0);
  assert_string_equal(waist->name, "waist");
  assert_true(waist->lower == -0.5 && waist->upper == 0.25);
  assert_true(waist->lower_hard == -1.0 && waist->upper_hard == 1.0);
  assert_true(waist->velocity_max == 1.0);
  const sn_chain *left = sn_model_chain(robot.model, 0, false);
  assert_true(left->lower[0] == -0.5 && left->upper[0] == 0.25);
  const int index = sn_model_joint_index(robot.model, "l_elbow");
  const sn_joint *elbow = sn_model_joint(robot.model, (size_t)index);
  assert_true(elbow->lower == -1.0 && elbow->upper == 1.0 && elbow->velocity_max == 0.5);
  assert_true(elbow->acceleration_max == 3.0 && elbow->deceleration_max == 3.0);
  sn_test_robot_free(&robot);
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
