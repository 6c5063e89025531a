/** @file
 *  Internal: the state of a ROS 1 node. */
#ifndef SN_ROS_ROS1_NODE_STATE_H
#define SN_ROS_ROS1_NODE_STATE_H

#include "msg/wire/msg_ros1.h"
#include "remote/pool.h"
#include "ros/ros1/net.h"
#include "ros/ros1/node.h"
#include "ros/ros1/rpc_client.h"
#include "ros/ros1/tcpros.h"
#include "sinew/arena.h"

/** Largest accepted message or request. */
#define SN__ROS1_MESSAGE_MAX ((size_t)4 << 20)

/** Something that is registered with the master. First member of the structs below. */
typedef struct sn__ros1_entry {
  struct sn__ros1_entry *next;
  struct sn__ros1_node *node;
  const char *name;
  bool is_registered;
} sn__ros1_entry;

struct sn__ros1_publication {
  sn__ros1_entry entry;
  const sn_msg_type *type;
  bool is_latched, has_header;
  char md5[SN_ROS1_MD5_SIZE];
  const char *definition;
  sn__frame *last; /**< of a latched topic */
  uint32_t seq;
  size_t subscriber_count;
  uint64_t bytes;
};

/** A subscriber of this node; owner of its link. */
typedef struct sn__ros1_subscriber {
  sn__ros1_publication *publication;
  char caller[SN__ROS1_NAME_SIZE];
} sn__ros1_subscriber;

/** A publisher of a subscribed topic. */
typedef struct sn__ros1_publisher {
  struct sn__ros1_publisher *next;
  struct sn__ros1_subscription *subscription;
  char uri[SN__HOST_SIZE];
  bool is_listed; /**< in the master's list */
  sn__rpc_client client;
  sn__link *link;
  bool is_ready;       /**< connected and headers exchanged */
  int64_t next_try_ns; /**< not before */
  int64_t retry_ns;    /**< delay after the next failure */
  char caller[SN__ROS1_NAME_SIZE];
} sn__ros1_publisher;

struct sn__ros1_subscription {
  sn__ros1_entry entry;
  const sn_msg_type *type;
  char md5[SN_ROS1_MD5_SIZE];
  sn__ros_on_message *on_message;
  void *context;
  sn__ros1_publisher *publishers;
  size_t ready_count;
};

struct sn__ros1_service {
  sn__ros1_entry entry;
  const char *type;
  const sn_msg_type *request, *response;
  char md5[SN_ROS1_MD5_SIZE];
  sn__ros_serve *serve;
  sn__ros_on_arrival *on_arrival; /**< NULL: not urgent */
  void *context;
};

/** A client of a service; owner of its link. */
typedef struct sn__ros1_call {
  sn__remote_job job; /**< first */
  struct sn__ros1_call *next;
  sn__ros1_service *service;
  sn__link *link; /**< NULL: disconnected */
  char caller[SN__ROS1_NAME_SIZE];
  bool is_persistent, is_running;
  sn__bytes request, response;
  sn_status status;
  sn_error err;
} sn__ros1_call;

typedef struct sn__ros1_parameter {
  sn__ros1_entry entry;
  const char *value;
} sn__ros1_parameter;

/** Kind of a call to the master. */
typedef enum sn__master_task {
  SN__MASTER_PARAMETER,
  SN__MASTER_PUBLICATION,
  SN__MASTER_SERVICE,
  SN__MASTER_SUBSCRIPTION,
  SN__MASTER_LOOKUP /* check the registration */
} sn__master_task;

typedef struct sn__master {
  char host[SN__HOST_SIZE];
  int port;
  sn__rpc_client client;
  sn__master_task task;
  sn__ros1_entry *entry; /**< of the current call */
  int64_t next_ns;       /**< not before */
  bool is_connected;     /**< the last call succeeded */
  bool has_warned;       /**< about a missing master */
  bool is_leaving;       /**< unregistering */
  uint64_t losses;
} sn__master;

struct sn__ros1_node {
  sn__ros1_config config;
  sn_arena arena;
  sn__net net;
  sn__remote_pool pool;
  char api[SN__HOST_SIZE + 32];         /**< `http://host:port/` */
  char service_uri[SN__HOST_SIZE + 32]; /**< `rosrpc://host:port` */
  sn__master master;
  sn__ros1_entry *parameters, *publications, *services, *subscriptions;
  sn__ros1_call *calls;
  bool is_shut_down;
  uint64_t sent, received, call_count;
  uint64_t starved_seen; /**< of net.starved */
  sn_log_limit starved;
};

const sn__link_role *sn__slave_accept(void *node, sn__link *link); /* slave.c */

sn_status sn__publication_join(sn__ros1_node *node, sn__link *link, const sn__tcpros_header *header,
                               sn_error *err);
/** The subscriber of a link; NULL if it is not one of this topic. */
const sn__ros1_subscriber *sn__publication_subscriber(const sn__link *link,
                                                      const sn__ros1_publication *publication);
sn_status sn__service_join(sn__ros1_node *node, sn__link *link, const sn__tcpros_header *header,
                           sn_error *err);
/** Reject a header and send the reason. @return SN_EINVAL */
sn_status sn__tcpros_reject(sn__link *link, sn_error *err, const char *reason);

bool sn__service_collect(sn__ros1_node *node, sn__remote_job *job);
/** Call after the pool has ended. */
void sn__service_end(sn__ros1_node *node);

/** Set the publishers of a topic: an array of URIs from the master. */
void sn__subscription_update(sn__ros1_subscription *subscription, const sn__rpc_value *uris);
void sn__subscription_step(sn__ros1_subscription *subscription);
void sn__subscription_end(sn__ros1_subscription *subscription);

void sn__master_step(sn__ros1_node *node);
/** Whether everything is unregistered. */
bool sn__master_has_left(const sn__ros1_node *node);

sn__ros1_entry *sn__ros1_find(sn__ros1_entry *list, const char *name);
void sn__ros1_log(const sn__ros1_node *node, sn_log_level level, const char *text,
                  const char *about);

#endif
