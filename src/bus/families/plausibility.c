#include "bus/families/plausibility.h"

#include <math.h>

static const double SPEED_UP_S =
    0.2; /* to full speed; a faster servo is accepted one reading later */
static const double VELOCITY_S =
    0.003; /* over a shorter time one count of error spoils the velocity */
static const int64_t OLD_NS = 500000000;   /* older positions are not used */
static const int64_t STALE_NS = 150000000; /* no accepted position for this time */
static const int64_t PAIR_NS = 30000000;   /* longest time between the readings of a pair */

void sn__plausibility_init(sn__plausibility *trust, double speed_max, double noise) {
  *trust = (sn__plausibility){.speed_max = speed_max, .noise = noise};
}

void sn__plausibility_reset(sn__plausibility *trust) {
  sn__plausibility_init(trust, trust->speed_max, trust->noise);
}

/* The largest deviation from the predicted position after this time. */
static double reach(const sn__plausibility *trust, double dt_s) {
  const double speed_change = trust->speed_max * dt_s / SPEED_UP_S;
  return trust->noise + fmin(speed_change, 2.0 * trust->speed_max) * dt_s;
}

static double seconds_since(int64_t then_ns, int64_t now_ns) {
  return fmax(1e-9 * (double)(now_ns - then_ns), 1e-6);
}

static sn__trust believe(sn__plausibility *trust, int32_t counts, double velocity, int32_t check,
                         int64_t now_ns) {
  trust->counts = counts;
  trust->velocity = fmax(-trust->speed_max, fmin(trust->speed_max, velocity));
  trust->check = check;
  trust->at_ns = now_ns;
  trust->has_position = true;
  trust->has_doubt = false;
  return SN__TRUST_BELIEVED;
}

/* Keep the reading until another one confirms it. */
static void keep(sn__plausibility *trust, int32_t counts, int32_t check, int64_t now_ns) {
  trust->counts_doubted = counts;
  trust->check_doubted = check;
  trust->doubted_ns = now_ns;
  trust->has_doubt = true;
}

/* From the last accepted position, or from the doubted one if there is no other. */
static double velocity_of(const sn__plausibility *trust, int32_t counts, int64_t now_ns) {
  const double dt_s = seconds_since(trust->at_ns, now_ns);
  if (!trust->has_position || now_ns - trust->at_ns >= OLD_NS) {
    return 0.0;
  }
  return dt_s < VELOCITY_S ? trust->velocity : (counts - trust->counts) / dt_s;
}

/* Accept a reading that agrees with the one before: the same error rarely occurs twice. */
static sn__trust take_pair(sn__plausibility *trust, int32_t counts, int32_t check, int64_t now_ns) {
  /* if answers are rare, accept any two that agree */
  const bool is_stale = !trust->has_position || now_ns - trust->at_ns > STALE_NS;
  const int64_t apart_ns = now_ns - trust->doubted_ns;
  const bool is_second = trust->has_doubt && apart_ns < (is_stale ? OLD_NS : PAIR_NS);
  const double way = is_stale ? 0.0 : trust->velocity * seconds_since(trust->doubted_ns, now_ns);
  const double off = fabs(counts - (trust->counts_doubted + way));
  if (is_second && check == trust->check_doubted && off <= 0.5 + 0.5 * trust->noise) {
    return believe(trust, counts, velocity_of(trust, counts, now_ns), check, now_ns);
  }
  keep(trust, counts, check, now_ns);
  return is_second ? SN__TRUST_DOUBTED : SN__TRUST_WAITS;
}

sn__trust sn__plausibility_take(sn__plausibility *trust, int32_t counts, int32_t check,
                                bool is_noisy, int64_t now_ns) {
  if (is_noisy) {
    return take_pair(trust, counts, check, now_ns);
  }
  const double dt_s = seconds_since(trust->at_ns, now_ns);
  if (trust->has_position && now_ns - trust->at_ns < OLD_NS && check == trust->check) {
    const double off = fabs(counts - (trust->counts + trust->velocity * dt_s));
    if (off <= reach(trust, dt_s)) {
      return believe(trust, counts, (counts - trust->counts) / dt_s, check, now_ns);
    }
  }
  const double between_s = seconds_since(trust->doubted_ns, now_ns);
  const double way = (double)counts - trust->counts_doubted;
  if (trust->has_doubt && now_ns - trust->doubted_ns < OLD_NS && check == trust->check_doubted &&
      fabs(way) <= trust->noise + trust->speed_max * between_s) {
    return believe(trust, counts, way / between_s, check, now_ns);
  }
  keep(trust, counts, check, now_ns);
  return SN__TRUST_DOUBTED;
}
