/** @file
 *  Files that components read when they are configured, as they were in the recorded run. */
#ifndef SINEW_APP_REPLAY_FILES_H
#define SINEW_APP_REPLAY_FILES_H

#include <stdbool.h>

#include "record/mcap.h"
#include "sinew/system.h"

typedef struct replay_files {
  char folder[64]; /**< of the copies; empty: none was needed */
} replay_files;

/** Make the components of @p system, before they are configured, read the copies in the recording:
 *  a run may change a file that it read at the start, such as its servo models. If the recording
 * has no copies, the files are read as they are.
 *  @return false on failure */
bool replay_files_use(replay_files *files, sn_mcap_reader *reader, sn_system *system);

/** Remove the copies. */
void replay_files_remove(replay_files *files);

#endif
