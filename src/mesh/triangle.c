#include "mesh/triangle.h"

static sn_vec3 combine(sn_vec3 a, sn_vec3 b, sn_vec3 c, double v, double w, double weights[3]) {
  weights[0] = 1.0 - v - w;
  weights[1] = v;
  weights[2] = w;
  return sn_vec3_add_scaled(sn_vec3_add_scaled(a, v, sn_vec3_sub(b, a)), w, sn_vec3_sub(c, a));
}

/* The seven regions of a triangle: Ericson, Real-Time Collision Detection (2005), 5.1.5. */
sn_vec3 sn__triangle_closest(sn_vec3 a, sn_vec3 b, sn_vec3 c, sn_vec3 p, double weights[3]) {
  const sn_vec3 ab = sn_vec3_sub(b, a), ac = sn_vec3_sub(c, a);
  const sn_vec3 ap = sn_vec3_sub(p, a), bp = sn_vec3_sub(p, b), cp = sn_vec3_sub(p, c);
  const double d1 = sn_vec3_dot(ab, ap), d2 = sn_vec3_dot(ac, ap);
  const double d3 = sn_vec3_dot(ab, bp), d4 = sn_vec3_dot(ac, bp);
  const double d5 = sn_vec3_dot(ab, cp), d6 = sn_vec3_dot(ac, cp);
  if (d1 <= 0.0 && d2 <= 0.0) {
    return combine(a, b, c, 0.0, 0.0, weights);
  }
  if (d3 >= 0.0 && d4 <= d3) {
    return combine(a, b, c, 1.0, 0.0, weights);
  }
  if (d6 >= 0.0 && d5 <= d6) {
    return combine(a, b, c, 0.0, 1.0, weights);
  }
  const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 > d3) {
    return combine(a, b, c, d1 / (d1 - d3), 0.0, weights);
  }
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
    return combine(a, b, c, 0.0, d2 / (d2 - d6), weights);
  }
  if (va <= 0.0 && d4 >= d3 && d5 >= d6) {
    const double w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return combine(a, b, c, 1.0 - w, w, weights);
  }
  const double sum = va + vb + vc;
  return combine(a, b, c, vb / sum, vc / sum, weights);
}
