/* Published topics and their subscribers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "ros/ros1/node_state.h"
#include "sinew/msg_types.h"

/* Subscribers send no_op after their header. */
static sn_status discard_input(sn__link *link, sn_error *err) {
  (void)err;
  link->in.used = 0;
  return SN_OK;
}

static void on_closed(sn__link *link) {
  sn__ros1_subscriber *subscriber = link->owner;
  subscriber->publication->subscriber_count--;
  free(subscriber);
}

static void no_op(sn__link *link) {
  (void)link;
}

static const sn__link_role role = {.connected = no_op, .input = discard_input, .closed = on_closed};

const sn__ros1_subscriber *sn__publication_subscriber(const sn__link *link,
                                                      const sn__ros1_publication *publication) {
  const sn__ros1_subscriber *subscriber = link->role == &role ? link->owner : NULL;
  return subscriber != NULL && subscriber->publication == publication ? subscriber : NULL;
}

static void put_header(const sn__ros1_publication *p, sn__bytes *out) {
  const size_t start = sn__tcpros_begin(out);
  sn__tcpros_put(out, "callerid", p->entry.node->config.name);
  sn__tcpros_put(out, "latching", p->is_latched ? "1" : "0");
  sn__tcpros_put(out, "md5sum", p->md5);
  sn__tcpros_put(out, "message_definition", p->definition);
  sn__tcpros_put(out, "topic", p->entry.name);
  sn__tcpros_put(out, "type", p->type->ros1_name);
  sn__tcpros_end(out, start);
}

/* Find the topic of a header and compare types. @return NULL: rejected, with the reason sent */
static sn__ros1_publication *find_publication(sn__ros1_node *node, sn__link *link,
                                              const sn__tcpros_header *header, sn_error *err) {
  char text[SN__ROS1_NAME_SIZE];
  if (!sn__tcpros_get(header, "topic", text, sizeof text)) {
    (void)sn__tcpros_reject(link, err, "the header has neither a topic nor a service");
    return NULL;
  }
  sn__ros1_publication *p = (sn__ros1_publication *)sn__ros1_find(node->publications, text);
  const char *reason = NULL;
  if (p == NULL) {
    reason = "this node does not publish the topic";
  } else if (sn__tcpros_get(header, "type", text, sizeof text) && strcmp(text, "*") != 0 &&
             strcmp(text, p->type->ros1_name) != 0) {
    reason = "the topic has a different type";
  } else if (!sn__tcpros_get(header, "md5sum", text, sizeof text) ||
             (strcmp(text, "*") != 0 && strcmp(text, p->md5) != 0)) {
    reason = "the type has a different definition: md5sum differs";
  }
  if (reason != NULL) {
    (void)sn__tcpros_reject(link, err, reason);
    return NULL;
  }
  return p;
}

sn_status sn__publication_join(sn__ros1_node *node, sn__link *link, const sn__tcpros_header *header,
                               sn_error *err) {
  sn__ros1_publication *p = find_publication(node, link, header, err);
  if (p == NULL) {
    return SN_EINVAL;
  }
  sn__ros1_subscriber *subscriber = calloc(1, sizeof *subscriber);
  sn__bytes answer = {0};
  put_header(p, &answer);
  if (subscriber == NULL || answer.failed) {
    free(subscriber);
    sn__bytes_free(&answer);
    return sn__fail(err, SN_ENOMEM, "out of memory");
  }
  subscriber->publication = p;
  if (!sn__tcpros_get(header, "callerid", subscriber->caller, sizeof subscriber->caller)) {
    snprintf(subscriber->caller, sizeof subscriber->caller, "unknown");
  }
  p->subscriber_count++;
  link->role = &role;
  link->owner = subscriber;
  link->deadline_ns = 0;
  sn__link_set_queue(link, node->config.queue);
  sn__link_send(link, answer.data, answer.used);
  sn__bytes_free(&answer);
  if (p->last != NULL) {
    sn__link_send_frame(link, p->last);
    link->messages++;
  }
  return SN_OK;
}

/* A message with a header starts with seq and the stamp in seconds and nanoseconds. */
static void patch_header(sn__ros1_publication *p, char *message, size_t size, int64_t stamp_ns) {
  if (!p->has_header || size < 12) {
    return;
  }
  sn__u32_set(message, p->seq++);
  if (stamp_ns > 0) {
    sn__u32_set(message + 4, (uint32_t)(stamp_ns / 1000000000));
    sn__u32_set(message + 8, (uint32_t)(stamp_ns % 1000000000));
  }
}

void sn__ros1_publish(sn__ros1_publication *p, const void *bytes, size_t size, int64_t stamp_ns) {
  if (size > UINT32_MAX || (p->subscriber_count == 0 && !p->is_latched)) {
    return;
  }
  sn__frame *frame = sn__frame_create(4 + size);
  if (frame == NULL) {
    return; /* as if the queue were full */
  }
  sn__u32_set(frame->data, (uint32_t)size);
  memcpy(frame->data + 4, bytes, size);
  patch_header(p, frame->data + 4, size, stamp_ns);
  sn__ros1_node *node = p->entry.node;
  for (size_t i = 0; p->subscriber_count > 0 && i < SN__LINKS_MAX; i++) {
    sn__link *link = &node->net.links[i];
    if (sn__publication_subscriber(link, p) != NULL) {
      sn__link_send_frame(link, frame);
      link->messages++;
      node->sent++;
      p->bytes += size;
    }
  }
  if (p->is_latched) {
    sn__frame_drop(p->last);
    p->last = frame;
  } else {
    sn__frame_drop(frame);
  }
}

size_t sn__ros1_subscriber_count(const sn__ros1_publication *p) {
  return p->subscriber_count;
}
