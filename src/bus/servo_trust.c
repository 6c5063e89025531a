#include "bus/servo_trust.h"

#include <math.h>

static const double NOISE_COUNTS = 3.0;
static const double SPEED_UP_S = 0.2; /* to full speed; who is faster is believed a reading later */
static const int64_t OLD_NS = 500000000;

void sn__servo_trust_init(sn__servo_trust *trust, double speed_max) {
  *trust = (sn__servo_trust){.speed_max = speed_max};
}

void sn__servo_trust_reset(sn__servo_trust *trust) {
  sn__servo_trust_init(trust, trust->speed_max);
}

/* How far from where it was expected a servo can be after this time. */
static double reach(const sn__servo_trust *trust, double dt_s) {
  const double speed_change = trust->speed_max * dt_s / SPEED_UP_S;
  return NOISE_COUNTS + fmin(speed_change, 2.0 * trust->speed_max) * dt_s;
}

static void believe(sn__servo_trust *trust, int32_t counts, double velocity, int64_t now_ns) {
  trust->counts = counts;
  trust->velocity = fmax(-trust->speed_max, fmin(trust->speed_max, velocity));
  trust->at_ns = now_ns;
  trust->has_position = true;
  trust->has_doubt = false;
}

bool sn__servo_trust_take(sn__servo_trust *trust, int32_t counts, int32_t check, int64_t now_ns) {
  const double dt_s = fmax(1e-9 * (double)(now_ns - trust->at_ns), 1e-6);
  if (trust->has_position && now_ns - trust->at_ns < OLD_NS && check == trust->check) {
    const double expected = trust->counts + trust->velocity * dt_s;
    if (fabs(counts - expected) <= reach(trust, dt_s)) {
      believe(trust, counts, (counts - trust->counts) / dt_s, now_ns);
      return true;
    }
  }
  const double between_s = fmax(1e-9 * (double)(now_ns - trust->doubted_ns), 1e-6);
  if (trust->has_doubt && now_ns - trust->doubted_ns < OLD_NS &&
      fabs((double)counts - trust->counts_doubted) <= NOISE_COUNTS + trust->speed_max * between_s) {
    believe(trust, counts, (counts - trust->counts_doubted) / between_s, now_ns);
    trust->check = check;
    return true;
  }
  trust->has_doubt = true;
  trust->counts_doubted = counts;
  trust->doubted_ns = now_ns;
  return false;
}
