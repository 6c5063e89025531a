/* Kernels of kinematics and dynamics: bench_kernels FILE.urdf [BASE TIP]
   With a chain: its FK, Jacobian and dynamics. Always: the whole robot, fixed and floating. Then
   the peers do the same. That for some rounds, and a summary: how many times as long they take. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "dyn/mass_factor.h"
#include "sinew/dyn.h"
#include "sinew/dyn_derivatives.h"
#include "sinew/kin.h"
#include "sinew/model.h"

typedef struct bench_context {
  const sn_chain *chain;
  const sn_tree *tree;
  sn_kin_data *kin;
  sn_dyn_data *dyn;
  sn_dyn_derivatives *derivatives;
  const double *inputs;
  double *out; /* three matrices */
  double *second, *third;
  sn_base_state base;
  sn_dyn_world world;
  double sink; /* what keeps a result from being dropped */
} bench_context;

static const double *input(const bench_context *c, size_t index, size_t which) {
  const size_t n = c->tree->coord_count;
  return c->inputs + ((index * 3 + which) % (3 * BENCH_INPUTS)) * n;
}

static void chain_fk(void *context, size_t k) {
  bench_context *c = context;
  c->sink += sn_chain_fk(c->chain, input(c, k, 0)).pos.x;
}

static void chain_jacobian(void *context, size_t k) {
  bench_context *c = context;
  sn_pose pose;
  sn_chain_fk_jacobian(c->chain, input(c, k, 0), &pose, c->out);
  c->sink += pose.pos.x;
}

static void fk_all(void *context, size_t k) {
  bench_context *c = context;
  sn_kin_update(c->kin, input(c, k, 0));
}

static void jacobian(void *context, size_t k) {
  bench_context *c = context;
  sn_kin_update(c->kin, input(c, k, 0));
  sn_kin_jacobian(c->kin, (int)c->tree->body_count - 1, sn_pose_identity(), SN_JAC_ALIGNED, c->out);
}

static void inverse(void *context, size_t k) {
  bench_context *c = context;
  sn_dyn_inverse(c->dyn, NULL, input(c, k, 0), input(c, k, 1), input(c, k, 2), c->out, NULL);
}

static void mass_matrix(void *context, size_t k) {
  bench_context *c = context;
  sn_dyn_mass_matrix(c->dyn, input(c, k, 0), c->out);
}

static void mass_factor(void *context, size_t k) {
  bench_context *c = context;
  c->sink += (double)sn__dyn_mass_factor(c->dyn, input(c, k, 0));
}

static void forward(void *context, size_t k) {
  bench_context *c = context;
  const sn_status status =
      sn_dyn_forward(c->dyn, NULL, input(c, k, 0), input(c, k, 1), input(c, k, 2), c->out);
  c->sink += (double)status;
}

static void inverse_floating(void *context, size_t k) {
  bench_context *c = context;
  sn_spatial wrench;
  sn_dyn_inverse(c->dyn, &c->world, input(c, k, 0), input(c, k, 1), input(c, k, 2), c->out,
                 &wrench);
  c->sink += wrench.lin.x;
}

static void mass_matrix_floating(void *context, size_t k) {
  bench_context *c = context;
  sn_dyn_mass_matrix_floating(c->dyn, input(c, k, 0), c->out);
}

static void forward_floating(void *context, size_t k) {
  bench_context *c = context;
  sn_spatial acceleration;
  const sn_status status = sn_dyn_forward_floating(
      c->dyn, &c->world, input(c, k, 0), input(c, k, 1), input(c, k, 2), c->out, &acceleration);
  c->sink += (double)status;
}

static void inverse_derivatives(void *context, size_t k) {
  bench_context *c = context;
  const sn_inverse_derivatives out = {.by_q = c->out, .by_qd = c->second, .by_qdd = c->third};
  sn_dyn_inverse_derivatives(c->derivatives, NULL, input(c, k, 0), input(c, k, 1), input(c, k, 2),
                             &out);
}

static void forward_derivatives(void *context, size_t k) {
  bench_context *c = context;
  const sn_forward_derivatives out = {.by_q = c->out, .by_qd = c->second, .by_tau = c->third};
  c->sink += (double)sn_dyn_forward_derivatives(c->derivatives, NULL, input(c, k, 0),
                                                input(c, k, 1), input(c, k, 2), &out);
}

static void inverse_derivatives_floating(void *context, size_t k) {
  bench_context *c = context;
  const sn_inverse_derivatives out = {.by_q = c->out, .by_qd = c->second, .by_qdd = c->third};
  sn_dyn_inverse_derivatives_floating(c->derivatives, &c->world, input(c, k, 0), input(c, k, 1),
                                      input(c, k, 2), &out);
}

static void forward_derivatives_floating(void *context, size_t k) {
  bench_context *c = context;
  const sn_forward_derivatives out = {.by_q = c->out, .by_qd = c->second, .by_tau = c->third};
  c->sink += (double)sn_dyn_forward_derivatives_floating(c->derivatives, &c->world, input(c, k, 0),
                                                         input(c, k, 1), input(c, k, 2), &out);
}

typedef struct case_row {
  const char *name;
  bench_function *function;
  bool needs_dynamics;
} case_row;

static const case_row chain_cases[] = {
    {"fk", chain_fk, false},
    {"jacobian", chain_jacobian, false},
    {"rnea", inverse, true},
    {"crba", mass_matrix, true},
    {"fd", forward, true},
    {"drnea", inverse_derivatives, true},
    {"dfd", forward_derivatives, true},
    {NULL, NULL, false},
};

static const case_row tree_cases[] = {
    {"tree_fk", fk_all, false},
    {"tree_jacobian", jacobian, false},
    {"tree_rnea", inverse, true},
    {"tree_crba", mass_matrix, true},
    {"tree_factor", mass_factor, true},
    {"tree_fd", forward, true},
    {"tree_drnea", inverse_derivatives, true},
    {"tree_dfd", forward_derivatives, true},
    {"floating_rnea", inverse_floating, true},
    {"floating_crba", mass_matrix_floating, true},
    {"floating_fd", forward_floating, true},
    {"floating_drnea", inverse_derivatives_floating, true},
    {"floating_dfd", forward_derivatives_floating, true},
    {NULL, NULL, false},
};

static int run_cases(sn_arena *arena, const char *robot, const sn_chain *chain, const sn_tree *tree,
                     const case_row *cases) {
  const size_t size = tree->coord_count + 6;
  bench_context c = {
      .chain = chain,
      .tree = tree,
      .inputs = bench_inputs(tree->coord_count),
      .out = SN_NEW(arena, double, 3 * size * size),
      .base = {.pose_world_base = sn_pose_identity(), .twist = {{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}}}};
  c.world = (sn_dyn_world){.gravity = {0, 0, -9.81}, .base = &c.base};
  sn_error err;
  if (c.out == NULL || sn_kin_create(arena, tree, &c.kin, &err) != SN_OK) {
    fprintf(stderr, "out of memory\n");
    return 1;
  }
  c.second = c.out + size * size;
  c.third = c.second + size * size;
  if (sn_dyn_create(arena, tree, &c.dyn, &err) != SN_OK ||
      sn_dyn_derivatives_create(arena, tree, &c.derivatives, &err) != SN_OK) {
    fprintf(stderr, "%s: %s\n", robot, err.message);
    c.dyn = NULL;
  }
  for (const case_row *row = cases; row->name != NULL; row++) {
    if (c.dyn != NULL || !row->needs_dynamics) {
      const bench_case what = {.library = "sinew",
                               .name = row->name,
                               .robot = robot,
                               .joint_count = tree->coord_count,
                               .batch_count = BENCH_ROUND_BATCHES};
      bench_run(&what, row->function, &c);
    }
  }
  if (c.sink == 0.12345) { /* never; but the compiler does not know */
    printf("\n");
  }
  free((void *)c.inputs);
  return 0;
}

static int run_sinew(const char *path, const char *base, const char *tip, const char *robot) {
  sn_arena arena, notes;
  sn_arena_init_growing(&arena, "robot", 1 << 20);
  sn_arena_init_growing(&notes, "report", 1 << 12);
  sn_report *report = NULL;
  sn_report_create(&notes, &report, NULL);
  sn_error err = {.message = "out of memory"};
  const sn_model *model = NULL;
  const sn_chain *chain = NULL;
  int status = 1;
  if (report == NULL || sn_model_load(&arena, path, NULL, report, &model, &err) != SN_OK ||
      (base != NULL && sn_chain_create(&arena, model, base, tip, &chain, &err) != SN_OK)) {
    fprintf(stderr, "%s\n", err.message);
  } else {
    status = chain == NULL ? 0 : run_cases(&arena, robot, chain, &chain->tree, chain_cases);
    if (status == 0) {
      status = run_cases(&arena, robot, NULL, sn_model_tree(model), tree_cases);
    }
  }
  sn_arena_release(&notes);
  sn_arena_release(&arena);
  return status;
}

int main(int argc, char **argv) {
  static const bench_library peers[] = {
      {"peer_kdl", "liborocos-kdl-dev libkdl-parser-dev liburdfdom-dev"},
      {"peer_mujoco", "libmujoco-dev"}};
  if (argc != 2 && argc != 4) {
    fprintf(stderr, "usage: bench_kernels FILE.urdf [BASE TIP]\n");
    return 2;
  }
  char robot[64];
  bench_robot_name(argv[1], robot, sizeof robot);
  const char *base = argc == 4 ? argv[2] : NULL;
  const char *tip = argc == 4 ? argv[3] : NULL;
  int status = 0;
  bool is_out[sizeof peers / sizeof *peers] = {false}; /* missing, or the robot is none for it */
  for (size_t round = 0; status == 0 && round < BENCH_ROUNDS; round++) {
    status = run_sinew(argv[1], base, tip, robot);
    for (size_t i = 0; status == 0 && i < sizeof peers / sizeof *peers; i++) {
      is_out[i] = is_out[i] || !bench_peer_beside(&peers[i], argv + 1);
    }
  }
  bench_summary();
  return status;
}
