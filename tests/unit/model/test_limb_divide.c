/* Robots without declared chains are divided into limbs. Each case is the shape
   of a robot, one joint in a line, and the limbs that it should have. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "robot.h"
#include "sn_test.h"

/* ---- robots in short ---- */

typedef struct text {
  char data[64 * 1024];
  size_t used;
} text;

static void put(text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(text *out, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int length = vsnprintf(out->data + out->used, sizeof out->data - out->used, format, list);
  va_end(list);
  assert_true(length >= 0 && (size_t)length < sizeof out->data - out->used);
  out->used += (size_t)length;
}

/* A line is `TYPE JOINT PARENT CHILD X Y Z`, for r and p then `LOWER UPPER`, for those that mimic
   (m turns, n slides) the master. TYPE: f fixed, c continuous, o floating. */
static void put_joint(text *out, const char *lines) {
  char line[256];
  snprintf(line, sizeof line, "%.*s", (int)strcspn(lines, "\n"), lines);
  char joint[64], parent[64], child[64], a[64] = "", b[64] = "";
  char type = 0;
  double x = 0, y = 0, z = 0;
  const int count = sscanf(line, " %c %63s %63s %63s %lf %lf %lf %63s %63s", &type, joint, parent,
                           child, &x, &y, &z, a, b);
  static const char *const types[] = {
      ['f'] = "fixed",     ['c'] = "continuous", ['o'] = "floating",  ['r'] = "revolute",
      ['p'] = "prismatic", ['m'] = "revolute",   ['n'] = "prismatic", ['z'] = NULL};
  assert_true(count >= 7 && types[(int)type] != NULL);
  put(out,
      "<link name='%s'/><joint name='%s' type='%s'><parent link='%s'/><child link='%s'/>"
      "<origin xyz='%g %g %g'/><axis xyz='0 0 1'/>",
      child, joint, types[(int)type], parent, child, x, y, z);
  if (type == 'm' || type == 'n') {
    put(out, "<mimic joint='%s'/><limit lower='0' upper='0.5' effort='1' velocity='1'/>", a);
  } else if (type == 'r' || type == 'p') {
    put(out, "<limit lower='%s' upper='%s' effort='1' velocity='1'/>", count > 7 ? a : "-2",
        count > 8 ? b : "2");
  }
  put(out, "</joint>");
}

static void load(sn_test_robot *robot, const char *root, const char *lines) {
  static text urdf;
  urdf.used = 0;
  put(&urdf, "<robot name='r'><link name='%s'/>", root);
  for (const char *line = lines; *line != '\0'; line = strchr(line, '\n') + 1) {
    put_joint(&urdf, line);
  }
  put(&urdf, "</robot>");
  sn_test_robot_init_good(robot, urdf.data, NULL);
}

/* Limbs as lines: `NAME FIRST TIP: JOINT JOINT`. */
static const char *list_limbs(const sn_model *model) {
  static text out;
  out.used = 0;
  put(&out, "%s", "");
  const sn_names *names = sn_model_chain_names(model);
  for (size_t i = 0; i < sn_names_count(names); i++) {
    put(&out, "%s %s %s:", sn_names_at(names, i), sn_model_chain_property(model, i, "first_link"),
        sn_model_chain_property(model, i, "last_link"));
    size_t count = 0;
    const int *joints = sn_model_chain_joints(model, i, &count);
    for (size_t j = 0; j < count; j++) {
      put(&out, " %s", sn_model_joint(model, (size_t)joints[j])->name);
    }
    put(&out, "\n");
  }
  return out.data;
}

/* Whatever the robot: every driven joint is in one limb, the first joints of a limb are a run from
   its first to its last link, and the sorted pose goes limb by limb. */
static void check_rules(const sn_model *model) {
  bool is_met[256] = {false};
  int next = 0;
  for (size_t i = 0; i < sn_names_count(sn_model_chain_names(model)); i++) {
    size_t count = 0;
    const int *joints = sn_model_chain_joints(model, i, &count);
    const sn_chain *run = sn_model_chain(model, i, true);
    assert_true(count > 0 && run->joint_count > 0 && run->joint_count <= count);
    assert_memory_equal(joints, run->joints, run->joint_count * sizeof *joints);
    for (size_t j = 0; j < count; j++) {
      assert_false(is_met[joints[j]]);
      is_met[joints[j]] = true;
      assert_int_equal(joints[j], next++);
      assert_int_equal(sn_model_joint(model, (size_t)joints[j])->chain, i);
    }
  }
  for (size_t j = 0; j < sn_model_pose_size(model); j++) {
    const sn_joint_type type = sn_model_joint(model, j)->type;
    assert_int_equal(is_met[j], type != SN_JOINT_FLOATING && type != SN_JOINT_PLANAR);
  }
}

static void check_limbs(const char *root, const char *lines, const char *expected) {
  sn_test_robot robot;
  load(&robot, root, lines);
  assert_string_equal(list_limbs(robot.model), expected);
  check_rules(robot.model);
  sn_test_robot_free(&robot);
}

/* ---- our own robots ---- */

static void check_own(const char *name, const char *expected) {
  char path[512];
  snprintf(path, sizeof path, SINEW_ROBOTS "/%s.urdf", name);
  sn_arena arena;
  const sn_model *model = NULL;
  sn_arena_init_growing(&arena, "model", 0);
  assert_int_equal(sn_model_load(&arena, path, NULL, NULL, &model, NULL), SN_OK);
  assert_string_equal(list_limbs(model), expected);
  check_rules(model);
  sn_arena_release(&arena);
}

SN_TEST(own_robots_have_their_limbs) {
  check_own("arm6", "arm base_link tool0: joint1 joint2 joint3 joint4 joint5 joint6\n");
  check_own("arm_ur", "arm base_link tool0: joint1 joint2 joint3 joint4 joint5 joint6\n");
  check_own("arm7",
            "arm base_link tool0: joint1 joint2 joint3 joint4 joint5 joint6 joint7\n"
            "gripper hand_link finger_link1: finger_joint1 finger_joint2\n");
  check_own("quadruped",
            "leg1 base_link leg1_link6: leg1_joint1 leg1_joint2 leg1_joint3 leg1_joint4 "
            "leg1_joint5 leg1_joint6\n"
            "leg2 base_link leg2_link6: leg2_joint1 leg2_joint2 leg2_joint3 leg2_joint4 "
            "leg2_joint5 leg2_joint6\n"
            "leg3 base_link leg3_link6: leg3_joint1 leg3_joint2 leg3_joint3 leg3_joint4 "
            "leg3_joint5 leg3_joint6\n"
            "leg4 base_link leg4_link6: leg4_joint1 leg4_joint2 leg4_joint3 leg4_joint4 "
            "leg4_joint5 leg4_joint6\n"
            "head base_link nose_link: head_joint1 head_joint2 head_joint3 head_joint4\n");
}

/* ---- arms and their grippers ---- */

#define ARM(prefix, base, side)                  \
  "r " prefix "j1 " base " " prefix "a1 0 " side \
  " 0.3\n"                                       \
  "r " prefix "j2 " prefix "a1 " prefix          \
  "a2 0 0 0.1\n"                                 \
  "r " prefix "j3 " prefix "a2 " prefix          \
  "a3 0 0 0.3\n"                                 \
  "r " prefix "j4 " prefix "a3 " prefix          \
  "a4 0 0 0.1\n"                                 \
  "r " prefix "j5 " prefix "a4 " prefix          \
  "a5 0 0 0.3\n"                                 \
  "r " prefix "j6 " prefix "a5 " prefix "a6 0 0 0.1\n"

#define ARM_JOINTS " j1 j2 j3 j4 j5 j6\n"

/* Two fingers that slide, one of them by mimic; frames for the tool. */
SN_TEST(sliding_fingers_are_a_gripper) {
  check_limbs("base",
              ARM("", "base", "0")
              "f flange_joint a6 flange 0 0 0.1\n"
              "f hand_joint flange hand 0 0 0\n"
              "f tcp_joint hand hand_tcp 0 0 0.1\n"
              "p finger_joint1 hand leftfinger 0 0 0.06 0 0.04\n"
              "n finger_joint2 hand rightfinger 0 0 0.06 finger_joint1\n",
              "arm base hand_tcp:" ARM_JOINTS
              "gripper hand leftfinger: finger_joint1 finger_joint2\n");
  /* Without mimic, and without a word that helps. */
  check_limbs("base",
              ARM("", "base", "0")
              "p s1 a6 k1 0 0.01 0.06 0 0.04\n"
              "p s2 a6 k2 0 -0.01 0.06 0 0.04\n",
              "arm base a6:" ARM_JOINTS "gripper a6 k1: s1 s2\n");
}

/* Three fingers of two joints each, driven one by one, with meaningless names. */
SN_TEST(fingers_that_are_alike_are_a_gripper) {
  check_limbs("world",
              "f mount world base 0 0 0\n" ARM("", "base", "0")
              "f end a6 x_end_effector 0 0 0.1\n"
              "r p1 a6 b1 0 0.03 0.05 0 1.5\n"
              "r p2 b1 b2 0 0 0.04 0 2\n"
              "r q1 a6 c1 0 -0.03 0.05 0 1.5\n"
              "r q2 c1 c2 0 0 0.04 0 2\n"
              "r s1 a6 d1 0.03 0 0.05 0 1.5\n"
              "r s2 d1 d2 0 0 0.04 0 2\n",
              "arm world x_end_effector:" ARM_JOINTS "gripper a6 b2: p1 p2 q1 q2 s1 s2\n");
}

/* A linkage: everything mimics one joint. A finger that is itself followed. */
SN_TEST(fingers_that_mimic_are_a_gripper) {
  check_limbs("base",
              ARM("", "base", "0")
              "f palm_joint a6 palm 0 0 0.05\n"
              "f tool_joint palm grasp_tool_frame 0 0 0.15\n"
              "r k1 palm outer_l 0 0.02 0.05 0 0.5\n"
              "m k2 outer_l inner_l 0 0 0.05 k1\n"
              "m k3 palm outer_r 0 -0.02 0.05 k2\n"
              "m k4 outer_r inner_r 0 0 0.05 k1\n"
              "m k5 palm rod_l 0 0.01 0.05 k1\n",
              "arm base grasp_tool_frame:" ARM_JOINTS "gripper palm inner_l: k1 k2 k3 k4 k5\n");
}

/* A kit: five servos and one that moves a jaw. Names decide, since a last joint may be a wrist. */
SN_TEST(one_jaw_is_a_gripper_by_its_name) {
#define KIT(last)                 \
  "r pan base s1 0 0 0.05\n"      \
  "r lift s1 s2 0 0 0.05\n"       \
  "r elbow s2 s3 0 0 0.12\n"      \
  "r bend s3 s4 0 0 0.12\n"       \
  "r turn s4 s5 0 0 0.05\n"       \
  "r " last                       \
  " s5 s6 0 0.02 0.05 -0.1 1.2\n" \
  "f tip s6 s7 0 0 0.05\n"
  check_limbs("base", KIT("gripper"),
              "arm base s5: pan lift elbow bend turn\n"
              "gripper s5 s7: gripper\n");
  check_limbs("base", KIT("jaw_joint"),
              "arm base s5: pan lift elbow bend turn\n"
              "gripper s5 s7: jaw_joint\n");
  check_limbs("base", KIT("gripper_roll"), "arm base s7: pan lift elbow bend turn gripper_roll\n");
  check_limbs("base", KIT("last"), "arm base s7: pan lift elbow bend turn last\n");
}

SN_TEST(a_hand_of_many_fingers_is_one_limb) {
  check_limbs("base",
              ARM("", "base", "0")
              "r thumb_1 a6 t1 0 0.04 0.05 0 1\n"
              "r thumb_2 t1 t2 0 0 0.03 0 1\n"
              "r index_1 a6 i1 0.03 0 0.1 0 1\n"
              "r index_2 i1 i2 0 0 0.03 0 1\n"
              "r index_3 i2 i3 0 0 0.03 0 1\n"
              "r middle_1 a6 m1 0 0 0.1 0 1\n"
              "r middle_2 m1 m2 0 0 0.03 0 1\n"
              "r middle_3 m2 m3 0 0 0.03 0 1\n"
              "r ring_1 a6 r1 -0.03 0 0.1 0 1\n"
              "r ring_2 r1 r2 0 0 0.03 0 1\n"
              "r ring_3 r2 r3 0 0 0.03 0 1\n",
              "arm base a6:" ARM_JOINTS
              "hand a6 t2: thumb_1 thumb_2 index_1 index_2 index_3 middle_1 middle_2 middle_3 "
              "ring_1 ring_2 ring_3\n");
}

/* What comes in pairs is not always a gripper. */
SN_TEST(ears_wheels_and_arms_are_not_fingers) {
  check_limbs("base",
              "r neck1 base n1 0 0 0.1\n"
              "r neck2 n1 n2 0 0 0.1\n"
              "r neck3 n2 n3 0 0 0.1\n"
              "r ear_l n3 e1 0 0.05 0.05\n"
              "r ear_r n3 e2 0 -0.05 0.05\n",
              "head base n3: neck1 neck2 neck3\n"
              "e1 n3 e1: ear_l\n"
              "e2 n3 e2: ear_r\n");
  check_limbs("base",
              "r rocker base b1 0 0 0.2\n"
              "r bogie b1 b2 0 0 0.2\n"
              "c turn1 b2 w1 0.1 0 0\n"
              "c turn2 b2 w2 -0.1 0 0\n",
              "b2 base b2: rocker bogie\n"
              "w1 b2 w1: turn1\n"
              "w2 b2 w2: turn2\n");
  /* A small humanoid: arms that are as long as the spine. */
  check_limbs("pelvis",
              "r s1 pelvis p1 0 0 0.08\n"
              "r s2 p1 p2 0 0 0.08\n"
              "r s3 p2 chest 0 0 0.08\n"
              "r ls1 chest l1 0 0.05 0.05\n"
              "r ls2 l1 l2 0 0.03 0\n"
              "r ls3 l2 l3 0 0 -0.15\n"
              "f lh l3 l4 0 0 -0.15\n"
              "r rs1 chest r1 0 -0.05 0.05\n"
              "r rs2 r1 r2 0 -0.03 0\n"
              "r rs3 r2 r3 0 0 -0.15\n"
              "f rh r3 r4 0 0 -0.15\n",
              "torso pelvis chest: s1 s2 s3\n"
              "l4 chest l4: ls1 ls2 ls3\n"
              "r4 chest r4: rs1 rs2 rs3\n");
}

/* ---- whole robots ---- */

/* A lift, a head with cameras, a sensor that tilts, two arms of seven joints with grippers. */
SN_TEST(trunk_ends_where_it_forks) {
#define SIDE(s, y)                           \
  "r " s "_shoulder_pan torso " s "_sp 0 " y \
  " 0.1\n"                                   \
  "r " s "_shoulder_lift " s "_sp " s        \
  "_sl 0.1 0 0\n"                            \
  "r " s "_upper_arm_roll " s "_sl " s       \
  "_ua 0.1 0 0\n"                            \
  "r " s "_elbow_flex " s "_ua " s           \
  "_ef 0.3 0 0 -2 0\n"                       \
  "c " s "_forearm_roll " s "_ef " s         \
  "_fr 0.1 0 0\n"                            \
  "f " s "_cam " s "_fr " s                  \
  "_forearm_cam_frame 0.1 0 0\n"             \
  "f " s "_cam_o " s "_forearm_cam_frame " s \
  "_forearm_cam_optical_frame 0 0 0\n"       \
  "r " s "_wrist_flex " s "_fr " s           \
  "_wf 0.3 0 0 -2 0\n"                       \
  "c " s "_wrist_roll " s "_wf " s           \
  "_wr 0 0 0\n"                              \
  "f " s "_palm " s "_wr " s                 \
  "_gripper_palm 0.05 0 0\n"                 \
  "f " s "_acc " s "_gripper_palm " s        \
  "_accelerometer 0.01 0 0\n"                \
  "f " s "_tool " s "_gripper_palm " s       \
  "_gripper_tool_frame 0.15 0 0\n"           \
  "r " s "_finger_l " s "_gripper_palm " s   \
  "_fl 0.05 0.01 0 0 0.5\n"                  \
  "m " s "_finger_r " s "_gripper_palm " s "_fr2 0.05 -0.01 0 " s "_finger_l\n"
#define SIDE_LIMBS(side, s)                                                             \
  side "_arm torso " s "_gripper_tool_frame: " s "_shoulder_pan " s "_shoulder_lift " s \
       "_upper_arm_roll " s "_elbow_flex " s "_forearm_roll " s "_wrist_flex " s        \
       "_wrist_roll\n" side "_gripper " s "_gripper_palm " s "_fl: " s "_finger_l " s   \
       "_finger_r\n"
  check_limbs("base",
              "f laser base base_laser 0.2 0 0\n"
              "p torso_lift base torso 0 0 0.8 0 0.3\n"
              "r head_pan torso head1 0 0 0.3\n"
              "r head_tilt head1 head2 0.05 0 0\n"
              "f plate head2 plate_frame 0 0 0.1\n"
              "f mount plate_frame sensor_mount 0 0 0\n"
              "f cam sensor_mount wide_stereo_optical_frame 0 0 0\n"
              "r laser_tilt torso laser_mount 0.1 0 0.2\n" SIDE("r", "-0.2") SIDE("l", "0.2"),
              "torso base torso: torso_lift\n"
              "head torso head2: head_pan head_tilt\n"
              "laser_mount torso laser_mount: laser_tilt\n" SIDE_LIMBS("right", "r")
                  SIDE_LIMBS("left", "l"));
}

/* One arm on a lift, beside a head: the lift is not part of the arm. A camera that tilts on the
   elbow does not cut the arm in two. */
SN_TEST(stubs_do_not_divide_a_limb) {
  check_limbs("base",
              "p lift base column 0 0 0.5 0 0.3\n"
              "r neck_pan column n1 0 0 0.3\n"
              "r neck_tilt n1 n2 0 0 0.1\n" ARM("", "column", "0"),
              "column base column: lift\n"
              "head column n2: neck_pan neck_tilt\n"
              "arm column a6:" ARM_JOINTS);
  check_limbs("base", ARM("", "base", "0") "r look a3 eye 0.1 0 0\n",
              "arm base a6:" ARM_JOINTS "eye a3 eye: look\n");
  /* A rod that only mimics belongs to the arm. */
  check_limbs("base", ARM("", "base", "0") "m rod_joint a1 rod 0.1 0 0 j2\n",
              "arm base a6: j1 j2 j3 j4 j5 j6 rod_joint\n");
}

SN_TEST(sides_and_rows_are_read_from_names) {
  check_limbs("base",
              "r LF_HAA base LF_HIP 0.3 0.1 0\nr LF_KFE LF_HIP LF_SHANK 0 0 -0.3\n"
              "f LF_x LF_SHANK LF_FOOT 0 0 -0.3\n"
              "r RF_HAA base RF_HIP 0.3 -0.1 0\nr RF_KFE RF_HIP RF_SHANK 0 0 -0.3\n"
              "r RL_thigh base RL_1 -0.3 0.1 0\nr RL_calf RL_1 RL_2 0 0 -0.3\n"
              "r right_hind_hip base h1 -0.3 -0.1 0\nr right_hind_knee h1 h2 0 0 -0.3\n",
              "leg_front_left base LF_FOOT: LF_HAA LF_KFE\n"
              "leg_front_right base RF_SHANK: RF_HAA RF_KFE\n"
              "leg_rear_left base RL_2: RL_thigh RL_calf\n"
              "leg_rear_right base h2: right_hind_hip right_hind_knee\n");
  check_limbs("base",
              "r RARM_SHOULDER_R base R1 0 -0.1 0\nr RARM_ELBOW R1 R2 0 0 -0.3\n"
              "r LShoulderPitch base L1 0 0.1 0\nr LElbowRoll L1 L2 0 0 -0.3\n"
              "r HeadYaw base H1 0 0 0.1\nr HeadPitch H1 H2 0 0 0.1\n"
              "r tail1 base T1 0 0 0\nr tail2 T1 T2 0 0 0\n",
              "right_arm base R2: RARM_SHOULDER_R RARM_ELBOW\n"
              "left_arm base L2: LShoulderPitch LElbowRoll\n"
              "head base H2: HeadYaw HeadPitch\n"
              "tail base T2: tail1 tail2\n");
}

/* Meaningless names: several equal limbs are legs, long ones are arms, and the position
 * distinguishes them. */
SN_TEST(structure_and_place_name_the_rest) {
#define LEG(n, x, y)                                                                        \
  "r j" n "1 base b" n "1 " x " " y " 0\nr j" n "2 b" n "1 b" n "2 0 0 -0.1\nr j" n "3 b" n \
  "2 b" n "3 0 0 -0.1\n"
  check_limbs("base",
              LEG("1", "0.2", "0.1") LEG("2", "0.2", "-0.1") LEG("3", "-0.2", "0.1")
                  LEG("4", "-0.2", "-0.1"),
              "leg_front_left base b13: j11 j12 j13\n"
              "leg_front_right base b23: j21 j22 j23\n"
              "leg_rear_left base b33: j31 j32 j33\n"
              "leg_rear_right base b43: j41 j42 j43\n");
  check_limbs("base", ARM("x", "base", "0.2") ARM("y", "base", "-0.2"),
              "left_arm base xa6: xj1 xj2 xj3 xj4 xj5 xj6\n"
              "right_arm base ya6: yj1 yj2 yj3 yj4 yj5 yj6\n");
  check_limbs("base", ARM("one_", "base", "0") ARM("two_", "base", "0"),
              "one_arm base one_a6: one_j1 one_j2 one_j3 one_j4 one_j5 one_j6\n"
              "two_arm base two_a6: two_j1 two_j2 two_j3 two_j4 two_j5 two_j6\n");
  check_limbs("base",
              "r j1 base l1 0 0 0.1\nr j2 l1 l2 0 0 0.1\nr j3 l2 l3 0 0 0.1\nr j4 l3 l4 0 0 0.1\n"
              "r j5 l4 l5 0 0 0.1\n",
              "arm base l5: j1 j2 j3 j4 j5\n"); /* l for link */
  /* Three in one place: numbers. */
  check_limbs("base", ARM("x", "base", "0") ARM("y", "base", "0") ARM("z", "base", "0"),
              "arm1 base xa6: xj1 xj2 xj3 xj4 xj5 xj6\n"
              "arm2 base ya6: yj1 yj2 yj3 yj4 yj5 yj6\n"
              "arm3 base za6: zj1 zj2 zj3 zj4 zj5 zj6\n");
  /* A link may have the name of a limb. */
  check_limbs("base",
              ARM("", "base", "0") "p s1 a6 k1 0 0.01 0.06 0 0.04\n"
                                   "p s2 a6 k2 0 -0.01 0.06 0 0.04\n"
                                   "r k base gripper 1 0 0\n",
              "arm base a6:" ARM_JOINTS
              "gripper a6 k1: s1 s2\n"
              "gripper_2 base gripper: k\n");
}

/* Sensors are not tips, nor what carries only sensors; tool frames are. */
SN_TEST(tip_is_a_tool_frame_and_never_a_sensor) {
  static const struct {
    const char *frames, *tip;
  } cases[] = {
      {"f x a6 flange 0 0 0\nf y flange tool0 0 0 0\nf z tool0 camera_link 0 0 0\n"
       "f w camera_link camera_optical_frame 0 0 0\n",
       "tool0"},
      {"f x a6 ee_link 0 0 0\nf y a6 tool0 0 0 0\n", "tool0"},
      {"f y a6 tool0 0 0 0\nf x a6 ee_link 0 0 0\n", "tool0"},
      {"f x a6 bracket 0 0 0\nf y bracket imu_link 0 0 0\n", "a6"},
      {"f x a6 hand 0 0 0\nf y hand ft_sensor 0 0 0\nf z ft_sensor cup 0 0 0\n", "cup"},
      {"f x a6 gripper_tcp 0 0 0\nf y a6 plate 0 0 0\nf z plate rim 0 0 0\n", "gripper_tcp"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char lines[2048], expected[256];
    snprintf(lines, sizeof lines, "%s%s", ARM("", "base", "0"), cases[i].frames);
    snprintf(expected, sizeof expected, "arm base %s:" ARM_JOINTS, cases[i].tip);
    check_limbs("base", lines, expected);
  }
}
