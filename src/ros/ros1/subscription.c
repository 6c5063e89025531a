/* Topics of others: for each publisher that the master names, ask it where its port is, call there,
   agree on the type, then take what comes. What fails is tried again, more and more seldom. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "ros/ros1/http.h"
#include "ros/ros1/node_state.h"

#define RETRY_NS INT64_C(200000000)
#define RETRY_NS_MAX INT64_C(5000000000)
#define SOURCES_MAX 64 /* of one topic: whoever tells us of more is not believed */

static void try_later(sn__ros1_source *source) {
  source->next_try_ns = source->client.net->now_ns + source->retry_ns;
  source->retry_ns = 2 * source->retry_ns < RETRY_NS_MAX ? 2 * source->retry_ns : RETRY_NS_MAX;
}

/* ---- the connection ---- */

static void send_header(sn__link *link) {
  const sn__ros1_source *source = link->owner;
  if (source == NULL) {
    return;
  }
  const sn__ros1_subscription *s = source->subscription;
  sn__bytes header = {0};
  const size_t start = sn__tcpros_begin(&header);
  sn__tcpros_put(&header, "callerid", s->entry.node->config.name);
  sn__tcpros_put(&header, "topic", s->entry.name);
  sn__tcpros_put(&header, "type", s->type->ros1_name);
  sn__tcpros_put(&header, "md5sum", s->md5);
  sn__tcpros_put(&header, "tcp_nodelay", "1");
  sn__tcpros_end(&header, start);
  if (!header.is_lost) {
    sn__link_send(link, header.data, header.used);
  }
  sn__bytes_free(&header);
}

static sn_status agree(sn__ros1_source *source, const char *bytes, size_t size, sn_error *err) {
  sn__ros1_subscription *s = source->subscription;
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
    return sn__fail(err, SN_EINVAL, "the publisher has another definition of %s",
                    s->type->ros1_name);
  }
  if (!sn__tcpros_get(&header, "callerid", source->caller, sizeof source->caller)) {
    snprintf(source->caller, sizeof source->caller, "unknown");
  }
  source->is_agreed = true;
  source->retry_ns = RETRY_NS;
  source->link->deadline_ns = 0;
  s->agreed_count++;
  return SN_OK;
}

static sn_status take(sn__link *link, sn_error *err) {
  sn__ros1_source *source = link->owner;
  size_t done = 0;
  sn_status status = SN_OK;
  while (status == SN_OK && source != NULL) {
    size_t used = 0;
    const size_t limit = source->is_agreed ? SN__ROS1_MESSAGE_MAX : SN__TCPROS_HEADER_MAX;
    status = sn__tcpros_frame(link->in.data + done, link->in.used - done, limit, &used, err);
    if (status != SN_OK) {
      break;
    }
    const char *message = link->in.data + done + 4;
    if (!source->is_agreed) {
      status = agree(source, message, used - 4, err);
    } else {
      sn__ros1_subscription *s = source->subscription;
      link->messages++;
      s->entry.node->received++;
      s->take(s->context, source->caller, message, used - 4);
    }
    done += used;
  }
  sn__bytes_drop(&link->in, done);
  return status == SN_EBUSY ? SN_OK : status;
}

static void lose(sn__link *link) {
  sn__ros1_source *source = link->owner;
  if (source == NULL) {
    return;
  }
  const sn__ros1_node *node = source->subscription->entry.node;
  if (source->is_agreed) {
    source->subscription->agreed_count--;
  } else if (link->failure.code != SN_OK && source->retry_ns >= RETRY_NS_MAX) {
    sn__ros1_log(node, SN_LOG_WARNING, link->failure.message, source->subscription->entry.name);
  }
  source->is_agreed = false;
  source->link = NULL;
  try_later(source);
}

static const sn__link_role role = {.connected = send_header, .input = take, .closed = lose};

/* ---- where is its port? ---- */

static void port_told(sn__rpc_client *client, sn_status status, const sn__rpc_value *value,
                      const sn_error *err) {
  sn__ros1_source *source = client->owner;
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
    try_later(source);
    return;
  }
  source->link = sn__net_dial(client->net, host, port, &role, source);
  if (source->link == NULL) {
    try_later(source);
  }
}

static void ask_for_port(sn__ros1_source *source) {
  const sn__ros1_subscription *s = source->subscription;
  sn__rpc_client *client = &source->client;
  char host[SN__HOST_SIZE];
  int port = 0;
  if (!sn__http_split_uri(source->uri, "http", host, sizeof host, &port)) {
    source->retry_ns = RETRY_NS_MAX;
    try_later(source);
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
    try_later(source);
  }
}

/* ---- who publishes? ---- */

static void drop_source(sn__ros1_source *source) {
  sn__rpc_client_free(&source->client);
  if (source->link != NULL) {
    source->subscription->agreed_count -= source->is_agreed;
    source->link->owner = NULL;
    sn__link_close(source->link);
  }
  free(source);
}

static void add_source(sn__ros1_subscription *s, const char *uri) {
  size_t count = 0;
  for (const sn__ros1_source *other = s->sources; other != NULL; other = other->next) {
    count++;
  }
  sn__ros1_source *source = count < SOURCES_MAX ? calloc(1, sizeof *source) : NULL;
  if (source == NULL) {
    return; /* if it is true, the master tells it again when something changes */
  }
  source->subscription = s;
  source->client = (sn__rpc_client){.net = &s->entry.node->net, .done = port_told, .owner = source};
  source->is_listed = true;
  source->retry_ns = RETRY_NS;
  snprintf(source->uri, sizeof source->uri, "%s", uri);
  source->next = s->sources;
  s->sources = source;
}

static sn__ros1_source *find_source(const sn__ros1_subscription *s, const char *uri) {
  for (sn__ros1_source *source = s->sources; source != NULL; source = source->next) {
    if (strcmp(source->uri, uri) == 0) {
      return source;
    }
  }
  return NULL;
}

void sn__subscription_update(sn__ros1_subscription *s, const sn__rpc_value *uris) {
  const sn__rpc_value *item = NULL;
  if (!sn__rpc_array(uris, &item)) {
    return;
  }
  for (sn__ros1_source *source = s->sources; source != NULL; source = source->next) {
    source->is_listed = false;
  }
  for (; item != NULL; item = item->next) {
    const char *uri = sn__rpc_text(item);
    if (uri == NULL || strlen(uri) >= SN__HOST_SIZE) {
      continue;
    }
    sn__ros1_source *source = find_source(s, uri);
    if (source == NULL) {
      add_source(s, uri);
    } else {
      source->is_listed = true;
    }
  }
}

/* A connection that works is kept although the master does not name it: it may have been started
   anew and not know of anybody yet. */
void sn__subscription_step(sn__ros1_subscription *s) {
  for (sn__ros1_source **at = &s->sources; *at != NULL;) {
    sn__ros1_source *source = *at;
    const bool is_idle = source->link == NULL && source->client.link == NULL;
    if (!source->is_listed && !source->is_agreed) {
      *at = source->next;
      drop_source(source);
      continue;
    }
    if (is_idle && source->client.net->now_ns >= source->next_try_ns) {
      ask_for_port(source);
    }
    at = &source->next;
  }
}

void sn__subscription_end(sn__ros1_subscription *s) {
  while (s->sources != NULL) {
    sn__ros1_source *source = s->sources;
    s->sources = source->next;
    drop_source(source);
  }
}

size_t sn__ros1_publisher_count(const sn__ros1_subscription *s) {
  return s->agreed_count;
}
