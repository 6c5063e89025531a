/** @file
 *  What other processes can do with a running system, as C functions. The control socket
 *  (remote/request.h) and the Foxglove server translate their wire formats to these calls; reports
 *  about the system as a whole are in remote/inspect.h.
 *
 *  RT: no, but for sn__remote_stop_request().  Threads: any, unless stated otherwise. */
#ifndef SN_REMOTE_REMOTE_H
#define SN_REMOTE_REMOTE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "remote/remote_log.h"
#include "sinew/msg.h"
#include "sinew/system.h"
#include "sinew/tap.h"

/** Statistics of a server; any thread may add. */
typedef struct sn__remote_counts {
  _Atomic uint64_t clients;  /**< connected now */
  _Atomic uint64_t requests; /**< answered */
  _Atomic uint64_t refused;  /**< connections, because there were too many */
  _Atomic uint64_t events;   /**< of streams, sent */
  _Atomic uint64_t dropped;  /**< of streams, replaced by newer ones before they were sent */
} sn__remote_counts;

struct sn__remote_taps;

/** A system and the server that makes it accessible. */
typedef struct sn__remote_context {
  sn_system *system;
  struct sn__remote_taps *taps; /**< used by one thread, that of quick requests */
  sn__remote_log *log;          /**< NULL: no lines are kept */
  sn__remote_counts *counts;    /**< NULL: none */
  int64_t timeout_ns_max;       /**< upper bound of a call's timeout */
  bool is_network;              /**< clients come over a network: they may not set names of files */
} sn__remote_context;

/** Find `component` or `component.rest`. A component's name may contain a dot; the longest match
 *  wins. The caller holds the system.
 *  @param rest  what follows the component's name; NULL if nothing does
 *  @return SN_OK, SN_ENOENT or SN_EINVAL (longer than any name) */
sn_status sn__remote_find(sn_system *system, const char *name, sn_component **component,
                          const char **rest, sn_error *err);

/** The name of a status as in C: `SN_ENOENT`. */
const char *sn__remote_status_name(sn_status status);

/* ---- properties ---- */

/** Append the value of `component.property`, or of all properties of `component`, as JSON.
 *  @return SN_OK, SN_ENOENT, SN_ENOSPC (larger than the buffer may become) */
sn_status sn__remote_get(sn_system *system, const char *name, sn__buffer *out, sn_error *err);

/** The same for a component that the caller holds.
 *  @param member    the value's name in the object that is open; NULL: none
 *  @param path      NULL: all properties
 *  @param size_max  bytes; on failure @p out is as it was */
sn_status sn__remote_append_property(sn__buffer *out, const char *member, sn_system *system,
                                     sn_component *component, const char *path, size_t size_max,
                                     sn_error *err);

/** Set `component.property` to a parsed JSON value. The first problem is in @p err, with the number
 *  of the others.
 *  @return as sn_system_set(), SN_EINVAL (not the name of a property), or SN_EUNSUPPORTED (a file
 *  name, over the network) */
sn_status sn__remote_set_json(const sn__remote_context *context, const char *name, json_t *value,
                              sn_error *err);
/** Likewise with a text in YAML. */
sn_status sn__remote_set_text(const sn__remote_context *context, const char *name, const char *text,
                              sn_error *err);

/* ---- operations ---- */

/** A lifecycle operation, which every component has besides its own. */
typedef struct sn__remote_transition {
  const char *name;
  sn_status (*run)(sn_system *system, sn_component *component, sn_error *err);
  const char *doc;
} sn__remote_transition;

/** Ends with an entry without a name. */
extern const sn__remote_transition sn__remote_transitions[];

/** A call that is being prepared or is done. */
typedef struct sn__remote_call {
  const char *name;                        /**< of the operation, without the component */
  const sn_msg_type *request_type;         /**< NULL: no arguments */
  const sn_msg_type *response_type;        /**< NULL: no results */
  void *request;                           /**< zeroed; the caller fills it */
  void *response;                          /**< after sn__remote_call_run() */
  const sn__remote_transition *transition; /**< NULL: an operation of the component's own */
  const char *state;                       /**< of the component, after a transition */
  sn_system *system;
  sn_component *component; /**< of a transition */
  sn_caller caller;        /**< of an operation */
  sn_arena arena;          /**< of the messages */
} sn__remote_call;

/** Find `component.operation` and create its messages. A component's own operation hides a
 *  lifecycle operation of the same name.
 *  @return SN_OK (then sn__remote_call_close() ends it), SN_ENOENT, SN_ENOMEM */
sn_status sn__remote_call_open(sn__remote_call *call, sn_system *system, const char *name,
                               sn_error *err);
/** Call and wait. The system is not held meanwhile. @return as sn_call(), or of the transition */
sn_status sn__remote_call_run(sn__remote_call *call, int64_t timeout_ns, sn_error *err);
void sn__remote_call_close(sn__remote_call *call);

/** All of that with JSON. An operation `emergencyStop` is the emergency stop of the system,
 * whatever is wrong with its arguments.
 *  @param arguments  an object, which stays as it is; NULL: none
 *  @param timeout_s  cut to the context's maximum
 *  @param out        the result is appended; nothing if there is none */
sn_status sn__remote_call_json(const sn__remote_context *context, const char *name,
                               json_t *arguments, double timeout_s, sn__buffer *out, sn_error *err);

/** A message with room for 256 items, or for as many as the system's messages have, and for texts
 * as long as 4 MB allow; a type with lists of lists gets the default capacity.
 *  @return NULL: out of memory */
void *sn__remote_msg_create(sn_arena *arena, const sn_system *system, const sn_msg_type *type);

/* ---- publishing ---- */

#define SN__REMOTE_SOURCES_MAX 8
#define SN__REMOTE_PORT_SIZE 256 /**< of `component.port`, with its NUL */

/** The inputs that one client publishes to: opened by its first message to each, closed with the
 *  client. All zero is none. */
typedef struct sn__remote_sources {
  struct {
    sn_source *source; /**< NULL: free */
    char port[SN__REMOTE_PORT_SIZE];
  } items[SN__REMOTE_SOURCES_MAX];
} sn__remote_sources;

/** Find an input among those that are open, or open it.
 *  @return as sn_source_open(), or SN_ELIMIT (the client has SN__REMOTE_SOURCES_MAX open).
 *  Threads: one at a time. */
sn_status sn__remote_source_open(sn__remote_sources *sources, sn_system *system, const char *port,
                                 sn_source **out, sn_error *err);

/** Close all. Threads: as above. */
void sn__remote_sources_close(sn__remote_sources *sources);

typedef enum sn__remote_encoding { SN__REMOTE_JSON, SN__REMOTE_CDR } sn__remote_encoding;

/** Write a message to an input. Invalid ones are not written.
 *  @return SN_OK, as sn_msg_from_json() or sn_cdr_read(), SN_EINVAL (a number is not finite), or
 *  SN_EBUSY (the input's buffer is full).  Threads: one at a time. */
sn_status sn__remote_publish(sn_source *source, sn__remote_encoding encoding, const void *bytes,
                             size_t size, sn_error *err);
/** Likewise with a message that jansson has parsed. */
sn_status sn__remote_publish_json(sn_source *source, json_t *message, sn_error *err);

/* ---- subscribing ---- */

/** One output that clients subscribe to. However many they are, its component writes one copy. */
typedef struct sn__remote_tap {
  struct sn__remote_tap *next;
  sn_tap *tap;
  size_t users;
  uint64_t serial;  /**< of the latest message, counted from 1; the reader's, like what follows */
  uint64_t written; /**< messages so far, when the latest was read */
  const void *msg;  /**< the latest; NULL if there is none */
  char name[];      /**< `component.port` */
} sn__remote_tap;

/** All that are open. All zero is none. */
typedef struct sn__remote_taps {
  sn__remote_tap *first;
} sn__remote_taps;

/** Open an output, or share it.
 *  @return as sn_tap_open().  Threads: one opens and closes. */
sn_status sn__remote_tap_open(sn__remote_taps *taps, sn_system *system, const char *name,
                              sn__remote_tap **out, sn_error *err);

/** Close it for one user. NULL is allowed. Threads: as above. */
void sn__remote_tap_close(sn__remote_taps *taps, sn__remote_tap *tap);

/** Read the latest message into `msg` and `serial`. Threads: one reader. */
void sn__remote_tap_update(sn__remote_tap *tap);

/* ---- the emergency stop ---- */

/** A stop that was requested. */
typedef struct sn__remote_stop {
  uint64_t number;      /**< of the stop */
  int64_t requested_ns; /**< by the machine's clock */
} sn__remote_stop;

/** Stop now, in the thread that received the request. Neither locks nor allocates.
 *  RT: yes, but for the clock. */
sn__remote_stop sn__remote_stop_request(sn_system *system, const char *who, const char *why);

/** Wait until it is obeyed, at most until 100 ms after it was requested: in the urgent lane of a
 *  pool. @return SN_OK, or who did not obey in @p err */
sn_status sn__remote_stop_wait(sn_system *system, const sn__remote_stop *stop, sn_error *err);

#endif
