/** @file
 *  Internal: what the parts of a ROS 2 node share. */
#ifndef SN_ROS2_NODE_STATE_H
#define SN_ROS2_NODE_STATE_H

#include <dds/dds.h>

#include "remote/pool.h"
#include "ros2/node.h"
#include "ros2/wire_names.h"
#include "sinew/arena.h"

/** Requests of a service that wait for their answers; more are refused. Each service has its own
 *  share: who floods one does not keep others from theirs. */
#define SN__ROS2_CALLS_MAX 64
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
} sn__ros2_subscription;

typedef struct sn__ros2_service {
  sn__ros2_node *node;
  const char *name;
  const sn_msg_type *request, *response;
  dds_entity_t reader, writer;
  sn__graph_serve *serve;
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
  sn__bytes request, response;
  sn_status status;
  sn_error err;
} sn__ros2_call;

struct sn__ros2_node {
  sn__ros2_config config;
  sn_arena arena;
  dds_entity_t domain; /**< ours if is_local, else 0 */
  dds_entity_t participant, waitset, guard;
  sn__ros2_gid gid;
  sn__remote_pool pool;
  bool has_pool;
  sn__ros2_publication *first_publication;
  sn__ros2_subscription *first_subscription;
  size_t publication_count, subscription_count, service_count;
  sn__ros2_call *calls;
  size_t call_bytes;   /**< of the requests in `calls` */
  dds_attach_t *ready; /**< [subscription_count + 1] */
  dds_entity_t info_writer;
  sn__bytes in, out;
  int64_t now_ns, looked_ns;
  sn__graph_counts counts;
};

/** QoS of an endpoint; free with dds_delete_qos(). @param user_data  may be empty */
dds_qos_t *sn__ros2_qos(size_t depth, bool is_latched, const char *user_data);

/** The reader of a topic, whose samples are taken when there are any. @return NULL if that fails */
sn__ros2_subscription *sn__ros2_add_reader(sn__ros2_node *node, const char *topic, const char *type,
                                           const char *user_data);
dds_entity_t sn__ros2_add_writer(sn__ros2_node *node, const char *topic, const char *type,
                                 const char *user_data, bool is_latched);

bool sn__ros2_offer(void *node, const char *name, const char *type, const sn_msg_type *request,
                    const sn_msg_type *response, sn__graph_serve *serve, void *context);
/** A request came: node->in, from this writer. */
void sn__ros2_take_request(sn__ros2_service *service, dds_instance_handle_t publisher);
/** Send the answers that there are. */
void sn__ros2_answer(sn__ros2_node *node);
/** Forget all calls; the pool has ended. */
void sn__ros2_forget_calls(sn__ros2_node *node);

#endif
