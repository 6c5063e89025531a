#include <stdlib.h>

#include "ident/output_error/oe_fit.h"
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
    pendulum_rig_log(&rig, r, samples[k], SAMPLES);
    logs[k] = (sn__servo_log){.path = "log",
                              .motor = "servo",
                              .gain = rig.gain,
                              .voltage = rig.voltage,
                              .load = rig.load,
                              .samples = samples[k],
                              .count = SAMPLES};
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

static void truth_of(const pendulum_rig *rig, double truth[SN__OE_COUNT]) {
  const sn_servo_params *p = &rig->servo.params;
  const double all[SN__OE_COUNT] = {[SN__OE_ALPHA0] = p->alpha[0] - p->ext.back_emf,
                                    [SN__OE_ALPHA1] = p->alpha[1],
                                    [SN__OE_ALPHA2] = p->alpha[2],
                                    [SN__OE_ALPHA3] = p->alpha[3],
                                    [SN__OE_QS] = p->qs,
                                    [SN__OE_INERTIA] = p->inertia,
                                    [SN__OE_BACK_EMF] = p->ext.back_emf,
                                    [SN__OE_LOAD] = p->ext.load[0],
                                    [SN__OE_ZERO] = rig->servo.zero_rad,
                                    [SN__OE_LOAD_SQUARE] = p->ext.load[1],
                                    [SN__OE_DELAY] = p->ext.delay_s};
  memcpy(truth, all, sizeof all);
}

/* With SINEW_TEST_SCALE=200 these are a thousand servos, and the bounds are those of the promise;
   with few, chance widens them. */
SN_TEST(parameters_are_within_their_deviations) {
  const size_t trials = sn_test_cases(5);
  size_t inside[SN__OE_COUNT] = {0};
  for (size_t k = 0; k < trials; k++) {
    sn_random r;
    sn_random_init(&r, 1000 + k);
    pendulum_rig rig = pendulum_rig_make();
    vary(&r, &rig);
    record(&rig, &r);
    sn_arena arena;
    sn_arena_init_growing(&arena, "fit", 1 << 16);
    const sn__oe_config config = {.model = SN__OE_FULL, .start_count = 2};
    const sn_servo_params start = known(&rig.servo.params);
    sn__oe_result result;
    sn_error err;
    assert_int_equal(sn__oe_fit(&arena, &config, &start, logs, LOGS, &result, &err), SN_OK);
    double truth[SN__OE_COUNT];
    truth_of(&rig, truth);
    for (int c = 0; c < SN__OE_COUNT; c++) {
      const double away = fabs(result.value[c] - truth[c]) / result.std[c];
      inside[c] += result.is_free[c] && away <= 1.96;
      if (result.is_free[c] && getenv("SINEW_TEST_SHOW") != NULL) {
        printf("%zu %s %g truth %g std %g away %.2f\n", k, sn__oe_name(&result, (sn__oe_param)c),
               result.value[c], truth[c], result.std[c], away);
      }
    }
    sn_arena_release(&arena);
  }
  const double n = (double)trials;
  const double chance = 3.0 * sqrt(0.95 * 0.05 / n);
  bool is_good = true;
  for (int c = 0; c < SN__OE_BACK_LOAD; c++) {
    const double part = (double)inside[c] / n;
    printf("parameter %d: %.1f %% of %zu within 1.96 deviations\n", c, 100.0 * part, trials);
    is_good = is_good && part >= 0.92 - chance && part <= 0.98 + fmax(chance, 0.02);
  }
  assert_true(is_good);
}
