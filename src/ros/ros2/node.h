/** @file
 *  Internal: a node of a ROS 2 graph over DDS. It knows topics and services by name and bytes; what
 *  they mean to a robot is the business of whoever owns it (graph/bridge.h). */
#ifndef SN_ROS_ROS2_NODE_H
#define SN_ROS_ROS2_NODE_H

#include "ros/ros_transport.h"
#include "sinew/log.h"

typedef struct sn__ros2_node sn__ros2_node;

/** Texts must outlive the node. */
typedef struct sn__ros2_config {
  const char *space; /**< `/` */
  const char *name;  /**< `sinew`, without the namespace */
  unsigned domain;   /**< 0 .. 232 */
  /** The network to use, whatever the configuration of DDS says: a name (`lo`: only this machine)
   *  or an address of an interface; empty or NULL: as DDS is configured. */
  const char *interface;
  size_t depth;       /**< samples that wait for a slow subscriber, requests that wait for us */
  size_t input_depth; /**< samples of a topic that wait for us */
  size_t gid_size;    /**< 16 or 24 */
  /** Something worth telling a person. @param about  whom or what; may be empty */
  void (*log)(void *context, sn_log_level level, const char *text, const char *about);
  void *context;
} sn__ros2_config;

/** @return SN_OK, SN_EIO: DDS does not start, or SN_ENOMEM */
sn_status sn__ros2_node_create(const sn__ros2_config *config, sn__ros2_node **out, sn_error *err);

/** How to use it. */
extern const sn__graph_face sn__ros2_face;

#endif
