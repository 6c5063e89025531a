#include "ident/output_error/oe_fit.h"
#include "ident/output_error/oe_params.h"
#include "pendulum_rig.h"
#include "sinew/arena.h"
#include "sn_test.h"

/* Servos with load friction, identified from simulated logs. */

enum { LOGS = 4, SAMPLES = 800 };

static sn__log_sample samples[LOGS][SAMPLES];
static sn__servo_log logs[LOGS];

static void record(const pendulum_rig *servo, sn_random *r) {
  for (size_t k = 0; k < LOGS; k++) {
    pendulum_rig rig = *servo;
    rig.motion = (int)k;
    rig.gain = k % 2 == 0 ? 400 : 200;
    logs[k] = pendulum_rig_record(&rig, r, samples[k], SAMPLES);
  }
}

/* What is known before. */
static sn_servo_params known(const sn_servo_params *p) {
  return (sn_servo_params){.kp = p->kp,
                           .kgear = p->kgear,
                           .qs = 0.1,
                           .delta = p->delta,
                           .ext.drive_max = p->ext.drive_max};
}

static void vary(sn_random *r, pendulum_rig *rig) {
  sn_servo_params *p = &rig->servo.params;
  double *const values[] = {&p->alpha[1],     &p->alpha[2],         &p->alpha[3],
                            &p->inertia,      &p->ext.load[0],      &p->ext.load[1],
                            &p->ext.back_emf, &rig->servo.zero_rad, &p->qs};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    *values[i] *= sn_random_between(r, 0.8, 1.25);
  }
}

/* The error of a model on a motion at another gain. */
static double validate(const pendulum_rig *truth, const sn__servo_on_load *servo, sn_random *r) {
  static sn__log_sample other[SAMPLES];
  static double position[SAMPLES];
  pendulum_rig rig = *truth;
  rig.gain = 300;
  rig.noise_rad = 0.0;
  pendulum_rig_log(&rig, r, other, SAMPLES);
  sn__servo_log log = logs[0];
  log.gain = rig.gain;
  log.samples = other;
  sn__servo_simulate(servo, &log, SN__SERVO_WHOLE, position);
  return sn__servo_score_of(&log, position).mae_rad;
}

SN_TEST(simulated_servos_are_identified) {
  for (size_t k = 0; k < sn_test_cases(4); k++) {
    sn_random r;
    sn_random_init(&r, 1000 + k);
    pendulum_rig rig = pendulum_rig_make();
    rig.jitter_s = k % 2 == 0 ? 0.0 : 0.4 * rig.period_s; /* uneven times */
    vary(&r, &rig);
    record(&rig, &r);
    sn_arena arena;
    sn_arena_init_growing(&arena, "fit", 1 << 16);
    const sn__oe_config config = {.model = SN__OE_FULL};
    const sn_servo_params start = known(&rig.servo.params);
    sn__oe_result result;
    sn_error err;
    assert_int_equal(sn__oe_fit(&arena, &config, &start, logs, LOGS, &result, &err), SN_OK);
    const sn_servo_params *p = &rig.servo.params;
    const sn_servo_params *found = &result.servo.params;
    printf("servo %zu: alpha[3] %g of %g, load friction %g, %g of %g, %g\n", k, found->alpha[3],
           p->alpha[3], found->ext.load[0], found->ext.load[1], p->ext.load[0], p->ext.load[1]);
    sn_assert_near(found->alpha[3], p->alpha[3], 0.05 * p->alpha[3]);
    sn_assert_near(found->alpha[0], p->alpha[0], 0.1 * p->alpha[0]);
    sn_assert_near(found->ext.delay_s, p->ext.delay_s, 0.0005);
    sn_assert_near(found->ext.load[0] + 0.5 * found->ext.load[1],
                   p->ext.load[0] + 0.5 * p->ext.load[1],
                   0.15 * (p->ext.load[0] + 0.5 * p->ext.load[1]));
    assert_int_equal(sn_servo_params_check(found, NULL), SN_OK);
    sn_assert_near(validate(&rig, &result.servo, &r), 0.0, 0.004);
    sn_arena_release(&arena);
  }
}

SN_TEST(units_of_the_gain_only_scale_the_result) {
  sn_random r;
  sn_random_init(&r, 7);
  const pendulum_rig rig = pendulum_rig_make();
  record(&rig, &r);
  sn__oe_result result[2];
  for (size_t k = 0; k < 2; k++) {
    sn_arena arena;
    sn_arena_init_growing(&arena, "fit", 1 << 16);
    const sn__oe_config config = {.model = SN__OE_LINEAR_LOAD, .start_count = 1};
    sn_servo_params start = known(&rig.servo.params);
    start.kp *= k == 0 ? 1.0 : 1024.0;
    start.ext.drive_max *= k == 0 ? 1.0 : 1024.0;
    assert_int_equal(sn__oe_fit(&arena, &config, &start, logs, LOGS, &result[k], NULL), SN_OK);
    sn_arena_release(&arena);
  }
  const double one = result[0].servo.params.alpha[3];
  sn_assert_near(result[1].servo.params.alpha[3] / 1024.0, one, 0.01 * one);
}

/* Without limp rows only the sum of viscous friction and back-EMF shows, which is alpha[0]. */
SN_TEST(back_emf_is_apart_only_where_the_servo_is_limp) {
  static const int motions[LOGS] = {0, 1, 3, 0};
  sn_random r;
  sn_random_init(&r, 41);
  const pendulum_rig truth = pendulum_rig_make();
  for (size_t k = 0; k < LOGS; k++) {
    pendulum_rig rig = truth;
    rig.motion = motions[k];
    rig.gain = k % 2 == 0 ? 400 : 200;
    logs[k] = pendulum_rig_record(&rig, &r, samples[k], SAMPLES);
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "fit", 1 << 16);
  const sn__oe_config config = {.model = SN__OE_FULL, .start_count = 2};
  const sn_servo_params start = known(&truth.servo.params);
  sn__oe_result result;
  assert_int_equal(sn__oe_fit(&arena, &config, &start, logs, LOGS, &result, NULL), SN_OK);
  sn_arena_release(&arena);
  assert_false(result.is_free[SN__OE_BACK_EMF]);
  assert_string_equal(sn__oe_name(&result, SN__OE_ALPHA0), "alpha[0]");
  const double found = result.servo.params.alpha[0], std = result.std[SN__OE_ALPHA0];
  print_message("alpha[0] %g +- %g of %g\n", found, std, truth.servo.params.alpha[0]);
  sn_assert_near(found, truth.servo.params.alpha[0], 4.0 * std);
  assert_true(std < 0.1 * found);
  assert_true(result.servo.params.ext.back_emf == SN__OE_BACK_EMF_PART * found);
}

/* A delay within the noise of one slow motion is not identified: the given one stays. */
SN_TEST(delay_that_logs_hardly_show_is_kept) {
  for (int is_fast = 0; is_fast < 2; is_fast++) {
    sn_random r;
    sn_random_init(&r, 51);
    pendulum_rig rig = pendulum_rig_make();
    rig.noise_rad = 0.02;
    record(&rig, &r);
    sn_arena arena;
    sn_arena_init_growing(&arena, "fit", 1 << 16);
    const sn__oe_config config = {.model = SN__OE_FULL, .start_count = 1};
    sn_servo_params start = known(&rig.servo.params);
    start.ext.delay_s = 0.003;
    sn__oe_result result;
    assert_int_equal(sn__oe_fit(&arena, &config, &start, &logs[1], is_fast ? 3 : 1, &result, NULL),
                     SN_OK);
    sn_arena_release(&arena);
    print_message("delay %g s, identified: %d\n", result.servo.params.ext.delay_s,
                  result.is_free[SN__OE_DELAY]);
    assert_int_equal(result.is_free[SN__OE_DELAY], is_fast);
    if (!is_fast) {
      assert_true(result.servo.params.ext.delay_s == 0.003);
    }
  }
}

/* @return the error of alpha[3] that the result states, V/(N m) */
static double stated_error(const pendulum_rig *rig) {
  sn_random r;
  sn_random_init(&r, 8);
  record(rig, &r);
  sn_arena arena;
  sn_arena_init_growing(&arena, "fit", 1 << 16);
  const sn__oe_config config = {.model = SN__OE_FULL, .start_count = 1};
  const sn_servo_params start = known(&rig->servo.params);
  sn__oe_result result;
  assert_int_equal(sn__oe_fit(&arena, &config, &start, logs, LOGS, &result, NULL), SN_OK);
  sn_arena_release(&arena);
  return result.std[SN__OE_ALPHA3];
}

/* The mean square of the noise is measured against logs without any. */
static double noise_rms(const pendulum_rig *rig) {
  static sn__log_sample exact[SAMPLES];
  double square = 0.0;
  for (size_t k = 0; k < LOGS; k++) {
    sn_random r;
    sn_random_init(&r, 8);
    pendulum_rig silent = *rig;
    silent.noise_rad = silent.time_noise_s = 0.0;
    silent.motion = (int)k;
    silent.gain = k % 2 == 0 ? 400 : 200;
    pendulum_rig_log(&silent, &r, exact, SAMPLES);
    for (size_t i = 0; i < SAMPLES; i++) {
      const double error = samples[k][i].position - exact[i].position;
      square += error * error / (LOGS * SAMPLES);
    }
  }
  return sqrt(square);
}

SN_TEST(noise_of_fast_rows_alone_harms_less_than_the_same_noise_of_all_rows) {
  pendulum_rig rig = pendulum_rig_make();
  rig.noise_rad = 0.0003;
  rig.time_noise_s = 0.0005;
  const double jittery = stated_error(&rig);
  rig.noise_rad = noise_rms(&rig);
  rig.time_noise_s = 0.0;
  const double even = stated_error(&rig);
  printf("stated errors %g and %g V/(N m), noise %g rad\n", jittery, even, rig.noise_rad);
  assert_true(jittery < 0.7 * even);
}

/* Identified where there is some, and none where there is none. */
SN_TEST(backlash_is_identified) {
  for (size_t k = 0; k < 2; k++) {
    sn_random r;
    sn_random_init(&r, 31 + k);
    pendulum_rig rig = pendulum_rig_make();
    rig.servo.params.ext.backlash = k == 0 ? 0.0 : 0.05;
    record(&rig, &r);
    sn_arena arena;
    sn_arena_init_growing(&arena, "fit", 1 << 16);
    const sn__oe_config config = {.model = SN__OE_FULL, .has_backlash = true, .start_count = 2};
    const sn_servo_params start = known(&rig.servo.params);
    sn__oe_result result;
    assert_int_equal(sn__oe_fit(&arena, &config, &start, logs, LOGS, &result, NULL), SN_OK);
    const double found = result.servo.params.ext.backlash;
    print_message("backlash %.2f +- %.2f of %.2f mrad\n", 1e3 * found,
                  1e3 * result.std[SN__OE_BACKLASH], 1e3 * rig.servo.params.ext.backlash);
    sn_assert_near(found, rig.servo.params.ext.backlash, 4.0 * result.std[SN__OE_BACKLASH]);
    assert_true(result.std[SN__OE_BACKLASH] < 0.5 * rig.noise_rad);
    sn_arena_release(&arena);
  }
}
