#include "remote/request.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "remote/inspect.h"
#include "remote/stop_line.h"
#include "remote/verbs.h"

void sn__remote_answer_error(sn__remote_answer *answer, const char *id, sn_status status,
                             const char *message) {
  sn__buffer *reply = &answer->reply;
  sn__buffer_clear(reply);
  sn__json_open(reply, NULL, '{');
  sn__json_raw(reply, "id", id, strlen(id));
  sn__json_bool(reply, "ok", false);
  sn__json_text(reply, "status", sn__remote_status_name(status));
  sn__json_text(reply, "error", message);
  sn__json_close(reply, '}');
  sn__buffer_append(reply, "\n", 1);
}

void sn__remote_answer_stop(sn__remote_answer *answer, const char *id, sn_system *system,
                            const sn__remote_stop *stop, bool is_call) {
  sn_error err = {SN_OK, ""};
  const sn_status status = sn__remote_stop_wait(system, stop, &err);
  sn__buffer *reply = &answer->reply;
  sn__buffer_clear(reply);
  sn__json_open(reply, NULL, '{');
  sn__json_raw(reply, "id", id, strlen(id));
  sn__json_bool(reply, "ok", status == SN_OK);
  if (status != SN_OK) {
    sn__json_text(reply, "status", sn__remote_status_name(status));
    sn__json_text(reply, "error", err.message);
    sn__remote_append_stop_parties(reply, "parties", system, stop->number);
  } else if (is_call) {
    sn__json_null(reply, "result");
  } else {
    sn__json_open(reply, "result", '{');
    sn__json_count(reply, "number", stop->number);
    sn__remote_append_stop_parties(reply, "parties", system, stop->number);
    sn__json_close(reply, '}');
  }
  sn__json_close(reply, '}');
  sn__buffer_append(reply, "\n", 1);
}

static const sn__remote_verb *find_verb(const char *name) {
  for (const sn__remote_verb *verb = sn__remote_verbs; verb->name != NULL; verb++) {
    if (strcmp(verb->name, name) == 0) {
      return verb;
    }
  }
  return NULL;
}

/* An id is echoed as it came: a number or a short text. */
static sn_status read_id(sn__remote_request *request, sn_error *err) {
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
    return sn__fail(err, SN_EINVAL, "the id must be an integer or a text of up to %d bytes",
                    SN__REMOTE_ID_SIZE - 3);
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

static sn_status check_arguments(const sn__remote_request *request, sn_error *err) {
  const sn__remote_verb *verb = request->verb;
  for (void *i = json_object_iter(request->json); i != NULL;
       i = json_object_iter_next(request->json, i)) {
    const char *name = json_object_iter_key(i);
    if (strcmp(name, "id") != 0 && strcmp(name, "verb") != 0 &&
        find_argument(verb->arguments, name) == NULL) {
      return sn__fail(err, SN_EINVAL, "'%s' takes no '%.60s'; it takes: %s", verb->name, name,
                      *verb->arguments == '\0' ? "nothing" : verb->arguments);
    }
  }
  for (const char *at = verb->arguments; *at != '\0';) {
    const size_t length = strcspn(at, " !");
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    if (at[length] == '!' && json_object_get(request->json, name) == NULL) {
      return sn__fail(err, SN_EINVAL, "'%s' needs '%s'", verb->name, name);
    }
    at += strcspn(at, " ");
    at += *at == ' ';
  }
  return SN_OK;
}

static sn_status read_request(sn__remote_request *request, size_t length, sn_error *err) {
  if (!json_is_object(request->json)) {
    return sn__fail(err, SN_EINVAL, "a request is an object: {\"id\":1,\"verb\":\"help\"}");
  }
  const sn_status status = read_id(request, err);
  if (status != SN_OK) {
    return status;
  }
  const char *name = json_string_value(json_object_get(request->json, "verb"));
  if (name == NULL) {
    return sn__fail(err, SN_EINVAL, "a request needs a 'verb', a text");
  }
  request->verb = find_verb(name);
  if (request->verb == NULL) {
    return sn__fail(err, SN_ENOENT, "unknown verb '%.60s'; 'help' lists them", name);
  }
  if (length > SN__REMOTE_LINE_MAX && !request->verb->is_long) {
    return sn__fail(err, SN_ELIMIT, "%zu bytes are too long for '%s', at most %zu", length,
                    request->verb->name, SN__REMOTE_LINE_MAX);
  }
  return check_arguments(request, err);
}

bool sn__remote_request_parse(sn__remote_request *request, const char *line, size_t length,
                              sn__remote_answer *answer) {
  strcpy(request->id, "null");
  sn_error err = {SN_OK, ""};
  json_error_t problem;
  request->json = json_loadb(line, length, JSON_REJECT_DUPLICATES, &problem);
  const sn_status status =
      request->json == NULL
          ? sn__fail(&err, SN_ESYNTAX, "JSON, column %d: %.150s", problem.column, problem.text)
          : read_request(request, length, &err);
  if (status != SN_OK) {
    sn__remote_answer_error(answer, request->id, status, err.message);
    sn__remote_request_free(request);
  }
  return status == SN_OK;
}

bool sn__remote_request_is_slow(const sn__remote_request *request) {
  return request->verb->is_slow;
}

bool sn__remote_request_is_stop(const sn__remote_request *request) {
  static const char *const verbs[] = {"names", "help", "stop"};
  for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
    if (strcmp(request->verb->name, verbs[i]) == 0) {
      return true;
    }
  }
  const char *name = json_string_value(json_object_get(request->json, "name"));
  return strcmp(request->verb->name, "call") == 0 && name != NULL && sn__is_stop_operation(name);
}

void sn__remote_request_run(sn__remote_request *request, sn__remote_answer *answer) {
  sn__buffer *reply = &answer->reply;
  sn__buffer_clear(reply);
  sn__json_open(reply, NULL, '{');
  sn__json_raw(reply, "id", request->id, strlen(request->id));
  sn__json_bool(reply, "ok", true);
  sn__buffer_append(reply, ",\"result\":", 10);
  sn_error err = {SN_OK, ""};
  const sn_status status = request->verb->run(request, answer, &err);
  sn__json_close(reply, '}');
  sn__buffer_append(reply, "\n", 1);
  if (status != SN_OK) {
    sn__remote_answer_error(answer, request->id, status,
                            err.message[0] == '\0' ? sn_status_text(status) : err.message);
  } else if (reply->failed) {
    sn__remote_tap_close(request->context->taps, answer->tap);
    answer->tap = NULL;
    sn__remote_answer_error(answer, request->id, SN_ELIMIT,
                            "the answer is longer than a line may be: ask for less");
  }
  sn__remote_request_free(request);
}

void sn__remote_request_free(sn__remote_request *request) {
  json_decref(request->json);
  request->json = NULL;
  request->verb = NULL;
}
