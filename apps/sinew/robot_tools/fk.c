#include <stdio.h>
#include <stdlib.h>

#include "command.h"
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

int command_fk(int argc, char **argv) {
  if (argc != 4) {
    return command_misused(argv[0], argc > 4 ? argv[4] : NULL);
  }
  robot r;
  int code = robot_require(&r, argv[1]);
  const sn_chain *chain = NULL;
  sn_error err;
  if (code == EXIT_GOOD &&
      sn_chain_create(&r.arena, r.model, argv[2], argv[3], &chain, &err) != SN_OK) {
    fprintf(stderr, "sinew fk: %s: %s\n", argv[1], err.message);
    code = EXIT_NO;
  }
  if (code == EXIT_GOOD) {
    double *q = SN_NEW(&r.arena, double, chain->joint_count);
    code = q == NULL ? EXIT_FAULT : transform_lines(chain, q);
  }
  robot_free(&r);
  return code;
}
