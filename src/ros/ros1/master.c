/* Registration with the ROS master, one call at a time. The master may start late or restart
   without its state, so once a second the node checks that it is still registered. */
#include <stdio.h>
#include <string.h>

#include "ros/ros1/node_state.h"

#define S_NS INT64_C(1000000000)
#define RETRY_NS (S_NS / 2)
#define LOOKUP_NS S_NS

/* ---- next call ---- */

static sn__ros1_entry **list_of(sn__ros1_node *node, sn__master_task task) {
  return task == SN__MASTER_PARAMETER     ? &node->parameters
         : task == SN__MASTER_PUBLICATION ? &node->publications
         : task == SN__MASTER_SERVICE     ? &node->services
                                          : &node->subscriptions;
}

/* The next entry to register, or while leaving, to unregister. */
static sn__ros1_entry *next_entry(sn__ros1_node *node, sn__master_task *task) {
  const bool is_leaving = node->master.is_leaving;
  for (int t = SN__MASTER_PARAMETER; t < SN__MASTER_LOOKUP; t++) {
    if (is_leaving && t == SN__MASTER_PARAMETER) {
      continue; /* parameters stay in the master */
    }
    for (sn__ros1_entry *e = *list_of(node, (sn__master_task)t); e != NULL; e = e->next) {
      if (e->is_registered == is_leaving) {
        *task = (sn__master_task)t;
        return e;
      }
    }
  }
  return NULL;
}

static void forget_all(sn__ros1_node *node) {
  for (int t = SN__MASTER_PARAMETER; t < SN__MASTER_LOOKUP; t++) {
    for (sn__ros1_entry *e = *list_of(node, (sn__master_task)t); e != NULL; e = e->next) {
      e->is_registered = false;
    }
  }
}

/* ---- responses ---- */

static void on_master_lost(sn__ros1_node *node, const char *why) {
  sn__master *master = &node->master;
  if (master->is_connected) {
    master->losses++;
  }
  if (!master->has_warned) {
    sn__ros1_log(node, SN_LOG_WARNING, "no ROS master, waiting for it", why);
    master->has_warned = true;
  }
  master->is_connected = false;
  forget_all(node);
  master->next_ns = node->net.now_ns + RETRY_NS;
}

/* Another address: another node has taken the name. */
static void check_lookup(sn__ros1_node *node, const sn__rpc_value *value) {
  const char *uri = sn__rpc_text(value);
  if (uri != NULL && strcmp(uri, node->api) != 0) {
    sn__ros1_log(node, SN_LOG_WARNING, "another node has the same name, leaving the graph", uri);
    node->is_shut_down = true;
  }
}

static void on_response(sn__rpc_client *client, sn_status status, const sn__rpc_value *value,
                        const sn_error *err) {
  sn__ros1_node *node = client->owner;
  sn__master *master = &node->master;
  if (status != SN_OK && status != SN_EINVAL) {
    on_master_lost(node, err->message);
    return;
  }
  if (!master->is_connected) {
    sn__ros1_log(node, SN_LOG_INFO, "connected to the ROS master", node->config.master_uri);
    master->is_connected = true;
    master->has_warned = false;
  }
  if (master->task == SN__MASTER_LOOKUP) {
    if (status == SN_OK) {
      check_lookup(node, value);
    } else { /* not registered: the master was restarted or cleaned up */
      master->losses++;
      forget_all(node);
    }
    return;
  }
  sn__ros1_entry *entry = master->entry;
  if (master->is_leaving) {
    entry->is_registered = false;
    return;
  }
  entry->is_registered = status == SN_OK;
  if (status != SN_OK) {
    sn__ros1_log(node, SN_LOG_WARNING, err->message, entry->name);
    master->next_ns = node->net.now_ns + S_NS;
  } else if (master->task == SN__MASTER_SUBSCRIPTION) {
    sn__subscription_update((sn__ros1_subscription *)entry, value);
  }
}

/* ---- calls ---- */

static void put_call(sn__ros1_node *node) {
  static const char *const enter[] = {"setParam", "registerPublisher", "registerService",
                                      "registerSubscriber"};
  static const char *const leave[] = {"", "unregisterPublisher", "unregisterService",
                                      "unregisterSubscriber"};
  sn__master *master = &node->master;
  const sn__ros1_entry *entry = master->entry;
  sn__rpc_writer *w = &master->client.writer;
  if (master->task == SN__MASTER_LOOKUP) {
    sn__rpc_client_begin(&master->client, "lookupNode");
    sn__rpc_put_text(w, node->config.name);
    sn__rpc_put_text(w, node->config.name);
    return;
  }
  sn__rpc_client_begin(&master->client, (master->is_leaving ? leave : enter)[master->task]);
  sn__rpc_put_text(w, node->config.name);
  sn__rpc_put_text(w, entry->name);
  switch (master->task) {
    case SN__MASTER_PARAMETER:
      sn__rpc_put_text(w, ((const sn__ros1_parameter *)entry)->value);
      return;
    case SN__MASTER_SERVICE:
      sn__rpc_put_text(w, node->service_uri);
      break;
    case SN__MASTER_PUBLICATION:
      if (!master->is_leaving) {
        sn__rpc_put_text(w, ((const sn__ros1_publication *)entry)->type->ros1_name);
      }
      break;
    default:
      if (!master->is_leaving) {
        sn__rpc_put_text(w, ((const sn__ros1_subscription *)entry)->type->ros1_name);
      }
      break;
  }
  if (!master->is_leaving || master->task != SN__MASTER_SERVICE) {
    sn__rpc_put_text(w, node->api);
  }
}

void sn__master_step(sn__ros1_node *node) {
  sn__master *master = &node->master;
  const int64_t now_ns = node->net.now_ns;
  if (master->client.net == NULL) {
    master->client = (sn__rpc_client){.net = &node->net, .done = on_response, .owner = node};
  }
  if (master->client.link != NULL || (now_ns < master->next_ns && !master->is_leaving)) {
    return;
  }
  master->entry = next_entry(node, &master->task);
  if (master->entry == NULL) {
    if (master->is_leaving) {
      return;
    }
    master->task = SN__MASTER_LOOKUP;
    master->next_ns = now_ns + LOOKUP_NS;
  }
  put_call(node);
  if (!sn__rpc_client_send(&master->client, master->host, master->port)) {
    master->next_ns = now_ns + RETRY_NS;
  }
}

bool sn__master_has_left(const sn__ros1_node *node) {
  sn__master_task task = SN__MASTER_LOOKUP;
  return node->master.client.link == NULL &&
         (!node->master.is_connected || next_entry((sn__ros1_node *)node, &task) == NULL);
}
