#include "robot.h"
#include "sinew/model.h"
#include "sn_test.h"

/* Two arms on a shared trunk joint, a gripper with a mimic joint, fixed joints in between. */
#define LINK(name) "<link name='" name "'/>"
#define MOVES(name, parent, child)                                                        \
  "<joint name='" name "' type='revolute'><parent link='" parent "'/><child link='" child \
  "'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
#define FIXED(name, parent, child)                                                             \
  "<joint name='" name "' type='fixed'><parent link='" parent "'/><child link='" child "'/></" \
                                                                                       "joint>"
#define FOLLOWS(name, parent, child, master)                                              \
  "<joint name='" name "' type='revolute'><parent link='" parent "'/><child link='" child \
  "'/><mimic joint='" master                                                              \
  "' multiplier='2' offset='0.5'/>"                                                       \
  "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"

static const char torso[] = "<robot name='torso'>" LINK("base") LINK("trunk") LINK("l1") LINK("l2")
    LINK("l_hand") LINK("l_virtual") LINK("r1") LINK("r2") LINK("finger1") LINK("finger2")
        LINK("tail") LINK("tail_tip") LINK("camera") MOVES("tail_joint", "base", "tail")
            FIXED("tail_end", "tail", "tail_tip") MOVES("waist", "base", "trunk")
                MOVES("r_elbow", "r1", "r2") MOVES("r_shoulder", "trunk", "r1")
                    MOVES("l_shoulder", "trunk", "l1") MOVES("l_elbow", "l1", "l2")
                        FIXED("l_wrist", "l2", "l_hand")
                            MOVES("l_virtual_joint", "l_hand", "l_virtual")
                                FOLLOWS("finger2_joint", "r2", "finger2", "finger1_joint")
                                    MOVES("finger1_joint", "r2", "finger1")
                                        FIXED("camera_joint", "trunk", "camera") "</robot>";

static const char torso_yaml[] =
    "kinematics_chains:\n"
    "  left: {first_link: base, last_link: l_hand, last_link_virtual: l_virtual,\n"
    "         default_contact: palm, colour: red, weight: 1.50, empty: ''}\n"
    "  right: {first_link: base, last_link: r2}\n"
    "contacts:\n"
    "  tip: {points: [[0, 0, 0.5]]}\n"
    "  palm: {points: [[0, 0, 0], [0, 1, 0], [1, 0, 0]]}\n"
    "groups:\n"
    "  upper: {chains: [left]}\n"
    "  others: {joints: [r_elbow, tail_joint, r_shoulder]}\n"
    "  nothing: {}\n";

static void assert_names(const sn_names *names, const char *const *expected, size_t count) {
  assert_int_equal(sn_names_count(names), count);
  for (size_t i = 0; i < count; i++) {
    assert_string_equal(sn_names_at(names, i), expected[i]);
    assert_int_equal(sn_names_index(names, expected[i]), (int)i);
  }
}

static void assert_indices(const int *actual, size_t actual_count, const int *expected,
                           size_t count) {
  assert_int_equal(actual_count, count);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(actual[i], expected[i]);
  }
}

/* Chains as declared, base to tip, shared joints with the first, the rest in tree order: the tail
   stands first in the file, so before the fingers; they stand in the order of their joints. */
static void sorted_pose_has_the_order_of_the_chains(void **state) {
  (void)state;
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, torso, torso_yaml);
  const sn_model *model = robot.model;
  static const char *const expected[] = {"waist",           "l_shoulder",    "l_elbow",
                                         "l_virtual_joint", "r_shoulder",    "r_elbow",
                                         "tail_joint",      "finger2_joint", "finger1_joint"};
  assert_names(sn_model_joint_names(model), expected, 9);
  assert_int_equal(sn_model_pose_size(model), 9);
  assert_int_equal(sn_model_dof(model), 8); /* one of them follows */
  assert_int_equal(sn_model_joint_count(model), 12);
  for (size_t i = 0; i < 9; i++) {
    assert_string_equal(sn_model_joint(model, i)->name, expected[i]);
    assert_int_equal(sn_model_joint_index(model, expected[i]), (int)i);
  }
  /* Fixed joints stand behind, in tree order, and have no place in the pose. */
  static const char *const fixed[] = {"tail_end", "l_wrist", "camera_joint"};
  for (size_t i = 0; i < 3; i++) {
    assert_string_equal(sn_model_joint(model, 9 + i)->name, fixed[i]);
    assert_int_equal(sn_model_joint(model, 9 + i)->type, SN_JOINT_FIXED);
    assert_int_equal(sn_model_joint_index(model, fixed[i]), -1);
  }
  assert_int_equal(sn_model_joint_index(model, "nobody"), -1);
  assert_int_equal(sn_model_joint_index(model, ""), -1);
  sn_test_robot_free(&robot);
}

static void order_of_declaration_decides(void **state) {
  (void)state;
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, torso,
                          "chains:\n"
                          "  right: {first_link: trunk, last_link: finger1}\n"
                          "  left: {first_link: base, last_link: l2}\n");
  static const char *const expected[] = {"r_shoulder", "r_elbow",       "finger1_joint",
                                         "waist",      "l_shoulder",    "l_elbow",
                                         "tail_joint", "finger2_joint", "l_virtual_joint"};
  assert_names(sn_model_joint_names(robot.model), expected, 9);
  static const char *const chains[] = {"right", "left"};
  assert_names(sn_model_chain_names(robot.model), chains, 2);
  sn_test_robot_free(&robot);
}

static void joints_know_their_chain_and_shared_ones_the_first(void **state) {
  (void)state;
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, torso, torso_yaml);
  const sn_model *model = robot.model;
  static const int owners[] = {0, 0, 0, 0, 1, 1, -1, -1, -1, -1, -1, -1};
  for (size_t i = 0; i < sn_model_joint_count(model); i++) {
    assert_int_equal(sn_model_joint(model, i)->chain, owners[i]);
  }
  /* The second chain has the shared joint all the same. */
  const sn_chain *right = sn_model_chain(model, 1, true);
  static const int joints[] = {0, 4, 5};
  assert_indices(right->joints, right->joint_count, joints, 3);
  sn_test_robot_free(&robot);
}

static void links_stand_in_tree_order(void **state) {
  (void)state;
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, torso, torso_yaml);
  const sn_model *model = robot.model;
  static const char *const expected[] = {"base",   "tail",      "tail_tip", "trunk", "r1",
                                         "r2",     "finger2",   "finger1",  "l1",    "l2",
                                         "l_hand", "l_virtual", "camera"};
  assert_int_equal(sn_model_link_count(model), 13);
  for (size_t i = 0; i < 13; i++) {
    assert_string_equal(sn_model_link(model, i)->name, expected[i]);
    assert_int_equal(sn_model_link_index(model, expected[i]), (int)i);
    const int joint = sn_model_link(model, i)->parent_joint;
    assert_int_equal(joint < 0, i == 0);
    if (joint >= 0) {
      assert_int_equal(sn_model_joint(model, (size_t)joint)->child_link, (int)i);
      assert_true(sn_model_joint(model, (size_t)joint)->parent_link < (int)i);
    }
  }
  assert_int_equal(sn_model_link_index(model, "waist"), -1);
  sn_test_robot_free(&robot);
}

static void chain_ends_at_the_last_or_at_the_virtual_link(void **state) {
  (void)state;
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, torso, torso_yaml);
  const sn_model *model = robot.model;
  assert_int_equal(sn_model_chain_index(model, "left"), 0);
  assert_int_equal(sn_model_chain_index(model, "right"), 1);
  assert_int_equal(sn_model_chain_index(model, "l_hand"), -1);
  const sn_chain *physical = sn_model_chain(model, 0, false);
  const sn_chain *full = sn_model_chain(model, 0, true);
  static const int joints[] = {0, 1, 2, 3};
  assert_indices(physical->joints, physical->joint_count, joints, 3);
  assert_indices(full->joints, full->joint_count, joints, 4);
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
  /* Cut out once: the same answer each time. */
  assert_ptr_equal(sn_model_chain(model, 0, true), full);
  sn_assert_fault(sn_model_chain(model, 2, true), "index < sn_names_count(model->chain_names)");
  sn_test_robot_free(&robot);
}

static void chain_properties_are_kept_as_text(void **state) {
  (void)state;
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, torso, torso_yaml);
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
static void structured_extra_keys_are_no_error(void **state) {
  (void)state;
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, torso,
                          "chains:\n"
                          "  left: {first_link: base, last_link: l2, list: [1], bag: {a: b}}\n");
  assert_null(sn_model_chain_property(robot.model, 0, "list"));
  assert_null(sn_model_chain_property(robot.model, 0, "bag"));
  assert_string_equal(sn_model_chain_property(robot.model, 0, "last_link"), "l2");
  sn_test_robot_free(&robot);
}

static void default_contact_is_found_or_there_is_none(void **state) {
  (void)state;
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, torso, torso_yaml);
  const sn_model *model = robot.model;
  static const char *const contacts[] = {"tip", "palm"};
  assert_names(sn_model_contact_names(model), contacts, 2);
  assert_int_equal(sn_model_chain_default_contact(model, 0), 1);
  assert_int_equal(sn_model_chain_default_contact(model, 1), -1);
  assert_int_equal(sn_model_contact_index(model, "palm"), 1);
  assert_int_equal(sn_model_contact_index(model, "left"), -1);
  sn_assert_fault(sn_model_chain_default_contact(model, 2), "index <");
  sn_test_robot_free(&robot);
}

/* Without declared chains: one per leaf of the movable tree, named after its last link. A leaf is a
   rigid part without movable joints beyond it; its tip is its deepest link. */
static void chains_are_derived_one_per_leaf(void **state) {
  (void)state;
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, torso, NULL);
  const sn_model *model = robot.model;
  static const char *const chains[] = {"tail_tip", "finger2", "finger1", "l_virtual"};
  assert_names(sn_model_chain_names(model), chains, 4);
  static const char *const pose[] = {"tail_joint", "waist",         "r_shoulder",
                                     "r_elbow",    "finger2_joint", "finger1_joint",
                                     "l_shoulder", "l_elbow",       "l_virtual_joint"};
  assert_names(sn_model_joint_names(model), pose, 9);
  for (size_t i = 0; i < 4; i++) {
    assert_string_equal(sn_model_chain_property(model, i, "first_link"), "base");
    assert_string_equal(sn_model_chain_property(model, i, "last_link"), chains[i]);
    assert_null(sn_model_chain_property(model, i, "default_contact"));
    assert_int_equal(sn_model_chain_default_contact(model, i), -1);
  }
  assert_int_equal(sn_names_count(sn_model_contact_names(model)), 0);
  assert_int_equal(sn_names_count(sn_model_group_names(model)), 0);
  sn_test_robot_free(&robot);
}

/* Contacts without chains in the file: chains are derived all the same. */
static void contacts_alone_leave_the_chains_derived(void **state) {
  (void)state;
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, torso, "contacts: {c: {points: [[0, 0, 0]]}}\n");
  assert_int_equal(sn_names_count(sn_model_chain_names(robot.model)), 4);
  sn_test_robot_free(&robot);
  sn_test_robot_init_good(&robot, torso, "kinematics_chains:\n");
  assert_int_equal(sn_names_count(sn_model_chain_names(robot.model)), 0);
  assert_int_equal(sn_model_pose_size(robot.model), 9);
  sn_test_robot_free(&robot);
}

/* A chain that is derived begins behind the last joint that nobody drives. */
static void derived_chains_begin_behind_undriven_joints(void **state) {
  (void)state;
  sn_test_robot robot;
  sn_test_robot_init_good(
      &robot,
      "<robot name='r'>" LINK("world") LINK("trunk") LINK("leg") LINK("foot") LINK("kite")
          "<joint name='free' type='floating'><parent link='world'/><child link='trunk'/></joint>"
          "<joint name='line' type='planar'><parent link='trunk'/><child link='kite'/></joint>"
          MOVES("hip", "trunk", "leg") FIXED("ankle", "leg", "foot") "</robot>",
      NULL);
  const sn_model *model = robot.model;
  static const char *const chains[] = {"foot"};
  assert_names(sn_model_chain_names(model), chains, 1);
  assert_string_equal(sn_model_chain_property(model, 0, "first_link"), "trunk");
  static const char *const pose[] = {"hip", "free", "line"};
  assert_names(sn_model_joint_names(model), pose, 3);
  assert_int_equal(sn_model_dof(model), 1);
  /* Undriven joints move no body; what hangs on them lies in the base. */
  assert_int_equal(sn_model_joint(model, 1)->body, -1);
  assert_int_equal(sn_model_tree(model)->body_count, 1);
  assert_int_equal(sn_model_tree(model)->coord_count, 3);
  assert_int_equal(sn_model_link(model, 1)->body, -1);
  sn_test_robot_free(&robot);
}

static void robot_of_one_link_has_no_joints_and_no_chains(void **state) {
  (void)state;
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, "<robot name='stone'><link name='stone'/></robot>", NULL);
  const sn_model *model = robot.model;
  assert_int_equal(sn_model_link_count(model), 1);
  assert_int_equal(sn_model_joint_count(model), 0);
  assert_int_equal(sn_model_pose_size(model), 0);
  assert_int_equal(sn_model_dof(model), 0);
  assert_int_equal(sn_names_count(sn_model_chain_names(model)), 0);
  assert_int_equal(sn_model_tree(model)->body_count, 0);
  sn_assert_fault(sn_model_joint(model, 0), "index < model->joint_count");
  sn_assert_fault(sn_model_link(model, 1), "index < model->link_count");
  sn_assert_fault(sn_model_contact(model, 0), "index <");
  sn_assert_fault(sn_model_group(model, 0), "index <");
  sn_test_robot_free(&robot);
}

static void mimic_joint_has_a_place_and_follows_its_master(void **state) {
  (void)state;
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, torso, torso_yaml);
  const sn_model *model = robot.model;
  const int master = sn_model_joint_index(model, "finger1_joint");
  const sn_joint *joint =
      sn_model_joint(model, (size_t)sn_model_joint_index(model, "finger2_joint"));
  assert_int_equal(joint->mimic, master);
  sn_assert_near(joint->mimic_multiplier, 2.0, 0.0);
  sn_assert_near(joint->mimic_offset, 0.5, 0.0);
  const sn_tree *tree = sn_model_tree(model);
  assert_true(tree->has_mimic);
  assert_int_equal(tree->coord[joint->body], master);
  sn_assert_near(tree->q_scale[joint->body], 2.0, 0.0);
  sn_assert_near(tree->q_offset[joint->body], 0.5, 0.0);
  for (size_t i = 0; i < sn_model_pose_size(model); i++) {
    const sn_joint *other = sn_model_joint(model, i);
    if (other != joint) {
      assert_int_equal(other->mimic, -1);
      assert_int_equal(tree->coord[other->body], (int)i);
      sn_assert_near(tree->q_scale[other->body], 1.0, 0.0);
      sn_assert_near(tree->q_offset[other->body], 0.0, 0.0);
    }
  }
  sn_test_robot_free(&robot);
}

static void groups_hold_ascending_joints_of_chains_and_names(void **state) {
  (void)state;
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, torso, torso_yaml);
  const sn_model *model = robot.model;
  static const char *const names[] = {"upper", "others", "nothing"};
  assert_names(sn_model_group_names(model), names, 3);
  static const int upper[] = {0, 1, 2, 3}; /* the virtual joint too */
  static const int others[] = {4, 5, 6};
  assert_indices(sn_model_group(model, 0)->joints, sn_model_group(model, 0)->joint_count, upper, 4);
  assert_indices(sn_model_group(model, 1)->joints, sn_model_group(model, 1)->joint_count, others,
                 3);
  assert_int_equal(sn_model_group(model, 2)->joint_count, 0);
  assert_string_equal(sn_model_group(model, 1)->name, "others");
  sn_test_robot_free(&robot);
  /* Twice in one group is once. */
  sn_test_robot_init_good(&robot, torso,
                          "chains: {c: {first_link: base, last_link: trunk}}\n"
                          "groups: {g: {chains: [c, c], joints: [waist, waist]}}\n");
  assert_int_equal(sn_model_group(robot.model, 0)->joint_count, 1);
  sn_test_robot_free(&robot);
}

static void joints_chains_lists_each_owner_once(void **state) {
  (void)state;
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, torso, torso_yaml);
  const sn_model *model = robot.model;
  static const char *const joints[] = {"tail_joint", "r_elbow", "waist",   "nobody", "l_elbow",
                                       "r_shoulder", "r_elbow", "l_wrist", ""};
  int chains[4] = {-7, -7, -7, -7};
  size_t count = 99;
  assert_int_equal(sn_model_joints_chains(model, joints, 9, chains, 4, &count), SN_OK);
  assert_int_equal(count, 2);
  assert_int_equal(chains[0], 1); /* in the order met */
  assert_int_equal(chains[1], 0);
  assert_int_equal(chains[2], -7);
  /* Exactly enough room, and one too little: nothing is written. */
  assert_int_equal(sn_model_joints_chains(model, joints, 9, chains, 2, &count), SN_OK);
  chains[0] = chains[1] = -7;
  count = 99;
  assert_int_equal(sn_model_joints_chains(model, joints, 9, chains, 1, &count), SN_ENOSPC);
  assert_int_equal(chains[0], -7);
  assert_int_equal(count, 99);
  /* No owners need no room. */
  assert_int_equal(sn_model_joints_chains(model, joints, 1, NULL, 0, &count), SN_OK);
  assert_int_equal(count, 0);
  assert_int_equal(sn_model_joints_chains(model, NULL, 0, NULL, 0, &count), SN_OK);
  sn_test_robot_free(&robot);
}

static void contact_points_are_appended_or_nothing_is(void **state) {
  (void)state;
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, torso, torso_yaml);
  const sn_model *model = robot.model;
  sn_vec3 points[5];
  for (size_t i = 0; i < 5; i++) {
    points[i] = sn_vec3_make(-7, -7, -7);
  }
  sn_point_buffer buffer = {.points = points, .capacity = 4};
  assert_int_equal(sn_model_add_contact_points(model, "tip", &buffer), 1);
  assert_int_equal(sn_model_add_contact_points(model, "nobody", &buffer), -1);
  assert_int_equal(buffer.count, 1);
  assert_int_equal(sn_model_add_contact_points(model, "palm", &buffer), 3);
  assert_int_equal(buffer.count, 4);
  sn_assert_near(points[0].z, 0.5, 0.0);
  sn_assert_near(points[2].y, 1.0, 0.0);
  sn_assert_near(points[3].x, 1.0, 0.0);
  assert_int_equal(sn_model_add_contact_points(model, "tip", &buffer), SN_ENOSPC);
  buffer.count = 2;
  assert_int_equal(sn_model_add_contact_points(model, "palm", &buffer), SN_ENOSPC);
  assert_int_equal(buffer.count, 2);
  sn_assert_near(points[3].x, 1.0, 0.0);
  sn_assert_near(points[4].x, -7.0, 0.0);
  buffer = (sn_point_buffer){0};
  assert_int_equal(sn_model_add_contact_points(model, "tip", &buffer), SN_ENOSPC);
  sn_test_robot_free(&robot);
}

/* What points really hold: copies count once, points on a line are an axis, whatever their number
   and wherever the line is. */
static void contact_kind_follows_the_geometry(void **state) {
  (void)state;
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
    sn_test_robot_init_good(&robot, torso, yaml);
    const sn_contact *contact = sn_model_contact(robot.model, 0);
    assert_string_equal(contact->name, "c");
    if (contact->kind != cases[i].kind || contact->freedoms != cases[i].freedoms) {
      fail_msg("%s is of kind %d with %d freedoms", cases[i].points, (int)contact->kind,
               contact->freedoms);
    }
    sn_test_robot_free(&robot);
  }
}

static void description_and_name_are_kept(void **state) {
  (void)state;
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, torso, NULL);
  size_t size = 0;
  assert_string_equal(sn_model_description(robot.model, &size), torso);
  assert_int_equal(size, strlen(torso));
  assert_string_equal(sn_model_description(robot.model, NULL), torso);
  assert_string_equal(sn_model_name(robot.model), "torso");
  sn_test_robot_free(&robot);
  sn_test_robot_init_good(&robot, "<robot><link name='a'/></robot>", NULL);
  assert_string_equal(sn_model_name(robot.model), "");
  sn_test_robot_free(&robot);
}

/* The model keeps nothing of what it was made from. */
static void model_does_not_need_its_sources(void **state) {
  (void)state;
  char urdf[sizeof torso];
  char yaml[sizeof torso_yaml];
  memcpy(urdf, torso, sizeof urdf);
  memcpy(yaml, torso_yaml, sizeof yaml);
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, urdf, yaml);
  memset(urdf, 'X', sizeof urdf);
  memset(yaml, 'X', sizeof yaml);
  sn_arena_release(&robot.report_arena); /* of the property tree too */
  const sn_model *model = robot.model;
  assert_string_equal(sn_model_description(model, NULL), torso);
  assert_string_equal(sn_model_chain_property(model, 0, "colour"), "red");
  assert_string_equal(sn_names_at(sn_model_chain_names(model), 1), "right");
  assert_string_equal(sn_names_at(sn_model_contact_names(model), 1), "palm");
  assert_string_equal(sn_model_contact(model, 0)->name, "tip");
  assert_string_equal(sn_model_group(model, 1)->name, "others");
  assert_string_equal(sn_model_joint(model, 9)->name, "tail_end");
  assert_string_equal(sn_model_link(model, 12)->name, "camera");
  sn_test_robot_free(&robot);
}

/* The first link that moves without any mass at or beyond it is named; a virtual one may be so. */
static void massless_link_is_named_for_dynamics(void **state) {
  (void)state;
  static const char heavy[] =
      "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"
      "</inertial>";
  char urdf[1024];
  snprintf(urdf, sizeof urdf,
           "<robot name='r'>" LINK("base") "<link name='a'>%s</link>" LINK("b")
               MOVES("ja", "base", "a") MOVES("jb", "a", "b") "</robot>",
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
           "<robot name='r'>" LINK("base") LINK("a") "<link name='b'>%s</link>" MOVES(
               "ja", "base", "a") FIXED("jb", "a", "b") "</robot>",
           heavy);
  sn_test_robot_init_good(&robot, urdf, NULL);
  assert_null(sn_model_tree(robot.model)->massless_link);
  sn_assert_problems(robot.report, "");
  sn_test_robot_free(&robot);
}

static void failure_leaves_arena_and_output_untouched(void **state) {
  (void)state;
  sn_arena arena;
  sn_arena_init_growing(&arena, "model", 0);
  assert_non_null(sn_arena_alloc(&arena, 100, 8));
  const size_t used = sn_arena_used(&arena);
  static const char *const bad[] = {"", "<robot",
                                    "<robot name='r'><link name='a'/><link name='b'/></robot>",
                                    "<robot name='r'><link name='a'/></robot><x/>"};
  for (size_t i = 0; i < 4; i++) {
    const sn_model *model = NULL;
    sn_error err = {0};
    const sn_status status =
        sn_model_parse(&arena, bad[i], strlen(bad[i]), NULL, NULL, &model, &err);
    assert_int_equal(status, i == 2 ? SN_EMODEL : SN_ESYNTAX);
    assert_int_equal(err.code, status);
    assert_memory_equal(err.message, "robot_description:1:", 20);
    assert_null(model);
    assert_int_equal(sn_arena_used(&arena), used);
  }
  sn_arena_release(&arena);
}

static void report_with_errors_refuses_the_robot(void **state) {
  (void)state;
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, torso, NULL);
  sn_report_add(robot.report, SN_SEVERITY_WARNING, (sn_place){"p.yaml", 1, 2}, NULL, "hm");
  sn_report_add(robot.report, SN_SEVERITY_ERROR, (sn_place){"p.yaml", 3, 4}, NULL, "bad");
  const sn_model *model = NULL;
  sn_error err = {0};
  assert_int_equal(
      sn_model_parse(&robot.arena, torso, strlen(torso), NULL, robot.report, &model, &err),
      SN_EMODEL);
  assert_string_equal(err.message, "p.yaml:3:4: bad");
  assert_null(model);
  sn_test_robot_free(&robot);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sorted_pose_has_the_order_of_the_chains),
      cmocka_unit_test(order_of_declaration_decides),
      cmocka_unit_test(joints_know_their_chain_and_shared_ones_the_first),
      cmocka_unit_test(links_stand_in_tree_order),
      cmocka_unit_test(chain_ends_at_the_last_or_at_the_virtual_link),
      cmocka_unit_test(chain_properties_are_kept_as_text),
      cmocka_unit_test(structured_extra_keys_are_no_error),
      cmocka_unit_test(default_contact_is_found_or_there_is_none),
      cmocka_unit_test(chains_are_derived_one_per_leaf),
      cmocka_unit_test(contacts_alone_leave_the_chains_derived),
      cmocka_unit_test(derived_chains_begin_behind_undriven_joints),
      cmocka_unit_test(robot_of_one_link_has_no_joints_and_no_chains),
      cmocka_unit_test(mimic_joint_has_a_place_and_follows_its_master),
      cmocka_unit_test(groups_hold_ascending_joints_of_chains_and_names),
      cmocka_unit_test(joints_chains_lists_each_owner_once),
      cmocka_unit_test(contact_points_are_appended_or_nothing_is),
      cmocka_unit_test(contact_kind_follows_the_geometry),
      cmocka_unit_test(description_and_name_are_kept),
      cmocka_unit_test(model_does_not_need_its_sources),
      cmocka_unit_test(massless_link_is_named_for_dynamics),
      cmocka_unit_test(failure_leaves_arena_and_output_untouched),
      cmocka_unit_test(report_with_errors_refuses_the_robot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
