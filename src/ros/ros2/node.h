/** @file
 *  Internal: a ROS 2 node over DDS: topics and services by name, messages as bytes. The bridge
 *  (bridge.h) maps them to components. */
#ifndef SN_ROS_ROS2_NODE_H
#define SN_ROS_ROS2_NODE_H

#include "ros/ros2/discovery_range.h"
#include "ros/ros_transport.h"
#include "sinew/log.h"

typedef struct sn__ros2_node sn__ros2_node;

/** Strings must outlive the node. */
typedef struct sn__ros2_config {
  const char *name_space; /**< `/` */
  const char *name;       /**< `sinew`, without the namespace */
  unsigned domain;        /**< 0 .. 232 */
  /** Network interface by name (`lo`: this machine only) or address; overrides the configuration of
   *  DDS. Empty or NULL: as configured. */
  const char *interface;
  sn__ros2_discovery discovery; /**< zero: the subnet */
  size_t depth;                 /**< queued samples of a slow subscriber, queued requests */
  size_t input_depth;           /**< queued samples of a subscribed topic */
  size_t gid_size;              /**< 16 or 24 */
  /** Log function. @param about  subject; may be empty */
  void (*log)(void *context, sn_log_level level, const char *text, const char *about);
  void *context;
} sn__ros2_config;

/** @return SN_OK, SN_EIO: DDS does not start, or SN_ENOMEM */
sn_status sn__ros2_node_create(const sn__ros2_config *config, sn__ros2_node **out, sn_error *err);

/** The interface that the bridge uses. */
extern const sn__ros_transport sn__ros2_transport;

#endif
