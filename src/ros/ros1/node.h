/** @file
 *  Internal: a ROS 1 node: topics, services and parameters by name, messages as bytes. The bridge
 *  (bridge.h) maps them to components.
 *
 *  All functions run in the thread that steps the node; service functions run in pool threads. */
#ifndef SN_ROS_ROS1_NODE_H
#define SN_ROS_ROS1_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ros/ros_transport.h"
#include "sinew/log.h"

typedef struct sn__ros1_node sn__ros1_node;
typedef struct sn__ros1_publication sn__ros1_publication;
typedef struct sn__ros1_subscription sn__ros1_subscription;
typedef struct sn__ros1_service sn__ros1_service;

#define SN__ROS1_NAME_SIZE 256

/** Strings must outlive the node. */
typedef struct sn__ros1_config {
  const char *name;       /**< `/sinew` */
  const char *master_uri; /**< `http://localhost:11311` */
  const char *host;       /**< advertised to other nodes */
  size_t queue;           /**< queued messages of a subscriber */
  /** Log function. @param about  subject; may be empty */
  void (*log)(void *context, sn_log_level level, const char *text, const char *about);
  void *context;
} sn__ros1_config;

sn_status sn__ros1_node_create(const sn__ros1_config *config, sn__ros1_node **out, sn_error *err);
/** Unregister from the master, waiting at most @p patience_ns, then close everything. NULL is
 *  allowed. */
void sn__ros1_node_destroy(sn__ros1_node *node, int64_t patience_ns);

/* ---- setup, before the first step ---- */

/** @param topic  copied; likewise below. @return NULL if out of memory */
sn__ros1_publication *sn__ros1_advertise(sn__ros1_node *node, const char *topic,
                                         const sn_msg_type *type, bool is_latched);

sn__ros1_subscription *sn__ros1_subscribe(sn__ros1_node *node, const char *topic,
                                          const sn_msg_type *type, sn__ros_on_message *on_message,
                                          void *context);

/** @param type  service type; request, response: NULL if empty
 *  @param on_arrival  NULL: not urgent; otherwise the request uses the urgent lane of the pool */
sn__ros1_service *sn__ros1_add_service(sn__ros1_node *node, const char *name, const char *type,
                                       const sn_msg_type *request, const sn_msg_type *response,
                                       sn__ros_serve *serve, sn__ros_on_arrival *on_arrival,
                                       void *context);

/** A parameter, set whenever the node registers with a master. */
bool sn__ros1_set_parameter(sn__ros1_node *node, const char *name, const char *value);

/* ---- while it runs ---- */

/** Wait at most @p timeout_ns for events, then handle them. */
void sn__ros1_node_step(sn__ros1_node *node, int64_t timeout_ns);
/** Wake sn__ros1_node_step(). Threads: any. */
void sn__ros1_node_wake(sn__ros1_node *node);
/** Time of the last step, monotonic. */
int64_t sn__ros1_node_now_ns(const sn__ros1_node *node);

size_t sn__ros1_subscriber_count(const sn__ros1_publication *publication);
/** Connected publishers. */
size_t sn__ros1_publisher_count(const sn__ros1_subscription *subscription);

/** Send a message encoded by sn__ros1_write() to all subscribers. Sets `seq` of its header, if any.
 *  @param stamp_ns  replaces the stamp of the header; 0: keep it */
void sn__ros1_publish(sn__ros1_publication *publication, const void *bytes, size_t size,
                      int64_t stamp_ns);

sn__ros_counts sn__ros1_node_counts(const sn__ros1_node *node);

#endif
