/* Invalid step sequences: each is rejected with a message that names what is wrong. */
#include <math.h>

#include "robot.h"
#include "sn_test.h"
#include "step_fixture.h"
#include "steps/step_read.h"

typedef struct bench {
  sn_test_robot robot;
  sn_arena arena;
  sn_step_goal *goal;
  sn__step_sequence sequence;
} bench;

static void open_bench(bench *b) {
  *b = (bench){.goal = NULL};
  sn_test_robot_load(&b->robot, "quadruped");
  sn_arena_init_growing(&b->arena, "steps", 0);
  const step_fixture walk = {b->robot.model, 0.06, 0.0, 1.0};
  b->goal = step_fixture_goal(&walk, &b->arena);
}

static void close_bench(bench *b) {
  sn_arena_release(&b->arena);
  sn_test_robot_free(&b->robot);
}

static sn_status read(bench *b, int32_t *error, sn_error *err) {
  return sn__step_sequence_read(&b->arena, b->robot.model, b->goal, 0.005, &b->sequence, error,
                                err);
}

static void reject(bench *b, int32_t code, const char *message) {
  int32_t error = 0;
  sn_error err = {.message = ""};
  assert_true(read(b, &error, &err) != SN_OK);
  assert_int_equal(error, code);
  sn_assert_contains(err.message, message);
  close_bench(b);
}

SN_TEST(good_sequence_is_read) {
  bench b;
  int32_t error;
  sn_error err = {.message = ""};
  open_bench(&b);
  assert_int_equal(read(&b, &error, &err), SN_OK);
  assert_int_equal(b.sequence.limb_count, STEP_FIXTURE_LEGS);
  assert_non_null(b.sequence.base);
  assert_false(b.sequence.is_in_odom);
  close_bench(&b);
}

SN_TEST(times_must_increase) {
  bench b;
  open_bench(&b);
  b.goal->time_from_start.data[7] = b.goal->time_from_start.data[6];
  reject(&b, SN_STEP_INVALID_TRAJECTORY, "point 7 at 0.3 s follows point 6 at 0.3 s");
  open_bench(&b);
  b.goal->time_from_start.data[3] = NAN;
  reject(&b, SN_STEP_INVALID_TRAJECTORY, "time of point 3");
}

SN_TEST(lengths_must_agree) {
  bench b;
  open_bench(&b);
  b.goal->ee_motion.data[2].points.count--;
  reject(&b, SN_STEP_INVALID_TRAJECTORY, "'leg3' has 60 points for 61 times");
  open_bench(&b);
  b.goal->base_motion.points.count = 3;
  reject(&b, SN_STEP_INVALID_TRAJECTORY, "'base_link' has 3 points for 61 times");
  open_bench(&b);
  b.goal->ee_motion.count = 0;
  reject(&b, SN_STEP_INVALID_TRAJECTORY, "empty");
}

SN_TEST(limbs_must_be_those_of_the_robot) {
  bench b;
  open_bench(&b);
  assert_int_equal(sn_msg_text_set(&b.goal->ee_motion.data[1].name, "leg7"), SN_OK);
  reject(&b, SN_STEP_INVALID_END_EFFECTOR, "no limb 'leg7'");
  open_bench(&b);
  assert_int_equal(sn_msg_text_set(&b.goal->ee_motion.data[1].name, "leg1"), SN_OK);
  reject(&b, SN_STEP_INVALID_END_EFFECTOR, "'leg1' appears twice");
}

SN_TEST(numbers_must_be_finite_and_quaternions_of_unit_length) {
  bench b;
  open_bench(&b);
  b.goal->ee_motion.data[3].points.data[5].pose.position.y = NAN;
  reject(&b, SN_STEP_INVALID_TRAJECTORY, "point 5 of 'leg4' has NaN");
  open_bench(&b);
  b.goal->base_motion.points.data[9].twist.ang.z = INFINITY;
  reject(&b, SN_STEP_INVALID_TRAJECTORY, "point 9 of 'base_link' has NaN or infinity");
  open_bench(&b);
  b.goal->base_motion.points.data[4].pose.orientation.w = 1.2;
  reject(&b, SN_STEP_INVALID_TRAJECTORY, "point 4 of 'base_link' has an orientation of length 1.2");
}

SN_TEST(contact_must_not_contradict_motion) {
  bench b;
  open_bench(&b);
  for (size_t k = 0; k < STEP_FIXTURE_POINTS; k++) {
    b.goal->ee_motion.data[0].points.data[k].contact = true;
  }
  reject(&b, SN_STEP_INVALID_TRAJECTORY, "limb 'leg1' is in contact at points");
}

SN_TEST(frame_must_be_known) {
  bench b;
  open_bench(&b);
  assert_int_equal(sn_msg_text_set(&b.goal->header.frame_id, "kitchen"), SN_OK);
  reject(&b, SN_STEP_INVALID_TRAJECTORY, "the frame is 'kitchen'");
}

SN_TEST(robot_hangs_without_contacts_and_orientation) {
  bench b;
  int32_t error;
  sn_error err = {.message = ""};
  open_bench(&b);
  for (size_t k = 0; k < STEP_FIXTURE_POINTS; k++) {
    b.goal->base_motion.points.data[k].pose.orientation = (sn_quat){0, 0, 0, 0};
    for (size_t i = 0; i < STEP_FIXTURE_LEGS; i++) {
      b.goal->ee_motion.data[i].points.data[k].contact = false;
    }
  }
  assert_int_equal(read(&b, &error, &err), SN_OK);
  assert_null(b.sequence.base);
  b.goal->ee_motion.data[0].points.data[0].contact = true;
  reject(&b, SN_STEP_INVALID_TRAJECTORY, "orientation of length 0");
}
