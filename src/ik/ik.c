#include "sinew/ik.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "ik/ik.h"
#include "sinew/fault.h"

const char *sn_ik_group_name(const sn_ik *ik) {
  return ik->group_name;
}

const char *sn_ik_base_frame(const sn_ik *ik) {
  return ik->base_frame;
}

size_t sn_ik_tip_count(const sn_ik *ik) {
  return ik->setup.tip_count;
}

const char *sn_ik_tip_frame(const sn_ik *ik, size_t index) {
  SN_ASSERT(index < ik->setup.tip_count);
  return ik->tip_frames[index];
}

const sn_names *sn_ik_joint_names(const sn_ik *ik) {
  return ik->joint_names;
}

size_t sn_ik_joint_count(const sn_ik *ik) {
  return ik->setup.joint_count;
}

const sn_names *sn_ik_link_names(const sn_ik *ik) {
  return ik->link_names;
}

const char *sn_ik_solver_name(const sn_ik *ik) {
  return ik->solver->name;
}

const char *sn_ik_solver_description(const sn_ik *ik) {
  const char *text = ik->solver->describe == NULL ? NULL : ik->solver->describe(ik->state);
  return text == NULL ? "" : text;
}

sn_status sn_ik_set_redundant_joints(sn_ik *ik, const int *joints, size_t joint_count,
                                     sn_error *err) {
  for (size_t i = 0; i < joint_count; i++) {
    if (joints[i] < 0 || (size_t)joints[i] >= ik->setup.joint_count) {
      return sn__fail(err, SN_EINVAL, "ik: no redundant joint %d, the group has %zu joints",
                      joints[i], ik->setup.joint_count);
    }
    const char *name = sn_names_at(ik->joint_names, (size_t)joints[i]);
    const sn__ik_joint *j = &ik->joints[joints[i]];
    if (j->master >= 0 || j->master_outside >= 0) {
      return sn__fail(err, SN_EINVAL, "ik: joint '%s' follows another, it cannot be redundant",
                      name);
    }
    for (size_t other = 0; other < i; other++) {
      if (joints[other] == joints[i]) {
        return sn__fail(err, SN_EINVAL, "ik: redundant joint '%s' appears twice", name);
      }
    }
  }
  if (joint_count > 0) {
    memcpy(ik->redundant, joints, joint_count * sizeof *joints);
  }
  ik->redundant_count = joint_count;
  return SN_OK;
}

sn_status sn_ik_set_redundant_joint_names(sn_ik *ik, const char *const *names, size_t joint_count,
                                          sn_error *err) {
  int *indices = ik->active; /* scratch between queries */
  if (joint_count > ik->setup.joint_count) {
    return sn__fail(err, SN_EINVAL, "ik: %zu redundant joints, the group has %zu joints",
                    joint_count, ik->setup.joint_count);
  }
  for (size_t i = 0; i < joint_count; i++) {
    indices[i] = sn_names_index(ik->joint_names, names[i]);
    if (indices[i] < 0) {
      return sn__fail(err, SN_ENOENT, "ik: no joint '%s' between '%s' and '%s'", names[i],
                      ik->base_frame, ik->tip_frames[0]);
    }
  }
  return sn_ik_set_redundant_joints(ik, indices, joint_count, err);
}

size_t sn_ik_redundant_joints(const sn_ik *ik, const int **joints) {
  *joints = ik->redundant;
  return ik->redundant_count;
}

sn_status sn_ik_set_search_discretization(sn_ik *ik, double step, sn_error *err) {
  if (!(step > 0.0) || !isfinite(step)) { /* the negated form also rejects NaN */
    return sn__fail(err, SN_EINVAL, "ik: search discretization is %g, must be finite and > 0",
                    step);
  }
  for (size_t i = 0; i < ik->setup.joint_count; i++) {
    ik->step[i] = step;
  }
  ik->setup.search_discretization = step;
  return SN_OK;
}

sn_status sn_ik_set_search_discretizations(sn_ik *ik, const double *steps, size_t count,
                                           sn_error *err) {
  if (count != ik->setup.joint_count) {
    return sn__fail(err, SN_EINVAL, "ik: %zu search discretizations, the group has %zu joints",
                    count, ik->setup.joint_count);
  }
  for (size_t i = 0; i < count; i++) {
    if (!(steps[i] >= 0.0) || !isfinite(steps[i])) {
      return sn__fail(err, SN_EINVAL,
                      "ik: search discretization of joint '%s' is %g, must be finite and >= 0",
                      sn_names_at(ik->joint_names, i), steps[i]);
    }
  }
  memcpy(ik->step, steps, count * sizeof *steps);
  return SN_OK;
}

double sn_ik_search_discretization(const sn_ik *ik, size_t joint) {
  SN_ASSERT(joint < ik->setup.joint_count);
  return ik->step[joint];
}

size_t sn_ik_discretization_methods(const sn_ik *ik, sn_ik_discretization *methods) {
  methods[0] = SN_IK_NO_DISCRETIZATION;
  for (size_t i = 0; i < ik->redundant_count; i++) {
    double lower;
    double upper;
    if (!sn__ik_range(ik, ik->redundant[i], ik->lower, ik->upper, 0.0, &lower, &upper)) {
      return 1;
    }
  }
  methods[1] = SN_IK_ALL_DISCRETIZED;
  methods[2] = SN_IK_SOME_DISCRETIZED;
  methods[3] = SN_IK_ALL_RANDOM_SAMPLED;
  methods[4] = SN_IK_SOME_RANDOM_SAMPLED;
  return 5;
}

sn_status sn_ik_set_default_timeout(sn_ik *ik, double timeout_s, sn_error *err) {
  if (!(timeout_s > 0.0) || !isfinite(timeout_s)) {
    return sn__fail(err, SN_EINVAL, "ik: default timeout is %g s, must be finite and > 0",
                    timeout_s);
  }
  ik->default_timeout_s = timeout_s;
  return SN_OK;
}

double sn_ik_default_timeout(const sn_ik *ik) {
  return ik->default_timeout_s;
}

int sn__ik_fold_limits(sn_ik *ik) {
  const size_t n = ik->setup.joint_count;
  for (size_t i = 0; i < n; i++) {
    ik->lower[i] = ik->joints[i].lower;
    ik->upper[i] = ik->joints[i].upper;
  }
  for (size_t i = 0; i < n; i++) {
    const sn__ik_joint *j = &ik->joints[i];
    if (j->master < 0 || j->multiplier == 0.0) {
      continue;
    }
    const double a = (j->lower - j->offset) / j->multiplier;
    const double b = (j->upper - j->offset) / j->multiplier;
    ik->lower[j->master] = fmax(ik->lower[j->master], fmin(a, b));
    ik->upper[j->master] = fmin(ik->upper[j->master], fmax(a, b));
  }
  for (size_t i = 0; i < n; i++) {
    if (ik->lower[i] > ik->upper[i]) {
      return (int)i;
    }
  }
  return -1;
}

static sn_status check_limits(const sn_ik *ik, const double *lower, const double *upper,
                              size_t count, sn_error *err) {
  if (count != ik->setup.joint_count || lower == NULL || upper == NULL) {
    return sn__fail(err, SN_EINVAL, "ik: limits for %zu joints, the group has %zu",
                    lower == NULL || upper == NULL ? 0 : count, ik->setup.joint_count);
  }
  for (size_t i = 0; i < count; i++) {
    if (!(lower[i] <= upper[i]) || lower[i] == INFINITY || upper[i] == -INFINITY) {
      return sn__fail(err, SN_EINVAL, "ik: limits of joint '%s' are %g .. %g",
                      sn_names_at(ik->joint_names, i), lower[i], upper[i]);
    }
  }
  return SN_OK;
}

/* NULL takes the limits of the model. @return as sn__ik_fold_limits() */
static int put_limits(sn_ik *ik, const double *lower, const double *upper) {
  for (size_t i = 0; i < ik->setup.joint_count; i++) {
    const sn_joint *joint = sn_model_joint(ik->model, (size_t)ik->setup.joints[i]);
    ik->joints[i].lower = lower == NULL ? joint->lower : lower[i];
    ik->joints[i].upper = upper == NULL ? joint->upper : upper[i];
  }
  return sn__ik_fold_limits(ik);
}

sn_status sn_ik_set_limits(sn_ik *ik, const double *lower, const double *upper, size_t count,
                           sn_error *err) {
  if (lower == NULL && upper == NULL) {
    put_limits(ik, NULL, NULL); /* were valid at creation */
    return SN_OK;
  }
  const sn_status status = check_limits(ik, lower, upper, count, err);
  if (status != SN_OK) {
    return status;
  }
  for (size_t i = 0; i < count; i++) { /* scratch between queries: what is in force now */
    ik->query_lower[i] = ik->joints[i].lower;
    ik->query_upper[i] = ik->joints[i].upper;
  }
  const int empty = put_limits(ik, lower, upper);
  if (empty >= 0) {
    put_limits(ik, ik->query_lower, ik->query_upper);
    return sn__fail(err, SN_EINVAL,
                    "ik: no position of joint '%s' keeps the joints that follow it inside limits",
                    sn_names_at(ik->joint_names, (size_t)empty));
  }
  return SN_OK;
}

void sn_ik_limits(const sn_ik *ik, size_t joint, double *lower, double *upper) {
  SN_ASSERT(joint < ik->setup.joint_count);
  *lower = ik->lower[joint];
  *upper = ik->upper[joint];
}

void sn_ik_set_random_seed(sn_ik *ik, uint64_t seed) {
  sn_random_init(&ik->random_start, seed);
}
