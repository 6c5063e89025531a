/* Subscribed topics: for each publisher in the master's list, request its TCPROS port, connect,
   exchange headers, then receive messages. Failures are retried with increasing delay. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "ros/ros1/http.h"
#include "ros/ros1/node_state.h"

#define RETRY_NS INT64_C(200000000)
#define RETRY_NS_MAX INT64_C(5000000000)
#define PUBLISHERS_MAX 64 /* per topic */

static void retry_later(sn__ros1_publisher *publisher) {
  publisher->next_try_ns = publisher->client.net->now_ns + publisher->retry_ns;
  publisher->retry_ns =
      2 * publisher->retry_ns < RETRY_NS_MAX ? 2 * publisher->retry_ns : RETRY_NS_MAX;
}

/* ---- the connection ---- */

static void send_header(sn__link *link) {
  const sn__ros1_publisher *publisher = link->owner;
  if (publisher == NULL) {
    return;
  }
  const sn__ros1_subscription *s = publisher->subscription;
  sn__bytes header = {0};
  const size_t start = sn__tcpros_begin(&header);
  sn__tcpros_put(&header, "callerid", s->entry.node->config.name);
  sn__tcpros_put(&header, "topic", s->entry.name);
  sn__tcpros_put(&header, "type", s->type->ros1_name);
  sn__tcpros_put(&header, "md5sum", s->md5);
  sn__tcpros_put(&header, "tcp_nodelay", "1");
  sn__tcpros_end(&header, start);
  if (!header.failed) {
    sn__link_send(link, header.data, header.used);
  }
  sn__bytes_free(&header);
}

static sn_status agree(sn__ros1_publisher *publisher, const char *bytes, size_t size,
                       sn_error *err) {
  sn__ros1_subscription *s = publisher->subscription;
  sn__tcpros_header header;
  char text[SN__ROS1_NAME_SIZE];
  const sn_status status = sn__tcpros_parse(bytes, size, &header, err);
  if (status != SN_OK) {
    return status;
  }
  if (sn__tcpros_get(&header, "error", text, sizeof text)) {
    return sn__fail(err, SN_EINVAL, "%s", text);
  }
  if (!sn__tcpros_get(&header, "md5sum", text, sizeof text) ||
      (strcmp(text, s->md5) != 0 && strcmp(text, "*") != 0)) {
    return sn__fail(err, SN_EINVAL, "the publisher has a different definition of %s",
                    s->type->ros1_name);
  }
  if (!sn__tcpros_get(&header, "callerid", publisher->caller, sizeof publisher->caller)) {
    snprintf(publisher->caller, sizeof publisher->caller, "unknown");
  }
  publisher->is_ready = true;
  publisher->retry_ns = RETRY_NS;
  publisher->link->deadline_ns = 0;
  s->ready_count++;
  return SN_OK;
}

static sn_status receive(sn__link *link, sn_error *err) {
  sn__ros1_publisher *publisher = link->owner;
  size_t done = 0;
  sn_status status = SN_OK;
  while (status == SN_OK && publisher != NULL) {
    size_t used = 0;
    const size_t limit = publisher->is_ready ? SN__ROS1_MESSAGE_MAX : SN__TCPROS_HEADER_MAX;
    status = sn__tcpros_frame(link->in.data + done, link->in.used - done, limit, &used, err);
    if (status != SN_OK) {
      break;
    }
    const char *message = link->in.data + done + 4;
    if (!publisher->is_ready) {
      status = agree(publisher, message, used - 4, err);
    } else {
      sn__ros1_subscription *s = publisher->subscription;
      link->messages++;
      s->entry.node->received++;
      s->on_message(s->context, publisher->caller, message, used - 4);
    }
    done += used;
  }
  sn__bytes_drop(&link->in, done);
  return status == SN_EBUSY ? SN_OK : status;
}

static void on_closed(sn__link *link) {
  sn__ros1_publisher *publisher = link->owner;
  if (publisher == NULL) {
    return;
  }
  const sn__ros1_node *node = publisher->subscription->entry.node;
  if (publisher->is_ready) {
    publisher->subscription->ready_count--;
  } else if (link->failure.code != SN_OK && publisher->retry_ns >= RETRY_NS_MAX) {
    sn__ros1_log(node, SN_LOG_WARNING, link->failure.message, publisher->subscription->entry.name);
  }
  publisher->is_ready = false;
  publisher->link = NULL;
  retry_later(publisher);
}

static const sn__link_role role = {.connected = send_header, .input = receive, .closed = on_closed};

/* ---- port of a publisher ---- */

static void on_port(sn__rpc_client *client, sn_status status, const sn__rpc_value *value,
                    const sn_error *err) {
  sn__ros1_publisher *publisher = client->owner;
  const sn__rpc_value *item = NULL;
  const char *protocol = NULL;
  const char *host = NULL;
  int32_t port = 0;
  (void)err;
  if (status == SN_OK && sn__rpc_array(value, &item) && item != NULL && item->next != NULL &&
      item->next->next != NULL) {
    protocol = sn__rpc_text(item);
    host = sn__rpc_text(item->next);
    if (!sn__rpc_int(item->next->next, &port)) {
      port = 0;
    }
  }
  if (protocol == NULL || strcmp(protocol, "TCPROS") != 0 || host == NULL || *host == '\0' ||
      strlen(host) >= SN__HOST_SIZE || port <= 0 || port > 65535) {
    retry_later(publisher);
    return;
  }
  publisher->link = sn__net_dial(client->net, host, port, &role, publisher);
  if (publisher->link == NULL) {
    retry_later(publisher);
  }
}

static void request_port(sn__ros1_publisher *publisher) {
  const sn__ros1_subscription *s = publisher->subscription;
  sn__rpc_client *client = &publisher->client;
  char host[SN__HOST_SIZE];
  int port = 0;
  if (!sn__http_split_uri(publisher->uri, "http", host, sizeof host, &port)) {
    publisher->retry_ns = RETRY_NS_MAX;
    retry_later(publisher);
    return;
  }
  sn__rpc_client_begin(client, "requestTopic");
  sn__rpc_put_text(&client->writer, s->entry.node->config.name);
  sn__rpc_put_text(&client->writer, s->entry.name);
  sn__rpc_begin_array(&client->writer);
  sn__rpc_begin_array(&client->writer);
  sn__rpc_put_text(&client->writer, "TCPROS");
  sn__rpc_end_array(&client->writer);
  sn__rpc_end_array(&client->writer);
  if (!sn__rpc_client_send(client, host, port)) {
    retry_later(publisher);
  }
}

/* ---- list of publishers ---- */

static void drop_publisher(sn__ros1_publisher *publisher) {
  sn__rpc_client_free(&publisher->client);
  if (publisher->link != NULL) {
    publisher->subscription->ready_count -= publisher->is_ready;
    publisher->link->owner = NULL;
    sn__link_close(publisher->link);
  }
  free(publisher);
}

static void add_publisher(sn__ros1_subscription *s, const char *uri) {
  size_t count = 0;
  for (const sn__ros1_publisher *other = s->publishers; other != NULL; other = other->next) {
    count++;
  }
  sn__ros1_publisher *publisher = count < PUBLISHERS_MAX ? calloc(1, sizeof *publisher) : NULL;
  if (publisher == NULL) {
    return; /* the master sends the list again on every change */
  }
  publisher->subscription = s;
  publisher->client =
      (sn__rpc_client){.net = &s->entry.node->net, .done = on_port, .owner = publisher};
  publisher->is_listed = true;
  publisher->retry_ns = RETRY_NS;
  snprintf(publisher->uri, sizeof publisher->uri, "%s", uri);
  publisher->next = s->publishers;
  s->publishers = publisher;
}

static sn__ros1_publisher *find_publisher(const sn__ros1_subscription *s, const char *uri) {
  for (sn__ros1_publisher *publisher = s->publishers; publisher != NULL;
       publisher = publisher->next) {
    if (strcmp(publisher->uri, uri) == 0) {
      return publisher;
    }
  }
  return NULL;
}

void sn__subscription_update(sn__ros1_subscription *s, const sn__rpc_value *uris) {
  const sn__rpc_value *item = NULL;
  if (!sn__rpc_array(uris, &item)) {
    return;
  }
  for (sn__ros1_publisher *publisher = s->publishers; publisher != NULL;
       publisher = publisher->next) {
    publisher->is_listed = false;
  }
  for (; item != NULL; item = item->next) {
    const char *uri = sn__rpc_text(item);
    if (uri == NULL || strlen(uri) >= SN__HOST_SIZE) {
      continue;
    }
    sn__ros1_publisher *publisher = find_publisher(s, uri);
    if (publisher == NULL) {
      add_publisher(s, uri);
    } else {
      publisher->is_listed = true;
    }
  }
}

/* A working connection is kept even if its publisher is not listed: the master may have been
   restarted and not know it yet. */
void sn__subscription_step(sn__ros1_subscription *s) {
  for (sn__ros1_publisher **at = &s->publishers; *at != NULL;) {
    sn__ros1_publisher *publisher = *at;
    const bool is_idle = publisher->link == NULL && publisher->client.link == NULL;
    if (!publisher->is_listed && !publisher->is_ready) {
      *at = publisher->next;
      drop_publisher(publisher);
      continue;
    }
    if (is_idle && publisher->client.net->now_ns >= publisher->next_try_ns) {
      request_port(publisher);
    }
    at = &publisher->next;
  }
}

void sn__subscription_end(sn__ros1_subscription *s) {
  while (s->publishers != NULL) {
    sn__ros1_publisher *publisher = s->publishers;
    s->publishers = publisher->next;
    drop_publisher(publisher);
  }
}

size_t sn__ros1_publisher_count(const sn__ros1_subscription *s) {
  return s->ready_count;
}
