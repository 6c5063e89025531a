/* A solver of inverse kinematics as a plugin: damped least squares, the textbook's way.
 *
 * The whole contract is in sinew/ik_solver.h. The library calls supports() and create() once, then
 * solve() per query; it confirms whatever solve() offers, so a plugin cannot return a wrong pose,
 * only miss a right one. Build it as a shared module and name it:
 *
 *   sinew ik robot.urdf base tool --plugin ./ik_example.so --solver example
 */
#include <stdio.h>
#include <string.h>

#include "sinew/dense.h"
#include "sinew/ik_solver.h"
#include "sinew/kin.h"

typedef struct example {
  const sn_chain *chain;
  size_t n;
  double *q, *jac; /* [n], [6][n] */
} example;

static bool supports(const sn_ik_setup *setup, char *reason, size_t size) {
  if (setup->tip_count != 1) {
    snprintf(reason, size, "%zu tips, the example knows one", setup->tip_count);
  } else if (setup->tips[0].chain->tree.has_mimic) {
    snprintf(reason, size, "joints that follow others are too much for an example");
  }
  return setup->tip_count == 1 && !setup->tips[0].chain->tree.has_mimic;
}

static sn_status create(sn_arena *arena, const sn_ik_setup *setup, void **state, sn_error *err) {
  (void)err; /* SN_ENOMEM says it all */
  const size_t n = setup->joint_count;
  example *self = SN_NEW(arena, example, 1);
  double *memory = SN_NEW(arena, double, 7 * n);
  if (self == NULL || memory == NULL) {
    return SN_ENOMEM;
  }
  *self = (example){.chain = setup->tips[0].chain, .n = n, .q = memory, .jac = memory + n};
  *state = self;
  return SN_OK;
}

/* What is missing from the pose to the target, as a rotation vector and a shift, in base axes. */
static void error_of(const sn_pose *pose, const sn_pose *target, double error[6]) {
  const sn_vec3 turn = sn_mat3_log(sn_mat3_mul(target->rot, sn_mat3_transpose(pose->rot)));
  const sn_vec3 shift = sn_vec3_sub(target->pos, pose->pos);
  const double all[] = {turn.x, turn.y, turn.z, shift.x, shift.y, shift.z};
  memcpy(error, all, sizeof all);
}

static bool is_small(const double error[6], const sn_ik_query *query) {
  const sn_vec3 turn = {error[0], error[1], error[2]};
  const sn_vec3 shift = {error[3], error[4], error[5]};
  return sn_vec3_norm(turn) <= query->rotation_tolerance_rad &&
         sn_vec3_norm(shift) <= query->position_tolerance_m;
}

/* One step: dq = J^T (J J^T + damping)^-1 error, stopped at the limits. */
static void step(example *self, const sn_ik_query *query, double error[6]) {
  const double damping = 1e-6;
  double gram[36] = {0};
  for (size_t row = 0; row < 6; row++) {
    for (size_t column = 0; column <= row; column++) {
      double sum = row == column ? damping : 0.0;
      for (size_t j = 0; j < self->n; j++) {
        sum += self->jac[row * self->n + j] * self->jac[column * self->n + j];
      }
      gram[6 * row + column] = sum;
    }
  }
  if (!sn_cholesky_factor(6, gram)) {
    return;
  }
  sn_cholesky_solve(6, gram, error);
  for (size_t j = 0; j < self->n; j++) {
    double dq = 0.0;
    for (size_t row = 0; row < 6; row++) {
      dq += self->jac[row * self->n + j] * error[row];
    }
    const double there = self->q[j] + fmin(fmax(dq, -0.5), 0.5);
    const bool locked = query->locked != NULL && query->locked[j];
    self->q[j] = locked ? query->seed[j] : fmin(fmax(there, query->lower[j]), query->upper[j]);
  }
}

/* Follow one start. @return true if it led to a pose within the tolerance */
static bool descend(example *self, const sn_ik_query *query) {
  for (int i = 0; i < 60; i++) {
    sn_pose pose;
    double error[6];
    sn_chain_fk_jacobian(self->chain, self->q, &pose, self->jac);
    error_of(&pose, &query->targets[0], error);
    if (is_small(error, query)) {
      return true;
    }
    step(self, query, error);
  }
  return false;
}

static void draw(example *self, const sn_ik_query *query) {
  for (size_t j = 0; j < self->n; j++) {
    const double lower = fmax(query->lower[j], query->seed[j] - 3.2); /* limits may be infinite */
    const double upper = fmin(query->upper[j], query->seed[j] + 3.2);
    self->q[j] = sn_random_between(query->random, lower, upper);
  }
}

static sn_ik_code solve(void *state, const sn_ik_query *query) {
  example *self = state;
  memcpy(self->q, query->seed, self->n * sizeof *self->q);
  for (int start = 0; start < 1000; start++) {
    if (descend(self, query) && !query->offer(query->context, self->q)) {
      return SN_IK_OK;
    }
    if (!query->restarts) {
      return SN_IK_NO_SOLUTION;
    }
    if (sn_clock_now_ns(query->clock) >= query->deadline_ns) {
      return SN_IK_TIMED_OUT;
    }
    draw(self, query);
  }
  return SN_IK_NO_SOLUTION;
}

static const char *describe(const void *state) {
  (void)state;
  return "damped least squares, an example";
}

SN_API extern const sn_ik_solver sn_ik_plugin;
const sn_ik_solver sn_ik_plugin = {.abi = SN_IK_ABI,
                                   .name = "example",
                                   .description = "damped least squares with random restarts",
                                   .supports = supports,
                                   .create = create,
                                   .solve = solve,
                                   .describe = describe};
