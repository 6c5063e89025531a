/** @file
 *  The other side of a node of ROS 1, byte by byte: sockets that do not wait, a master of a few
 *  lines. Everything runs in the thread of the test, which steps the node in between. */
#ifndef SN_ROS1_PEER_H
#define SN_ROS1_PEER_H

#include <stdbool.h>
#include <stddef.h>

#include "ros/bytes.h"
#include "ros/ros1/node.h"

#define ROS1_RIG_CALLS 64

typedef struct ros1_rig {
  sn__ros1_node *node;
  int master_fd, master_port; /**< -1: there is no master */
  int clients[16];            /**< of the master */
  sn__bytes heard[16];
  char calls[ROS1_RIG_CALLS][2][96]; /**< method and its second parameter, in the order heard */
  size_t call_count;
  char api[128];         /**< of the node, as it told the master */
  char service_uri[128]; /**< likewise */
  char publishers[128];  /**< URI that registerSubscriber answers with; empty: none */
  bool forgets;          /**< the master says that it does not know the node */
  size_t warnings;
  char last_warning[256];
  char master_uri[64];
} ros1_rig;

/** A node without anything yet, and a master, unless @p has_master is false. */
void ros1_rig_open(ros1_rig *rig, bool has_master);
void ros1_rig_close(ros1_rig *rig);
/** The master comes or goes; at the same port. */
void ros1_rig_start_master(ros1_rig *rig);
void ros1_rig_stop_master(ros1_rig *rig);
/** Step node and master for so long, or until *count is at least @p wanted. */
void ros1_rig_run(ros1_rig *rig, int steps);
/** Step until the master has heard this; fails the test if it does not. @return its number */
size_t ros1_rig_hear(ros1_rig *rig, const char *method, const char *what, size_t from);

/** A socket of the test. */
int ros1_connect(int port);
/** A socket that listens; @p port out. */
int ros1_listen(int *port);
/** Ports of the node. */
int ros1_rig_api_port(const ros1_rig *rig);
int ros1_rig_tcpros_port(ros1_rig *rig);
void ros1_send(int fd, const void *bytes, size_t size);
/** A header of TCPROS: `name=value` texts, ended by NULL. */
void ros1_send_header(int fd, const char *const *fields);
/** Step until the socket has given @p size bytes more. @return false: it was closed before */
bool ros1_receive(ros1_rig *rig, int fd, sn__bytes *bytes, size_t size);
/** Step until a whole frame is at the begin of @p bytes; fails the test if the socket closes.
 *  @return its size with the length */
size_t ros1_receive_frame(ros1_rig *rig, int fd, sn__bytes *bytes);
/** Step until the other side has closed. @return what came before, ended by NUL */
const char *ros1_receive_all(ros1_rig *rig, int fd, sn__bytes *bytes);

#endif
