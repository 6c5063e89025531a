/** @file
 *  The last lines of the log, for clients. The reader of the system's log ring adds them. */
#ifndef SN_REMOTE_REMOTE_LOG_H
#define SN_REMOTE_REMOTE_LOG_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/log.h"

#define SN__REMOTE_LOG_LINES 512

typedef struct sn__remote_log_line {
  uint64_t number; /**< counted from 1 */
  int64_t now_ns;
  sn_log_level level;
  size_t message_at; /**< offset in the text; the source and ": " precede it */
  char text[400];
} sn__remote_log_line;

typedef struct sn__remote_log {
  pthread_mutex_t mutex;
  uint64_t written; /**< lines so far */
  sn__remote_log_line lines[SN__REMOTE_LOG_LINES];
} sn__remote_log;

void sn__remote_log_init(sn__remote_log *log);
void sn__remote_log_end(sn__remote_log *log);

/** Threads: any. */
void sn__remote_log_add(sn__remote_log *log, const sn_log_record *record);

/** Copy the line with this number, or the oldest that is left if that one has been overwritten.
 *  @return false: not written yet.  Threads: any. */
bool sn__remote_log_get(sn__remote_log *log, uint64_t number, sn__remote_log_line *out);

/** Lines so far. */
uint64_t sn__remote_log_written(sn__remote_log *log);

/** `debug`, `info`, … */
const char *sn__remote_log_level_text(sn_log_level level);

#endif
