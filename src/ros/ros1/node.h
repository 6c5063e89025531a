/** @file
 *  Internal: a node of a ROS 1 graph. It knows topics, services and parameters by name and bytes;
 *  what they mean to a robot is the business of whoever owns it (bridge.h).
 *
 *  All functions are for the one thread that steps the node; service functions run in others. */
#ifndef SN_ROS_ROS1_NODE_H
#define SN_ROS_ROS1_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ros/bytes.h"
#include "sinew/log.h"
#include "sinew/msg.h"
#include "sinew/status.h"

typedef struct sn__ros1_node sn__ros1_node;
typedef struct sn__ros1_publication sn__ros1_publication;
typedef struct sn__ros1_subscription sn__ros1_subscription;
typedef struct sn__ros1_service sn__ros1_service;

#define SN__ROS1_NAME_SIZE 256

/** Texts must outlive the node. */
typedef struct sn__ros1_config {
  const char *name;       /**< `/sinew` */
  const char *master_uri; /**< `http://localhost:11311` */
  const char *host;       /**< by which others reach us */
  size_t queue;           /**< messages that wait for a slow subscriber */
  /** Something worth telling a person. @param about  whom or what; may be empty */
  void (*log)(void *context, sn_log_level level, const char *text, const char *about);
  void *context;
} sn__ros1_config;

sn_status sn__ros1_node_create(const sn__ros1_config *config, sn__ros1_node **out, sn_error *err);
/** Tell the master that all is gone, for as long as @p patience_ns, then close everything. NULL is
 *  allowed. */
void sn__ros1_node_destroy(sn__ros1_node *node, int64_t patience_ns);

/* ---- what it has: before the first step ---- */

/** @param topic  copied; likewise below. @return NULL if there is no memory */
sn__ros1_publication *sn__ros1_advertise(sn__ros1_node *node, const char *topic,
                                         const sn_msg_type *type, bool is_latched);

/** A message came from the node @p caller. */
typedef void sn__ros1_take(void *context, const char *caller, const void *bytes, size_t size);
sn__ros1_subscription *sn__ros1_subscribe(sn__ros1_node *node, const char *topic,
                                          const sn_msg_type *type, sn__ros1_take *take,
                                          void *context);

/** Do what is asked; in a thread of the pool, and it may wait. Put the response into @p response.
 */
typedef sn_status sn__ros1_serve(void *context, const char *caller, const void *request,
                                 size_t size, sn__bytes *response, sn_error *err);
/** A request came; in the thread that steps the node, before it is served. */
typedef void sn__ros1_hear(void *context, const char *caller);
/** @param type  name of the service's type; request, response: NULL where there is nothing
 *  @param hear  NULL: there is no hurry; else it is served in the urgent lane of the pool */
sn__ros1_service *sn__ros1_offer(sn__ros1_node *node, const char *name, const char *type,
                                 const sn_msg_type *request, const sn_msg_type *response,
                                 sn__ros1_serve *serve, sn__ros1_hear *hear, void *context);

/** A parameter of the master, set whenever the master is there anew. */
bool sn__ros1_set_parameter(sn__ros1_node *node, const char *name, const char *value);

/* ---- while it lives ---- */

/** One round: wait for at most @p timeout_ns, then let everything move. */
void sn__ros1_node_step(sn__ros1_node *node, int64_t timeout_ns);
/** End the wait. Threads: any. */
void sn__ros1_node_wake(sn__ros1_node *node);
/** Is there anything that must be told to somebody else than poll() knows? Monotonic, of the last
 *  round. */
int64_t sn__ros1_node_now_ns(const sn__ros1_node *node);

size_t sn__ros1_subscriber_count(const sn__ros1_publication *publication);
/** Publishers that a subscription is connected to. */
size_t sn__ros1_publisher_count(const sn__ros1_subscription *subscription);

/** Send a message to all who listen: @p size bytes as sn_ros1_write() made them. The `seq` of its
 *  header, if it has one, is counted here.
 *  @param stamp_ns  0: as it is; else what the stamp of its header becomes */
void sn__ros1_publish(sn__ros1_publication *publication, const void *bytes, size_t size,
                      int64_t stamp_ns);

typedef struct sn__ros1_counts {
  bool has_master;                /**< registered with it now */
  bool is_shut_down;              /**< by the master or a user: it keeps away from the graph */
  uint64_t master_losses;         /**< how often it was gone, or another one */
  uint64_t sent, received;        /**< messages of topics */
  uint64_t calls;                 /**< of services */
  uint64_t dropped;               /**< messages that slow subscribers did not get */
  uint64_t refused;               /**< peers that said nonsense */
  uint64_t timed_out;             /**< or nothing */
  size_t subscribers, publishers; /**< connected now */
} sn__ros1_counts;
sn__ros1_counts sn__ros1_node_counts(const sn__ros1_node *node);

#endif
