#include "bus/servo_trust.h"

#include <math.h>

static const double SPEED_UP_S = 0.2; /* to full speed; who is faster is believed a reading later */
static const int64_t OLD_NS = 500000000;

void sn__servo_trust_init(sn__servo_trust *trust, double speed_max, double noise) {
  *trust = (sn__servo_trust){.speed_max = speed_max, .noise = noise};
}

void sn__servo_trust_reset(sn__servo_trust *trust) {
  sn__servo_trust_init(trust, trust->speed_max, trust->noise);
}

/* How far from where it was expected a servo can be after this time. */
static double reach(const sn__servo_trust *trust, double dt_s) {
  const double speed_change = trust->speed_max * dt_s / SPEED_UP_S;
  return trust->noise + fmin(speed_change, 2.0 * trust->speed_max) * dt_s;
}

static double seconds_since(int64_t then_ns, int64_t now_ns) {
  return fmax(1e-9 * (double)(now_ns - then_ns), 1e-6);
}

static double possible(const sn__servo_trust *trust, double velocity) {
  return fmax(-trust->speed_max, fmin(trust->speed_max, velocity));
}

static bool believe(sn__servo_trust *trust, int32_t counts, double velocity, int32_t check,
                    int64_t now_ns) {
  trust->counts = counts;
  trust->velocity = possible(trust, velocity);
  trust->check = check;
  trust->at_ns = now_ns;
  trust->has_position = true;
  trust->has_doubt = false;
  return true;
}

/* It waits for another one that goes on from it. */
static bool doubt(sn__servo_trust *trust, int32_t counts, double velocity, int32_t check,
                  int64_t now_ns) {
  trust->check_doubted = check;
  trust->velocity_doubted = possible(trust, velocity);
  trust->counts_doubted = counts;
  trust->doubted_ns = now_ns;
  trust->has_doubt = true;
  return false;
}

bool sn__servo_trust_take(sn__servo_trust *trust, int32_t counts, int32_t check, bool is_noisy,
                          int64_t now_ns) {
  const double dt_s = seconds_since(trust->at_ns, now_ns);
  if (trust->has_position && now_ns - trust->at_ns < OLD_NS && check == trust->check) {
    const double off = fabs(counts - (trust->counts + trust->velocity * dt_s));
    if (off <= (is_noisy ? trust->noise : reach(trust, dt_s))) {
      return believe(trust, counts, (counts - trust->counts) / dt_s, check, now_ns);
    }
  }
  if (!trust->has_doubt || now_ns - trust->doubted_ns >= OLD_NS) {
    return doubt(trust, counts, trust->velocity, check, now_ns);
  }
  const double between_s = seconds_since(trust->doubted_ns, now_ns);
  const double way = (double)counts - trust->counts_doubted;
  const bool goes_on = is_noisy ? fabs(way - trust->velocity_doubted * between_s) <= trust->noise
                                : fabs(way) <= trust->noise + trust->speed_max * between_s;
  return goes_on && check == trust->check_doubted
             ? believe(trust, counts, way / between_s, check, now_ns)
             : doubt(trust, counts, way / between_s, check, now_ns);
}
