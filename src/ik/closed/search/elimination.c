#include "ik/closed/search/elimination.h"

#include <math.h>
#include <string.h>

#include "ik/closed/geometry/subproblems.h"
#include "ik/closed/search/zeros.h"
#include "math/rotation.h"
#include "math/sincos.h"

#define PI 3.14159265358979323846

enum {
  SIZE = SN__LINE_SIZE,
  ORDER = 12,
  SAMPLES = SN__GENERAL_SAMPLES,
  DEGREE = SN__GENERAL_DEGREE
};

/* Intervals on which zeros are searched: eight for each wave, and some more. */
#define INTERVALS 96
/* A column of the products of joints 4 and 5 below this is dependent on the others. */
#define RANK_MIN 1e-6

static sn__turn turn_of(double angle_rad) {
  sn__turn t;
  sn__sincos_each(1, &angle_rad, &t.s, &t.c);
  return t;
}

/* ---- what depends on the arm only ---- */

/* The 14 numbers of T4 T5 L by products: [joint 4][joint 5] of cosine, sine and 1. */
static void hand_products(const sn__elimination *g, double column[3][3][SIZE]) {
  const sn__line axis = sn__line_make(g->r[5], g->arm.h[5]);
  sn__line five[3];
  sn__line_turn(&axis, g->arm.h[4], g->r[4], five);
  for (int j = 0; j < 3; j++) {
    sn__line four[3];
    sn__line_turn(&five[j], g->arm.h[3], g->r[3], four);
    for (int i = 0; i < 3; i++) {
      sn__line_put(&four[i], column[i][j]);
    }
  }
}

/* Householder's reflection that makes entries k+1 .. of @p v zero, applied to all columns. */
static bool reflect(int k, double v[SIZE], double (*columns)[SIZE], int count) {
  double norm2 = 0.0;
  for (int i = k; i < SIZE; i++) {
    norm2 += v[i] * v[i];
  }
  const double norm = copysign(sqrt(norm2), v[k]);
  if (fabs(norm) < RANK_MIN) {
    return false;
  }
  double w[SIZE] = {0.0};
  memcpy(w + k, v + k, (size_t)(SIZE - k) * sizeof *w);
  w[k] += norm;
  const double factor = 1.0 / (norm * w[k]); /* 2 / |w|^2 */
  for (int c = 0; c < count; c++) {
    double sum = 0.0;
    for (int i = k; i < SIZE; i++) {
      sum += w[i] * columns[c][i];
    }
    for (int i = k; i < SIZE; i++) {
      columns[c][i] -= factor * sum * w[i];
    }
  }
  return true;
}

/* Rows that make the products of joints 4 and 5 triangular: the last six leave nothing of them. */
static bool eliminate_hand(sn__elimination *g) {
  double product[3][3][SIZE];
  hand_products(g, product);
  /* Eight products, what is without, and the unit matrix, which becomes the rows. */
  double column[8 + 1 + SIZE][SIZE] = {{0.0}};
  for (int k = 0; k < 9; k++) {
    memcpy(column[k], product[k / 3][k % 3], sizeof column[k]);
  }
  for (int i = 0; i < SIZE; i++) {
    column[9 + i][i] = 1.0;
  }
  for (int k = 0; k < 8; k++) {
    if (!reflect(k, column[k], column, 9 + SIZE)) {
      return false;
    }
  }
  for (int i = 0; i < SIZE; i++) {
    g->still[i] = column[8][i];
    for (int k = 0; k < SIZE; k++) {
      g->rows[i][k] = column[9 + k][i];
    }
    for (int k = 0; k < 8 && i < 8; k++) {
      g->upper[i][k] = column[k][i];
    }
  }
  return true;
}

/* ---- a target ---- */

/* The six equations by powers of the tangents x and y of the two joints that are not hidden, with
   the cosine and the sine of the hidden one, and without. */
typedef struct equations {
  double part[3][6][3][3];
} equations;

/* cos t, sin t, 1 times 1 + x^2, where x = tan(t / 2): 1 - x^2, 2 x, 1 + x^2. */
static void to_powers(double v[3], int stride) {
  const double c = v[0], s = v[stride], one = v[2 * stride];
  v[0] = one + c;
  v[stride] = 2.0 * s;
  v[2 * stride] = one - c;
}

/* Turns of the joints 1, 2, 3 taken back. */
static void arm_products(const sn__elimination *g, const sn__line *goal,
                         sn__line product[3][3][3]) {
  const sn_vec3 *h = g->arm.h;
  sn__line one[3], two[3];
  sn__line_turn(goal, sn_vec3_neg(h[0]), g->r[0], one);
  for (int i = 0; i < 3; i++) {
    sn__line_turn(&one[i], sn_vec3_neg(h[1]), g->r[1], two);
    for (int j = 0; j < 3; j++) {
      sn__line_turn(&two[j], sn_vec3_neg(h[2]), g->r[2], product[i][j]);
    }
  }
}

static void set_up(const sn__elimination *g, const sn__line *goal, equations *out) {
  sn__line product[3][3][3];
  arm_products(g, goal, product);
  for (int k = 0; k < 27; k++) {
    const int at[3] = {k / 9, k / 3 % 3, k % 3};
    const int first = g->way.hidden == 0 ? 1 : 0, second = g->way.hidden == 2 ? 1 : 2;
    double line[SIZE];
    sn__line_put(&product[at[0]][at[1]][at[2]], line);
    for (int row = 0; row < 6; row++) {
      double sum = k == 26 ? -g->still[8 + row] : 0.0; /* the product without any angle */
      for (int i = 0; i < SIZE; i++) {
        sum += g->rows[8 + row][i] * line[i];
      }
      out->part[at[g->way.hidden]][row][at[first]][at[second]] = sum;
    }
  }
  for (int p = 0; p < 3; p++) {
    for (int row = 0; row < 6; row++) {
      for (int i = 0; i < 3; i++) {
        to_powers(&out->part[p][row][0][i], 3);
      }
      for (int i = 0; i < 3; i++) {
        to_powers(out->part[p][row][i], 1);
      }
    }
  }
}

/* The 12 equations at a value of the hidden joint: columns x^i y^j, i = 0 .. 3. */
static void matrix_at(const equations *e, sn__turn t, double m[ORDER][ORDER]) {
  memset(m, 0, ORDER * ORDER * sizeof(double));
  for (int row = 0; row < 6; row++) {
    const double *c = e->part[0][row][0], *s = e->part[1][row][0], *one = e->part[2][row][0];
    for (int k = 0; k < 9; k++) {
      const double value = t.c * c[k] + t.s * s[k] + one[k];
      m[row][k] = value;
      m[6 + row][3 + k] = value;
    }
  }
}

/* Gauss elimination in place: U on and above the diagonal. @return the determinant */
static double factor(double m[ORDER][ORDER]) {
  double determinant = 1.0;
  for (int k = 0; k < ORDER; k++) {
    int best = k;
    for (int i = k + 1; i < ORDER; i++) {
      best = fabs(m[i][k]) > fabs(m[best][k]) ? i : best;
    }
    if (best != k) {
      double row[ORDER];
      memcpy(row, m[k], sizeof row);
      memcpy(m[k], m[best], sizeof row);
      memcpy(m[best], row, sizeof row);
      determinant = -determinant;
    }
    determinant *= m[k][k];
    if (m[k][k] == 0.0) {
      continue;
    }
    const double inverse = 1.0 / m[k][k];
    for (int i = k + 1; i < ORDER; i++) {
      if (m[i][k] == 0.0) { /* a third of the matrix */
        continue;
      }
      const double share = m[i][k] * inverse;
      for (int j = k + 1; j < ORDER; j++) {
        m[i][j] -= share * m[k][j];
      }
    }
  }
  return determinant;
}

/* The vector that a factored, nearly singular matrix almost annihilates: one step of inverse
   iteration, U y = e. L is well-conditioned, so ones are as good a start behind it as before it. */
static void null_vector(double m[ORDER][ORDER], double y[ORDER]) {
  double size = 0.0;
  for (int i = 0; i < ORDER; i++) {
    size = fmax(size, fabs(m[i][i]));
  }
  for (int i = ORDER - 1; i >= 0; i--) {
    y[i] = 1.0;
    for (int j = i + 1; j < ORDER; j++) {
      y[i] -= m[i][j] * y[j];
    }
    const double pivot = m[i][i];
    y[i] /= fabs(pivot) > 1e-17 * size ? pivot : 1e-17 * size;
  }
}

/* The angle whose half-angle tangent x has the powers 1, x, x^2, times anything. */
static sn__turn turn_of_powers(const double *power, int stride) {
  const double zero = power[0], one = power[stride], two = power[2 * stride];
  const double sign = zero + two < 0.0 ? -1.0 : 1.0;
  const double c = sign * (zero - two), s = sign * 2.0 * one;
  return c * c + s * s > 0.0 ? sn__turn_normalize(c, s) : (sn__turn){1.0, 0.0};
}

/* Joints 4 and 5 from the products that solve all 14 equations, joint 6 from what is left. */
static void add_hand(const sn__elimination *g, const sn_pose *move, const sn__line *goal,
                     sn__turn turn[6]) {
  const sn_vec3 *h = g->arm.h;
  sn__line line = *goal;
  sn_vec3 side = sn_mat3_apply(move->rot, g->side);
  for (int i = 0; i < 3; i++) {
    line = sn__line_turned(&line, h[i], g->r[i], sn__turn_inverse(turn[i]));
    side = sn__turn_unapply(turn[i], h[i], side);
  }
  double number[SIZE], product[8];
  sn__line_put(&line, number);
  for (int i = 7; i >= 0; i--) {
    double sum = -g->still[i];
    for (int k = 0; k < SIZE; k++) {
      sum += g->rows[i][k] * number[k];
    }
    for (int k = i + 1; k < 8; k++) {
      sum -= g->upper[i][k] * product[k];
    }
    product[i] = sum / g->upper[i][i];
  }
  /* [joint 4][joint 5]: with the cosine and sine of one alone */
  turn[3] = sn__turn_normalize(product[2], product[5] + 1e-300);
  turn[4] = sn__turn_normalize(product[6], product[7] + 1e-300);
  side = sn__turn_unapply(turn[4], h[4], sn__turn_unapply(turn[3], h[3], side));
  turn[5] = (sn__turn){1.0, 0.0};
  sn__sp1(g->side, side, h[5], &turn[5]);
}

/* The determinant as a polynomial: value = real part of the sum of coefficient[k] e^(i k t). */
typedef struct polynomial {
  double c[DEGREE + 1], s[DEGREE + 1];
} polynomial;

static void interpolate(const sn__elimination *g, const equations *e, polynomial *out) {
  double value[SAMPLES];
  for (int k = 0; k < SAMPLES; k++) {
    double m[ORDER][ORDER];
    matrix_at(e, g->sample[k], m);
    value[k] = factor(m);
  }
  for (int n = 0; n <= DEGREE; n++) {
    out->c[n] = out->s[n] = 0.0;
    for (int k = 0; k < SAMPLES; k++) { /* sample k is at k / SAMPLES of a turn */
      const sn__turn t = g->sample[n * k % SAMPLES];
      out->c[n] += value[k] * t.c;
      out->s[n] += value[k] * t.s;
    }
    const double share = (n == 0 ? 1.0 : 2.0) / (double)SAMPLES;
    out->c[n] *= share;
    out->s[n] *= share;
  }
}

static double polynomial_at(const void *context, double x) {
  const polynomial *p = context;
  const sn__turn t = turn_of(x);
  double c = p->c[DEGREE], s = -p->s[DEGREE];
  for (int n = DEGREE - 1; n >= 0; n--) { /* Horner's rule in e^(i t) */
    const double next = c * t.c - s * t.s + p->c[n];
    s = c * t.s + s * t.c - p->s[n];
    c = next;
  }
  return c;
}

static void add_start(const sn__elimination *g, const sn_pose *move, const sn__line *goal,
                      const equations *e, double hidden_rad, sn__branches *out) {
  if (out->count == SN__BRANCHES_MAX) {
    return;
  }
  const sn__turn hidden = turn_of(hidden_rad);
  double m[ORDER][ORDER], y[ORDER];
  matrix_at(e, hidden, m);
  (void)factor(m);
  null_vector(m, y);
  int at = 0; /* the largest one: its row and its column have the best digits */
  for (int i = 1; i < ORDER; i++) {
    at = fabs(y[i]) > fabs(y[at]) ? i : at;
  }
  const int from = at / 3 < 2 ? 0 : 1; /* of x^0 .. x^3, three powers with the largest among them */
  const sn__turn x = turn_of_powers(y + 3 * from + at % 3, 3);
  const sn__turn other = turn_of_powers(y + at / 3 * 3, 1);
  sn__turn *turn = out->turn[out->count++];
  const int first = g->way.hidden == 0 ? 1 : 0, second = g->way.hidden == 2 ? 1 : 2;
  turn[g->way.hidden] = hidden;
  turn[first] = x;
  turn[second] = other;
  add_hand(g, move, goal, turn);
}

/* Add starts for @p move, seen as the elimination sees it.
   @return false if there are more zeros than the polynomial can have, or they cannot be told */
static bool solve_seen(const sn__elimination *g, const sn_pose *move, sn__branches *out) {
  const sn_vec3 point = sn_pose_apply(*move, g->arm.r[5]);
  const sn__line goal = sn__line_make(sn_vec3_scale(sn_vec3_sub(point, g->origin), g->unit),
                                      sn_mat3_apply(move->rot, g->arm.h[5]));
  equations e;
  polynomial p;
  set_up(g, &goal, &e);
  interpolate(g, &e, &p);
  sn__zeros zeros = {.count = 0};
  const bool is_complete = sn__zeros_find(polynomial_at, &p, -PI, PI, INTERVALS, &zeros);
  for (int i = 0; i < zeros.count; i++) {
    add_start(g, move, &goal, &e, zeros.at[i], out);
  }
  return is_complete && zeros.count <= 2 * DEGREE;
}

bool sn__elimination_prepare(sn__elimination *g, const sn__arm *arm, sn__elimination_way way) {
  g->way = way;
  if (way.reversed) {
    sn__arm_reverse(arm, &g->arm);
  } else {
    g->arm = *arm;
  }
  g->tip_inverse = sn_pose_inverse(g->arm.tip);
  g->origin = g->arm.r[3];
  g->unit = 2.0 / sn__arm_length(&g->arm);
  for (int i = 0; i < 6; i++) {
    g->r[i] = sn_vec3_scale(sn_vec3_sub(g->arm.r[i], g->origin), g->unit);
  }
  g->side = sn__mat3_with_z(g->arm.h[5]).x;
  for (int k = 0; k < SAMPLES; k++) {
    g->sample[k] = turn_of(2.0 * PI * (double)k / (double)SAMPLES);
  }
  return eliminate_hand(g);
}

bool sn__elimination_solve(const sn__elimination *g, sn_pose target, sn__branches *out) {
  const int first = out->count;
  const sn_pose seen = g->way.reversed ? sn_pose_inverse(target) : target;
  const sn_pose move = sn_pose_mul(seen, g->tip_inverse);
  const bool is_complete = solve_seen(g, &move, out);
  for (int i = first; i < out->count && g->way.reversed; i++) {
    for (int j = 0; j < 3; j++) {
      const sn__turn swap = out->turn[i][j];
      out->turn[i][j] = out->turn[i][5 - j];
      out->turn[i][5 - j] = swap;
    }
  }
  return is_complete;
}
