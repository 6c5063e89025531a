/* Inverse kinematics of an arm with seven joints: every solution is checked by forward kinematics.
   usage: inverse FOLDER     of the installed robots */
#include <string.h>

#include "check.h"

enum { N = 7, ELBOW = 2 };

static const char tip[] = "tool0";
static const double seed[N] = {0.1, 0.2, -0.1, 1.2, 0.1, 1.0, 0.2};
static const double goal[N] = {0.4, 0.5, -0.3, 1.5, 0.3, 1.2, -0.2};

static double pose_distance(sn_pose a, sn_pose b) {
  const sn_mat3 turn = sn_mat3_mul(sn_mat3_transpose(a.rot), b.rot);
  return sn_vec3_norm(sn_mat3_log(turn)) + sn_vec3_norm(sn_vec3_sub(a.pos, b.pos));
}

static sn_pose pose_of(sn_ik *ik, const double *q) {
  const char *const names[] = {tip};
  sn_pose pose = sn_pose_identity();
  CHECK(sn_ik_fk(ik, names, 1, q, N, &pose) == SN_IK_OK);
  return pose;
}

/* The instance describes the group that it was created for. */
static void check_names(sn_ik *ik, const char *group) {
  const sn_names *joints = sn_ik_joint_names(ik);
  const sn_names *links = sn_ik_link_names(ik);
  CHECK(strcmp(sn_ik_group_name(ik), group) == 0);
  CHECK(strcmp(sn_ik_base_frame(ik), "base_link") == 0);
  CHECK(sn_ik_tip_count(ik) == 1);
  CHECK(sn_names_count(joints) == N && sn_names_index(joints, "joint3") == ELBOW);
  CHECK(sn_names_index(links, tip) == (int)sn_names_count(links) - 1);
  CHECK(sn_names_index(links, "base_link") == -1);
  sn_ik_registry registry;
  sn_ik_registry_init(&registry);
  CHECK(sn_ik_registry_find(&registry, sn_ik_solver_name(ik)) != NULL);
}

/* Settings read back as they were set, and a wrong one changes nothing. */
static void check_settings(sn_ik *ik) {
  const int twice[] = {ELBOW, ELBOW};
  const char *const elbow[] = {"joint3"};
  const int *joints = NULL;
  CHECK(sn_ik_set_redundant_joints(ik, twice, 1, NULL) == SN_OK);
  CHECK(sn_ik_redundant_joints(ik, &joints) == 1 && joints[0] == ELBOW);
  CHECK(sn_ik_set_redundant_joints(ik, NULL, 0, NULL) == SN_OK);
  CHECK(sn_ik_redundant_joints(ik, &joints) == 0);
  CHECK(sn_ik_set_redundant_joint_names(ik, elbow, 1, NULL) == SN_OK);
  CHECK(sn_ik_set_redundant_joints(ik, twice, 2, NULL) == SN_EINVAL);
  CHECK(sn_ik_redundant_joints(ik, &joints) == 1 && joints[0] == ELBOW);

  const double steps[N] = {0, 0, 0.25, 0, 0, 0, 0};
  CHECK(sn_ik_set_search_discretization(ik, 0.5, NULL) == SN_OK);
  CHECK_NEAR(sn_ik_search_discretization(ik, 0), 0.5, 0);
  CHECK(sn_ik_set_search_discretizations(ik, steps, N, NULL) == SN_OK);
  CHECK_NEAR(sn_ik_search_discretization(ik, 0), 0, 0);
  CHECK_NEAR(sn_ik_search_discretization(ik, ELBOW), 0.25, 0);
  CHECK(sn_ik_set_search_discretizations(ik, steps, N - 1, NULL) == SN_EINVAL);

  sn_ik_discretization methods[5];
  CHECK(sn_ik_discretization_methods(ik, methods) == 5);
  CHECK(sn_ik_set_default_timeout(ik, 2.5, NULL) == SN_OK);
  CHECK(sn_ik_set_default_timeout(ik, -1, NULL) == SN_EINVAL);
  CHECK_NEAR(sn_ik_default_timeout(ik), 2.5, 0);
}

/* A search reaches the pose with the redundant joint kept, or moved in steps of 0.25 rad. */
static void check_redundancy(sn_ik *ik) {
  const sn_pose target = pose_of(ik, goal);
  double start[N];
  double q[N];
  memcpy(start, goal, sizeof start);
  start[0] += 0.05;
  const sn_ik_options keep = {.lock_redundant_joints = true};
  CHECK(sn_ik_search(ik, &target, 1, start, N, 1, &keep, q, NULL) == SN_IK_OK);
  CHECK_NEAR(q[ELBOW], start[ELBOW], 0);
  CHECK_NEAR(pose_distance(pose_of(ik, q), target), 0, 2e-6);

  start[ELBOW] += 0.3;
  const sn_ik_options sample = {.discretization_method = SN_IK_ALL_DISCRETIZED};
  CHECK(sn_ik_search(ik, &target, 1, start, N, 1, &sample, q, NULL) == SN_IK_OK);
  const double steps = (q[ELBOW] - start[ELBOW]) / 0.25;
  CHECK_NEAR(steps, round(steps), 1e-9);
  CHECK_NEAR(pose_distance(pose_of(ik, q), target), 0, 2e-6);
}

/* Other limits hold from the next query on; the same random seed gives the same solution. */
static void check_limits(sn_ik *ik) {
  const sn_pose target = pose_of(ik, goal);
  double lower[N];
  double upper[N];
  double q[2][N];
  for (size_t i = 0; i < N; i++) {
    sn_ik_limits(ik, i, &lower[i], &upper[i]);
  }
  lower[ELBOW] = goal[ELBOW] - 0.1;
  upper[ELBOW] = goal[ELBOW] + 0.4;
  const double model_upper = sn_ik_joint_count(ik) == N ? upper[0] : 0;
  CHECK(sn_ik_set_limits(ik, upper, lower, N, NULL) == SN_EINVAL);
  CHECK(sn_ik_set_limits(ik, lower, upper, N, NULL) == SN_OK);
  CHECK(sn_ik_set_redundant_joints(ik, NULL, 0, NULL) == SN_OK);
  for (int i = 0; i < 2; i++) {
    sn_ik_set_random_seed(ik, 42);
    CHECK(sn_ik_search(ik, &target, 1, seed, N, 1, NULL, q[i], NULL) == SN_IK_OK);
  }
  CHECK(memcmp(q[0], q[1], sizeof q[0]) == 0);
  CHECK(q[0][ELBOW] >= lower[ELBOW] && q[0][ELBOW] <= upper[ELBOW]);
  CHECK_NEAR(pose_distance(pose_of(ik, q[0]), target), 0, 2e-6);
  CHECK(sn_ik_set_limits(ik, NULL, NULL, N, NULL) == SN_OK);
  sn_ik_limits(ik, ELBOW, &lower[ELBOW], &upper[ELBOW]);
  sn_ik_limits(ik, 0, &lower[0], &upper[0]);
  CHECK(upper[0] == model_upper && upper[ELBOW] > goal[ELBOW] + 0.4);
}

/* The joint velocities move the tip as wanted: Jacobian times velocities is the twist. */
static void check_velocity(sn_arena *arena, const sn_model *model) {
  const sn_chain *chain = NULL;
  sn_ik_velocity *velocity = NULL;
  sn_ik_velocity_config config = {0};
  CHECK(sn_ik_velocity_create(arena, &config, &velocity, NULL) == SN_EINVAL);
  CHECK(sn_chain_create(arena, model, "base_link", tip, &chain, NULL) == SN_OK);
  config.chain = chain;
  if (!CHECK(sn_ik_velocity_create(arena, &config, &velocity, NULL) == SN_OK)) {
    return;
  }
  const sn_ik_velocity_query query = {.q = seed, .twist = {{0.1, -0.2, 0.3}, {0.05, 0.1, -0.05}}};
  const double wanted[6] = {0.1, -0.2, 0.3, 0.05, 0.1, -0.05};
  sn_ik_velocity_result result;
  double qd[N];
  double jac[6 * N];
  sn_pose pose;
  CHECK(sn_ik_velocity_solve(velocity, &query, qd, &result) == SN_OK);
  CHECK_NEAR(result.scale, 1, 0);
  sn_chain_fk_jacobian(chain, seed, &pose, jac);
  for (size_t row = 0; row < 6; row++) {
    double sum = 0;
    for (size_t i = 0; i < N; i++) {
      sum += jac[row * N + i] * qd[i];
    }
    CHECK_NEAR(sum, wanted[row], result.missing + 1e-12);
  }
  CHECK_NEAR(result.missing, 0, 1e-9);
}

int main(int argc, char **argv) {
  char path[1024];
  sn_arena arena;
  sn_arena_init_growing(&arena, "inverse", 0);
  sn_clock clock; /* does not move: no query runs out of time */
  sn_clock_init_simulated(&clock, 0);
  const sn_model_config model_config = {0};
  const sn_model *model = NULL;
  check_path(path, sizeof path, argc == 2 ? argv[1] : ".", "arm7.urdf");
  if (CHECK(sn_model_load(&arena, path, &model_config, NULL, &model, NULL) == SN_OK)) {
    const char *group = sn_names_at(sn_model_chain_names(model), 0);
    const char *const tips[] = {tip};
    sn_ik_config config = {.group = "wing", .clock = &clock};
    char reason[128];
    CHECK(!sn_ik_supports_group(model, &config, reason, sizeof reason));
    CHECK(strstr(reason, "wing") != NULL);
    config = (sn_ik_config){.group = group, .tip_frames = tips, .tip_count = 1, .clock = &clock};
    sn_ik *ik = NULL;
    if (CHECK(sn_ik_supports_group(model, &config, reason, sizeof reason)) &&
        CHECK(sn_ik_create(&arena, model, &config, &ik, NULL) == SN_OK)) {
      check_names(ik, group);
      check_settings(ik);
      check_redundancy(ik);
      check_limits(ik);
    }
    check_velocity(&arena, model);
  }
  sn_arena_release(&arena);
  return check_result();
}
