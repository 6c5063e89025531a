#include "ik/closed/search/elbow_curve.h"

#include <math.h>

#include "ik/closed/geometry/subproblems.h"
#include "math/sincos.h"

/* A second value of q2 + q3 with a residual up to this is tried as well. */
#define RESIDUAL_MAX 1e-4
#define SLACK 0.1

/* Places of the forms. Three in a row are the parts with cos q1, with sin q1 and without. */
enum {
  HEIGHT = 0,   /* A, B, d */
  REACH_X = 3,  /* from axis 2 to the wrist, behind joint 1 */
  REACH_Y = 6,  /* likewise */
  AXIS_X = 9,   /* the outer of the two axes that meet, behind joint 1 */
  AXIS_Y = 12,  /* likewise */
  AXIS_N = 15,  /* likewise */
  FOREARM = 18, /* x, y: from axis 3 to the wrist */
  INNER = 20,   /* x, y, n: the inner of the two axes that meet */
};

/* A vector linear in cos t and sin t. */
typedef struct wave {
  sn_vec3 part[3];
} wave;

static wave still(sn_vec3 v) {
  return (wave){{v, {0, 0, 0}, {0, 0, 0}}};
}

/* @p v turned about @p k by t, or by -t. */
static wave turning(sn_vec3 k, sn_vec3 v, double sense) {
  const sn_vec3 along = sn_vec3_scale(k, sn_vec3_dot(k, v));
  return (wave){{along, sn_vec3_sub(v, along), sn_vec3_scale(sn_vec3_cross(k, v), sense)}};
}

static wave rotated(const sn_mat3 *rot, wave w) {
  return (wave){{sn_mat3_apply(*rot, w.part[0]), sn_mat3_apply(*rot, w.part[1]),
                 sn_mat3_apply(*rot, w.part[2])}};
}

static wave scaled(wave w, double factor) {
  for (int i = 0; i < 3; i++) {
    w.part[i] = sn_vec3_scale(w.part[i], factor);
  }
  return w;
}

/* The component along @p e of @p w turned back by joint 1: forms at .. at+2. */
static void put_turned_back(sn__elbow_curve *curve, int at, sn_vec3 e, const wave *w) {
  const sn_vec3 h = curve->search->arm.h[0];
  for (int i = 0; i < 3; i++) {
    const double along = sn_vec3_dot(e, h) * sn_vec3_dot(h, w->part[i]);
    curve->form[i][at] = sn_vec3_dot(e, w->part[i]) - along;
    curve->form[i][at + 1] = -sn_vec3_dot(e, sn_vec3_cross(h, w->part[i]));
    curve->form[i][at + 2] = along;
  }
}

static void put_component(sn__elbow_curve *curve, int at, sn_vec3 e, const wave *w) {
  for (int i = 0; i < 3; i++) {
    curve->form[i][at] = sn_vec3_dot(e, w->part[i]);
  }
}

/* The vectors of the two kinds of arm, lengths in units of the arm's. */
typedef struct vectors {
  wave goal;  /* wrist, from axis 1, where the target wants it */
  wave local; /* wrist, from axis 3, in the zero pose of the first three joints */
  wave outer; /* the outer axis where the target wants it */
  wave inner; /* the inner axis in the zero pose of the first three joints */
} vectors;

static vectors vectors_of(const sn__closed_6r_search *s, const sn_pose *move) {
  const sn_vec3 *h = s->arm.h, *r = s->arm.r;
  const double unit = 1.0 / s->length;
  vectors v;
  if (s->joint == 5) { /* behind the pair: the target moves with it */
    v.goal = turning(h[5], sn_vec3_sub(s->centre, r[5]), -1.0);
    v.goal = rotated(&move->rot, v.goal);
    const sn_vec3 foot = sn_vec3_sub(sn_pose_apply(*move, r[5]), r[0]);
    v.goal.part[0] = sn_vec3_add(v.goal.part[0], foot);
    v.outer = rotated(&move->rot, turning(h[5], h[4], -1.0));
    v.local = still(sn_vec3_sub(s->centre, r[2]));
    v.inner = still(h[3]);
  } else { /* before the pair: the wrist moves with it */
    v.goal = still(sn_vec3_sub(sn_pose_apply(*move, s->centre), r[0]));
    v.outer = still(sn_mat3_apply(move->rot, h[5]));
    v.local = turning(h[3], sn_vec3_sub(s->centre, r[3]), 1.0);
    v.local.part[0] = sn_vec3_add(v.local.part[0], sn_vec3_sub(r[3], r[2]));
    v.inner = turning(h[3], h[4], 1.0);
  }
  v.goal = scaled(v.goal, unit);
  v.local = scaled(v.local, unit);
  return v;
}

/* form[.][HEIGHT .. HEIGHT+2]: A, B, d. */
static void put_height(sn__elbow_curve *curve, const vectors *v) {
  const sn__closed_6r_search *s = curve->search;
  const sn_vec3 n = s->plane.z;
  put_turned_back(curve, HEIGHT, n, &v->goal);
  const double offset = sn_vec3_dot(n, sn_vec3_sub(s->arm.r[2], s->arm.r[0])) / s->length;
  for (int i = 0; i < 3; i++) {
    const double local = sn_vec3_dot(n, v->local.part[i]) + (i == 0 ? offset : 0.0);
    curve->form[i][HEIGHT + 2] = local - curve->form[i][HEIGHT + 2];
  }
}

static void put_gap(sn__elbow_curve *curve) {
  for (int i = 0; i < 6; i++) {
    curve->gap[i] = 0.0;
  }
  for (int k = 0; k < 3; k++) {
    const double one = curve->form[0][HEIGHT + k];
    const double c = curve->form[1][HEIGHT + k], s = curve->form[2][HEIGHT + k];
    const double sign = k < 2 ? 1.0 : -1.0;
    const double square[6] = {one * one, 2.0 * one * c, 2.0 * one * s, c * c, 2.0 * c * s, s * s};
    for (int i = 0; i < 6; i++) {
      curve->gap[i] += sign * square[i];
    }
  }
}

void sn__elbow_curve_init(sn__elbow_curve *curve, const sn__closed_6r_search *search,
                          sn_pose move) {
  const sn__arm *arm = &search->arm;
  const sn_mat3 *plane = &search->plane;
  curve->search = search;
  curve->move = move;
  const vectors v = vectors_of(search, &move);
  put_height(curve, &v);
  put_gap(curve);
  put_turned_back(curve, REACH_X, plane->x, &v.goal);
  put_turned_back(curve, REACH_Y, plane->y, &v.goal);
  const double unit = 1.0 / search->length;
  const sn_vec3 shoulder = sn_vec3_scale(sn_vec3_sub(arm->r[0], arm->r[1]), unit);
  curve->form[0][REACH_X + 2] += sn_vec3_dot(plane->x, shoulder);
  curve->form[0][REACH_Y + 2] += sn_vec3_dot(plane->y, shoulder);
  put_turned_back(curve, AXIS_X, plane->x, &v.outer);
  put_turned_back(curve, AXIS_Y, plane->y, &v.outer);
  put_turned_back(curve, AXIS_N, plane->z, &v.outer);
  put_component(curve, FOREARM, plane->x, &v.local);
  put_component(curve, FOREARM + 1, plane->y, &v.local);
  put_component(curve, INNER, plane->x, &v.inner);
  put_component(curve, INNER + 1, plane->y, &v.inner);
  put_component(curve, INNER + 2, plane->z, &v.inner);
  put_component(curve, SN__ELBOW_FORMS - 1, (sn_vec3){0, 0, 0}, &v.inner); /* fills the row */
  curve->cone = sn_vec3_dot(arm->h[search->first], arm->h[search->first + 1]);
  const sn_vec3 upper = sn_vec3_scale(sn_vec3_sub(arm->r[2], arm->r[1]), unit);
  curve->upper[0] = sn_vec3_dot(plane->x, upper);
  curve->upper[1] = sn_vec3_dot(plane->y, upper);
}

/* A point of the curve, and the two equations a cos f + b sin f = c there. */
typedef struct place {
  sn__turn searched, first;
  double reach[2], forearm[2];
  double a[2], b[2], c[2];
} place;

static sn__turn turn_by(double angle_rad) {
  sn__pair s, c;
  sn__sincos_pair(sn__pair_both(angle_rad), &s, &c);
  return (sn__turn){c[0], s[0]};
}

/* The angles t and q1 at @p x, and the values of all forms. */
static void locate(const sn__elbow_curve *curve, double x, place *p, double *value) {
  const sn__elbow_piece *piece = &curve->piece;
  double side = piece->side;
  double angle = x;
  if (piece->kind == SN__ELBOW_ARC) {
    const sn__turn round = turn_by(x);
    side = round.s < 0.0 ? -1.0 : 1.0;
    angle = piece->middle + piece->width * round.c;
  } else if (piece->kind == SN__ELBOW_SHARP) {
    angle = piece->middle + piece->width * sinh(x);
  }
  p->searched = turn_by(angle);
  for (int i = 0; i < SN__ELBOW_FORMS; i++) {
    value[i] =
        curve->form[0][i] + p->searched.c * curve->form[1][i] + p->searched.s * curve->form[2][i];
  }
  const double a = value[HEIGHT], b = value[HEIGHT + 1], d = value[HEIGHT + 2];
  const double size2 = a * a + b * b;
  const double gap = size2 - d * d;
  const double root = gap > 0.0 ? side * sqrt(gap) : 0.0;
  p->first = size2 > 1e-30 ? (sn__turn){(a * d - b * root) / size2, (b * d + a * root) / size2}
                           : (sn__turn){1.0, 0.0};
}

static double part(const double *value, int at, sn__turn t) {
  return value[at] * t.c + value[at + 1] * t.s + value[at + 2];
}

static void place_at(const sn__elbow_curve *curve, double x, place *p) {
  double value[SN__ELBOW_FORMS];
  locate(curve, x, p, value);
  const double *fore = value + FOREARM, *in = value + INNER;
  const double rx = part(value, REACH_X, p->first), ry = part(value, REACH_Y, p->first);
  const double wx = part(value, AXIS_X, p->first), wy = part(value, AXIS_Y, p->first);
  p->a[0] = in[0] * wx + in[1] * wy;
  p->b[0] = in[0] * wy - in[1] * wx;
  p->c[0] = curve->cone - in[2] * part(value, AXIS_N, p->first);
  p->a[1] = rx * fore[0] + ry * fore[1];
  p->b[1] = ry * fore[0] - rx * fore[1];
  p->c[1] = 0.5 * (rx * rx + ry * ry + fore[0] * fore[0] + fore[1] * fore[1] -
                   curve->upper[0] * curve->upper[0] - curve->upper[1] * curve->upper[1]);
  p->reach[0] = rx;
  p->reach[1] = ry;
  p->forearm[0] = fore[0];
  p->forearm[1] = fore[1];
}

double sn__elbow_curve_equation(const void *context, double x) {
  place p;
  place_at(context, x, &p);
  const double det = p.a[0] * p.b[1] - p.b[0] * p.a[1];
  const double c = p.c[0] * p.b[1] - p.b[0] * p.c[1];
  const double s = p.a[0] * p.c[1] - p.c[0] * p.a[1];
  return c * c + s * s - det * det;
}

/* The branch with the sum of joints 2 and 3 at @p sum. */
static void add_branch(const sn__elbow_curve *curve, const place *p, sn__turn sum,
                       sn__branches *out) {
  if (out->count == SN__BRANCHES_MAX) {
    return;
  }
  const double fx = sum.c * p->forearm[0] - sum.s * p->forearm[1];
  const double fy = sum.s * p->forearm[0] + sum.c * p->forearm[1];
  const double x = p->reach[0] - fx, y = p->reach[1] - fy;
  const double c = curve->upper[0] * x + curve->upper[1] * y;
  const double s = curve->upper[0] * y - curve->upper[1] * x;
  const sn__turn second = c * c + s * s > 1e-30 ? sn__turn_normalize(c, s) : (sn__turn){1.0, 0.0};
  const sn__turn third = sn__turn_add(sum, sn__turn_inverse(second));
  sn__turn *turn = out->turn[out->count++];
  turn[0] = p->first;
  turn[1] = second;
  turn[2] = (sn__turn){third.c, third.s * curve->search->sense};
  (void)sn__closed_6r_search_complete(curve->search, &curve->move, p->searched, turn);
}

/* Of the two sums that one equation allows, those that the other one allows as well. */
void sn__elbow_curve_add(const sn__elbow_curve *curve, double x, sn__branches *out) {
  place p;
  place_at(curve, x, &p);
  const double size0 = p.a[0] * p.a[0] + p.b[0] * p.b[0];
  const double size1 = p.a[1] * p.a[1] + p.b[1] * p.b[1];
  const int from = size1 > size0 ? 1 : 0, other = 1 - from;
  sn__turn sum[2];
  const int count = sn__sp_linear(p.a[from], p.b[from], p.c[from], SLACK, sum);
  double residual[2] = {INFINITY, INFINITY};
  for (int i = 0; i < count; i++) {
    residual[i] = fabs(p.a[other] * sum[i].c + p.b[other] * sum[i].s - p.c[other]);
  }
  const double allowed = fmax(RESIDUAL_MAX, fmin(residual[0], residual[1]));
  for (int i = 0; i < count; i++) {
    if (residual[i] <= allowed) {
      add_branch(curve, &p, sum[i], out);
    }
  }
}
