#include "servo/battery.h"

#include <math.h>

#include "sinew/msg_types.h"

void sn__battery_reset(sn__battery *battery) {
  battery->measured = 0.0;
  battery->was_bad = false;
}

static double voltage_now(const sn__battery *b) {
  return b->measured > 0.0 ? b->measured : b->nominal;
}

/* Warn when it begins, at most once a second: a bad sensor sends bad values in every cycle, and the
   voltage of an empty battery goes up and down with the load. */
double sn__battery_read(sn__battery *b, sn_input *input, const sn_component *component,
                        int64_t now_ns) {
  const sn_battery_state *in = sn_input_newest(input);
  if (in == NULL || isnan(in->voltage)) { /* NaN: not measured */
    return voltage_now(b);
  }
  const double voltage = (double)in->voltage;
  const bool is_bad = voltage < b->lowest;
  if (is_bad && !b->was_bad) {
    const sn_log_arg args[] = {{.kind = SN_LOG_REAL, .value.real = voltage},
                               {.kind = SN_LOG_REAL, .value.real = b->lowest},
                               {.kind = SN_LOG_REAL, .value.real = voltage_now(b)}};
    sn_component_log_limited(component, &b->warnings, now_ns, SN_LOG_WARNING,
                             "battery_state: {} V is below battery_voltage_min, {} V; {} V is used",
                             3, args);
  }
  b->was_bad = is_bad;
  b->measured = is_bad ? b->measured : voltage;
  return voltage_now(b);
}
