/* Servos that do what no model describes: friction that varies with the position, teeth, warming,
   a supply that sags, a play, other Stribeck curves. Models are identified at two gains and
   simulate two others, so what was only fitted shows. SINEW_TEST_SCALE=10 makes 40 servos. */
#include "ident/output_error/oe_fit.h"
#include "pendulum_rig.h"
#include "sinew/arena.h"
#include "sn_test.h"

enum { MOTIONS = 4, GAINS = 2, LOGS = GAINS * MOTIONS, SAMPLES = 800, SERVOS = 4, MODELS = 3 };
static const double fitted_gains[GAINS] = {150.0, 400.0};
static const double other_gains[GAINS] = {75.0, 800.0};
static const char *const names[MODELS] = {"basic", "load", "full"};

static sn__log_sample samples[2 * LOGS][SAMPLES];
static sn__servo_log logs[2 * LOGS]; /* those of the fitted gains first */

static pendulum_rig make_foreign(sn_random *r) {
  pendulum_rig rig = pendulum_rig_make();
  sn_servo_params *p = &rig.servo.params;
  double *const values[] = {&p->alpha[0],    &p->alpha[1],    &p->alpha[2],
                            &p->alpha[3],    &p->inertia,     &p->ext.load[0],
                            &p->ext.load[1], &p->ext.delay_s, &p->qs};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    *values[i] *= sn_random_between(r, 0.7, 1.4);
  }
  p->ext.back_emf = 0.75 * p->alpha[0];
  p->ext.backlash = sn_random_between(r, 0.0, 0.01);
  p->ext.is_directional = true;
  for (int i = 0; i < 2; i++) {
    p->ext.back_load[i] = sn_random_between(r, 0.6, 1.2) * p->ext.load[i];
  }
  p->delta = sn_random_between(r, 0.7, 2.0);
  rig.foreign = (pendulum_foreign){.ripple = sn_random_between(r, 0.1, 0.5),
                                   .cogging_Nm = sn_random_between(r, 0.0, 0.02),
                                   .warming = sn_random_between(r, 0.0, 0.15),
                                   .sag = sn_random_between(r, 0.0, 0.2)};
  rig.noise_rad = 0.0005;
  rig.time_noise_s = 0.0003;
  return rig;
}

static void record(const pendulum_rig *servo, sn_random *r) {
  for (size_t k = 0; k < 2 * LOGS; k++) {
    pendulum_rig rig = *servo;
    const double *gains = k < LOGS ? fitted_gains : other_gains;
    rig.motion = (int)(k % MOTIONS);
    rig.gain = gains[k % LOGS / MOTIONS];
    logs[k] = pendulum_rig_record(&rig, r, samples[k], SAMPLES);
  }
}

static sn__oe_result identify(const pendulum_rig *rig, sn__oe_model model) {
  const sn_servo_params known = {
      .kp = rig->servo.params.kp, .kgear = 1.0, .qs = 0.1, .delta = 1.0, .ext.drive_max = 1.0};
  sn_arena arena;
  sn_arena_init_growing(&arena, "fit", 1 << 16);
  const sn__oe_config config = {.model = model, .start_count = 2, .gain_range = 4.0};
  sn__oe_result result;
  sn_error err;
  assert_int_equal(sn__oe_fit(&arena, &config, &known, logs, LOGS, &result, &err), SN_OK);
  sn_arena_release(&arena);
  return result;
}

/* Mean absolute error over half of the logs. */
static double error_of(const sn__oe_result *result, size_t from) {
  static double position[SAMPLES];
  double sum = 0.0;
  for (size_t k = from; k < from + LOGS; k++) {
    sn__servo_simulate(&result->servo, &logs[k], SN__SERVO_WHOLE, position);
    sum += sn__servo_score_of(&logs[k], position).mae_rad / LOGS;
  }
  return sum;
}

SN_TEST(models_with_more_of_a_servo_extrapolate_better_although_none_has_all) {
  const size_t count = sn_test_cases(SERVOS);
  const uint64_t seed = sn_test_seed(300);
  double fitted[MODELS] = {0}, other[MODELS] = {0};
  double better = 0.0;
  for (size_t k = 0; k < count; k++) {
    sn_random r;
    sn_random_init(&r, seed + k);
    const pendulum_rig rig = make_foreign(&r);
    record(&rig, &r);
    double error[MODELS];
    for (int m = 0; m < MODELS; m++) {
      const sn__oe_result result = identify(&rig, (sn__oe_model)m);
      fitted[m] += error_of(&result, 0) / (double)count;
      error[m] = error_of(&result, LOGS);
      other[m] += error[m] / (double)count;
    }
    better += error[SN__OE_FULL] < error[SN__OE_BASIC] ? 1.0 : 0.0;
    print_message("servo %zu: basic %.1f, load %.1f, full %.1f mrad\n", k, 1e3 * error[0],
                  1e3 * error[1], 1e3 * error[2]);
  }
  for (int m = 0; m < MODELS; m++) {
    print_message("%s: fitted gains %.1f, other gains %.1f mrad\n", names[m], 1e3 * fitted[m],
                  1e3 * other[m]);
  }
  print_message("full is better than basic for %.0f %% of the servos\n",
                100.0 * better / (double)count);
  assert_true(other[SN__OE_FULL] < other[SN__OE_LINEAR_LOAD]);
  assert_true(other[SN__OE_LINEAR_LOAD] < other[SN__OE_BASIC]);
  assert_true(other[SN__OE_FULL] < 0.6 * other[SN__OE_BASIC]);
}
