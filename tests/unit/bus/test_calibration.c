/* Zero and range of a joint from readings of its encoder. */
#include <math.h>

#include "bus/driver/calibration.h"
#include "sinew/random.h"
#include "sn_test.h"

static const sn__calibration_servo sts = {.direction = 1,
                                          .counts_per_rad = 4096.0 / (2.0 * 3.14159265358979323846),
                                          .gear = 1.0,
                                          .counts_max = 4095};

/* A joint that swings between its ends, read as the driver reads it: the encoder shows whole
   counts. */
static void swing(sn__calibration *joint, const sn__calibration_servo *servo, double zero,
                  double min, double max) {
  const double per_rad = servo->direction * servo->counts_per_rad * servo->gear;
  sn__calibration_begin(joint, (int32_t)lround(zero));
  for (int i = 0; i <= 400; i++) {
    const double q =
        0.5 * (min + max) - 0.5 * (max - min) * cos(i * 3.14159265358979323846 / 100.0);
    sn__calibration_take(joint, (int32_t)lround(zero + q * per_rad), servo->counts_max);
  }
}

SN_TEST(ends_of_any_joint_are_found_within_a_count) {
  sn_random random;
  sn_random_init(&random, 21);
  for (size_t n = 0; n < 1000; n++) {
    sn__calibration_servo servo = sts;
    servo.direction = n % 2 == 0 ? 1 : -1;
    servo.gear = sn_random_between(&random, 0.5, 3.0);
    const double min = -sn_random_between(&random, 0.2, 2.8) / servo.gear;
    const double max = sn_random_between(&random, 0.0, 2.8) / servo.gear;
    const double zero = 2048.0 + floor(sn_random_between(&random, -200.0, 200.0));
    sn__calibration joint;
    swing(&joint, &servo, zero, min, max);
    sn_error err = {.message = ""};
    assert_int_equal(sn__calibration_check(&joint, &servo, "elbow", &err), SN_OK);
    const sn__servo_range range = sn__calibration_range(&joint, &servo);
    const double count = 1.0 / (servo.counts_per_rad * servo.gear);
    assert_int_equal(range.direction, servo.direction);
    sn_assert_near(range.zero, zero, 0.0);
    sn_assert_near(range.min, min, 0.51 * count);
    sn_assert_near(range.max, max, 0.51 * count);
  }
}

SN_TEST(a_joint_that_was_forgotten_is_named) {
  sn__calibration joint;
  sn_error err = {.message = ""};
  swing(&joint, &sts, 2048.0, -0.04, 0.05);
  assert_int_equal(sn__calibration_check(&joint, &sts, "elbow", &err), SN_EINVAL);
  sn_assert_contains(err.message, "'elbow': its servo turned by 5.");
  swing(&joint, &sts, 2048.0, -0.06, 0.05);
  assert_int_equal(sn__calibration_check(&joint, &sts, "elbow", &err), SN_OK);
}

/* A magnetic encoder starts again at 0; one with several turns counts on. */
SN_TEST(an_encoder_that_ends_within_the_range_is_refused) {
  sn__calibration joint;
  sn_error err = {.message = ""};
  sn__calibration_begin(&joint, 4000);
  for (int32_t i = 4000; i < 4300; i += 7) {
    sn__calibration_take(&joint, i % 4096, sts.counts_max);
  }
  assert_true(joint.has_wrapped);
  assert_int_equal(sn__calibration_check(&joint, &sts, "wrist", &err), SN_EINVAL);
  sn_assert_contains(err.message, "'wrist': the range of its encoder, 0 .. 4095, ends");
  const int32_t beyond[] = {4300, -20};
  for (size_t i = 0; i < 2; i++) {
    sn__calibration_begin(&joint, beyond[i] > 0 ? 4000 : 100);
    sn__calibration_take(&joint, beyond[i], sts.counts_max);
    assert_false(joint.has_wrapped);
    assert_int_equal(sn__calibration_check(&joint, &sts, "wrist", &err), SN_EINVAL);
  }
}

SN_TEST(any_readings_are_survived) {
  static const int32_t extremes[] = {INT32_MIN, INT32_MAX, 0, -1, INT32_MIN, 4095};
  sn__calibration joint;
  sn_error err = {.message = ""};
  sn__calibration_begin(&joint, INT32_MAX);
  for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++) {
    sn__calibration_take(&joint, extremes[i], sts.counts_max);
    const sn__servo_range range = sn__calibration_range(&joint, &sts);
    assert_true(isfinite(range.min) && isfinite(range.max) && range.min <= range.max);
  }
  assert_int_equal(sn__calibration_check(&joint, &sts, "wrist", &err), SN_EINVAL);
}
