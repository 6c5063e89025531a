/* The basic model of a servo with load friction, at a gain that was not recorded. */
#include "ident/output_error/oe_fit.h"
#include "pendulum_rig.h"
#include "sinew/arena.h"
#include "sn_test.h"

enum { MOTIONS = 4, LOGS = 2 * MOTIONS, SAMPLES = 800 };
#define LOW 100.0
#define HIGH 400.0

static sn__log_sample samples[LOGS][SAMPLES];
static sn__servo_log logs[LOGS]; /* those of the low gain first */

static void record(const pendulum_rig *servo) {
  sn_random r;
  sn_random_init(&r, 22);
  for (size_t k = 0; k < LOGS; k++) {
    pendulum_rig rig = *servo;
    rig.motion = (int)(k % MOTIONS);
    rig.gain = k < MOTIONS ? LOW : HIGH;
    logs[k] = pendulum_rig_record(&rig, &r, samples[k], SAMPLES);
  }
}

static sn__oe_result identify(const pendulum_rig *rig, size_t count, double gain_range) {
  const sn_servo_params *p = &rig->servo.params;
  const sn_servo_params known = {.kp = p->kp,
                                 .kgear = p->kgear,
                                 .qs = 0.1,
                                 .delta = p->delta,
                                 .ext.drive_max = p->ext.drive_max};
  sn_arena arena;
  sn_arena_init_growing(&arena, "fit", 1 << 16);
  const sn__oe_config config = {.model = SN__OE_BASIC, .start_count = 2, .gain_range = gain_range};
  sn__oe_result result;
  sn_error err;
  assert_int_equal(sn__oe_fit(&arena, &config, &known, logs, count, &result, &err), SN_OK);
  sn_arena_release(&arena);
  return result;
}

/* Mean over the logs of the high gain. */
static double error_at_high_gain(const sn__oe_result *result) {
  static double position[SAMPLES];
  double sum = 0.0;
  for (size_t k = MOTIONS; k < LOGS; k++) {
    sn__servo_simulate(&result->servo, &logs[k], SN__SERVO_WHOLE, position);
    sum += sn__servo_score_of(&logs[k], position).mae_rad / MOTIONS;
  }
  return sum;
}

/* Oracle: a basic model that was fitted to the logs of both gains. */
SN_TEST(a_basic_model_of_one_gain_holds_at_another_as_if_that_had_been_recorded) {
  const pendulum_rig rig = pendulum_rig_make();
  record(&rig);
  const sn__oe_result narrow = identify(&rig, MOTIONS, 0.0);
  const sn__oe_result wide = identify(&rig, MOTIONS, HIGH / LOW);
  const sn__oe_result both = identify(&rig, LOGS, 0.0);
  const double error[] = {error_at_high_gain(&narrow), error_at_high_gain(&wide),
                          error_at_high_gain(&both)};
  print_message("low gain only %.1f, wide %.1f, both gains %.1f mrad\n", 1e3 * error[0],
                1e3 * error[1], 1e3 * error[2]);
  assert_true(error[1] < 1.1 * error[2]);
  assert_true(error[1] < error[0]);
  assert_true(wide.is_widened);
  assert_int_equal(sn_servo_params_check(&wide.servo.params, NULL), SN_OK);
  for (int i = 0; i < SN__OE_COUNT; i++) {
    assert_true(isfinite(wide.std[i]));
  }
}

SN_TEST(a_servo_without_load_friction_is_identified_from_its_logs_alone) {
  pendulum_rig rig = pendulum_rig_make();
  rig.servo.params.ext = (sn_servo_extension){.drive_max = 1.0};
  rig.servo.zero_rad = 0.0;
  record(&rig);
  const sn__oe_result narrow = identify(&rig, MOTIONS, 0.0);
  const sn__oe_result wide = identify(&rig, MOTIONS, 4.0);
  assert_false(wide.is_widened);
  assert_memory_equal(wide.value, narrow.value, sizeof wide.value);
  assert_memory_equal(wide.std, narrow.std, sizeof wide.std);
}
