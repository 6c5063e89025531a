#include "ik/closed/polish.h"

#include <string.h>

#include "ik/closed/normal6.h"

#define JOINTS_MAX SN__ARM_JOINTS_MAX

typedef struct task {
  int rows;
  double jac[JOINTS_MAX][6]; /* by columns */
  double error[6];
} task;

static void linearise(const sn__frames *frames, sn_pose tip, sn_pose target, const sn_vec3 *axis,
                      const sn_vec3 *place, task *out) {
  out->rows = frames->position_only ? 3 : 6;
  const sn_vec3 shift = sn_vec3_sub(target.pos, tip.pos);
  const sn_vec3 turn =
      frames->position_only ? sn_vec3_make(0, 0, 0) : sn__rotation_error(tip.rot, target.rot);
  const double error[6] = {shift.x, shift.y, shift.z, turn.x, turn.y, turn.z};
  memcpy(out->error, error, sizeof error);
  for (int i = 0; i < frames->count; i++) {
    const sn_vec3 z = axis[i];
    const sn_vec3 v = sn_vec3_cross(z, sn_vec3_sub(tip.pos, place[i]));
    const double column[6] = {v.x, v.y, v.z, z.x, z.y, z.z};
    memcpy(out->jac[i], column, sizeof column);
  }
}

/* The damped step dq = J^T (J J^T + damping)^-1 e over the joints that are not held. */
static bool damped_step(const task *t, int count, const bool *held, double damping, double *dq) {
  double normal[6][6] = {{0.0}};
  double y[6] = {0.0};
  for (int r = 0; r < 6; r++) {
    y[r] = r < t->rows ? t->error[r] : 0.0;
    normal[r][r] = r < t->rows ? damping : 1.0;
  }
  for (int j = 0; j < count; j++) {
    if (held[j]) {
      continue;
    }
    for (int r = 0; r < t->rows; r++) {
      for (int c = 0; c <= r; c++) {
        normal[r][c] += t->jac[j][r] * t->jac[j][c];
      }
    }
  }
  if (!sn__factor6(normal)) {
    return false;
  }
  sn__solve6(normal, y);
  for (int j = 0; j < count; j++) {
    dq[j] = 0.0;
    for (int r = 0; r < t->rows && !held[j]; r++) {
      dq[j] += t->jac[j][r] * y[r];
    }
  }
  return true;
}

/* A step inside the limits: joints that it would drive out are held, and it is taken anew. */
static bool bounded_step(const task *t, int count, const double *q, const double *lower,
                         const double *upper, double damping, double *dq) {
  bool held[JOINTS_MAX] = {false};
  for (int round = 0; round < 3; round++) {
    if (!damped_step(t, count, held, damping, dq)) {
      return false;
    }
    bool is_inside = true;
    for (int j = 0; j < count; j++) {
      const double next = q[j] + dq[j];
      const bool leaves = (q[j] <= lower[j] && dq[j] < 0.0) || (q[j] >= upper[j] && dq[j] > 0.0);
      if (leaves && (next < lower[j] || next > upper[j])) {
        held[j] = true;
        is_inside = false;
      }
    }
    if (is_inside) {
      break;
    }
  }
  return true;
}

sn__miss sn__frames_polish(const sn__frames *frames, sn_pose target, const double *lower,
                           const double *upper, double goal, int iterations_max, double *q) {
  const int n = frames->count;
  sn_vec3 axis[JOINTS_MAX], place[JOINTS_MAX];
  sn_pose tip = sn__frames_trace(frames, q, axis, place);
  sn__miss miss = sn__frames_miss(frames, tip, target);
  double norm = sn__miss_norm(miss);
  double damping = 1e-12;
  for (int i = 0; i < iterations_max && norm > goal; i++) {
    task t;
    linearise(frames, tip, target, axis, place, &t);
    double dq[JOINTS_MAX], next[JOINTS_MAX];
    if (!bounded_step(&t, n, q, lower, upper, damping * (1.0 + norm), dq)) {
      damping = fmax(1e-10, damping * 100.0);
      continue;
    }
    double longest = 0.0;
    for (int j = 0; j < n; j++) {
      longest = fmax(longest, fabs(dq[j]));
    }
    const double shrink = longest > 0.5 ? 0.5 / longest : 1.0;
    for (int j = 0; j < n; j++) {
      next[j] = fmin(upper[j], fmax(lower[j], q[j] + shrink * dq[j]));
    }
    const sn_pose next_tip = sn__frames_trace(frames, next, axis, place);
    const sn__miss next_miss = sn__frames_miss(frames, next_tip, target);
    const double next_norm = sn__miss_norm(next_miss);
    if (next_norm < norm) {
      const bool is_stalled = next_norm > 0.9999 * norm;
      memcpy(q, next, (size_t)n * sizeof *q);
      tip = next_tip;
      miss = next_miss;
      norm = next_norm;
      damping = fmax(1e-14, 0.1 * damping);
      if (is_stalled) {
        break;
      }
    } else {
      if (damping > 1.0) {
        break;
      }
      damping = fmax(1e-8, damping * 30.0);
      tip = sn__frames_trace(frames, q, axis, place);
    }
  }
  return miss;
}
