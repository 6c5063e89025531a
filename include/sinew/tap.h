/** @file
 *  The outside of a system: reading outputs, writing inputs and calling operations from threads
 * that are no component's (a server, a recorder, a test). */
#ifndef SINEW_TAP_H
#define SINEW_TAP_H

#include <stddef.h>

#include "sinew/api.h"
#include "sinew/operation.h"
#include "sinew/port.h"
#include "sinew/status.h"
#include "sinew/system.h"

SN_BEGIN_DECLS

/** Reads an output beside its other readers, who do not notice. Opaque. */
typedef struct sn_tap sn_tap;

/** @param from        `component.port`
 *  @param connection  NULL: the latest message only
 *  @return SN_OK, SN_ENOENT, SN_EINVAL, SN_ENOMEM
 *  RT: no.  Threads: any. */
SN_API sn_status sn_tap_open(sn_system *system, const char *from, const sn_connection *connection,
                             sn_tap **out, sn_error *err);
/** Bytes that the messages of such a tap would take, 0 if there is no such output: to be asked
 * before one with a long buffer is opened. @param connection  NULL: the latest message only RT: no.
 * Threads: any. */
SN_API size_t sn_tap_memory(sn_system *system, const char *from, const sn_connection *connection);
/** As sn_input_read(). RT: yes, but one that shares may wait while another passes messages on.
 *  Threads: one reader. */
SN_API const void *sn_tap_read(sn_tap *tap, sn_flow *flow);
SN_API const sn_msg_type *sn_tap_type(const sn_tap *tap) SN_RT;
SN_API sn_port_counts sn_tap_counts(const sn_tap *tap) SN_RT;
/** Disconnect and free. NULL is allowed. RT: no. */
SN_API void sn_tap_close(sn_tap *tap);

/** Writes to an input that has no writer. Opaque. */
typedef struct sn_source sn_source;

/** @param to  `component.port`; of several inputs of one name, a new one
 *  @return SN_OK, SN_ENOENT, SN_EINVAL (it has a writer; no input), SN_EBUSY (a new one of several,
 *          while the component runs), SN_ENOMEM */
SN_API sn_status sn_source_open(sn_system *system, const char *to, const sn_connection *connection,
                                sn_source **out, sn_error *err);
SN_API const sn_msg_type *sn_source_type(const sn_source *source) SN_RT;
/** The message to fill. RT: yes.  Threads: one writer. */
SN_API void *sn_source_msg(sn_source *source) SN_RT;
/** Send it. @return as sn_output_write(). RT: yes, but for waking the component's activity. */
SN_API sn_status sn_source_write(sn_source *source);
SN_API sn_port_counts sn_source_counts(const sn_source *source) SN_RT;
SN_API void sn_source_close(sn_source *source);

/** Resolve an operation by `component.operation`. The component cannot be removed until
 *  sn_caller_close().
 *  @return SN_OK or SN_ENOENT.  RT: no.  Threads: any. */
SN_API sn_status sn_caller_open(sn_system *system, const char *operation, sn_caller *caller,
                                sn_error *err);
/** Hand a call over without waiting: it runs at the start of the component's next cycle, and nobody
 *  gets its answer. One of the client's thread runs at once.
 *  @return SN_OK; SN_EBUSY: too many calls wait; SN_ENOSPC: it does not fit; SN_EINVAL: one of the
 *          client's thread that answers
 *  RT: no.  Threads: any. */
SN_API sn_status sn_caller_post(const sn_caller *caller, const void *request, sn_error *err);
SN_API void sn_caller_close(sn_caller *caller);

SN_END_DECLS

#endif
