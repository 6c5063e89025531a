#include "control_request.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control_verbs.h"
#include "sinew/fault.h"

const control_verb control_verbs[] = {
    {"ls", "", "All components with type, state, activity and time.", false, false, control_ls},
    {"names", "", "The names of everything, for completion.", false, false, control_names},
    {"describe", "name!", "Everything about one component, or about one of its ports.", false,
     false, control_describe},
    {"get", "name!", "The value of 'component.property', or of all properties.", false, false,
     control_get},
    {"set", "name! value text", "Give 'component.property' a value: JSON, or a text in YAML.", true,
     true, control_set},
    {"call", "name! arguments timeout",
     "Call 'component.operation'; configure, start, stop, cleanup and recover are always there.",
     true, true, control_call},
    {"echo", "name! rate count", "Stream what 'component.port' writes, the latest only.", false,
     false, control_echo},
    {"cancel", "stream!", "End the stream that the request with this id began.", false, false,
     control_cancel},
    {"top", "histograms", "How activities and components spend their time.", false, false,
     control_top},
    {"log", "since limit", "Lines of the log, from the number 'since' on.", false, false,
     control_read_log},
    {"connect", "from! to! buffer overflow delayed", "Connect an output to an input.", true, false,
     control_connect},
    {"disconnect", "from! to!", "Undo a connection.", true, false, control_disconnect},
    {"help", "", "The verbs.", false, false, control_help},
    {NULL, NULL, NULL, false, false, NULL},
};

const char *control_status_name(sn_status status) {
  switch (status) {
#define STATUS_NAME(name, value, text) \
  case name:                           \
    return #name;
    SN_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
  }
  return "SN_EINVAL";
}

sn_status control_fail(sn_error *err, sn_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  err->code = status;
  vsnprintf(err->message, sizeof err->message, format, args);
  va_end(args);
  return status;
}

void control_answer_error(control_answer *answer, const char *id, sn_status status,
                          const char *message) {
  control_reply *reply = &answer->reply;
  control_reply_clear(reply);
  reply_open(reply, NULL, '{');
  reply_json(reply, "id", id, strlen(id));
  reply_bool(reply, "ok", false);
  reply_text(reply, "status", control_status_name(status));
  reply_text(reply, "error", message);
  reply_close(reply, '}');
  control_reply_bytes(reply, "\n", 1);
}

static const control_verb *find_verb(const char *name) {
  for (const control_verb *verb = control_verbs; verb->name != NULL; verb++) {
    if (strcmp(verb->name, name) == 0) {
      return verb;
    }
  }
  return NULL;
}

/* An id is echoed as it came: a number or a short text. */
static sn_status read_id(control_request *request, sn_error *err) {
  strcpy(request->id, "null");
  const json_t *id = json_object_get(request->json, "id");
  if (id == NULL || json_is_null(id)) {
    return SN_OK;
  }
  const size_t size = sizeof request->id - 1;
  size_t length = SIZE_MAX;
  if (json_is_integer(id) || json_is_string(id)) {
    length = json_dumpb(id, request->id, size, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
  }
  if (length > size) {
    strcpy(request->id, "null");
    return control_fail(err, SN_EINVAL, "the id must be an integer or a text of up to %d bytes",
                        CONTROL_ID_SIZE - 3);
  }
  request->id[length] = '\0';
  return SN_OK;
}

/* Does the list "a! b c" have the name? @return the byte behind it, or NULL */
static const char *find_argument(const char *list, const char *name) {
  const size_t length = strlen(name);
  while (*list != '\0') {
    const size_t here = strcspn(list, " !");
    if (here == length && length > 0 && memcmp(list, name, length) == 0) {
      return list + here;
    }
    list += strcspn(list, " ");
    list += *list == ' ';
  }
  return NULL;
}

static sn_status check_arguments(const control_request *request, sn_error *err) {
  const control_verb *verb = request->verb;
  for (void *i = json_object_iter(request->json); i != NULL;
       i = json_object_iter_next(request->json, i)) {
    const char *name = json_object_iter_key(i);
    if (strcmp(name, "id") != 0 && strcmp(name, "verb") != 0 &&
        find_argument(verb->arguments, name) == NULL) {
      return control_fail(err, SN_EINVAL, "'%s' takes no '%.60s'; it takes: %s", verb->name, name,
                          *verb->arguments == '\0' ? "nothing" : verb->arguments);
    }
  }
  for (const char *at = verb->arguments; *at != '\0';) {
    const size_t length = strcspn(at, " !");
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    if (at[length] == '!' && json_object_get(request->json, name) == NULL) {
      return control_fail(err, SN_EINVAL, "'%s' needs '%s'", verb->name, name);
    }
    at += strcspn(at, " ");
    at += *at == ' ';
  }
  return SN_OK;
}

static sn_status read_request(control_request *request, const char *line, size_t length,
                              sn_error *err) {
  json_error_t problem;
  request->json = json_loadb(line, length, JSON_REJECT_DUPLICATES, &problem);
  if (request->json == NULL) {
    return control_fail(err, SN_ESYNTAX, "JSON, column %d: %.150s", problem.column, problem.text);
  }
  if (!json_is_object(request->json)) {
    return control_fail(err, SN_EINVAL, "a request is an object: {\"id\":1,\"verb\":\"help\"}");
  }
  const sn_status status = read_id(request, err);
  if (status != SN_OK) {
    return status;
  }
  const char *name = json_string_value(json_object_get(request->json, "verb"));
  if (name == NULL) {
    return control_fail(err, SN_EINVAL, "a request needs a 'verb', a text");
  }
  request->verb = find_verb(name);
  if (request->verb == NULL) {
    return control_fail(err, SN_ENOENT, "there is no verb '%.60s'; 'help' lists them", name);
  }
  if (length > CONTROL_LINE_MAX && !request->verb->is_long) {
    return control_fail(err, SN_ELIMIT, "%zu bytes are too long for '%s', at most %zu", length,
                        request->verb->name, CONTROL_LINE_MAX);
  }
  return check_arguments(request, err);
}

bool control_request_parse(control_request *request, const char *line, size_t length,
                           control_answer *answer) {
  strcpy(request->id, "null");
  sn_error err = {SN_OK, ""};
  const sn_status status = read_request(request, line, length, &err);
  if (status == SN_OK) {
    return true;
  }
  control_answer_error(answer, request->id, status, err.message);
  control_request_free(request);
  return false;
}

bool control_request_is_slow(const control_request *request) {
  return request->verb->is_slow;
}

void control_request_run(control_request *request, control_answer *answer) {
  control_reply *reply = &answer->reply;
  control_reply_clear(reply);
  reply_open(reply, NULL, '{');
  reply_json(reply, "id", request->id, strlen(request->id));
  reply_bool(reply, "ok", true);
  control_reply_bytes(reply, ",\"result\":", 10);
  sn_error err = {SN_OK, ""};
  const sn_status status = request->verb->run(request, answer, &err);
  reply_close(reply, '}');
  control_reply_bytes(reply, "\n", 1);
  if (status != SN_OK) {
    control_answer_error(answer, request->id, status,
                         err.message[0] == '\0' ? sn_status_text(status) : err.message);
  } else if (reply->failed) {
    control_tap_close(request->context->taps, answer->tap);
    answer->tap = NULL;
    control_answer_error(answer, request->id, SN_ELIMIT,
                         "the answer is longer than a line may be: ask for less");
  }
  control_request_free(request);
}

void control_request_free(control_request *request) {
  json_decref(request->json);
  request->json = NULL;
  request->verb = NULL;
}

sn_status control_argument_text(const control_request *request, const char *name, const char **out,
                                sn_error *err) {
  const json_t *value = json_object_get(request->json, name);
  *out = json_string_value(value);
  if (value != NULL && *out == NULL) {
    return control_fail(err, SN_EINVAL, "'%s' must be a text", name);
  }
  return SN_OK;
}

sn_status control_argument_number(const control_request *request, const char *name, double min,
                                  double max, double *out, sn_error *err) {
  const json_t *value = json_object_get(request->json, name);
  if (value == NULL) {
    return SN_OK;
  }
  const double number = json_number_value(value);
  if (!json_is_number(value) || !(number >= min && number <= max)) {
    return control_fail(err, SN_EINVAL, "'%s' must be a number from %g to %g", name, min, max);
  }
  *out = number;
  return SN_OK;
}

sn_status control_help(control_request *request, control_answer *answer, sn_error *err) {
  (void)request;
  (void)err;
  control_reply *reply = &answer->reply;
  reply_open(reply, NULL, '[');
  for (const control_verb *verb = control_verbs; verb->name != NULL; verb++) {
    reply_open(reply, NULL, '{');
    reply_text(reply, "verb", verb->name);
    reply_text(reply, "arguments", verb->arguments);
    reply_text(reply, "purpose", verb->purpose);
    reply_close(reply, '}');
  }
  reply_close(reply, ']');
  return SN_OK;
}
