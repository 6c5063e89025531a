#include "ik/polish.h"

#include <string.h>

#include "sinew/dense.h"
#include "sinew/fault.h"

#define JOINTS_MAX SN__ARM_JOINTS_MAX

void sn__frames_init(sn__frames *frames, const sn_chain *chain, bool position_only) {
  SN_ASSERT(chain->tree.body_count <= JOINTS_MAX);
  *frames = (sn__frames){.count = (int)chain->tree.body_count, .position_only = position_only};
  for (int i = 0; i < frames->count; i++) {
    frames->step[i] = chain->tree.pose_parent_joint[i];
  }
  frames->tip = chain->pose_body_tip;
}

void sn__frames_append(sn__frames *frames, int axis) {
  SN_ASSERT(frames->count < JOINTS_MAX);
  const sn_vec3 z = {axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
  const sn_pose to_axis = {.rot = sn_mat3_with_z(z)};
  frames->step[frames->count++] = sn_pose_mul(frames->tip, to_axis);
  frames->tip = sn_pose_inverse(to_axis);
}

/* Turned about its own z axis. */
static sn_mat3 turn_z(sn_mat3 r, sn__turn t) {
  return (sn_mat3){
      .x = {t.c * r.x.x + t.s * r.y.x, t.c * r.x.y + t.s * r.y.y, t.c * r.x.z + t.s * r.y.z},
      .y = {t.c * r.y.x - t.s * r.x.x, t.c * r.y.y - t.s * r.x.y, t.c * r.y.z - t.s * r.x.z},
      .z = r.z,
  };
}

sn_pose sn__frames_tip(const sn__frames *frames, const sn__turn *turn) {
  sn_pose pose = frames->step[0];
  pose.rot = turn_z(pose.rot, turn[0]);
  for (int i = 1; i < frames->count; i++) {
    pose = sn_pose_mul(pose, frames->step[i]);
    pose.rot = turn_z(pose.rot, turn[i]);
  }
  return sn_pose_mul(pose, frames->tip);
}

static double square(sn_vec3 v) {
  return sn_vec3_dot(v, v);
}

sn__miss sn__frames_miss(const sn__frames *frames, sn_pose tip, sn_pose target) {
  sn__miss miss = {.position_m = sn_vec3_norm(sn_vec3_sub(tip.pos, target.pos))};
  if (!frames->position_only) {
    miss.rotation_rad = sqrt(0.5 * (square(sn_vec3_sub(tip.rot.x, target.rot.x)) +
                                    square(sn_vec3_sub(tip.rot.y, target.rot.y)) +
                                    square(sn_vec3_sub(tip.rot.z, target.rot.z))));
  }
  return miss;
}

/* Pose of the tip, and the axis and place of each joint on the way. */
static sn_pose trace(const sn__frames *frames, const double *q, sn_vec3 *axis, sn_vec3 *place) {
  sn_pose pose = sn_pose_identity();
  for (int i = 0; i < frames->count; i++) {
    pose = sn_pose_mul(pose, frames->step[i]);
    pose.rot = turn_z(pose.rot, sn__turn_of(q[i]));
    axis[i] = pose.rot.z;
    place[i] = pose.pos;
  }
  return sn_pose_mul(pose, frames->tip);
}

/* The rotation vector from tip to target: half the sum of the cross products of the axes is its
   sine along its axis, corrected to the angle. */
static sn_vec3 rotation_error(sn_mat3 tip, sn_mat3 target) {
  return sn_mat3_log(sn_mat3_mul(target, sn_mat3_transpose(tip)));
}

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
      frames->position_only ? sn_vec3_make(0, 0, 0) : rotation_error(tip.rot, target.rot);
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
  const int n = t->rows;
  double normal[36] = {0.0};
  double y[6];
  for (int r = 0; r < n; r++) {
    y[r] = t->error[r];
    normal[r * n + r] = damping;
  }
  for (int j = 0; j < count; j++) {
    if (held[j]) {
      continue;
    }
    for (int r = 0; r < n; r++) {
      for (int c = 0; c <= r; c++) {
        normal[r * n + c] += t->jac[j][r] * t->jac[j][c];
      }
    }
  }
  if (!sn_cholesky_factor((size_t)n, normal)) {
    return false;
  }
  sn_cholesky_solve((size_t)n, normal, y);
  for (int j = 0; j < count; j++) {
    dq[j] = 0.0;
    for (int r = 0; r < n && !held[j]; r++) {
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
  sn_pose tip = trace(frames, q, axis, place);
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
    const sn_pose next_tip = trace(frames, next, axis, place);
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
      tip = trace(frames, q, axis, place);
    }
  }
  return miss;
}
