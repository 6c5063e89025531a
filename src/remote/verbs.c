/* The verbs: arguments from JSON, a call of remote.h or inspect.h, the result as JSON. */
#include "remote/verbs.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "remote/inspect.h"

/* ---- arguments ---- */

/* @param out  NULL if it is missing; whether it may be is checked before */
static sn_status read_text(const sn__remote_request *request, const char *name, const char **out,
                           sn_error *err) {
  const json_t *value = json_object_get(request->json, name);
  *out = json_string_value(value);
  return value == NULL || *out != NULL ? SN_OK
                                       : sn__fail(err, SN_EINVAL, "'%s' must be a text", name);
}

/* @param out  untouched if it is missing */
static sn_status read_number(const sn__remote_request *request, const char *name, double min,
                             double max, double *out, sn_error *err) {
  const json_t *value = json_object_get(request->json, name);
  if (value == NULL) {
    return SN_OK;
  }
  const double number = json_number_value(value);
  if (!json_is_number(value) || !(number >= min && number <= max)) {
    return sn__fail(err, SN_EINVAL, "'%s' must be a number from %g to %g", name, min, max);
  }
  *out = number;
  return SN_OK;
}

static sn_status read_bool(const sn__remote_request *request, const char *name, bool *out,
                           sn_error *err) {
  const json_t *value = json_object_get(request->json, name);
  *out = json_is_true(value);
  return value == NULL || json_is_boolean(value)
             ? SN_OK
             : sn__fail(err, SN_EINVAL, "'%s' must be true or false", name);
}

/* ---- reports ---- */

static sn_status run_ls(sn__remote_request *request, sn__remote_answer *answer, sn_error *err) {
  (void)err;
  sn__remote_append_components(&answer->reply, request->context->system);
  return SN_OK;
}

static sn_status run_names(sn__remote_request *request, sn__remote_answer *answer, sn_error *err) {
  (void)err;
  sn__remote_append_names(&answer->reply, request->context->system);
  return SN_OK;
}

static sn_status run_describe(sn__remote_request *request, sn__remote_answer *answer,
                              sn_error *err) {
  const char *name = NULL;
  const sn_status status = read_text(request, "name", &name, err);
  return status != SN_OK
             ? status
             : sn__remote_append_description(&answer->reply, request->context->system, name, err);
}

static sn_status run_top(sn__remote_request *request, sn__remote_answer *answer, sn_error *err) {
  bool with_buckets = false;
  const sn_status status = read_bool(request, "histograms", &with_buckets, err);
  if (status == SN_OK) {
    sn__remote_append_timing(&answer->reply, request->context, with_buckets);
  }
  return status;
}

/* Without `since`: the last `limit` lines. */
static sn_status run_log(sn__remote_request *request, sn__remote_answer *answer, sn_error *err) {
  sn__remote_log *log = request->context->log;
  double limit = 100.0;
  double since = 0.0;
  sn_status status =
      log == NULL ? sn__fail(err, SN_EUNSUPPORTED, "this system keeps no log") : SN_OK;
  if (status == SN_OK) {
    status = read_number(request, "limit", 1.0, SN__REMOTE_LOG_LINES, &limit, err);
  }
  if (status == SN_OK) {
    status = read_number(request, "since", 0.0, 9e15, &since, err);
  }
  if (status != SN_OK) {
    return status;
  }
  uint64_t number = (uint64_t)since;
  if (json_object_get(request->json, "since") == NULL) {
    const uint64_t written = sn__remote_log_written(log);
    number = written > (uint64_t)limit ? written - (uint64_t)limit + 1 : 1;
  }
  sn__remote_append_log(&answer->reply, log, number, (uint64_t)limit);
  return SN_OK;
}

static sn_status run_help(sn__remote_request *request, sn__remote_answer *answer, sn_error *err) {
  (void)request, (void)err;
  sn__buffer *reply = &answer->reply;
  sn__json_open(reply, NULL, '[');
  for (const sn__remote_verb *verb = sn__remote_verbs; verb->name != NULL; verb++) {
    sn__json_open(reply, NULL, '{');
    sn__json_text(reply, "verb", verb->name);
    sn__json_text(reply, "arguments", verb->arguments);
    sn__json_text(reply, "purpose", verb->purpose);
    sn__json_close(reply, '}');
  }
  sn__json_close(reply, ']');
  return SN_OK;
}

/* ---- properties ---- */

static sn_status run_get(sn__remote_request *request, sn__remote_answer *answer, sn_error *err) {
  const char *name = NULL;
  const sn_status status = read_text(request, "name", &name, err);
  return status != SN_OK ? status
                         : sn__remote_get(request->context->system, name, &answer->reply, err);
}

/* The result is the new value. */
static sn_status run_set(sn__remote_request *request, sn__remote_answer *answer, sn_error *err) {
  const sn__remote_context *context = request->context;
  json_t *value = json_object_get(request->json, "value");
  const char *name = NULL;
  const char *text = NULL;
  sn_status status = read_text(request, "name", &name, err);
  if (status == SN_OK) {
    status = read_text(request, "text", &text, err);
  }
  if (status == SN_OK && (value == NULL) == (text == NULL)) {
    status = sn__fail(err, SN_EINVAL, "'set' needs either a 'value' or a 'text'");
  }
  if (status != SN_OK) {
    return status;
  }
  sn_system_hold(context->system);
  status = text == NULL ? sn__remote_set_json(context, name, value, err)
                        : sn__remote_set_text(context, name, text, err);
  if (status == SN_OK) {
    status = sn__remote_get(context->system, name, &answer->reply, err);
  }
  sn_system_release(context->system);
  return status;
}

/* ---- operations ---- */

static sn_status run_call(sn__remote_request *request, sn__remote_answer *answer, sn_error *err) {
  const char *name = NULL;
  double timeout_s = 1e-9 * (double)SN_CALL_TIMEOUT_NS;
  sn_status status = read_text(request, "name", &name, err);
  if (status == SN_OK) {
    status = read_number(request, "timeout", 0.0, 3600.0, &timeout_s, err);
  }
  if (status != SN_OK) {
    return status;
  }
  const size_t before = answer->reply.used;
  json_t *arguments = json_object_get(request->json, "arguments");
  status = sn__remote_call_json(request->context, name, arguments, timeout_s, &answer->reply, err);
  if (answer->reply.used == before) {
    sn__json_null(&answer->reply, NULL);
  }
  return status;
}

/* Servers execute the stop before they parse the line (remote/stop_line.h); this is for callers
   that have no such thread. */
static sn_status run_stop(sn__remote_request *request, sn__remote_answer *answer, sn_error *err) {
  sn_system *system = request->context->system;
  const char *who = json_string_value(json_object_get(request->json, "who"));
  const char *why = json_string_value(json_object_get(request->json, "why"));
  const sn__remote_stop stop =
      sn__remote_stop_request(system, who == NULL ? "" : who, why == NULL ? "" : why);
  const sn_status status = sn__remote_stop_wait(system, &stop, err);
  sn__json_open(&answer->reply, NULL, '{');
  sn__json_count(&answer->reply, "number", stop.number);
  sn__remote_append_stop_parties(&answer->reply, "parties", system, stop.number);
  sn__json_close(&answer->reply, '}');
  return status;
}

/* ---- messages ---- */

static void append_port(sn__buffer *reply, const char *name, const sn_msg_type *type) {
  sn__json_open(reply, NULL, '{');
  sn__json_text(reply, "port", name);
  sn__json_text(reply, "type", type->name);
  sn__json_close(reply, '}');
}

static sn_status run_publish(sn__remote_request *request, sn__remote_answer *answer,
                             sn_error *err) {
  const char *name = NULL;
  sn_source *source = NULL;
  sn_status status = read_text(request, "name", &name, err);
  if (status == SN_OK && request->sources == NULL) {
    status = sn__fail(err, SN_EINVAL, "this connection cannot publish");
  }
  if (status == SN_OK) {
    status = sn__remote_source_open(request->sources, request->context->system, name, &source, err);
  }
  if (status == SN_OK) {
    status = sn__remote_publish_json(source, json_object_get(request->json, "message"), err);
  }
  if (status == SN_OK) {
    append_port(&answer->reply, name, sn_source_type(source));
  }
  return status;
}

static sn_status run_echo(sn__remote_request *request, sn__remote_answer *answer, sn_error *err) {
  const char *name = NULL;
  double rate_Hz = SN__REMOTE_RATE_HZ;
  double count = 0.0;
  sn_status status = read_text(request, "name", &name, err);
  if (status == SN_OK) {
    status = read_number(request, "rate", 1e-3, SN__REMOTE_RATE_HZ_MAX, &rate_Hz, err);
  }
  if (status == SN_OK) {
    status = read_number(request, "count", 0.0, 9e15, &count, err);
  }
  if (status == SN_OK && request->stream_count >= SN__REMOTE_STREAMS_MAX) {
    status = sn__fail(err, SN_ELIMIT, "this client has %d streams open already, the maximum",
                      SN__REMOTE_STREAMS_MAX);
  }
  if (status == SN_OK) {
    status = sn__remote_tap_open(request->context->taps, request->context->system, name,
                                 &answer->tap, err);
  }
  if (status == SN_OK) {
    snprintf(answer->stream_id, sizeof answer->stream_id, "%s", request->id);
    answer->period_ns = (int64_t)(1e9 / rate_Hz);
    answer->count = (uint64_t)count;
    append_port(&answer->reply, name, sn_tap_type(answer->tap->tap));
  }
  return status;
}

/* A stream that has ended meanwhile is not an error: the two messages may cross. */
static sn_status run_cancel(sn__remote_request *request, sn__remote_answer *answer, sn_error *err) {
  const json_t *stream = json_object_get(request->json, "stream");
  const size_t size = sizeof answer->stream_id - 1;
  size_t length = SIZE_MAX;
  if (json_is_integer(stream) || json_is_string(stream) || json_is_null(stream)) {
    length = json_dumpb(stream, answer->stream_id, size, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
  }
  if (length > size) {
    return sn__fail(err, SN_EINVAL, "'stream' must be the id of a request");
  }
  answer->stream_id[length] = '\0';
  answer->cancels = true;
  sn__json_null(&answer->reply, NULL);
  return SN_OK;
}

/* ---- connections ---- */

static sn_status read_ends(const sn__remote_request *request, const char **from, const char **to,
                           sn_error *err) {
  const sn_status status = read_text(request, "from", from, err);
  return status == SN_OK ? read_text(request, "to", to, err) : status;
}

static sn_status read_connection(const sn__remote_request *request, sn_connection *connection,
                                 sn_error *err) {
  double buffer = 0.0;
  const char *overflow = NULL;
  *connection = (sn_connection){.overflow = SN_OVERFLOW_DROP_OLDEST};
  sn_status status = read_number(request, "buffer", 0.0, SN_BUFFER_MAX, &buffer, err);
  if (status == SN_OK) {
    status = read_text(request, "overflow", &overflow, err);
  }
  if (status == SN_OK) {
    status = read_bool(request, "delayed", &connection->delayed, err);
  }
  if (status != SN_OK) {
    return status;
  }
  connection->buffer = (size_t)buffer;
  if (overflow != NULL && strcmp(overflow, "refuse") == 0) {
    connection->overflow = SN_OVERFLOW_REFUSE;
  } else if (overflow != NULL && strcmp(overflow, "drop_oldest") != 0) {
    return sn__fail(err, SN_EINVAL, "'overflow' is '%.40s', expected drop_oldest or refuse",
                    overflow);
  }
  return SN_OK;
}

static sn_status run_connect(sn__remote_request *request, sn__remote_answer *answer,
                             sn_error *err) {
  const char *from = NULL;
  const char *to = NULL;
  sn_connection connection;
  sn_status status = read_ends(request, &from, &to, err);
  if (status == SN_OK) {
    status = read_connection(request, &connection, err);
  }
  if (status == SN_OK) {
    status = sn_system_connect(request->context->system, from, to, &connection, err);
  }
  sn__json_null(&answer->reply, NULL);
  return status;
}

static sn_status run_disconnect(sn__remote_request *request, sn__remote_answer *answer,
                                sn_error *err) {
  const char *from = NULL;
  const char *to = NULL;
  sn_status status = read_ends(request, &from, &to, err);
  if (status == SN_OK) {
    status = sn_system_disconnect(request->context->system, from, to, err);
  }
  sn__json_null(&answer->reply, NULL);
  return status;
}

/* ---- the table ---- */

const sn__remote_verb sn__remote_verbs[] = {
    {"ls", "", "All components with type, state, activity and time.", false, false, run_ls},
    {"names", "", "The names of everything, for completion.", false, false, run_names},
    {"describe", "name!", "Everything about one component, or about one of its ports.", false,
     false, run_describe},
    {"get", "name!", "The value of 'component.property', or of all properties.", false, false,
     run_get},
    {"set", "name! value text", "Give 'component.property' a value: JSON, or a text in YAML.", true,
     true, run_set},
    {"call", "name! arguments timeout",
     "Call 'component.operation'; configure, start, stop, cleanup and recover are always there.",
     true, true, run_call},
    {"stop", "who why", "The emergency stop of everything; the answer says whether it was obeyed.",
     true, false, run_stop},
    {"echo", "name! rate count", "Stream what 'component.port' writes, the latest only.", false,
     false, run_echo},
    {"cancel", "stream!", "End the stream that the request with this id began.", false, false,
     run_cancel},
    {"publish", "name! message!", "Write a message to the input 'component.port'.", true, true,
     run_publish},
    {"top", "histograms", "How activities and components spend their time.", false, false, run_top},
    {"log", "since limit", "Lines of the log, from the number 'since' on.", false, false, run_log},
    {"connect", "from! to! buffer overflow delayed", "Connect an output to an input.", true, false,
     run_connect},
    {"disconnect", "from! to!", "Undo a connection.", true, false, run_disconnect},
    {"help", "", "The verbs.", false, false, run_help},
    {NULL, NULL, NULL, false, false, NULL},
};
