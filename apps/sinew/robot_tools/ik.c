#include "sinew/ik.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands.h"
#include "common/numbers.h"
#include "common/robot.h"
#include "robot_tools/ik_batch.h"
#include "sinew/ik_plugin.h"

enum { SEED_MAX = 256 };

/* The command line. */
typedef struct arguments {
  const char *positional[3]; /* URDF, base, tip */
  size_t positional_count;
  const char *plugin;
  double seed[SEED_MAX];
  ik_task task;
} arguments;

/* Numbers with blanks or commas between them. */
static bool parse_seed(const char *text, arguments *a) {
  static const char between[] = " \t,";
  size_t count = 0;
  for (text += strspn(text, between); *text != '\0'; text += strspn(text, between)) {
    if (count == SEED_MAX || (text = number_at(text, &a->seed[count])) == NULL) {
      return false;
    }
    count++;
  }
  a->task.seed = a->seed;
  a->task.seed_count = count;
  return true;
}

/* A list such as "x,rz". */
static bool parse_free(const char *text, unsigned *free_axes) {
  static const char *const names[] = {"x", "y", "z", "rx", "ry", "rz"};
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

static bool parse_timeout(const char *text, double *out) {
  const char *end = number_at(text, out);
  return end != NULL && *end == '\0' && *out >= 0.0;
}

static bool parse_jobs(const char *text, size_t *out) {
  char *end = NULL;
  const long jobs = strtol(text, &end, 10);
  *out = (size_t)jobs;
  return end != text && *end == '\0' && jobs >= 1 && jobs <= IK_JOBS_MAX;
}

typedef enum option_result { OPTION_GOOD, OPTION_UNKNOWN, OPTION_BAD } option_result;

static option_result good_if(bool good) {
  return good ? OPTION_GOOD : OPTION_BAD;
}

/* @param value  NULL if nothing stands behind the name */
static option_result parse_option(const char *name, const char *value, arguments *a) {
  if (strcmp(name, "--solver") == 0) {
    a->task.config.solver = value;
    return good_if(value != NULL);
  }
  if (strcmp(name, "--plugin") == 0) {
    a->plugin = value;
    return good_if(value != NULL);
  }
  if (strcmp(name, "--timeout") == 0) {
    return good_if(value != NULL && parse_timeout(value, &a->task.timeout_s));
  }
  if (strcmp(name, "--seed") == 0) {
    return good_if(value != NULL && parse_seed(value, a));
  }
  if (strcmp(name, "--free") == 0) {
    return good_if(value != NULL && parse_free(value, &a->task.options.free_axes));
  }
  if (strcmp(name, "--jobs") == 0) {
    return good_if(value != NULL && parse_jobs(value, &a->task.jobs));
  }
  return OPTION_UNKNOWN;
}

static int parse_arguments(int argc, char **argv, arguments *a) {
  *a = (arguments){.task = {.timeout_s = 1.0, .jobs = 1}};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--all") == 0) {
      a->task.all = true;
    } else if (strncmp(argv[i], "--", 2) == 0) {
      const char *value = i + 1 < argc ? argv[i + 1] : NULL;
      const option_result result = parse_option(argv[i], value, a);
      if (result != OPTION_GOOD) {
        return command_misused(argv[0], result == OPTION_BAD ? value : argv[i]);
      }
      i++;
    } else if (a->positional_count == 3) {
      return command_misused(argv[0], argv[i]);
    } else {
      a->positional[a->positional_count++] = argv[i];
    }
  }
  return a->positional_count == 3 ? EXIT_GOOD : command_misused(argv[0], NULL);
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

static int solve(robot *r, arguments *a, sn_ik_registry *registry) {
  a->task.model = r->model;
  a->task.config.registry = registry;
  a->task.config.base_frame = a->positional[1];
  a->task.config.tip_frames = &a->positional[2];
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

static int prepare_registry(const arguments *a, sn_ik_registry *registry) {
  sn_ik_registry_init(registry);
  sn_error err;
  if (a->plugin != NULL && sn_ik_load_plugin(registry, a->plugin, NULL, &err) != SN_OK) {
    fprintf(stderr, "sinew %s\n", err.message);
    return EXIT_NO;
  }
  if (a->task.config.solver != NULL &&
      sn_ik_registry_find(registry, a->task.config.solver) == NULL) {
    fprintf(stderr, "sinew ik: there is no solver '%s'; there are:", a->task.config.solver);
    for (size_t i = 0; i < sn_ik_registry_count(registry); i++) {
      fprintf(stderr, " %s", sn_ik_registry_at(registry, i)->name);
    }
    fputc('\n', stderr);
    return EXIT_USAGE;
  }
  return EXIT_GOOD;
}

int command_ik(int argc, char **argv) {
  arguments a;
  int code = parse_arguments(argc, argv, &a);
  sn_ik_registry registry;
  if (code == EXIT_GOOD) {
    code = prepare_registry(&a, &registry);
  }
  if (code != EXIT_GOOD) {
    return code;
  }
  robot r;
  code = robot_require(&r, a.positional[0]);
  if (code == EXIT_GOOD) {
    code = solve(&r, &a, &registry);
  }
  robot_free(&r);
  return code;
}
