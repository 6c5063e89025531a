/* Messages from outside: `publish`. */
#include <stdlib.h>
#include <string.h>

#include "remote/remote_source.h"
#include "remote/verbs.h"
#include "sinew/msg_json.h"

sn_status sn__remote_source_open(sn__remote_sources *sources, sn_system *system, const char *port,
                                 sn_source **out, sn_error *err) {
  size_t place = SN__REMOTE_SOURCES_MAX;
  for (size_t i = SN__REMOTE_SOURCES_MAX; i-- > 0;) {
    if (sources->items[i].source == NULL) {
      place = i;
    } else if (strcmp(sources->items[i].port, port) == 0) {
      *out = sources->items[i].source;
      return SN_OK;
    }
  }
  if (place == SN__REMOTE_SOURCES_MAX) {
    return sn__fail(err, SN_ELIMIT, "%d inputs are written to already, the most of one client",
                    SN__REMOTE_SOURCES_MAX);
  }
  if (strlen(port) >= SN__REMOTE_PORT_SIZE) {
    return sn__fail(err, SN_ENOENT, "there is no input '%.60s…'", port);
  }
  const sn_status status = sn_source_open(system, port, NULL, &sources->items[place].source, err);
  if (status == SN_OK) {
    memcpy(sources->items[place].port, port, strlen(port) + 1);
    *out = sources->items[place].source;
  }
  return status;
}

void sn__remote_sources_close(sn__remote_sources *sources) {
  for (size_t i = 0; i < SN__REMOTE_SOURCES_MAX; i++) {
    sn_source_close(sources->items[i].source);
    sources->items[i].source = NULL;
  }
}

static sn_status write_message(sn_source *source, const json_t *message, sn_error *err) {
  const sn_msg_type *type = sn_source_type(source);
  char *text = json_dumps(message, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(17));
  if (text == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for the message");
  }
  sn_status status = sn_msg_from_json(type, text, strlen(text), sn_source_msg(source), err);
  free(text);
  if (status == SN_OK) {
    status = sn_source_write(source);
    if (status == SN_EINVAL) {
      return sn__fail(err, status, "%s: a number is missing or not finite", type->name);
    }
    if (status != SN_OK) {
      return sn__fail(err, status, "the input takes no more messages now");
    }
  }
  return status;
}

sn_status sn__remote_publish(sn__remote_request *request, sn__remote_answer *answer,
                             sn_error *err) {
  const char *name = NULL;
  sn_source *source = NULL;
  sn_status status = sn__remote_argument_text(request, "name", &name, err);
  if (status == SN_OK && request->sources == NULL) {
    status = sn__fail(err, SN_EINVAL, "messages are not published this way here");
  }
  if (status == SN_OK) {
    status = sn__remote_source_open(request->sources, request->context->system, name, &source, err);
  }
  if (status == SN_OK) {
    status = write_message(source, json_object_get(request->json, "message"), err);
  }
  if (status == SN_OK) {
    sn__buffer *reply = &answer->reply;
    sn__json_open(reply, NULL, '{');
    sn__json_text(reply, "port", name);
    sn__json_text(reply, "type", sn_source_type(source)->name);
    sn__json_close(reply, '}');
  }
  return status;
}
