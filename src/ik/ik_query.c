#include <math.h>
#include <string.h>

#include "ik/ik.h"

static const sn_ik_options no_options;

/* Longer timeouts are cut to this, so that nanoseconds do not overflow. */
static const double TIMEOUT_MAX_S = 1e9;

static int64_t deadline_after(const sn_ik *ik, double timeout_s) {
  return sn_clock_now_ns(ik->clock) + (int64_t)(1e9 * fmin(timeout_s, TIMEOUT_MAX_S));
}

/* Are solutions sorted by something else than the Euclidean distance to the seed? */
static bool is_ranked(const sn_ik_options *options) {
  return options->cost != NULL || options->weights != NULL || options->measure != SN_IK_EUCLIDEAN;
}

static sn_ik_code search(sn_ik *ik, const sn_ik_options *options, sn__ik_goal goal) {
  sn__ik_run run = {.ik = ik,
                    .options = options,
                    .goal = goal,
                    .random = ik->random_start,
                    .is_ranked = is_ranked(options),
                    .nearest = INFINITY,
                    .closest_error = INFINITY};
  for (size_t i = 0; ik->has_followers && i < ik->setup.joint_count; i++) {
    run.has_locked = run.has_locked || ik->locked[i];
  }
  if (options->return_approximate_solution) {
    /* The seed is the first pose tried. */
    double position_m;
    double rotation_rad;
    sn__ik_errors(ik, options->free_axes, ik->seed, &position_m, &rotation_rad);
    run.closest_error = hypot(position_m, rotation_rad);
    memcpy(ik->closest, ik->seed, ik->setup.joint_count * sizeof *ik->closest);
  }
  ik->result.kinematic_error = sn__ik_run_search(&run);
  return ik->result.kinematic_error;
}

static sn_ik_code without_solver(sn_ik_result *result) {
  if (result != NULL) {
    *result = (sn_ik_result){.kinematic_error = SN_IK_SOLVER_NOT_ACTIVE};
  }
  return SN_IK_SOLVER_NOT_ACTIVE;
}

sn_ik_code sn_ik_get_position(sn_ik *ik, const sn_pose *pose, const double *seed, size_t count,
                              const sn_ik_options *options, double *solution) {
  if (ik == NULL) {
    return SN_IK_SOLVER_NOT_ACTIVE;
  }
  options = options == NULL ? &no_options : options;
  if (ik->setup.tip_count > 1) {
    ik->result = (sn_ik_result){0};
    return sn__ik_refuse(ik, SN_IK_MULTIPLE_TIPS_NOT_SUPPORTED,
                         (sn__ik_reason){.text = "one pose given, but the group has {n} tips",
                                         .n = ik->setup.tip_count});
  }
  const sn_ik_code code = sn__ik_prepare(ik, pose, pose == NULL ? 0 : 1, seed, count, options);
  if (code != SN_IK_OK) {
    return code;
  }
  /* A solver offers the nearest first, but only by the Euclidean distance, and only among those for
   * one position of the redundant joints. */
  const bool one_place = options->discretization_method <= SN_IK_NO_DISCRETIZATION;
  const sn__ik_goal goal = {.solutions = solution,
                            .capacity = 1,
                            .first = one_place && !is_ranked(options),
                            .all = is_ranked(options),
                            .deadline_ns = deadline_after(ik, ik->default_timeout_s)};
  return search(ik, options, goal);
}

sn_ik_code sn_ik_get_all(sn_ik *ik, const sn_pose *poses, size_t pose_count, const double *seed,
                         size_t count, const sn_ik_options *options, double *solutions,
                         size_t capacity, sn_ik_result *result) {
  if (ik == NULL) {
    return without_solver(result);
  }
  options = options == NULL ? &no_options : options;
  sn_ik_code code = sn__ik_prepare(ik, poses, pose_count, seed, count, options);
  if (code == SN_IK_OK && capacity == 0) {
    code = sn__ik_refuse(ik, SN_IK_INVALID_ARGUMENT,
                         (sn__ik_reason){.text = "the capacity for solutions is 0"});
  }
  if (code == SN_IK_OK) {
    const sn__ik_goal goal = {.solutions = solutions,
                              .capacity = capacity,
                              .restarts = true,
                              .all = true,
                              .deadline_ns = deadline_after(ik, ik->default_timeout_s)};
    code = search(ik, options, goal);
  }
  if (result != NULL) {
    *result = ik->result;
  }
  return code;
}

static sn_ik_code check_timeout(sn_ik *ik, double timeout_s) {
  if (!(timeout_s >= 0.0)) { /* the negated form also rejects NaN */
    return sn__ik_refuse(ik, SN_IK_INVALID_ARGUMENT,
                         (sn__ik_reason){.text = "timeout is {x} s, must be >= 0", .x = timeout_s});
  }
  if (timeout_s == 0.0) {
    return sn__ik_refuse(ik, SN_IK_TIMED_OUT,
                         (sn__ik_reason){.text = "the timeout is 0: no time to search"});
  }
  return SN_IK_OK;
}

sn_ik_code sn_ik_search(sn_ik *ik, const sn_pose *poses, size_t pose_count, const double *seed,
                        size_t count, double timeout_s, const sn_ik_options *options,
                        double *solution, sn_ik_result *result) {
  if (ik == NULL) {
    return without_solver(result);
  }
  options = options == NULL ? &no_options : options;
  sn_ik_code code = sn__ik_prepare(ik, poses, pose_count, seed, count, options);
  if (code == SN_IK_OK) {
    code = check_timeout(ik, timeout_s);
  }
  if (code == SN_IK_OK) {
    const sn__ik_goal goal = {.solutions = solution,
                              .capacity = 1,
                              .first = options->cost == NULL,
                              .restarts = true,
                              .all = options->cost != NULL,
                              .deadline_ns = deadline_after(ik, timeout_s)};
    code = search(ik, options, goal);
  }
  if (result != NULL) {
    *result = ik->result;
  }
  return code;
}

sn_ik_code sn_ik_pose_from_quat(sn_vec3 pos, sn_quat rot, sn_pose *out) {
  const double length = sqrt(rot.x * rot.x + rot.y * rot.y + rot.z * rot.z + rot.w * rot.w);
  if (!(fabs(length - 1.0) <= 1e-3) || !isfinite(pos.x) || !isfinite(pos.y) || !isfinite(pos.z)) {
    return SN_IK_INVALID_ARGUMENT;
  }
  *out = (sn_pose){.rot = sn_mat3_from_quat(sn_quat_normalize(rot)), .pos = pos};
  return SN_IK_OK;
}
