/** @file
 *  Messages on the wire of ROS 2 and DDS, and in MCAP files with encoding `cdr`: plain CDR,
 *  little-endian, behind its four-byte header. */
#ifndef SINEW_MSG_CDR_H
#define SINEW_MSG_CDR_H

#include <stddef.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Write a message.
 *  @param out      @p size bytes, unspecified if the call fails; may be NULL if size is 0
 *  @param written  the bytes that it takes, also with SN_ENOSPC
 *  @return SN_OK, SN_ENOSPC (no room), or SN_ELIMIT (a time whose seconds do not fit into 32 bits)
 *  RT: yes, O(bytes).  Threads: owner of the message. */
SN_API sn_status sn_cdr_write(const sn_msg_type *type, const void *msg, void *out, size_t size,
                              size_t *written) SN_RT;

/** Read a message from untrusted bytes.
 *  @param msg  unchanged if the call fails; names become its own texts
 *  @param err  receives the reason on failure; may be NULL
 *  @return SN_OK, SN_ESYNTAX (malformed), SN_ENOSPC (it does not fit into the
 *  room of @p msg), or SN_EUNSUPPORTED (another form of CDR)
 *  RT: yes if it succeeds, O(bytes); a failure formats its reason.  Threads: owner of the message.
 */
SN_API sn_status sn_cdr_read(const sn_msg_type *type, const void *bytes, size_t size, void *msg,
                             sn_error *err);

/** Make a message with exactly the room that these bytes need, however many there are.
 *  @param arena  that grows; unchanged if the call fails
 *  @param out    the struct of the type; untouched if the call fails
 *  @param err    receives the reason on failure; may be NULL
 *  @return SN_OK, SN_ESYNTAX (malformed), SN_EUNSUPPORTED (another form of
 *          CDR), or SN_ENOMEM
 *  RT: no, allocates.  Threads: owner of the arena. */
SN_API sn_status sn_cdr_make(const sn_msg_type *type, const void *bytes, size_t size,
                             sn_arena *arena, void **out, sn_error *err);

SN_END_DECLS

#endif
