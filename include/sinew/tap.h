/** @file
 *  Access from outside a system: read outputs, write inputs and call operations from threads that
 *  belong to no component (a server, a recorder, a test). */
#ifndef SINEW_TAP_H
#define SINEW_TAP_H

#include <stddef.h>

#include "sinew/api.h"
#include "sinew/component.h"
#include "sinew/port.h"
#include "sinew/status.h"
#include "sinew/system.h"

SN_BEGIN_DECLS

/** Reads an output without affecting its other readers. Opaque. */
typedef struct sn_tap sn_tap;

/** @param from        `component.port`
 *  @param connection  NULL: the latest message only
 *  @return SN_OK, SN_ENOENT, SN_EINVAL, SN_ENOMEM
 *  RT: no.  Threads: any. */
SN_API sn_status sn_tap_open(sn_system *system, const char *from, const sn_connection *connection,
                             sn_tap **out, sn_error *err);
/** As sn_input_read(). RT: yes, but a shared tap may wait while another one distributes messages.
 *  Threads: one reader. */
SN_API const void *sn_tap_read(sn_tap *tap, sn_flow *flow);
SN_API const sn_msg_type *sn_tap_type(const sn_tap *tap) SN_RT;
SN_API sn_port_counts sn_tap_counts(const sn_tap *tap) SN_RT;
/** Disconnect and free. NULL is allowed. RT: no. */
SN_API void sn_tap_close(sn_tap *tap);

/** Writes to an input that has no writer. Opaque. */
typedef struct sn_source sn_source;

/** @param to  `component.port`; an SN_PORT_MANY gets one more input
 *  @return SN_OK, SN_ENOENT, SN_EINVAL (it has a writer, or is not an input), SN_EBUSY (one more
 *          input while the component runs), SN_ENOMEM */
SN_API sn_status sn_source_open(sn_system *system, const char *to, const sn_connection *connection,
                                sn_source **out, sn_error *err);
SN_API const sn_msg_type *sn_source_type(const sn_source *source) SN_RT;
/** The message to fill. RT: yes.  Threads: one writer. */
SN_API void *sn_source_msg(sn_source *source) SN_RT;
/** Send it. @return as sn_output_write(). RT: yes, except for waking the component's activity. */
SN_API sn_status sn_source_write(sn_source *source);
SN_API sn_port_counts sn_source_counts(const sn_source *source) SN_RT;
SN_API void sn_source_close(sn_source *source);

/** Resolve an operation by `component.operation`. The component cannot be removed until
 *  sn_caller_close().
 *  @return SN_OK or SN_ENOENT.  RT: no.  Threads: any. */
SN_API sn_status sn_caller_open(sn_system *system, const char *operation, sn_caller *caller,
                                sn_error *err);
/** Queue a call without waiting: it runs at the start of the component's next cycle, and its
 *  response is discarded. A client-thread operation runs at once.
 *  @return SN_OK; SN_EBUSY: too many calls are queued; SN_ENOSPC: the request is too large;
 *          SN_EINVAL: a client-thread operation with a response
 *  RT: no.  Threads: any. */
SN_API sn_status sn_caller_post(const sn_caller *caller, const void *request, sn_error *err);
SN_API void sn_caller_close(sn_caller *caller);

SN_END_DECLS

#endif
