#include <math.h>
#include <string.h>

#include "ik/ik.h"

/* Tolerance up to which a matrix is accepted as a rotation. */
static const double ROTATION_SLACK = 1e-3;
/* Above this it is orthonormalised before use; results of forward kinematics are far below. */
static const double ROTATION_ROUNDING = 1e-12;
/* A seed outside a limit by rounding is moved onto it. */
static const double LIMIT_SLACK = 1e-9;

sn_ik_code sn__ik_refuse(sn_ik *ik, sn_ik_code code, sn__ik_reason reason) {
  ik->result.kinematic_error = code;
  ik->reason = reason;
  return code;
}

static sn_ik_code invalid(sn_ik *ik, sn__ik_reason reason) {
  return sn__ik_refuse(ik, SN_IK_INVALID_ARGUMENT, reason);
}

static sn__ik_reason of_joint(const sn_ik *ik, size_t joint, const char *text, double x, double y,
                              double z) {
  sn__ik_reason reason = {.text = text, .n = joint, .x = x, .y = y, .z = z};
  strncat(reason.name, sn_names_at(ik->joint_names, joint), sizeof reason.name - 1);
  return reason;
}

static bool is_finite_vec3(sn_vec3 v) {
  return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

/* Largest entry of R^T R - 1, or infinity for a reflection. All numbers are finite. */
static double rotation_defect(const sn_mat3 *r) {
  const double entries[] = {sn_vec3_dot(r->x, r->x) - 1.0, sn_vec3_dot(r->y, r->y) - 1.0,
                            sn_vec3_dot(r->z, r->z) - 1.0, sn_vec3_dot(r->x, r->y),
                            sn_vec3_dot(r->y, r->z),       sn_vec3_dot(r->z, r->x)};
  double worst = 0.0;
  for (size_t i = 0; i < 6; i++) {
    worst = fabs(entries[i]) > worst ? fabs(entries[i]) : worst;
  }
  return sn_vec3_dot(sn_vec3_cross(r->x, r->y), r->z) > 0.0 ? worst : INFINITY;
}

static sn_vec3 corrected(const sn_mat3 *r, sn_vec3 own, double with_x, double with_y,
                         double with_z) {
  sn_vec3 c = sn_vec3_scale(own, 1.5);
  c = sn_vec3_add_scaled(c, -0.5 * with_x, r->x);
  c = sn_vec3_add_scaled(c, -0.5 * with_y, r->y);
  return sn_vec3_add_scaled(c, -0.5 * with_z, r->z);
}

/* The nearest rotation: R <- R (3 - R^T R) / 2 squares the defect in each round (Higham, Functions
   of Matrices, 2008, section 8.3). */
static sn_mat3 nearest_rotation(sn_mat3 r) {
  for (int round = 0; round < 3; round++) {
    const double xx = sn_vec3_dot(r.x, r.x);
    const double yy = sn_vec3_dot(r.y, r.y);
    const double zz = sn_vec3_dot(r.z, r.z);
    const double xy = sn_vec3_dot(r.x, r.y);
    const double yz = sn_vec3_dot(r.y, r.z);
    const double zx = sn_vec3_dot(r.z, r.x);
    const sn_mat3 better = {corrected(&r, r.x, xx, xy, zx), corrected(&r, r.y, xy, yy, yz),
                            corrected(&r, r.z, zx, yz, zz)};
    r = better;
  }
  return r;
}

static sn_ik_code take_pose(sn_ik *ik, const sn_pose *pose, size_t tip) {
  if (!is_finite_vec3(pose->pos) || !is_finite_vec3(pose->rot.x) || !is_finite_vec3(pose->rot.y) ||
      !is_finite_vec3(pose->rot.z)) {
    return invalid(ik,
                   (sn__ik_reason){.text = "pose {n} holds a number that is not finite", .n = tip});
  }
  ik->targets[tip] = *pose;
  const double defect = rotation_defect(&pose->rot);
  if (defect > 2.0 * ROTATION_SLACK) { /* lengths enter squared */
    return invalid(
        ik,
        (sn__ik_reason){
            .text = "pose {n} does not have a rotation matrix: off by {x}", .n = tip, .x = defect});
  }
  if (defect > ROTATION_ROUNDING) {
    ik->targets[tip].rot = nearest_rotation(pose->rot);
  }
  return SN_IK_OK;
}

static sn_ik_code take_poses(sn_ik *ik, const sn_pose *poses, size_t pose_count) {
  const size_t tip_count = ik->setup.tip_count;
  if (poses == NULL || pose_count == 0) {
    return sn__ik_refuse(ik, SN_IK_EMPTY_TIP_POSES,
                         (sn__ik_reason){.text = "no pose given, must be {n}", .n = tip_count});
  }
  if (pose_count > 1 && tip_count == 1) {
    return sn__ik_refuse(
        ik, SN_IK_MULTIPLE_TIPS_NOT_SUPPORTED,
        (sn__ik_reason){.text = "{n} poses given, but the group has one tip", .n = pose_count});
  }
  if (pose_count != tip_count) {
    return invalid(ik, (sn__ik_reason){.text = "{n} poses given, but the group has {m} tips",
                                       .n = pose_count,
                                       .m = tip_count});
  }
  for (size_t t = 0; t < tip_count; t++) {
    const sn_ik_code code = take_pose(ik, &poses[t], t);
    if (code != SN_IK_OK) {
      return code;
    }
  }
  return SN_IK_OK;
}

static bool is_random(sn_ik_discretization method) {
  return method == SN_IK_ALL_RANDOM_SAMPLED || method == SN_IK_SOME_RANDOM_SAMPLED;
}

static sn_ik_code check_steps(sn_ik *ik, sn_ik_discretization method) {
  size_t stepped_count = 0;
  for (size_t i = 0; i < ik->redundant_count; i++) {
    const int joint = ik->redundant[i];
    double lower;
    double upper;
    if (!sn__ik_range(ik, joint, ik->lower, ik->upper, 0.0, &lower, &upper)) {
      return sn__ik_refuse(ik, SN_IK_UNSUPPORTED_DISCRETIZATION_REQUESTED,
                           of_joint(ik, (size_t)joint,
                                    "redundant joint '{s}' slides without limits and can only be "
                                    "kept",
                                    0, 0, 0));
    }
    if (ik->step[joint] > 0.0) {
      stepped_count++;
    } else if (method == SN_IK_ALL_DISCRETIZED) {
      return sn__ik_refuse(
          ik, SN_IK_DISCRETIZATION_NOT_INITIALIZED,
          of_joint(ik, (size_t)joint, "redundant joint '{s}' has no discretization step", 0, 0, 0));
    }
  }
  if (stepped_count == 0 && method != SN_IK_ALL_RANDOM_SAMPLED) {
    return sn__ik_refuse(
        ik, SN_IK_DISCRETIZATION_NOT_INITIALIZED,
        (sn__ik_reason){.text = "no discretization step is set for any of the {n} redundant joints",
                        .n = ik->redundant_count});
  }
  return SN_IK_OK;
}

static sn_ik_code check_discretization(sn_ik *ik, const sn_ik_options *options) {
  const sn_ik_discretization method = options->discretization_method;
  if ((int)method < 0 || method > SN_IK_SOME_RANDOM_SAMPLED) {
    return sn__ik_refuse(
        ik, SN_IK_UNSUPPORTED_DISCRETIZATION_REQUESTED,
        (sn__ik_reason){.text = "{x} is not a discretization method", .x = (double)method});
  }
  if (method <= SN_IK_NO_DISCRETIZATION) {
    return SN_IK_OK;
  }
  if (options->lock_redundant_joints) {
    return invalid(ik, (sn__ik_reason){.text = is_random(method)
                                                   ? "redundant joints cannot be locked and sampled"
                                                   : "redundant joints cannot be locked and "
                                                     "discretized"});
  }
  if (ik->redundant_count == 0) {
    return sn__ik_refuse(
        ik, SN_IK_DISCRETIZATION_NOT_INITIALIZED,
        (sn__ik_reason){.text = "no redundant joints are set, so there is nothing to discretize"});
  }
  return check_steps(ik, method);
}

sn_ik_code sn__ik_check_vector(sn_ik *ik, const double *values, size_t count, const char *length,
                               const char *nan) {
  const size_t n = ik->setup.joint_count;
  if (count != n || values == NULL) {
    return invalid(ik, (sn__ik_reason){.text = length, .n = values == NULL ? 0 : count, .m = n});
  }
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(values[i])) {
      return invalid(ik, of_joint(ik, i, nan, values[i], 0, 0));
    }
  }
  return SN_IK_OK;
}

static sn_ik_code check_context(sn_ik *ik, const sn_ik_options *options) {
  if (options->context_state == NULL) {
    return SN_IK_OK;
  }
  if (options->context_count != sn_model_pose_size(ik->model)) {
    return invalid(ik, (sn__ik_reason){.text = "context state has {n} entries, the robot has {m}",
                                       .n = options->context_count,
                                       .m = sn_model_pose_size(ik->model)});
  }
  for (size_t i = 0; i < options->context_count; i++) {
    if (!isfinite(options->context_state[i])) {
      sn__ik_reason reason = {.text = "context state of joint '{s}' is {x}",
                              .x = options->context_state[i]};
      strncat(reason.name, sn_model_joint(ik->model, i)->name, sizeof reason.name - 1);
      return invalid(ik, reason);
    }
  }
  return SN_IK_OK;
}

static sn_ik_code check_measure(sn_ik *ik, const sn_ik_options *options) {
  if ((int)options->measure < 0 || options->measure > SN_IK_LEAST_LARGEST) {
    return invalid(ik, (sn__ik_reason){.text = "{x} is not a measure of distance",
                                       .x = (double)options->measure});
  }
  if (options->weights == NULL) {
    return SN_IK_OK;
  }
  const sn_ik_code code =
      sn__ik_check_vector(ik, options->weights, options->weight_count,
                          "{n} weights, the group has {m} joints", "weight of joint '{s}' is {x}");
  for (size_t i = 0; code == SN_IK_OK && i < options->weight_count; i++) {
    if (options->weights[i] < 0.0) {
      return invalid(ik, of_joint(ik, i, "weight of joint '{s}' is {x}, must be >= 0",
                                  options->weights[i], 0, 0));
    }
  }
  return code;
}

static sn_ik_code check_options(sn_ik *ik, const sn_ik_options *options) {
  const unsigned all_axes =
      SN_IK_FREE_X | SN_IK_FREE_Y | SN_IK_FREE_Z | (unsigned)SN_IK_FREE_ROTATION;
  if ((options->free_axes & ~all_axes) != 0) {
    return invalid(
        ik, (sn__ik_reason){.text = "free_axes {n} has unknown bits", .n = options->free_axes});
  }
  if (options->free_axes == all_axes) {
    return invalid(ik, (sn__ik_reason){.text = "every axis is free: there is nothing to solve"});
  }
  if (options->nominal != NULL) {
    const sn_ik_code code =
        sn__ik_check_vector(ik, options->nominal, options->nominal_count,
                            "nominal pose has {n} entries, the group has {m} joints",
                            "nominal position of joint '{s}' is {x}");
    if (code != SN_IK_OK) {
      return code;
    }
  }
  sn_ik_code code = check_context(ik, options);
  code = code == SN_IK_OK ? check_measure(ik, options) : code;
  return code == SN_IK_OK ? check_discretization(ik, options) : code;
}

/* Joints that mimic one outside the group stay where it puts them. */
static void follow_outside(sn_ik *ik, const sn_ik_options *options) {
  for (size_t i = 0; i < ik->setup.joint_count; i++) {
    const sn__ik_joint *j = &ik->joints[i];
    if (j->master_outside < 0) {
      continue;
    }
    ik->locked[i] = true;
    if (options->context_state != NULL) {
      ik->seed[i] = j->multiplier * options->context_state[j->master_outside] + j->offset;
    }
  }
}

/* Joints that follow others are where those put them; their limits are part of those of joints in
   the group. */
static void clamp_seed(sn_ik *ik) {
  for (size_t i = 0; i < ik->setup.joint_count; i++) {
    if (ik->joints[i].master_outside < 0) {
      ik->seed[i] = sn__ik_clamp(ik->seed[i], ik->lower[i], ik->upper[i]);
    }
  }
  sn__ik_follow(ik, ik->seed);
}

static sn_ik_code take_seed(sn_ik *ik, const double *seed, size_t seed_count,
                            const sn_ik_options *options) {
  const sn_ik_code code =
      sn__ik_check_vector(ik, seed, seed_count, "seed has {n} entries, the group has {m} joints",
                          "seed of joint '{s}' is {x}");
  if (code != SN_IK_OK) {
    return code;
  }
  const size_t n = ik->setup.joint_count;
  memcpy(ik->seed, seed, n * sizeof *seed);
  memset(ik->locked, 0, n * sizeof *ik->locked);
  if (ik->has_followers) {
    follow_outside(ik, options);
    sn__ik_follow(ik, ik->seed);
  }
  if (options->clamp_seed) {
    clamp_seed(ik);
  }
  for (size_t i = 0; i < n; i++) {
    const double x = ik->seed[i];
    if (x < ik->lower[i] - LIMIT_SLACK || x > ik->upper[i] + LIMIT_SLACK) {
      return sn__ik_refuse(ik, SN_IK_SEED_OUTSIDE_LIMITS,
                           of_joint(ik, i, "seed of joint '{s}' is {x}, outside {y} .. {z}", x,
                                    ik->lower[i], ik->upper[i]));
    }
    ik->seed[i] = sn__ik_clamp(x, ik->lower[i], ik->upper[i]);
  }
  return SN_IK_OK;
}

static sn_ik_code narrow_limits(sn_ik *ik, const sn_ik_options *options) {
  const size_t n = ik->setup.joint_count;
  memcpy(ik->query_lower, ik->lower, n * sizeof *ik->lower);
  memcpy(ik->query_upper, ik->upper, n * sizeof *ik->upper);
  const double *reach = options->consistency_limits;
  if (reach == NULL) {
    return SN_IK_OK;
  }
  if (options->consistency_count != n) {
    return invalid(ik, (sn__ik_reason){.text = "{n} consistency limits, the group has {m} joints",
                                       .n = options->consistency_count,
                                       .m = n});
  }
  for (size_t i = 0; i < n; i++) {
    if (!(reach[i] >= 0.0)) {
      return invalid(ik, of_joint(ik, i, "consistency limit of joint '{s}' is {x}, must be >= 0",
                                  reach[i], 0, 0));
    }
    ik->query_lower[i] = fmax(ik->query_lower[i], ik->seed[i] - reach[i]);
    ik->query_upper[i] = fmin(ik->query_upper[i], ik->seed[i] + reach[i]);
  }
  return SN_IK_OK;
}

sn_ik_code sn__ik_prepare(sn_ik *ik, const sn_pose *poses, size_t pose_count, const double *seed,
                          size_t seed_count, const sn_ik_options *options) {
  ik->result = (sn_ik_result){.kinematic_error = SN_IK_OK};
  ik->reason.text = NULL;
  sn_ik_code code = take_poses(ik, poses, pose_count);
  if (code == SN_IK_OK) {
    code = check_options(ik, options);
  }
  if (code == SN_IK_OK) {
    code = take_seed(ik, seed, seed_count, options);
  }
  if (code == SN_IK_OK) {
    code = narrow_limits(ik, options);
  }
  return code;
}
