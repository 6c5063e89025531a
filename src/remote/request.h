/** @file
 *  One request of the control socket, without the socket: a line of JSON in, a line out
 *  (docs/control-socket.md). */
#ifndef SN_REMOTE_REQUEST_H
#define SN_REMOTE_REQUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "remote/remote_log.h"
#include "remote/remote_source.h"
#include "remote/remote_tap.h"
#include "sinew/system.h"

/** Bytes of a line without its end: of any request, and of those that carry a value. */
#define SN__REMOTE_LINE_MAX ((size_t)64 * 1024)
#define SN__REMOTE_LONG_LINE_MAX ((size_t)1 << 20)

#define SN__REMOTE_ID_SIZE 80 /**< of an id as JSON, with its NUL */
#define SN__REMOTE_STREAMS_MAX 8
#define SN__REMOTE_RATE_HZ_MAX 200.0
#define SN__REMOTE_RATE_HZ 50.0

/** What the server knows about itself; any thread may add. */
typedef struct sn__remote_counts {
  _Atomic uint64_t clients;  /**< connected now */
  _Atomic uint64_t requests; /**< answered */
  _Atomic uint64_t refused;  /**< connections, because all places were taken */
  _Atomic uint64_t events;   /**< of streams, sent */
  _Atomic uint64_t dropped;  /**< of streams, not sent because newer ones came */
} sn__remote_counts;

/** What requests are about. */
typedef struct sn__remote_context {
  sn_system *system;
  sn__remote_taps *taps;     /**< of streams; opened where quick requests run */
  sn__remote_log *log;       /**< NULL: no lines are kept */
  sn__remote_counts *counts; /**< NULL: nothing is told about the server */
  int64_t timeout_ns_max;    /**< the longest that an operation is waited for */
  bool is_network;           /**< clients come over a network: they name no files of this machine */
} sn__remote_context;

/** What came of a request. */
typedef struct sn__remote_answer {
  sn__buffer reply;                   /**< the line with its end; never empty */
  sn__remote_tap *tap;                /**< a stream was opened: the caller's from now on */
  char stream_id[SN__REMOTE_ID_SIZE]; /**< of the stream that was opened, or is to be closed */
  bool cancels;                       /**< close that stream */
  int64_t period_ns;                  /**< of the stream: at least this between two events */
  uint64_t count;                     /**< of the stream: events until its end; 0: no end */
} sn__remote_answer;

struct sn__remote_verb;

/** A request that has been read. */
typedef struct sn__remote_request {
  const sn__remote_context *context;
  const struct sn__remote_verb *verb; /**< NULL: not understood, answered already */
  char id[SN__REMOTE_ID_SIZE];        /**< as JSON */
  json_t *json;
  size_t stream_count;         /**< that this client has open */
  sn__remote_sources *sources; /**< of this client; NULL: it cannot publish */
} sn__remote_request;

/** Read a line. One that is not understood has its answer in @p answer.
 *  @param request  zeroed by the caller but for context, stream_count and sources; ends with
 *                  sn__remote_request_run(), or with sn__remote_request_free()
 *  @return whether it is to be run, by sn__remote_request_run() */
bool sn__remote_request_parse(sn__remote_request *request, const char *line, size_t length,
                              sn__remote_answer *answer);

/** The same with JSON that has been read, or made, by the caller: the request's from now on; NULL:
 *  there was no memory for it. */
bool sn__remote_request_take(sn__remote_request *request, json_t *json, sn__remote_answer *answer);

/** May it wait for others? Then it should not run where the quick ones do. */
bool sn__remote_request_is_slow(const sn__remote_request *request);

/** Is it needed to stop the robot? `names`, `help`, `stop` and calls of `emergencyStop`. */
bool sn__remote_request_is_stop(const sn__remote_request *request);

/** Do it, and free the request. */
void sn__remote_request_run(sn__remote_request *request, sn__remote_answer *answer);

void sn__remote_request_free(sn__remote_request *request);

/** The result in an answer, as JSON without what stands around it.
 *  @return NULL if it is a refusal; sn__remote_answer_reason() tells which */
const char *sn__remote_answer_result(const sn__remote_answer *answer, size_t *length);

/** Why an answer is a refusal, for people; cut to @p size. */
void sn__remote_answer_reason(const sn__remote_answer *answer, char *out, size_t size);

/** The answer to a line that is no request at all. */
void sn__remote_answer_error(sn__remote_answer *answer, const char *id, sn_status status,
                             const char *message);

/** The name of a status as in C: `SN_ENOENT`. */
const char *sn__remote_status_name(sn_status status);

#endif
