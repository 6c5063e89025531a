#include "jog_rig.h"

#include <stdio.h>

#include "robot.h"
#include "sn_test.h"
#include "traj/otg_limits.h"

static const double DT = 1e-3;

void jog_begin(jog_arm *a, const double *q) {
  for (size_t j = 0; j < a->chain->joint_count; j++) {
    a->q[j] = q == NULL ? 0.0 : q[j];
    a->qd[j] = a->qdd[j] = 0.0;
  }
  sn__tool_servo_begin(a->servo, a->q);
}

void jog_open(jog_arm *a, const char *name, const double *q) {
  static const sn__otg_defaults defaults = {1.0, 0.25, 0.1};
  char path[512];
  *a = (jog_arm){.model = NULL};
  sn_test_robot_path(name, "urdf", path, sizeof path);
  sn_arena_init_growing(&a->arena, "arm", 0);
  assert_int_equal(sn_model_load(&a->arena, path, &(sn_model_config){0}, NULL, &a->model, NULL),
                   SN_OK);
  assert_int_equal(sn_chain_create(&a->arena, a->model, "base_link", "tool0", &a->chain, NULL),
                   SN_OK);
  for (size_t j = 0; j < a->chain->joint_count; j++) {
    a->limits[j] =
        sn__otg_limits_of(sn_model_joint(a->model, (size_t)a->chain->joints[j]), &defaults);
  }
  const sn__tool_servo_config config = {.chain = a->chain,
                                        .joints = a->limits,
                                        .linear = {0.25, 1.0, 10.0},
                                        .angular = {1.0, 4.0, 40.0}};
  assert_int_equal(sn__tool_servo_create(&a->arena, &config, &a->servo, NULL), SN_OK);
  jog_begin(a, q);
}

void jog_close(jog_arm *a) {
  sn_arena_release(&a->arena);
}

void jog_step(jog_arm *a, const sn__servo_command *command) {
  double q[JOG_JOINTS];
  double qd[JOG_JOINTS];
  a->outcome = *sn__tool_servo_step(a->servo, DT, command, q, qd);
  for (size_t j = 0; j < a->chain->joint_count; j++) {
    const sn_otg_limits *limits = &a->limits[j];
    const double v = (q[j] - a->q[j]) / DT;
    const double acc = (v - a->qd[j]) / DT;
    const double jerk = (acc - a->qdd[j]) / DT;
    if (!(q[j] >= a->chain->lower[j] && q[j] <= a->chain->upper[j]) ||
        !(fabs(v) <= limits->velocity * (1.0 + 1e-9)) ||
        !(fabs(acc) <= limits->acceleration * (1.0 + 1e-6) + 1e-6) ||
        !(fabs(jerk) <= limits->jerk * (1.0 + 1e-6) + 1e-2)) {
      fail_msg(
          "joint %zu at %.9g of %g .. %g, velocity %.9g of %g, acceleration %.9g of %g, jerk "
          "%.9g of %g",
          j, q[j], a->chain->lower[j], a->chain->upper[j], v, limits->velocity, acc,
          limits->acceleration, jerk, limits->jerk);
    }
    a->q[j] = q[j];
    a->qd[j] = v;
    a->qdd[j] = acc;
  }
}

void jog_steps(jog_arm *a, const sn__servo_command *command, int count) {
  for (int k = 0; k < count; k++) {
    jog_step(a, command);
  }
}

sn__servo_command jog_twist(sn__servo_kind kind, const double v[6]) {
  return (sn__servo_command){
      .kind = kind, .twist = {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}}, .speed = 1.0};
}

double jog_angle(sn_mat3 a, sn_mat3 b) {
  return sn_vec3_norm(sn_mat3_log(sn_mat3_mul(a, sn_mat3_transpose(b))));
}
