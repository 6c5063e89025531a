#include <stdio.h>

#include "collision/collision.h"
#include "commands.h"
#include "common/numbers.h"
#include "common/print.h"
#include "common/robot.h"
#include "robot_tools/collision_files.h"

typedef struct distance_arguments {
  robot_options robot;
  const char *path;
  collision_files files;
} distance_arguments;

/* Read poses until the end, print the nearest pair of each. */
static int measure_lines(sn__collision *collision, size_t joint_count, double *q) {
  number_reader reader = {0};
  int code = EXIT_GOOD;
  for (;;) {
    const number_result result = numbers_read(&reader, "joint positions", joint_count, q);
    if (result != NUMBERS_GOOD) {
      code = result == NUMBERS_BAD ? EXIT_USAGE : EXIT_GOOD;
      break;
    }
    sn__near near;
    if (!sn__collision_nearest(collision, q, &near)) {
      fprintf(stderr, "sinew distance: the robot has no pair of links that could meet\n");
      code = EXIT_NO;
      break;
    }
    numbers_print(&near.distance, 1);
    printf(" %s %s\n", sn__collision_name(collision, near.link_a),
           sn__collision_name(collision, near.link_b));
  }
  numbers_free(&reader);
  return code;
}

static int measure(robot *r, const sn__collision_config *config) {
  const size_t n = sn_model_pose_size(r->model);
  sn__collision *collision = NULL;
  sn_error err;
  const sn_status status =
      sn__collision_create(&r->arena, r->model, config, r->report, &collision, &err);
  problems_print(r->report);
  if (status != SN_OK) {
    fprintf(stderr, "sinew distance: %s\n", err.message);
    return status == SN_ENOMEM ? EXIT_FAULT : EXIT_NO;
  }
  double *q = SN_NEW(&r->arena, double, n);
  return q == NULL ? out_of_memory() : measure_lines(collision, n, q);
}

/* The files besides the robot, then the distances. */
static int measure_with(robot *r, distance_arguments *a) {
  int code = collision_files_open(&a->files, r, "distance");
  if (code == EXIT_GOOD) {
    const sn__collision_config config = {.robot_file = r->urdf,
                                         .package_path = robot_package_path(&a->robot),
                                         .world = a->files.world};
    code = measure(r, &config);
  }
  collision_files_close(&a->files);
  return code;
}

static int run_distance(void *arguments) {
  distance_arguments *a = arguments;
  robot r;
  int code = EXIT_FAULT;
  if (!robot_load(&r, a->path, &a->robot)) {
    code = out_of_memory();
  } else if (r.model == NULL) {
    problems_print(r.report);
    code = EXIT_NO;
  } else {
    code = measure_with(&r, a);
  }
  robot_free(&r);
  return code;
}

#define AT(member) offsetof(distance_arguments, member)
static const command_argument distance_argument_table[] = {
    {"ROBOT", ARGUMENT_ONE, AT(path),
     "The robot: a .urdf, .xacro or MJCF .xml, or a .yaml file that names one", WORD_FILE, NULL},
    {0}};
static const command_option options[] = {COLLISION_WORLD_OPTION(AT(files)), {0}};

const command command_distance = {
    .name = "distance",
    .purpose =
        "Nearest links: sorted poses on standard input, one per line, to the distance in "
        "metres (negative: in contact) and the names of both.",
    .arguments = distance_argument_table,
    .options = {robot_option_table, options},
    .size = sizeof(distance_arguments),
    .run = run_distance};
