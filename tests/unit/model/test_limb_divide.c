/* Robots without declared chains are divided into limbs. Each case is the shape
   of a robot, one joint in a line, and the limbs that it should have. */
#include "limb_case.h"
#include "sn_test.h"

static void check_own(const char *name, const char *expected) {
  char path[512];
  snprintf(path, sizeof path, SINEW_ROBOTS "/%s.urdf", name);
  sn_arena arena;
  const sn_model *model = NULL;
  sn_arena_init_growing(&arena, "model", 0);
  assert_int_equal(sn_model_load(&arena, path, NULL, NULL, &model, NULL), SN_OK);
  assert_string_equal(limb_list_limbs(model), expected);
  limb_check_rules(model);
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

/* Two fingers that slide, one of them by mimic; frames for the tool. */
SN_TEST(sliding_fingers_are_a_gripper) {
  limb_check_limbs("base",
              ARM("", "base", "0")
              "f flange_joint a6 flange 0 0 0.1\n"
              "f hand_joint flange hand 0 0 0\n"
              "f tcp_joint hand hand_tcp 0 0 0.1\n"
              "p finger_joint1 hand leftfinger 0 0 0.06 0 0.04\n"
              "n finger_joint2 hand rightfinger 0 0 0.06 finger_joint1\n",
              "arm base hand_tcp:" ARM_JOINTS
              "gripper hand leftfinger: finger_joint1 finger_joint2\n");
  /* Without mimic, and without a word that helps. */
  limb_check_limbs("base",
              ARM("", "base", "0")
              "p s1 a6 k1 0 0.01 0.06 0 0.04\n"
              "p s2 a6 k2 0 -0.01 0.06 0 0.04\n",
              "arm base a6:" ARM_JOINTS "gripper a6 k1: s1 s2\n");
}

/* Three fingers of two joints each, driven one by one, with meaningless names. */
SN_TEST(fingers_that_are_alike_are_a_gripper) {
  limb_check_limbs("world",
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
  limb_check_limbs("base",
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
  limb_check_limbs("base", KIT("gripper"),
                   "arm base s5: pan lift elbow bend turn\n"
                   "gripper s5 s7: gripper\n");
  limb_check_limbs("base", KIT("jaw_joint"),
                   "arm base s5: pan lift elbow bend turn\n"
                   "gripper s5 s7: jaw_joint\n");
  limb_check_limbs("base", KIT("gripper_roll"),
                   "arm base s7: pan lift elbow bend turn gripper_roll\n");
  limb_check_limbs("base", KIT("last"), "arm base s7: pan lift elbow bend turn last\n");
}

SN_TEST(a_hand_of_many_fingers_is_one_limb) {
  limb_check_limbs("base",
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
  limb_check_limbs("base",
                   "r neck1 base n1 0 0 0.1\n"
                   "r neck2 n1 n2 0 0 0.1\n"
                   "r neck3 n2 n3 0 0 0.1\n"
                   "r ear_l n3 e1 0 0.05 0.05\n"
                   "r ear_r n3 e2 0 -0.05 0.05\n",
                   "head base n3: neck1 neck2 neck3\n"
                   "e1 n3 e1: ear_l\n"
                   "e2 n3 e2: ear_r\n");
  limb_check_limbs("base",
                   "r rocker base b1 0 0 0.2\n"
                   "r bogie b1 b2 0 0 0.2\n"
                   "c turn1 b2 w1 0.1 0 0\n"
                   "c turn2 b2 w2 -0.1 0 0\n",
                   "b2 base b2: rocker bogie\n"
                   "w1 b2 w1: turn1\n"
                   "w2 b2 w2: turn2\n");
  /* A small humanoid: arms that are as long as the spine. */
  limb_check_limbs("pelvis",
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
