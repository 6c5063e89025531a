/* Telling the master what there is: one call after the other. It may come late, go, and come again
   without a memory; once a second it is asked whether it still knows us. */
#include <stdio.h>
#include <string.h>

#include "ros/ros1/node_state.h"

#define S_NS INT64_C(1000000000)
#define RETRY_NS (S_NS / 2)
#define LOOK_NS S_NS

/* ---- what is told next ---- */

static sn__ros1_entry **list_of(sn__ros1_node *node, sn__master_task task) {
  return task == SN__MASTER_PARAMETER     ? &node->parameters
         : task == SN__MASTER_PUBLICATION ? &node->publications
         : task == SN__MASTER_SERVICE     ? &node->services
                                          : &node->subscriptions;
}

/* The first entry that the master does not know, or while leaving, still knows. */
static sn__ros1_entry *next_entry(sn__ros1_node *node, sn__master_task *task) {
  const bool is_leaving = node->master.is_leaving;
  for (int t = SN__MASTER_PARAMETER; t < SN__MASTER_LOOK; t++) {
    if (is_leaving && t == SN__MASTER_PARAMETER) {
      continue; /* they stay, as those of every node */
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
  for (int t = SN__MASTER_PARAMETER; t < SN__MASTER_LOOK; t++) {
    for (sn__ros1_entry *e = *list_of(node, (sn__master_task)t); e != NULL; e = e->next) {
      e->is_registered = false;
    }
  }
}

/* ---- the answers ---- */

static void lose(sn__ros1_node *node, const char *why) {
  sn__master *master = &node->master;
  if (master->is_there) {
    master->losses++;
  }
  if (!master->was_told) {
    sn__ros1_log(node, SN_LOG_WARNING, "no ROS master, waiting for it", why);
    master->was_told = true;
  }
  master->is_there = false;
  forget_all(node);
  master->next_ns = node->net.now_ns + RETRY_NS;
}

/* Known by another address: the name is taken. The master told us, or will. */
static void check_look(sn__ros1_node *node, const sn__rpc_value *value) {
  const char *uri = sn__rpc_text(value);
  if (uri != NULL && strcmp(uri, node->api) != 0) {
    sn__ros1_log(node, SN_LOG_WARNING, "another node has taken our name, we leave the graph", uri);
    node->is_shut_down = true;
  }
}

static void done(sn__rpc_client *client, sn_status status, const sn__rpc_value *value,
                 const sn_error *err) {
  sn__ros1_node *node = client->owner;
  sn__master *master = &node->master;
  if (status != SN_OK && status != SN_EINVAL) {
    lose(node, err->message);
    return;
  }
  if (!master->is_there) {
    sn__ros1_log(node, SN_LOG_INFO, "there is a ROS master", node->config.master_uri);
    master->is_there = true;
    master->was_told = false;
  }
  if (master->task == SN__MASTER_LOOK) {
    if (status == SN_OK) {
      check_look(node, value);
    } else { /* it does not know us: it was started anew, or somebody cleaned up */
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

/* ---- the calls ---- */

static void put_call(sn__ros1_node *node) {
  static const char *const enter[] = {"setParam", "registerPublisher", "registerService",
                                      "registerSubscriber"};
  static const char *const leave[] = {"", "unregisterPublisher", "unregisterService",
                                      "unregisterSubscriber"};
  sn__master *master = &node->master;
  const sn__ros1_entry *entry = master->entry;
  sn__rpc_writer *w = &master->client.writer;
  if (master->task == SN__MASTER_LOOK) {
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
    master->client = (sn__rpc_client){.net = &node->net, .done = done, .owner = node};
  }
  if (master->client.link != NULL || (now_ns < master->next_ns && !master->is_leaving)) {
    return;
  }
  master->entry = next_entry(node, &master->task);
  if (master->entry == NULL) {
    if (master->is_leaving) {
      return;
    }
    master->task = SN__MASTER_LOOK;
    master->next_ns = now_ns + LOOK_NS;
  }
  put_call(node);
  if (!sn__rpc_client_send(&master->client, master->host, master->port)) {
    master->next_ns = now_ns + RETRY_NS;
  }
}

bool sn__master_has_left(const sn__ros1_node *node) {
  sn__master_task task = SN__MASTER_LOOK;
  return node->master.client.link == NULL &&
         (!node->master.is_there || next_entry((sn__ros1_node *)node, &task) == NULL);
}
