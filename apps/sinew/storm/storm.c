/* `sinew storm`: seeds in child processes, so that a crash or a hang is a result like any other;
   failing seeds are minimised and recorded. */
#include "storm/storm.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.h"
#include "common/share.h"

enum { JOBS_MAX = 64, CHILD_SECONDS_MAX = 600, ROBOTS_MAX = 8, MINIMISE_RUNS_MAX = 200 };
enum { COMMAND_SIZE = 4096 };
static const double RUN_SECONDS = 60.0;

typedef struct storm_arguments {
  robot_options robot_options; /* first */
  const char *robot;
  double hours;
  int64_t seed, jobs;
  bool as_json;
} storm_arguments;

/* A seed that a child runs. */
typedef struct storm_job {
  pid_t pid; /* 0: free */
  int pipe;
  uint64_t seed;
} storm_job;

typedef struct storm {
  const storm_arguments *arguments;
  char robots[ROBOTS_MAX][SHARE_PATH_SIZE];
  size_t robot_count;
  storm_job jobs[JOBS_MAX];
  uint64_t seeds, violations;
  double seconds; /* simulated */
  uint64_t hash;  /* of the commands of all seeds */
} storm;

static storm_robot robot_of(const storm *s, uint64_t seed) {
  return (storm_robot){s->robots[seed % s->robot_count], &s->arguments->robot_options};
}

/* Run a plan in a child. @return false: no process */
static bool begin_child(const storm_robot *r, const storm_plan *plan, const char *record,
                        bool is_explained, storm_job *job) {
  int ends[2];
  if (pipe(ends) != 0) {
    return false;
  }
  fflush(NULL);
  job->pid = fork();
  if (job->pid == 0) {
    storm_result result;
    close(ends[0]);
    alarm(CHILD_SECONDS_MAX);
    storm_run_plan(r, plan, record, is_explained, &result);
    fflush(stdout);
    const bool is_sent = write(ends[1], &result, sizeof result) == (ssize_t)sizeof result;
    _exit(is_sent ? 0 : 1);
  }
  close(ends[1]);
  job->pipe = ends[0];
  return job->pid > 0;
}

/* Wait for a child. One that died without a result has violated the first rule. */
static storm_result end_child(storm_job *job) {
  storm_result result = {.is_built = true};
  const bool is_read = read(job->pipe, &result, sizeof result) == (ssize_t)sizeof result;
  int status = 0;
  waitpid(job->pid, &status, 0);
  close(job->pipe);
  job->pid = 0;
  if (!is_read) {
    result = (storm_result){.is_built = true};
    snprintf(result.violation, sizeof result.violation, "the process ended by signal %d%s",
             WIFSIGNALED(status) ? WTERMSIG(status) : 0,
             WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? ": it hung" : "");
  }
  return result;
}

static storm_result run_once(const storm_robot *r, const storm_plan *plan, const char *record,
                             bool is_explained) {
  storm_job job = {0};
  storm_result result = {.violation = "no process could be started"};
  return begin_child(r, plan, record, is_explained, &job) ? end_child(&job) : result;
}

/* Leave out faults, half of them at first, then fewer, as long as the run still fails for the same
   reason. What comes after the failure goes first. */
static void minimise(const storm_robot *r, storm_plan *plan, const storm_result *failed) {
  while (plan->count > 0 && 1e-9 * (double)plan->faults[plan->count - 1].at_ns > failed->seconds) {
    plan->count--;
  }
  int runs = 0;
  for (size_t part = plan->count; part > 0; part /= 2) {
    for (size_t from = 0; from < plan->count && runs < MINIMISE_RUNS_MAX; runs++) {
      const size_t left_out = from + part < plan->count ? part : plan->count - from;
      storm_plan fewer = *plan;
      memmove(fewer.faults + from, plan->faults + from + left_out,
              (plan->count - from - left_out) * sizeof *plan->faults);
      fewer.count -= left_out;
      const storm_result result = run_once(r, &fewer, NULL, false);
      if (result.violation[0] != '\0' && result.rule == failed->rule) {
        *plan = fewer;
      } else {
        from += left_out;
      }
    }
  }
}

/* The command that repeats a seed. */
static void command_of(const storm_robot *r, uint64_t seed, char text[COMMAND_SIZE]) {
  const text_list *files = &r->options->properties;
  int used = snprintf(text, COMMAND_SIZE, "sinew storm %s%s", r->path,
                      r->options->without_properties ? " --no-properties" : "");
  for (size_t i = 0; i < files->count && used < COMMAND_SIZE; i++) {
    used += snprintf(text + used, COMMAND_SIZE - (size_t)used, " --properties %s", files->items[i]);
  }
  if (used < COMMAND_SIZE) {
    snprintf(text + used, COMMAND_SIZE - (size_t)used, " --hours 0 --seed %" PRIu64, seed);
  }
}

/* Report a failing seed: the fewest faults that still make it fail, and a recording of them. */
static void explain(const storm *s, uint64_t seed, const storm_result *result) {
  const storm_robot r = robot_of(s, seed);
  storm_plan *plan = malloc(sizeof *plan);
  if (plan == NULL) {
    return;
  }
  char again[COMMAND_SIZE];
  command_of(&r, seed, again);
  if (!s->arguments->as_json) { /* minimising takes a while */
    printf("seed %" PRIu64 ", %s: %s\n  repeat it: %s\n", seed, r.path, result->violation, again);
    fflush(stdout);
  }
  storm_plan_make(plan, seed, RUN_SECONDS);
  minimise(&r, plan, result);
  char path[64];
  snprintf(path, sizeof path, "storm-%" PRIu64 ".mcap", seed);
  const storm_result last = run_once(&r, plan, path, !s->arguments->as_json);
  if (s->arguments->as_json) {
    json_t *line =
        json_pack("{s:I, s:s, s:s, s:s, s:s, s:i, s:s}", "seed", (json_int_t)seed, "robot", r.path,
                  "repeat", again, "violation", result->violation, "minimised", last.violation,
                  "faults", (int)plan->count, "recording", path);
    char *text = json_dumps(line, JSON_COMPACT);
    puts(text == NULL ? "{}" : text);
    free(text);
    json_decref(line);
  } else {
    printf("  with %zu faults: %s\n", plan->count, last.violation);
    printf("  repeat these: sinew replay %s\n", path);
  }
  free(plan);
}

static void take_result(storm *s, storm_job *job) {
  const uint64_t seed = job->seed;
  const storm_result result = end_child(job);
  s->seeds++;
  s->seconds += result.seconds;
  s->hash += result.hash; /* in any order */
  if (result.violation[0] != '\0') {
    s->violations++;
    explain(s, seed, &result);
  }
}

static storm_job *free_job(storm *s) {
  for (int64_t i = 0; i < s->arguments->jobs; i++) {
    if (s->jobs[i].pid == 0) {
      return &s->jobs[i];
    }
  }
  /* The oldest: seeds take about the same time. */
  storm_job *oldest = &s->jobs[0];
  for (int64_t i = 1; i < s->arguments->jobs; i++) {
    oldest = s->jobs[i].seed < oldest->seed ? &s->jobs[i] : oldest;
  }
  take_result(s, oldest);
  return oldest;
}

static bool run_seeds(storm *s) {
  storm_plan *plan = malloc(sizeof *plan);
  const uint64_t count = (uint64_t)(s->arguments->hours * 3600.0 / RUN_SECONDS) + 1;
  bool good = plan != NULL;
  for (uint64_t k = 0; good && k < count; k++) {
    storm_job *job = free_job(s);
    job->seed = (uint64_t)s->arguments->seed + k;
    storm_plan_make(plan, job->seed, RUN_SECONDS);
    const storm_robot r = robot_of(s, job->seed);
    good = begin_child(&r, plan, NULL, false, job);
  }
  for (int64_t i = 0; i < s->arguments->jobs; i++) {
    if (s->jobs[i].pid != 0) {
      take_result(s, &s->jobs[i]);
    }
  }
  free(plan);
  return good;
}

/* As other commands do. */
static void find_properties(storm_arguments *a) {
  static char beside[SHARE_PATH_SIZE];
  robot_options *options = &a->robot_options;
  if (a->robot != NULL && options->properties.count == 0 && !options->without_properties &&
      robot_find_properties(a->robot, beside, sizeof beside)) {
    options->properties = (text_list){.items = {beside}, .count = 1};
  }
}

static bool find_robots(storm *s) {
  static const char *const names[] = {"robots/arm6.yaml", "robots/arm7.yaml", "robots/arm_ur.yaml",
                                      "robots/desk_arm.yaml", "robots/quadruped.yaml"};
  if (s->arguments->robot != NULL) {
    snprintf(s->robots[0], sizeof s->robots[0], "%s", s->arguments->robot);
    s->robot_count = 1;
    return true;
  }
  s->robot_count = sizeof names / sizeof *names;
  for (size_t i = 0; i < s->robot_count; i++) {
    if (!share_find("storm", names[i], s->robots[i])) {
      return false;
    }
  }
  return true;
}

static int print_summary(const storm *s, double wall_s) {
  const double hours = s->seconds / 3600.0;
  if (s->arguments->as_json) {
    printf("{\"seeds\":%" PRIu64 ",\"hours\":%.6g,\"violations\":%" PRIu64 ",\"hash\":\"%016" PRIx64
           "\",\"hours_per_hour\":%.4g}\n",
           s->seeds, hours, s->violations, s->hash, s->seconds / wall_s);
  } else {
    printf("%" PRIu64 " seeds from %" PRId64 ", %.3g robot-hours, %" PRIu64
           " violations; %.3g simulated hours per hour\n",
           s->seeds, s->arguments->seed, hours, s->violations, s->seconds / wall_s);
  }
  return s->violations == 0 ? EXIT_GOOD : EXIT_NO;
}

static int run_storm(void *arguments) {
  storm *s = calloc(1, sizeof *s);
  if (s == NULL) {
    return EXIT_FAULT;
  }
  find_properties(arguments);
  s->arguments = arguments;
  sn_clock wall;
  sn_clock_init_monotonic(&wall);
  const int64_t begin_ns = sn_clock_now_ns(&wall);
  int code = EXIT_FAULT;
  if (find_robots(s) && run_seeds(s)) {
    code = print_summary(s, 1e-9 * (double)(sn_clock_now_ns(&wall) - begin_ns));
  } else {
    fputs("sinew storm: no process could be started, or a file is missing\n", stderr);
  }
  free(s);
  return code;
}

static const command_argument argument_table[] = {
    {"ROBOT", ARGUMENT_OPTIONAL, offsetof(storm_arguments, robot),
     "A robot or a deployment with simulated servos; otherwise those of Sinew in turn", WORD_FILE,
     NULL},
    {0}};

static const command_option option_table[] = {
    {.name = "--hours",
     .value = "H",
     .kind = OPTION_NUMBER,
     .offset = offsetof(storm_arguments, hours),
     .help = "Simulated hours in all, 0.1 by default; each seed runs for a minute",
     .min = 0.0,
     .max = 1e7},
    {.name = "--seed",
     .value = "N",
     .kind = OPTION_INTEGER,
     .offset = offsetof(storm_arguments, seed),
     .help = "The first seed, 1 by default",
     .min = 0.0,
     .max = 9e15},
    {.name = "--jobs",
     .value = "N",
     .kind = OPTION_INTEGER,
     .offset = offsetof(storm_arguments, jobs),
     .help = "Seeds that run at the same time, 1 by default",
     .min = 1.0,
     .max = JOBS_MAX},
    {.name = "--json",
     .kind = OPTION_FLAG,
     .offset = offsetof(storm_arguments, as_json),
     .help = "Print JSON"},
    {0}};

const command command_storm = {
    .name = "storm",
    .purpose = "Run simulated robots under random faults and check that they stay safe.",
    .arguments = argument_table,
    .options = {robot_option_table, option_table},
    .size = sizeof(storm_arguments),
    .initial = &(const storm_arguments){.hours = 0.1, .seed = 1, .jobs = 1},
    .run = run_storm};
