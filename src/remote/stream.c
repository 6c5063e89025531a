/* Streams from outside: `echo` begins one, `cancel` ends it. Events are sent by the server. */
#include <stdio.h>
#include <string.h>

#include "remote/verbs.h"

sn_status sn__remote_echo(sn__remote_request *request, sn__remote_answer *answer, sn_error *err) {
  const char *name = NULL;
  double rate_Hz = SN__REMOTE_RATE_HZ;
  double count = 0.0;
  sn_status status = sn__remote_argument_text(request, "name", &name, err);
  if (status == SN_OK) {
    status =
        sn__remote_argument_number(request, "rate", 1e-3, SN__REMOTE_RATE_HZ_MAX, &rate_Hz, err);
  }
  if (status == SN_OK) {
    status = sn__remote_argument_number(request, "count", 0.0, 9e15, &count, err);
  }
  if (status == SN_OK && request->stream_count >= SN__REMOTE_STREAMS_MAX) {
    status = sn__fail(err, SN_ELIMIT, "%d streams are open already, the most of one client",
                      SN__REMOTE_STREAMS_MAX);
  }
  if (status == SN_OK) {
    status = sn__remote_tap_open(request->context->taps, request->context->system, name,
                                 &answer->tap, err);
  }
  if (status != SN_OK) {
    return status;
  }
  snprintf(answer->stream_id, sizeof answer->stream_id, "%s", request->id);
  answer->period_ns = (int64_t)(1e9 / rate_Hz);
  answer->count = (uint64_t)count;
  sn__buffer *reply = &answer->reply;
  sn__json_open(reply, NULL, '{');
  sn__json_text(reply, "port", name);
  sn__json_text(reply, "type", sn_tap_type(answer->tap->tap)->name);
  sn__json_close(reply, '}');
  return SN_OK;
}

/* A stream that has ended meanwhile is no mistake: the two may cross on their way. */
sn_status sn__remote_cancel(sn__remote_request *request, sn__remote_answer *answer, sn_error *err) {
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
