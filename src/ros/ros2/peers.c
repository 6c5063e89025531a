/* Maps writers to nodes: every participant publishes its nodes and their endpoints on
   ros_discovery_info. A participant may only describe itself. */
#include <stdlib.h>
#include <string.h>

#include "ros/ros2/node_state.h"

#define DEPTH 1000 /* one sample per participant, all of one instance */
#define PEERS_MAX 256
#define INFO_MAX ((size_t)256 << 10)

/* The hash is that of the definition with 16-byte gids. */
void sn__ros2_info_user_data(const sn__ros2_node *node, char *out, size_t size) {
  (void)sn__ros2_user_data(NULL, node->config.gid_size == 16 ? SN__ROS2_INFO_HASH : "", out, size);
}

bool sn__ros2_open_peers(sn__ros2_node *node) {
  char user_data[SN__ROS2_NAME_SIZE];
  sn__ros2_info_user_data(node, user_data, sizeof user_data);
  dds_qos_t *qos = sn__ros2_qos(DEPTH, true, user_data);
  const bool is_attached =
      sn__ros2_attach_reader(node, &node->info, SN__ROS2_INFO_TOPIC, SN__ROS2_INFO_TYPE, qos);
  dds_delete_qos(qos);
  return is_attached;
}

static void reject(sn__ros2_node *node, const char *why) {
  node->counts.refused++;
  uint64_t suppressed;
  if (sn_log_limit_pass(&node->peer_warnings, node->now_ns, &suppressed)) {
    node->config.log(node->config.context, SN_LOG_WARNING, why, SN__ROS2_INFO_TOPIC);
  }
}

/* Gids of a writer and its participant. @return false: the writer is gone */
static bool get_writer_gids(dds_entity_t reader, dds_instance_handle_t publisher,
                            sn__ros2_gid *writer, sn__ros2_gid *participant) {
  dds_builtintopic_endpoint_t *endpoint = dds_get_matched_publication_data(reader, publisher);
  if (endpoint == NULL) {
    return false;
  }
  memcpy(writer->bytes, endpoint->key.v, sizeof writer->bytes);
  memcpy(participant->bytes, endpoint->participant_key.v, sizeof participant->bytes);
  dds_builtintopic_free_endpoint(endpoint);
  return true;
}

static bool is_same(const sn__ros2_gid *a, const sn__ros2_gid *b) {
  return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

static void free_peer(sn__ros2_node *node, sn__ros2_peer **at) {
  sn__ros2_peer *peer = *at;
  *at = peer->next;
  sn__bytes_free(&peer->info);
  free(peer);
  node->peer_count--;
  node->peers_version++;
}

void sn__ros2_drop_peers(sn__ros2_node *node, bool all) {
  for (sn__ros2_peer **at = &node->peers; *at != NULL;) {
    sn__ros2_gid writer;
    sn__ros2_gid participant;
    if (all || !get_writer_gids(node->info.reader, (*at)->publisher, &writer, &participant)) {
      free_peer(node, at);
    } else {
      at = &(*at)->next;
    }
  }
}

/* Find or add the peer of a writer; NULL: too many. */
static sn__ros2_peer *find_peer(sn__ros2_node *node, dds_instance_handle_t publisher) {
  for (sn__ros2_peer *peer = node->peers; peer != NULL; peer = peer->next) {
    if (peer->publisher == publisher) {
      return peer;
    }
  }
  sn__ros2_peer *peer = node->peer_count < PEERS_MAX ? calloc(1, sizeof *peer) : NULL;
  if (peer != NULL) {
    peer->publisher = publisher;
    peer->next = node->peers;
    node->peers = peer;
    node->peer_count++;
  }
  return peer;
}

/* Tools mix up nodes of the same name, and services of both answer. */
static void report_namesake(sn__ros2_node *node, sn__ros2_peer *peer) {
  const bool was_namesake = peer->is_namesake;
  peer->is_namesake =
      !is_same(&peer->participant, &node->gid) &&
      sn__ros2_info_has_node(peer->info.data, peer->info.used, node->config.gid_size,
                             node->config.name_space, node->config.name);
  uint64_t suppressed;
  if (peer->is_namesake && !was_namesake &&
      sn_log_limit_pass(&node->peer_warnings, node->now_ns, &suppressed)) {
    node->config.log(node->config.context, SN_LOG_WARNING,
                     "another node has the same name: set node_name or namespace of one of them",
                     node->config.name);
  }
}

void sn__ros2_take_peer(sn__ros2_node *node, dds_instance_handle_t publisher) {
  sn__ros2_gid writer;
  sn__ros2_gid participant;
  sn__ros2_gid described;
  if (!get_writer_gids(node->info.reader, publisher, &writer, &participant)) {
    return; /* already gone */
  }
  if (node->in.used > INFO_MAX ||
      !sn__ros2_info_check(node->in.data, node->in.used, node->config.gid_size, &described)) {
    reject(node,
           "message of a participant rejected: invalid data; is gid_size "
           "correct?");
    return;
  }
  if (!is_same(&described, &participant)) {
    reject(node, "message of a participant rejected: it describes another participant");
    return;
  }
  sn__ros2_peer *peer = find_peer(node, publisher);
  if (peer == NULL) {
    reject(node, "message of a participant rejected: too many participants");
    return;
  }
  peer->participant = participant;
  peer->info.used = 0;
  sn__bytes_put(&peer->info, node->in.data, node->in.used);
  if (peer->info.failed) { /* out of memory: its nodes stay unknown */
    peer->info.used = 0;
    peer->info.failed = false;
  }
  report_namesake(node, peer);
  node->peers_version++;
}

/* The gids of a participant and its endpoints have the same first 12 bytes. */
static bool is_of(const sn__ros2_gid *writer, const sn__ros2_gid *participant) {
  return memcmp(writer->bytes, participant->bytes, 12) == 0;
}

void sn__ros2_find_node(const sn__ros2_node *node, const sn__ros2_gid *writer, char *out,
                        size_t size) {
  for (const sn__ros2_peer *peer = node->peers; peer != NULL; peer = peer->next) {
    if (is_of(writer, &peer->participant) &&
        sn__ros2_info_find(peer->info.data, peer->info.used, node->config.gid_size, writer, out,
                           size)) {
      return;
    }
  }
  out[0] = '\0';
}

static void find_caller(sn__ros2_subscription *s, dds_instance_handle_t publisher) {
  sn__ros2_gid writer;
  sn__ros2_gid participant;
  s->caller[0] = '\0';
  if (get_writer_gids(s->reader, publisher, &writer, &participant)) {
    sn__ros2_find_node(s->node, &writer, s->caller, sizeof s->caller);
  }
}

const char *sn__ros2_caller_of(sn__ros2_subscription *s, dds_instance_handle_t publisher) {
  if (s->publisher != publisher || s->publisher_version != s->node->peers_version) {
    find_caller(s, publisher);
    s->publisher = publisher;
    s->publisher_version = s->node->peers_version;
  }
  return s->caller;
}
