#include "ik/closed/geometry/subproblems.h"

#include "ik/closed/geometry/circle_roots.h"
#include "ik/spatial_simd.h"
#include "math/rotation.h"
#include "sinew/quat.h"

/* Rows below this size carry no information. */
#define ROW_MIN 1e-9
/* Relative determinant below which two rows are dependent. */
#define RANK_MIN 1e-7
/* The square of the product of two arms, each below SN__AMPLITUDE_MIN. */
#define ARMS_MIN 1e-40

int sn__sp_linear(double a, double b, double d, double slack, sn__turn t[2]) {
  const double amplitude2 = a * a + b * b;
  if (amplitude2 < SN__AMPLITUDE_MIN * SN__AMPLITUDE_MIN) {
    return fabs(d) <= slack ? SN__ANY : 0;
  }
  const double rest = amplitude2 - d * d;
  if (rest > 0.0) {
    const double factor = 1.0 / amplitude2;
    const double side = sqrt(rest);
    t[0] = (sn__turn){(a * d - b * side) * factor, (b * d + a * side) * factor};
    t[1] = (sn__turn){(a * d + b * side) * factor, (b * d - a * side) * factor};
    return 2;
  }
  const double amplitude = sqrt(amplitude2);
  if (fabs(d) - amplitude > slack) {
    return 0;
  }
  const double factor = copysign(1.0 / amplitude, d);
  t[0] = (sn__turn){a * factor, b * factor};
  return 1;
}

int sn__sp1(sn_vec3 p1, sn_vec3 p2, sn_vec3 k, sn__turn *t) {
  const double c = sn_vec3_dot(p1, p2) - sn_vec3_dot(k, p1) * sn_vec3_dot(k, p2);
  const double s = sn_vec3_dot(sn_vec3_cross(k, p1), p2);
  const double norm2 = c * c + s * s;
  if (norm2 < ARMS_MIN) {
    return SN__ANY;
  }
  const double factor = 1.0 / sqrt(norm2);
  *t = (sn__turn){c * factor, s * factor};
  return 1;
}

int sn__sp4(sn_vec3 h, sn_vec3 p, sn_vec3 k, double d, double slack, sn__turn t[2]) {
  const double along = sn_vec3_dot(h, k) * sn_vec3_dot(k, p);
  return sn__sp_linear(sn_vec3_dot(h, p) - along, sn_vec3_dot(h, sn_vec3_cross(k, p)), d - along,
                       slack, t);
}

int sn__sp3(sn_vec3 p1, sn_vec3 p2, sn_vec3 k, double d, double slack, sn__turn t[2]) {
  const double dot = 0.5 * (sn_vec3_dot(p1, p1) + sn_vec3_dot(p2, p2) - d * d);
  return sn__sp4(p2, p1, k, dot, 0.5 * slack, t);
}

int sn__sp2(sn_vec3 p1, sn_vec3 p2, sn_vec3 k1, sn_vec3 k2, double slack, sn__turn t1[2],
            sn__turn t2[2]) {
  const sn_vec3 u1 = sn_vec3_scale(p1, 1.0 / sn_vec3_norm(p1));
  const sn_vec3 u2 = sn_vec3_scale(p2, 1.0 / sn_vec3_norm(p2));
  /* Where the two circles on the sphere meet, either vector has the other's height. */
  const int count1 = sn__sp4(k2, u1, k1, sn_vec3_dot(k2, u2), slack, t1);
  const int count2 = sn__sp4(k1, u2, k2, sn_vec3_dot(k1, u1), slack, t2);
  if (count1 == 2 && count2 == 2) {
    /* The two meeting points lie on either side of the plane of k1 and k2. */
    const sn_vec3 normal = sn_vec3_cross(k1, k2);
    const double side1 = sn_vec3_dot(normal, sn__turn_apply(t1[0], k1, u1));
    const double side2 = sn_vec3_dot(normal, sn__turn_apply(t2[0], k2, u2));
    if ((side1 < 0.0) != (side2 < 0.0)) {
      const sn__turn swap = t2[0];
      t2[0] = t2[1];
      t2[1] = swap;
    }
    return 2;
  }
  if (count1 == SN__ANY || count2 == SN__ANY) {
    return SN__ANY;
  }
  return count1 == 0 || count2 == 0 ? 0 : 1;
}

/* Coefficients of h . R(k, t) p in cos t and sin t; the return value is the constant. */
static double expand(sn_vec3 h, sn_vec3 k, sn_vec3 p, double row[2]) {
  const double along = sn_vec3_dot(h, k) * sn_vec3_dot(k, p);
  row[0] = sn_vec3_dot(h, p) - along;
  row[1] = sn_vec3_dot(h, sn_vec3_cross(k, p));
  return along;
}

static double size2(const double row[2]) {
  return row[0] * row[0] + row[1] * row[1];
}

/* |det| over the square of the larger row; 0 if that is negligible. */
static double conditioning(const double m[2][2]) {
  const double largest = fmax(size2(m[0]), size2(m[1]));
  if (largest < ROW_MIN * ROW_MIN) {
    return 0.0;
  }
  return fabs(m[0][0] * m[1][1] - m[0][1] * m[1][0]) / largest;
}

/* b has rank one or none: one combination of the rows is free of y and gives x, the other gives y.
 */
static int circles_in_turn(const double a[2][2], const double b[2][2], const double d[2],
                           double slack, sn__turn any_x, sn__turn any_y, unsigned *any,
                           sn__turn x[4], sn__turn y[4]) {
  const int larger = size2(b[1]) > size2(b[0]);
  const double norm2 = size2(b[larger]);
  double along[2] = {1.0, 0.0}; /* components of the rows of b along the larger one */
  if (norm2 >= ROW_MIN * ROW_MIN) {
    const double inverse = 1.0 / norm2;
    along[0] = (b[0][0] * b[larger][0] + b[0][1] * b[larger][1]) * inverse;
    along[1] = (b[1][0] * b[larger][0] + b[1][1] * b[larger][1]) * inverse;
  } else if (size2(a[0]) > size2(a[1])) { /* y appears nowhere: x from the row that says more */
    along[0] = 0.0;
    along[1] = 1.0;
  }
  const double weight = 1.0 / sqrt(along[0] * along[0] + along[1] * along[1]);
  const double u = along[0] * weight, v = along[1] * weight;
  sn__turn first[2];
  int first_count = sn__sp_linear(v * a[0][0] - u * a[1][0], v * a[0][1] - u * a[1][1],
                                  v * d[0] - u * d[1], slack, first);
  if (first_count == SN__ANY) {
    first[0] = any_x;
    first_count = 1;
    *any |= 1u;
  }
  int count = 0;
  for (int i = 0; i < first_count; i++) {
    const double rest0 = d[0] - a[0][0] * first[i].c - a[0][1] * first[i].s;
    const double rest1 = d[1] - a[1][0] * first[i].c - a[1][1] * first[i].s;
    sn__turn second[2];
    int second_count = sn__sp_linear(u * b[0][0] + v * b[1][0], u * b[0][1] + v * b[1][1],
                                     u * rest0 + v * rest1, slack, second);
    if (second_count == SN__ANY) {
      second[0] = any_y;
      second_count = 1;
      *any |= 2u;
    }
    for (int j = 0; j < second_count; j++) {
      x[count] = first[i];
      y[count++] = second[j];
    }
  }
  return count;
}

/* y = e + f x from the inverse of b; |y| = 1 is a quadratic in x on its circle. */
static int circles_at_once(const double a[2][2], const double b[2][2], const double d[2],
                           double slack, sn__turn x[4], sn__turn y[4]) {
  const double inverse = 1.0 / (b[0][0] * b[1][1] - b[0][1] * b[1][0]);
  const double e[2] = {(b[1][1] * d[0] - b[0][1] * d[1]) * inverse,
                       (b[0][0] * d[1] - b[1][0] * d[0]) * inverse};
  double f[2][2];
  for (int j = 0; j < 2; j++) {
    f[0][j] = -(b[1][1] * a[0][j] - b[0][1] * a[1][j]) * inverse;
    f[1][j] = -(b[0][0] * a[1][j] - b[1][0] * a[0][j]) * inverse;
  }
  const double g[6] = {e[0] * e[0] + e[1] * e[1] - 1.0,
                       2.0 * (e[0] * f[0][0] + e[1] * f[1][0]),
                       2.0 * (e[0] * f[0][1] + e[1] * f[1][1]),
                       f[0][0] * f[0][0] + f[1][0] * f[1][0],
                       2.0 * (f[0][0] * f[0][1] + f[1][0] * f[1][1]),
                       f[0][1] * f[0][1] + f[1][1] * f[1][1]};
  const int found = sn__circle_roots(g, slack, x);
  int count = 0;
  for (int i = 0; i < found; i++) {
    const double c = e[0] + f[0][0] * x[i].c + f[0][1] * x[i].s;
    const double s = e[1] + f[1][0] * x[i].c + f[1][1] * x[i].s;
    if (c * c + s * s < 1e-20) {
      continue;
    }
    x[count] = x[i];
    y[count++] = sn__turn_normalize(c, s);
  }
  return count;
}

int sn__sp_circles(const sn__circles *in, double slack, sn__turn any_x, sn__turn any_y,
                   unsigned *any, sn__turn x[4], sn__turn y[4]) {
  const double condition_b = conditioning(in->b);
  if (condition_b < RANK_MIN) {
    return circles_in_turn(in->a, in->b, in->d, slack, any_x, any_y, any, x, y);
  }
  const double condition_a = conditioning(in->a);
  if (condition_a < RANK_MIN) {
    unsigned swapped = 0;
    const int count = circles_in_turn(in->b, in->a, in->d, slack, any_y, any_x, &swapped, y, x);
    *any |= (swapped & 1u) << 1 | (swapped & 2u) >> 1;
    return count;
  }
  return condition_b >= condition_a ? circles_at_once(in->a, in->b, in->d, slack, x, y)
                                    : circles_at_once(in->b, in->a, in->d, slack, y, x);
}

/* The height along k2 and the squared length of either side are free of t2 and linear in the
   circles of t1 and t3. */
int sn__sp5(const sn__sp5_in *in, double slack, unsigned *any, sn__turn t[4][3]) {
  const double unit = 1.0 / in->length;
  const double unit2 = unit * unit;
  sn__circles eq;
  const double height1 = expand(in->k2, in->k1, in->p1, eq.a[0]);
  const double height3 = expand(in->k2, in->k3, in->p3, eq.b[0]);
  const double square1 = expand(in->p0, in->k1, in->p1, eq.a[1]);
  const double square3 = expand(in->p2, in->k3, in->p3, eq.b[1]);
  for (int j = 0; j < 2; j++) {
    eq.a[0][j] *= unit;
    eq.b[0][j] *= -unit;
    eq.a[1][j] *= unit2;
    eq.b[1][j] *= -unit2;
  }
  eq.d[0] = unit * (height3 - height1 + sn_vec3_dot(in->k2, sn_vec3_sub(in->p2, in->p0)));
  eq.d[1] = unit2 * (square3 - square1 +
                     0.5 * (sn_vec3_dot(in->p2, in->p2) + sn_vec3_dot(in->p3, in->p3) -
                            sn_vec3_dot(in->p0, in->p0) - sn_vec3_dot(in->p1, in->p1)));
  const sn__turn any_t2 = t[0][1];
  sn__turn t1[4], t3[4];
  unsigned any_circle = 0;
  const int count = sn__sp_circles(&eq, slack, t[0][0], t[0][2], &any_circle, t1, t3);
  *any |= (any_circle & 1u) | (any_circle & 2u) << 1;
  for (int i = 0; i < count; i++) {
    const sn_vec3 outer = sn_vec3_add(in->p0, sn__turn_apply(t1[i], in->k1, in->p1));
    const sn_vec3 inner = sn_vec3_add(in->p2, sn__turn_apply(t3[i], in->k3, in->p3));
    t[i][0] = t1[i];
    t[i][1] = any_t2;
    t[i][2] = t3[i];
    if (sn__sp1(inner, outer, in->k2, &t[i][1]) == SN__ANY) {
      *any |= 2u;
    }
  }
  return count;
}

int sn__sp6(const sn__sp6_in *in, double slack, unsigned *any, sn__turn t1[4], sn__turn t2[4]) {
  sn__circles eq;
  for (int i = 0; i < 2; i++) {
    const double constant1 = expand(in->h[2 * i], in->k1, in->p[2 * i], eq.a[i]);
    const double constant2 = expand(in->h[2 * i + 1], in->k2, in->p[2 * i + 1], eq.b[i]);
    eq.d[i] = in->d[i] - constant1 - constant2;
  }
  return sn__sp_circles(&eq, slack, t1[0], t2[0], any, t1, t2);
}

void sn__cone_init(sn__cone *cone, sn_vec3 h, sn_vec3 k, sn_vec3 p) {
  double row[2];
  expand(h, k, p, row);
  const double amplitude = sqrt(size2(row));
  *cone = (sn__cone){.h = h, .nearest = {1.0, 0.0}, .amplitude = 0.0};
  if (amplitude < 1e-9) {
    return;
  }
  cone->nearest = (sn__turn){row[0] / amplitude, row[1] / amplitude};
  const sn__turn opposite = {-cone->nearest.c, -cone->nearest.s};
  const sn_vec3 near = sn_vec3_sub(sn__turn_apply(cone->nearest, k, p), h);
  const sn_vec3 far = sn_vec3_add(sn__turn_apply(opposite, k, p), h);
  cone->near2 = sn_vec3_dot(near, near);
  cone->far2 = sn_vec3_dot(far, far);
  cone->amplitude = 4.0 * amplitude;
}

int sn__cone_solve(const sn__cone *cone, sn_vec3 v, double slack, sn__turn t[2]) {
  if (cone->amplitude == 0.0) {
    return SN__ANY;
  }
  /* Half-angle formulas of the spherical triangle h, k, v, with chords for the sines: see
     Todhunter, Spherical Trigonometry, art. 45. Differences of vectors lose nothing near zero. */
  const sn_vec3 minus = sn_vec3_sub(v, cone->h);
  const sn_vec3 plus = sn_vec3_add(v, cone->h);
  const double sine2 = sn_vec3_dot(minus, minus) - cone->near2;
  const double cosine2 = sn_vec3_dot(plus, plus) - cone->far2;
  const double shortage = fmin(sine2, cosine2);
  if (shortage <= 1e-24) {
    if (-shortage > slack) {
      return 0;
    }
    const double sign = sine2 < cosine2 ? 1.0 : -1.0;
    t[0] = (sn__turn){sign * cone->nearest.c, sign * cone->nearest.s};
    return 1;
  }
  const double factor = 1.0 / (sine2 + cosine2);
  const double c = (cosine2 - sine2) * factor;
  const double s = 2.0 * sqrt(sine2 * cosine2) * factor;
  t[0] = sn__turn_add(cone->nearest, (sn__turn){c, s});
  t[1] = sn__turn_add(cone->nearest, (sn__turn){c, -s});
  return 2;
}

void sn__spherical_joint_init(sn__spherical_joint *spherical, const sn_vec3 h[3]) {
  for (int i = 0; i < 3; i++) {
    spherical->h[i] = h[i];
  }
  spherical->side = sn__mat3_with_z(h[2]).x;
  spherical->third = sn_vec3_cross(h[2], spherical->side);
  sn__cone_init(&spherical->cone, h[0], h[1], h[2]);
}

/* Subproblem 1 for two vectors @p p1. A turn that does not matter becomes @p any_turn. */
static sn__turn_pair turn_to(sn__vec3_pair p1, sn__vec3_pair p2, sn_vec3 k, sn__turn any_turn,
                             bool is_any[2]) {
  const sn__vec3_pair axis = sn__vec3_pair_make(k, k);
  const sn__vec3_pair across = {k.y * p1.z - k.z * p1.y, k.z * p1.x - k.x * p1.z,
                                k.x * p1.y - k.y * p1.x};
  const sn__pair c = sn__vec3_pair_products(p1, p2) -
                     sn__vec3_pair_products(axis, p1) * sn__vec3_pair_products(axis, p2);
  const sn__pair s = sn__vec3_pair_products(across, p2);
  const sn__pair norm2 = c * c + s * s;
  sn__turn_pair t = sn__turn_pair_normalize(c, s);
  for (int i = 0; i < 2; i++) {
    is_any[i] = norm2[i] < ARMS_MIN;
    if (is_any[i]) {
      t.c[i] = any_turn.c;
      t.s[i] = any_turn.s;
    }
  }
  return t;
}

/* Both solutions are computed together. */
int sn__spherical_joint_solve(const sn__spherical_joint *spherical, sn_vec3 along, sn_vec3 side,
                              double slack, sn__turn any_first, unsigned *any, sn__turn t[2][3]) {
  const sn_vec3 *h = spherical->h;
  sn__turn middle[2];
  const int count = sn__cone_solve(&spherical->cone, along, slack, middle);
  if (count <= 0) {
    return 0;
  }
  const sn__turn_pair second = sn__turn_pair_make(middle[0], middle[count - 1]);
  const sn__vec3_pair bent = sn__turn_pair_apply(second, h[1], sn__vec3_pair_make(h[2], h[2]));
  bool is_any[2];
  const sn__turn_pair first =
      turn_to(bent, sn__vec3_pair_make(along, along), h[0], any_first, is_any);
  const sn__vec3_pair back =
      sn__turn_pair_apply(sn__turn_pair_inverse(first), h[0], sn__vec3_pair_make(side, side));
  const sn__vec3_pair local = sn__turn_pair_apply(sn__turn_pair_inverse(second), h[1], back);
  const sn__turn_pair third = sn__turn_pair_normalize(
      sn__vec3_pair_products(local, sn__vec3_pair_make(spherical->side, spherical->side)),
      sn__vec3_pair_products(local, sn__vec3_pair_make(spherical->third, spherical->third)));
  *any |= is_any[0] || is_any[1] ? 1u : 0u;
  for (int i = 0; i < count; i++) {
    t[i][0] = (sn__turn){first.c[i], first.s[i]};
    t[i][1] = middle[i];
    t[i][2] = (sn__turn){third.c[i], third.s[i]};
  }
  return count;
}
