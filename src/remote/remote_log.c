#include "remote/remote_log.h"

#include <string.h>

void sn__remote_log_init(sn__remote_log *log) {
  log->written = 0; /* a line is read only after it was written, so untouched ones take no memory */
  pthread_mutex_init(&log->mutex, NULL);
}

void sn__remote_log_end(sn__remote_log *log) {
  pthread_mutex_destroy(&log->mutex);
}

void sn__remote_log_add(sn__remote_log *log, const sn_log_record *record) {
  pthread_mutex_lock(&log->mutex);
  sn__remote_log_line *line = &log->lines[log->written % SN__REMOTE_LOG_LINES];
  log->written++;
  line->number = log->written;
  line->now_ns = record->now_ns;
  line->level = record->level;
  sn_log_format(record, line->text, sizeof line->text);
  const char *colon = record->source == NULL ? NULL : strstr(line->text, ": ");
  line->message_at = colon == NULL ? 0 : (size_t)(colon - line->text) + 2;
  pthread_mutex_unlock(&log->mutex);
}

bool sn__remote_log_get(sn__remote_log *log, uint64_t number, sn__remote_log_line *out) {
  pthread_mutex_lock(&log->mutex);
  const uint64_t oldest =
      log->written > SN__REMOTE_LOG_LINES ? log->written - SN__REMOTE_LOG_LINES + 1 : 1;
  const uint64_t wanted = number < oldest ? oldest : number;
  const bool is_written = wanted <= log->written;
  if (is_written) {
    *out = log->lines[(wanted - 1) % SN__REMOTE_LOG_LINES];
  }
  pthread_mutex_unlock(&log->mutex);
  return is_written;
}

uint64_t sn__remote_log_written(sn__remote_log *log) {
  pthread_mutex_lock(&log->mutex);
  const uint64_t written = log->written;
  pthread_mutex_unlock(&log->mutex);
  return written;
}

const char *sn__remote_log_level_text(sn_log_level level) {
  switch (level) {
    case SN_LOG_DEBUG:
      return "debug";
    case SN_LOG_INFO:
      return "info";
    case SN_LOG_WARNING:
      return "warning";
    case SN_LOG_ERROR:
      return "error";
  }
  return "error";
}
