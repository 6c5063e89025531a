/* `sinew bench --peer`: the benchmarks that measure beside other libraries are programs of their
   own, since this one links none of those libraries. They print lines of JSON; here the last ones,
   which sum up the rounds, become lines like those of the other cases. */
#define _POSIX_C_SOURCE 200809L

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"
#include "commands.h"
#include "common/share.h"

enum { LINE_SIZE = 1024 };
static const char REMEDY[] =
    "packages do not contain it: build it from the sources with 'tools/setup.sh bench', "
    "'cmake --preset bench' and 'cmake --build --preset bench', and run build/bench/sinew or "
    "'cmake --install build/bench'";

/* What one benchmark of ours said. */
typedef struct peer_run {
  const bench_request *request;
  const char *bench; /* "kernels" */
  size_t compared;   /* lines that were printed */
} peer_run;

static void print_summary(peer_run *run, const char *line) {
  const char *pair, *name, *file;
  double own_ns, peer_ns, times, least;
  json_t *object = json_loads(line, 0, NULL);
  if (object != NULL && json_unpack(object, "{s:s, s:s, s:s, s:F, s:F, s:F, s:F}", "summary", &pair,
                                    "case", &name, "robot", &file, "sinew_ns", &own_ns, "peer_ns",
                                    &peer_ns, "times", &times, "times_least", &least) == 0) {
    run->compared++;
    if (run->request->json) {
      fputs(line, stdout);
    } else {
      printf("%-10s %-18s %-12s sinew %10.1f ns  %-8.*s %10.1f ns  %6.2f times, at least %.2f\n",
             run->bench, name, file, own_ns, (int)strcspn(pair, "/"), pair, peer_ns, times, least);
    }
    fflush(stdout);
  }
  json_decref(object);
}

/* Run a program with its output as @p run reads it. @return false if it failed */
static bool run_program(peer_run *run, char *const *argv) {
  int ends[2];
  if (pipe(ends) != 0) {
    return false;
  }
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execv(argv[0], argv);
    _exit(127);
  }
  close(ends[1]);
  FILE *lines = fdopen(ends[0], "r");
  char line[LINE_SIZE];
  while (lines != NULL && fgets(line, sizeof line, lines) != NULL) {
    print_summary(run, line);
  }
  if (lines != NULL) {
    fclose(lines);
  }
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

static int compare(const bench_request *request, const char *bench, const char *file,
                   const char *base, const char *tip) {
  char name[32], path[SHARE_PATH_SIZE];
  snprintf(name, sizeof name, "bench_%s", bench);
  if (!share_find_program("bench", name, REMEDY, path)) {
    return EXIT_NO;
  }
  char *argv[] = {path, (char *)file, (char *)base, (char *)tip, NULL};
  peer_run run = {.request = request, .bench = bench};
  if (!run_program(&run, argv)) {
    fprintf(stderr, "sinew bench: %s failed\n", path);
    return EXIT_FAULT;
  }
  return run.compared > 0 ? EXIT_GOOD : EXIT_NO;
}

/* Of the whole robot, and of the chain that was asked for or its first one. */
static int run_kernels(const bench_request *request, robot *r, const char *name) {
  (void)name;
  const char *base = request->base, *tip = request->tip;
  if (base == NULL && sn_names_count(sn_model_chain_names(r->model)) > 0) {
    const sn_chain *chain = sn_model_chain(r->model, 0, false);
    base = sn_model_link(r->model, (size_t)chain->first_link)->name;
    tip = sn_model_link(r->model, (size_t)chain->last_link)->name;
  }
  return compare(request, "kernels", r->urdf, base, tip);
}

static int run_load(const bench_request *request, robot *r, const char *name) {
  (void)name;
  return compare(request, "load", r->urdf, NULL, NULL);
}

static int run_collision(const bench_request *request, robot *r, const char *name) {
  (void)name;
  return compare(request, "collision", r->urdf, NULL, NULL);
}

static const struct {
  const char *name;
  int (*run)(const bench_request *request, robot *r, const char *name);
} peer_table[] = {{"kernels", run_kernels}, {"load", run_load}, {"collision", run_collision}};
enum { PEER_COUNT = sizeof peer_table / sizeof peer_table[0] };

const char *bench_peer_at(size_t index) {
  return index < PEER_COUNT ? peer_table[index].name : NULL;
}

int bench_peers(const bench_request *request) {
  int worst = EXIT_GOOD;
  for (size_t i = 0; i < PEER_COUNT; i++) {
    if (bench_is_chosen(request, peer_table[i].name)) {
      int code = bench_robots(request, peer_table[i].run);
      worst = code > worst ? code : worst;
      if (request->urdf == NULL) {
        code = bench_robot(request, "quadruped", peer_table[i].run);
        worst = code > worst ? code : worst;
      }
    }
  }
  return worst;
}
