#include <stdio.h>

#include "command.h"
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

static int compute(robot *r, char **argv) {
  const sn_chain *chain = NULL;
  sn_error err;
  if (sn_chain_create(&r->arena, r->model, argv[2], argv[3], &chain, &err) != SN_OK) {
    fprintf(stderr, "sinew id: %s: %s\n", argv[1], err.message);
    return err.code == SN_ENOMEM ? EXIT_FAULT : EXIT_NO;
  }
  sn_dyn_data *data = NULL;
  if (sn_dyn_create(&r->arena, &chain->tree, &data, &err) != SN_OK) {
    fprintf(stderr, "sinew id: %s: %s\n", argv[1], err.message);
    return err.code == SN_ENOMEM ? EXIT_FAULT : EXIT_NO;
  }
  double *numbers = SN_NEW(&r->arena, double, 4 * chain->joint_count);
  return numbers == NULL ? EXIT_FAULT : answer_lines(data, chain->joint_count, numbers);
}

int command_id(int argc, char **argv) {
  if (argc != 4) {
    return command_misused(argv[0], argc > 4 ? argv[4] : NULL);
  }
  robot r;
  int code = robot_require(&r, argv[1]);
  if (code == EXIT_GOOD) {
    code = compute(&r, argv);
  }
  robot_free(&r);
  return code;
}
