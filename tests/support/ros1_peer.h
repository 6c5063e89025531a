/** @file
 *  Peers of a ROS 1 node: non-blocking sockets and a minimal master. Everything runs in the thread
 * of the test, which steps the node in between. */
#ifndef SN_ROS1_PEER_H
#define SN_ROS1_PEER_H

#include <stdbool.h>
#include <stddef.h>

#include "ros/bytes.h"
#include "ros/ros1/node.h"

#define ROS1_RIG_CALLS 64

typedef struct ros1_rig {
  sn__ros1_node *node;
  int master_fd, master_port; /**< -1: no master */
  int clients[16];            /**< of the master */
  sn__bytes heard[16];
  char calls[ROS1_RIG_CALLS][2][96]; /**< method and its second parameter, in order of arrival */
  size_t call_count;
  char api[128];         /**< of the node, as registered */
  char service_uri[128]; /**< likewise */
  char publishers[128];  /**< URI in the response to registerSubscriber; empty: none */
  bool forgets;          /**< the master answers that the node is unknown */
  size_t warnings;
  char last_warning[256];
  char master_uri[64];
} ros1_rig;

/** An empty node and, if @p has_master is true, a master. */
void ros1_rig_open(ros1_rig *rig, bool has_master);
void ros1_rig_close(ros1_rig *rig);
/** Start or stop the master, always on the same port. */
void ros1_rig_start_master(ros1_rig *rig);
void ros1_rig_stop_master(ros1_rig *rig);
/** Step node and master for a number of steps, or until *count is at least @p wanted. */
void ros1_rig_run(ros1_rig *rig, int steps);
/** Step until the master has received this call; otherwise the test fails. @return its index */
size_t ros1_rig_hear(ros1_rig *rig, const char *method, const char *what, size_t from);

/** A socket of the test. */
int ros1_connect(int port);
/** A listening socket; @p port out. */
int ros1_listen(int *port);
/** Ports of the node. */
int ros1_rig_api_port(const ros1_rig *rig);
int ros1_rig_tcpros_port(ros1_rig *rig);
void ros1_send(int fd, const void *bytes, size_t size);
/** A TCPROS header: `name=value` strings, ended by NULL. */
void ros1_send_header(int fd, const char *const *fields);
/** Step until @p size more bytes are received. @return false: closed before */
bool ros1_receive(ros1_rig *rig, int fd, sn__bytes *bytes, size_t size);
/** Step until @p bytes starts with a complete frame; the test fails if the socket closes.
 *  @return its size with the length field */
size_t ros1_receive_frame(ros1_rig *rig, int fd, sn__bytes *bytes);
/** Step until the peer has closed. @return the bytes received before, NUL-terminated */
const char *ros1_receive_all(ros1_rig *rig, int fd, sn__bytes *bytes);

#endif
