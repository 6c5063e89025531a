#include "ros/ros1/node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "msg/wire/msg_schema.h"
#include "remote/remote_starved.h"
#include "ros/ros1/http.h"
#include "ros/ros1/node_state.h"
#include "sinew/msg_types.h"

sn__ros1_entry *sn__ros1_find(sn__ros1_entry *list, const char *name) {
  for (; list != NULL && strcmp(list->name, name) != 0; list = list->next) {
  }
  return list;
}

void sn__ros1_log(const sn__ros1_node *node, sn_log_level level, const char *text,
                  const char *about) {
  if (node->config.log != NULL) {
    node->config.log(node->config.context, level, text, about);
  }
}

/* ---- setup ---- */

/* Append an entry of @p size bytes to a list. @return NULL if out of memory */
static void *add_entry(sn__ros1_node *node, sn__ros1_entry **list, size_t size, const char *name) {
  sn__ros1_entry *entry = sn_arena_alloc(&node->arena, size, _Alignof(max_align_t));
  const char *copy = sn_arena_text(&node->arena, name, strlen(name));
  if (entry == NULL || copy == NULL) {
    return NULL;
  }
  *entry = (sn__ros1_entry){.node = node, .name = copy};
  while (*list != NULL) {
    list = &(*list)->next;
  }
  *list = entry;
  return entry;
}

sn__ros1_publication *sn__ros1_advertise(sn__ros1_node *node, const char *topic,
                                         const sn_msg_type *type, bool is_latched) {
  const size_t size = sn__msg_schema_ros1(type, NULL, 0) + 1;
  char *definition = sn_arena_alloc(&node->arena, size, 1);
  sn__ros1_publication *p =
      definition == NULL ? NULL : add_entry(node, &node->publications, sizeof *p, topic);
  if (p != NULL) {
    sn__msg_schema_ros1(type, definition, size);
    p->type = type;
    p->is_latched = is_latched;
    p->has_header = type->field_count > 0 && type->fields[0].nested == &sn_header_type;
    p->definition = definition;
    sn__ros1_md5(type, p->md5);
  }
  return p;
}

sn__ros1_subscription *sn__ros1_subscribe(sn__ros1_node *node, const char *topic,
                                          const sn_msg_type *type, sn__ros_on_message *on_message,
                                          void *context) {
  sn__ros1_subscription *s = add_entry(node, &node->subscriptions, sizeof *s, topic);
  if (s != NULL) {
    s->type = type;
    s->on_message = on_message;
    s->context = context;
    sn__ros1_md5(type, s->md5);
  }
  return s;
}

sn__ros1_service *sn__ros1_add_service(sn__ros1_node *node, const char *name, const char *type,
                                       const sn_msg_type *request, const sn_msg_type *response,
                                       sn__ros_serve *serve, sn__ros_on_arrival *on_arrival,
                                       void *context) {
  const char *type_copy = sn_arena_text(&node->arena, type, strlen(type));
  sn__ros1_service *s =
      type_copy == NULL ? NULL : add_entry(node, &node->services, sizeof *s, name);
  if (s != NULL) {
    s->type = type_copy;
    s->request = request;
    s->response = response;
    s->serve = serve;
    s->on_arrival = on_arrival;
    s->context = context;
    sn__ros1_service_md5(request, response, s->md5);
  }
  return s;
}

bool sn__ros1_set_parameter(sn__ros1_node *node, const char *name, const char *value) {
  const char *copy = sn_arena_text(&node->arena, value, strlen(value));
  sn__ros1_parameter *p = copy == NULL ? NULL : add_entry(node, &node->parameters, sizeof *p, name);
  if (p != NULL) {
    p->value = copy;
  }
  return p != NULL;
}

/* ---- incoming TCPROS connections: the header selects a topic or a service ---- */

sn_status sn__tcpros_reject(sn__link *link, sn_error *err, const char *reason) {
  sn__bytes header = {0};
  const size_t start = sn__tcpros_begin(&header);
  sn__tcpros_put(&header, "error", reason);
  sn__tcpros_end(&header, start);
  if (!header.failed) {
    sn__link_send(link, header.data, header.used);
  }
  sn__bytes_free(&header);
  return sn__fail(err, SN_EINVAL, "%s", reason);
}

static sn_status take_header(sn__link *link, sn_error *err) {
  sn__ros1_node *node = link->owner;
  size_t used = 0;
  sn_status status =
      sn__tcpros_frame(link->in.data, link->in.used, SN__TCPROS_HEADER_MAX, &used, err);
  if (status != SN_OK) {
    return status == SN_EBUSY ? SN_OK : status;
  }
  sn__tcpros_header header;
  status = sn__tcpros_parse(link->in.data + 4, used - 4, &header, err);
  char name[SN__ROS1_NAME_SIZE];
  if (status != SN_OK) {
    return sn__tcpros_reject(link, err, err->message);
  }
  const bool is_service = sn__tcpros_get(&header, "service", name, sizeof name);
  status = is_service ? sn__service_join(node, link, &header, err)
                      : sn__publication_join(node, link, &header, err);
  if (status == SN_OK) {
    sn__bytes_drop(&link->in, used);
    return link->in.used > 0 ? link->role->input(link, err) : SN_OK;
  }
  return status;
}

static void no_op(sn__link *link) {
  (void)link;
}

static const sn__link_role header_role = {
    .connected = no_op, .input = take_header, .closed = no_op};

static const sn__link_role *accept_tcpros(void *node, sn__link *link) {
  link->owner = node;
  return &header_role;
}

/* ---- start and stop ---- */

static void wake(void *context) {
  sn__net_wake(context);
}

/* With a loopback host, listen on loopback only. */
static sn_status listen_both(sn__ros1_node *node, sn_error *err) {
  struct in_addr address;
  if (!sn__address_find(node->config.host, &address)) {
    return sn__fail(err, SN_EIO, "host '%s' cannot be resolved", node->config.host);
  }
  if ((ntohl(address.s_addr) >> 24) != 127) {
    address.s_addr = htonl(INADDR_ANY);
  }
  sn_status status = sn__net_listen(&node->net, address, sn__slave_accept, node, err);
  if (status == SN_OK) {
    status = sn__net_listen(&node->net, address, accept_tcpros, node, err);
  }
  snprintf(node->api, sizeof node->api, "http://%s:%d/", node->config.host,
           node->net.listeners[0].port);
  snprintf(node->service_uri, sizeof node->service_uri, "rosrpc://%s:%d", node->config.host,
           node->net.listeners[1].port);
  return status;
}

static void close_all(sn__ros1_node *node) {
  for (sn__ros1_entry *e = node->subscriptions; e != NULL; e = e->next) {
    sn__subscription_end((sn__ros1_subscription *)e);
  }
  sn__rpc_client_free(&node->master.client);
  sn__net_close(&node->net);
  sn__service_end(node);
  for (sn__ros1_entry *e = node->publications; e != NULL; e = e->next) {
    sn__frame_drop(((sn__ros1_publication *)e)->last);
  }
  sn_arena_release(&node->arena);
  free(node);
}

sn_status sn__ros1_node_create(const sn__ros1_config *config, sn__ros1_node **out, sn_error *err) {
  sn__ros1_node *node = calloc(1, sizeof *node);
  if (node == NULL) {
    return sn__fail(err, SN_ENOMEM, "out of memory");
  }
  node->config = *config;
  sn_arena_init_growing(&node->arena, "ros1", 0);
  sn_status status = SN_OK;
  if (!sn__http_split_uri(config->master_uri, "http", node->master.host, sizeof node->master.host,
                          &node->master.port)) {
    status = sn__fail(err, SN_EINVAL, "master_uri '%s' is invalid, expected http://host:port",
                      config->master_uri);
  }
  if (status == SN_OK) {
    status = sn__net_open(&node->net, &node->pool, err);
  }
  if (status != SN_OK) {
    sn_arena_release(&node->arena);
    free(node);
    return status;
  }
  status = listen_both(node, err);
  if (status == SN_OK) {
    status = sn__remote_pool_start(&node->pool, wake, &node->net, err);
  }
  if (status != SN_OK) {
    close_all(node);
    return status;
  }
  *out = node;
  return SN_OK;
}

static void collect(sn__ros1_node *node) {
  for (sn__remote_job *job = sn__remote_pool_take_done(&node->pool); job != NULL;
       job = sn__remote_pool_take_done(&node->pool)) {
    if (!sn__net_collect(&node->net, job)) {
      (void)sn__service_collect(node, job);
    }
  }
}

/* After a shutdown request: finish its response, close everything else. */
static void close_connections(sn__ros1_node *node) {
  sn__rpc_client_cancel(&node->master.client);
  node->master.is_connected = false;
  for (sn__ros1_entry *e = node->subscriptions; e != NULL; e = e->next) {
    sn__subscription_end((sn__ros1_subscription *)e);
  }
  for (size_t i = 0; i < SN__LINKS_MAX; i++) {
    sn__link *link = &node->net.links[i];
    if (link->role != NULL) {
      link->ends_after_output = true;
      link->is_gone = link->is_gone || link->out.count == 0;
    }
  }
}

static void log_starved(sn__ros1_node *node) {
  uint64_t suppressed;
  if (node->net.starved != node->starved_seen &&
      sn_log_limit_pass(&node->starved, node->net.now_ns, &suppressed)) {
    sn__ros1_log(node, SN_LOG_WARNING, SN__REMOTE_STARVED, "");
  }
  node->starved_seen = node->net.starved;
}

void sn__ros1_node_step(sn__ros1_node *node, int64_t timeout_ns) {
  sn__net_step(&node->net, timeout_ns);
  log_starved(node);
  collect(node);
  if (node->is_shut_down && !node->master.is_leaving) {
    close_connections(node);
    return;
  }
  sn__master_step(node);
  for (sn__ros1_entry *e = node->subscriptions; e != NULL; e = e->next) {
    sn__subscription_step((sn__ros1_subscription *)e);
  }
}

void sn__ros1_node_wake(sn__ros1_node *node) {
  sn__net_wake(&node->net);
}

int64_t sn__ros1_node_now_ns(const sn__ros1_node *node) {
  return node->net.now_ns;
}

void sn__ros1_node_destroy(sn__ros1_node *node, int64_t patience_ns) {
  if (node == NULL) {
    return;
  }
  const int64_t until_ns = node->net.now_ns + patience_ns;
  sn__rpc_client_cancel(&node->master.client);
  node->master.is_leaving = true;
  while (node->master.is_connected && !sn__master_has_left(node) && node->net.now_ns < until_ns) {
    sn__ros1_node_step(node, 10000000);
  }
  sn__remote_pool_end(&node->pool);
  close_all(node);
}

sn__ros_counts sn__ros1_node_counts(const sn__ros1_node *node) {
  sn__ros_counts counts = {.is_connected = node->master.is_connected,
                           .is_shut_down = node->is_shut_down,
                           .losses = node->master.losses,
                           .sent = node->sent,
                           .received = node->received,
                           .calls = node->call_count,
                           .dropped = node->net.dropped,
                           .refused = node->net.refused + node->net.overcrowded,
                           .timed_out = node->net.timed_out};
  for (size_t i = 0; i < SN__LINKS_MAX; i++) {
    if (node->net.links[i].role != NULL) {
      counts.dropped += node->net.links[i].out.dropped;
    }
  }
  for (const sn__ros1_entry *e = node->publications; e != NULL; e = e->next) {
    counts.subscribers += ((const sn__ros1_publication *)e)->subscriber_count;
  }
  for (const sn__ros1_entry *e = node->subscriptions; e != NULL; e = e->next) {
    counts.publishers += ((const sn__ros1_subscription *)e)->ready_count;
  }
  return counts;
}
