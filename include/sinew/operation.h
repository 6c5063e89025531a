/** @file
 *  Operations: what a component does on request. Arguments and results are messages, so that an
 *  operation can be called from C, from the command line, from the cockpit and from ROS alike.
 *
 *  A *client-thread* operation runs in the thread of the caller, an *own-thread* operation in that
 *  of the component, at the start of its next cycle, while the caller waits. */
#ifndef SINEW_OPERATION_H
#define SINEW_OPERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

struct sn_component;
struct sn__operation;

/** The function of an operation.
 *  @param request, response  messages of the declared types, or NULL
 *  @param err  receives the reason of a failure; never NULL
 *  @return SN_OK, or a failure with its reason */
typedef sn_status sn_operation_function(struct sn_component *component, const void *request,
                                        void *response, sn_error *err);

/** Where an operation runs, and whether it changes anything: `SN_OWN_THREAD | SN_READ_ONLY`. */
typedef enum sn_operation_flags {
  SN_CLIENT_THREAD = 0, /**< runs in any thread at any time: must not access the data of step() */
  SN_OWN_THREAD = 1,    /**< in the component's thread, between steps; only while it is running */
  SN_READ_ONLY = 2,     /**< changes nothing: clients with read-only access may call it */
  SN_IN_PARTS = 4       /**< client-thread: it changes the system only by calling own-thread
                             operations and setting properties. The journal records these, each in
                             its cycle, and a replay does not call the operation itself */
} sn_operation_flags;

/** One operation; constant data. A table ends with an entry without a name. */
typedef struct sn_operation {
  const char *name;
  unsigned flags;              /**< of sn_operation_flags */
  const sn_msg_type *request;  /**< NULL: no arguments */
  const sn_msg_type *response; /**< NULL: only the status */
  sn_operation_function *run;
  const char *doc; /**< one sentence */
} sn_operation;

/** An operation of another component, resolved. Filled by sn_caller_open(). Treat the fields as
 *  private. */
typedef struct sn_caller {
  sn_operation_function *run;
  struct sn_component *component;
  const sn_operation *operation;
  struct sn__operation *own_thread; /**< NULL for a client-thread operation */
  int64_t timeout_ns;
  bool is_outside; /**< from sn_caller_open(): the journal records its calls */
} sn_caller;

/** Default time-out of calls of own-thread operations. */
#define SN_CALL_TIMEOUT_NS INT64_C(1000000000)

/** @return whether it is connected to an operation.  RT: yes.  Threads: any. */
static inline bool sn_caller_is_ready(const sn_caller *caller) {
  return caller->run != NULL;
}

/** Private: call through the component's thread, or record the call in the journal. */
SN_API sn_status sn__call_own_thread(const sn_caller *caller, const void *request, void *response,
                                     sn_error *err);

/** Call and wait for the response.
 *  @param err  receives the reason on failure; must not be NULL
 *  @return what the operation returned; and for an own-thread operation SN_ESTOPPED (its component
 *          does not run), SN_ETIMEDOUT, SN_EBUSY (too many calls are queued), SN_EDEADLOCK (its
 * thread waits, directly or through others, for this one), SN_ENOSPC (the request, or the response,
 * does not fit). From within the component's own thread it runs at once. RT: client-thread as the
 * operation; own-thread no, waits.  Threads: any. */
static inline sn_status sn_call(const sn_caller *caller, const void *request, void *response,
                                sn_error *err) {
  return caller->own_thread == NULL && !caller->is_outside
             ? caller->run(caller->component, request, response, err)
             : sn__call_own_thread(caller, request, response, err);
}

SN_END_DECLS

#endif
