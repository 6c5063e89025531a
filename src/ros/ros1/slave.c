/* The XML-RPC slave API of a node (wiki.ros.org/ROS/Slave_API). */
#define _POSIX_C_SOURCE 200809L

#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "ros/ros1/http.h"
#include "ros/ros1/node_state.h"

/* Idle timeout of a keep-alive connection. */
#define IDLE_NS INT64_C(60000000000)

typedef struct request {
  sn__ros1_node *node;
  const sn__rpc_message *call;
  sn__rpc_writer *writer; /* for the third item of the response */
} request;

/* A string parameter; empty if missing. */
static const char *string_param(const request *r, size_t index) {
  const char *text = index < r->call->count ? sn__rpc_text(r->call->values[index]) : NULL;
  return text == NULL ? "" : text;
}

/* ---- statistics ---- */

static void put_connection(sn__rpc_writer *w, const sn__link *link, const char *other,
                           const char *direction, const char *topic) {
  sn__rpc_begin_array(w);
  sn__rpc_put_int(w, link->id);
  sn__rpc_put_text(w, other);
  sn__rpc_put_text(w, direction);
  sn__rpc_put_text(w, "TCPROS");
  sn__rpc_put_text(w, topic);
  sn__rpc_put_bool(w, true);
  sn__rpc_end_array(w);
}

static const char *get_bus_info(const request *r) {
  sn__rpc_writer *w = r->writer;
  sn__rpc_begin_array(w);
  for (const sn__ros1_entry *e = r->node->publications; e != NULL; e = e->next) {
    for (size_t i = 0; i < SN__LINKS_MAX; i++) {
      const sn__link *link = &r->node->net.links[i];
      const sn__ros1_subscriber *subscriber =
          sn__publication_subscriber(link, (const sn__ros1_publication *)e);
      if (subscriber != NULL) {
        put_connection(w, link, subscriber->caller, "o", e->name);
      }
    }
  }
  for (const sn__ros1_entry *e = r->node->subscriptions; e != NULL; e = e->next) {
    for (const sn__ros1_publisher *s = ((const sn__ros1_subscription *)e)->publishers; s != NULL;
         s = s->next) {
      if (s->is_ready) {
        put_connection(w, s->link, s->uri, "i", e->name);
      }
    }
  }
  sn__rpc_end_array(w);
  return NULL;
}

static void put_publication_stats(const request *r, const sn__ros1_publication *p) {
  sn__rpc_writer *w = r->writer;
  sn__rpc_begin_array(w);
  sn__rpc_put_text(w, p->entry.name);
  sn__rpc_put_int(w, (int64_t)p->bytes);
  sn__rpc_begin_array(w);
  for (size_t i = 0; i < SN__LINKS_MAX; i++) {
    const sn__link *link = &r->node->net.links[i];
    if (sn__publication_subscriber(link, p) != NULL) {
      sn__rpc_begin_array(w);
      sn__rpc_put_int(w, link->id);
      sn__rpc_put_int(w, (int64_t)link->sent);
      sn__rpc_put_int(w, (int64_t)link->messages);
      sn__rpc_put_bool(w, true);
      sn__rpc_end_array(w);
    }
  }
  sn__rpc_end_array(w);
  sn__rpc_end_array(w);
}

static void put_subscription_stats(const request *r, const sn__ros1_subscription *s) {
  sn__rpc_writer *w = r->writer;
  sn__rpc_begin_array(w);
  sn__rpc_put_text(w, s->entry.name);
  sn__rpc_begin_array(w);
  for (const sn__ros1_publisher *publisher = s->publishers; publisher != NULL;
       publisher = publisher->next) {
    if (publisher->is_ready) {
      sn__rpc_begin_array(w);
      sn__rpc_put_int(w, publisher->link->id);
      sn__rpc_put_int(w, (int64_t)publisher->link->received);
      sn__rpc_put_int(w, (int64_t)publisher->link->messages);
      sn__rpc_put_int(w, 0); /* lost messages: none with TCP */
      sn__rpc_put_bool(w, true);
      sn__rpc_end_array(w);
    }
  }
  sn__rpc_end_array(w);
  sn__rpc_end_array(w);
}

static const char *get_bus_stats(const request *r) {
  sn__rpc_begin_array(r->writer);
  sn__rpc_begin_array(r->writer);
  for (const sn__ros1_entry *e = r->node->publications; e != NULL; e = e->next) {
    put_publication_stats(r, (const sn__ros1_publication *)e);
  }
  sn__rpc_end_array(r->writer);
  sn__rpc_begin_array(r->writer);
  for (const sn__ros1_entry *e = r->node->subscriptions; e != NULL; e = e->next) {
    put_subscription_stats(r, (const sn__ros1_subscription *)e);
  }
  sn__rpc_end_array(r->writer);
  sn__rpc_begin_array(r->writer);
  sn__rpc_put_int(r->writer, (int64_t)r->node->call_count);
  sn__rpc_put_int(r->writer, 0);
  sn__rpc_put_int(r->writer, 0);
  sn__rpc_end_array(r->writer);
  sn__rpc_end_array(r->writer);
  return NULL;
}

/* ---- simple queries ---- */

static void put_topic(sn__rpc_writer *w, const char *name, const sn_msg_type *type) {
  sn__rpc_begin_array(w);
  sn__rpc_put_text(w, name);
  sn__rpc_put_text(w, type->ros1_name);
  sn__rpc_end_array(w);
}

static const char *get_publications(const request *r) {
  sn__rpc_begin_array(r->writer);
  for (const sn__ros1_entry *e = r->node->publications; e != NULL; e = e->next) {
    put_topic(r->writer, e->name, ((const sn__ros1_publication *)e)->type);
  }
  sn__rpc_end_array(r->writer);
  return NULL;
}

static const char *get_subscriptions(const request *r) {
  sn__rpc_begin_array(r->writer);
  for (const sn__ros1_entry *e = r->node->subscriptions; e != NULL; e = e->next) {
    put_topic(r->writer, e->name, ((const sn__ros1_subscription *)e)->type);
  }
  sn__rpc_end_array(r->writer);
  return NULL;
}

static const char *get_master_uri(const request *r) {
  sn__rpc_put_text(r->writer, r->node->config.master_uri);
  return NULL;
}

static const char *get_pid(const request *r) {
  sn__rpc_put_int(r->writer, getpid());
  return NULL;
}

/* ---- commands ---- */

static const char *shut_down(const request *r) {
  r->node->is_shut_down = true;
  sn__ros1_log(r->node, SN_LOG_WARNING, "shut down by a request, leaving the graph",
               string_param(r, 1));
  sn__rpc_put_int(r->writer, 0);
  return NULL;
}

static const char *parameter_update(const request *r) {
  sn__rpc_put_int(r->writer, 0); /* no subscribed parameters */
  return NULL;
}

static const char *publisher_update(const request *r) {
  sn__ros1_entry *entry = sn__ros1_find(r->node->subscriptions, string_param(r, 1));
  const sn__rpc_value *first = NULL;
  if (r->call->count < 3 || !sn__rpc_array(r->call->values[2], &first)) {
    return "expected: caller, topic, list of publishers";
  }
  if (entry != NULL) {
    sn__subscription_update((sn__ros1_subscription *)entry, r->call->values[2]);
  }
  sn__rpc_put_int(r->writer, 0);
  return NULL;
}

static bool offers_tcpros(const sn__rpc_value *protocols) {
  const sn__rpc_value *item = NULL;
  if (!sn__rpc_array(protocols, &item)) {
    return false;
  }
  for (; item != NULL; item = item->next) {
    const sn__rpc_value *name = NULL;
    const char *text = sn__rpc_array(item, &name) && name != NULL ? sn__rpc_text(name) : NULL;
    if (text != NULL && strcmp(text, "TCPROS") == 0) {
      return true;
    }
  }
  return false;
}

static const char *request_topic(const request *r) {
  if (sn__ros1_find(r->node->publications, string_param(r, 1)) == NULL) {
    return "this node does not publish the topic";
  }
  if (r->call->count < 3 || !offers_tcpros(r->call->values[2])) {
    return "only TCPROS is supported";
  }
  sn__rpc_begin_array(r->writer);
  sn__rpc_put_text(r->writer, "TCPROS");
  sn__rpc_put_text(r->writer, r->node->config.host);
  sn__rpc_put_int(r->writer, r->node->net.listeners[1].port);
  sn__rpc_end_array(r->writer);
  return NULL;
}

/* Each writes one value, or returns an error message. */
static const struct {
  const char *name;
  const char *(*answer)(const request *r);
} methods[] = {
    {"getBusStats", get_bus_stats},
    {"getBusInfo", get_bus_info},
    {"getMasterUri", get_master_uri},
    {"shutdown", shut_down},
    {"getPid", get_pid},
    {"getSubscriptions", get_subscriptions},
    {"getPublications", get_publications},
    {"paramUpdate", parameter_update},
    {"publisherUpdate", publisher_update},
    {"requestTopic", request_topic},
};

/* [1, text, value], or [0, reason, 0] */
static void answer(sn__ros1_node *node, const sn__rpc_message *call, sn__bytes *out) {
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    if (strcmp(call->method, methods[i].name) == 0) {
      sn__bytes value = {0};
      sn__rpc_writer inner = {.text = &value, .depth = 1};
      const request r = {node, call, &inner};
      const char *reason = methods[i].answer(&r);
      sn__rpc_writer w;
      sn__rpc_begin_response(&w, out);
      sn__rpc_begin_array(&w);
      sn__rpc_put_int(&w, reason == NULL ? 1 : 0);
      sn__rpc_put_text(&w, reason == NULL ? "" : reason);
      if (reason == NULL) {
        sn__bytes_put(out, value.data, value.used);
        out->failed |= value.failed;
      } else {
        sn__rpc_put_int(&w, 0);
      }
      sn__rpc_end_array(&w);
      sn__rpc_end(&w);
      sn__bytes_free(&value);
      return;
    }
  }
  sn__rpc_put_fault(out, -32601, "no such method");
}

static void respond(sn__link *link, int code, bool keep_alive, const sn__bytes *body) {
  sn__bytes out = {0};
  sn__http_put_response(&out, code, keep_alive, body->used);
  sn__bytes_put(&out, body->data, body->used);
  if (out.failed || body->failed) {
    sn__link_close(link);
  } else {
    sn__link_send(link, out.data, out.used);
  }
  sn__bytes_free(&out);
}

static sn_status refuse(sn__link *link, int code, sn_status status, const sn_error *err) {
  sn__bytes body = {0};
  sn__rpc_put_fault(&body, status, err->message);
  respond(link, code, false, &body);
  sn__bytes_free(&body);
  return status;
}

/* @return SN_EBUSY: the call is incomplete */
static sn_status take_one(sn__link *link, sn_error *err) {
  sn__ros1_node *node = link->owner;
  sn__http_message http;
  sn_status status = sn__http_parse(link->in.data, link->in.used, SN__RPC_SIZE_MAX, &http, err);
  if (status != SN_OK) {
    return status == SN_EBUSY ? status : refuse(link, 400, status, err);
  }
  if (!http.is_request) {
    return sn__fail(err, SN_ESYNTAX, "HTTP: response, expected a request");
  }
  if (link->in.used - http.body_start < http.body_size) {
    return SN_EBUSY;
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "XML-RPC", 4096);
  sn__rpc_message call;
  status = sn__rpc_parse(&arena, link->in.data + http.body_start, http.body_size, &call, err);
  if (status == SN_OK && call.method == NULL) {
    status = sn__fail(err, SN_ESYNTAX, "XML-RPC: response, expected a call");
  }
  if (status == SN_OK && call.method != NULL) {
    sn__bytes body = {0};
    answer(node, &call, &body);
    respond(link, 200, http.keep_alive, &body);
    sn__bytes_free(&body);
    link->ends_after_output = !http.keep_alive;
    link->deadline_ns = link->net->now_ns + IDLE_NS;
    sn__bytes_drop(&link->in, http.body_start + http.body_size);
  } else {
    status = refuse(link, 200, status, err);
  }
  sn_arena_release(&arena);
  return status;
}

static sn_status take_calls(sn__link *link, sn_error *err) {
  sn_status status = SN_OK;
  while (status == SN_OK && link->in.used > 0 && !link->ends_after_output) {
    status = take_one(link, err);
  }
  return status == SN_EBUSY ? SN_OK : status;
}

static void no_op(sn__link *link) {
  (void)link;
}

static const sn__link_role role = {.connected = no_op, .input = take_calls, .closed = no_op};

const sn__link_role *sn__slave_accept(void *node, sn__link *link) {
  link->owner = node;
  return &role;
}
