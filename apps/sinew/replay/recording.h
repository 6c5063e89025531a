/** @file
 *  A recording from the command line: opened, read message by message, its faults told. */
#ifndef SINEW_APP_RECORDING_H
#define SINEW_APP_RECORDING_H

#include <stdbool.h>

#include "sinew/mcap.h"

typedef struct recording {
  sn_arena arena;
  sn_mcap_reader *reader;
  const char *path;
  bool is_quiet;   /**< its faults were told before */
  bool is_refused; /**< something in it cannot be read */
} recording;

/** Open a file for messages of one topic, or NULL for all; says why if it cannot.
 *  @return false if it cannot be opened; there is nothing to close then */
bool recording_open(recording *r, const char *path, const char *topic);
void recording_close(recording *r);

/** The next message; what is damaged is told on standard error and passed over.
 *  @return false at the end, or if the rest cannot be read */
bool recording_next(recording *r, sn_mcap_message *message);

#endif
