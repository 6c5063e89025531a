/** @file
 *  Internal: how names, types and endpoints of ROS 2 are called in DDS. Pure. */
#ifndef SN_ROS_ROS2_WIRE_NAMES_H
#define SN_ROS_ROS2_WIRE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ros/bytes.h"
#include "sinew/msg_schema.h"

#define SN__ROS2_NAME_SIZE 512
/** Of a GUID in text: 16 bytes of two digits, points between them, a NUL. */
#define SN__ROS2_ID_SIZE 48

/** The two topics of a service. */
typedef enum sn__ros2_part { SN__ROS2_REQUEST, SN__ROS2_RESPONSE } sn__ros2_part;

/** `rt/joint_states` of `/joint_states`. @return false if there is no room; likewise below */
bool sn__ros2_topic_name(const char *topic, char *out, size_t size);
/** `rq/follow/stopRequest` or `rr/follow/stopReply` of `/follow/stop`. */
bool sn__ros2_service_topic(const char *service, sn__ros2_part part, char *out, size_t size);
/** `std_srvs::srv::dds_::SetBool_Request_` of `std_srvs/SetBool`; of `p/action/X` one of actions.
 */
bool sn__ros2_part_dds_name(const char *type, sn__ros2_part part, char *out, size_t size);
/** `std_srvs/srv/SetBool_Request` of `std_srvs/SetBool`. */
bool sn__ros2_part_name(const char *type, sn__ros2_part part, char *out, size_t size);

/** What an endpoint tells of itself: `serviceid=…;typehash=…;`.
 *  @param guid  of the service; NULL: a topic */
bool sn__ros2_user_data(const uint8_t guid[16], const char *hash, char *out, size_t size);
/** Is there `key=` in the user data of a peer? @param data  any bytes, NULL if size is 0 */
bool sn__ros2_has_key(const void *data, size_t size, const char *key);

/** In front of every request, and of its response: whose it is, and which. */
#define SN__ROS2_CALL_HEADER 16

/** Take a request apart. @param size  any
 *  @param caller   receives what stands in front
 *  @param message  receives the CDR of the message, with its header
 *  @return NULL, or why these bytes are no request */
const char *sn__ros2_request_read(const void *bytes, size_t size,
                                  uint8_t caller[SN__ROS2_CALL_HEADER], sn__bytes *message);

typedef struct sn__ros2_gid {
  uint8_t bytes[16];
} sn__ros2_gid;

/** Who is who: `rmw_dds_common/msg/ParticipantEntitiesInfo` of a participant with one node. */
typedef struct sn__ros2_info {
  sn__ros2_gid participant;
  const char *space; /**< `/` */
  const char *node;  /**< `sinew` */
  const sn__ros2_gid *readers, *writers;
  size_t reader_count, writer_count;
  size_t gid_size; /**< bytes on the wire: 16, or 24 in Humble and older */
} sn__ros2_info;

#define SN__ROS2_INFO_TOPIC "ros_discovery_info"
#define SN__ROS2_INFO_TYPE "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_"
/** With gids of 16 bytes. */
#define SN__ROS2_INFO_HASH "RIHS01_91a0593bacdcc50ea9bdcf849a938b128412cc1ea821245c663bcd26f83c295e"

/** As CDR with its header; by hand, since its strings are bounded and its gids of two sizes. */
void sn__ros2_info_write(const sn__ros2_info *info, sn__bytes *out);

/** Is it one, and all of it? @param bytes  of anybody. @param participant  out: whose it says it is
 */
bool sn__ros2_info_check(const void *bytes, size_t size, size_t gid_size,
                         sn__ros2_gid *participant);
/** The node that has this writer, as `/space/name`. @return false: none has, or its name is too
 * long
 */
bool sn__ros2_info_find(const void *bytes, size_t size, size_t gid_size, const sn__ros2_gid *writer,
                        char *out, size_t out_size);

#endif
