#define _POSIX_C_SOURCE 200809L

#include "bench/bench.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common/share.h"

static const struct {
  const char *name;
  int (*run)(const bench_request *request);
} bench_table[] = {
    {"ik", bench_ik},       {"ports", bench_ports},         {"operations", bench_operations},
    {"cycle", bench_cycle}, {"arbiter", bench_arbiter},     {"otg", bench_otg},
    {"plant", bench_plant}, {"collision", bench_collision},
};
enum { BENCH_COUNT = sizeof bench_table / sizeof bench_table[0] };

static int compare_times(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a;
  const int64_t y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

void bench_print(const bench_request *request, const bench_result *result) {
  qsort(result->times, result->count, sizeof *result->times, compare_times);
  double sum = 0.0;
  for (size_t i = 0; i < result->count; i++) {
    sum += (double)result->times[i];
  }
  const double batch = result->batch == 0 ? 1.0 : (double)result->batch;
  const double mean = sum / (double)result->count / batch;
  const size_t middle = result->count / 2;
  const size_t hundredth = result->count * 99 / 100;
  const double median = (double)result->times[middle] / batch;
  const double p99 = (double)result->times[hundredth] / batch;
  const double max = (double)result->times[result->count - 1] / batch;
  if (!request->json) {
    printf("%-10s %-28s %-12s %6.2f %%  median %9.1f ns  p99 %9.1f ns  max %10.1f ns\n",
           result->bench, result->name, result->robot, 100.0 * result->good, median, p99, max);
    return;
  }
  json_t *line =
      json_pack("{s:s, s:s, s:s, s:i, s:f, s:f, s:f, s:f, s:f, s:s, s:s}", "bench", result->bench,
                "case", result->name, "robot", result->robot, "count", (int)result->count, "good",
                result->good, "mean_ns", mean, "median_ns", median, "p99_ns", p99, "max_ns", max,
                "version", SINEW_VERSION, "compiler", __VERSION__);
  if (line != NULL) {
    json_dumpf(line, stdout, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(line);
  }
}

static int run_robot(const bench_request *request, const char *path,
                     int (*run)(const bench_request *request, robot *r, const char *name)) {
  robot r;
  int code = robot_require(&r, path);
  if (code == EXIT_GOOD) {
    code = run(request, &r, sn_model_name(r.model));
  }
  robot_free(&r);
  return code;
}

int bench_robot(const bench_request *request, const char *name,
                int (*run)(const bench_request *request, robot *r, const char *name)) {
  char file[256];
  char path[SHARE_PATH_SIZE];
  snprintf(file, sizeof file, "robots/%s.urdf", name);
  return share_find("bench", file, path) ? run_robot(request, path, run) : EXIT_FAULT;
}

int bench_robots(const bench_request *request,
                 int (*run)(const bench_request *request, robot *r, const char *name)) {
  if (request->urdf != NULL) {
    return run_robot(request, request->urdf, run);
  }
  static const char *const names[] = {"arm6", "arm_ur", "arm7"};
  bench_request whole_arm = *request;
  whole_arm.base = "base_link";
  whole_arm.tip = "tool0";
  int worst = EXIT_GOOD;
  for (size_t i = 0; i < 3; i++) {
    const int code = bench_robot(&whole_arm, names[i], run);
    worst = code > worst ? code : worst;
  }
  return worst;
}

static const char *bench_own_at(size_t index) {
  return index < BENCH_COUNT ? bench_table[index].name : NULL;
}

static bool is_name(const char *name, choice_function *at) {
  size_t i = 0;
  while (at(i) != NULL && strcmp(at(i), name) != 0) {
    i++;
  }
  return at(i) != NULL;
}

/* Those of both kinds, each name once. */
static const char *bench_at(size_t index) {
  if (index < BENCH_COUNT) {
    return bench_table[index].name;
  }
  size_t left = index - BENCH_COUNT;
  const char *name;
  for (size_t i = 0; (name = bench_peer_at(i)) != NULL; i++) {
    if (!is_name(name, bench_own_at) && left-- == 0) {
      return name;
    }
  }
  return NULL;
}

bool bench_is_chosen(const bench_request *request, const char *name) {
  const text_list *chosen = &request->chosen;
  bool found = chosen->count == 0; /* all of them */
  for (size_t i = 0; i < chosen->count && !found; i++) {
    found = strcmp(chosen->items[i], name) == 0;
  }
  return found;
}

static int run_own(const bench_request *request) {
  int worst = EXIT_GOOD;
  for (size_t i = 0; i < BENCH_COUNT; i++) {
    if (bench_is_chosen(request, bench_table[i].name)) {
      const int code = bench_table[i].run(request);
      worst = code > worst ? code : worst;
    }
  }
  return worst;
}

static int run_bench(void *arguments) {
  const bench_request *request = arguments;
  if ((request->base == NULL) != (request->tip == NULL) ||
      (request->base != NULL && request->urdf == NULL)) {
    return command_misused(&command_bench,
                           "options '--base' and '--tip' need each other and '--urdf'");
  }
  for (size_t i = 0; i < request->chosen.count; i++) {
    const char *name = request->chosen.items[i];
    if (!is_name(name, request->peer ? bench_peer_at : bench_own_at)) {
      return command_misused(&command_bench, "'%s' is measured only %s '--peer'", name,
                             request->peer ? "without" : "with");
    }
  }
  return request->peer ? bench_peers(request) : run_own(request);
}

#define AT(member) offsetof(bench_request, member)
static const command_argument bench_argument_table[] = {
    {"CASE", ARGUMENT_ANY, AT(chosen), "What to measure; all unless given", WORD_NAME, bench_at},
    {0}};
static const command_option options[] = {
    {"--urdf", "FILE", OPTION_TEXT, AT(urdf), .help = "Robot to measure with", .word = WORD_FILE},
    {"--base", "LINK", OPTION_TEXT, AT(base), .help = "Base of its chain; needs --tip"},
    {"--tip", "LINK", OPTION_TEXT, AT(tip), .help = "Tip of its chain; needs --base"},
    {"--peer", NULL, OPTION_FLAG, AT(peer),
     .help = "Measure kernels, load and collision beside KDL, MuJoCo, urdfdom and FCL"},
    {"--json", NULL, OPTION_FLAG, AT(json), .help = "Print one line of JSON per case"},
    {0}};

const command command_bench = {
    .name = "bench",
    .purpose =
        "Measure this machine: success rate, median, 99th percentile and maximum of each case.",
    .arguments = bench_argument_table,
    .options = {options},
    .size = sizeof(bench_request),
    .run = run_bench};
