#include "math/sincos.h"

void sn__sincos_far(const double x[SN__SINCOS_LANES], double s[SN__SINCOS_LANES],
                    double c[SN__SINCOS_LANES]) {
  for (int i = 0; i < SN__SINCOS_LANES; i++) {
    if (fabs(x[i]) <= SN__SINCOS_LIMIT) { /* a neighbour must not change the bits of this one */
      sn__sincos_lane(x[i], &s[i], &c[i]);
    } else {
      s[i] = sin(x[i]);
      c[i] = cos(x[i]);
    }
  }
}

void sn__sincos(size_t n, const double *x, double *s, double *c) {
  size_t i = 0;
  for (; i + SN__SINCOS_LANES <= n; i += SN__SINCOS_LANES) {
    sn__sincos_lanes(x + i, s + i, c + i);
  }
  if (i < n) {
    double block_x[SN__SINCOS_LANES] = {0}, block_s[SN__SINCOS_LANES], block_c[SN__SINCOS_LANES];
    memcpy(block_x, x + i, (n - i) * sizeof *x);
    sn__sincos_lanes(block_x, block_s, block_c);
    memcpy(s + i, block_s, (n - i) * sizeof *s);
    memcpy(c + i, block_c, (n - i) * sizeof *c);
  }
}
