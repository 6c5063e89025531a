/** @file
 *  The definition of a message as the text that ROS tools, MCAP files and Foxglove take: the fields
 *  of the type, then those of every type that it needs. */
#ifndef SINEW_MSG_SCHEMA_H
#define SINEW_MSG_SCHEMA_H

#include <stddef.h>

#include "sinew/api.h"
#include "sinew/msg.h"

SN_BEGIN_DECLS

/** Schema of encoding `ros2msg`.
 *  @param out  @p size bytes, always ends with a NUL if size > 0; cut if there is no room
 *  @return the bytes that all of it takes, without the NUL
 *  RT: no.  Threads: any. */
SN_API size_t sn_msg_schema_ros2(const sn_msg_type *type, char *out, size_t size);

/** Schema of encoding `ros1msg`, which is also what TCPROS sends as `message_definition`.
 *  Parameters and result as for sn_msg_schema_ros2(). */
SN_API size_t sn_msg_schema_ros1(const sn_msg_type *type, char *out, size_t size);

SN_END_DECLS

#endif
