/* Poses, velocities and Jacobians of the links of a robot, checked by finite differences.
   usage: kinematics FOLDER     of the installed robots */
#include <stdlib.h>

#include "check.h"

enum { SIZE_MAX_Q = 64 };

static const double step_s = 1e-6;
static const double tolerance = 1e-5; /* of a central difference with that step */

typedef struct robot {
  const sn_model *model;
  const sn_link *tip;
  size_t n;
  sn_kin_data *kin;
  double q[SIZE_MAX_Q], qd[SIZE_MAX_Q];
} robot;

/* The positions a time t after the robot's, at its velocity. */
static void positions_at(const robot *r, double t, double *q) {
  for (size_t i = 0; i < r->n; i++) {
    q[i] = r->q[i] + t * r->qd[i];
  }
}

/* Twist of a frame from two of its poses, in the axes of the base. */
static sn_spatial difference(sn_pose before, sn_pose after, double dt) {
  const sn_vec3 turn = sn_mat3_log(sn_mat3_mul(after.rot, sn_mat3_transpose(before.rot)));
  const sn_spatial twist = {sn_vec3_scale(turn, 1 / dt),
                            sn_vec3_scale(sn_vec3_sub(after.pos, before.pos), 1 / dt)};
  return twist;
}

/* jac times qd */
static sn_spatial times(const double *jac, const double *qd, size_t n) {
  double v[6] = {0};
  for (size_t row = 0; row < 6; row++) {
    for (size_t i = 0; i < n; i++) {
      v[row] += jac[row * n + i] * qd[i];
    }
  }
  const sn_spatial twist = {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
  return twist;
}

static double distance(sn_spatial a, sn_spatial b) {
  const sn_spatial d = sn_spatial_sub(a, b);
  return sqrt(sn_spatial_dot(d, d));
}

/* The twist of the tip is the difference quotient of its pose, and the same for its body. */
static void check_twists(robot *r) {
  double q[SIZE_MAX_Q];
  sn_pose link[2];
  sn_pose body[2];
  for (int i = 0; i < 2; i++) {
    positions_at(r, i == 0 ? -step_s : step_s, q);
    sn_kin_update(r->kin, q);
    link[i] = sn_kin_link_pose(r->kin, r->tip);
    body[i] = sn_kin_body_pose(r->kin, r->tip->body);
    const sn_pose product = sn_pose_mul(body[i], r->tip->pose_body_link);
    CHECK_NEAR(sn_vec3_norm(sn_vec3_sub(product.pos, link[i].pos)), 0, 1e-12);
  }
  sn_kin_update_velocity(r->kin, r->q, r->qd);
  const sn_spatial link_twist = sn_kin_link_twist(r->kin, r->tip);
  CHECK(sn_vec3_norm(link_twist.lin) > 0.01);
  CHECK_NEAR(distance(link_twist, difference(link[0], link[1], 2 * step_s)), 0, tolerance);
  CHECK_NEAR(
      distance(sn_kin_body_twist(r->kin, r->tip->body), difference(body[0], body[1], 2 * step_s)),
      0, tolerance);
}

/* Jacobian times velocity is the twist, in each of the three frames. */
static void check_jacobians(robot *r) {
  double jac[6 * SIZE_MAX_Q];
  sn_kin_update_velocity(r->kin, r->q, r->qd);
  const sn_spatial twist = sn_kin_link_twist(r->kin, r->tip);
  const sn_pose pose = sn_kin_link_pose(r->kin, r->tip);
  sn_kin_jacobian(r->kin, r->tip->body, r->tip->pose_body_link, SN_JAC_ALIGNED, jac);
  CHECK_NEAR(distance(times(jac, r->qd, r->n), twist), 0, 1e-12);
  sn_kin_jacobian(r->kin, r->tip->body, r->tip->pose_body_link, SN_JAC_TIP, jac);
  const sn_spatial in_tip = times(jac, r->qd, r->n);
  const sn_spatial rotated = {sn_mat3_apply(pose.rot, in_tip.ang),
                              sn_mat3_apply(pose.rot, in_tip.lin)};
  CHECK_NEAR(distance(rotated, twist), 0, 1e-12);
  sn_kin_jacobian(r->kin, r->tip->body, r->tip->pose_body_link, SN_JAC_BASE, jac);
  CHECK_NEAR(distance(times(jac, r->qd, r->n), sn_spatial_motion_out(pose, in_tip)), 0, 1e-12);
}

/* The rate of the Jacobian is its difference quotient. */
static void check_rate(robot *r, sn_jac_frame frame) {
  double q[SIZE_MAX_Q];
  double jac[2][6 * SIZE_MAX_Q];
  double rate[6 * SIZE_MAX_Q];
  for (int i = 0; i < 2; i++) {
    positions_at(r, i == 0 ? -step_s : step_s, q);
    sn_kin_update(r->kin, q);
    sn_kin_jacobian(r->kin, r->tip->body, r->tip->pose_body_link, frame, jac[i]);
  }
  sn_kin_update_velocity(r->kin, r->q, r->qd);
  sn_kin_jacobian_dot(r->kin, r->tip->body, r->tip->pose_body_link, frame, rate);
  for (size_t i = 0; i < 6 * r->n; i++) {
    CHECK_NEAR(rate[i], (jac[1][i] - jac[0][i]) / (2 * step_s), tolerance);
  }
}

int main(int argc, char **argv) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "kinematics", 0);
  robot r = {.model = argc == 2 ? check_load(&arena, argv[1]) : NULL};
  sn_random random;
  sn_random_init(&random, 1);
  r.n = r.model == NULL ? 0 : sn_model_pose_size(r.model);
  if (CHECK(r.n > 0 && r.n <= SIZE_MAX_Q) &&
      CHECK(sn_kin_create(&arena, sn_model_tree(r.model), &r.kin, NULL) == SN_OK)) {
    for (size_t i = 0; i < r.n; i++) {
      r.q[i] = sn_random_between(&random, -0.8, 0.8);
      r.qd[i] = sn_random_between(&random, -1, 1);
    }
    r.tip = sn_model_link(r.model, (size_t)sn_model_link_index(r.model, "leg3_link5"));
    check_twists(&r);
    check_jacobians(&r);
    check_rate(&r, SN_JAC_ALIGNED);
    check_rate(&r, SN_JAC_BASE);
    check_rate(&r, SN_JAC_TIP);
  }
  sn_arena_release(&arena);
  return check_result();
}
