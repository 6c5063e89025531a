/** @file
 *  The definition of a message as the text that ROS tools, MCAP files and Foxglove take: the fields
 *  of the type, then those of every type that it needs. */
#ifndef SN_MSG_WIRE_MSG_SCHEMA_H
#define SN_MSG_WIRE_MSG_SCHEMA_H

#include <stddef.h>

#include "sinew/api.h"
#include "sinew/msg.h"

SN_BEGIN_DECLS

/** Schema of encoding `ros2msg`.
 *  @param out  @p size bytes, truncated if too small, always ends with a NUL if size > 0
 *  @return the length of the whole text without the NUL
 *  RT: no.  Threads: any. */
SN_API size_t sn__msg_schema_ros2(const sn_msg_type *type, char *out, size_t size);

/** Schema of encoding `ros1msg`, which is also what TCPROS sends as `message_definition`.
 *  Parameters and result as for sn__msg_schema_ros2(). */
SN_API size_t sn__msg_schema_ros1(const sn_msg_type *type, char *out, size_t size);

/** Bytes of a type hash with its NUL: `RIHS01_` and 64 hexadecimal digits. */
#define SN_MSG_TYPE_HASH_SIZE 72

/** The description of a type in ROS 2 as it is hashed: JSON, with all types that it needs.
 *  @param type  NULL means a message without fields, which has a dummy field in ROS 2
 *  @param name  NULL means that of the type; parts of services have names of their own, such as
 *               `std_srvs/srv/SetBool_Request`. One of the two must not be NULL
 *  @param out   @p size bytes, truncated if too small, always ends with a NUL if size > 0
 *  @return the length of the whole text without the NUL
 *  RT: no, formats.  Threads: any. */
size_t sn__msg_description_ros2(const sn_msg_type *type, const char *name, char *out, size_t size);

/** The hash by which ROS 2 (Iron and later) identifies types. Arguments as above.
 *  @return SN_OK, or SN_ENOMEM: @p out is empty then
 *  RT: no, allocates.  Threads: any. */
SN_API sn_status sn__msg_type_hash_ros2(const sn_msg_type *type, const char *name,
                                        char out[SN_MSG_TYPE_HASH_SIZE]);

SN_END_DECLS

#endif
