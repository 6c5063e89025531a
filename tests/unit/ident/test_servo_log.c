#include <stdlib.h>

#include "ident/output_error/servo_log.h"
#include "pendulum_rig.h"
#include "sn_test.h"

/* What can be wrong with a log: each fault has its message. */

enum { COUNT = 300 };

static sn__log_sample samples[COUNT];
static sn__servo_log log_of;

static int set_up(void **state) {
  (void)state;
  pendulum_rig rig = pendulum_rig_make();
  sn_random r;
  sn_random_init(&r, 1);
  pendulum_rig_log(&rig, &r, samples, COUNT);
  log_of = (sn__servo_log){.path = "a.json",
                           .motor = "servo",
                           .gain = rig.gain,
                           .voltage = rig.voltage,
                           .load = rig.load,
                           .samples = samples,
                           .count = COUNT};
  return 0;
}
SN_TEST_EACH(set_up, NULL)

static void expect(const char *part) {
  sn_error err;
  assert_int_equal(sn__servo_log_check(&log_of, &err), SN_EINVAL);
  sn_assert_contains(err.message, "a.json: ");
  sn_assert_contains(err.message, part);
}

static void expect_goals(const sn_servo_params *params, const char *part) {
  sn_error err;
  assert_int_equal(sn__servo_log_check_goals(&log_of, params, &err), SN_EINVAL);
  sn_assert_contains(err.message, "a.json: ");
  sn_assert_contains(err.message, part);
}

SN_TEST(good_log_passes) {
  assert_int_equal(sn__servo_log_check(&log_of, NULL), SN_OK);
}

SN_TEST(short_log_is_refused) {
  log_of.count = 99;
  expect("too short: 99 samples");
}

SN_TEST(times_must_grow_without_gaps) {
  samples[100].time_s = samples[99].time_s;
  expect("entries 99 and 100 have the same time");
  samples[100].time_s = samples[98].time_s;
  expect("time goes back at entry 100");
  set_up(NULL);
  for (size_t i = 150; i < COUNT; i++) {
    samples[i].time_s += 0.4;
  }
  expect("a gap of 0.405 s before entry 150");
  set_up(NULL);
  for (size_t i = 0; i < COUNT; i++) {
    samples[i].time_s *= 100.0;
  }
  expect("samples are 0.5 s apart");
}

SN_TEST(turned_servo_is_recognised) {
  for (size_t i = 150; i < COUNT; i++) {
    samples[i].position += 6.283185307179586;
  }
  expect("the position jumps by 6.");
  for (size_t i = 0; i < 150; i++) {
    samples[i].position += 6.283185307179586;
  }
  assert_int_equal(sn__servo_log_check(&log_of, NULL), SN_OK);
  sn_servo_params params = {.kgear = 1.0};
  expect_goals(&params, "goals and positions are -6.");
  params.ext.offset = 6.283185307179586; /* the regulator knows */
  assert_int_equal(sn__servo_log_check_goals(&log_of, &params, NULL), SN_OK);
}

/* A turn of the goals is a part of one behind a gear, and goals behind a gear may be far from the
   positions. */
SN_TEST(turns_are_those_of_the_servo_behind_its_gear) {
  const sn_servo_params params = {.kgear = -5.0};
  for (size_t i = 0; i < COUNT; i++) {
    samples[i].position += 1.0;
    samples[i].goal = params.kgear * (samples[i].goal + 1.0);
  }
  assert_int_equal(sn__servo_log_check_goals(&log_of, &params, NULL), SN_OK);
  for (size_t i = 0; i < COUNT; i++) {
    samples[i].goal -= 6.283185307179586;
  }
  expect_goals(&params, "goals and positions are 1.");
}

/* Gravity is the same a turn away, where goals and positions both are. */
SN_TEST(whole_turns_of_goals_and_positions_are_counted) {
  assert_int_equal(sn__servo_log_turns(&log_of), 0);
  for (size_t i = 0; i < COUNT; i++) {
    samples[i].position -= 2.0 * 6.283185307179586;
    samples[i].goal -= 2.0 * 6.283185307179586;
  }
  const sn_servo_params params = {.kgear = 1.0};
  assert_int_equal(sn__servo_log_check(&log_of, NULL), SN_OK);
  assert_int_equal(sn__servo_log_check_goals(&log_of, &params, NULL), SN_OK);
  assert_int_equal(sn__servo_log_turns(&log_of), -2);
  log_of.load.hangs_rad = -2.0 * 6.283185307179586;
  assert_int_equal(sn__servo_log_turns(&log_of), 0);
}

SN_TEST(degrees_are_recognised) {
  for (size_t i = 0; i < COUNT; i++) {
    samples[i].position *= 180.0 / 3.14159265358979324;
  }
  expect("are they degrees or counts?");
}

SN_TEST(units_of_times_and_facts_are_questioned) {
  for (size_t i = 0; i < COUNT; i++) {
    samples[i].time_s *= 1e3;
  }
  expect("at most 0.1 s show how a servo moves: are the times seconds?");
  set_up(NULL);
  log_of.voltage *= 10.0;
  expect("the supply is 74 V, expected 60 V at most: is it in V?");
  set_up(NULL);
  log_of.load.mass_kg *= 1e3;
  expect("the load is 500 kg at 0.1 m with an arm of 0 kg, expected 100 kg and 5 m");
  set_up(NULL);
  log_of.load.length_m *= 1e3;
  expect("the load is 0.5 kg at 100 m");
}

/* One reading of a bus that failed would move every parameter. */
SN_TEST(wrong_readings_are_refused) {
  samples[100].position += 1.0;
  expect("with entry 100, at ");
  expect("no servo is that fast; remove wrong readings, or convert degrees to rad");
}

SN_TEST(servo_at_rest_is_recognised) {
  for (size_t i = 0; i < COUNT; i++) {
    samples[i].position = 0.3;
  }
  expect("the servo does not move");
}

SN_TEST(missing_goals_and_facts_are_named) {
  samples[7].goal = (double)NAN;
  expect("entry 7 has no goal");
  samples[7].is_limp = true;
  assert_int_equal(sn__servo_log_check(&log_of, NULL), SN_OK);
  log_of.gain = 0.0;
  expect("the gain of the servo is not stated");
  log_of.gain = 1.0;
  log_of.voltage = 0.0;
  expect("no supply voltage");
  log_of.voltage = 7.0;
  log_of.load.mass_kg = -1.0;
  expect("the load is -1 kg");
}

SN_TEST(mixed_servos_are_refused) {
  sn__servo_log two[2] = {log_of, log_of};
  two[1].motor = "other";
  two[1].path = "b.json";
  sn_error err;
  assert_int_equal(sn__servo_logs_check_kind(two, 2, &err), SN_EINVAL);
  sn_assert_contains(err.message, "b.json is a log of 'other', a.json of 'servo'");
  two[1].motor = "servo";
  assert_int_equal(sn__servo_logs_check_kind(two, 2, &err), SN_OK);
}

/* The servo reports its duty in a unit of its own; the limit is that of kp times error. */
SN_TEST(limit_of_the_drive_is_read_from_the_duty) {
  const sn_servo_params params = {.kp = 0.003, .kgear = 1.0};
  assert_true(sn__servo_logs_drive_max(&log_of, 1, &params) == 0.0);
  for (size_t i = 0; i < COUNT; i++) {
    const double duty = 0.003 * 400.0 * (samples[i].goal - samples[i].position);
    samples[i].duty = 885.0 * fmax(-0.3, fmin(duty, 0.3));
  }
  sn_assert_near(sn__servo_logs_drive_max(&log_of, 1, &params), 0.3, 0.003);
  const sn__log_rows all = sn__servo_log_rows(&log_of, &params);
  assert_int_equal(all.saturated, 0);
  sn_servo_params limited = params;
  limited.ext.drive_max = 0.3;
  const sn__log_rows rows = sn__servo_log_rows(&log_of, &limited);
  assert_true(rows.saturated > 5);
  assert_int_equal(rows.saturated + rows.at_rest + rows.driven + rows.limp, COUNT);
}

/* Oracle: noise and lag that were put in. */
SN_TEST(noise_and_lag_of_velocities_are_found) {
  static sn__log_sample made[2000];
  sn_random r;
  sn_random_init(&r, 3);
  for (size_t i = 0; i < 2000; i++) {
    const double t = 0.005 * (double)i, late = t - 0.023;
    const bool rests = i < 400;
    made[i] = (sn__log_sample){.time_s = t,
                               .position = (rests ? 0.0 : sin(3.0 * (t - 2.0))) +
                                           (rests ? 0.0004 : 0.003) * sn_random_normal(&r),
                               .velocity = (late < 2.0 ? 0.0 : 3.0 * cos(3.0 * (late - 2.0))) +
                                           0.05 * sn_random_normal(&r)};
  }
  log_of.samples = made;
  log_of.count = 2000;
  const sn__velocity_register found = sn__servo_logs_velocity(&log_of, 1);
  sn_assert_near(found.lag_s, 0.023, 0.0011);
  sn_assert_near(found.unit_rad_s, 1.0, 0.01);
  for (size_t i = 0; i < 2000; i++) {
    made[i].velocity /= -0.024; /* counts, the other way round */
  }
  const sn__velocity_register counts = sn__servo_logs_velocity(&log_of, 1);
  sn_assert_near(counts.lag_s, found.lag_s, 1e-9);
  sn_assert_near(counts.unit_rad_s, -0.024 * found.unit_rad_s, 1e-9);
  log_of.samples = made + 1;
  log_of.count = 390;
  const sn__log_noise at_rest = sn__servo_log_noise(&log_of, NULL);
  log_of.samples = made + 420;
  log_of.count = 1500;
  const sn__log_noise moving = sn__servo_log_noise(&log_of, NULL);
  sn_assert_near(at_rest.rest_rad, 0.0004, 0.0003); /* few pairs of samples are that still */
  sn_assert_near(moving.fast_rad, 0.003, 0.0003);
  for (size_t i = 0; i < 2000; i++) {
    made[i].velocity = sn_random_normal(&r); /* another register */
  }
  log_of.samples = made;
  log_of.count = 2000;
  assert_true(isnan(sn__servo_logs_velocity(&log_of, 1).lag_s));
}

/* Oracle: noise that was put in. A fast motion that is sampled rarely and unevenly is no parabola,
   but its simulation is known. */
SN_TEST(noise_of_rare_samples_is_found_beside_the_simulation) {
  static double simulated[COUNT];
  sn_random r;
  sn_random_init(&r, 4);
  double t = 0.0;
  for (size_t i = 0; i < COUNT; i++) {
    simulated[i] = sin(14.0 * t);
    samples[i] =
        (sn__log_sample){.time_s = t, .position = simulated[i] + 0.002 * sn_random_normal(&r)};
    t += sn_random_between(&r, 0.02, 0.03);
  }
  assert_true(sn__servo_log_noise(&log_of, NULL).fast_rad > 0.004);
  sn_assert_near(sn__servo_log_noise(&log_of, simulated).fast_rad, 0.002, 0.0003);
}
