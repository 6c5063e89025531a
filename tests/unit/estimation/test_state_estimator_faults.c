/* What the component state_estimator says and does if its inputs fail. */
#include <string.h>

#include "base_rig.h"
#include "sinew/estop.h"
#include "sinew/msg_estimation.h"
#include "sn_test.h"

static base_rig f;

static void open_standing(void) {
  base_rig_open_estimator(&f);
  base_rig_run(&f, 600);
  (void)rig_drain_log(&f.m.r, SN_LOG_DEBUG, NULL, 0);
}

static const sn_estimator_status *status(void) {
  const sn_estimator_status *msg = sn_tap_read(f.status, NULL);
  assert_non_null(msg);
  return msg;
}

/* Warnings since the last call; the last one must contain @p text. */
static void assert_warned_once(const char *text) {
  char last[256] = "";
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, last, sizeof last), 1);
  sn_assert_contains(last, text);
}

static void assert_stays(sn_pose before) {
  const sn_pose now = base_rig_pose(&f);
  sn_assert_vec3_near(now.pos, before.pos, 2e-3);
  sn_assert_vec3_near(now.rot.z, before.rot.z, 5e-3);
}

/* The IMU fails while the robot stands: the base stays where the feet hold it. */
static void check_imu(const char *word, sn_vec3 gyro, sn_vec3 accel) {
  open_standing();
  const sn_pose before = base_rig_pose(&f);
  f.gyro = gyro;
  f.accel = accel;
  base_rig_run(&f, 300);
  assert_string_equal(status()->imu.data, word);
  assert_string_equal(status()->mode.data, "feet");
  assert_warned_once(word);
  assert_stays(before);
  f.gyro = sn_vec3_make(0, 0, 0);
  f.accel = sn_vec3_make(0, 0, 9.81);
  base_rig_run(&f, 300);
  assert_string_equal(status()->imu.data, "good");
  assert_string_equal(status()->mode.data, "full");
  assert_stays(before);
  base_rig_close(&f);
}

SN_TEST(imu_that_is_saturated_is_named_and_not_used) {
  const sn_vec3 still = {0, 0, 0}, up = {0, 0, 9.81};
  check_imu("saturated", sn_vec3_make(0, 0, 35.0), up);
  check_imu("saturated", still, sn_vec3_make(0, -160.0, 0));
}

SN_TEST(imu_that_is_silent_is_named_and_the_feet_take_over) {
  open_standing();
  const sn_pose before = base_rig_pose(&f);
  for (int i = 0; i < 300; i++) {
    model_rig_write_pose(&f.m, f.joints, f.q, f.qd);
    base_rig_write_supports(f.contacts, "1111");
    model_rig_cycle(&f.m);
  }
  assert_string_equal(status()->imu.data, "silent");
  assert_warned_once("the IMU is silent");
  assert_stays(before);
  base_rig_close(&f);
}

/* The legs swing the body while the IMU repeats its last sample. */
SN_TEST(imu_that_is_frozen_is_named_once_the_feet_move) {
  open_standing();
  f.noise = 0.0;
  for (int i = 0; i < 400; i++) {
    const double t = 0.001 * i;
    for (size_t j = 0; j < sn_model_pose_size(f.m.model); j++) {
      const char *name = sn_model_joint(f.m.model, j)->name;
      if (strstr(name, "_joint3") != NULL) {
        f.q[j] = 0.2 * (1.0 - cos(6.0 * t));
        f.qd[j] = 1.2 * sin(6.0 * t);
      }
    }
    base_rig_run(&f, 1);
  }
  assert_string_equal(status()->imu.data, "frozen");
  char log[1024] = "";
  assert_true(rig_drain_log(&f.m.r, SN_LOG_WARNING, log, sizeof log) >= 1);
  sn_assert_contains(log, "the IMU is frozen");
  base_rig_close(&f);
}

SN_TEST(contact_sensor_that_is_stuck_off_is_named) {
  open_standing();
  const sn_pose before = base_rig_pose(&f);
  f.contacted = "1011";
  for (int i = 0; i < 1000; i++) {
    base_rig_write_supports(f.supports, "1111");
    base_rig_run(&f, 1);
  }
  assert_string_equal(sn_msg_names_at(&status()->state, 1), "stuck off");
  assert_warned_once("leg2: no contact is reported while the foot stands");
  assert_stays(before);
  base_rig_close(&f);
}

/* Leg 2 is in the air and swings, its sensor says that it touches. */
SN_TEST(contact_sensor_that_is_stuck_on_is_named) {
  open_standing();
  const sn_pose before = base_rig_pose(&f);
  const int joint = sn_model_joint_index(f.m.model, "leg2_joint3");
  assert_true(joint >= 0);
  for (int i = 0; i < 2000; i++) {
    const double t = 0.001 * i;
    f.q[joint] = 0.5 * (1.0 - cos(5.0 * t));
    f.qd[joint] = 2.5 * sin(5.0 * t);
    base_rig_run(&f, 1);
  }
  char last[256] = "";
  assert_true(rig_drain_log(&f.m.r, SN_LOG_WARNING, last, sizeof last) >= 1);
  sn_assert_contains(last, "leg2: contact is reported while the foot moves");
  const sn_pose now = base_rig_pose(&f);
  sn_assert_vec3_near(now.pos, before.pos, 0.02); /* the foot moves by 20 cm */
  base_rig_close(&f);
}

/* Ports refuse such messages, so for the estimator the sensor falls silent. */
SN_TEST(messages_with_numbers_that_are_not_finite_do_not_arrive) {
  open_standing();
  const sn_pose before = base_rig_pose(&f);
  sn_imu *msg = sn_source_msg(f.imu);
  for (int i = 0; i < 300; i++) {
    msg->angular_velocity = sn_vec3_make(0, i % 2 == 0 ? NAN : INFINITY, 0);
    assert_int_not_equal(sn_source_write(f.imu), SN_OK);
    model_rig_write_pose(&f.m, f.joints, f.q, f.qd);
    base_rig_write_supports(f.contacts, "1111");
    model_rig_cycle(&f.m);
  }
  assert_string_equal(status()->imu.data, "silent");
  assert_warned_once("the IMU is silent");
  assert_stays(before);
  base_rig_close(&f);
}

/* On its back: reported as such, with the reaction of a fall, and the base is above the ground. */
SN_TEST(robot_that_starts_upside_down_is_reported) {
  base_rig_open_estimator(&f);
  f.accel = sn_vec3_make(0, 0, -9.81);
  f.contacted = "0000";
  base_rig_run(&f, 50);
  char last[256] = "";
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_ERROR, last, sizeof last), 1);
  sn_assert_contains(last, "the robot does not stand at the start");
  const sn_fall_state *fall = sn_tap_read(f.fall, NULL);
  assert_non_null(fall);
  assert_true(fall->fallen);
  sn_estop_state stop;
  sn_estop_look(f.m.r.system, 0, &stop);
  assert_true(stop.is_latched);
  base_rig_run(&f, 1000);
  const sn_pose base = base_rig_pose(&f);
  sn_assert_near(base.rot.z.z, -1.0, 1e-3);
  sn_assert_near(base.pos.z, 0.0, 0.02);
  base_rig_close(&f);
}

static void step_at(int64_t now_ns) {
  base_rig_feed(&f);
  assert_int_equal(f.component->type->step(f.component, now_ns), SN_OK);
}

SN_TEST(jump_of_time_is_reported_and_does_not_move_the_base) {
  const int64_t ms = 1000000;
  open_standing();
  const sn_pose before = base_rig_pose(&f);
  int64_t now_ns = sn_clock_now_ns(&f.m.r.clock);
  step_at(now_ns += 60000 * ms);
  assert_warned_once("no cycle for");
  assert_stays(before);
  for (int i = 0; i < 100; i++) {
    step_at(now_ns += ms);
  }
  step_at(now_ns -= 30000 * ms);
  assert_warned_once("time went back by");
  for (int i = 0; i < 1500; i++) {
    step_at(now_ns += ms);
  }
  assert_stays(before);
  assert_string_equal(status()->mode.data, "full");
  base_rig_close(&f);
}
