/** @file
 *  Messages on the wire of ROS 1, and in files with encoding `ros1`. */
#ifndef SN_MSG_WIRE_MSG_ROS1_H
#define SN_MSG_WIRE_MSG_ROS1_H

#include <stddef.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Write a message, without the length that TCPROS puts in front. The `seq` of a header is 0.
 *  @param out      @p size bytes, unspecified if the call fails; may be NULL if size is 0
 *  @param written  the bytes that it takes, also with SN_ENOSPC
 *  @return SN_OK, SN_ENOSPC (no room), or SN_ELIMIT (a time before 1970 or after 2106, or a
 * duration whose seconds do not fit into 32 bits) RT: yes, O(bytes).  Threads: owner of the
 * message. */
SN_API sn_status sn__ros1_write(const sn_msg_type *type, const void *msg, void *out, size_t size,
                                size_t *written) SN_RT;

/** Read a message from untrusted bytes.
 *  @param msg  unchanged if the call fails; names become its own texts
 *  @param err  receives the reason on failure; may be NULL
 *  @return SN_OK, SN_ESYNTAX (malformed), or SN_ENOSPC (it does not fit into
 *  the room of @p msg)
 *  RT: yes if it succeeds, O(bytes); a failure formats its reason.  Threads: owner of the message.
 */
SN_API sn_status sn__ros1_read(const sn_msg_type *type, const void *bytes, size_t size, void *msg,
                               sn_error *err);

/** Make a message with exactly the room that these bytes need, however many there are.
 *  @param arena  that grows; unchanged if the call fails
 *  @param out    the struct of the type; untouched if the call fails
 *  @param err    receives the reason on failure; may be NULL
 *  @return SN_OK, SN_ESYNTAX (malformed), or SN_ENOMEM
 *  RT: no, allocates.  Threads: owner of the arena. */
SN_API sn_status sn__ros1_make(const sn_msg_type *type, const void *bytes, size_t size,
                               sn_arena *arena, void **out, sn_error *err);

/** Bytes of an MD5 sum in hexadecimal, with the NUL. */
#define SN_ROS1_MD5_SIZE 33

/** The MD5 sum by which nodes of ROS 1 compare the definition of a type.
 *  RT: no.  Threads: any. */
SN_API void sn__ros1_md5(const sn_msg_type *type, char out[SN_ROS1_MD5_SIZE]);

/** The same of a service.
 *  @param request, response  NULL if empty
 *  RT: no.  Threads: any. */
SN_API void sn__ros1_service_md5(const sn_msg_type *request, const sn_msg_type *response,
                                 char out[SN_ROS1_MD5_SIZE]);

SN_END_DECLS

#endif
