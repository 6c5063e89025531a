#include "controllers/cartesian/gaze.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "sinew/kin.h"

enum { ROUNDS_MAX = 6 };
static const double damping = 1e-6;
static const double useful_min = 1e-3; /* squared rad per rad: weaker rows are not followed */
static const double step_min = 1e-9;
static const double step_max = 0.3; /* rad in a round: the tasks are linearised */

sn_status sn__gaze_create(sn__gaze *gaze, sn_arena *arena, const sn__limb_ik *limb, sn_error *err) {
  const size_t n = limb->count;
  double *reals = SN_NEW(arena, double, 11 * n);
  bool *held = SN_NEW(arena, bool, n);
  if (reals == NULL || held == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory");
  }
  *gaze = (sn__gaze){.limb = limb,
                     .jac = reals,
                     .task = {reals + 6 * n, reals + 7 * n, reals + 8 * n},
                     .step = reals + 9 * n,
                     .rest = reals + 10 * n,
                     .held = held};
  return SN_OK;
}

static sn_vec3 unit(sn_vec3 v) {
  return sn_vec3_scale(v, 1.0 / sn_vec3_norm(v));
}

sn_mat3 sn__gaze_rotation(sn_vec3 direction, sn_vec3 up, const sn_mat3 *before) {
  const sn_vec3 x = unit(direction);
  sn_vec3 y = sn_vec3_cross(up, x);
  if (sn_vec3_norm(y) < 1e-3) { /* straight up or down */
    y = sn_vec3_add_scaled(before->y, -sn_vec3_dot(before->y, x), x);
  }
  if (sn_vec3_norm(y) < 1e-3) {
    y = sn_vec3_cross(before->z, x);
  }
  y = unit(y);
  return (sn_mat3){x, y, sn_vec3_cross(x, y)};
}

/* Rotations that are missing about the tip's y and z axes, then about x. */
static void find_errors(sn_mat3 tip, const sn_mat3 *wanted, double error[3]) {
  const sn_vec3 axis = sn_vec3_cross(tip.x, wanted->x);
  const double sine = sn_vec3_norm(axis), cosine = sn_vec3_dot(tip.x, wanted->x);
  const double angle = atan2(sine, cosine);
  /* Exactly behind: turn about z. */
  const sn_vec3 turn = sine > 1e-9  ? sn_vec3_scale(axis, angle / sine)
                       : cosine < 0 ? sn_vec3_scale(tip.z, angle)
                                    : (sn_vec3){0, 0, 0};
  error[0] = sn_vec3_dot(tip.y, turn);
  error[1] = sn_vec3_dot(tip.z, turn);
  error[2] = atan2(-sn_vec3_dot(wanted->z, tip.y), sn_vec3_dot(wanted->z, tip.z));
}

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

static void add(double *a, double factor, const double *b, size_t n) {
  for (size_t i = 0; i < n; i++) {
    a[i] += factor * b[i];
  }
}

/* Rows of the three tasks; columns of held joints are zero. */
static void find_tasks(sn__gaze *gaze, sn_mat3 tip) {
  const size_t n = gaze->limb->count;
  const sn_vec3 axes[3] = {tip.y, tip.z, tip.x};
  for (size_t k = 0; k < 3; k++) {
    for (size_t j = 0; j < n; j++) {
      const sn_vec3 turn = {gaze->jac[j], gaze->jac[n + j], gaze->jac[2 * n + j]};
      gaze->task[k][j] = gaze->held[j] ? 0.0 : sn_vec3_dot(axes[k], turn);
    }
  }
}

/* The two directions of the x axis are one task: turned such that their rows are orthogonal, what
   the joints can do best comes first and nothing else is spoilt where they cannot do both. */
static void turn_rows(sn__gaze *gaze, double error[3]) {
  const size_t n = gaze->limb->count;
  double *a = gaze->task[0], *b = gaze->task[1];
  const double angle = 0.5 * atan2(2.0 * dot(a, b, n), dot(a, a, n) - dot(b, b, n));
  const double c = cos(angle), s = sin(angle);
  for (size_t i = 0; i < n; i++) {
    const double first = c * a[i] + s * b[i];
    b[i] = c * b[i] - s * a[i];
    a[i] = first;
  }
  const double first = c * error[0] + s * error[1];
  error[1] = c * error[1] - s * error[0];
  error[0] = first;
}

/* One task after the other: each row loses what earlier rows span (Gram-Schmidt), so that its step
   does not disturb them; rows that nothing is left of have no effect. */
static void find_step(sn__gaze *gaze, double error[3], const double *q) {
  const size_t n = gaze->limb->count;
  double length2[3];
  turn_rows(gaze, error);
  memset(gaze->step, 0, n * sizeof *gaze->step);
  for (size_t k = 0; k < 3; k++) {
    double *row = gaze->task[k];
    const double missing = error[k] - dot(row, gaze->step, n);
    for (size_t i = 0; i < k; i++) {
      add(row, -dot(row, gaze->task[i], n) / (length2[i] + damping), gaze->task[i], n);
    }
    length2[k] = dot(row, row, n);
    add(gaze->step, length2[k] > useful_min ? missing / length2[k] : 0.0, row, n);
  }
  if (gaze->limb->nominal == NULL) {
    return;
  }
  for (size_t j = 0; j < n; j++) {
    const double way = gaze->limb->nominal_share * (gaze->limb->nominal[j] - q[j]);
    gaze->rest[j] = gaze->held[j] ? 0.0 : way;
  }
  for (size_t k = 0; k < 3; k++) {
    add(gaze->rest, -dot(gaze->rest, gaze->task[k], n) / (length2[k] + damping), gaze->task[k], n);
  }
  add(gaze->step, 1.0, gaze->rest, n);
}

/* Joints that the step would carry over a limit stop there and are held. @return whether any did */
static bool hold_outwards(sn__gaze *gaze, double *q) {
  bool any = false;
  for (size_t j = 0; j < gaze->limb->count; j++) {
    double lower, upper;
    sn_ik_limits(gaze->limb->ik, j, &lower, &upper);
    const double there = q[j] + gaze->step[j];
    if (!gaze->held[j] && (there < lower || there > upper)) {
      q[j] = there < lower ? lower : upper;
      gaze->held[j] = any = true;
    }
  }
  return any;
}

static double longest(const double *step, size_t n) {
  double most = 0.0;
  for (size_t i = 0; i < n; i++) {
    most = fmax(most, fabs(step[i]));
  }
  return most;
}

double sn__gaze_turn(sn__gaze *gaze, const sn_mat3 *wanted, double *q) {
  const size_t n = gaze->limb->count;
  sn_pose tip;
  double error[3];
  memset(gaze->held, 0, n * sizeof *gaze->held);
  for (int round = 0; round < ROUNDS_MAX; round++) {
    sn_chain_fk_jacobian(gaze->limb->chain, q, &tip, gaze->jac);
    find_errors(tip.rot, wanted, error);
    find_tasks(gaze, tip.rot);
    find_step(gaze, error, q);
    const double most = longest(gaze->step, n);
    if (most < step_min) {
      break;
    }
    if (most > step_max) {
      add(gaze->step, step_max / most - 1.0, gaze->step, n);
    }
    if (!hold_outwards(gaze, q)) {
      add(q, 1.0, gaze->step, n);
    }
  }
  tip = sn_chain_fk(gaze->limb->chain, q);
  return atan2(sn_vec3_norm(sn_vec3_cross(tip.rot.x, wanted->x)),
               sn_vec3_dot(tip.rot.x, wanted->x));
}
