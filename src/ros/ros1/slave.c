/* What every node of ROS answers by XML-RPC: the master, other nodes and tools ask. */
#define _POSIX_C_SOURCE 200809L

#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "ros/ros1/http.h"
#include "ros/ros1/node_state.h"

/* How long a connection that is kept may wait for its next call. */
#define IDLE_NS INT64_C(60000000000)

typedef struct question {
  sn__ros1_node *node;
  const sn__rpc_message *call;
  sn__rpc_writer *writer; /* of the third item of the answer */
} question;

/* The text of a parameter, or an empty one. */
static const char *text_of(const question *q, size_t index) {
  const char *text = index < q->call->count ? sn__rpc_text(q->call->values[index]) : NULL;
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

static const char *get_bus_info(const question *q) {
  sn__rpc_writer *w = q->writer;
  sn__rpc_begin_array(w);
  for (const sn__ros1_entry *e = q->node->publications; e != NULL; e = e->next) {
    for (size_t i = 0; i < SN__LINKS_MAX; i++) {
      const sn__link *link = &q->node->net.links[i];
      const sn__ros1_reader *reader = sn__publication_reader(link, (const sn__ros1_publication *)e);
      if (reader != NULL) {
        put_connection(w, link, reader->caller, "o", e->name);
      }
    }
  }
  for (const sn__ros1_entry *e = q->node->subscriptions; e != NULL; e = e->next) {
    for (const sn__ros1_source *s = ((const sn__ros1_subscription *)e)->sources; s != NULL;
         s = s->next) {
      if (s->is_agreed) {
        put_connection(w, s->link, s->uri, "i", e->name);
      }
    }
  }
  sn__rpc_end_array(w);
  return NULL;
}

static void put_publication_stats(const question *q, const sn__ros1_publication *p) {
  sn__rpc_writer *w = q->writer;
  sn__rpc_begin_array(w);
  sn__rpc_put_text(w, p->entry.name);
  sn__rpc_put_int(w, (int64_t)p->bytes);
  sn__rpc_begin_array(w);
  for (size_t i = 0; i < SN__LINKS_MAX; i++) {
    const sn__link *link = &q->node->net.links[i];
    if (sn__publication_reader(link, p) != NULL) {
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

static void put_subscription_stats(const question *q, const sn__ros1_subscription *s) {
  sn__rpc_writer *w = q->writer;
  sn__rpc_begin_array(w);
  sn__rpc_put_text(w, s->entry.name);
  sn__rpc_begin_array(w);
  for (const sn__ros1_source *source = s->sources; source != NULL; source = source->next) {
    if (source->is_agreed) {
      sn__rpc_begin_array(w);
      sn__rpc_put_int(w, source->link->id);
      sn__rpc_put_int(w, (int64_t)source->link->received);
      sn__rpc_put_int(w, (int64_t)source->link->messages);
      sn__rpc_put_int(w, 0); /* lost ones: TCP loses none */
      sn__rpc_put_bool(w, true);
      sn__rpc_end_array(w);
    }
  }
  sn__rpc_end_array(w);
  sn__rpc_end_array(w);
}

static const char *get_bus_stats(const question *q) {
  sn__rpc_begin_array(q->writer);
  sn__rpc_begin_array(q->writer);
  for (const sn__ros1_entry *e = q->node->publications; e != NULL; e = e->next) {
    put_publication_stats(q, (const sn__ros1_publication *)e);
  }
  sn__rpc_end_array(q->writer);
  sn__rpc_begin_array(q->writer);
  for (const sn__ros1_entry *e = q->node->subscriptions; e != NULL; e = e->next) {
    put_subscription_stats(q, (const sn__ros1_subscription *)e);
  }
  sn__rpc_end_array(q->writer);
  sn__rpc_begin_array(q->writer);
  sn__rpc_put_int(q->writer, (int64_t)q->node->call_count);
  sn__rpc_put_int(q->writer, 0);
  sn__rpc_put_int(q->writer, 0);
  sn__rpc_end_array(q->writer);
  sn__rpc_end_array(q->writer);
  return NULL;
}

/* ---- simple questions ---- */

static void put_topic(sn__rpc_writer *w, const char *name, const sn_msg_type *type) {
  sn__rpc_begin_array(w);
  sn__rpc_put_text(w, name);
  sn__rpc_put_text(w, type->ros1_name);
  sn__rpc_end_array(w);
}

static const char *get_publications(const question *q) {
  sn__rpc_begin_array(q->writer);
  for (const sn__ros1_entry *e = q->node->publications; e != NULL; e = e->next) {
    put_topic(q->writer, e->name, ((const sn__ros1_publication *)e)->type);
  }
  sn__rpc_end_array(q->writer);
  return NULL;
}

static const char *get_subscriptions(const question *q) {
  sn__rpc_begin_array(q->writer);
  for (const sn__ros1_entry *e = q->node->subscriptions; e != NULL; e = e->next) {
    put_topic(q->writer, e->name, ((const sn__ros1_subscription *)e)->type);
  }
  sn__rpc_end_array(q->writer);
  return NULL;
}

static const char *get_master_uri(const question *q) {
  sn__rpc_put_text(q->writer, q->node->config.master_uri);
  return NULL;
}

static const char *get_pid(const question *q) {
  sn__rpc_put_int(q->writer, getpid());
  return NULL;
}

/* ---- requests ---- */

static const char *shut_down(const question *q) {
  q->node->is_shut_down = true;
  sn__ros1_log(q->node, SN_LOG_WARNING, "shut down from outside, the node leaves the graph",
               text_of(q, 1));
  sn__rpc_put_int(q->writer, 0);
  return NULL;
}

static const char *parameter_update(const question *q) {
  sn__rpc_put_int(q->writer, 0); /* we ask for none */
  return NULL;
}

static const char *publisher_update(const question *q) {
  sn__ros1_entry *entry = sn__ros1_find(q->node->subscriptions, text_of(q, 1));
  const sn__rpc_value *first = NULL;
  if (q->call->count < 3 || !sn__rpc_array(q->call->values[2], &first)) {
    return "expected: caller, topic, list of publishers";
  }
  if (entry != NULL) {
    sn__subscription_update((sn__ros1_subscription *)entry, q->call->values[2]);
  }
  sn__rpc_put_int(q->writer, 0);
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

static const char *request_topic(const question *q) {
  if (sn__ros1_find(q->node->publications, text_of(q, 1)) == NULL) {
    return "this node does not publish the topic";
  }
  if (q->call->count < 3 || !offers_tcpros(q->call->values[2])) {
    return "this node speaks TCPROS only";
  }
  sn__rpc_begin_array(q->writer);
  sn__rpc_put_text(q->writer, "TCPROS");
  sn__rpc_put_text(q->writer, q->node->config.host);
  sn__rpc_put_int(q->writer, q->node->net.listeners[1].port);
  sn__rpc_end_array(q->writer);
  return NULL;
}

/* Each puts one value, or returns why it does not. */
static const struct {
  const char *name;
  const char *(*answer)(const question *q);
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
      const question q = {node, call, &inner};
      const char *reason = methods[i].answer(&q);
      sn__rpc_writer w;
      sn__rpc_begin_response(&w, out);
      sn__rpc_begin_array(&w);
      sn__rpc_put_int(&w, reason == NULL ? 1 : 0);
      sn__rpc_put_text(&w, reason == NULL ? "" : reason);
      if (reason == NULL) {
        sn__bytes_put(out, value.data, value.used);
        out->is_lost |= value.is_lost;
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
  if (out.is_lost || body->is_lost) {
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

/* @return SN_EBUSY: the rest of a call has not come yet */
static sn_status take_one(sn__link *link, sn_error *err) {
  sn__ros1_node *node = link->owner;
  sn__http_message http;
  sn_status status = sn__http_parse(link->in.data, link->in.used, SN__RPC_SIZE_MAX, &http, err);
  if (status != SN_OK) {
    return status == SN_EBUSY ? status : refuse(link, 400, status, err);
  }
  if (!http.is_request) {
    return sn__fail(err, SN_ESYNTAX, "HTTP: a response, expected a request");
  }
  if (link->in.used - http.body_start < http.body_size) {
    return SN_EBUSY;
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "XML-RPC", 4096);
  sn__rpc_message call;
  status = sn__rpc_parse(&arena, link->in.data + http.body_start, http.body_size, &call, err);
  if (status == SN_OK && call.method == NULL) {
    status = sn__fail(err, SN_ESYNTAX, "XML-RPC: a response, expected a call");
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

static void nothing(sn__link *link) {
  (void)link;
}

static const sn__link_role role = {.connected = nothing, .input = take_calls, .closed = nothing};

const sn__link_role *sn__slave_accept(void *node, sn__link *link) {
  link->owner = node;
  return &role;
}
