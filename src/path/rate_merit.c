/* The barrier function of the problem: one pass over all rows of all nodes. */
#include <math.h>
#include <string.h>

#include "path/rate_problem.h"

/* First and second derivatives by x, x' and x'' of the rows of one node, summed over pairs. */
typedef struct sums {
  sn__pair gx, gy, gz;
  sn__pair xx, xy, yy, xz, yz, zz;
  sn__pair product; /* of 1 - row^2 */
  sn__pair_bits is_inside;
} sums;

static const sn__pair zero = {0.0, 0.0};
static const sn__pair one = {1.0, 1.0};

static inline double add(sn__pair p) {
  return p[0] + p[1];
}

/* -log(1 - r^2): its first and second derivative, and the product of the arguments. */
static inline void barrier(sums *s, sn__pair r, sn__pair *first, sn__pair *second) {
  const sn__pair square = r * r;
  const sn__pair room = one - square;
  const sn__pair inverse = one / room;
  const sn__pair two = inverse + inverse;
  *first = r * two;
  *second = (one + square) * two * inverse;
  s->product *= room;
  s->is_inside &= (sn__pair_bits)(room > zero);
}

static void add_second_order(const sn__rate_node *node, size_t pairs, double x, double y, sums *s) {
  const sn__pair px = sn__pair_both(x);
  const sn__pair py = sn__pair_both(y);
  for (size_t i = 0; i < pairs; i++) {
    const sn__pair a = node->rows.a[i];
    const sn__pair b = node->rows.b[i];
    sn__pair first;
    sn__pair second;
    barrier(s, a * px + b * py + node->rows.off[i], &first, &second);
    s->gx += first * a;
    s->gy += first * b;
    s->xx += second * a * a;
    s->xy += second * a * b;
    s->yy += second * b * b;
  }
}

/* Rows sqrt(x) (j3 x + j2 x' + j1 x''). */
static void add_third_order(const sn__rate_node *node, const sn__pair *j3, size_t pairs,
                            const double at[4], sums *s) {
  const sn__pair x = sn__pair_both(at[0]);
  const sn__pair y = sn__pair_both(at[1]);
  const sn__pair z = sn__pair_both(at[2]);
  const sn__pair root = sn__pair_both(at[3]);
  const sn__pair half = sn__pair_both(0.5 / at[3]);
  for (size_t i = 0; i < pairs; i++) {
    const sn__pair inner = j3[i] * x + node->rows.j2[i] * y + node->rows.j1[i] * z;
    const sn__pair dx = j3[i] * root + inner * half;
    const sn__pair dy = node->rows.j2[i] * root;
    const sn__pair dz = node->rows.j1[i] * root;
    sn__pair first;
    sn__pair second;
    barrier(s, inner * root, &first, &second);
    s->gx += first * dx;
    s->gy += first * dy;
    s->gz += first * dz;
    const sn__pair tx = second * dx;
    const sn__pair ty = second * dy;
    s->xx += tx * dx;
    s->xy += tx * dy;
    s->yy += ty * dy;
    s->xz += tx * dz;
    s->yz += ty * dz;
    s->zz += second * dz * dz;
  }
}

/* Add derivatives by x, x', x'' as derivatives by three coefficients from `first` on. */
static void scatter(sn__rate_model *out, size_t first, const double (*map)[3], const double g[3],
                    const double h[6]) {
  /* h: xx xy yy xz yz zz */
  double product[3][3];
  for (int i = 0; i < 3; i++) {
    product[0][i] = h[0] * map[0][i] + h[1] * map[1][i] + h[3] * map[2][i];
    product[1][i] = h[1] * map[0][i] + h[2] * map[1][i] + h[4] * map[2][i];
    product[2][i] = h[3] * map[0][i] + h[4] * map[1][i] + h[5] * map[2][i];
  }
  for (int i = 0; i < 3; i++) {
    out->gradient[first + (size_t)i] += g[0] * map[0][i] + g[1] * map[1][i] + g[2] * map[2][i];
    for (int k = 0; k <= i; k++) {
      out->band[i - k][first + (size_t)i] +=
          map[0][i] * product[0][k] + map[1][i] * product[1][k] + map[2][i] * product[2][k];
    }
  }
}

/* The rows of jerk at the node on the side of interval i, of which it is the start or the end. */
static bool add_side(const sn__rate_problem *problem, size_t i, bool is_end, const double *c,
                     const double at[4], double weight, double *product, sn__rate_model *out) {
  const sn__rate_interval *interval = &problem->intervals[i];
  const sn__rate_node *node = &problem->nodes[is_end ? i + 1 : i];
  sums s = {.product = one, .is_inside = (sn__pair_bits)(one > zero)};
  const double here[4] = {
      at[0], at[1],
      interval->bend[0] * c[i] + interval->bend[1] * c[i + 1] + interval->bend[2] * c[i + 2],
      at[3]};
  add_third_order(node, is_end ? interval->j3_b : interval->j3_a, problem->jerk_pair_count, here,
                  &s);
  if (!(s.is_inside[0] & s.is_inside[1])) {
    return false;
  }
  *product *= s.product[0] * s.product[1];
  const double l = node->left;
  const double r = node->right;
  const double d = node->slope;
  const double map[3][3] = {{is_end ? 0.0 : l, is_end ? l : r, is_end ? r : 0.0},
                            {is_end ? 0.0 : -d, is_end ? -d : d, is_end ? d : 0.0},
                            {interval->bend[0], interval->bend[1], interval->bend[2]}};
  const double g[3] = {weight * add(s.gx), weight * add(s.gy), weight * add(s.gz)};
  const double h[6] = {weight * add(s.xx), weight * add(s.xy), weight * add(s.yy),
                       weight * add(s.xz), weight * add(s.yz), weight * add(s.zz)};
  scatter(out, i, map, g, h);
  return true;
}

/* Duration, velocity, acceleration and torque at a node. */
static bool add_node(const sn__rate_problem *problem, size_t k, const double at[4], double weight,
                     double *product, sn__rate_model *out) {
  const sn__rate_node *node = &problem->nodes[k];
  const double x = at[0];
  sums s = {.product = one, .is_inside = (sn__pair_bits)(one > zero)};
  add_second_order(node, problem->pair_count, x, at[1], &s);
  const double room = 1.0 - x / node->rows.x_max;
  if (!(s.is_inside[0] & s.is_inside[1]) || !(room > 0.0)) {
    return false;
  }
  *product *= s.product[0] * s.product[1] * room;
  const double near = 1.0 / (node->rows.x_max - x);
  const double pace = node->weight / at[3];
  out->duration_s += pace;
  const double gx = weight * (add(s.gx) + near) - 0.5 * pace / x;
  const double gy = weight * add(s.gy);
  const double xx = weight * (add(s.xx) + near * near) + 0.75 * pace / (x * x);
  const double xy = weight * add(s.xy);
  const double yy = weight * add(s.yy);
  const double l = node->left;
  const double r = node->right;
  const double d = node->slope;
  out->gradient[k] += gx * l - gy * d;
  out->gradient[k + 1] += gx * r + gy * d;
  out->band[0][k] += xx * l * l - 2.0 * xy * l * d + yy * d * d;
  out->band[0][k + 1] += xx * r * r + 2.0 * xy * r * d + yy * d * d;
  out->band[1][k + 1] += xx * l * r + xy * d * (l - r) - yy * d * d;
  return true;
}

/* Half of the duration is counted at the nodes, half by the coefficients, each the middle control
   point of an interval: their errors of second order cancel, and no coefficient gets to zero. */
static bool add_coefficient(const sn__rate_problem *problem, size_t k, const double *c,
                            sn__rate_model *out) {
  const double pace = 0.5 * problem->intervals[k - 1].width / sqrt(c[k]);
  out->duration_s += pace;
  out->gradient[k] -= 0.5 * pace / c[k];
  out->band[0][k] += 0.75 * pace / (c[k] * c[k]);
  return c[k] > 0.0;
}

void sn__rate_evaluate(const sn__rate_problem *problem, const double *c, double weight,
                       sn__rate_model *out) {
  const size_t count = problem->interval_count;
  const size_t bytes = (count + 2) * sizeof(double);
  memset(out->gradient, 0, bytes);
  for (int i = 0; i < 3; i++) {
    memset(out->band[i], 0, bytes);
  }
  out->value = INFINITY;
  out->duration_s = 0.0;
  double logarithms = 0.0;
  for (size_t k = 0; k <= count; k++) {
    const sn__rate_node *node = &problem->nodes[k];
    const double x = node->left * c[k] + node->right * c[k + 1];
    const double at[4] = {x, node->slope * (c[k + 1] - c[k]), 0.0, sqrt(x)};
    double product = 1.0;
    if (!(x > 0.0) || !add_node(problem, k, at, weight, &product, out) ||
        (k > 0 && !add_coefficient(problem, k, c, out)) ||
        (k > 0 && !add_side(problem, k - 1, true, c, at, weight, &product, out)) ||
        (k < count && !add_side(problem, k, false, c, at, weight, &product, out))) {
      return;
    }
    logarithms += log(product);
  }
  out->value = out->duration_s - weight * logarithms;
}
