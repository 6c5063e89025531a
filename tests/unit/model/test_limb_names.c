/* Where limbs end, and their names. */
#include "limb_case.h"
#include "sn_test.h"

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
  limb_check_limbs("base",
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
  limb_check_limbs("base",
                   "p lift base column 0 0 0.5 0 0.3\n"
                   "r neck_pan column n1 0 0 0.3\n"
                   "r neck_tilt n1 n2 0 0 0.1\n" ARM("", "column", "0"),
                   "column base column: lift\n"
                   "head column n2: neck_pan neck_tilt\n"
                   "arm column a6:" ARM_JOINTS);
  limb_check_limbs("base", ARM("", "base", "0") "r look a3 eye 0.1 0 0\n",
                   "arm base a6:" ARM_JOINTS "eye a3 eye: look\n");
  /* A rod that only mimics belongs to the arm. */
  limb_check_limbs("base", ARM("", "base", "0") "m rod_joint a1 rod 0.1 0 0 j2\n",
                   "arm base a6: j1 j2 j3 j4 j5 j6 rod_joint\n");
}

SN_TEST(sides_and_rows_are_read_from_names) {
  limb_check_limbs("base",
                   "r LF_HAA base LF_HIP 0.3 0.1 0\nr LF_KFE LF_HIP LF_SHANK 0 0 -0.3\n"
                   "f LF_x LF_SHANK LF_FOOT 0 0 -0.3\n"
                   "r RF_HAA base RF_HIP 0.3 -0.1 0\nr RF_KFE RF_HIP RF_SHANK 0 0 -0.3\n"
                   "r RL_thigh base RL_1 -0.3 0.1 0\nr RL_calf RL_1 RL_2 0 0 -0.3\n"
                   "r right_hind_hip base h1 -0.3 -0.1 0\nr right_hind_knee h1 h2 0 0 -0.3\n",
                   "leg_front_left base LF_FOOT: LF_HAA LF_KFE\n"
                   "leg_front_right base RF_SHANK: RF_HAA RF_KFE\n"
                   "leg_rear_left base RL_2: RL_thigh RL_calf\n"
                   "leg_rear_right base h2: right_hind_hip right_hind_knee\n");
  limb_check_limbs("base",
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
  limb_check_limbs("base",
                   LEG("1", "0.2", "0.1") LEG("2", "0.2", "-0.1") LEG("3", "-0.2", "0.1")
                       LEG("4", "-0.2", "-0.1"),
                   "leg_front_left base b13: j11 j12 j13\n"
                   "leg_front_right base b23: j21 j22 j23\n"
                   "leg_rear_left base b33: j31 j32 j33\n"
                   "leg_rear_right base b43: j41 j42 j43\n");
  limb_check_limbs("base", ARM("x", "base", "0.2") ARM("y", "base", "-0.2"),
                   "left_arm base xa6: xj1 xj2 xj3 xj4 xj5 xj6\n"
                   "right_arm base ya6: yj1 yj2 yj3 yj4 yj5 yj6\n");
  limb_check_limbs("base", ARM("one_", "base", "0") ARM("two_", "base", "0"),
                   "one_arm base one_a6: one_j1 one_j2 one_j3 one_j4 one_j5 one_j6\n"
                   "two_arm base two_a6: two_j1 two_j2 two_j3 two_j4 two_j5 two_j6\n");
  limb_check_limbs(
      "base",
      "r j1 base l1 0 0 0.1\nr j2 l1 l2 0 0 0.1\nr j3 l2 l3 0 0 0.1\nr j4 l3 l4 0 0 0.1\n"
      "r j5 l4 l5 0 0 0.1\n",
      "arm base l5: j1 j2 j3 j4 j5\n"); /* l for link */
  /* Three in one place: numbers. */
  limb_check_limbs("base", ARM("x", "base", "0") ARM("y", "base", "0") ARM("z", "base", "0"),
                   "arm1 base xa6: xj1 xj2 xj3 xj4 xj5 xj6\n"
                   "arm2 base ya6: yj1 yj2 yj3 yj4 yj5 yj6\n"
                   "arm3 base za6: zj1 zj2 zj3 zj4 zj5 zj6\n");
  /* A link may have the name of a limb. */
  limb_check_limbs("base",
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
    limb_check_limbs("base", lines, expected);
  }
}
