/** @file
 *  Internal: the state of a ROS 2 node. */
#ifndef SN_ROS_ROS2_NODE_STATE_H
#define SN_ROS_ROS2_NODE_STATE_H

#include <dds/dds.h>
#include <stdatomic.h>

#include "remote/pool.h"
#include "ros/ros2/discovery_info.h"
#include "ros/ros2/node.h"
#include "ros/ros2/service_wire.h"
#include "ros/ros2/wire_names.h"
#include "sinew/arena.h"

/** Pending requests per service; more are rejected, and those of one process beyond half of it. The
 *  limit is per service so that a flood of one does not block the others. */
#define SN__ROS2_CALLS_MAX 64
/** Pending requests of a service that responds later. */
#define SN__ROS2_DEFERRED_MAX 256
/** Bytes of pending requests of all services. */
#define SN__ROS2_CALL_BYTES_MAX ((size_t)64 << 20)

typedef struct sn__ros2_publication {
  struct sn__ros2_publication *next;
  sn__ros2_node *node;
  dds_entity_t writer;
  bool has_header, is_latched;
  size_t subscriber_count; /**< updated every few milliseconds */
} sn__ros2_publication;

/** A reader of a topic. */
typedef struct sn__ros2_subscription {
  struct sn__ros2_subscription *next;
  sn__ros2_node *node;
  dds_entity_t reader;
  sn__ros_on_message *on_message;
  void *context;
  size_t publisher_count; /**< updated every few milliseconds */
  /* samples: DDS does not report those dropped from the history */
  _Atomic uint64_t arrived; /**< counted by a DDS thread */
  uint64_t taken, lost;
  /* cached node name of the last writer */
  dds_instance_handle_t publisher;
  uint64_t publisher_version;
  char caller[SN__ROS2_NAME_SIZE];
} sn__ros2_subscription;

/** Nodes of another participant. */
typedef struct sn__ros2_peer {
  struct sn__ros2_peer *next;
  dds_instance_handle_t publisher; /**< its ros_discovery_info writer */
  sn__ros2_gid participant;
  sn__bytes info;   /**< valid */
  bool is_namesake; /**< one of its nodes has the name of this one, which is logged */
} sn__ros2_peer;

typedef struct sn__ros2_service {
  struct sn__ros2_service *next;
  sn__ros2_node *node;
  const char *name, *type; /**< `std_srvs/SetBool` */
  const sn_msg_type *request, *response;
  sn__wire_service *wire;
  sn__ros2_gid reader, writer;
  sn__ros_serve *serve;           /**< NULL: it responds later */
  sn__ros_on_arrival *on_arrival; /**< NULL: not urgent */
  sn__ros_on_request *on_request; /**< NULL: served in the pool */
  void *context;
  size_t open_calls;
  sn_log_limit warnings;
} sn__ros2_service;

/** A pending request. */
typedef struct sn__ros2_call {
  sn__remote_job job; /* first */
  struct sn__ros2_call *next;
  sn__ros2_service *service;
  sn__wire_client client;
  uint8_t header[SN__ROS2_CALL_HEADER]; /**< of a client that sends one */
  char caller[SN__ROS2_NAME_SIZE];      /**< node name; empty: unknown */
  sn__bytes request, response;
  int64_t held_ns; /**< since when the response waits for the client's reader; 0: it does not */
  sn_status status;
  sn_error err;
} sn__ros2_call;

struct sn__ros2_node {
  sn__ros2_config config;
  sn_arena arena;
  dds_entity_t domain;
  bool has_dds_log;
  int64_t next_dds_log_ns; /**< next check of the DDS log */
  dds_entity_t participant, waitset, guard;
  sn__wire_domain *wire; /**< of the services */
  sn__ros2_gid gid;
  sn__remote_pool pool;
  bool has_pool;
  sn__ros2_publication *first_publication;
  sn__ros2_subscription *first_subscription;
  sn__ros2_service *first_service;
  size_t publication_count, subscription_count, service_count;
  sn__ros2_call *calls;
  size_t call_bytes;   /**< of the requests in `calls` */
  size_t held_count;   /**< of `calls` whose responses wait for a reader */
  dds_attach_t *ready; /**< [subscription_count + 2] */
  dds_entity_t info_writer;
  sn__ros2_subscription info; /**< reader of ros_discovery_info */
  sn__ros2_peer *peers;
  size_t peer_count;
  uint64_t peers_version; /**< incremented on every change */
  sn_log_limit peer_warnings;
  sn__bytes in, out;
  int64_t now_ns, matched_ns;
  sn__ros_counts counts;
};

/** Make step() return. Threads: any. @param context  the node */
void sn__ros2_wake(void *context);

/** Start DDS. @return SN_OK, SN_EINVAL (the interface), SN_EIO */
sn_status sn__ros2_open_domain(sn__ros2_node *node, sn_error *err);
/** Delete the participant and stop DDS. */
void sn__ros2_close_domain(sn__ros2_node *node);
/** Forward the DDS log, at most one line a second. */
void sn__ros2_forward_dds_log(sn__ros2_node *node);

/** QoS of an endpoint; free with dds_delete_qos(). @param user_data  may be empty */
dds_qos_t *sn__ros2_qos(size_t depth, bool is_latched, const char *user_data);

/** User data of the writer and the reader of ros_discovery_info: ROS 2 processes warn about
 *  endpoints without a type hash. */
void sn__ros2_info_user_data(const sn__ros2_node *node, char *out, size_t size);
/** Subscribe to ros_discovery_info. */
bool sn__ros2_open_peers(sn__ros2_node *node);
/** Handle the ros_discovery_info sample in node->in. */
void sn__ros2_take_peer(sn__ros2_node *node, dds_instance_handle_t publisher);
/** Drop participants that are gone, or all. */
void sn__ros2_drop_peers(sn__ros2_node *node, bool all);
/** The node that owns a writer; empty: unknown. */
void sn__ros2_find_node(const sn__ros2_node *node, const sn__ros2_gid *writer, char *out,
                        size_t size);
/** The same for a sample. Valid until the next call. */
const char *sn__ros2_caller_of(sn__ros2_subscription *s, dds_instance_handle_t publisher);

/** Create a reader and attach it to the waitset. */
bool sn__ros2_attach_reader(sn__ros2_node *node, sn__ros2_subscription *s, const char *topic,
                            const char *type, dds_qos_t *qos);
/** Create a reader whose samples are handled by step(). @return NULL on failure */
sn__ros2_subscription *sn__ros2_add_reader(sn__ros2_node *node, const char *topic, const char *type,
                                           const char *user_data, bool is_best_effort,
                                           size_t depth);
/** @param kept  samples for late readers */
dds_entity_t sn__ros2_add_writer(sn__ros2_node *node, const char *topic, const char *type,
                                 const char *user_data, size_t kept);

/* Topics, as in sn__ros_transport. */
void *sn__ros2_advertise(void *context, const char *topic, const sn_msg_type *type, size_t kept);
void *sn__ros2_subscribe(void *context, const char *topic, const sn_msg_type *type,
                         bool is_best_effort, sn__ros_on_message *on_message,
                         void *message_context);
void sn__ros2_publish(void *publication, const void *bytes, size_t size, int64_t stamp_ns);
size_t sn__ros2_subscriber_count(const void *publication);
size_t sn__ros2_publisher_count(const void *subscription);
uint64_t sn__ros2_lost(const void *subscription);

/* Services. */
bool sn__ros2_add_service(void *node, const char *name, const char *type,
                          const sn_msg_type *request, const sn_msg_type *response,
                          sn__ros_serve *serve, sn__ros_on_arrival *on_arrival, void *context);
bool sn__ros2_add_deferred_service(void *node, const char *name, const char *type,
                                   const sn_msg_type *request, const sn_msg_type *response,
                                   sn__ros_on_request *on_request, void *context);
bool sn__ros2_find_service(const void *node, const char *name, sn__service_types *out);
/** @param context  the call */
void sn__ros2_respond(void *context, const void *bytes, size_t size);
void sn__ros2_reject(void *context, const char *why);
/** Handle the requests that arrived. */
void sn__ros2_take_requests(sn__ros2_node *node);
/** Send responses whose clients are connected by now; before later responses. */
void sn__ros2_send_held(sn__ros2_node *node);
/** Send the responses of completed requests. */
void sn__ros2_send_responses(sn__ros2_node *node);
/** Drop all calls, after the pool has ended. */
void sn__ros2_drop_calls(sn__ros2_node *node);

#endif
