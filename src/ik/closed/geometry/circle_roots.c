#include "ik/closed/geometry/circle_roots.h"

#include <stdbool.h>

static double value_at(const double g[6], sn__turn t) {
  return g[0] + t.c * (g[1] + g[3] * t.c + g[4] * t.s) + t.s * (g[2] + g[5] * t.s);
}

/* First and second derivative by the angle. */
static double slope_at(const double g[6], sn__turn t) {
  return g[2] * t.c - g[1] * t.s + 2.0 * (g[5] - g[3]) * t.c * t.s + g[4] * (t.c * t.c - t.s * t.s);
}

static double bend_at(const double g[6], sn__turn t) {
  return -g[1] * t.c - g[2] * t.s + 2.0 * (g[5] - g[3]) * (t.c * t.c - t.s * t.s) -
         4.0 * g[4] * t.c * t.s;
}

/* Rotate by a small angle, to second order, and normalise. */
static sn__turn nudge(sn__turn t, double angle_rad) {
  const double limited = fmax(-0.3, fmin(0.3, angle_rad));
  const double c = 1.0 - 0.5 * limited * limited;
  return sn__turn_normalize(c * t.c - limited * t.s, c * t.s + limited * t.c);
}

/* The largest real root of z^3 + b z^2 + c z + d: trigonometric or Cardano's form, then Newton. */
static double cubic_largest(double b, double c, double d) {
  const double shift = b / 3.0;
  const double p = c / 3.0 - shift * shift; /* x^3 + 3 p x + 2 q */
  const double q = shift * (shift * shift - 0.5 * c) + 0.5 * d;
  const double discriminant = q * q + p * p * p;
  double x = 0.0;
  if (discriminant < 0.0) { /* three real roots, p < 0 */
    const double r = sqrt(-p);
    const double cosine = fmax(-1.0, fmin(1.0, -q / (r * r * r)));
    x = 2.0 * r * cos(acos(cosine) / 3.0);
  } else {
    const double u = cbrt(fabs(q) + sqrt(discriminant));
    x = u == 0.0 ? 0.0 : copysign(u - p / u, -q);
  }
  double z = x - shift;
  for (int i = 0; i < 2; i++) {
    const double f = ((z + b) * z + c) * z + d;
    const double slope = (3.0 * z + 2.0 * b) * z + c;
    z -= slope == 0.0 ? 0.0 : f / slope;
  }
  return z;
}

/* y^2 + u y + v: two roots, or the real part of a complex pair as the second entry only. */
static int quadratic_roots(double u, double v, double root[2], bool *is_pair) {
  const double middle = -0.5 * u;
  const double discriminant = middle * middle - v;
  *is_pair = discriminant < 0.0;
  if (*is_pair) {
    root[0] = middle;
    return 1;
  }
  const double far = middle + copysign(sqrt(discriminant), middle);
  root[0] = far;
  root[1] = far == 0.0 ? 0.0 : v / far;
  return 2;
}

/* t^4 + a t^3 + b t^2 + c t + d by Ferrari's factors (y^2 + u y + v)(y^2 - u y + w), t = y - a/4.
   Complex pairs give their real part and are marked. */
static int quartic_roots(double a, double b, double c, double d, double root[4], bool is_pair[4]) {
  const double e = 0.25 * a;
  const double p = b - 6.0 * e * e;
  const double q = c - 2.0 * b * e + 8.0 * e * e * e;
  const double r = d - c * e + b * e * e - 3.0 * e * e * e * e;
  const double z = fmax(0.0, cubic_largest(2.0 * p, p * p - 4.0 * r, -q * q));
  const double u = sqrt(z);
  double v = 0.0, w = 0.0;
  if (u > 0.0 && z > 1e-14 * (fabs(p) + sqrt(fabs(r)))) {
    v = 0.5 * (p + z - q / u);
    w = 0.5 * (p + z + q / u);
  } else { /* q is zero: a quadratic in y^2 */
    const double half = 0.5 * sqrt(fmax(0.0, p * p - 4.0 * r));
    v = 0.5 * p - half;
    w = 0.5 * p + half;
  }
  int count = 0;
  const double factor[2][2] = {{u, v}, {-u, w}};
  for (int i = 0; i < 2; i++) {
    double pair[2] = {0.0, 0.0};
    bool complex_pair = false;
    const int found = quadratic_roots(factor[i][0], factor[i][1], pair, &complex_pair);
    for (int j = 0; j < found; j++) {
      root[count] = pair[j] - e;
      is_pair[count++] = complex_pair;
    }
  }
  return count;
}

/* Steps to the root of the local parabola: unlike Newton's they stay quadratic near double roots,
   and end at the extremum where rounding has left no root. */
static sn__turn polish_root(const double g[6], sn__turn t) {
  double f = value_at(g, t);
  for (int i = 0; i < 3; i++) {
    const double slope = slope_at(g, t);
    const double bend = bend_at(g, t);
    const double discriminant = slope * slope - 2.0 * f * bend;
    const double divisor = slope + copysign(sqrt(fmax(0.0, discriminant)), slope);
    const double step = discriminant > 0.0 ? -2.0 * f / divisor : -slope / bend;
    if (!isfinite(step)) {
      break;
    }
    const sn__turn next = nudge(t, step);
    const double f_next = value_at(g, next);
    if (fabs(f_next) >= fabs(f)) {
      break;
    }
    t = next;
    f = f_next;
  }
  return t;
}

static sn__turn polish_extremum(const double g[6], sn__turn t) {
  for (int i = 0; i < 3; i++) {
    const double bend = bend_at(g, t);
    if (bend == 0.0) {
      break;
    }
    t = nudge(t, -slope_at(g, t) / bend);
  }
  return t;
}

/* The polynomial in coordinates turned by @p t. */
static void turn_polynomial(const double g[6], sn__turn t, double out[6]) {
  const double c = t.c, s = t.s;
  out[0] = g[0];
  out[1] = g[1] * c + g[2] * s;
  out[2] = g[2] * c - g[1] * s;
  out[3] = g[3] * c * c + g[4] * c * s + g[5] * s * s;
  out[4] = 2.0 * (g[5] - g[3]) * c * s + g[4] * (c * c - s * s);
  out[5] = g[3] * s * s - g[4] * c * s + g[5] * c * c;
}

/* Without a root: of a few points around the circle, the one where the polynomial is nearest to
 * zero.
 */
static sn__turn nearest_to_zero(const double g[6]) {
  const sn__turn step = {0.98078528040323044913, 0.19509032201612826785}; /* of pi/16 */
  sn__turn t = {1.0, 0.0}, best = t;
  double smallest = INFINITY;
  for (int i = 0; i < 32; i++) {
    const double f = fabs(value_at(g, t));
    if (f < smallest) {
      smallest = f;
      best = t;
    }
    t = sn__turn_add(t, step);
  }
  return polish_extremum(g, best);
}

/* The half-angle substitution sends one point of the circle to infinity: take the one, of eight,
   where the polynomial is farthest from zero. The result is the turn of the new origin. */
static sn__turn choose_origin(const double g[6]) {
  static const double half = 0.70710678118654752440;
  const sn__turn candidate[8] = {{1, 0},  {half, half},   {0, 1},  {-half, half},
                                 {-1, 0}, {-half, -half}, {0, -1}, {half, -half}};
  sn__turn best = candidate[0];
  double largest = -1.0;
  for (int i = 0; i < 8; i++) {
    const double f = fabs(value_at(g, candidate[i]));
    if (f > largest) {
      largest = f;
      best = candidate[i];
    }
  }
  return (sn__turn){-best.c, -best.s};
}

int sn__circle_roots(const double g[6], double slack, sn__turn root[4]) {
  double scale = 0.0;
  for (int i = 0; i < 6; i++) {
    scale = fmax(scale, fabs(g[i]));
  }
  const sn__turn origin = choose_origin(g);
  double h[6];
  turn_polynomial(g, origin, h);
  const double lead = h[0] - h[1] + h[3];
  if (!(fabs(lead) > 1e-13 * scale)) {
    return 0; /* zero on eight points: zero everywhere */
  }
  double t[4];
  bool is_pair[4];
  const double k = 1.0 / lead;
  const int candidates =
      quartic_roots(k * 2.0 * (h[2] - h[4]), k * 2.0 * (h[0] - h[3] + 2.0 * h[5]),
                    k * 2.0 * (h[2] + h[4]), k * (h[0] + h[1] + h[3]), t, is_pair);
  int count = 0;
  for (int i = 0; i < candidates; i++) {
    const double d = 1.0 / (1.0 + t[i] * t[i]);
    const sn__turn local = {(1.0 - t[i] * t[i]) * d, 2.0 * t[i] * d};
    const sn__turn found = sn__turn_add(origin, local);
    if (!is_pair[i]) {
      root[count++] = polish_root(g, found);
      continue;
    }
    const sn__turn extremum = polish_extremum(g, found);
    /* An extremum far from the pair belongs to another root. */
    const bool is_near = found.c * extremum.c + found.s * extremum.s > 0.999;
    if (is_near && fabs(value_at(g, extremum)) <= slack * scale) {
      root[count++] = extremum;
    }
  }
  if (count == 0 && slack >= 1.0) {
    root[count++] = nearest_to_zero(g);
  }
  return count;
}
