/* How errors that are some rows apart are alike. */
#include <math.h>

#include "ident/output_error/oe_internal.h"

void sn__oe_colour_add(const sn__oe_work *w, size_t k, double *pull, sn__oe_colour *c) {
  const sn__servo_log *log = &w->logs[k];
  const sn__oe_row *rows = w->rows + sn__oe_row_count(w, k);
  for (size_t i = 0; i < log->count; i++) {
    const double error = w->base[i] - log->samples[i].position;
    pull[i] = sqrt(rows[i].weight) * sn__oe_weight(error) * error;
  }
  for (size_t lag = 0; lag <= SN__OE_LAGS && lag < log->count; lag++) {
    for (size_t i = lag; i < log->count; i++) {
      c->product[lag] += pull[i] * pull[i - lag];
    }
  }
  c->rows += (double)log->count;
  c->span_s += log->samples[log->count - 1].time_s - log->samples[0].time_s;
}

size_t sn__oe_colour_lag(const sn__oe_colour *c, double least) {
  size_t lag = 1;
  while (lag <= SN__OE_LAGS && c->product[lag] > least * c->product[0]) {
    lag++;
  }
  return lag;
}

sn__oe_filter sn__oe_colour_filter(const sn__oe_colour *c) {
  sn__oe_filter f = {.count = sn__oe_colour_lag(c, 1.0 / sqrt(c->rows))};
  double alike = 0.0;
  for (size_t lag = 0; lag < f.count; lag++) {
    f.at[lag] = (lag == 0 ? 1.0 : 2.0) * c->product[lag] / c->rows;
    alike += f.at[lag];
  }
  f.independent = alike > 0.0 ? c->product[0] / alike : 0.0;
  return f;
}
