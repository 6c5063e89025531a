#include <stdio.h>

#include "commands.h"
#include "common/numbers.h"
#include "common/robot.h"
#include "sinew/dyn.h"

/* Read q, qd and qdd until the end, print torques for each. */
static int answer_lines(sn_dyn_data *data, size_t n, double *numbers) {
  const double *q = numbers;
  const double *qd = numbers + n;
  const double *qdd = numbers + 2 * n;
  double *tau = numbers + 3 * n;
  number_reader reader = {0};
  number_result result;
  while ((result = numbers_read(&reader, "q qd qdd", 3 * n, numbers)) == NUMBERS_GOOD) {
    sn_dyn_inverse(data, NULL, q, qd, qdd, tau, NULL); /* gravity along -z of the base */
    numbers_print(tau, n);
    putchar('\n');
  }
  numbers_free(&reader);
  return result == NUMBERS_BAD ? EXIT_USAGE : EXIT_GOOD;
}

static int compute(robot *r, const chain_arguments *a) {
  const sn_chain *chain = NULL;
  sn_error err;
  if (sn_chain_create(&r->arena, r->model, a->base, a->tip, &chain, &err) != SN_OK) {
    fprintf(stderr, "sinew id: %s: %s\n", a->urdf, err.message);
    return err.code == SN_ENOMEM ? EXIT_FAULT : EXIT_NO;
  }
  sn_dyn_data *data = NULL;
  if (sn_dyn_create(&r->arena, &chain->tree, &data, &err) != SN_OK) {
    fprintf(stderr, "sinew id: %s: %s\n", a->urdf, err.message);
    return err.code == SN_ENOMEM ? EXIT_FAULT : EXIT_NO;
  }
  double *numbers = SN_NEW(&r->arena, double, 4 * chain->joint_count);
  return numbers == NULL ? EXIT_FAULT : answer_lines(data, chain->joint_count, numbers);
}

static int run_id(void *arguments) {
  const chain_arguments *a = arguments;
  robot r;
  int code = robot_require(&r, a->urdf);
  if (code == EXIT_GOOD) {
    code = compute(&r, a);
  }
  robot_free(&r);
  return code;
}

const command command_id = {
    .name = "id",
    .purpose =
        "Inverse dynamics: positions, velocities and accelerations on standard input, to "
        "torques.",
    .arguments = chain_argument_table,
    .size = sizeof(chain_arguments),
    .run = run_id};
