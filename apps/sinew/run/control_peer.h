/** @file
 *  One client of the control socket: its bytes in and out, its request in execution, its streams.
 * Its memory is bounded: one line in, one line out, and one answer. Messages of streams stay in
 * their tap. */
#ifndef SINEW_APP_CONTROL_PEER_H
#define SINEW_APP_CONTROL_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "remote/pool.h"
#include "remote/request.h"
#include "remote/stop_line.h"

typedef struct control_stream {
  sn__remote_tap *tap; /**< NULL: free */
  bool is_over;        /**< nothing more is sent; close the tap */
  char id[SN__REMOTE_ID_SIZE];
  int64_t period_ns;
  int64_t next_ns;  /**< when the next event is due */
  uint64_t count;   /**< events until the end; 0: no end */
  uint64_t sent;    /**< events so far */
  uint64_t serial;  /**< of the message that was sent last */
  uint64_t written; /**< messages of the port before the stream began */
  uint64_t dropped; /**< messages that were written but not sent */
} control_stream;

typedef struct control_peer {
  sn__remote_job job; /**< first: a job is its peer */
  bool is_open;       /**< false: this entry is free; all zero */
  int fd;
  bool is_busy;      /**< the pool owns line, request, answer and closing */
  bool has_answer;   /**< is not being sent yet */
  bool is_at_end;    /**< the client has closed its side */
  bool is_gone;      /**< the connection is of no use any more */
  bool is_stop_only; /**< beyond the limit: can only stop the robot */
  int64_t opened_ns;
  int64_t heard_ns; /**< when it last sent something */

  sn__buffer in;
  size_t in_start;    /**< bytes before are processed */
  size_t in_searched; /**< bytes before hold no line end */
  size_t line_length; /**< of the current request, with its end */
  bool is_discarding; /**< skips the rest of a line that is too long */

  sn__buffer out;
  size_t out_sent;
  int64_t blocked_since_ns; /**< it does not read; 0: it does */

  sn__remote_request request;
  sn__remote_sources sources;
  sn__remote_answer answer;
  sn__stop_line stop_line; /**< if the request is an emergency stop */
  sn__remote_stop stop;
  control_stream streams[SN__REMOTE_STREAMS_MAX];
  sn__remote_tap *closing[SN__REMOTE_STREAMS_MAX]; /**< to be closed by the pool */
  size_t closing_count;
} control_peer;

/** Start serving a new client. */
void control_peer_open(control_peer *peer, int fd, const sn__remote_context *context,
                       int64_t now_ns);

/** Close and free everything. The pool must not own the job. */
void control_peer_close(control_peer *peer);

/** Read what has arrived, up to a bound. */
void control_peer_receive(control_peer *peer, int64_t now_ns);

/** Send as much as the socket accepts. */
void control_peer_send(control_peer *peer, int64_t now_ns);

/** May more bytes be read now? */
bool control_peer_wants_input(const control_peer *peer);

/** Is something to be sent? */
bool control_peer_wants_output(const control_peer *peer);

/** Submit the next job to the pool: a request, or taps to close. @return whether there was one */
bool control_peer_submit(control_peer *peer, sn__remote_pool *pool);

/** The pool has done the job. */
void control_peer_collect(control_peer *peer, int64_t now_ns);

/** Send what is ready: the answer first, then at most one event per stream. */
void control_peer_advance(control_peer *peer, sn__remote_counts *counts, int64_t now_ns);

/** Has it published? The client must be idle. */
bool control_peer_is_source(const control_peer *peer);

/** Does it have neither a request in execution nor an answer to send? */
bool control_peer_is_idle(const control_peer *peer);

/** Can its entry be reused? */
bool control_peer_is_over(const control_peer *peer);

/* ---- control_stream.c ---- */

/** Begin the stream that the answer has opened. */
void control_stream_begin(control_peer *peer, int64_t now_ns);

/** End the stream that the answer names. */
void control_stream_cancel(control_peer *peer);

/** Send one event of each stream that is due. */
void control_streams_advance(control_peer *peer, sn__remote_counts *counts, int64_t now_ns);

/** @return when the next stream is due; INT64_MAX: never */
int64_t control_peer_next_ns(const control_peer *peer);

/** Does it have streams open? */
bool control_peer_has_streams(const control_peer *peer);

#endif
