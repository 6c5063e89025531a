/* The component `ros2`: a running system as a ROS 2 node. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "ros/bridge.h"
#include "ros/ros2/node.h"
#include "ros/ros_components.h"
#include "sinew/components.h"
#include "sinew/system.h"

#define DOMAIN_MAX 232

typedef struct ros2 {
  sn__bridge bridge;
  /* properties */
  int64_t domain, gid_size, depth;
  bool is_local;
  const char *interface;

  /* from configure to cleanup */
  unsigned domain_used;
  sn__ros2_discovery discovery;
} ros2;

static const sn_property properties[] = {
    SN_PROPERTY(ros2, "domain", domain, .unit = "", .initial = "-1", .min = -1, .max = DOMAIN_MAX,
                .doc = "DDS domain; -1: ROS_DOMAIN_ID, or 0."),
    SN_PROPERTY(ros2, "localhost_only", is_local, .initial = "false",
                .doc = "Use loopback only; also if ROS_LOCALHOST_ONLY is 1 or "
                       "ROS_AUTOMATIC_DISCOVERY_RANGE is LOCALHOST."),
    SN_PROPERTY(ros2, "interface", interface,
                .doc = "Network interface, by name or address; empty: as configured for "
                       "DDS."),
    SN__BRIDGE_PROPERTIES(ros2),
    SN_PROPERTY(ros2, "depth", depth, .unit = "samples", .initial = "100", .min = 1, .max = 10000,
                .doc = "Queued samples of a slow subscriber; the oldest are dropped."),
    SN_PROPERTY(ros2, "best_effort", bridge.best_effort,
                .doc = "Inputs that best-effort publishers may write to, as component.port; lost "
                       "messages are not repeated then."),
    SN_PROPERTY(ros2, "use_sim_time", bridge.uses_sim_time, .initial = "false",
                .doc = "Follow the time of /clock. A robot whose own clock is not the real one "
                       "publishes /clock instead."),
    SN_PROPERTY(ros2, "gid_size", gid_size, .unit = "bytes", .initial = "16", .min = 16, .max = 24,
                .doc = "Bytes of a gid in ros_discovery_info: 16, or 24 for Humble and older."),
    {0}};

static sn_status find_domain(ros2 *r, sn_error *err) {
  const char *text = r->domain >= 0 ? "" : sn__bridge_choose("", "ROS_DOMAIN_ID", "0");
  char *end = NULL;
  const long value = r->domain >= 0 ? (long)r->domain : strtol(text, &end, 10);
  if ((end != NULL && (end == text || *end != '\0')) || value < 0 || value > DOMAIN_MAX) {
    return sn__fail(err, SN_EINVAL, "ROS_DOMAIN_ID: '%s', expected 0 .. %d", text, DOMAIN_MAX);
  }
  r->domain_used = (unsigned)value;
  return SN_OK;
}

static sn_status find_discovery(ros2 *r, sn_error *err) {
  const char *local = r->is_local ? "1" : sn__bridge_choose("", "ROS_LOCALHOST_ONLY", "0");
  return sn__ros2_discovery_read(local, sn__bridge_choose("", "ROS_AUTOMATIC_DISCOVERY_RANGE", ""),
                                 sn__bridge_choose("", "ROS_STATIC_PEERS", ""), &r->discovery, err);
}

static sn__time_source choose_time(const ros2 *r) {
  const sn_clock *clock = sn_system_clock(r->bridge.component.system);
  return clock->kind != SN_CLOCK_MONOTONIC ? SN__TIME_ROBOT
         : r->bridge.uses_sim_time         ? SN__TIME_FOLLOWED
                                           : SN__TIME_WALL;
}

static sn_status open_log(sn__bridge *bridge, sn_error *err) {
  bridge->log = SN_NEW(sn_component_arena(&bridge->component), sn__remote_log, 1);
  if (bridge->log == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for lines of the log");
  }
  sn__remote_log_init(bridge->log);
  return SN_OK;
}

static sn_status configure(sn_component *component, sn_error *err) {
  ros2 *r = (ros2 *)component;
  if (r->gid_size != 16 && r->gid_size != 24) {
    return sn__fail(err, SN_EINVAL, "gid_size: %lld, expected 16 or 24", (long long)r->gid_size);
  }
  if (r->is_local && *r->interface != '\0' && strcmp(r->interface, "lo") != 0) {
    return sn__fail(err, SN_EINVAL, "interface '%.60s' and localhost_only are mutually exclusive",
                    r->interface);
  }
  sn_status status = find_domain(r, err);
  status = status == SN_OK ? find_discovery(r, err) : status;
  status = status == SN_OK ? sn__bridge_configure(&r->bridge, &sn__ros2_transport, err) : status;
  return status == SN_OK ? open_log(&r->bridge, err) : status;
}

static sn_status on_system_started(sn_component *component, sn_error *err) {
  ros2 *r = (ros2 *)component;
  r->bridge.time_source = choose_time(r);
  const sn__ros2_config config = {.name_space = r->bridge.name_space_used,
                                  .name = r->bridge.node_name,
                                  .domain = r->domain_used,
                                  .interface = r->interface,
                                  .discovery = r->discovery,
                                  .depth = (size_t)r->depth,
                                  .input_depth = (size_t)r->bridge.input_depth,
                                  .gid_size = (size_t)r->gid_size,
                                  .log = sn__bridge_node_log,
                                  .context = &r->bridge};
  sn__ros2_node *node = NULL;
  sn_status status = sn__ros2_node_create(&config, &node, err);
  if (status == SN_OK) {
    status = sn__bridge_start(&r->bridge, node, config.depth, err);
  }
  if (status == SN_OK) {
    char domain[16];
    snprintf(domain, sizeof domain, "%u", config.domain);
    sn__bridge_log(&r->bridge, SN_LOG_INFO, "node {} is running in domain {}", r->bridge.name,
                   domain);
  }
  return status;
}

const sn_component_type sn__ros2_component = SN__BRIDGE_COMPONENT(
    ros2, "ros2", "ROS 2 node: ports become topics, operations become services.",
    "components:\n"
    "  ros2:\n"
    "    type: ros2\n"
    "    properties: {domain: 7, outputs: [plant.joints_measured]}\n");
