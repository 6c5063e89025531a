#define _POSIX_C_SOURCE 200809L /* MSG_NOSIGNAL */

#include "run/control_peer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define INPUT_SIZE ((size_t)4096)

void control_peer_open(control_peer *peer, int fd, const sn__remote_context *context,
                       int64_t now_ns) {
  *peer = (control_peer){.is_open = true,
                         .fd = fd,
                         .in.max = SN__REMOTE_LONG_LINE_MAX + 2 * INPUT_SIZE,
                         .request.context = context,
                         .opened_ns = now_ns,
                         .heard_ns = now_ns};
  peer->request.sources = &peer->sources;
}

static void free_answer(sn__remote_answer *answer) {
  sn__buffer_free(&answer->reply);
  *answer = (sn__remote_answer){.tap = NULL};
}

void control_peer_close(control_peer *peer) {
  sn__remote_taps *taps = peer->request.context->taps;
  close(peer->fd);
  sn__buffer_free(&peer->in);
  sn__buffer_free(&peer->out);
  sn__remote_request_free(&peer->request);
  sn__remote_sources_close(&peer->sources);
  sn__remote_tap_close(taps, peer->answer.tap);
  free_answer(&peer->answer);
  for (size_t i = 0; i < SN__REMOTE_STREAMS_MAX; i++) {
    sn__remote_tap_close(taps, peer->streams[i].tap);
  }
  for (size_t i = 0; i < peer->closing_count; i++) {
    sn__remote_tap_close(taps, peer->closing[i]);
  }
  *peer = (control_peer){.is_open = false};
}

/* ---- bytes in ---- */

/* The next complete line. @return its length with its end, or 0 */
static size_t find_line(control_peer *peer) {
  const size_t unknown = peer->in.used - peer->in_searched;
  const char *end = unknown == 0 ? NULL : memchr(peer->in.data + peer->in_searched, '\n', unknown);
  if (end == NULL) {
    peer->in_searched = peer->in.used;
    return 0;
  }
  return (size_t)(end - peer->in.data) + 1 - peer->in_start;
}

static void drop_input(control_peer *peer, size_t length) {
  peer->in_start += length;
  peer->in_searched = peer->in_start;
  if (peer->in_start == peer->in.used) {
    peer->in_start = peer->in_searched = 0;
    sn__buffer_shrink(&peer->in, INPUT_SIZE); /* long lines are rare */
  }
}

/* Skip the rest of a line that is too long. */
static void discard(control_peer *peer) {
  const size_t length = find_line(peer);
  drop_input(peer, length > 0 ? length : peer->in.used - peer->in_start);
  peer->is_discarding = length == 0;
}

static void refuse_long_line(control_peer *peer) {
  char message[80];
  snprintf(message, sizeof message, "a line has more than %zu bytes", SN__REMOTE_LONG_LINE_MAX);
  sn__remote_answer_error(&peer->answer, "null", SN_ELIMIT, message);
  peer->has_answer = true;
  peer->is_discarding = peer->line_length == 0; /* its end has not arrived yet */
  drop_input(peer, peer->is_discarding ? peer->in.used - peer->in_start : peer->line_length);
}

/* Bytes are read only when no complete line is left, so they are moved once per read.
   @return where to read INPUT_SIZE bytes; NULL: no memory */
static char *make_room(control_peer *peer) {
  if (peer->in_start > 0) {
    memmove(peer->in.data, peer->in.data + peer->in_start, peer->in.used - peer->in_start);
    peer->in.used -= peer->in_start;
    peer->in_searched -= peer->in_start;
    peer->in_start = 0;
  }
  char *room = sn__buffer_reserve(&peer->in, INPUT_SIZE);
  peer->is_gone |= room == NULL;
  return room;
}

bool control_peer_wants_input(const control_peer *peer) {
  return !peer->is_gone && !peer->is_at_end && !peer->is_busy && !peer->has_answer;
}

void control_peer_receive(control_peer *peer, int64_t now_ns) {
  char *room = make_room(peer);
  if (room == NULL) {
    return;
  }
  const ssize_t count = recv(peer->fd, room, INPUT_SIZE, MSG_DONTWAIT);
  if (count < 0) {
    peer->is_gone = errno != EAGAIN && errno != EINTR;
    return;
  }
  peer->is_at_end = count == 0;
  peer->heard_ns = now_ns;
  peer->in.used += (size_t)count;
  if (peer->is_discarding) {
    discard(peer);
  }
}

/* ---- bytes out ---- */

bool control_peer_wants_output(const control_peer *peer) {
  return !peer->is_gone && peer->out_sent < peer->out.used;
}

void control_peer_send(control_peer *peer, int64_t now_ns) {
  while (control_peer_wants_output(peer)) {
    const ssize_t count = send(peer->fd, peer->out.data + peer->out_sent,
                               peer->out.used - peer->out_sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      peer->is_gone = errno != EAGAIN;
      peer->blocked_since_ns = peer->blocked_since_ns == 0 ? now_ns : peer->blocked_since_ns;
      return;
    }
    peer->blocked_since_ns = 0;
    peer->out_sent += (size_t)count;
  }
  peer->blocked_since_ns = 0;
  peer->out_sent = 0;
  sn__buffer_shrink(&peer->out, (size_t)64 * 1024);
}

/* ---- work ---- */

static control_peer *peer_of(sn__remote_job *job) {
  return (control_peer *)job; /* its first member */
}

/* Runs in the pool: closing a tap waits for the system's lock. */
static bool close_taps(sn__remote_job *job, sn__remote_lane lane) {
  (void)lane;
  control_peer *peer = peer_of(job);
  for (size_t i = 0; i < peer->closing_count; i++) {
    sn__remote_tap_close(peer->request.context->taps, peer->closing[i]);
  }
  peer->closing_count = 0;
  return true;
}

/* The system is stopped in the thread that reads the line; only the answer waits, in the urgent
   lane of the pool. @return whether the line asks for it */
static bool stop_at_once(control_peer *peer) {
  sn__stop_line *line = &peer->stop_line;
  if (!sn__stop_line_read(peer->in.data + peer->in_start, peer->line_length - 1, line)) {
    return false;
  }
  peer->stop = sn__remote_stop_request(peer->request.context->system, line->who, line->why);
  return true;
}

static bool answer_stop(sn__remote_job *job, sn__remote_lane lane) {
  (void)lane;
  control_peer *peer = peer_of(job);
  sn__remote_answer_stop(&peer->answer, peer->stop_line.id, peer->request.context->system,
                         &peer->stop, peer->stop_line.is_call);
  return true;
}

static void refuse_stop_only(control_peer *peer) {
  sn__remote_answer_error(&peer->answer, peer->request.id, SN_EBUSY,
                          "too many clients: this connection can only stop the robot; end another "
                          "client");
  sn__remote_request_free(&peer->request);
}

static bool run_request(sn__remote_job *job, sn__remote_lane lane) {
  control_peer *peer = peer_of(job);
  if (lane == SN__REMOTE_QUICK) {
    if (!sn__remote_request_parse(&peer->request, peer->in.data + peer->in_start,
                                  peer->line_length - 1, &peer->answer)) {
      return true;
    }
    if (peer->is_stop_only && !sn__remote_request_is_stop(&peer->request)) {
      refuse_stop_only(peer);
      return true;
    }
    if (sn__remote_request_is_slow(&peer->request)) {
      return false;
    }
  }
  sn__remote_request_run(&peer->request, &peer->answer);
  return true;
}

/* The line stays in the buffer until the request is answered. */
static bool submit_request(control_peer *peer, sn__remote_pool *pool) {
  if (peer->is_gone || peer->has_answer || peer->is_discarding) {
    return false;
  }
  while (peer->in_start < peer->in.used && peer->in.data[peer->in_start] == '\n') {
    drop_input(peer, 1); /* an empty line: a keep-alive */
  }
  peer->line_length = find_line(peer);
  const size_t length =
      peer->line_length == 0 ? peer->in.used - peer->in_start : peer->line_length - 1;
  if (length > SN__REMOTE_LONG_LINE_MAX) {
    refuse_long_line(peer);
    return false;
  }
  if (peer->line_length == 0) {
    return false;
  }
  peer->request.stream_count = 0;
  for (size_t i = 0; i < SN__REMOTE_STREAMS_MAX; i++) {
    peer->request.stream_count += peer->streams[i].tap != NULL;
  }
  peer->is_busy = true;
  peer->job.is_urgent = stop_at_once(peer);
  peer->job.run = peer->job.is_urgent ? answer_stop : run_request;
  sn__remote_pool_add(pool, &peer->job);
  return true;
}

bool control_peer_submit(control_peer *peer, sn__remote_pool *pool) {
  if (peer->is_busy) {
    return false;
  }
  for (size_t i = 0; i < SN__REMOTE_STREAMS_MAX; i++) {
    control_stream *stream = &peer->streams[i];
    if (stream->tap != NULL && (stream->is_over || peer->is_gone)) {
      peer->closing[peer->closing_count++] = stream->tap;
      stream->tap = NULL;
    }
  }
  if (peer->closing_count > 0) {
    peer->is_busy = true;
    peer->job.run = close_taps;
    peer->job.is_urgent = false;
    sn__remote_pool_add(pool, &peer->job);
    return true;
  }
  return submit_request(peer, pool);
}

void control_peer_collect(control_peer *peer, int64_t now_ns) {
  peer->is_busy = false;
  if (peer->job.run == close_taps) {
    return;
  }
  drop_input(peer, peer->line_length);
  peer->has_answer = true;
  peer->is_gone = peer->is_gone || peer->answer.reply.used == 0; /* out of memory */
  if (peer->answer.tap != NULL) {
    control_stream_begin(peer, now_ns);
  }
  if (peer->answer.cancels) {
    control_stream_cancel(peer);
  }
}

/* ---- state ---- */

void control_peer_advance(control_peer *peer, sn__remote_counts *counts, int64_t now_ns) {
  if (peer->is_gone || control_peer_wants_output(peer)) {
    return;
  }
  if (peer->has_answer && !peer->is_busy) {
    const sn__buffer empty = peer->out;
    peer->out = peer->answer.reply;
    peer->answer = (sn__remote_answer){.reply = empty};
    peer->has_answer = false;
    counts->requests++;
    control_peer_send(peer, now_ns);
  }
  control_streams_advance(peer, counts, now_ns);
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
