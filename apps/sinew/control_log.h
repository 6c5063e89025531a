/** @file
 *  The last lines of the log, for those who ask later. The log's ring has one reader; that one puts
 *  here what it read. */
#ifndef SINEW_APP_CONTROL_LOG_H
#define SINEW_APP_CONTROL_LOG_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/log.h"

#define CONTROL_LOG_LINES 512

typedef struct control_log_line {
  uint64_t number; /**< counted from 1 */
  int64_t now_ns;
  sn_log_level level;
  char text[400];
} control_log_line;

typedef struct control_log {
  pthread_mutex_t mutex;
  uint64_t written; /**< lines so far */
  control_log_line lines[CONTROL_LOG_LINES];
} control_log;

void control_log_init(control_log *log);
void control_log_end(control_log *log);

/** Threads: any. */
void control_log_add(control_log *log, const sn_log_record *record);

/** Copy the line with this number, or the oldest that is still there if that one is gone.
 *  @return false if there is none yet.  Threads: any. */
bool control_log_get(control_log *log, uint64_t number, control_log_line *out);

/** Lines so far. */
uint64_t control_log_written(control_log *log);

/** `debug`, `info`, … */
const char *control_log_level_text(sn_log_level level);

#endif
