#include <math.h>

#include "bus/servo_bus.h"

static const double LOSS_MAX = 0.008;
enum { REPEATS_MAX = 6 };

void sn__goal_plan(size_t count, size_t head, size_t each, double byte_error, size_t bytes_max,
                   size_t *group, size_t *repeats) {
  /* If not even one packet with all of them is short enough, they have their turns. */
  const size_t fits = bytes_max > head ? (bytes_max - head) / each : 0;
  *group = fits == 0 ? 1 : fits < count ? fits : count;
  *repeats = 1;
  double bytes_best = INFINITY, loss_best = 1.0;
  for (size_t g = 1; g <= count; g++) {
    const size_t packets = (count + g - 1) / g;
    const double loss = 1.0 - pow(1.0 - byte_error, (double)(head + g * each));
    for (size_t r = 1; r <= REPEATS_MAX; r++) {
      const double bytes = (double)(r * (packets * head + count * each));
      const double loss_all = pow(loss, (double)r);
      if (bytes > (double)bytes_max) {
        break;
      }
      const bool is_good = loss_all <= LOSS_MAX, was_good = loss_best <= LOSS_MAX;
      if (is_good && was_good ? bytes < bytes_best : loss_all < loss_best) {
        bytes_best = bytes;
        loss_best = loss_all;
        *group = g;
        *repeats = r;
      }
    }
  }
}
