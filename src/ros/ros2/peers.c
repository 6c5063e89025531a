/* Which node a writer belongs to: every participant tells of its nodes and of their endpoints, on a
   topic of its own. A participant is believed in what it says of itself. */
#include <stdlib.h>
#include <string.h>

#include "ros/ros2/node_state.h"

#define DEPTH 1000 /* one sample of each participant, which are of one instance */
#define PEERS_MAX 256
#define INFO_MAX ((size_t)256 << 10)
#define COMPLAIN_NS INT64_C(5000000000)

bool sn__ros2_open_peers(sn__ros2_node *node) {
  dds_qos_t *qos = sn__ros2_qos(DEPTH, true, "");
  const bool is_there =
      sn__ros2_attach_reader(node, &node->info, SN__ROS2_INFO_TOPIC, SN__ROS2_INFO_TYPE, qos);
  dds_delete_qos(qos);
  return is_there;
}

static void refuse(sn__ros2_node *node, const char *why) {
  node->counts.refused++;
  if (node->peers_told_ns == 0 || node->now_ns - node->peers_told_ns > COMPLAIN_NS) {
    node->peers_told_ns = node->now_ns;
    node->config.log(node->config.context, SN_LOG_WARNING, why, SN__ROS2_INFO_TOPIC);
  }
}

/* Who writes, and for whom. @return false: it is gone */
static bool look_at_writer(dds_entity_t reader, dds_instance_handle_t publisher,
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

void sn__ros2_forget_peers(sn__ros2_node *node, bool all) {
  for (sn__ros2_peer **at = &node->peers; *at != NULL;) {
    sn__ros2_gid writer;
    sn__ros2_gid participant;
    if (all || !look_at_writer(node->info.reader, (*at)->publisher, &writer, &participant)) {
      free_peer(node, at);
    } else {
      at = &(*at)->next;
    }
  }
}

/* That of this writer, or a new one; NULL: there is no room. */
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

void sn__ros2_take_peer(sn__ros2_node *node, dds_instance_handle_t publisher) {
  sn__ros2_gid writer;
  sn__ros2_gid participant;
  sn__ros2_gid told;
  if (!look_at_writer(node->info.reader, publisher, &writer, &participant)) {
    return; /* it is gone already */
  }
  if (node->in.used > INFO_MAX ||
      !sn__ros2_info_check(node->in.data, node->in.used, node->config.gid_size, &told)) {
    refuse(node,
           "what a participant says of its nodes was refused: it makes no sense; is gid_size "
           "right?");
    return;
  }
  if (!is_same(&told, &participant)) {
    refuse(node, "what a participant says of its nodes was refused: it speaks of another");
    return;
  }
  sn__ros2_peer *peer = find_peer(node, publisher);
  if (peer == NULL) {
    refuse(node, "what a participant says of its nodes was refused: there are too many");
    return;
  }
  peer->participant = participant;
  peer->info.used = 0;
  sn__bytes_put(&peer->info, node->in.data, node->in.used);
  if (peer->info.is_lost) { /* no memory: then nobody is known there */
    peer->info.used = 0;
    peer->info.is_lost = false;
  }
  node->peers_version++;
}

static void find_caller(sn__ros2_subscription *s, dds_instance_handle_t publisher) {
  sn__ros2_node *node = s->node;
  sn__ros2_gid writer;
  sn__ros2_gid participant;
  s->caller[0] = '\0';
  if (!look_at_writer(s->reader, publisher, &writer, &participant)) {
    return;
  }
  for (const sn__ros2_peer *peer = node->peers; peer != NULL; peer = peer->next) {
    if (is_same(&peer->participant, &participant) &&
        sn__ros2_info_find(peer->info.data, peer->info.used, node->config.gid_size, &writer,
                           s->caller, sizeof s->caller)) {
      return;
    }
  }
  s->caller[0] = '\0';
}

const char *sn__ros2_caller_of(sn__ros2_subscription *s, dds_instance_handle_t publisher) {
  if (s->publisher != publisher || s->publisher_version != s->node->peers_version) {
    find_caller(s, publisher);
    s->publisher = publisher;
    s->publisher_version = s->node->peers_version;
  }
  return s->caller;
}
