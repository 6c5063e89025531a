/* The component `ros1`: a running system as a ROS 1 node. */
#define _GNU_SOURCE /* gethostname() */

#include <stdio.h>
#include <unistd.h>

#include "base/fail.h"
#include "msg/wire/msg_ros1.h"
#include "ros/bridge.h"
#include "ros/ros1/http.h"
#include "ros/ros1/net.h"
#include "ros/ros1/node.h"
#include "ros/ros_components.h"
#include "sinew/components.h"
#include "sinew/system.h"

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
                .doc = "Address of this node for others; empty: ROS_HOSTNAME, ROS_IP, 127.0.0.1 "
                       "if the master is local, or the host name."),
    SN__BRIDGE_PROPERTIES(ros1),
    SN_PROPERTY(ros1, "queue", queue, .unit = "messages", .initial = "100", .min = 1, .max = 10000,
                .doc = "Queued messages of a slow subscriber; the oldest are dropped."),
    {0}};

/* ---- transport ---- */

static void destroy(void *node, int64_t patience_ns) {
  sn__ros1_node_destroy(node, patience_ns);
}

static void *advertise(void *node, const char *topic, const sn_msg_type *type, size_t kept) {
  return sn__ros1_advertise(node, topic, type, kept > 0);
}

static void *subscribe(void *node, const char *topic, const sn_msg_type *type, bool is_best_effort,
                       sn__ros_on_message *on_message, void *context) {
  (void)is_best_effort; /* TCP */
  return sn__ros1_subscribe(node, topic, type, on_message, context);
}

static bool add_service(void *node, const char *name, const char *type, const sn_msg_type *request,
                        const sn_msg_type *response, sn__ros_serve *serve,
                        sn__ros_on_arrival *on_arrival, void *context) {
  return sn__ros1_add_service(node, name, type, request, response, serve, on_arrival, context) !=
         NULL;
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

static sn__ros_counts counts(const void *node) {
  return sn__ros1_node_counts(node);
}

static const sn__ros_transport transport = {.destroy = destroy,
                                            .advertise = advertise,
                                            .subscribe = subscribe,
                                            .add_service = add_service,
                                            .set_parameter = set_parameter,
                                            .step = step,
                                            .wake = wake,
                                            .now_ns = now_ns,
                                            .subscriber_count = subscriber_count,
                                            .publisher_count = publisher_count,
                                            .publish = publish,
                                            .counts = counts,
                                            .write = sn__ros1_write,
                                            .read = sn__ros1_read,
                                            .make = sn__ros1_make};

/* ---- configuration ---- */

/* With a local master, only local nodes need to connect. */
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
  const char *fallback = is_local ? "127.0.0.1" : own;
  const char *host =
      sn__bridge_choose(r->host, "ROS_HOSTNAME", sn__bridge_choose("", "ROS_IP", fallback));
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
  return status == SN_OK ? sn__bridge_configure(&r->bridge, &transport, err) : status;
}

static sn_status on_system_started(sn_component *component, sn_error *err) {
  ros1 *r = (ros1 *)component;
  if (sn_system_clock(component->system)->kind == SN_CLOCK_SIMULATED) {
    sn__bridge_log(&r->bridge, SN_LOG_WARNING, "node {} is not started: {}", r->bridge.name,
                   "the clock is simulated");
    return SN_OK;
  }
  const sn__ros1_config config = {.name = r->bridge.name,
                                  .master_uri = r->master_used,
                                  .host = r->host_used,
                                  .queue = (size_t)r->queue,
                                  .log = sn__bridge_node_log,
                                  .context = &r->bridge};
  sn__ros1_node *node = NULL;
  sn_status status = sn__ros1_node_create(&config, &node, err);
  if (status == SN_OK) {
    status = sn__bridge_start(&r->bridge, node, config.queue, err);
  }
  if (status == SN_OK) {
    sn__bridge_log(&r->bridge, SN_LOG_INFO, "node {} is running, master {}", r->bridge.name,
                   r->master_used);
  }
  return status;
}

const sn_component_type sn__ros1_component = SN__BRIDGE_COMPONENT(
    ros1, "ros1", "ROS 1 node: ports become topics, operations become services.",
    "components:\n"
    "  ros1:\n"
    "    type: ros1\n"
    "    properties: {namespace: /robot, outputs: [plant.joints_measured]}\n");
