#include "math/sincos.h"

#include <math.h>

void sn__sincos_each(size_t n, const double *x, double *s, double *c) {
  for (size_t i = 0; i < n; i++) {
    if (fabs(x[i]) <= SN__SINCOS_LIMIT) { /* the result must not depend on the neighbour */
      sn__pair sine, cosine;
      sn__sincos_pair(sn__pair_both(x[i]), &sine, &cosine);
      s[i] = sine[0];
      c[i] = cosine[0];
    } else {
      s[i] = sin(x[i]);
      c[i] = cos(x[i]);
    }
  }
}
