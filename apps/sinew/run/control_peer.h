/** @file
 *  One client of the control socket: its bytes in and out, its one request under way, its streams.
 *  Memory is bounded by construction: one line in, one line out, one answer that waits for that
 *  line, and of a stream nothing but the latest message, which lies in its tap. */
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
  bool is_over;        /**< nothing more is sent; the tap is to be closed */
  char id[SN__REMOTE_ID_SIZE];
  int64_t period_ns;
  int64_t next_ns;  /**< when to look again */
  uint64_t count;   /**< events until the end; 0: no end */
  uint64_t sent;    /**< events so far */
  uint64_t serial;  /**< of the message that was sent last */
  uint64_t written; /**< messages of the port before the stream began */
  uint64_t dropped; /**< messages that were written but not sent */
} control_stream;

typedef struct control_peer {
  sn__remote_job job; /**< first: a job is its peer */
  int fd;             /**< -1: this place is free */
  bool is_busy;       /**< the pool has the job: line, request, answer and closing are the pool's */
  bool has_answer;    /**< is not yet on its way out */
  bool is_at_end;     /**< the client sends no more */
  bool is_gone;       /**< nothing can be sent any more */
  bool is_extra;      /**< has a place of the reserve: it can only stop the robot */
  int64_t opened_ns;
  int64_t heard_ns; /**< when its last bytes came */

  sn__buffer in;
  size_t in_start;    /**< bytes before are done with */
  size_t in_searched; /**< up to here there is no line end */
  size_t line_length; /**< of the line under way, with its end */
  bool is_discarding; /**< skips the rest of a line that was too long */

  sn__buffer out;
  size_t out_sent;
  int64_t blocked_since_ns; /**< it does not take what is for it; 0: it does */

  sn__remote_request request;
  sn__remote_sources sources;
  sn__remote_answer answer;
  sn__stop_line stop_line; /**< of an emergency stop, if that is what the request asks for */
  sn__remote_stop stop;
  control_stream streams[SN__REMOTE_STREAMS_MAX];
  sn__remote_tap *closing[SN__REMOTE_STREAMS_MAX]; /**< to be closed by the pool */
  size_t closing_count;
} control_peer;

/** Begin with a new client. */
void control_peer_open(control_peer *peer, int fd, const sn__remote_context *context,
                       int64_t now_ns);

/** Close and free, taps too. The pool must not have it. */
void control_peer_close(control_peer *peer);

/** Read what is there, up to a bound. */
void control_peer_receive(control_peer *peer, int64_t now_ns);

/** Send what is to be sent, as far as it goes. */
void control_peer_send(control_peer *peer, int64_t now_ns);

/** May more bytes be read now? */
bool control_peer_wants_input(const control_peer *peer);

/** Is something to be sent? */
bool control_peer_wants_output(const control_peer *peer);

/** Give the next thing there is to do to the pool: a request, or taps to close.
 *  @return whether there was any */
bool control_peer_submit(control_peer *peer, sn__remote_pool *pool);

/** The pool has done it. */
void control_peer_collect(control_peer *peer, int64_t now_ns);

/** Move what is ready towards the client: an answer before an event, at most one each. */
void control_peer_advance(control_peer *peer, sn__remote_counts *counts, int64_t now_ns);

/** Does it write to a component? It must be idle. */
bool control_peer_is_source(const control_peer *peer);

/** Is nothing of it under way: no request, no answer? */
bool control_peer_is_idle(const control_peer *peer);

/** Can its place be given to another? */
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
