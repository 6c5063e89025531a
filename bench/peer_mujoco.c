/* MuJoCo's side of the kernel benchmark: peer_mujoco FILE.urdf. It computes on the whole robot.
   Each case includes the passes that it needs before. */
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "mujoco_load.h"

typedef struct bench_context {
  mjModel *model;
  mjData *data;
  double *inputs;
  double *out;
} bench_context;

/* Position, velocity and acceleration or force number k. */
static void set(bench_context *c, size_t k) {
  const size_t n = (size_t)c->model->nv;
  const double *x = c->inputs + 3 * k * n;
  memcpy(c->data->qpos, x, n * sizeof *x);
  memcpy(c->data->qvel, x + n, n * sizeof *x);
  memcpy(c->data->qacc, x + 2 * n, n * sizeof *x);
}

static void fk(void *context, size_t k) {
  bench_context *c = context;
  set(c, k);
  mj_kinematics(c->model, c->data);
}

static void jacobian(void *context, size_t k) {
  bench_context *c = context;
  fk(c, k);
  mj_comPos(c->model, c->data);
  const int body = c->model->nbody - 1;
  mj_jac(c->model, c->data, c->out, c->out + 3 * c->model->nv, c->data->xpos + 3 * body, body);
}

static void inverse(void *context, size_t k) {
  bench_context *c = context;
  fk(c, k);
  mj_comPos(c->model, c->data);
  mj_comVel(c->model, c->data);
  mj_rne(c->model, c->data, 1, c->out);
}

static void mass(void *context, size_t k) {
  bench_context *c = context;
  fk(c, k);
  mj_comPos(c->model, c->data);
  mj_crb(c->model, c->data);
  mj_fullM(c->model, c->out, c->data->qM);
}

static void factor(void *context, size_t k) {
  bench_context *c = context;
  fk(c, k);
  mj_comPos(c->model, c->data);
  mj_crb(c->model, c->data);
  mj_factorM(c->model, c->data);
}

static void forward(void *context, size_t k) {
  bench_context *c = context;
  factor(c, k);
  mj_comVel(c->model, c->data);
  mj_rne(c->model, c->data, 0, c->out);
  for (int i = 0; i < c->model->nv; i++) {
    c->out[i] = c->data->qacc[i] - c->out[i];
  }
  mj_solveM(c->model, c->data, c->out + c->model->nv, c->out, 1);
}

int main(int argc, char **argv) {
  mjModel *model = argc < 2 ? NULL : mujoco_load(argv[1], 1);
  if (model == NULL) {
    return 1;
  }
  char robot[64];
  bench_robot_name(argv[1], robot, sizeof robot);
  const size_t n = (size_t)model->nv;
  bench_context context = {model, mj_makeData(model), bench_inputs(n),
                           calloc((n + 6) * (n + 6), sizeof(double))};
  const struct {
    const char *name;
    bench_function *function;
  } cases[] = {{"tree_fk", fk},     {"tree_jacobian", jacobian}, {"tree_rnea", inverse},
               {"tree_crba", mass}, {"tree_factor", factor},     {"tree_fd", forward}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const bench_case what = {.library = "mujoco",
                             .name = cases[i].name,
                             .robot = robot,
                             .joint_count = n,
                             .batch_count = BENCH_ROUND_BATCHES};
    bench_run(&what, cases[i].function, &context);
  }
  free(context.inputs);
  free(context.out);
  mj_deleteData(context.data);
  mj_deleteModel(model);
  return 0;
}
