#include "sn_arms.h"

#include <string.h>

#include "math/rotation.h"

static sn_vec3 unit(sn_vec3 v) {
  return sn_vec3_scale(v, 1.0 / sn_vec3_norm(v));
}

void sn_test_arm_init(sn_test_arm *arm, size_t count, const sn_vec3 *h, const sn_vec3 *r,
                      sn_pose tip, double limit) {
  memset(arm, 0, sizeof *arm);
  arm->count = count;
  sn_pose before = sn_pose_identity();
  for (size_t i = 0; i < count; i++) {
    const sn_pose joint = {sn__mat3_with_z(unit(h[i])), r[i]};
    arm->step[i] = sn_pose_between(before, joint);
    arm->parent[i] = (int)i - 1;
    arm->coord[i] = arm->joints[i] = (int)i;
    arm->scale[i] = 1.0;
    arm->lower[i] = -limit;
    arm->upper[i] = limit;
    before = joint;
  }
  arm->chain = (sn_chain){
      .joint_count = count,
      .joints = arm->joints,
      .lower = arm->lower,
      .upper = arm->upper,
      .pose_body_tip = sn_pose_between(before, tip),
      .tree = {.body_count = count,
               .coord_count = count,
               .parent = arm->parent,
               .prismatic = arm->prismatic,
               .pose_parent_joint = arm->step,
               .inertia = arm->inertia,
               .coord = arm->coord,
               .q_scale = arm->scale,
               .q_offset = arm->offset,
               .is_serial = true},
  };
  arm->tip = (sn_ik_tip){.chain = &arm->chain, .joints = arm->joints};
  arm->setup = (sn_ik_setup){.joint_count = count,
                             .joints = arm->joints,
                             .lower = arm->lower,
                             .upper = arm->upper,
                             .tip_count = 1,
                             .tips = &arm->tip,
                             .search_discretization = 0.1};
}

static sn_vec3 random_vec3(sn_random *random, double size) {
  const double x = sn_random_between(random, -size, size);
  const double y = sn_random_between(random, -size, size);
  return sn_vec3_make(x, y, sn_random_between(random, -size, size));
}

static sn_vec3 random_unit(sn_random *random) {
  sn_vec3 v = random_vec3(random, 1.0);
  while (sn_vec3_norm(v) < 0.1) {
    v = random_vec3(random, 1.0);
  }
  return unit(v);
}

void sn_test_arm_bend(sn_test_arm *arm, sn_random *random, double length_m, double angle_rad) {
  for (size_t i = 0; i < arm->count; i++) {
    const double shift = sn_random_between(random, 0.0, length_m);
    const sn_vec3 direction = random_unit(random);
    const double angle = sn_random_between(random, 0.0, angle_rad);
    arm->step[i].pos = sn_vec3_add_scaled(arm->step[i].pos, shift, direction);
    arm->step[i].rot =
        sn_mat3_mul(arm->step[i].rot, sn_mat3_from_axis_angle(random_unit(random), angle));
  }
}

/* Lines i .. i+count-1 through one point; neighbours clearly not parallel. */
static void meet(sn_vec3 *h, sn_vec3 *r, size_t i, size_t count) {
  for (size_t j = i; j < i + count; j++) {
    r[j] = r[i];
    if (j > i && sn_vec3_norm(sn_vec3_cross(h[j], h[j - 1])) < 0.4) {
      h[j] = sn__mat3_with_z(h[j - 1]).x;
    }
  }
}

static void align(sn_vec3 *h, size_t i, size_t count) {
  for (size_t j = i + 1; j < i + count; j++) {
    h[j] = sn_vec3_scale(h[i], j % 2 == 0 ? 1.0 : -1.0); /* parallel either way round */
  }
}

static size_t joints_of(sn_test_arm_kind kind) {
  switch (kind) {
    case SN_ARM_LEG:
    case SN_ARM_LEG_GENERAL:
      return 3;
    case SN_ARM_SRS:
    case SN_ARM_SHOULDER_7:
      return 7;
    default:
      return 6;
  }
}

static void ur_lines(sn_vec3 *h, sn_vec3 *r) {
  const sn_vec3 y = {0, 1, 0}, z = {0, 0, 1};
  const sn_vec3 axes[6] = {z, y, y, y, sn_vec3_neg(z), y};
  const sn_vec3 points[6] = {{0, 0, 0.089},         {0, 0.136, 0.089}, {0.425, 0.016, 0.089},
                             {0.817, 0.016, 0.089}, {0.817, 0.109, 0}, {0.817, 0.109, -0.006}};
  memcpy(h, axes, sizeof axes);
  memcpy(r, points, sizeof points);
}

static void relate(sn_test_arm_kind kind, sn_vec3 *h, sn_vec3 *r) {
  switch (kind) {
    case SN_ARM_WRIST:
      align(h, 1, 2);
      meet(h, r, 3, 3);
      break;
    case SN_ARM_WRIST_MEETING:
      meet(h, r, 0, 2);
      meet(h, r, 3, 3);
      break;
    case SN_ARM_WRIST_GENERAL:
      meet(h, r, 3, 3);
      break;
    case SN_ARM_WRIST_RIGHT:
      h[0] = sn_vec3_make(0, 0, 1);
      h[1] = sn_vec3_make(0, 1, 0);
      align(h, 1, 2);
      h[3] = h[5] = sn_vec3_make(1, 0, 0);
      h[4] = sn_vec3_make(0, 1, 0);
      r[4] = r[5] = r[3];
      break;
    case SN_ARM_SHOULDER:
      meet(h, r, 0, 3);
      align(h, 3, 2);
      break;
    case SN_ARM_MIDDLE:
      meet(h, r, 2, 3);
      break;
    case SN_ARM_MIDDLE_REVERSE:
      meet(h, r, 1, 3);
      break;
    case SN_ARM_UR:
      ur_lines(h, r);
      break;
    case SN_ARM_PARALLEL_234:
      align(h, 1, 3);
      break;
    case SN_ARM_PARALLEL_345:
      align(h, 2, 3);
      meet(h, r, 0, 2);
      break;
    case SN_ARM_PARALLEL_123:
      align(h, 0, 3);
      meet(h, r, 4, 2);
      break;
    case SN_ARM_PARALLEL_123_B:
      align(h, 0, 3);
      meet(h, r, 3, 2);
      break;
    case SN_ARM_PARALLEL_456:
      align(h, 3, 3);
      meet(h, r, 0, 2);
      break;
    case SN_ARM_LEG:
      align(h, 1, 2);
      break;
    case SN_ARM_OFFSET_WRIST:
      align(h, 1, 2);
      meet(h, r, 3, 2);
      r[5] = sn_vec3_add_scaled(r[4], 0.15, h[4]);
      break;
    case SN_ARM_OFFSET_WRIST_REVERSE:
      align(h, 3, 2);
      meet(h, r, 1, 2);
      r[0] = sn_vec3_add_scaled(r[1], 0.15, h[1]);
      break;
    case SN_ARM_ONE_PAIR:
      meet(h, r, 4, 2);
      break;
    case SN_ARM_SRS:
      meet(h, r, 0, 3);
      meet(h, r, 4, 3);
      break;
    case SN_ARM_SHOULDER_7:
      meet(h, r, 0, 3);
      meet(h, r, 4, 2);
      break;
    default:
      break;
  }
}

void sn_test_arm_make(sn_test_arm *arm, sn_test_arm_kind kind, sn_random *random, double limit) {
  const size_t count = joints_of(kind);
  sn_vec3 h[SN_TEST_ARM_JOINTS_MAX], r[SN_TEST_ARM_JOINTS_MAX];
  sn_vec3 at = {0, 0, 0};
  for (size_t i = 0; i < count; i++) {
    h[i] = random_unit(random);
    while (i > 0 && sn_vec3_norm(sn_vec3_cross(h[i], h[i - 1])) < 0.3) {
      h[i] = random_unit(random);
    }
    at = sn_vec3_add(at, random_vec3(random, 0.3));
    r[i] = at;
  }
  relate(kind, h, r);
  const sn_pose tip = {sn__mat3_exp(random_vec3(random, 2.0)),
                       sn_vec3_add(at, random_vec3(random, 0.2))};
  sn_test_arm_init(arm, count, h, r, tip, limit);
}

void sn_test_arm_pose(const sn_test_arm *arm, sn_random *random, double *q) {
  const double half_turn = 3.14159265358979323846;
  for (size_t i = 0; i < arm->count; i++) {
    q[i] =
        sn_random_between(random, fmax(arm->lower[i], -half_turn), fmin(arm->upper[i], half_turn));
  }
}
