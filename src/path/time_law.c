#include "path/time_law.h"

#include <math.h>

#include "base/fail.h"

sn_status sn__time_law_create(sn_arena *arena, size_t interval_max, sn__time_law *out,
                              sn_error *err) {
  double *numbers = SN_NEW(arena, double, 5 * (interval_max + 1));
  if (numbers == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu intervals of time", interval_max);
  }
  const size_t count = interval_max + 1;
  *out = (sn__time_law){.interval_max = interval_max,
                        .width = numbers,
                        .rate = numbers + count,
                        .slope = numbers + 2 * count,
                        .bend = numbers + 3 * count,
                        .start_s = numbers + 4 * count};
  return SN_OK;
}

/* tan(z)/z inverted, for z^2 = square: atan(z)/z, or atanh of the same where the square is
   negative; a series close to zero, where both quotients lose their digits. */
static double arc_ratio(double square) {
  if (fabs(square) < 1e-3) {
    return 1.0 - square * (1.0 / 3.0 - square * (1.0 / 5.0 - square * (1.0 / 7.0 - square / 9.0)));
  }
  const double z = sqrt(fabs(square));
  return (square > 0.0 ? atan(z) : atanh(z)) / z;
}

/* The width is the integral of v, which is a hyperbolic or circular function of time: about the
   middle of the interval only its even part counts, so width / (v0 + v1) = tan(w T/2) / w with
   w^2 = -x''/2. */
static double duration_of(const sn__time_law *law, size_t i) {
  const double mean = law->width[i] / (law->rate[i] + law->rate[i + 1]);
  return 2.0 * mean * arc_ratio(-0.5 * law->bend[i] * mean * mean);
}

void sn__time_law_integrate(sn__time_law *law) {
  law->start_s[0] = 0.0;
  for (size_t i = 0; i < law->interval_count; i++) {
    law->start_s[i + 1] = law->start_s[i] + duration_of(law, i);
  }
}

double sn__time_law_duration(const sn__time_law *law) {
  return law->interval_count == 0 ? 0.0 : law->start_s[law->interval_count];
}

static size_t interval_at(const sn__time_law *law, double t_s) {
  size_t low = 0;
  size_t high = law->interval_count;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (law->start_s[middle] <= t_s) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/* cos(wt), sin(wt)/w and (1 - cos(wt))/w^2 for w^2 = square; hyperbolic where it is negative. */
typedef struct waves {
  double even, odd, rest;
} waves;

static waves waves_at(double square, double t) {
  const double z = square * t * t;
  if (fabs(z) < 1e-3) {
    return (waves){1.0 - z * (1.0 / 2.0 - z * (1.0 / 24.0 - z / 720.0)),
                   t * (1.0 - z * (1.0 / 6.0 - z * (1.0 / 120.0 - z / 5040.0))),
                   t * t * (1.0 / 2.0 - z * (1.0 / 24.0 - z * (1.0 / 720.0 - z / 40320.0)))};
  }
  const double w = sqrt(fabs(square));
  const double even = square > 0.0 ? cos(w * t) : cosh(w * t);
  const double odd = square > 0.0 ? sin(w * t) : sinh(w * t);
  return (waves){even, odd / w, (1.0 - even) / square};
}

sn__law_point sn__time_law_at(const sn__time_law *law, double t_s) {
  const size_t i = interval_at(law, t_s);
  const double span = law->start_s[i + 1] - law->start_s[i];
  const double t = fmin(fmax(t_s - law->start_s[i], 0.0), span);
  const double square = -0.5 * law->bend[i];
  const waves w = waves_at(square, t);
  const double v = law->rate[i];
  const double a = 0.5 * law->slope[i];
  const double at = v * w.odd + a * w.rest;
  return (sn__law_point){.interval = i,
                         .at = fmin(fmax(at, 0.0), law->width[i]),
                         .rate = v * w.even + a * w.odd,
                         .acceleration = a * w.even - square * v * w.odd};
}
