/* Expansion of xacro: bench_xacro FILE.xacro [PEER [ARGUMENT...]]; from the files to the text of
   the URDF. A peer is a program that expands FILE, its last argument, and prints lines as we do
   (tests/interop/xacro_bench.mjs, run with node). Both take turns for some rounds. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "model/urdf/xacro_load.h"

static void expand(void *context, size_t index) {
  (void)index;
  const char *path = context;
  sn_arena arena, notes;
  sn_arena_init_growing(&arena, "xacro", 256 * 1024);
  sn_arena_init_growing(&notes, "report", 0);
  sn_report *report = NULL;
  sn_packages *packages = NULL;
  sn_xacro_result result = {0};
  const sn_packages_config config = {.robot_file = path};
  if (sn_report_create(&notes, &report, NULL) != SN_OK ||
      sn__packages_create(&arena, &config, &packages, NULL) != SN_OK ||
      sn__xacro_load(&arena, path, packages, NULL, report, &result) != SN_OK) {
    fprintf(stderr, "%s: cannot be expanded\n", path);
    exit(1);
  }
  sn_arena_release(&notes);
  sn_arena_release(&arena);
}

int main(int argc, char **argv) {
  enum { ROUNDS = 5, PEER_ARGUMENTS_MAX = 8 };
  if (argc < 2 || argc > PEER_ARGUMENTS_MAX) {
    fprintf(stderr, "usage: bench_xacro FILE.xacro [PEER [ARGUMENT...]]\n");
    return 2;
  }
  char robot[64];
  char *peer[PEER_ARGUMENTS_MAX + 1] = {NULL};
  for (int i = 2; i < argc; i++) {
    peer[i - 2] = argv[i];
  }
  peer[argc - 2] = argv[1];
  bench_robot_name(argv[1], robot, sizeof robot);
  for (int round = 0; round < ROUNDS; round++) {
    const bench_case what = {.library = "sinew",
                             .name = "expand",
                             .robot = robot,
                             .calls_per_batch = 1,
                             .batch_count = 200,
                             .is_processor_time = 1};
    bench_run(&what, expand, argv[1]);
    if (argc > 2) {
      bench_peer(peer[0], peer);
    }
  }
  bench_summary();
  return 0;
}
