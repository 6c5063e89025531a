#include "control_log.h"

#include "control_verbs.h"

void control_log_init(control_log *log) {
  *log = (control_log){.written = 0};
  pthread_mutex_init(&log->mutex, NULL);
}

void control_log_end(control_log *log) {
  pthread_mutex_destroy(&log->mutex);
}

void control_log_add(control_log *log, const sn_log_record *record) {
  pthread_mutex_lock(&log->mutex);
  control_log_line *line = &log->lines[log->written % CONTROL_LOG_LINES];
  log->written++;
  line->number = log->written;
  line->now_ns = record->now_ns;
  line->level = record->level;
  sn_log_format(record, line->text, sizeof line->text);
  pthread_mutex_unlock(&log->mutex);
}

bool control_log_get(control_log *log, uint64_t number, control_log_line *out) {
  pthread_mutex_lock(&log->mutex);
  const uint64_t oldest =
      log->written > CONTROL_LOG_LINES ? log->written - CONTROL_LOG_LINES + 1 : 1;
  const uint64_t wanted = number < oldest ? oldest : number;
  const bool is_there = wanted <= log->written;
  if (is_there) {
    *out = log->lines[(wanted - 1) % CONTROL_LOG_LINES];
  }
  pthread_mutex_unlock(&log->mutex);
  return is_there;
}

uint64_t control_log_written(control_log *log) {
  pthread_mutex_lock(&log->mutex);
  const uint64_t written = log->written;
  pthread_mutex_unlock(&log->mutex);
  return written;
}

const char *control_log_level_text(sn_log_level level) {
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
sn_status control_read_log(control_request *request, control_answer *answer, sn_error *err) {
  control_log *log = request->context->log;
  if (log == NULL) {
    return control_fail(err, SN_EUNSUPPORTED, "this system keeps no log");
  }
  double limit = 100.0;
  double since = 0.0;
  sn_status status = control_argument_number(request, "limit", 1.0, CONTROL_LOG_LINES, &limit, err);
  if (status == SN_OK) {
    status = control_argument_number(request, "since", 0.0, 9e15, &since, err);
  }
  if (status != SN_OK) {
    return status;
  }
  uint64_t number = (uint64_t)since;
  if (json_object_get(request->json, "since") == NULL) {
    const uint64_t written = control_log_written(log);
    number = written > (uint64_t)limit ? written - (uint64_t)limit + 1 : 1;
  }
  control_reply *reply = &answer->reply;
  reply_open(reply, NULL, '{');
  reply_open(reply, "lines", '[');
  control_log_line line;
  for (uint64_t k = 0; k < (uint64_t)limit && control_log_get(log, number, &line); k++) {
    reply_open(reply, NULL, '{');
    reply_count(reply, "number", line.number);
    reply_int(reply, "time_ns", line.now_ns);
    reply_text(reply, "level", control_log_level_text(line.level));
    reply_text(reply, "text", line.text);
    reply_close(reply, '}');
    number = line.number + 1;
  }
  reply_close(reply, ']');
  reply_count(reply, "next", number);
  reply_close(reply, '}');
  return SN_OK;
}
