#include "base/report_internal.h"
#include "model/groups.h"
#include "robot.h"
#include "sinew/model.h"
#include "sn_test.h"

/* Chains as declared, base to tip, shared joints with the first, the rest in tree order: the tail
 * comes first in the file, so before the fingers, which are in the order of their joints. */
SN_TEST(sorted_pose_has_the_order_of_the_chains) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, sn_test_torso, sn_test_torso_yaml);
  const sn_model *model = robot.model;
  static const char *const expected[] = {"waist",           "l_shoulder",    "l_elbow",
                                         "l_virtual_joint", "r_shoulder",    "r_elbow",
                                         "tail_joint",      "finger2_joint", "finger1_joint"};
  sn_assert_names(sn_model_joint_names(model), expected, 9);
  assert_int_equal(sn_model_pose_size(model), 9);
  assert_int_equal(sn_model_dof(model), 8); /* one of them is a mimic joint */
  assert_int_equal(sn_model_joint_count(model), 12);
  for (size_t i = 0; i < 9; i++) {
    assert_string_equal(sn_model_joint(model, i)->name, expected[i]);
    assert_int_equal(sn_model_joint_index(model, expected[i]), (int)i);
  }
  /* Fixed joints follow, in tree order, and are not part of the pose. */
  static const char *const fixed[] = {"tail_end", "l_wrist", "camera_joint"};
  for (size_t i = 0; i < 3; i++) {
    assert_string_equal(sn_model_joint(model, 9 + i)->name, fixed[i]);
    assert_int_equal(sn_model_joint(model, 9 + i)->type, SN_JOINT_FIXED);
    assert_int_equal(sn_model_joint_index(model, fixed[i]), -1);
  }
  assert_int_equal(sn_model_joint_index(model, "unknown"), -1);
  assert_int_equal(sn_model_joint_index(model, ""), -1);
  sn_test_robot_free(&robot);
}

SN_TEST(order_of_declaration_decides) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, sn_test_torso,
                          "chains:\n"
                          "  right: {first_link: trunk, last_link: finger1}\n"
                          "  left: {first_link: base, last_link: l2}\n");
  static const char *const expected[] = {"r_shoulder", "r_elbow",       "finger1_joint",
                                         "waist",      "l_shoulder",    "l_elbow",
                                         "tail_joint", "finger2_joint", "l_virtual_joint"};
  sn_assert_names(sn_model_joint_names(robot.model), expected, 9);
  static const char *const chains[] = {"right", "left"};
  sn_assert_names(sn_model_chain_names(robot.model), chains, 2);
  sn_test_robot_free(&robot);
}

SN_TEST(joints_belong_to_the_first_chain_that_has_them) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, sn_test_torso, sn_test_torso_yaml);
  const sn_model *model = robot.model;
  static const int owners[] = {0, 0, 0, 0, 1, 1, -1, -1, -1, -1, -1, -1};
  for (size_t i = 0; i < sn_model_joint_count(model); i++) {
    assert_int_equal(sn_model_joint(model, i)->chain, owners[i]);
  }
  /* The second chain still has the shared joint. */
  const sn_chain *right = sn_model_chain(model, 1, true);
  static const int joints[] = {0, 4, 5};
  sn_assert_indices(right->joints, right->joint_count, joints, 3);
  sn_test_robot_free(&robot);
}

SN_TEST(links_are_in_tree_order) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, sn_test_torso, sn_test_torso_yaml);
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

SN_TEST(robot_of_one_link_has_no_joints_and_no_chains) {
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
  sn_assert_fault(sn__model_group(model, 0), "index <");
  sn_test_robot_free(&robot);
}

SN_TEST(mimic_joint_has_a_place_and_follows_its_master) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, sn_test_torso, sn_test_torso_yaml);
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

SN_TEST(joints_chains_lists_each_owner_once) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, sn_test_torso, sn_test_torso_yaml);
  const sn_model *model = robot.model;
  static const char *const joints[] = {"tail_joint", "r_elbow", "waist",   "unknown", "l_elbow",
                                       "r_shoulder", "r_elbow", "l_wrist", ""};
  int chains[4] = {-7, -7, -7, -7};
  size_t count = 99;
  assert_int_equal(sn__model_joints_chains(model, joints, 9, chains, 4, &count), SN_OK);
  assert_int_equal(count, 2);
  assert_int_equal(chains[0], 1); /* in the order met */
  assert_int_equal(chains[1], 0);
  assert_int_equal(chains[2], -7);
  /* Exactly enough room, and one too little: nothing is written. */
  assert_int_equal(sn__model_joints_chains(model, joints, 9, chains, 2, &count), SN_OK);
  chains[0] = chains[1] = -7;
  count = 99;
  assert_int_equal(sn__model_joints_chains(model, joints, 9, chains, 1, &count), SN_ENOSPC);
  assert_int_equal(chains[0], -7);
  assert_int_equal(count, 99);
  /* No owners need no room. */
  assert_int_equal(sn__model_joints_chains(model, joints, 1, NULL, 0, &count), SN_OK);
  assert_int_equal(count, 0);
  assert_int_equal(sn__model_joints_chains(model, NULL, 0, NULL, 0, &count), SN_OK);
  sn_test_robot_free(&robot);
}

SN_TEST(contact_points_are_appended_all_or_nothing) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, sn_test_torso, sn_test_torso_yaml);
  const sn_model *model = robot.model;
  sn_vec3 points[5];
  for (size_t i = 0; i < 5; i++) {
    points[i] = sn_vec3_make(-7, -7, -7);
  }
  sn_point_buffer buffer = {.points = points, .capacity = 4};
  assert_int_equal(sn_model_add_contact_points(model, "tip", &buffer), SN_OK);
  assert_int_equal(sn_model_add_contact_points(model, "unknown", &buffer), SN_ENOENT);
  assert_int_equal(buffer.count, 1);
  assert_int_equal(sn_model_add_contact_points(model, "palm", &buffer), SN_OK);
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

SN_TEST(description_and_name_are_kept) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, sn_test_torso, NULL);
  size_t size = 0;
  assert_string_equal(sn_model_description(robot.model, &size), sn_test_torso);
  assert_int_equal(size, strlen(sn_test_torso));
  assert_string_equal(sn_model_description(robot.model, NULL), sn_test_torso);
  assert_string_equal(sn_model_name(robot.model), "torso");
  sn_test_robot_free(&robot);
  sn_test_robot_init_good(&robot, "<robot><link name='a'/></robot>", NULL);
  assert_string_equal(sn_model_name(robot.model), "");
  sn_test_robot_free(&robot);
}

/* The model keeps nothing of what it was made from. */
SN_TEST(model_does_not_need_its_sources) {
  char urdf[4096];
  char yaml[1024];
  snprintf(urdf, sizeof urdf, "%s", sn_test_torso);
  snprintf(yaml, sizeof yaml, "%s", sn_test_torso_yaml);
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, urdf, yaml);
  memset(urdf, 'X', sizeof urdf);
  memset(yaml, 'X', sizeof yaml);
  sn_arena_release(&robot.report_arena); /* of the property tree too */
  const sn_model *model = robot.model;
  assert_string_equal(sn_model_description(model, NULL), sn_test_torso);
  assert_string_equal(sn_model_chain_property(model, 0, "colour"), "red");
  assert_string_equal(sn_names_at(sn_model_chain_names(model), 1), "right");
  assert_string_equal(sn_names_at(sn_model_contact_names(model), 1), "palm");
  assert_string_equal(sn_model_contact(model, 0)->name, "tip");
  assert_string_equal(sn__model_group(model, 1)->name, "others");
  assert_string_equal(sn_model_joint(model, 9)->name, "tail_end");
  assert_string_equal(sn_model_link(model, 12)->name, "camera");
  sn_test_robot_free(&robot);
}

SN_TEST(failure_leaves_arena_and_output_untouched) {
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

SN_TEST(report_with_errors_rejects_the_robot) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, sn_test_torso, NULL);
  sn__report_add(robot.report, SN_SEVERITY_WARNING,
                 (sn_place){.file = "p.yaml", .line = 1, .column = 2}, NULL, "hm");
  sn__report_add(robot.report, SN_SEVERITY_ERROR,
                 (sn_place){.file = "p.yaml", .line = 3, .column = 4}, NULL, "bad");
  const sn_model *model = NULL;
  sn_error err = {0};
  assert_int_equal(sn_model_parse(&robot.arena, sn_test_torso, strlen(sn_test_torso), NULL,
                                  robot.report, &model, &err),
                   SN_EMODEL);
  assert_string_equal(err.message, "p.yaml:3:4: bad");
  assert_null(model);
  sn_test_robot_free(&robot);
}

#define COLLISION(origin, shape) "<collision>" origin "<geometry>" shape "</geometry></collision>"

SN_TEST(links_keep_their_complete_collision_shapes) {
  sn_test_robot robot;
  sn_test_robot_init(
      &robot,
      "<robot name='r'><link name='a'>" COLLISION("<origin xyz='1 2 3'/>", "<box size='4 5 6'/>")
          COLLISION("", "<sphere radius='0.5'/>") COLLISION(
              "<origin rpy='0 0 1.5707963267948966'/>", "<cylinder radius='0.1' length='2'/>")
              COLLISION("", "<cylinder radius='0.1'/>")
                  COLLISION("", "<capsule radius='0.2' length='3'/>")
                      COLLISION("", "<mesh filename='a.stl' scale='1 2 3'/>")
                          COLLISION("", "<mesh/>") "</link><link name='b'/>" SN_TEST_FIXED(
                              "j", "a", "b") "</robot>",
      NULL);
  assert_int_equal(robot.status, SN_OK);
  const sn_link *link = sn_model_link(robot.model, 0);
  static const sn_shape_kind kinds[] = {SN_SHAPE_BOX, SN_SHAPE_SPHERE, SN_SHAPE_CYLINDER,
                                        SN_SHAPE_CAPSULE, SN_SHAPE_MESH};
  assert_int_equal(link->shape_count, 5); /* a cylinder without length and a mesh without file */
  for (size_t i = 0; i < 5; i++) {
    assert_int_equal(link->shapes[i].kind, kinds[i]);
  }
  sn_assert_near(link->shapes[0].size.y, 5.0, 0.0);
  sn_assert_near(link->shapes[0].pose_link_shape.pos.z, 3.0, 0.0);
  sn_assert_near(link->shapes[1].radius, 0.5, 0.0);
  sn_assert_near(link->shapes[2].length, 2.0, 0.0);
  sn_assert_near(link->shapes[2].pose_link_shape.rot.x.y, 1.0, 1e-15);
  sn_assert_near(link->shapes[3].radius, 0.2, 0.0);
  assert_string_equal(link->shapes[4].mesh, "a.stl");
  sn_assert_near(link->shapes[4].size.z, 3.0, 0.0);
  assert_int_equal(sn_model_link(robot.model, 1)->shape_count, 0);
  sn_test_robot_free(&robot);
}
