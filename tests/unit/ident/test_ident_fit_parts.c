/* Parts of the fit: plots, filters, arguments, suggested motions. */
#include "ident/offline/ident_work.h"
#include "ident_fit_rig.h"
#include "sn_test.h"

SN_TEST(plots_follow_the_estimate) {
  sn_random r;
  sn_random_init(&r, 7000);
  sn_servo_rig rig;
  sn_servo_rig_init(&rig, &r);
  sn_servo_rig_make_noisy(&rig);
  sn_servo_rig_log(&rig, &r, ident_fit_samples, COUNT);
  sn_arena arena;
  sn_arena_init_growing(&arena, "fit", 1 << 20);
  sn_ident_result result;
  const sn_ident_fit_config config = {.want_plots = true};
  assert_int_equal(
      sn__ident_fit(&arena, &config, &rig.params, ident_fit_samples, COUNT, &result, NULL), SN_OK);
  assert_int_equal(result.prediction_count, result.sample_count);
  double sum = 0.0;
  for (size_t i = 0; i < result.prediction_count; i++) {
    const double error = result.predictions[i].position - result.predictions[i].predicted;
    sum += error * error;
  }
  sn_assert_near(sqrt(sum / (double)result.prediction_count), result.error_rad, 1e-12);
  assert_true(result.step_count > 50);
  const sn_ident_step *last = &result.steps[result.step_count - 1];
  for (size_t i = 0; i < 4; i++) {
    sn_assert_near(last->value[i], rig.params.alpha[i], 0.15 * rig.params.alpha[i]);
    assert_true(last->std[i] < result.steps[0].std[i]);
  }
  sn_arena_release(&arena);
}

SN_TEST(derivative_weights_are_exact_for_polynomials) {
  sn_random r;
  sn_random_init(&r, 8000);
  for (size_t k = 0; k < 200; k++) {
    double x[9];
    double w[9];
    for (size_t i = 0; i < 9; i++) {
      x[i] = (double)i - 4.0 + sn_random_between(&r, -0.3, 0.3);
    }
    sn__derivative_weights(9, x, w);
    for (size_t degree = 0; degree < 9; degree++) {
      double sum = 0.0;
      double size = 0.0;
      for (size_t i = 0; i < 9; i++) {
        sum += w[i] * pow(x[i], (double)degree);
        size += fabs(w[i] * pow(x[i], (double)degree));
      }
      sn_assert_near(sum, degree == 1 ? 1.0 : 0.0, 1e-11 * (1.0 + size));
    }
  }
}

/* At even points the cubic smoother of Savitzky and Golay has a closed form. */
SN_TEST(smoother_weights_match_the_closed_form) {
  for (size_t half = 3; half <= SN__SMOOTH_MAX; half++) {
    double x[2 * SN__SMOOTH_MAX + 1];
    double w[2 * SN__SMOOTH_MAX + 1];
    const double m = (double)half;
    for (size_t k = 0; k <= 2 * half; k++) {
      x[k] = ((double)k - m) / m;
    }
    sn__smoother_weights(2 * half + 1, x, 3, w);
    const double norm = (2 * m - 1) * (2 * m + 1) * (2 * m + 3) / 3.0;
    for (size_t k = 0; k <= 2 * half; k++) {
      const double at = (double)k - m;
      sn_assert_near(w[k], (3 * m * m + 3 * m - 1 - 5 * at * at) / norm, 1e-12);
    }
  }
}

SN_TEST(wrong_arguments_are_told) {
  const sn_servo_params good = {
      .kp = 100, .kgear = 1, .alpha = {30, 8, 4, 200}, .qs = 0.1, .delta = 1};
  sn_servo_params no_gain = good;
  no_gain.kp = 0.0;
  for (size_t i = 0; i < 100; i++) {
    ident_fit_samples[i] = (sn_ident_sample){0.01 * (double)i, 0, 0, 0, 0, NAN};
  }
  const struct {
    sn_ident_fit_config config;
    const sn_servo_params *params;
    const char *text;
  } cases[] = {
      {{.voltage = 0.0}, &no_gain, "kp is 0"},
      {{.voltage = 0.0}, &good, "voltage of the battery is not known"},
      {{.voltage = -12.0}, &good, "voltage is -12"},
      {{.voltage = 12.0, .threshold_rad = NAN}, &good, "threshold is nan"},
      {{.voltage = 12.0, .has_delay = true, .control_delay = 101}, &good, "at most 100"},
  };
  sn_arena arena;
  sn_arena_init_growing(&arena, "fit", 1 << 16);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_ident_result result;
    sn_error err;
    assert_int_equal(sn__ident_fit(&arena, &cases[i].config, cases[i].params, ident_fit_samples,
                                   100, &result, &err),
                     SN_EINVAL);
    sn_assert_contains(err.message, cases[i].text);
  }
  ident_fit_samples[50].time_s = 0.1;
  sn_ident_result result;
  sn_error err;
  const sn_ident_fit_config config = {.voltage = 12.0};
  assert_int_equal(sn__ident_fit(&arena, &config, &good, ident_fit_samples, 100, &result, &err),
                   SN_EINVAL);
  sn_assert_contains(err.message, "time does not grow: 0.1 s follows 0.49 s");
  sn_arena_release(&arena);
}

SN_TEST(suggested_motion_stays_inside_limits_and_excites) {
  sn_random r;
  sn_random_init(&r, 9000);
  for (size_t k = 0; k < 6; k++) {
    sn_servo_rig rig;
    sn_servo_rig_init(&rig, &r);
    const double lower = sn_random_between(&r, -2.0, 0.0);
    const double upper = lower + sn_random_between(&r, 0.5, 4.0);
    const double velocity_max = sn_random_between(&r, 2.0, 8.0);
    sn_ident_motion motion;
    assert_true(sn__ident_suggest(&rig.params, lower, upper, velocity_max, &motion));
    memset(rig.amplitude, 0, sizeof rig.amplitude);
    for (size_t i = 0; i < 3; i++) {
      rig.amplitude[i] = motion.amplitude_rad[i];
      rig.omega[i] = 6.283185307179586 * motion.frequency_Hz[i];
      rig.phase[i] = 0.0;
    }
    sn_servo_rig_make_noisy(&rig);
    sn_servo_rig_log(&rig, &r, ident_fit_samples, 6000);
    for (size_t i = 0; i < 6000; i++) {
      const sn_servo_motion m = sn_servo_rig_motion(&rig, 0.01 * (double)i);
      assert_true(m.q + motion.middle_rad > lower && m.q + motion.middle_rad < upper);
      assert_true(fabs(m.qd) < velocity_max);
    }
    const sn_servo_params start = ident_fit_unknown(&rig.params);
    const sn_ident_result result = ident_fit_fit(&(sn_ident_fit_config){0}, &start, 6000);
    assert_true(result.excited && result.ok);
  }
  sn_ident_motion motion;
  const sn_servo_params p = {.kp = 1, .kgear = 1, .qs = 0.1, .delta = 1};
  assert_false(sn__ident_suggest(&p, 1.0, 1.0, 1.0, &motion));
  assert_false(sn__ident_suggest(&p, -INFINITY, 1.0, 1.0, &motion));
  assert_false(sn__ident_suggest(&p, 0.0, 1.0, 0.0, &motion));
}
