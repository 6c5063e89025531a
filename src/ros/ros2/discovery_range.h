/** @file
 *  Internal: where a node looks for others, as ROS 2 defines it: ROS_AUTOMATIC_DISCOVERY_RANGE,
 *  ROS_STATIC_PEERS and ROS_LOCALHOST_ONLY. */
#ifndef SN_ROS_ROS2_DISCOVERY_RANGE_H
#define SN_ROS_ROS2_DISCOVERY_RANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/status.h"

typedef enum sn__ros2_range {
  SN__ROS2_SUBNET,         /**< by multicast, and at the peers */
  SN__ROS2_LOCALHOST,      /**< on this machine, without multicast, and at the peers */
  SN__ROS2_OFF,            /**< nowhere */
  SN__ROS2_SYSTEM_DEFAULT, /**< as configured for DDS; peers do not count */
} sn__ros2_range;

enum { SN__ROS2_STATIC_PEERS_MAX = 32, SN__ROS2_ADDRESS_SIZE = 16 };

typedef struct sn__ros2_discovery {
  sn__ros2_range range;
  char peers[SN__ROS2_STATIC_PEERS_MAX][SN__ROS2_ADDRESS_SIZE]; /**< IPv4 addresses */
  size_t peer_count;
} sn__ros2_discovery;

/** Read the variables as ROS 2 does. Host names are resolved, which may take a while.
 *  @param local   ROS_LOCALHOST_ONLY: `1` means this machine, without peers
 *  @param range   ROS_AUTOMATIC_DISCOVERY_RANGE; empty: SUBNET
 *  @param peers   ROS_STATIC_PEERS: host names or IPv4 addresses, separated by semicolons
 *  @return SN_OK; SN_EINVAL: an unknown range, a peer that has no address, or too many of them */
sn_status sn__ros2_discovery_read(const char *local, const char *range, const char *peers,
                                  sn__ros2_discovery *out, sn_error *err);

/** The configuration of Cyclone for it. Pure.
 *  @param interface  the only network interface, by name or address; empty: all
 *  @param is_name    `interface` is a name
 *  @return false if it does not fit */
bool sn__ros2_discovery_config(const sn__ros2_discovery *discovery, const char *interface,
                               bool is_name, char *out, size_t size);

#endif
