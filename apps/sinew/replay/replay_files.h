/** @file
 *  Files that components of a recorded system read when they were configured, as they were then. */
#ifndef SINEW_APP_REPLAY_FILES_H
#define SINEW_APP_REPLAY_FILES_H

#include <stdbool.h>

#include "sinew/mcap.h"
#include "sinew/system.h"

typedef struct replay_files {
  char folder[64]; /**< of the copies; empty: none was needed */
} replay_files;

/** Let all components of @p system, none of which is configured, read what the recording holds: a
 *  run may have changed a file that it read at its beginning, such as its models of servos. Those
 *  of a recording that holds none are read as they are now.
 *  @return false if that cannot be */
bool replay_files_use(replay_files *files, sn_mcap_reader *reader, sn_system *system);

/** Remove the copies. */
void replay_files_remove(replay_files *files);

#endif
