/** @file
 *  One request of the control socket, without the socket: a line of JSON in, a line out
 *  (docs/control-socket.md). */
#ifndef SINEW_APP_CONTROL_REQUEST_H
#define SINEW_APP_CONTROL_REQUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control_log.h"
#include "control_reply.h"
#include "control_tap.h"
#include "sinew/system.h"

/** Bytes of a line without its end: of any request, and of those that carry a value. */
#define CONTROL_LINE_MAX ((size_t)64 * 1024)
#define CONTROL_LONG_LINE_MAX ((size_t)1 << 20)

#define CONTROL_ID_SIZE 80 /**< of an id as JSON, with its NUL */
#define CONTROL_STREAMS_MAX 8
#define CONTROL_RATE_HZ_MAX 200.0
#define CONTROL_RATE_HZ 50.0

/** What the server knows about itself; any thread may add. */
typedef struct control_counts {
  _Atomic uint64_t clients;  /**< connected now */
  _Atomic uint64_t requests; /**< answered */
  _Atomic uint64_t refused;  /**< connections, because all places were taken */
  _Atomic uint64_t events;   /**< of streams, sent */
  _Atomic uint64_t dropped;  /**< of streams, not sent because newer ones came */
} control_counts;

/** What requests are about. */
typedef struct control_context {
  sn_system *system;
  control_taps *taps;     /**< of streams; opened where quick requests run */
  control_log *log;       /**< NULL: no lines are kept */
  control_counts *counts; /**< NULL: nothing is told about the server */
  int64_t timeout_ns_max; /**< the longest that an operation is waited for */
} control_context;

/** What came of a request. */
typedef struct control_answer {
  control_reply reply;             /**< the line with its end; never empty */
  control_tap *tap;                /**< a stream was opened: the caller's from now on */
  char stream_id[CONTROL_ID_SIZE]; /**< of the stream that was opened, or is to be closed */
  bool cancels;                    /**< close that stream */
  int64_t period_ns;               /**< of the stream: at least this between two events */
  uint64_t count;                  /**< of the stream: events until its end; 0: no end */
} control_answer;

struct control_verb;

/** A request that has been read. */
typedef struct control_request {
  const control_context *context;
  const struct control_verb *verb; /**< NULL: not understood, answered already */
  char id[CONTROL_ID_SIZE];        /**< as JSON */
  json_t *json;
  size_t stream_count; /**< that this client has open */
} control_request;

/** Read a line. One that is not understood has its answer in @p answer.
 *  @param request  zeroed by the caller but for context and stream_count; ends with
 *                  control_request_run(), or with control_request_free()
 *  @return whether it is to be run, by control_request_run() */
bool control_request_parse(control_request *request, const char *line, size_t length,
                           control_answer *answer);

/** May it wait for others? Then it should not run where the quick ones do. */
bool control_request_is_slow(const control_request *request);

/** Do it, and free the request. */
void control_request_run(control_request *request, control_answer *answer);

void control_request_free(control_request *request);

/** The answer to a line that is no request at all. */
void control_answer_error(control_answer *answer, const char *id, sn_status status,
                          const char *message);

/** The name of a status as in C: `SN_ENOENT`. */
const char *control_status_name(sn_status status);

#endif
