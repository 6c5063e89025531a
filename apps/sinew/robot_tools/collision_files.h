/** @file
 *  The files that commands about collisions read besides the robot: SRDF and world. */
#ifndef SINEW_APP_COLLISION_FILES_H
#define SINEW_APP_COLLISION_FILES_H

#include "common/file_bytes.h"
#include "common/robot.h"
#include "sinew/value.h"

typedef struct collision_files {
  const char *srdf_path, *world_path; /**< from the command line; NULL: none */
  file_bytes srdf;
  const sn_value *world; /**< NULL: none */
} collision_files;

/** Entries of a table of options; @p at is the place of the collision_files. */
#define COLLISION_SRDF_OPTION(at)                                                       \
  {                                                                                     \
    "--srdf", "FILE", OPTION_TEXT, (at) + offsetof(collision_files, srdf_path),         \
        .help = "SRDF file with pairs of links that are not checked", .word = WORD_FILE \
  }
#define COLLISION_WORLD_OPTION(at)                                                \
  {                                                                               \
    "--world", "FILE", OPTION_TEXT, (at) + offsetof(collision_files, world_path), \
        .help = "YAML file with objects around the robot", .word = WORD_FILE      \
  }

/** Read the files. Close in any case.
 *  @return EXIT_GOOD, or EXIT_NO with the reason on standard error */
int collision_files_open(collision_files *files, robot *r, const char *name);
void collision_files_close(collision_files *files);

#endif
