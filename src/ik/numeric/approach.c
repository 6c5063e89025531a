/* Levenberg-Marquardt with bounds: a step that does not lower the error is undone and damped more,
 * until it is a short step along the gradient. */
#include "ik/numeric/approach.h"

#include <math.h>
#include <string.h>

#include "ik/serial.h"
#include "sinew/dense.h"
#include "sinew/kin.h"
#include "sinew/quat.h"

enum { EVALUATIONS_MAX = 48 };

static const double pull_max = 0.1; /* lengths */
static const double damping_first = 1e-3, damping_min = 1e-7, damping_max = 1e5;
static const double step_min = 1e-10;

bool sn__approach_create(sn_arena *arena, const sn_chain *chain,
                         const sn__approach_weights *weights, sn__approach *out) {
  const size_t n = chain->joint_count;
  const double length_m = sn__serial_length(chain);
  *out = (sn__approach){.chain = chain,
                        .weights = *weights,
                        .length_m = length_m,
                        .scale_rotation = sqrt(weights->rotation),
                        .scale_position = sqrt(weights->position) / length_m,
                        .jac = SN_NEW(arena, double, 6 * n),
                        .step = SN_NEW(arena, double, n),
                        .next = SN_NEW(arena, double, n)};
  return out->jac != NULL && out->step != NULL && out->next != NULL;
}

/* The missing motion in the axes of the target: rotation, then position in lengths, clipped by
 * Huber's loss. @return the cost */
static double find_error(const sn__approach *a, const sn_pose *target, const sn_pose *tip,
                         unsigned free_axes, double error[6]) {
  const sn_pose gap = sn_pose_between(*target, *tip);
  const sn_vec3 turn = sn_mat3_log(gap.rot);
  const double r = a->scale_rotation, p = a->scale_position;
  const double all[6] = {-r * turn.x,    -r * turn.y,    -r * turn.z,
                         -p * gap.pos.x, -p * gap.pos.y, -p * gap.pos.z};
  double rotation2 = 0.0, position2 = 0.0;
  for (unsigned i = 0; i < 6; i++) { /* bits: x y z rx ry rz */
    error[i] = (free_axes >> (i < 3 ? i + 3 : i - 3) & 1u) != 0 ? 0.0 : all[i];
    *(i < 3 ? &rotation2 : &position2) += error[i] * error[i];
  }
  const double position = sqrt(position2), pull = pull_max * p * a->length_m;
  if (position <= pull) {
    return 0.5 * (rotation2 + position2);
  }
  for (size_t i = 3; i < 6; i++) {
    error[i] *= pull / position;
  }
  return 0.5 * rotation2 + pull * (position - 0.5 * pull);
}

/* From here to the nominal pose. */
static double nominal_way(const sn__approach *a, size_t joint, const double *q) {
  return a->weights.pose == NULL ? 0.0 : a->weights.pose[joint] - q[joint];
}

static double nominal_weight(const sn__approach *a) {
  return a->weights.pose == NULL ? 0.0 : a->weights.nominal;
}

static double nominal_cost(const sn__approach *a, const double *q) {
  double sum = 0.0;
  for (size_t j = 0; j < a->chain->joint_count; j++) {
    const double way = nominal_way(a, j, q);
    sum += way * way;
  }
  return 0.5 * nominal_weight(a) * sum;
}

/* The Jacobian in the axes and units of the error; rows of free axes are zero. */
static void turn_jacobian(const sn__approach *a, const sn_pose *target, unsigned free_axes) {
  const size_t n = a->chain->joint_count;
  for (size_t j = 0; j < n; j++) {
    double *at = a->jac + j;
    const sn_vec3 ang = sn_mat3_apply_transposed(target->rot, (sn_vec3){at[0], at[n], at[2 * n]});
    const sn_vec3 lin =
        sn_mat3_apply_transposed(target->rot, (sn_vec3){at[3 * n], at[4 * n], at[5 * n]});
    const double r = a->scale_rotation, p = a->scale_position;
    const double column[6] = {r * ang.x, r * ang.y, r * ang.z, p * lin.x, p * lin.y, p * lin.z};
    for (unsigned i = 0; i < 6; i++) {
      at[i * n] = (free_axes >> (i < 3 ? i + 3 : i - 3) & 1u) != 0 ? 0.0 : column[i];
    }
  }
}

static double along(const sn__approach *a, size_t joint, const double v[6]) {
  const size_t n = a->chain->joint_count;
  double sum = 0.0;
  for (size_t i = 0; i < 6; i++) {
    sum += a->jac[i * n + joint] * v[i];
  }
  return sum;
}

/* d + J^T (J J^T + damping + weight)^-1 (error - J d) over the joints not held at a bound, clipped
   at the bounds; d is the step that the nominal pose alone asks for.
   @return the longest step of a joint */
static double find_step(sn__approach *a, const double error[6], double damping, const double *lower,
                        const double *upper, const double *q) {
  const size_t n = a->chain->joint_count;
  const double weight = nominal_weight(a), share = weight / (weight + damping);
  double gram[36] = {0}, x[6];
  memcpy(x, error, sizeof x);
  for (size_t j = 0; j < n; j++) {
    const double push = along(a, j, error) + weight * nominal_way(a, j, q);
    const bool is_held = (push > 0.0 && q[j] >= upper[j]) || (push < 0.0 && q[j] <= lower[j]);
    a->step[j] = is_held ? 0.0 : 1.0;
    const double d = a->step[j] * share * nominal_way(a, j, q);
    for (size_t r = 0; r < 6; r++) {
      x[r] -= a->jac[r * n + j] * d;
      for (size_t c = 0; c < 6; c++) {
        gram[6 * r + c] += a->step[j] * a->jac[r * n + j] * a->jac[c * n + j];
      }
    }
  }
  for (size_t r = 0; r < 6; r++) {
    gram[7 * r] += damping + weight;
  }
  if (!sn_cholesky_factor(6, gram)) {
    return 0.0; /* not finite */
  }
  sn_cholesky_solve(6, gram, x);
  double longest = 0.0;
  for (size_t j = 0; j < n; j++) {
    const double there = q[j] + a->step[j] * (share * nominal_way(a, j, q) + along(a, j, x));
    a->next[j] = there < lower[j] ? lower[j] : there > upper[j] ? upper[j] : there;
    longest = fmax(longest, fabs(a->next[j] - q[j]));
  }
  return longest;
}

double sn__approach_run(sn__approach *a, const sn_pose *target, unsigned free_axes,
                        const double *lower, const double *upper, double *q) {
  const size_t size = a->chain->joint_count * sizeof *q;
  sn_pose tip;
  double error[6], trial[6];
  sn_chain_fk_jacobian(a->chain, q, &tip, a->jac);
  turn_jacobian(a, target, free_axes);
  double cost = find_error(a, target, &tip, free_axes, error) + nominal_cost(a, q);
  double damping = damping_first;
  for (int i = 0; i < EVALUATIONS_MAX && damping <= damping_max; i++) {
    if (!(find_step(a, error, damping, lower, upper, q) > step_min)) {
      break;
    }
    tip = sn_chain_fk(a->chain, a->next);
    if (!(find_error(a, target, &tip, free_axes, trial) + nominal_cost(a, a->next) < cost)) {
      damping *= 5.0;
      continue;
    }
    memcpy(q, a->next, size);
    sn_chain_fk_jacobian(a->chain, q, &tip, a->jac);
    turn_jacobian(a, target, free_axes);
    cost = find_error(a, target, &tip, free_axes, error) + nominal_cost(a, q);
    damping = fmax(0.3 * damping, damping_min);
  }
  return cost;
}
