#include "random_tree.h"
#include "sinew/kin.h"
#include "sn_test.h"

#define JOINTS_MAX 20
#define STEP 1e-6

/* Chains of all sizes and kinds, one arena each round. */
static const sn_chain *any_chain(sn_arena *arena, sn_random *random, size_t round) {
  const sn_test_tree_config config = {
      .body_count = 1 + sn_random_below(random, JOINTS_MAX - 4),
      .prismatic_share = round % 2 == 0 ? 0.0 : 0.4,
      .mimic_share = round % 3 == 0 ? 0.3 : 0.0,
      .idle_count = round % 5 == 0 ? 2 : 0,
  };
  return sn_test_random_chain(arena, random, &config);
}

static sn_pose plain_fk(const sn_chain *chain, const double *q) {
  const int last = (int)chain->tree.body_count - 1;
  return sn_pose_mul(sn_test_body_pose(&chain->tree, last, q), chain->pose_body_tip);
}

SN_TEST(pose_is_the_product_of_the_joints) {
  sn_random random;
  sn_random_init(&random, 11);
  for (size_t round = 0; round < sn_test_cases(3000); round++) {
    sn_arena arena;
    sn_arena_init_growing(&arena, "chain", 0);
    const sn_chain *chain = any_chain(&arena, &random, round);
    double q[JOINTS_MAX];
    sn_test_random_vector(&random, chain->joint_count, 4.0, q);
    sn_assert_pose_near(sn_chain_fk(chain, q), plain_fk(chain, q), 1e-13);
    sn_arena_release(&arena);
  }
}

/* Column j against the difference quotient of the pose: the angular part by the rotation vector of
   R(q + h) R(q - h)^T. */
static void check_column(const sn_chain *chain, const double *q, const double *jac, size_t j) {
  const size_t n = chain->joint_count;
  double ahead[JOINTS_MAX], behind[JOINTS_MAX];
  memcpy(ahead, q, n * sizeof *q);
  memcpy(behind, q, n * sizeof *q);
  ahead[j] += STEP;
  behind[j] -= STEP;
  const sn_pose a = plain_fk(chain, ahead), b = plain_fk(chain, behind);
  const sn_vec3 turn = sn_mat3_log(sn_mat3_mul(a.rot, sn_mat3_transpose(b.rot)));
  const sn_vec3 ang = sn_vec3_scale(turn, 0.5 / STEP);
  const sn_vec3 lin = sn_vec3_scale(sn_vec3_sub(a.pos, b.pos), 0.5 / STEP);
  const double expected[6] = {ang.x, ang.y, ang.z, lin.x, lin.y, lin.z};
  for (size_t row = 0; row < 6; row++) {
    sn_assert_near(jac[row * n + j], expected[row], 1e-8);
  }
}

SN_TEST(jacobian_is_the_derivative_of_the_pose) {
  sn_random random;
  sn_random_init(&random, 12);
  for (size_t round = 0; round < sn_test_cases(1000); round++) {
    sn_arena arena;
    sn_arena_init_growing(&arena, "chain", 0);
    const sn_chain *chain = any_chain(&arena, &random, round);
    double q[JOINTS_MAX], jac[6 * JOINTS_MAX];
    sn_test_random_vector(&random, chain->joint_count, 4.0, q);
    sn_pose pose;
    sn_chain_fk_jacobian(chain, q, &pose, jac);
    const sn_pose alone = sn_chain_fk(chain, q);
    assert_memory_equal(&pose, &alone, sizeof pose);
    for (size_t j = 0; j < chain->joint_count; j++) {
      check_column(chain, q, jac, j);
    }
    sn_arena_release(&arena);
  }
}

SN_TEST(chain_without_joints_is_its_tip) {
  sn_chain chain = {.tree = {.is_serial = true}};
  sn_random random;
  sn_random_init(&random, 13);
  chain.pose_body_tip = sn_test_random_pose(&random, 1.0);
  const double q = 0.0;
  double jac = 42.0;
  sn_pose pose;
  sn_chain_fk_jacobian(&chain, &q, &pose, &jac);
  sn_assert_pose_near(pose, chain.pose_body_tip, 0.0);
  sn_assert_near(jac, 42.0, 0.0);
}

SN_TEST(position_that_is_not_finite_shows_in_the_pose) {
  sn_random random;
  sn_random_init(&random, 14);
  sn_arena arena;
  sn_arena_init_growing(&arena, "chain", 0);
  const sn_test_tree_config config = {.body_count = 6};
  const sn_chain *chain = sn_test_random_chain(&arena, &random, &config);
  double q[6] = {0, 0, 0, NAN, 0, 0};
  assert_true(isnan(sn_chain_fk(chain, q).pos.x));
  q[3] = INFINITY;
  assert_true(isnan(sn_chain_fk(chain, q).pos.x));
  sn_arena_release(&arena);
}
