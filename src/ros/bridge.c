#include "ros/bridge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "model/robot_model.h"
#include "remote/pool.h"
#include "ros/node/node_interfaces.h"
#include "ros/ros_transport.h"
#include "sinew/components.h"
#include "sinew/system.h"

#define PATIENCE_NS INT64_C(2000000000) /* to unregister from the graph */
#define HOLD_NS INT64_C(20000000)       /* wait for the system in the node's thread */

const sn_need sn__bridge_needs[] = {SN_ROBOT_MODEL_NEED(sn__bridge), {0}};

/* ---- helpers ---- */

static bool matches(const char *pattern, const char *name) {
  while (*pattern != '\0' && *pattern != '*') {
    if (*pattern++ != *name++) {
      return false;
    }
  }
  if (*pattern == '\0') {
    return *name == '\0';
  }
  const char *rest = pattern + 1;
  for (; *name != '\0'; name++) { /* patterns and names are short */
    if (matches(rest, name)) {
      return true;
    }
  }
  return matches(rest, name);
}

bool sn__bridge_matches(const sn_texts *patterns, const char *name) {
  for (size_t i = 0; i < patterns->count; i++) {
    if (matches(patterns->data[i], name)) {
      return true;
    }
  }
  return false;
}

bool sn__bridge_name(const sn__bridge *bridge, const char *port, char *out, size_t size) {
  char relative[SN__GRAPH_NAME_SIZE];
  snprintf(relative, sizeof relative, "%s", port);
  for (char *at = relative; *at != '\0'; at++) {
    *at = *at == '.' ? '/' : *at;
  }
  if (strlen(port) < sizeof relative &&
      sn__graph_name_resolve(&bridge->names, relative, out, size)) {
    return true;
  }
  sn__bridge_log(bridge, SN_LOG_WARNING, "{} is not in the graph: {}", port,
                 "its name is too long");
  return false;
}

bool sn__bridge_hold(const sn__bridge *bridge) {
  return sn_system_hold_within(bridge->component.system, HOLD_NS);
}

void sn__bridge_release(const sn__bridge *bridge) {
  sn_system_release(bridge->component.system);
}

sn_status sn__bridge_open_caller(const sn__bridge *bridge, const char *operation, sn_caller *caller,
                                 sn_error *err) {
  if (!sn__bridge_hold(bridge)) {
    return sn__fail(err, SN_EBUSY, "%s: the system is being configured, try again later",
                    operation);
  }
  const sn_status status = sn_caller_open(bridge->component.system, operation, caller, err);
  sn__bridge_release(bridge);
  return status;
}

void sn__bridge_log(const sn__bridge *bridge, sn_log_level level, const char *format,
                    const char *first, const char *second) {
  const sn_log_arg args[] = {{.kind = SN_LOG_TEXT, .value.text = first},
                             {.kind = SN_LOG_TEXT, .value.text = second}};
  sn_component_log(&bridge->component, sn_clock_now_ns(sn_system_clock(bridge->component.system)),
                   level, format, 2, args);
}

void sn__bridge_node_log(void *context, sn_log_level level, const char *text, const char *about) {
  sn__bridge_log(context, level, *about == '\0' ? "{}" : "{} ({})", text, about);
}

/* ---- configuration ---- */

const char *sn__bridge_choose(const char *set, const char *variable, const char *fallback) {
  const char *from_environment = getenv(variable);
  return *set != '\0'                                            ? set
         : from_environment != NULL && *from_environment != '\0' ? from_environment
                                                                 : fallback;
}

sn_status sn__bridge_copy(const char *what, const char *text, char *out, size_t size,
                          sn_error *err) {
  const int length = snprintf(out, size, "%s", text);
  return length >= 0 && (size_t)length < size
             ? SN_OK
             : sn__fail(err, SN_ELIMIT, "%s has %d bytes, at most %zu", what, length, size - 1);
}

static sn_status find_names(sn__bridge *bridge, sn_error *err) {
  const char *name_space = sn__bridge_choose(bridge->name_space, "ROS_NAMESPACE", "/");
  const size_t length = strlen(name_space);
  if (!sn__graph_name_is_good(name_space) || *name_space == '~') {
    return sn__fail(err, SN_EINVAL, "namespace: '%s' is not a valid ROS name", name_space);
  }
  if (!sn__graph_name_is_good(bridge->node_name) || strchr(bridge->node_name, '/') != NULL ||
      *bridge->node_name == '~') {
    return sn__fail(err, SN_EINVAL, "node_name: '%s' is not a valid ROS base name",
                    bridge->node_name);
  }
  char whole[SN__GRAPH_NAME_SIZE];
  const bool has_end = length > 1 && name_space[length - 1] == '/';
  snprintf(whole, sizeof whole, "%s%.*s", *name_space == '/' ? "" : "/", (int)(length - has_end),
           name_space);
  sn_status status = sn__bridge_copy("namespace", whole, bridge->name_space_used,
                                     sizeof bridge->name_space_used, err);
  char name[2 * SN__GRAPH_NAME_SIZE];
  snprintf(name, sizeof name, "%s/%s", strcmp(whole, "/") == 0 ? "" : whole, bridge->node_name);
  if (status == SN_OK) {
    status = sn__bridge_copy("node_name", name, bridge->name, sizeof bridge->name, err);
  }
  bridge->names = (sn__graph_names){bridge->name_space_used, bridge->name, bridge->remap};
  return status == SN_OK ? sn__graph_names_check(&bridge->names, err) : status;
}

sn_status sn__bridge_configure(sn__bridge *bridge, const sn__ros_transport *transport,
                               sn_error *err) {
  const sn_status status = find_names(bridge, err);
  if (status != SN_OK) {
    return status;
  }
  bridge->transport = transport;
  bridge->model = sn__robot_model_hold((sn_robot_model *)bridge->robot_model.iface);
  return bridge->model != NULL
             ? SN_OK
             : sn__fail(err, SN_ENOTCONFIGURED, "the robot model is not configured");
}

void sn__bridge_cleanup(sn_component *component) {
  sn__bridge *bridge = (sn__bridge *)component;
  sn__robot_model_release((sn_robot_model *)bridge->robot_model.iface);
  if (bridge->log != NULL) {
    sn__remote_log_end(bridge->log);
    bridge->log = NULL;
  }
}

/* ---- while the system runs ---- */

/* @return time until the next step */
static int64_t step_parts(sn__bridge *bridge, int64_t now_ns) {
  static int64_t (*const parts[])(sn__bridge *, int64_t) = {
      sn__bridge_step_time, sn__bridge_step_topics, sn__bridge_step_robot, sn__bridge_step_actions,
      sn__node_step};
  int64_t wait_ns = INT64_MAX;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    const int64_t part_ns = parts[i](bridge, now_ns);
    wait_ns = part_ns < wait_ns ? part_ns : wait_ns;
  }
  return wait_ns;
}

static void *run(void *context) {
  sn__bridge *bridge = context;
  int64_t wait_ns = 0;
  while (!atomic_load(&bridge->is_stopping)) {
    bridge->transport->step(bridge->node, wait_ns);
    const int64_t now_ns = bridge->transport->now_ns(bridge->node);
    wait_ns = step_parts(bridge, now_ns);
    sn__bridge_update_counts(bridge);
  }
  return NULL;
}

static void stop(sn__bridge *bridge) {
  if (bridge->has_thread) {
    atomic_store(&bridge->is_stopping, true);
    bridge->transport->wake(bridge->node);
    pthread_join(bridge->thread, NULL);
    bridge->has_thread = false;
  }
  bridge->transport->destroy(bridge->node, PATIENCE_NS); /* its services call the system */
  bridge->node = NULL;
  sn__bridge_close_topics(bridge);
  sn__bridge_close_robot(bridge);
  sn__bridge_close_actions(bridge);
  sn__node_close(bridge);
  bridge->first_service = NULL;
  sn__bytes_free(&bridge->encoded);
  sn_arena_release(&bridge->arena);
}

static sn_status add_all(sn__bridge *bridge, sn_error *err) {
  sn_status status = sn__bridge_add_time(bridge, err);
  status = status == SN_OK ? sn__bridge_add_robot(bridge, err) : status;
  status = status == SN_OK ? sn__bridge_add_topics(bridge, err) : status;
  status = status == SN_OK ? sn__bridge_add_base(bridge, err) : status;
  status = status == SN_OK ? sn__bridge_add_arbiter(bridge, err) : status;
  status = status == SN_OK ? sn__bridge_add_services(bridge, err) : status;
  status = status == SN_OK ? sn__bridge_add_actions(bridge, err) : status;
  return status == SN_OK && bridge->log != NULL ? sn__node_add(bridge, err) : status;
}

sn_status sn__bridge_start(sn__bridge *bridge, void *node, size_t depth, sn_error *err) {
  bridge->node = node;
  bridge->depth = depth;
  sn_arena_init_growing(&bridge->arena, "graph", 0);
  atomic_store(&bridge->is_stopping, false);
  sn__bridge_reset_losses(bridge);
  sn_status status = add_all(bridge, err);
  if (status == SN_OK && bridge->transport->announce != NULL) {
    status = bridge->transport->announce(node, err);
  }
  if (status == SN_OK) {
    sn__bridge_publish_owners(bridge);
    status = sn__remote_thread_start(&bridge->thread, run, bridge, err);
    bridge->has_thread = status == SN_OK;
  }
  if (status != SN_OK) {
    stop(bridge);
  }
  return status;
}

void sn__bridge_on_system_stopping(sn_component *component) {
  sn__bridge *bridge = (sn__bridge *)component;
  if (bridge->node != NULL) {
    stop(bridge);
  }
}
