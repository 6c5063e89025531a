/** @file
 *  The protocol of the control socket without the socket: a line of JSON in, a line of JSON out
 *  (docs/control-socket.md). */
#ifndef SN_REMOTE_REQUEST_H
#define SN_REMOTE_REQUEST_H

#include "remote/remote.h"

/** Bytes of a line without its end: of any request, and of those that carry a value. */
#define SN__REMOTE_LINE_MAX ((size_t)64 * 1024)
#define SN__REMOTE_LONG_LINE_MAX ((size_t)1 << 20)

#define SN__REMOTE_ID_SIZE 80 /**< of an id as JSON, with its NUL */
#define SN__REMOTE_STREAMS_MAX 8
#define SN__REMOTE_RATE_HZ_MAX 200.0
#define SN__REMOTE_RATE_HZ 50.0

/** The answer to a request. */
typedef struct sn__remote_answer {
  sn__buffer reply;                   /**< the line with its end; never empty */
  sn__remote_tap *tap;                /**< a stream was opened; the caller owns it */
  char stream_id[SN__REMOTE_ID_SIZE]; /**< of the stream that was opened, or is to be closed */
  bool cancels;                       /**< close that stream */
  int64_t period_ns;                  /**< of the stream: at least this between two events */
  uint64_t count;                     /**< of the stream: events until its end; 0: no end */
} sn__remote_answer;

struct sn__remote_verb;

/** A request that has been read. */
typedef struct sn__remote_request {
  const sn__remote_context *context;
  const struct sn__remote_verb *verb;
  char id[SN__REMOTE_ID_SIZE]; /**< as JSON */
  json_t *json;
  size_t stream_count;         /**< that this client has open */
  sn__remote_sources *sources; /**< of this client; NULL: it cannot publish */
} sn__remote_request;

/** Read a line. If it is not a valid request, @p answer says why.
 *  @param request  zeroed by the caller, but for context, stream_count and sources
 *  @return whether it is valid: then sn__remote_request_run() or sn__remote_request_free() follows
 */
bool sn__remote_request_parse(sn__remote_request *request, const char *line, size_t length,
                              sn__remote_answer *answer);

/** May it wait for a component? Then it should not run in the lane of quick requests. */
bool sn__remote_request_is_slow(const sn__remote_request *request);

/** Is it needed to stop the robot? `names`, `help`, `stop` and calls of `emergencyStop`. */
bool sn__remote_request_is_stop(const sn__remote_request *request);

/** Execute it, write the answer, and free the request. */
void sn__remote_request_run(sn__remote_request *request, sn__remote_answer *answer);

void sn__remote_request_free(sn__remote_request *request);

/** Write an answer that reports an error. */
void sn__remote_answer_error(sn__remote_answer *answer, const char *id, sn_status status,
                             const char *message);

/** Wait for an emergency stop, and write the answer.
 *  @param is_call  the answer to the verb `call`, not to `stop` */
void sn__remote_answer_stop(sn__remote_answer *answer, const char *id, sn_system *system,
                            const sn__remote_stop *stop, bool is_call);

#endif
