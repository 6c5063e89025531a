#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "collision/collision.h"
#include "commands.h"
#include "common/file_bytes.h"
#include "common/numbers.h"
#include "common/print.h"
#include "common/robot.h"

typedef struct distance_arguments {
  robot_options robot;
  const char *path, *srdf, *world;
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
static int measure_with(robot *r, const distance_arguments *a) {
  sn__collision_config config = {
      .robot_file = r->urdf, .package_path = robot_package_path(&a->robot), .srdf_file = a->srdf};
  if (a->world != NULL &&
      sn_value_load(&r->report_arena, a->world, r->report, &config.world) != SN_OK) {
    problems_print(r->report);
    return EXIT_NO;
  }
  file_bytes srdf = {0};
  int code = EXIT_NO;
  if (a->srdf == NULL || file_bytes_open(a->srdf, &srdf)) {
    config.srdf = srdf.text;
    config.srdf_size = srdf.size;
    code = measure(r, &config);
  } else {
    fprintf(stderr, "sinew distance: %s: %s\n", a->srdf, strerror(errno));
  }
  file_bytes_close(&srdf);
  return code;
}

static int run_distance(void *arguments) {
  const distance_arguments *a = arguments;
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
    {"ROBOT", ARGUMENT_ONE, AT(path), "The robot: a .urdf, or a .yaml file that names one",
     WORD_FILE, NULL},
    {0}};
static const command_option options[] = {
    {"--srdf", "FILE", OPTION_TEXT, AT(srdf),
     .help = "SRDF file with pairs of links that are not checked", .word = WORD_FILE},
    {"--world", "FILE", OPTION_TEXT, AT(world), .help = "YAML file with objects around the robot",
     .word = WORD_FILE},
    {0}};

const command command_distance = {
    .name = "distance",
    .purpose =
        "Nearest links: sorted poses on standard input, one per line, to the distance in "
        "metres (negative: in contact) and the names of both.",
    .arguments = distance_argument_table,
    .options = {robot_option_table, options},
    .size = sizeof(distance_arguments),
    .run = run_distance};
