#define _POSIX_C_SOURCE 200809L

#include "ident_tools/ident.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "commands.h"
#include "common/excerpt.h"
#include "common/problems.h"
#include "common/progress.h"
#include "common/robot.h"

typedef enum option_result { OPTION_GOOD, OPTION_UNKNOWN, OPTION_BAD } option_result;

/* A finite decimal number that is the whole text; strtod() alone also reads 0x1 and nan. */
static bool parse_number(const char *text, double *out) {
  char *end = NULL;
  *out = strtod(text, &end);
  return *text != '\0' && end == text + strspn(text, "0123456789+-.eE") && *end == '\0' &&
         isfinite(*out);
}

static option_result parse_positive(const char *value, double *out) {
  return value != NULL && parse_number(value, out) && *out > 0.0 ? OPTION_GOOD : OPTION_BAD;
}

static option_result parse_delay(const char *value, sn_ident_fit_config *config) {
  char *end = NULL;
  const long delay = value == NULL ? -1 : strtol(value, &end, 10);
  if (value == NULL || end == value || *end != '\0' || delay < 0 || delay > SN_IDENT_DELAY_MAX) {
    return OPTION_BAD;
  }
  config->has_delay = true;
  config->control_delay = (size_t)delay;
  return OPTION_GOOD;
}

static option_result parse_text(const char *value, const char **out) {
  *out = value;
  return value != NULL ? OPTION_GOOD : OPTION_BAD;
}

/* Options with a value. @param value  NULL if nothing stands behind the name */
static option_result parse_option(const char *name, const char *value, ident_request *r) {
  if (strcmp(name, "--models") == 0) {
    return parse_text(value, &r->models);
  }
  if (strcmp(name, "--report") == 0) {
    return parse_text(value, &r->report);
  }
  if (strcmp(name, "--urdf") == 0) {
    return parse_text(value, &r->urdf);
  }
  for (int i = 0; i < IDENT_ROLE_COUNT; i++) {
    if (strcmp(name + 2, ident_role_name((ident_role)i)) == 0) {
      return parse_text(value, &r->topics.names[i]);
    }
  }
  if (strcmp(name, "--voltage") == 0) {
    return parse_positive(value, &r->config.voltage);
  }
  if (strcmp(name, "--threshold") == 0) {
    return parse_positive(value, &r->config.threshold_rad);
  }
  if (strcmp(name, "--min-velocity") == 0) {
    return parse_positive(value, &r->config.min_velocity);
  }
  if (strcmp(name, "--delay") == 0) {
    return parse_delay(value, &r->config);
  }
  return OPTION_UNKNOWN;
}

static bool parse_flag(const char *name, ident_request *r) {
  const struct {
    const char *name;
    bool *flag;
  } flags[] = {{"--json", &r->json},
               {"--save", &r->save},
               {"--suggest", &r->suggest},
               {"--fit-stribeck", &r->config.fit_stribeck},
               {"--identify-inertia", &r->config.identify_inertia}};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    if (strcmp(name, flags[i].name) == 0) {
      *flags[i].flag = true;
      return true;
    }
  }
  return false;
}

static int parse_arguments(int argc, char **argv, ident_request *r) {
  *r = (ident_request){0};
  for (int i = 1; i < argc; i++) {
    if (parse_flag(argv[i], r)) {
      continue;
    }
    if (strncmp(argv[i], "--", 2) == 0) {
      const char *value = i + 1 < argc ? argv[i + 1] : NULL;
      const option_result result = parse_option(argv[i], value, r);
      if (result != OPTION_GOOD) {
        return command_misused(argv[0], result == OPTION_BAD ? value : argv[i]);
      }
      i++;
    } else if (r->log != NULL) {
      return command_misused(argv[0], argv[i]);
    } else {
      r->log = argv[i];
    }
  }
  r->config.want_plots = r->report != NULL;
  return r->log != NULL && r->models != NULL ? EXIT_GOOD : command_misused(argv[0], NULL);
}

/* What all threads work on. */
typedef struct work {
  const ident_request *request;
  ident_answer *answers;
  size_t count;
  atomic_size_t next; /* first servo that nobody has taken */
  atomic_size_t done;
  bool progress;
} work;

static void *identify(void *argument) {
  work *w = argument;
  for (;;) {
    const size_t i = atomic_fetch_add_explicit(&w->next, 1, memory_order_relaxed);
    if (i >= w->count) {
      return NULL;
    }
    ident_answer *a = &w->answers[i];
    a->status = sn_ident_fit(&a->arena, &w->request->config, &a->entry->params, a->track->samples,
                             a->track->count, &a->result, &a->error);
    if (w->request->report == NULL) {
      sn_arena_release(&a->arena);
    }
    const size_t done = atomic_fetch_add_explicit(&w->done, 1, memory_order_relaxed) + 1;
    if (w->progress) {
      progress_show("fitting", (double)done / (double)w->count);
    }
  }
}

static void identify_all(work *w) {
  pthread_t threads[IDENT_THREADS_MAX];
  const size_t wanted = ident_thread_count() < w->count ? ident_thread_count() : w->count;
  size_t started = 1;
  while (started < wanted && pthread_create(&threads[started], NULL, identify, w) == 0) {
    started++;
  }
  identify(w);
  for (size_t i = 1; i < started; i++) {
    pthread_join(threads[i], NULL);
  }
  if (w->progress) {
    progress_end();
  }
}

/* Limits of a joint: those of the URDF, or where the log has been. */
static bool find_limits(const ident_answer *a, const robot *r, double *lower, double *upper,
                        double *velocity_max) {
  *lower = INFINITY;
  *upper = -INFINITY;
  *velocity_max = INFINITY;
  const int joint = r->model == NULL ? -1 : sn_model_joint_index(r->model, a->entry->name);
  if (joint >= 0) {
    const sn_joint *j = sn_model_joint(r->model, (size_t)joint);
    *lower = j->lower;
    *upper = j->upper;
    *velocity_max = j->velocity_max;
    return true;
  }
  for (size_t i = 0; i < a->track->count; i++) {
    *lower = fmin(*lower, a->track->samples[i].position);
    *upper = fmax(*upper, a->track->samples[i].position);
  }
  return a->track->count > 0;
}

static int suggest(const ident_request *request, ident_answer *answers, size_t count) {
  robot r = {0};
  int code = request->urdf == NULL ? EXIT_GOOD : robot_require(&r, request->urdf);
  for (size_t i = 0; code == EXIT_GOOD && i < count; i++) {
    ident_answer *a = &answers[i];
    double lower;
    double upper;
    double velocity_max;
    if (!a->result.excited && find_limits(a, &r, &lower, &upper, &velocity_max)) {
      a->has_motion = sn_ident_suggest(&a->result.params, lower, upper, velocity_max, &a->motion);
    }
  }
  if (request->urdf != NULL) {
    robot_free(&r);
  }
  return code;
}

/* The models of before, those identified well in their place. */
static int save(const ident_request *request, const sn_servo_list *list,
                const ident_answer *answers) {
  for (size_t i = 0; i < list->count; i++) {
    if (answers[i].result.ok) {
      list->entries[i].params = answers[i].result.params;
      list->entries[i].has_alpha = true;
    }
  }
  sn_error err;
  if (sn_servo_store_save(request->models, list, &err) != SN_OK) {
    fprintf(stderr, "sinew ident: %s\n", err.message);
    return EXIT_FAULT;
  }
  return EXIT_GOOD;
}

static void warn(const ident_request *request, const ident_data *data) {
  if (data->unknown_count > 0) {
    char path[512];
    char name[80];
    excerpt_clean(request->log, path, sizeof path);
    excerpt_clean(data->unknown, name, sizeof name);
    fprintf(stderr, "%s: warning: %zu lines are about joints without a model, the first is '%s'\n",
            path, data->unknown_count, name);
  }
}

/* @return the exit code: no if a servo is not good */
static int judge(const ident_request *request, const ident_answer *answers, size_t count) {
  int code = EXIT_GOOD;
  for (size_t i = 0; i < count; i++) {
    if (answers[i].status != SN_OK) {
      char path[512];
      excerpt_clean(request->log, path, sizeof path);
      fprintf(stderr, "%s: error: servo '%.80s': %s\n", path, answers[i].entry->name,
              answers[i].error.message);
      return answers[i].status == SN_ENOMEM ? EXIT_FAULT : EXIT_NO;
    }
    code = answers[i].result.ok ? code : EXIT_NO;
  }
  return code;
}

static int answer(const ident_request *request, const sn_servo_list *list, const ident_data *data,
                  bool progress, ident_answer *answers) {
  for (size_t i = 0; i < list->count; i++) {
    answers[i] = (ident_answer){.entry = &list->entries[i], .track = &data->tracks[i]};
    sn_arena_init_growing(&answers[i].arena, "identification", 1 << 20);
  }
  work w = {.request = request, .answers = answers, .count = list->count, .progress = progress};
  if (progress && w.count > 0) {
    progress_show("fitting", 0.0);
  }
  identify_all(&w);
  int code = judge(request, answers, list->count);
  bool is_complete = true;
  for (size_t i = 0; i < list->count; i++) {
    is_complete = is_complete && answers[i].status == SN_OK;
  }
  if (!is_complete) {
    return code;
  }
  if (request->suggest && suggest(request, answers, list->count) != EXIT_GOOD) {
    return EXIT_NO;
  }
  if (ident_print(request, answers, list->count) != EXIT_GOOD ||
      (request->report != NULL && ident_report(request, answers, list->count) != EXIT_GOOD) ||
      (request->save && save(request, list, answers) != EXIT_GOOD)) {
    return EXIT_FAULT;
  }
  return code;
}

static int run(const ident_request *request, robot *holder) {
  sn_servo_list list = {0};
  if (sn_servo_store_load(&holder->arena, request->models, holder->report, &list) != SN_OK) {
    problems_print(holder->report);
    return EXIT_NO;
  }
  const bool progress = isatty(STDERR_FILENO) == 1;
  ident_data data;
  int code = ident_read(request->log, &list, &request->topics, progress, &data);
  if (code == EXIT_GOOD) {
    warn(request, &data);
    ident_answer *answers = calloc(list.count + 1, sizeof *answers);
    code = answers == NULL ? EXIT_FAULT : answer(request, &list, &data, progress, answers);
    for (size_t i = 0; answers != NULL && i < list.count; i++) {
      sn_arena_release(&answers[i].arena);
    }
    free(answers);
  }
  ident_data_free(&data);
  return code;
}

int command_ident(int argc, char **argv) {
  ident_request request;
  int code = parse_arguments(argc, argv, &request);
  if (code != EXIT_GOOD) {
    return code;
  }
  robot holder = {0}; /* of problems, so that they are printed as everywhere */
  sn_arena_init_growing(&holder.arena, "servos", 64 * 1024);
  sn_arena_init_growing(&holder.report_arena, "problems", 64 * 1024);
  holder.report = sn_report_create(&holder.report_arena);
  code = holder.report == NULL ? EXIT_FAULT : run(&request, &holder);
  robot_free(&holder);
  return code;
}
