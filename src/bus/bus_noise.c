/* Estimates the quality of the line from the bytes received. */
#include <math.h>

#include "bus/bus_schedule.h"
#include "bus/families/servo_link.h"

enum { BYTES_MIN = 200, STRAYS_MIN = 5 };
static const double NOISE_REPORTED = 1e-3, NOISE_OVER = 2e-4;

static void learn_noise(sn__servo_bus *bus) {
  const sn_bus_stats *stats = &bus->engine.stats;
  const uint64_t received = stats->received_bytes - bus->received_seen;
  if (received < BYTES_MIN) {
    return;
  }
  /* adjacent damaged bytes count once */
  const double seen = 1.3 * (double)(stats->spoilt - bus->damaged_seen) / (double)received;
  bus->byte_error += (seen > bus->byte_error ? 0.5 : 0.1) * (seen - bus->byte_error);
  bus->received_seen = stats->received_bytes;
  bus->damaged_seen = stats->spoilt;
  /* the first estimate is pessimistic: report only measured noise */
  const bool is_noisy = seen > NOISE_REPORTED && bus->was_noisy;
  bus->was_noisy = seen > NOISE_REPORTED;
  if (is_noisy && !bus->reported_noise) {
    sn__servo_add_event(bus, 0, SN__SERVO_EVENT_NOISE, (int32_t)lround(1e4 * seen));
  }
  bus->reported_noise = is_noisy || (bus->reported_noise && bus->byte_error > NOISE_OVER);
}

static void watch_strays(sn__servo_bus *bus) {
  const uint64_t strays = bus->engine.stats.strays - bus->strays_seen;
  bus->strays_seen = bus->engine.stats.strays;
  for (size_t i = 0; strays >= STRAYS_MIN && !bus->reported_stray && i < bus->count; i++) {
    if (bus->servos[i].mount.id == bus->engine.stray_for) {
      bus->reported_stray = true;
      sn__servo_add_event(bus, i, SN__SERVO_EVENT_STRAY, bus->engine.stray_id);
    }
  }
}

void sn__bus_judge_line(sn__servo_bus *bus) {
  learn_noise(bus);
  watch_strays(bus);
}
