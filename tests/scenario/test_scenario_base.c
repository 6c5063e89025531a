/* The quadruped on the ground, in simulated time: its base is estimated from a noisy IMU, joints
   and contacts, and it is pushed over. */
#include <math.h>

#include "scenario.h"
#include "sinew/estop.h"
#include "sinew/msg_estimation.h"
#include "sn_test.h"

#define DEPLOYMENT(plant, estimator)                                               \
  "include: [walking.yaml]\n"                                                      \
  "components:\n"                                                                  \
  "  plant:\n"                                                                     \
  "    properties: {gyro_bias: [0.01, -0.01, 0.01],\n"                             \
  "      gyro_noise: 0.005, accel_noise: 0.05, accel_bias: [0.05, -0.05, 0.05],\n" \
  "      position_noise: 0.0005, velocity_noise: 0.02" plant                       \
  "}\n"                                                                            \
  "  state_estimator: {properties: {" estimator "}}\n"

typedef struct story {
  scenario s;
  sn_tap *base, *truth, *status, *fall, *goals;
  sn_source *push;
} story;

static void open_story(story *s, const char *text) {
  sn_error err;
  scenario_open_with(&s->s, text);
  s->base = scenario_tap(&s->s, "state_estimator.out_base");
  s->status = scenario_tap(&s->s, "state_estimator.out_status");
  s->fall = scenario_tap(&s->s, "state_estimator.fall");
  s->truth = scenario_tap(&s->s, "plant.base_truth");
  s->goals = scenario_tap(&s->s, "servo_inv_7param.out_goals");
  assert_int_equal(sn_source_open(s->s.system, "plant.push_links", NULL, &s->push, &err), SN_OK);
}

static void close_story(story *s) {
  sn_tap *const taps[] = {s->base, s->status, s->fall, s->truth, s->goals};
  for (size_t i = 0; i < sizeof taps / sizeof *taps; i++) {
    sn_tap_close(taps[i]);
  }
  sn_source_close(s->push);
  scenario_close(&s->s);
}

static void run(story *s, int cycles) {
  scenario_run(&s->s, cycles);
}

static sn_pose pose_of(sn_tap *t) {
  const sn_rigid_body_state *msg = sn_tap_read(t, NULL);
  assert_non_null(msg);
  return sn_pose_from_msg(msg->pose.data[0]);
}

static double tilt_of(sn_pose pose) {
  return acos(fmax(-1.0, fmin(1.0, pose.rot.z.z)));
}

/* Push the base, in the axes of odom; 0: no more. */
static void push(story *s, double x_N, double y_N) {
  sn_rigid_body_state *msg = sn_source_msg(s->push);
  sn_msg_names_clear(&msg->name);
  assert_int_equal(sn_msg_names_add(&msg->name, "base_link", 9), SN_OK);
  msg->wrench.count = 1;
  msg->wrench.data[0] = (sn_spatial){{0, 0, 0}, {x_N, y_N, 0}};
  assert_int_equal(sn_source_write(s->push), SN_OK);
}

/* Difference of estimate and truth. */
static void compare(story *s, sn_vec3 *place, sn_vec3 *turn) {
  const sn_pose base = pose_of(s->base), truth = pose_of(s->truth);
  *place = sn_vec3_sub(base.pos, truth.pos);
  *turn = sn_mat3_log(sn_mat3_mul(base.rot, sn_mat3_transpose(truth.rot)));
}

SN_TEST(base_of_a_robot_that_stands_and_is_pushed_is_known) {
  static story s;
  open_story(&s, DEPLOYMENT("", ""));
  run(&s, 3000);
  sn_vec3 start, place, turn;
  compare(&s, &start, &turn);
  sn_assert_near(start.z, 0.0, 0.005);
  for (int i = 0; i < 20; i++) {
    push(&s, i % 2 == 0 ? 4.0 : -4.0, i % 4 < 2 ? 3.0 : -3.0);
    run(&s, 500);
    compare(&s, &place, &turn);
    sn_assert_vec3_near(place, start, 0.005);
    sn_assert_vec3_near(turn, sn_vec3_make(0, 0, 0), 0.02);
  }
  const sn_estimator_status *status = sn_tap_read(s.status, NULL);
  assert_non_null(status);
  assert_string_equal(status->mode.data, "full");
  sn_assert_near(status->gyro_bias.z, 0.01, 2e-3);
  assert_null(sn_tap_read(s.fall, NULL)); /* no false alarm */
  close_story(&s);
}

/* Push it over. @return cycles from the truth beyond the limit to the report */
static int push_over(story *s, double x_N, double y_N) {
  int late = 0;
  run(s, 1000);
  push(s, x_N, y_N);
  for (int i = 0; i < 3000; i++) {
    run(s, 1);
    const sn_fall_state *fall = sn_tap_read(s->fall, NULL);
    if (fall != NULL) {
      assert_true(fall->fallen);
      assert_int_equal(fall->count, 1);
      return late;
    }
    late += tilt_of(pose_of(s->truth)) > 0.7;
  }
  fail_msg("no fall in 3 s; tilt %g", tilt_of(pose_of(s->truth)));
  return -1;
}

static bool all_limp(story *s) {
  const sn_servo_goal *goals = sn_tap_read(s->goals, NULL);
  bool all = goals != NULL && goals->limp.count > 0;
  for (size_t i = 0; all && i < goals->limp.count; i++) {
    all = goals->limp.data[i];
  }
  return all;
}

SN_TEST(fall_is_reported_within_50_ms_and_the_robot_goes_limp_or_holds) {
  static const char *const texts[] = {DEPLOYMENT("", "reaction: limp"),
                                      DEPLOYMENT("", "reaction: hold"),
                                      DEPLOYMENT("", "reaction: none")};
  static const double pushes[][2] = {{0, 40}, {60, 0}, {-60, 10}};
  for (size_t i = 0; i < 3; i++) {
    static story s;
    open_story(&s, texts[i]);
    const int late = push_over(&s, pushes[i][0], pushes[i][1]);
    assert_true(late <= 50);
    run(&s, 100);
    sn_estop_state stop;
    sn_estop_look(s.s.system, 0, &stop);
    assert_int_equal(stop.is_latched, i < 2);
    assert_int_equal(all_limp(&s), i == 0);
    close_story(&s);
  }
}
