#include "bus/driver/calibration.h"

#include <stdlib.h>

#include "base/fail.h"

static const double DEGREES_PER_RAD = 57.295779513082323;

void sn__calibration_begin(sn__calibration *joint, int32_t counts) {
  *joint = (sn__calibration){.zero = counts, .now = counts, .lowest = counts, .highest = counts};
}

void sn__calibration_extend(sn__calibration *joint, int32_t counts) {
  joint->now = counts;
  joint->lowest = counts < joint->lowest ? counts : joint->lowest;
  joint->highest = counts > joint->highest ? counts : joint->highest;
}

void sn__calibration_take(sn__calibration *joint, int32_t counts, int32_t counts_max) {
  const int64_t step = (int64_t)counts - joint->now;
  joint->has_wrapped = joint->has_wrapped || 2 * llabs(step) > counts_max;
  sn__calibration_extend(joint, counts);
}

sn__servo_range sn__calibration_range(const sn__calibration *joint,
                                      const sn__calibration_servo *servo) {
  const double per_count = 1.0 / (servo->counts_per_rad * servo->gear);
  const double below = ((double)joint->zero - joint->lowest) * per_count;
  const double above = ((double)joint->highest - joint->zero) * per_count;
  const bool grows = servo->direction > 0;
  return (sn__servo_range){.zero = joint->zero,
                           .direction = grows ? 1 : -1,
                           .min = grows ? -below : -above,
                           .max = grows ? above : below};
}

sn_status sn__calibration_check(const sn__calibration *joint, const sn__calibration_servo *servo,
                                const char *name, sn_error *err) {
  if (joint->has_wrapped || joint->lowest < 0 || joint->highest > servo->counts_max) {
    return sn__fail(err, SN_EINVAL,
                    "'%.80s': the range of its encoder, 0 .. %d, ends between the ends of the "
                    "joint: mount the horn half a turn further, and calibrate again",
                    name, (int)servo->counts_max);
  }
  const double span = ((double)joint->highest - joint->lowest) / servo->counts_per_rad;
  if (span < SN__CALIBRATION_SPAN_MIN) {
    return sn__fail(err, SN_EINVAL,
                    "'%.80s': its servo turned by %.1f degrees, at least %.1f expected: move it "
                    "from one end to the other",
                    name, span * DEGREES_PER_RAD, SN__CALIBRATION_SPAN_MIN * DEGREES_PER_RAD);
  }
  return SN_OK;
}
