/* The component `ros1`: a running system as a node of a ROS 1 graph. */
#define _GNU_SOURCE /* gethostname() */

#include "ros/ros1/ros1.h"

#include <stdio.h>
#include <unistd.h>

#include "base/fail.h"
#include "ros/bridge.h"
#include "ros/ros1/http.h"
#include "ros/ros1/net.h"
#include "ros/ros1/node.h"
#include "sinew/components.h"
#include "sinew/msg_ros1.h"

typedef struct ros1 {
  sn__bridge bridge;
  /* properties */
  const char *master_uri, *host;
  int64_t queue;

  /* from configure to cleanup */
  char host_used[SN__ROS1_NAME_SIZE], master_used[SN__ROS1_NAME_SIZE];
} ros1;

static const sn_property properties[] = {
    SN_PROPERTY(ros1, "master_uri", master_uri,
                .doc = "The ROS master; empty: ROS_MASTER_URI, or http://localhost:11311."),
    SN_PROPERTY(ros1, "host", host,
                .doc =
                    "By which other nodes reach this one; empty: ROS_HOSTNAME, ROS_IP, 127.0.0.1 "
                    "if the master is there, or the name of the machine."),
    SN__BRIDGE_PROPERTIES(ros1),
    SN_PROPERTY(ros1, "queue", queue, .initial = "100", .min = 1, .max = 10000,
                .doc = "Messages that wait for a slow subscriber; then the oldest go."),
    {0}};

/* ---- the node as a bridge sees it ---- */

static void destroy(void *node, int64_t patience_ns) {
  sn__ros1_node_destroy(node, patience_ns);
}

static void *advertise(void *node, const char *topic, const sn_msg_type *type, bool is_latched) {
  return sn__ros1_advertise(node, topic, type, is_latched);
}

static void *subscribe(void *node, const char *topic, const sn_msg_type *type, sn__graph_take *take,
                       void *context) {
  return sn__ros1_subscribe(node, topic, type, take, context);
}

static bool offer(void *node, const char *name, const char *type, const sn_msg_type *request,
                  const sn_msg_type *response, sn__graph_serve *serve, sn__graph_hear *hear,
                  void *context) {
  return sn__ros1_offer(node, name, type, request, response, serve, hear, context) != NULL;
}

static bool set_parameter(void *node, const char *name, const char *value) {
  return sn__ros1_set_parameter(node, name, value);
}

static void step(void *node, int64_t timeout_ns) {
  sn__ros1_node_step(node, timeout_ns);
}

static void wake(void *node) {
  sn__ros1_node_wake(node);
}

static int64_t now_ns(const void *node) {
  return sn__ros1_node_now_ns(node);
}

static size_t subscriber_count(const void *publication) {
  return sn__ros1_subscriber_count(publication);
}

static size_t publisher_count(const void *subscription) {
  return sn__ros1_publisher_count(subscription);
}

static void publish(void *publication, const void *bytes, size_t size, int64_t stamp_ns) {
  sn__ros1_publish(publication, bytes, size, stamp_ns);
}

static sn__graph_counts counts(const void *node) {
  const sn__ros1_counts c = sn__ros1_node_counts(node);
  return (sn__graph_counts){.is_connected = c.has_master,
                            .is_shut_down = c.is_shut_down,
                            .losses = c.master_losses,
                            .sent = c.sent,
                            .received = c.received,
                            .calls = c.calls,
                            .dropped = c.dropped,
                            .refused = c.refused,
                            .timed_out = c.timed_out,
                            .subscribers = c.subscribers,
                            .publishers = c.publishers};
}

static const sn__graph_face face = {.destroy = destroy,
                                    .advertise = advertise,
                                    .subscribe = subscribe,
                                    .offer = offer,
                                    .set_parameter = set_parameter,
                                    .step = step,
                                    .wake = wake,
                                    .now_ns = now_ns,
                                    .subscriber_count = subscriber_count,
                                    .publisher_count = publisher_count,
                                    .publish = publish,
                                    .counts = counts,
                                    .write = sn_ros1_write,
                                    .read = sn_ros1_read,
                                    .make = sn_ros1_make};

/* ---- configuration ---- */

/* A master on this machine is reached by nodes on this machine: others need not get in. */
static sn_status find_host(ros1 *r, sn_error *err) {
  char master[SN__HOST_SIZE];
  char own[SN__HOST_SIZE] = "";
  int port = 0;
  struct in_addr address;
  if (!sn__http_split_uri(r->master_used, "http", master, sizeof master, &port)) {
    return sn__fail(err, SN_EINVAL, "master_uri: '%s', expected http://host:port", r->master_used);
  }
  const bool is_local = sn__address_quick(master, &address) && (ntohl(address.s_addr) >> 24) == 127;
  if (gethostname(own, sizeof own - 1) != 0 || *own == '\0') {
    snprintf(own, sizeof own, "localhost");
  }
  const char *otherwise = is_local ? "127.0.0.1" : own;
  const char *host =
      sn__bridge_choose(r->host, "ROS_HOSTNAME", sn__bridge_choose("", "ROS_IP", otherwise));
  return sn__bridge_copy("host", host, r->host_used, sizeof r->host_used, err);
}

static sn_status configure(sn_component *component, sn_error *err) {
  ros1 *r = (ros1 *)component;
  const char *master = sn__bridge_choose(r->master_uri, "ROS_MASTER_URI", "http://localhost:11311");
  sn_status status =
      sn__bridge_copy("master_uri", master, r->master_used, sizeof r->master_used, err);
  if (status == SN_OK) {
    status = find_host(r, err);
  }
  return status == SN_OK ? sn__bridge_configure(&r->bridge, &face, err) : status;
}

static sn_status attend(sn_component *component, sn_error *err) {
  ros1 *r = (ros1 *)component;
  if (!sn__bridge_has_graph(&r->bridge)) {
    return SN_OK;
  }
  const sn__ros1_config config = {.name = r->bridge.name,
                                  .master_uri = r->master_used,
                                  .host = r->host_used,
                                  .queue = (size_t)r->queue,
                                  .log = sn__bridge_log_of_node,
                                  .context = &r->bridge};
  sn__ros1_node *node = NULL;
  const sn_status status = sn__ros1_node_create(&config, &node, err);
  return status == SN_OK ? sn__bridge_begin(&r->bridge, node, config.queue, err) : status;
}

const sn_component_type sn__ros1_component = SN__BRIDGE_COMPONENT(
    ros1, "ros1", "A node of a ROS 1 graph: ports are topics, operations are services.");
