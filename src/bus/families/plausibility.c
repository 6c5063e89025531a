#include "bus/families/plausibility.h"

#include <math.h>

static const double SPEED_UP_S =
    0.2; /* to full speed; a faster servo is accepted one reading later */
static const double VELOCITY_S =
    0.003; /* over a shorter time one count of error spoils the velocity */
static const int64_t OLD_NS = 500000000;   /* older positions are not used */
static const int64_t STALE_NS = 150000000; /* no accepted position for this time */
static const int64_t PAIR_NS = 30000000;   /* longest time between the readings of a pair */

void sn__plausibility_init(sn__plausibility *filter, double speed_max, double noise) {
  *filter = (sn__plausibility){.speed_max = speed_max, .noise = noise};
}

void sn__plausibility_reset(sn__plausibility *filter) {
  sn__plausibility_init(filter, filter->speed_max, filter->noise);
}

/* The largest deviation from the predicted position after this time. */
static double deviation_max(const sn__plausibility *filter, double dt_s) {
  const double speed_change = filter->speed_max * dt_s / SPEED_UP_S;
  return filter->noise + fmin(speed_change, 2.0 * filter->speed_max) * dt_s;
}

static double seconds_since(int64_t then_ns, int64_t now_ns) {
  return fmax(1e-9 * (double)(now_ns - then_ns), 1e-6);
}

static sn__reading_verdict accept_reading(sn__plausibility *filter, int32_t counts, double velocity,
                                          int32_t check, int64_t now_ns) {
  filter->counts = counts;
  filter->velocity = fmax(-filter->speed_max, fmin(filter->speed_max, velocity));
  filter->check = check;
  filter->at_ns = now_ns;
  filter->has_position = true;
  filter->has_doubt = false;
  return SN__READING_ACCEPTED;
}

/* Keep the reading until another one confirms it. */
static void keep_doubted(sn__plausibility *filter, int32_t counts, int32_t check, int64_t now_ns) {
  filter->counts_doubted = counts;
  filter->check_doubted = check;
  filter->doubted_ns = now_ns;
  filter->has_doubt = true;
}

/* From the last accepted position; 0 if there is none or it is too old. */
static double velocity_of(const sn__plausibility *filter, int32_t counts, int64_t now_ns) {
  const double dt_s = seconds_since(filter->at_ns, now_ns);
  if (!filter->has_position || now_ns - filter->at_ns >= OLD_NS) {
    return 0.0;
  }
  return dt_s < VELOCITY_S ? filter->velocity : (counts - filter->counts) / dt_s;
}

/* Accept a reading that agrees with the one before: the same error rarely occurs twice. */
static sn__reading_verdict take_pair(sn__plausibility *filter, int32_t counts, int32_t check,
                                     int64_t now_ns) {
  /* if answers are rare, accept any two that agree */
  const bool is_stale = !filter->has_position || now_ns - filter->at_ns > STALE_NS;
  const int64_t apart_ns = now_ns - filter->doubted_ns;
  const bool is_second = filter->has_doubt && apart_ns < (is_stale ? OLD_NS : PAIR_NS);
  const double way = is_stale ? 0.0 : filter->velocity * seconds_since(filter->doubted_ns, now_ns);
  const double off = fabs(counts - (filter->counts_doubted + way));
  if (is_second && check == filter->check_doubted && off <= 0.5 + 0.5 * filter->noise) {
    return accept_reading(filter, counts, velocity_of(filter, counts, now_ns), check, now_ns);
  }
  keep_doubted(filter, counts, check, now_ns);
  return is_second ? SN__READING_DOUBTED : SN__READING_PENDING;
}

sn__reading_verdict sn__plausibility_take(sn__plausibility *filter, int32_t counts, int32_t check,
                                          bool is_noisy, int64_t now_ns) {
  if (is_noisy) {
    return take_pair(filter, counts, check, now_ns);
  }
  const double dt_s = seconds_since(filter->at_ns, now_ns);
  if (filter->has_position && now_ns - filter->at_ns < OLD_NS && check == filter->check) {
    const double off = fabs(counts - (filter->counts + filter->velocity * dt_s));
    if (off <= deviation_max(filter, dt_s)) {
      return accept_reading(filter, counts, (counts - filter->counts) / dt_s, check, now_ns);
    }
  }
  const double between_s = seconds_since(filter->doubted_ns, now_ns);
  const double way = (double)counts - filter->counts_doubted;
  if (filter->has_doubt && now_ns - filter->doubted_ns < OLD_NS && check == filter->check_doubted &&
      fabs(way) <= filter->noise + filter->speed_max * between_s) {
    return accept_reading(filter, counts, way / between_s, check, now_ns);
  }
  keep_doubted(filter, counts, check, now_ns);
  return SN__READING_DOUBTED;
}
