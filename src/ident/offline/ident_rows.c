/* From prepared signals to equations: means over short blocks of samples, the same on both sides.
 */
#include <math.h>

#include "ident/offline/ident_work.h"
#include "servo/servo_friction.h"

/* The goal that is executed at sample i: it was sent that many periods before, by the clock, since
   lines may be missing. */
double sn__ident_goal(const sn__ident_work *w, const sn__ident_setup *setup, size_t i) {
  if (setup->delay == 0) {
    return w->samples[i].goal;
  }
  const double sent = w->samples[i].time_s - (double)setup->delay * w->period_s;
  for (size_t back = 1; back <= setup->delay && back <= i; back++) {
    const double early = w->samples[i - back].time_s - sent;
    if (early < 0.4 * w->period_s) {
      return early > -0.4 * w->period_s ? w->samples[i - back].goal : NAN;
    }
  }
  return NAN;
}

bool sn__ident_is_usable(const sn__ident_work *w, const sn__ident_setup *setup, size_t i) {
  const bool needs_accel = setup->identify_inertia || setup->params.inertia > 0.0;
  return fabs(w->smooth[i]) > setup->min_velocity && isfinite(w->velocity[i]) &&
         isfinite(sn__ident_goal(w, setup, i)) && (!w->has_effort || isfinite(w->effort[i])) &&
         (!needs_accel || isfinite(w->accel[i]));
}

/* Near standstill the dry frictions change from sample to sample, and a mean would wash that out:
   there each sample is an equation of its own. Its velocity and effort are smoothed, since what
   that costs in truth is nothing beside the friction that shows there. */
static bool is_slow(const sn__ident_work *w, const sn__ident_setup *setup, size_t i) {
  return w->block > 1 && fabs(w->smooth[i]) < setup->slow_velocity;
}

static void add_sample(const sn__ident_work *w, const sn__ident_setup *setup, size_t i,
                       sn__ident_row *row) {
  const sn_servo_params *p = &setup->params;
  const double v = w->smooth[i];
  const double sign = v > 0.0 ? 1.0 : -1.0;
  const double stribeck = sn__servo_stribeck(p, v);
  const double goal = sn__ident_goal(w, setup, i);
  const bool slow = is_slow(w, setup, i);
  const double effort = slow && isfinite(w->effort_smooth[i]) ? w->effort_smooth[i] : w->effort[i];
  row->is_smooth = slow;
  row->x[SN_IDENT_ALPHA0] += slow ? v : w->velocity[i];
  row->x[SN_IDENT_ALPHA1] += sign;
  row->x[SN_IDENT_ALPHA2] += sign * stribeck;
  row->x[SN_IDENT_ALPHA3] += w->has_effort ? effort : 0.0;
  row->x[SN_IDENT_INERTIA] += isfinite(w->accel[i]) ? w->accel[i] : 0.0;
  if (setup->with_shape) {
    const double ratio = fabs(v / p->qs);
    const double power = pow(ratio, p->delta);
    const double slope = p->alpha[2] * sign * stribeck * power;
    row->x[SN_IDENT_QS] += slope * p->delta / p->qs;
    row->x[SN_IDENT_DELTA] -= slope * log(ratio);
  }
  row->y += p->kp * w->voltage[i] * (goal / p->kgear - w->samples[i].position);
  row->time_s += w->samples[i].time_s;
  row->weight += 1.0;
}

static void take_mean(sn__ident_row *row) {
  for (size_t c = 0; c < SN_IDENT_PARAM_COUNT; c++) {
    row->x[c] /= row->weight;
  }
  row->y /= row->weight;
  row->time_s /= row->weight;
}

size_t sn__ident_rows(const sn__ident_work *w, const sn__ident_setup *setup, sn__ident_row *rows) {
  size_t count = 0;
  const size_t end = setup->end < w->count ? setup->end : w->count;
  for (size_t first = 0; first < end;) {
    sn__ident_row mean = {0};
    size_t i = first;
    for (; i < end && i < first + w->block && w->segment[i] == w->segment[first]; i++) {
      if (!sn__ident_is_usable(w, setup, i)) {
        continue;
      }
      if (is_slow(w, setup, i)) {
        rows[count] = (sn__ident_row){0};
        add_sample(w, setup, i, &rows[count++]);
      } else {
        add_sample(w, setup, i, &mean);
      }
    }
    if (mean.weight > 0.0) {
      take_mean(&mean);
      rows[count++] = mean;
    }
    first = i;
  }
  return count;
}
