/* Streams of the control socket: events of an output, the latest message only. */
#include <string.h>

#include "msg/wire/msg_json_internal.h"
#include "run/control_peer.h"

void control_stream_begin(control_peer *peer, int64_t now_ns) {
  for (size_t i = 0; i < SN__REMOTE_STREAMS_MAX; i++) {
    control_stream *stream = &peer->streams[i];
    if (stream->tap == NULL) {
      *stream = (control_stream){.tap = peer->answer.tap,
                                 .period_ns = peer->answer.period_ns,
                                 .next_ns = now_ns,
                                 .serial = peer->answer.tap->serial,
                                 .written = sn_tap_counts(peer->answer.tap->tap).written,
                                 .count = peer->answer.count};
      memcpy(stream->id, peer->answer.stream_id, sizeof stream->id);
      peer->answer.tap = NULL;
      return;
    }
  }
}

void control_stream_cancel(control_peer *peer) {
  for (size_t i = 0; i < SN__REMOTE_STREAMS_MAX; i++) {
    if (strcmp(peer->streams[i].id, peer->answer.stream_id) == 0) {
      peer->streams[i].is_over = true;
    }
  }
}

static void write_line(sn__buffer *out, const control_stream *stream, const void *msg) {
  sn__json_open(out, NULL, '{');
  sn__json_raw(out, "id", stream->id, strlen(stream->id));
  sn__json_count(out, "number", stream->sent);
  sn__json_count(out, "dropped", stream->dropped);
  if (msg == NULL) {
    sn__json_null(out, "event");
  } else {
    sn__msg_append_json(out, "event", sn_tap_type(stream->tap->tap), msg);
  }
  sn__json_close(out, '}');
  sn__buffer_append(out, "\n", 1);
  if (stream->sent == stream->count) {
    sn__json_open(out, NULL, '{');
    sn__json_raw(out, "id", stream->id, strlen(stream->id));
    sn__json_text(out, "end", "count");
    sn__json_close(out, '}');
    sn__buffer_append(out, "\n", 1);
  }
}

/* The tap holds the latest message; those written in between are counted, never stored.
   @return whether there was a new one, which is in `out` now */
static bool write_event(control_peer *peer, control_stream *stream, sn__remote_counts *counts) {
  sn__remote_tap *tap = stream->tap;
  sn__remote_tap_update(tap);
  if (tap->serial == stream->serial) {
    return false;
  }
  stream->serial = tap->serial;
  stream->sent++;
  stream->is_over = stream->sent == stream->count;
  const uint64_t passed = stream->written + stream->sent;
  const uint64_t dropped = tap->written > passed ? tap->written - passed : 0;
  counts->dropped += dropped > stream->dropped ? dropped - stream->dropped : 0;
  stream->dropped = dropped;
  write_line(&peer->out, stream, tap->msg);
  if (peer->out.failed) { /* too long for a line: send null instead */
    sn__buffer_clear(&peer->out);
    write_line(&peer->out, stream, NULL);
  }
  peer->is_gone = peer->is_gone || peer->out.failed; /* out of memory */
  counts->events++;
  return true;
}

void control_streams_advance(control_peer *peer, sn__remote_counts *counts, int64_t now_ns) {
  for (size_t i = 0; i < SN__REMOTE_STREAMS_MAX && !control_peer_wants_output(peer); i++) {
    control_stream *stream = &peer->streams[i];
    if (stream->tap == NULL || stream->is_over || stream->next_ns > now_ns) {
      continue;
    }
    stream->next_ns = now_ns + stream->period_ns;
    if (write_event(peer, stream, counts)) {
      control_peer_send(peer, now_ns);
    }
  }
}

int64_t control_peer_next_ns(const control_peer *peer) {
  int64_t next_ns = INT64_MAX;
  for (size_t i = 0; i < SN__REMOTE_STREAMS_MAX; i++) {
    const control_stream *stream = &peer->streams[i];
    if (stream->tap != NULL && !stream->is_over && stream->next_ns < next_ns) {
      next_ns = stream->next_ns;
    }
  }
  return peer->is_gone || control_peer_wants_output(peer) ? INT64_MAX : next_ns;
}

bool control_peer_has_streams(const control_peer *peer) {
  size_t streams = 0;
  for (size_t i = 0; i < SN__REMOTE_STREAMS_MAX; i++) {
    streams += peer->streams[i].tap != NULL;
  }
  return streams > 0;
}
