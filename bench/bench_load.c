/* Load of a robot: bench_load [FILE.urdf...]; without files, the robots of this project.
   `parse`: from memory. `load`: from the file, with the search for meshes. Both end with the model
   released, and both count processor time. Then the peer does
   the same as often, and how many times as long it takes is printed. That for some rounds, and a
   summary. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "sinew/model.h"

#define ROUNDS 9
#define LOADS 50 /* of a round */

typedef struct bench_context {
  const char *path;
  const char *text;
  size_t size;
  sn_status status;
} bench_context;

static void load_model(bench_context *c, const char *path) {
  sn_arena arena, notes;
  sn_arena_init_growing(&arena, "robot", 0);
  sn_arena_init_growing(&notes, "report", 0);
  sn_report *report = NULL;
  sn_report_create(&notes, &report, NULL);
  const sn_model *model = NULL;
  sn_error err;
  c->status = path == NULL ? sn_model_parse(&arena, c->text, c->size, NULL, report, &model, &err)
                           : sn_model_load(&arena, path, NULL, report, &model, &err);
  if (c->status != SN_OK) {
    fprintf(stderr, "%s\n", err.message);
    exit(1);
  }
  sn_arena_release(&notes);
  sn_arena_release(&arena);
}

static void parse(void *context, size_t index) {
  (void)index;
  load_model(context, NULL);
}

static void load(void *context, size_t index) {
  (void)index;
  load_model(context, ((bench_context *)context)->path);
}

static char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *text = malloc(SN_URDF_SIZE_MAX);
  *size = file == NULL || text == NULL ? 0 : fread(text, 1, SN_URDF_SIZE_MAX, file);
  if (file != NULL) {
    fclose(file);
  }
  return text;
}

static void run_round(char *path) {
  char robot[64];
  bench_robot_name(path, robot, sizeof robot);
  bench_context c = {.path = path};
  char *text = read_file(path, &c.size);
  c.text = text;
  bench_case what = {.library = "sinew",
                     .name = "parse",
                     .robot = robot,
                     .calls_per_batch = 1,
                     .batch_count = LOADS,
                     .is_processor_time = 1};
  bench_run(&what, parse, &c);
  what.name = "load";
  bench_run(&what, load, &c);
  free(text);
  static const bench_library peer = {"peer_urdfdom",
                                     "liborocos-kdl-dev libkdl-parser-dev liburdfdom-dev"};
  char count[16];
  snprintf(count, sizeof count, "%d", LOADS);
  bench_peer_beside(&peer, (char *[]){path, count, NULL});
}

static void run(char *path) {
  for (size_t round = 0; round < ROUNDS; round++) {
    run_round(path);
  }
}

int main(int argc, char **argv) {
  static char robots[][256] = {BENCH_ROBOTS "/arm6.urdf", BENCH_ROBOTS "/arm7.urdf",
                               BENCH_ROBOTS "/arm_ur.urdf", BENCH_ROBOTS "/quadruped.urdf"};
  for (int i = 1; i < argc; i++) {
    run(argv[i]);
  }
  for (size_t i = 0; argc < 2 && i < sizeof robots / sizeof *robots; i++) {
    run(robots[i]);
  }
  bench_summary();
  return 0;
}
