#include "robot_tools/collision_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/print.h"

int collision_files_open(collision_files *files, robot *r, const char *name) {
  if (files->world_path != NULL &&
      sn_value_load(&r->report_arena, files->world_path, r->report, &files->world) != SN_OK) {
    problems_print(r->report);
    return EXIT_NO;
  }
  if (files->srdf_path != NULL && !file_bytes_open(files->srdf_path, &files->srdf)) {
    fprintf(stderr, "sinew %s: %s: %s\n", name, files->srdf_path, strerror(errno));
    return EXIT_NO;
  }
  return EXIT_GOOD;
}

void collision_files_close(collision_files *files) {
  file_bytes_close(&files->srdf);
}
