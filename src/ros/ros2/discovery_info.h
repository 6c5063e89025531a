/** @file
 *  Internal: samples of `ros_discovery_info`, by which participants announce their nodes. Pure. */
#ifndef SN_ROS_ROS2_DISCOVERY_INFO_H
#define SN_ROS_ROS2_DISCOVERY_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ros/bytes.h"

typedef struct sn__ros2_gid {
  uint8_t bytes[16];
} sn__ros2_gid;

/** `rmw_dds_common/msg/ParticipantEntitiesInfo` of a participant with one node. */
typedef struct sn__ros2_info {
  sn__ros2_gid participant;
  const char *name_space; /**< `/` */
  const char *node;       /**< `sinew` */
  const sn__ros2_gid *readers, *writers;
  size_t reader_count, writer_count;
  size_t gid_size; /**< bytes on the wire: 16, or 24 in Humble and older */
} sn__ros2_info;

#define SN__ROS2_INFO_TOPIC "ros_discovery_info"
#define SN__ROS2_INFO_TYPE "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_"
/** Type hash for 16-byte gids. */
#define SN__ROS2_INFO_HASH "RIHS01_91a0593bacdcc50ea9bdcf849a938b128412cc1ea821245c663bcd26f83c295e"

/** Write it as CDR. Not a message descriptor because the size of a gid varies. */
void sn__ros2_info_write(const sn__ros2_info *info, sn__bytes *out);

/** Whether the sample is valid and complete. @param bytes  untrusted
 *  @param participant  out: the participant it describes */
bool sn__ros2_info_check(const void *bytes, size_t size, size_t gid_size,
                         sn__ros2_gid *participant);
/** The node that owns a writer, as `/namespace/name`. @return false: not found, or too long */
bool sn__ros2_info_find(const void *bytes, size_t size, size_t gid_size, const sn__ros2_gid *writer,
                        char *out, size_t out_size);

/** Whether it lists a node with this name. */
bool sn__ros2_info_has_node(const void *bytes, size_t size, size_t gid_size, const char *name_space,
                            const char *name);

#endif
