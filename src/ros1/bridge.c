#define _GNU_SOURCE /* gethostname() */

#include "ros1/bridge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "remote/pool.h"
#include "remote/remote_fail.h"
#include "ros1/http.h"
#include "ros1/net.h"
#include "ros1/ros1.h"
#include "ros1/wall_clock.h"
#include "sinew/components.h"
#include "sinew/robot_model.h"
#include "sinew/system.h"

#define PATIENCE_NS INT64_C(2000000000) /* with the master, when leaving */
#define LISTS "[\"*\"]"

static const sn_property properties[] = {
    SN_PROPERTY(sn__bridge, "master_uri", master_uri,
                .doc = "The ROS master; empty: ROS_MASTER_URI, or http://localhost:11311."),
    SN_PROPERTY(sn__bridge, "node_name", node_name, .initial = "sinew",
                .doc = "Name of the node, without its namespace."),
    SN_PROPERTY(sn__bridge, "namespace", space,
                .doc = "What relative names stand behind; empty: ROS_NAMESPACE, or /."),
    SN_PROPERTY(sn__bridge, "host", host,
                .doc =
                    "By which other nodes reach this one; empty: ROS_HOSTNAME, ROS_IP, 127.0.0.1 "
                    "if the master is there, or the name of the machine."),
    SN_PROPERTY(sn__bridge, "remap", remap, .doc = "Other names: /from:=/to."),
    SN_PROPERTY(sn__bridge, "outputs", outputs, .initial = LISTS,
                .doc = "Ports that are published, as component.port; * stands for anything."),
    SN_PROPERTY(sn__bridge, "inputs", inputs, .initial = LISTS,
                .doc = "Ports without a writer that nodes may write to."),
    SN_PROPERTY(sn__bridge, "services", services, .initial = LISTS,
                .doc = "Operations that nodes may call, as component.operation."),
    SN_PROPERTY(sn__bridge, "latched", latched,
                .initial = "[\"*.out_joints_src_reset\", \"*.assignment\", \"*.servo_model\"]",
                .doc = "Ports whose last message is sent to those who come later."),
    SN_PROPERTY(sn__bridge, "rate", rate_Hz, .initial = "100", .unit = "Hz", .min = 0, .max = 1e6,
                .doc = "At most so many messages of a topic; 0: all."),
    SN_PROPERTY(sn__bridge, "queue", queue, .initial = "100", .min = 1, .max = 10000,
                .doc = "Messages that wait for a slow subscriber; then the oldest go."),
    SN_PROPERTY(sn__bridge, "joint_states", joint_states,
                .doc = "Output that joint_states and tf come from; empty: what is measured, or "
                       "else commanded; none: neither is published."),
    SN_PROPERTY(sn__bridge, "tf", has_tf, .initial = "true",
                .doc = "Publish frames on /tf and /tf_static, as robot_state_publisher does."),
    {0}};

static const sn_need needs[] = {{.name = "robot_model",
                                 .interface = SN_ROBOT_MODEL,
                                 .offset = offsetof(sn__bridge, robot_model),
                                 .doc = "The robot."},
                                {0}};

/* ---- small things that the parts share ---- */

static bool fits(const char *pattern, const char *name) {
  while (*pattern != '\0' && *pattern != '*') {
    if (*pattern++ != *name++) {
      return false;
    }
  }
  if (*pattern == '\0') {
    return *name == '\0';
  }
  const char *rest = pattern + 1;
  for (; *name != '\0'; name++) { /* a pattern has few stars, a name few letters */
    if (fits(rest, name)) {
      return true;
    }
  }
  return fits(rest, name);
}

bool sn__bridge_fits(const sn_texts *patterns, const char *name) {
  for (size_t i = 0; i < patterns->count; i++) {
    if (fits(patterns->data[i], name)) {
      return true;
    }
  }
  return false;
}

bool sn__bridge_name(const sn__bridge *bridge, const char *port, char *out, size_t size) {
  char relative[SN__ROS1_NAME_SIZE];
  snprintf(relative, sizeof relative, "%s", port);
  for (char *at = relative; *at != '\0'; at++) {
    *at = *at == '.' ? '/' : *at;
  }
  if (strlen(port) < sizeof relative &&
      sn__graph_name_resolve(&bridge->names, relative, out, size)) {
    return true;
  }
  sn__bridge_log(bridge, SN_LOG_WARNING, "{} has no name in the graph: {}", port, "it is too long");
  return false;
}

void sn__bridge_log(const sn__bridge *bridge, sn_log_level level, const char *format,
                    const char *first, const char *second) {
  const sn_log_arg args[] = {{.kind = SN_LOG_TEXT, .value.text = first},
                             {.kind = SN_LOG_TEXT, .value.text = second}};
  sn_component_log(&bridge->component, sn_clock_now_ns(sn_system_clock(bridge->component.system)),
                   level, format, 2, args);
}

static void log_of_node(void *context, sn_log_level level, const char *text, const char *about) {
  sn__bridge_log(context, level, *about == '\0' ? "{}" : "{} ({})", text, about);
}

/* ---- configuration ---- */

static const char *choose(const char *set, const char *variable, const char *otherwise) {
  const char *from_environment = getenv(variable);
  return *set != '\0'                                            ? set
         : from_environment != NULL && *from_environment != '\0' ? from_environment
                                                                 : otherwise;
}

static sn_status copy(const char *what, const char *text, char *out, size_t size, sn_error *err) {
  const int length = snprintf(out, size, "%s", text);
  return length >= 0 && (size_t)length < size
             ? SN_OK
             : sn__remote_fail(err, SN_ELIMIT, "%s has %d bytes, at most %zu", what, length,
                               size - 1);
}

/* A master on this machine is reached by nodes on this machine: others need not get in. */
static sn_status find_host(sn__bridge *bridge, sn_error *err) {
  char master[SN__HOST_SIZE];
  char own[SN__HOST_SIZE] = "";
  int port = 0;
  struct in_addr address;
  if (!sn__http_split_uri(bridge->master_used, "http", master, sizeof master, &port)) {
    return sn__remote_fail(err, SN_EINVAL, "master_uri: '%s', expected http://host:port",
                           bridge->master_used);
  }
  const bool is_local = sn__address_quick(master, &address) && (ntohl(address.s_addr) >> 24) == 127;
  if (gethostname(own, sizeof own - 1) != 0 || *own == '\0') {
    snprintf(own, sizeof own, "localhost");
  }
  const char *otherwise = is_local ? "127.0.0.1" : own;
  const char *host = choose(bridge->host, "ROS_HOSTNAME", choose("", "ROS_IP", otherwise));
  return copy("host", host, bridge->host_used, sizeof bridge->host_used, err);
}

static sn_status find_names(sn__bridge *bridge, sn_error *err) {
  const char *space = choose(bridge->space, "ROS_NAMESPACE", "/");
  const size_t length = strlen(space);
  if (!sn__graph_name_is_good(space) || *space == '~') {
    return sn__remote_fail(err, SN_EINVAL, "namespace: '%s' is no name of ROS", space);
  }
  if (!sn__graph_name_is_good(bridge->node_name) || strchr(bridge->node_name, '/') != NULL ||
      *bridge->node_name == '~') {
    return sn__remote_fail(err, SN_EINVAL, "node_name: '%s' is no base name of ROS",
                           bridge->node_name);
  }
  char whole[SN__ROS1_NAME_SIZE];
  const bool has_end = length > 1 && space[length - 1] == '/';
  snprintf(whole, sizeof whole, "%s%.*s", *space == '/' ? "" : "/", (int)(length - has_end), space);
  sn_status status = copy("namespace", whole, bridge->space_used, sizeof bridge->space_used, err);
  char name[2 * SN__ROS1_NAME_SIZE];
  snprintf(name, sizeof name, "%s/%s", strcmp(whole, "/") == 0 ? "" : whole, bridge->node_name);
  if (status == SN_OK) {
    status = copy("node_name", name, bridge->name, sizeof bridge->name, err);
  }
  bridge->names = (sn__graph_names){bridge->space_used, bridge->name, bridge->remap};
  return status == SN_OK ? sn__graph_names_check(&bridge->names, err) : status;
}

static sn_status configure(sn_component *component, sn_error *err) {
  sn__bridge *bridge = (sn__bridge *)component;
  const char *master = choose(bridge->master_uri, "ROS_MASTER_URI", "http://localhost:11311");
  sn_status status =
      copy("master_uri", master, bridge->master_used, sizeof bridge->master_used, err);
  if (status == SN_OK) {
    status = find_host(bridge, err);
  }
  if (status == SN_OK) {
    status = find_names(bridge, err);
  }
  if (status != SN_OK) {
    return status;
  }
  bridge->model = sn_robot_model_hold((sn_robot_model *)bridge->robot_model.face);
  return bridge->model != NULL
             ? SN_OK
             : sn__remote_fail(err, SN_ENOTCONFIGURED, "the robot model is not configured");
}

static void cleanup(sn_component *component) {
  sn__bridge *bridge = (sn__bridge *)component;
  sn_robot_model_release((sn_robot_model *)bridge->robot_model.face);
}

/* ---- while the system runs ---- */

/* Messages have the time of the system, the graph that of the wall clock, which somebody may set.
 */
static void watch_clocks(sn__bridge *bridge) {
  const int64_t offset_ns =
      sn__wall_now_ns() - sn_clock_now_ns(sn_system_clock(bridge->component.system));
  const int64_t change_ns = offset_ns - bridge->wall_offset_ns;
  if (change_ns > 1000000 || change_ns < -1000000) { /* less is jitter of this look */
    bridge->wall_offset_ns = offset_ns;
  }
}

static void *run(void *context) {
  sn__bridge *bridge = context;
  int64_t wait_ns = 0;
  while (!atomic_load(&bridge->is_ending)) {
    sn__ros1_node_step(bridge->node, wait_ns);
    const int64_t now_ns = sn__ros1_node_now_ns(bridge->node);
    watch_clocks(bridge);
    const int64_t topics_ns = sn__bridge_step_topics(bridge, now_ns);
    const int64_t robot_ns = sn__bridge_step_robot(bridge, now_ns);
    wait_ns = topics_ns < robot_ns ? topics_ns : robot_ns;
    sn__bridge_note_counts(bridge);
  }
  return NULL;
}

static void end(sn__bridge *bridge) {
  if (bridge->has_thread) {
    atomic_store(&bridge->is_ending, true);
    sn__ros1_node_wake(bridge->node);
    pthread_join(bridge->thread, NULL);
    bridge->has_thread = false;
  }
  sn__ros1_node_destroy(bridge->node, PATIENCE_NS); /* its services call into the system */
  bridge->node = NULL;
  sn__bridge_close_topics(bridge);
  sn__bridge_close_robot(bridge);
  bridge->first_call = NULL;
  sn__bytes_free(&bridge->wire);
  sn_arena_release(&bridge->arena);
}

static sn_status add_all(sn__bridge *bridge, sn_error *err) {
  sn_status status = sn__bridge_add_robot(bridge, err);
  status = status == SN_OK ? sn__bridge_add_topics(bridge, err) : status;
  status = status == SN_OK ? sn__bridge_add_arbiter(bridge, err) : status;
  return status == SN_OK ? sn__bridge_add_services(bridge, err) : status;
}

static sn_status attend(sn_component *component, sn_error *err) {
  sn__bridge *bridge = (sn__bridge *)component;
  if (sn_system_clock(component->system)->kind == SN_CLOCK_SIMULATED) {
    sn__bridge_log(bridge, SN_LOG_WARNING, "there is no node {}: {}", bridge->name,
                   "a simulated clock does not wait for a graph");
    return SN_OK;
  }
  const sn__ros1_config config = {.name = bridge->name,
                                  .master_uri = bridge->master_used,
                                  .host = bridge->host_used,
                                  .queue = (size_t)bridge->queue,
                                  .log = log_of_node,
                                  .context = bridge};
  sn_arena_init_growing(&bridge->arena, "ros1", 0);
  atomic_store(&bridge->is_ending, false);
  bridge->wall_offset_ns = 0;
  watch_clocks(bridge);
  sn_status status = sn__ros1_node_create(&config, &bridge->node, err);
  if (status == SN_OK) {
    status = add_all(bridge, err);
  }
  if (status == SN_OK) {
    status = sn__remote_thread_start(&bridge->thread, run, bridge, err);
    bridge->has_thread = status == SN_OK;
  }
  if (status != SN_OK) {
    end(bridge);
  }
  return status;
}

static void leave(sn_component *component) {
  sn__bridge *bridge = (sn__bridge *)component;
  if (bridge->node != NULL) {
    end(bridge);
  }
}

const sn_component_type sn__ros1_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "ros1",
    .doc = "A node of a ROS 1 graph: ports are topics, operations are services.",
    .size = sizeof(sn__bridge),
    .properties = properties,
    .needs = needs,
    .operations = sn__bridge_operations,
    .configure = configure,
    .cleanup = cleanup,
    .attend = attend,
    .leave = leave,
};
