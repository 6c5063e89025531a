/* What can be said of a client without touching it. */
#include "run/control_peer.h"

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

bool control_peer_is_source(const control_peer *peer) {
  size_t count = 0;
  for (size_t i = 0; i < sizeof peer->sources.items / sizeof *peer->sources.items; i++) {
    count += peer->sources.items[i].source != NULL;
  }
  return count > 0;
}

bool control_peer_is_idle(const control_peer *peer) {
  return !peer->is_busy && !peer->has_answer && !control_peer_wants_output(peer);
}

bool control_peer_is_over(const control_peer *peer) {
  if (peer->is_busy || peer->closing_count > 0) {
    return false;
  }
  const bool has_more = peer->has_answer || control_peer_wants_output(peer);
  return !control_peer_has_streams(peer) && (peer->is_gone || (peer->is_at_end && !has_more));
}
