/** @file
 *  Internal: DDS names of ROS 2 topics, services and types, user data of endpoints, and the header
 * of requests. Pure. */
#ifndef SN_ROS_ROS2_WIRE_NAMES_H
#define SN_ROS_ROS2_WIRE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "msg/wire/msg_schema.h"
#include "ros/bytes.h"
#include "sinew/api.h"

SN_BEGIN_DECLS

#define SN__ROS2_NAME_SIZE 512
/** GUID as a string: 16 bytes of two hex digits, separated by dots, and a NUL. */
#define SN__ROS2_ID_SIZE 48

/** The two topics of a service. */
typedef enum sn__ros2_part { SN__ROS2_REQUEST, SN__ROS2_RESPONSE } sn__ros2_part;

/** `rt/joint_states` of `/joint_states`. @return false if it does not fit; likewise below */
bool sn__ros2_topic_name(const char *topic, char *out, size_t size);
/** `rq/follow/stopRequest` or `rr/follow/stopReply` of `/follow/stop`. */
bool sn__ros2_service_topic(const char *service, sn__ros2_part part, char *out, size_t size);
/** `std_srvs::srv::dds_::SetBool_Request_` of `std_srvs/SetBool`; also for `p/action/X`. */
bool sn__ros2_part_dds_name(const char *type, sn__ros2_part part, char *out, size_t size);
/** `std_srvs/srv/SetBool_Request` of `std_srvs/SetBool`. */
bool sn__ros2_part_name(const char *type, sn__ros2_part part, char *out, size_t size);

/** User data of an endpoint: `serviceid=…;typehash=…;`.
 *  @param guid  of the service; NULL: a topic */
bool sn__ros2_user_data(const uint8_t guid[16], const char *hash, char *out, size_t size);
/** Find `key=value;` in user data. @param data  untrusted; NULL if size is 0
 *  @param out  out: the value as text, cut off where it does not fit
 *  @return false: it has no such key */
bool sn__ros2_value(const void *data, size_t size, const char *key, char *out, size_t out_size);

/** Size of the call header of a request and its response: client id and sequence number. */
#define SN__ROS2_CALL_HEADER 16

/** Split a request. @param bytes  untrusted
 *  @param caller   out: call header
 *  @param message  out: CDR of the message, with its header
 *  @return NULL, or why it is invalid */
const char *sn__ros2_request_read(const void *bytes, size_t size,
                                  uint8_t caller[SN__ROS2_CALL_HEADER], sn__bytes *message);

SN_END_DECLS

#endif
