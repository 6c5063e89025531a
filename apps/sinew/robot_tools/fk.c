#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "common/numbers.h"
#include "common/robot.h"
#include "sinew/kin.h"

/* Read joint vectors until the end, print a pose for each. */
static int transform_lines(const sn_chain *chain, double *q) {
  number_reader reader = {0};
  int code = EXIT_GOOD;
  for (;;) {
    const number_result result = numbers_read(&reader, "joint positions", chain->joint_count, q);
    if (result != NUMBERS_GOOD) {
      code = result == NUMBERS_BAD ? EXIT_USAGE : EXIT_GOOD;
      break;
    }
    const sn_pose pose = sn_chain_fk(chain, q);
    const sn_quat quat = sn_quat_from_mat3(pose.rot);
    const double numbers[] = {pose.pos.x, pose.pos.y, pose.pos.z, quat.x, quat.y, quat.z, quat.w};
    numbers_print(numbers, 7);
    putchar('\n');
  }
  numbers_free(&reader);
  return code;
}

static int run_fk(void *arguments) {
  const chain_arguments *a = arguments;
  robot r;
  int code = robot_require(&r, a->urdf);
  const sn_chain *chain = NULL;
  sn_error err;
  if (code == EXIT_GOOD &&
      sn_chain_create(&r.arena, r.model, a->base, a->tip, &chain, &err) != SN_OK) {
    fprintf(stderr, "sinew fk: %s: %s\n", a->urdf, err.message);
    code = EXIT_NO;
  }
  if (code == EXIT_GOOD) {
    double *q = SN_NEW(&r.arena, double, chain->joint_count);
    code = q == NULL ? EXIT_FAULT : transform_lines(chain, q);
  }
  robot_free(&r);
  return code;
}

const command command_fk = {
    .name = "fk",
    .purpose =
        "Forward kinematics: joint vectors on standard input, one per line, to x y z qx qy qz "
        "qw.",
    .arguments = chain_argument_table,
    .size = sizeof(chain_arguments),
    .run = run_fk};
