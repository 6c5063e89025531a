/* Inverse kinematics of chains with up to 300 joints. The clock is frozen: only the solver's bound
 * on starts ends a search. */
#include <math.h>
#include <stdlib.h>

#include "big_robot.h"
#include "sinew/ik.h"
#include "sinew/model.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { JOINTS_MAX = 300 };

typedef struct chain {
  sn_arena arena;
  const sn_model *model;
  sn_clock clock;
  sn_ik *ik;
  size_t n;
  char tip[32];
} chain;

static void open_chain(chain *c, size_t n) {
  *c = (chain){.n = n};
  sn_arena_init_growing(&c->arena, "chain", 1u << 18);
  char *text = big_robot_text(1, n);
  sn_error err = {0};
  if (sn_model_parse(&c->arena, text, strlen(text), NULL, NULL, &c->model, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  free(text);
  snprintf(c->tip, sizeof c->tip, "c0_l%zu", n - 1);
  sn_clock_init_simulated(&c->clock, 0);
  const char *const tips[] = {c->tip};
  const sn_ik_config config = {.solver = "numeric",
                               .base_frame = "base",
                               .tip_frames = tips,
                               .tip_count = 1,
                               .clock = &c->clock};
  if (sn_ik_create(&c->arena, c->model, &config, &c->ik, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
}

/* Poses with joints up to @p amplitude: from a ball to a nearly straight chain. */
static void solve_all(chain *c, double lower, double amplitude, uint64_t seed) {
  double q[JOINTS_MAX], found[JOINTS_MAX], low[JOINTS_MAX], high[JOINTS_MAX];
  const double start[JOINTS_MAX] = {0};
  const char *const tips[] = {c->tip};
  sn_random random;
  sn_random_init(&random, seed);
  for (size_t i = 0; i < c->n; i++) {
    low[i] = lower;
    high[i] = 2.0;
  }
  sn_error err;
  assert_int_equal(sn_ik_set_limits(c->ik, low, high, c->n, &err), SN_OK);
  for (size_t k = 0; k < sn_test_cases(10); k++) {
    for (size_t i = 0; i < c->n; i++) {
      q[i] = sn_random_between(&random, fmax(lower, -amplitude), amplitude);
    }
    sn_pose target, reached;
    assert_int_equal(sn_ik_fk(c->ik, tips, 1, q, c->n, &target), SN_IK_OK);
    const sn_ik_code code = sn_ik_search(c->ik, &target, 1, start, c->n, 1.0, NULL, found, NULL);
    if (code != SN_IK_OK) {
      fail_msg("%zu joints, limit %g, amplitude %g, seed %llu, case %zu: %s", c->n, lower,
               amplitude, (unsigned long long)seed, k, sn_ik_code_name(code));
    }
    assert_int_equal(sn_ik_fk(c->ik, tips, 1, found, c->n, &reached), SN_IK_OK);
    sn_assert_pose_near(reached, target, 1.1e-5);
  }
}

static void solve_chain(size_t n) {
  static chain c;
  open_chain(&c, n);
  static const double amplitudes[] = {2.0, 0.3, 0.1, 0.03};
  for (size_t i = 0; i < 4; i++) {
    solve_all(&c, -2.0, amplitudes[i], n + i);
    solve_all(&c, -0.5, amplitudes[i], n + i); /* zero is not in the middle */
  }
  sn_arena_release(&c.arena);
}

SN_TEST(chain_of_20_joints_reaches_all_poses) {
  solve_chain(20);
}

SN_TEST(chain_of_50_joints_reaches_all_poses) {
  solve_chain(50);
}

SN_TEST(chain_of_150_joints_reaches_all_poses) {
  solve_chain(150);
}

SN_TEST(chain_of_300_joints_reaches_all_poses) {
  solve_chain(300);
}
