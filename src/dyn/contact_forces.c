/* Least sum of |f|^2 / weight over forces in cones that add up to a wrench. Its dual has six
   unknowns whatever the number of points: with a motion y of the ground, point i moves by g_i = a +
   b x r_i, and the force is weight_i times the nearest point of the cone to g_i. The dual is convex
   and once differentiable, so Newton's method with the derivatives of either side of each edge
   finds its minimum (Qi and Sun, "A nonsmooth version of Newton's method", 1993).

   A small multiple of |y - anchor|^2 keeps it bounded where the wrench is out of reach; moving the
   anchor to the last answer takes the error of that away where it is not (the proximal point
   method, Rockafellar 1976). */
#include "dyn/contact_forces.h"

#include <math.h>
#include <string.h>

#include "dyn/friction_cone.h"
#include "dyn/point_set.h"
#include "sinew/dense.h"

static const double FRICTION_MAX = 1e6;
/* The small multiple: less from pass to pass. Weights add up to 1. Below EPSILON_FELT it affects
 * only a wrench that is out of reach. */
static const double EPSILON_FIRST = 0.1, EPSILON_STEP = 0.01, EPSILON_LAST = 1e-9;
static const double EPSILON_FELT = 1e-6;
static const double PASS_DONE = 1e-6;   /* of the gradient that a pass begins with */
static const double EXACT = 1e-11;      /* residual that need not be reduced further */
static const double BALANCED = 1e-6;    /* residual that counts as zero */
static const double FORCE_FIRST = 10.0; /* a torque counts as the force at so many radii */
enum { FREE_PASSES_MAX = 8, SEARCH_MAX = 20, USELESS_MAX = 20 };

/* Six numbers: angular, then linear; lengths in units of 1 / per_length, forces in units of scale.
 */
typedef struct solver {
  const sn_contact_task *task;
  sn_vec3 *forces;
  sn__cone cone;
  sn__point_set set;
  double tensor[9]; /* of the points; in metres */
  double per_length, scale;
  double wanted[6];
  double anchor[6];
  double epsilon;
  bool is_free; /* no cone bounds a force */
  int rounds;
} solver;

static double norm6(const double *v) {
  double sum = 0.0;
  for (size_t i = 0; i < 6; i++) {
    sum += v[i] * v[i];
  }
  return sqrt(sum);
}

static double dot6(const double *a, const double *b) {
  double sum = 0.0;
  for (size_t i = 0; i < 6; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

static sn_vec3 arm_of(const solver *s, size_t i) {
  return sn_vec3_scale(sn_vec3_sub(s->task->points[i].place, s->set.centre), s->per_length);
}

/* hessian += weight w w^T with the wrench w of a unit force at an arm. Lower triangle. */
static void add_direction(double *hessian, sn_vec3 arm, sn_vec3 force, double weight) {
  const sn_vec3 t = sn_vec3_cross(arm, force);
  const double w[6] = {t.x, t.y, t.z, force.x, force.y, force.z};
  for (size_t i = 0; i < 6; i++) {
    const double k = weight * w[i];
    for (size_t j = 0; j <= i; j++) {
      hessian[6 * i + j] += k * w[j];
    }
  }
}

static void add_point(double *hessian, sn_vec3 arm, const sn__cone_point *p, double weight) {
  if (p->is_inside) {
    add_direction(hessian, arm, sn_vec3_make(1, 0, 0), weight);
    add_direction(hessian, arm, sn_vec3_make(0, 1, 0), weight);
    add_direction(hessian, arm, sn_vec3_make(0, 0, 1), weight);
  } else if (p->along > 0.0) {
    add_direction(hessian, arm, p->edge, weight);
    add_direction(hessian, arm, p->across, weight * p->across_rate);
  }
}

/* Forces, and their sum minus the wanted wrench. */
static void evaluate(solver *s, const double *y, double *excess, double *hessian) {
  const sn_vec3 b = {y[0], y[1], y[2]}, a = {y[3], y[4], y[5]};
  sn_vec3 torque = {0, 0, 0}, force = {0, 0, 0};
  s->rounds++;
  s->is_free = true;
  for (size_t i = 0; i < s->task->point_count; i++) {
    const double weight = s->task->points[i].weight * s->set.per_weight;
    const sn_vec3 arm = arm_of(s, i);
    const sn_vec3 g = sn_vec3_add(a, sn_vec3_cross(b, arm));
    const sn__cone_point p = sn__cone_project(&s->cone, g);
    const sn_vec3 f = sn_vec3_scale(p.nearest, weight);
    s->forces[i] = f;
    s->is_free = s->is_free && (p.is_inside || weight == 0.0);
    force = sn_vec3_add(force, f);
    torque = sn_vec3_add(torque, sn_vec3_cross(arm, f));
    if (hessian != NULL && weight > 0.0) {
      add_point(hessian, arm, &p, weight);
    }
  }
  const double sum[6] = {torque.x, torque.y, torque.z, force.x, force.y, force.z};
  for (size_t i = 0; i < 6; i++) {
    excess[i] = sum[i] - s->wanted[i];
  }
}

/* The same with the term of the anchor: gradient of the dual, and its derivative if wanted. */
static void differentiate(solver *s, const double *y, double *gradient, double *hessian) {
  if (hessian != NULL) {
    memset(hessian, 0, 36 * sizeof *hessian);
  }
  evaluate(s, y, gradient, hessian);
  for (size_t i = 0; i < 6; i++) {
    gradient[i] += s->epsilon * (y[i] - s->anchor[i]);
    if (hessian != NULL) {
      hessian[7 * i] += s->epsilon;
    }
  }
}

static void go(const double *from, double t, const double *step, double *to) {
  for (size_t i = 0; i < 6; i++) {
    to[i] = from[i] + t * step[i];
  }
}

/* State of the dual: unknowns, gradient and its derivative. */
typedef struct iterate {
  double y[6], gradient[6], hessian[36];
} iterate;

/* Line search: follow the step until the slope of the dual has fallen to a tenth. Slopes are
 * compared instead of values: they stay accurate where values no longer differ. */
static void search(solver *s, iterate *now, const double *step) {
  const double slope = dot6(now->gradient, step);
  double from[6], low = 0.0, high = 1.0, low_slope = slope, high_slope = 0.0, t = 1.0;
  memcpy(from, now->y, sizeof from);
  for (int k = 0; k < SEARCH_MAX - 1; k++) {
    go(from, t, step, now->y);
    differentiate(s, now->y, now->gradient, now->hessian);
    const double here = dot6(now->gradient, step);
    if (here <= -0.1 * slope && (here >= 0.1 * slope || t >= 1.0)) {
      return;
    }
    if (here < 0.0) {
      low = t;
      low_slope = here;
    } else {
      high = t;
      high_slope = here;
    }
    /* The zero of the secant, kept well inside the bracket. A step that is far too long, out of a
     * nearly flat region, is first reduced by powers of ten. */
    const double line = low_slope / (low_slope - high_slope);
    const double part = fmin(fmax(line, 0.1), 0.9);
    t = low == 0.0 ? fmin(part, 0.1) * high : low + (high - low) * part;
  }
  go(from, low, step, now->y);
  differentiate(s, now->y, now->gradient, now->hessian);
}

/* One step of Newton's method. @return false if there is none */
static bool improve(solver *s, iterate *now) {
  double step[6];
  for (size_t i = 0; i < 6; i++) {
    step[i] = -now->gradient[i];
  }
  if (!sn_cholesky_factor(6, now->hessian)) {
    return false;
  }
  sn_cholesky_solve(6, now->hessian, step);
  search(s, now, step);
  return true;
}

/* Move the anchor to the current point and reduce the multiple; the change is known without an
 * evaluation. @return the residual of the forces, which does not change */
static double tighten(solver *s, iterate *now) {
  const double epsilon = fmax(EPSILON_STEP * s->epsilon, EPSILON_LAST);
  for (size_t i = 0; i < 6; i++) {
    now->gradient[i] -= s->epsilon * (now->y[i] - s->anchor[i]);
    now->hessian[7 * i] += epsilon - s->epsilon;
    s->anchor[i] = now->y[i];
  }
  s->epsilon = epsilon;
  return norm6(now->gradient);
}

/* Start with a large multiple and zero force: each pass then starts close to its solution, even if
 * the wrench is out of reach and the solution moves along a ray. */
static void solve_bounded(solver *s) {
  iterate now = {.y = {0}};
  differentiate(s, now.y, now.gradient, now.hessian);
  double begin = norm6(now.gradient), best = begin;
  int stalled = 0, useless = 0;
  while (s->rounds + SEARCH_MAX < SN_CONTACT_ROUNDS_MAX && stalled < 2 && useless < USELESS_MAX) {
    const double norm = norm6(now.gradient);
    if (norm > PASS_DONE * begin + 1e-16 * norm6(now.y)) {
      useless = norm < 0.9 * best ? 0 : useless + 1;
      best = fmin(best, norm);
      if (!improve(s, &now)) {
        return;
      }
      continue;
    }
    const bool is_tight = s->epsilon <= EPSILON_FELT;
    const double end = tighten(s, &now);
    if (end <= EXACT) {
      return;
    }
    stalled = is_tight && end > 0.9 * begin ? stalled + 1 : 0;
    begin = best = end;
    useless = 0;
  }
}

/* While no cone bounds a force, the derivative is a mass in the middle and the points' tensor of
   inertia. */
static bool factor_free(const solver *s, double *tensor) {
  memcpy(tensor, s->tensor, sizeof s->tensor);
  for (size_t i = 0; i < 9; i++) {
    tensor[i] *= s->per_length * s->per_length;
  }
  for (size_t i = 0; i < 3; i++) {
    tensor[4 * i] += EPSILON_LAST;
  }
  return sn_cholesky_factor(3, tensor);
}

/* @return whether that is the solution */
static bool solve_free(solver *s) {
  double tensor[9], y[6] = {0}, excess[6], last = INFINITY;
  for (size_t i = 0; i < 6; i++) {
    excess[i] = -s->wanted[i];
  }
  if (!factor_free(s, tensor)) {
    return false;
  }
  for (int k = 0; k < FREE_PASSES_MAX; k++) {
    sn_cholesky_solve(3, tensor, excess);
    go(y, -1.0, excess, y);
    evaluate(s, y, excess, NULL);
    const double norm = norm6(excess);
    if (!s->is_free || norm <= EXACT || norm > 0.9 * last) {
      return s->is_free;
    }
    last = norm;
  }
  return true;
}

/* @return false if the wrench is zero or no point can take a force */
static bool prepare(solver *s) {
  const sn_contact_task *task = s->task;
  if (!(s->set.per_weight > 0.0)) {
    return false;
  }
  double size = 0.0;
  for (size_t i = 0; i < task->point_count; i++) {
    size = fmax(size, sn_vec3_norm(task->points[i].place));
  }
  const double radius = sqrt(0.5 * sn__point_set_tensor(&s->set, s->tensor));
  /* Points that coincide but for rounding are one. */
  s->per_length = radius > 1e-12 * size ? 1.0 / (FORCE_FIRST * radius) : 0.0;
  const sn_vec3 force = task->wrench.lin;
  const sn_vec3 torque = sn_vec3_sub(task->wrench.ang, sn_vec3_cross(s->set.centre, force));
  const double wanted[6] = {torque.x * s->per_length,
                            torque.y * s->per_length,
                            torque.z * s->per_length,
                            force.x,
                            force.y,
                            force.z};
  s->scale = norm6(wanted);
  if (!(s->scale > 0.0)) {
    return false;
  }
  for (size_t i = 0; i < 6; i++) {
    s->wanted[i] = wanted[i] / s->scale;
  }
  return true;
}

static sn_spatial missing_of(const sn_contact_task *task, const sn_vec3 *forces) {
  sn_spatial missing = task->wrench;
  for (size_t i = 0; i < task->point_count; i++) {
    missing.lin = sn_vec3_sub(missing.lin, forces[i]);
    missing.ang = sn_vec3_sub(missing.ang, sn_vec3_cross(task->points[i].place, forces[i]));
  }
  return missing;
}

void sn__contact_forces(const sn_contact_task *task, sn_vec3 *forces, sn_contact_outcome *outcome) {
  solver s = {.task = task,
              .forces = forces,
              .set = sn__point_set_of(task->points, task->point_count),
              .epsilon = EPSILON_FIRST,
              .cone = sn__cone_make(task->normal, fmin(task->friction, FRICTION_MAX))};
  if (!prepare(&s)) {
    for (size_t i = 0; i < task->point_count; i++) {
      forces[i] = sn_vec3_make(0, 0, 0);
    }
  } else {
    if (!solve_free(&s)) {
      solve_bounded(&s);
    }
    for (size_t i = 0; i < task->point_count; i++) {
      forces[i] = sn_vec3_scale(forces[i], s.scale);
    }
  }
  if (outcome != NULL) {
    const sn_spatial missing = missing_of(task, forces);
    const double size = sn_vec3_norm(task->wrench.lin) + sn_vec3_norm(task->wrench.ang);
    const double left = sn_vec3_norm(missing.lin) + sn_vec3_norm(missing.ang);
    *outcome = (sn_contact_outcome){left <= BALANCED * size, missing, s.rounds};
  }
}
