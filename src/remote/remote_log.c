#include "remote/remote_log.h"

#include <string.h>

#include "remote/verbs.h"

void sn__remote_log_init(sn__remote_log *log) {
  *log = (sn__remote_log){.written = 0};
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
  const bool is_there = wanted <= log->written;
  if (is_there) {
    *out = log->lines[(wanted - 1) % SN__REMOTE_LOG_LINES];
  }
  pthread_mutex_unlock(&log->mutex);
  return is_there;
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

/* `next` is what to ask for as `since` the next time. Without `since`: the last `limit` lines. */
sn_status sn__remote_read_log(sn__remote_request *request, sn__remote_answer *answer,
                              sn_error *err) {
  sn__remote_log *log = request->context->log;
  if (log == NULL) {
    return sn__fail(err, SN_EUNSUPPORTED, "this system keeps no log");
  }
  double limit = 100.0;
  double since = 0.0;
  sn_status status =
      sn__remote_argument_number(request, "limit", 1.0, SN__REMOTE_LOG_LINES, &limit, err);
  if (status == SN_OK) {
    status = sn__remote_argument_number(request, "since", 0.0, 9e15, &since, err);
  }
  if (status != SN_OK) {
    return status;
  }
  uint64_t number = (uint64_t)since;
  if (json_object_get(request->json, "since") == NULL) {
    const uint64_t written = sn__remote_log_written(log);
    number = written > (uint64_t)limit ? written - (uint64_t)limit + 1 : 1;
  }
  sn__buffer *reply = &answer->reply;
  sn__json_open(reply, NULL, '{');
  sn__json_open(reply, "lines", '[');
  sn__remote_log_line line;
  for (uint64_t k = 0; k < (uint64_t)limit && sn__remote_log_get(log, number, &line); k++) {
    sn__json_open(reply, NULL, '{');
    sn__json_count(reply, "number", line.number);
    sn__json_int(reply, "time_ns", line.now_ns);
    sn__json_text(reply, "level", sn__remote_log_level_text(line.level));
    sn__json_text(reply, "text", line.text);
    sn__json_close(reply, '}');
    number = line.number + 1;
  }
  sn__json_close(reply, ']');
  sn__json_count(reply, "next", number);
  sn__json_close(reply, '}');
  return SN_OK;
}
