/* What an SRDF adds to a robot: limbs, poses, grippers, pairs of links, joints without a drive. */
#define _POSIX_C_SOURCE 200809L /* mkdir() */

#include <string.h>
#include <sys/stat.h>

#include "limb_case.h"
#include "model/srdf/semantics.h"
#include "program.h"
#include "robot.h"
#include "sn_test.h"

#define ARM7 SINEW_ROBOTS "/arm7.urdf"

typedef struct bench {
  sn_arena arena, problems;
  sn_report *report;
  const sn_model *model;
  sn_error err;
} bench;

static sn_status load(bench *b, const char *path, const char *srdf) {
  *b = (bench){0};
  sn_arena_init_growing(&b->arena, "model", 0);
  sn_arena_init_growing(&b->problems, "problems", 0);
  assert_int_equal(sn_report_create(&b->problems, &b->report, NULL), SN_OK);
  const sn_model_config config = {.srdf = srdf,
                                  .srdf_size = srdf == NULL ? 0 : strlen(srdf),
                                  .srdf_file = srdf == NULL ? NULL : "robot.srdf"};
  return sn_model_load(&b->arena, path, &config, b->report, &b->model, &b->err);
}

static void open_good(bench *b, const char *srdf) {
  if (load(b, ARM7, srdf) != SN_OK) {
    fail_msg("%s", b->err.message);
  }
}

static void close_bench(bench *b) {
  sn_arena_release(&b->arena);
  sn_arena_release(&b->problems);
}

#define JOINTS " joint1 joint2 joint3 joint4 joint5 joint6 joint7\n"
#define ARM_GROUP \
  "<group name='manipulator'><chain base_link='base_link' tip_link='tool0'/></group>"
#define HAND_GROUP                                                                \
  "<group name='hand'><joint name='finger_joint1'/><joint name='finger_joint2'/>" \
  "<link name='hand_link'/></group>"

SN_TEST(groups_are_limbs_by_their_names) {
  bench b;
  open_good(&b, "<robot name='arm7'>" ARM_GROUP HAND_GROUP
                "<end_effector name='pincer' group='hand' parent_link='tool0' "
                "parent_group='manipulator'/></robot>");
  sn_assert_problems(b.report, "");
  assert_string_equal(limb_list_limbs(b.model),
                      "manipulator base_link tool0:" JOINTS
                      "hand hand_link finger_link1: finger_joint1 finger_joint2\n");
  limb_check_rules(b.model);
  assert_string_equal(sn_model_chain_property(b.model, 1, "end_effector"), "pincer");
  assert_null(sn_model_chain_property(b.model, 0, "end_effector"));
  const sn__semantics *s = sn__model_semantics(b.model);
  assert_int_equal(s->effector_count, 1);
  assert_int_equal(s->effectors[0].parent_link, sn_model_link_index(b.model, "tool0"));
  close_bench(&b);
}

/* The three ways to write a run of joints, with and without the fixed ones. */
SN_TEST(lists_of_joints_or_links_are_limbs_too) {
  static const char *const groups[][2] = {
      {"<joint name='joint1'/><joint name='joint2'/><joint name='joint3'/>"
       "<joint name='joint4'/><joint name='joint5'/><joint name='joint6'/><joint name='joint7'/>",
       "link7"},
      {"<joint name='joint1'/><joint name='joint2'/><joint name='joint3'/>"
       "<joint name='joint4'/><joint name='joint5'/><joint name='joint6'/><joint name='joint7'/>"
       "<joint name='tool0_joint'/>",
       "tool0"},
      {"<link name='base_link'/><link name='link1'/><link name='link2'/><link name='link3'/>"
       "<link name='link4'/><link name='link5'/><link name='link6'/><link name='link7'/>",
       "link7"}};
  for (size_t i = 0; i < 3; i++) {
    char srdf[1024], expected[256];
    snprintf(srdf, sizeof srdf, "<robot name='arm7'><group name='a'>%s</group></robot>",
             groups[i][0]);
    snprintf(expected, sizeof expected,
             "a base_link %s:" JOINTS
             "gripper hand_link finger_link1: finger_joint1 finger_joint2\n",
             groups[i][1]);
    bench b;
    open_good(&b, srdf);
    sn_assert_problems(b.report, "");
    assert_string_equal(limb_list_limbs(b.model), expected);
    close_bench(&b);
  }
}

/* A group of groups, and a larger group that has the joints of smaller ones. */
SN_TEST(unions_of_limbs_are_sets_of_joints) {
  bench b;
  open_good(&b,
            "<robot name='arm7'><group name='all'><group name='manipulator'/>"
            "<group name='hand'/></group>"
            "<group name='upper'><joint name='joint1'/><joint name='joint2'/></group>"
            "<group name='loop'><group name='loop'/><group name='all'/></group>" ARM_GROUP
            "</robot>");
  sn_assert_problems(b.report,
                     "robot.srdf:1:65: warning: group 'all': 'hand' is not a group of this file "
                     "(it is left out)\n"
                     "robot.srdf:1:1: warning: joint 'joint3' is in no limb: the groups divide the "
                     "one that it would be in (add it to a group, or declare chains)\n"
                     "robot.srdf:1:1: warning: joint 'joint4' is in no limb: the groups divide the "
                     "one that it would be in (add it to a group, or declare chains)\n"
                     "robot.srdf:1:1: warning: joint 'joint5' is in no limb: the groups divide the "
                     "one that it would be in (add it to a group, or declare chains)\n"
                     "robot.srdf:1:1: warning: joint 'joint6' is in no limb: the groups divide the "
                     "one that it would be in (add it to a group, or declare chains)\n"
                     "robot.srdf:1:1: warning: joint 'joint7' is in no limb: the groups divide the "
                     "one that it would be in (add it to a group, or declare chains)\n");
  const sn__semantics *s = sn__model_semantics(b.model);
  assert_int_equal(s->group_count, 4);
  assert_string_equal(s->groups[2].name, "loop");
  assert_int_equal(s->groups[0].joint_count, 7);
  assert_int_equal(s->groups[2].joint_count, 7);
  assert_int_equal(s->groups[0].chain, -1);
  assert_int_equal(s->groups[1].chain, sn_model_chain_index(b.model, "upper"));
  assert_int_equal(s->groups[3].chain, -1);
  close_bench(&b);
}

SN_TEST(chains_of_the_property_file_come_first) {
  sn_test_robot robot;
  sn_test_robot_load(&robot, "arm7");
  const sn_value *properties = NULL;
  assert_int_equal(
      sn_value_load(&robot.report_arena, SINEW_ROBOTS "/arm7.yaml", robot.report, &properties),
      SN_OK);
  static const char srdf[] = "<robot name='arm7'>" ARM_GROUP "</robot>";
  const sn_model_config config = {
      .properties = properties, .srdf = srdf, .srdf_size = strlen(srdf)};
  const sn_model *model = NULL;
  assert_int_equal(sn_model_load(&robot.arena, ARM7, &config, robot.report, &model, NULL), SN_OK);
  assert_string_equal(limb_list_limbs(model), limb_list_limbs(robot.model));
  assert_int_equal(sn__model_semantics(model)->group_count, 1);
  sn_test_robot_free(&robot);
}

SN_TEST(passive_joints_are_in_no_limb) {
  bench b;
  open_good(&b,
            "<robot name='arm7'><passive_joint name='finger_joint1'/>"
            "<passive_joint name='tail'/></robot>");
  sn_assert_problems(b.report,
                     "robot.srdf:1:57: warning: <passive_joint> 'tail' is not a joint of the robot "
                     "(it is left out)\n");
  assert_string_equal(limb_list_limbs(b.model), "arm base_link tool0:" JOINTS);
  const sn__semantics *s = sn__model_semantics(b.model);
  assert_int_equal(s->passive_count, 1);
  assert_string_equal(sn_model_joint(b.model, (size_t)s->passive[0])->name, "finger_joint1");
  assert_int_equal(sn_model_joint(b.model, (size_t)s->passive[0])->chain, -1);
  close_bench(&b);
}

SN_TEST(states_keep_what_the_robot_can_do) {
  bench b;
  open_good(&b,
            "<robot name='arm7'>\n"
            "<group_state name='up' group='arm'><joint name='joint1' value='0.5'/>"
            "<joint name='tool0_joint' value='1'/></group_state>\n"
            "<group_state name='far'><joint name='joint1' value='9'/>"
            "<joint name='joint2' value='x'/><joint name='elbow' value='0'/>"
            "<joint name='joint3' value='0.1'/><joint name='joint3' value='0.2'/></group_state>\n"
            "<group_state name='none'/></robot>");
  sn_assert_problems(
      b.report,
      "robot.srdf:2:1: warning: state 'up': 'arm' is not a group of this file\n"
      "robot.srdf:3:25: warning: state 'far': joint 'joint1' is outside its limits "
      "(it is left out)\n"
      "robot.srdf:3:57: warning: state 'far': joint 'joint2' has no number as its value "
      "(it is left out)\n"
      "robot.srdf:3:89: warning: state 'far': joint 'elbow' is not a movable joint of the robot "
      "(it is left out)\n"
      "robot.srdf:3:154: warning: state 'far': joint 'joint3' is there twice (it is left out)\n"
      "robot.srdf:4:1: warning: state 'none' has no joints, it is left out\n");
  const sn__semantics *s = sn__model_semantics(b.model);
  assert_int_equal(s->state_count, 2);
  assert_int_equal(s->states[0].count, 1);
  sn_assert_near(s->states[0].positions[0], 0.5, 0.0);
  assert_int_equal(s->states[1].count, 1);
  sn_assert_near(s->states[1].positions[0], 0.1, 0.0);
  close_bench(&b);
}

SN_TEST(pairs_are_switched_off_from_the_general_to_the_single) {
  bench b;
  open_good(&b,
            "<robot name='arm7'><enable_collisions link1='link1' link2='link3'/>"
            "<disable_collisions link1='link1' link2='tail'/>"
            "<disable_collisions link1='link2' link2='link4'/>"
            "<disable_default_collisions link='link1'/></robot>");
  sn_assert_problems(b.report,
                     "robot.srdf:1:68: warning: <disable_collisions> link2 is 'tail', "
                     "which is not a link of the robot\n");
  const sn__semantics *s = sn__model_semantics(b.model);
  assert_int_equal(s->pair_count, 3);
  assert_int_equal(s->pairs[0].b, -1);
  assert_false(s->pairs[1].is_checked);
  assert_true(s->pairs[2].is_checked);
  close_bench(&b);
}

SN_TEST(other_problems_have_their_places) {
  static const struct {
    const char *srdf, *problem;
  } cases[] = {
      {"<robot name='arm6'/>",
       "robot.srdf:1:1: warning: the SRDF is of 'arm6', the robot is 'arm7' "
       "(is it the SRDF of another robot?)\n"},
      {"<robot><group/></robot>",
       "robot.srdf:1:8: warning: group '': it has no name (the group is left out)\n"},
      {"<robot><group name='a'/><group name='a'/></robot>",
       "robot.srdf:1:25: warning: group 'a': there are two of this name (the group is left out)\n"},
      {"<robot><group name='a'><chain base_link='tool0' tip_link='link1'/></group></robot>",
       "robot.srdf:1:24: warning: group 'a': tip_link 'link1' is not below base_link 'tool0' "
       "(the chain is left out)\n"},
      {"<robot><group name='a'><link name='tail'/></group></robot>",
       "robot.srdf:1:24: warning: group 'a': 'tail' is not a link of the robot (it is left out)\n"},
      {"<robot><end_effector name='e' group='a' parent_link='tail'/></robot>",
       "robot.srdf:1:8: warning: <end_effector> group 'a' is not a group of this file "
       "(the end effector is left out)\n"
       "robot.srdf:1:8: warning: end effector 'e': parent_link 'tail' is not a link of the "
       "robot\n"},
      {"<robot><virtual_joint name='v' type='fixed' parent_frame='w' child_link='link1'/></robot>",
       "robot.srdf:1:8: warning: virtual joint 'v': child_link 'link1' is not the root link "
       "'base_link'\n"},
      {"<robot><tail/></robot>",
       "robot.srdf:1:8: warning: <tail> inside <robot> is not known in SRDF, it is skipped\n"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bench b;
    open_good(&b, cases[i].srdf);
    sn_assert_problems(b.report, cases[i].problem);
    close_bench(&b);
  }
}

SN_TEST(text_that_is_no_srdf_rejects_the_robot) {
  static const char *const texts[] = {"", "<robot>", "<sdf/>", "<robot><group>"};
  for (size_t i = 0; i < 4; i++) {
    bench b;
    assert_int_equal(load(&b, ARM7, texts[i]), SN_EMODEL);
    sn_assert_contains(b.err.message, "robot.srdf:");
    assert_null(b.model);
    close_bench(&b);
  }
}

SN_TEST(the_file_beside_the_robot_is_found) {
  static const char *const places[] = {
      "ws/arm/urdf/r.srdf", "ws/arm/urdf/config/r.srdf", "ws/arm/config/r.srdf",
      "ws/arm/r_moveit_config/config/r.srdf", "ws/r_moveit_config/config/r.srdf"};
  static const char *const folders[] = {"ws",
                                        "ws/arm",
                                        "ws/arm/urdf",
                                        "ws/arm/urdf/config",
                                        "ws/arm/config",
                                        "ws/arm/r_moveit_config",
                                        "ws/arm/r_moveit_config/config",
                                        "ws/r_moveit_config",
                                        "ws/r_moveit_config/config"};
  for (size_t i = 0; i < 5; i++) {
    char folder[64], path[256], expected[256];
    sn_test_folder_create(folder);
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
      snprintf(path, sizeof path, "%s/%s", folder, folders[k]);
      assert_int_equal(mkdir(path, 0700), 0);
    }
    sn_test_write(folder, "ws/arm/urdf/r.urdf", "<robot name='r'><link name='a'/></robot>");
    sn_test_write(folder, "ws/arm/urdf/other.srdf", "<robot/>");
    sn_test_write(folder, places[i], "<robot name='r'/>");
    snprintf(path, sizeof path, "%s/ws/arm/urdf/r.urdf", folder);
    bench b;
    assert_int_equal(load(&b, path, NULL), SN_OK);
    sn_assert_problems(b.report, "");
    const char *found = sn__model_semantics(b.model)->text_file;
    assert_non_null(found);
    snprintf(expected, sizeof expected, "%s", strrchr(places[i], '/'));
    sn_assert_contains(found, expected);
    close_bench(&b);
    const sn_model_config config = {.srdf_file = ""};
    assert_int_equal(load(&b, path, NULL), SN_OK);
    assert_int_equal(sn_model_load(&b.arena, path, &config, b.report, &b.model, NULL), SN_OK);
    assert_null(sn__model_semantics(b.model)->text);
    close_bench(&b);
    sn_test_folder_remove(folder);
  }
}

/* With the arguments of the robot, which is written in xacro as well. */
SN_TEST(an_srdf_in_xacro_is_expanded) {
  char folder[64], path[256];
  sn_test_folder_create(folder);
  sn_test_write(folder, "r.urdf.xacro",
                "<robot name='r' xmlns:xacro='x'><xacro:arg name='p' default=''/>"
                "<link name='$(arg p)a'/><link name='$(arg p)b'/>"
                "<joint name='$(arg p)j' type='revolute'><parent link='$(arg p)a'/>"
                "<child link='$(arg p)b'/><axis xyz='0 0 1'/>"
                "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>");
  sn_test_write(folder, "part.xacro",
                "<robot xmlns:xacro='x'><xacro:macro name='limb' params='p'><group name='limb'>"
                "<chain base_link='${p}a' tip_link='${p}b'/></group></xacro:macro></robot>");
  sn_test_write(folder, "r.srdf.xacro",
                "<robot name='r' xmlns:xacro='x'><xacro:arg name='p' default='none'/>"
                "<xacro:include filename='part.xacro'/><xacro:limb p='$(arg p)'/>"
                "<group_state name='up' group='limb'><joint name='$(arg p)j' value='${pi/4}'/>"
                "</group_state><passive_joint name='no'/></robot>");
  snprintf(path, sizeof path, "%s/r.urdf.xacro", folder);
  bench b = {0};
  sn_arena_init_growing(&b.arena, "model", 0);
  sn_arena_init_growing(&b.problems, "problems", 0);
  assert_int_equal(sn_report_create(&b.problems, &b.report, NULL), SN_OK);
  static const char *const arguments[] = {"p:=l_", NULL};
  const sn_model_config config = {.xacro_arguments = arguments};
  assert_int_equal(sn_model_load(&b.arena, path, &config, b.report, &b.model, &b.err), SN_OK);
  assert_string_equal(limb_list_limbs(b.model), "limb l_a l_b: l_j\n");
  assert_int_equal(sn_report_count(b.report), 2); /* and a link without mass */
  sn_assert_contains(sn_report_at(b.report, 0)->place.file, "/r.srdf.xacro, expanded");
  close_bench(&b);
  sn_test_write(folder, "r.srdf.xacro", "<robot name='r' xmlns:xacro='x'><xacro:none/></robot>");
  assert_int_equal(load(&b, path, NULL), SN_EINVAL);
  sn_assert_contains(b.err.message, "unknown macro 'none'");
  close_bench(&b);
  sn_test_folder_remove(folder);
}
