/** @file
 *  Internal: what the parts of a ROS 2 node share. */
#ifndef SN_ROS_ROS2_NODE_STATE_H
#define SN_ROS_ROS2_NODE_STATE_H

#include <dds/dds.h>
#include <stdatomic.h>

#include "remote/pool.h"
#include "ros/ros2/node.h"
#include "ros/ros2/wire_names.h"
#include "sinew/arena.h"

/** Requests of a service that wait for their answers; more are refused. Each service has its own
 *  share: who floods one does not keep others from theirs. */
#define SN__ROS2_CALLS_MAX 64
/** Those of a service that takes its time: who waits for one goes on. */
#define SN__ROS2_LATE_MAX 256
/** And so many bytes of them, of all services. */
#define SN__ROS2_CALL_BYTES_MAX ((size_t)64 << 20)

typedef struct sn__ros2_publication {
  struct sn__ros2_publication *next;
  sn__ros2_node *node;
  dds_entity_t writer;
  bool has_header, is_latched;
  size_t subscriber_count; /**< as of the last look */
} sn__ros2_publication;

/** A reader of a topic, or of the requests of a service. */
typedef struct sn__ros2_subscription {
  struct sn__ros2_subscription *next;
  sn__ros2_node *node;
  dds_entity_t reader;
  sn__graph_take *take; /**< of a topic; NULL: of a service */
  void *context;
  size_t publisher_count; /**< as of the last look */
  /* samples: DDS does not tell of those that newer ones have pushed out */
  _Atomic uint64_t arrived; /**< counted by a thread of DDS */
  uint64_t taken, lost;
  /* whose the last sample was, and when that was known */
  dds_instance_handle_t publisher;
  uint64_t publisher_version;
  char caller[SN__ROS2_NAME_SIZE];
} sn__ros2_subscription;

/** What another participant says of its nodes. */
typedef struct sn__ros2_peer {
  struct sn__ros2_peer *next;
  dds_instance_handle_t publisher; /**< its writer */
  sn__ros2_gid participant;
  sn__bytes info; /**< checked */
} sn__ros2_peer;

typedef struct sn__ros2_service {
  sn__ros2_node *node;
  const char *name;
  const sn_msg_type *request, *response;
  dds_entity_t reader, writer;
  sn__graph_serve *serve; /**< NULL: it takes its time */
  sn__graph_hear *hear;   /**< NULL: there is no hurry */
  sn__graph_ask *ask;     /**< NULL: it does not */
  void *context;
  size_t open_calls;
  int64_t told_ns; /**< when something was complained about; 0: never */
} sn__ros2_service;

/** A request while it is answered. */
typedef struct sn__ros2_call {
  sn__remote_job job; /* first */
  struct sn__ros2_call *next;
  sn__ros2_service *service;
  uint8_t header[SN__ROS2_CALL_HEADER];
  char caller[SN__ROS2_NAME_SIZE]; /**< node; empty: it is not announced */
  sn__bytes request, response;
  sn_status status;
  sn_error err;
} sn__ros2_call;

struct sn__ros2_node {
  sn__ros2_config config;
  sn_arena arena;
  dds_entity_t domain; /**< ours if there is an interface, else 0 */
  bool has_dds_log;
  int64_t dds_told_ns; /**< when to look again what DDS had to say */
  dds_entity_t participant, waitset, guard;
  sn__ros2_gid gid;
  sn__remote_pool pool;
  bool has_pool;
  sn__ros2_publication *first_publication;
  sn__ros2_subscription *first_subscription;
  size_t publication_count, subscription_count, service_count;
  sn__ros2_call *calls;
  size_t call_bytes;   /**< of the requests in `calls` */
  dds_attach_t *ready; /**< [subscription_count + 2] */
  dds_entity_t info_writer;
  sn__ros2_subscription info; /**< what others say of themselves */
  sn__ros2_peer *peers;
  size_t peer_count;
  uint64_t peers_version; /**< another number whenever they change */
  int64_t peers_told_ns;  /**< when one was complained about; 0: never */
  sn__bytes in, out;
  int64_t now_ns, looked_ns;
  sn__graph_counts counts;
};

/** Start DDS. @return SN_OK, SN_EINVAL (the interface), SN_EIO */
sn_status sn__ros2_open_domain(sn__ros2_node *node, sn_error *err);
/** Log what DDS had to say, a line a second. */
void sn__ros2_tell_of_dds(sn__ros2_node *node);

/** QoS of an endpoint; free with dds_delete_qos(). @param user_data  may be empty */
dds_qos_t *sn__ros2_qos(size_t depth, bool is_latched, const char *user_data);

/** Begin to listen to what others say of themselves. */
bool sn__ros2_open_peers(sn__ros2_node *node);
/** Somebody said something: node->in. */
void sn__ros2_take_peer(sn__ros2_node *node, dds_instance_handle_t publisher);
/** Forget who is gone. */
void sn__ros2_forget_peers(sn__ros2_node *node, bool all);
/** Which node a sample is from; empty: it is not announced. Valid until the next call. */
const char *sn__ros2_caller_of(sn__ros2_subscription *s, dds_instance_handle_t publisher);

/** A reader, and its place among what is waited for. */
bool sn__ros2_attach_reader(sn__ros2_node *node, sn__ros2_subscription *s, const char *topic,
                            const char *type, dds_qos_t *qos);
/** The reader of a topic, whose samples are taken when there are any. @return NULL if that fails */
sn__ros2_subscription *sn__ros2_add_reader(sn__ros2_node *node, const char *topic, const char *type,
                                           const char *user_data, size_t depth);
dds_entity_t sn__ros2_add_writer(sn__ros2_node *node, const char *topic, const char *type,
                                 const char *user_data, bool is_latched);

bool sn__ros2_offer(void *node, const char *name, const char *type, const sn_msg_type *request,
                    const sn_msg_type *response, sn__graph_serve *serve, sn__graph_hear *hear,
                    void *context);
bool sn__ros2_offer_late(void *node, const char *name, const char *type, const sn_msg_type *request,
                         const sn_msg_type *response, sn__graph_ask *ask, void *context);
/** @param context  the call */
void sn__ros2_answer_call(void *context, const void *bytes, size_t size);
void sn__ros2_refuse_call(void *context, const char *why);
/** A request came: node->in, from this writer of this node. */
void sn__ros2_take_request(sn__ros2_service *service, dds_instance_handle_t publisher,
                           const char *caller);
/** Send the answers that there are. */
void sn__ros2_answer(sn__ros2_node *node);
/** Forget all calls; the pool has ended. */
void sn__ros2_forget_calls(sn__ros2_node *node);

#endif
