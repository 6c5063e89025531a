#include "sinew/ik.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "common/numbers.h"
#include "common/print.h"
#include "common/robot.h"
#include "robot_tools/collision_files.h"
#include "robot_tools/ik_batch.h"
#include "sinew/ik_solver.h"

enum { SEED_MAX = 256 };

typedef struct ik_arguments {
  chain_arguments chain; /* first, as chain_argument_table expects */
  const char *plugin;
  int64_t jobs;
  bool without_collisions;
  collision_files files;
  double seed[SEED_MAX];
  ik_task task;
} ik_arguments;

static bool parse_seed(void *member, const char *text) {
  ik_arguments *a = member;
  a->task.seed = a->seed;
  return numbers_list(text, SEED_MAX, a->seed, &a->task.seed_count);
}

/* A list such as "x,rz". */
static bool parse_free(void *member, const char *text) {
  static const char *const names[] = {"x", "y", "z", "rx", "ry", "rz"};
  unsigned *free_axes = member;
  for (;;) {
    const size_t length = strcspn(text, ",");
    size_t axis = 0;
    while (axis < 6 && (strlen(names[axis]) != length || strncmp(names[axis], text, length) != 0)) {
      axis++;
    }
    if (axis == 6) {
      return false;
    }
    *free_axes |= 1u << axis; /* SN_IK_FREE_X and so on, in this order */
    if (text[length] == '\0') {
      return true;
    }
    text += length + 1;
  }
}

static number_result read_pose(number_reader *reader, sn_pose *pose) {
  double x[7];
  const number_result result = numbers_read(reader, "pose x y z qx qy qz qw", 7, x);
  if (result != NUMBERS_GOOD) {
    return result;
  }
  const sn_quat rot = {x[3], x[4], x[5], x[6]};
  if (sn_ik_pose_from_quat(sn_vec3_make(x[0], x[1], x[2]), rot, pose) != SN_IK_OK) {
    const double length = sqrt(rot.x * rot.x + rot.y * rot.y + rot.z * rot.z + rot.w * rot.w);
    fprintf(stderr, "<stdin>:%zu: error: quaternion qx qy qz qw has length %g, must be 1\n",
            reader->line, length);
    return NUMBERS_BAD;
  }
  return NUMBERS_GOOD;
}

/* Answer line by line, or chunk by chunk if several threads share the work. */
static int answer_lines(ik_batch *batch, sn_pose *poses) {
  const size_t capacity = ik_batch_capacity(batch);
  number_reader reader = {0};
  number_result result = NUMBERS_GOOD;
  int code = EXIT_GOOD;
  while (result == NUMBERS_GOOD && code != EXIT_FAULT) {
    size_t count = 0;
    while (count < capacity && (result = read_pose(&reader, &poses[count])) == NUMBERS_GOOD) {
      count++;
    }
    const int chunk_code = count > 0 ? ik_batch_run(batch, poses, count) : EXIT_GOOD;
    code = chunk_code > code ? chunk_code : code;
  }
  numbers_free(&reader);
  return result == NUMBERS_BAD ? EXIT_USAGE : code;
}

static int solve(robot *r, ik_arguments *a, sn_ik_registry *registry) {
  const sn_ik_avoid_config avoid = {.robot_file = r->urdf,
                                    .srdf = a->files.srdf.text,
                                    .srdf_size = a->files.srdf.size,
                                    .srdf_file = a->files.srdf_path,
                                    .world = a->files.world};
  a->task.model = r->model;
  a->task.avoid = a->without_collisions ? &avoid : NULL;
  if (sn_report_create(&r->report_arena, &a->task.report, NULL) != SN_OK) {
    return out_of_memory();
  }
  a->task.jobs = (size_t)a->jobs;
  a->task.config.registry = registry;
  a->task.config.base_frame = a->chain.base;
  a->task.config.tip_frames = &a->chain.tip;
  a->task.config.tip_count = 1;
  a->task.config.default_timeout_s = a->task.timeout_s > 0.0 ? a->task.timeout_s : 1e-9;
  ik_batch *batch = NULL;
  const int code = ik_batch_create(&r->arena, &a->task, &batch);
  if (code != EXIT_GOOD) {
    return code;
  }
  sn_pose *poses = SN_NEW(&r->arena, sn_pose, ik_batch_capacity(batch));
  return poses == NULL ? EXIT_FAULT : answer_lines(batch, poses);
}

static int prepare_registry(const ik_arguments *a, sn_ik_registry *registry) {
  sn_ik_registry_init(registry);
  sn_error err;
  if (a->plugin != NULL && sn_ik_load_plugin(registry, a->plugin, NULL, &err) != SN_OK) {
    fprintf(stderr, "sinew %s\n", err.message);
    return EXIT_NO;
  }
  if (a->task.config.solver != NULL &&
      sn_ik_registry_find(registry, a->task.config.solver) == NULL) {
    fprintf(stderr, "sinew ik: unknown solver '%s', expected one of:", a->task.config.solver);
    for (size_t i = 0; i < sn_ik_registry_count(registry); i++) {
      fprintf(stderr, " %s", sn_ik_registry_at(registry, i)->name);
    }
    fputc('\n', stderr);
    return EXIT_USAGE;
  }
  return EXIT_GOOD;
}

static int run_ik(void *arguments) {
  ik_arguments *a = arguments;
  if (!a->without_collisions && (a->files.srdf_path != NULL || a->files.world_path != NULL)) {
    return command_misused(&command_ik, "option '%s' needs '--collision'",
                           a->files.srdf_path != NULL ? "--srdf" : "--world");
  }
  sn_ik_registry registry;
  int code = prepare_registry(a, &registry);
  if (code != EXIT_GOOD) {
    return code;
  }
  robot r;
  code = robot_require(&r, a->chain.urdf);
  if (code == EXIT_GOOD) {
    code = collision_files_open(&a->files, &r, "ik");
  }
  if (code == EXIT_GOOD) {
    code = solve(&r, a, &registry);
  }
  collision_files_close(&a->files);
  robot_free(&r);
  return code;
}

static const char *solver_at(size_t index) {
  static sn_ik_registry registry;
  sn_ik_registry_init(&registry);
  return index < sn_ik_registry_count(&registry) ? sn_ik_registry_at(&registry, index)->name : NULL;
}

#define AT(member) offsetof(ik_arguments, member)
static const command_option options[] = {
    {"--solver", "NAME", OPTION_TEXT, AT(task.config.solver),
     .help = "Solver to use: auto, analytic, numeric, or one of a plugin", .choices = solver_at},
    {"--timeout", "S", OPTION_NUMBER, AT(task.timeout_s),
     .help = "Time for one pose, 1 s unless given", .max = HUGE_VAL},
    {"--all", NULL, OPTION_FLAG, AT(task.all), .help = "Print all solutions, one per line"},
    {"--seed", "\"Q ...\"", OPTION_PARSED, 0, .help = "Joint positions to start from",
     .parse = parse_seed, .expected = "joint positions, with blanks or commas between them"},
    {"--free", "AXES", OPTION_PARSED, AT(task.options.free_axes),
     .help = "Axes that need not match: a list of x, y, z, rx, ry, rz", .parse = parse_free,
     .expected = "a list such as x,rz of x, y, z, rx, ry, rz"},
    {"--collision", NULL, OPTION_FLAG, AT(without_collisions),
     .help = "Only solutions without a collision; IN_COLLISION if all collide"},
    COLLISION_SRDF_OPTION(AT(files)),
    COLLISION_WORLD_OPTION(AT(files)),
    {"--jobs", "N", OPTION_INTEGER, AT(jobs), .help = "Number of threads", .min = 1,
     .max = IK_JOBS_MAX},
    {"--plugin", "FILE", OPTION_TEXT, AT(plugin), .help = "Shared library with a solver",
     .word = WORD_FILE},
    {0}};
static const ik_arguments initial = {.jobs = 1, .task = {.timeout_s = 1.0}};

const command command_ik = {
    .name = "ik",
    .purpose =
        "Inverse kinematics: poses on standard input, as fk prints them, to 'OK <us> Q ...' "
        "or a code.",
    .arguments = chain_argument_table,
    .options = {options},
    .size = sizeof initial,
    .initial = &initial,
    .run = run_ik};
