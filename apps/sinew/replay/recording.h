/** @file
 *  A recording from the command line: read message by message, with its faults printed. */
#ifndef SINEW_APP_RECORDING_H
#define SINEW_APP_RECORDING_H

#include <stdbool.h>

#include "record/mcap.h"

typedef struct recording {
  sn_arena arena;
  sn_mcap_reader *reader;
  const char *path;
  bool is_quiet;   /**< its faults were printed before */
  bool is_refused; /**< something in it cannot be read */
} recording;

/** Open a file for messages of one topic, or NULL for all; prints errors.
 *  @return false if it cannot be opened; then there is nothing to close */
bool recording_open(recording *r, const char *path, const char *topic);
void recording_close(recording *r);

/** The next message. Damaged parts are reported on standard error and skipped.
 *  @return false at the end, or if the rest cannot be read */
bool recording_next(recording *r, sn_mcap_message *message);

#endif
