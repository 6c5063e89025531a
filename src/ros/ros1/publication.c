/* Topics of ours and who listens to them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "ros/ros1/node_state.h"
#include "sinew/msg_types.h"

/* Nothing is said on a topic by those who listen; what comes is forgotten. */
static sn_status ignore(sn__link *link, sn_error *err) {
  (void)err;
  link->in.used = 0;
  return SN_OK;
}

static void leave(sn__link *link) {
  sn__ros1_reader *reader = link->owner;
  reader->publication->reader_count--;
  free(reader);
}

static void nothing(sn__link *link) {
  (void)link;
}

static const sn__link_role role = {.connected = nothing, .input = ignore, .closed = leave};

const sn__ros1_reader *sn__publication_reader(const sn__link *link,
                                              const sn__ros1_publication *publication) {
  const sn__ros1_reader *reader = link->role == &role ? link->owner : NULL;
  return reader != NULL && reader->publication == publication ? reader : NULL;
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

sn_status sn__publication_join(sn__ros1_node *node, sn__link *link, const sn__tcpros_header *header,
                               sn_error *err) {
  char topic[SN__ROS1_NAME_SIZE];
  char type[SN__ROS1_NAME_SIZE];
  char md5[SN_ROS1_MD5_SIZE];
  if (!sn__tcpros_get(header, "topic", topic, sizeof topic)) {
    return sn__tcpros_refuse(link, err, "the header names no topic and no service");
  }
  sn__ros1_publication *p = (sn__ros1_publication *)sn__ros1_find(node->publications, topic);
  if (p == NULL) {
    return sn__tcpros_refuse(link, err, "this node does not publish the topic");
  }
  if (sn__tcpros_get(header, "type", type, sizeof type) && strcmp(type, "*") != 0 &&
      strcmp(type, p->type->ros1_name) != 0) {
    return sn__tcpros_refuse(link, err, "the topic has another type");
  }
  if (!sn__tcpros_get(header, "md5sum", md5, sizeof md5) ||
      (strcmp(md5, "*") != 0 && strcmp(md5, p->md5) != 0)) {
    return sn__tcpros_refuse(link, err, "the definition of the type is another: md5sum differs");
  }
  sn__ros1_reader *reader = calloc(1, sizeof *reader);
  sn__bytes answer = {0};
  put_header(p, &answer);
  if (reader == NULL || answer.is_lost) {
    free(reader);
    sn__bytes_free(&answer);
    return sn__fail(err, SN_ENOMEM, "no memory for a subscriber");
  }
  reader->publication = p;
  if (!sn__tcpros_get(header, "callerid", reader->caller, sizeof reader->caller)) {
    snprintf(reader->caller, sizeof reader->caller, "unknown");
  }
  p->reader_count++;
  link->role = &role;
  link->owner = reader;
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

/* A header stands first in the message: seq, then the stamp in seconds and nanoseconds. */
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
  if (size > UINT32_MAX || (p->reader_count == 0 && !p->is_latched)) {
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
  for (size_t i = 0; p->reader_count > 0 && i < SN__LINKS_MAX; i++) {
    sn__link *link = &node->net.links[i];
    if (sn__publication_reader(link, p) != NULL) {
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
  return p->reader_count;
}
