#define _GNU_SOURCE /* memmem() */

#include "ros1_node_rig.h"

#include "msg/types/msg_graph.h"
#include "sinew/msg_calls.h"

void ros1_node_take(void *context, const char *caller, const void *bytes, size_t size) {
  heard *h = context;
  h->count++;
  snprintf(h->caller, sizeof h->caller, "%s", caller);
  h->size = size;
  memcpy(h->bytes, bytes, size < sizeof h->bytes ? size : sizeof h->bytes);
}

sn_status ros1_node_serve(void *context, const char *caller, const void *request, size_t size,
                          sn__bytes *response, sn_error *err) {
  atomic_fetch_add((atomic_int *)context, 1);
  (void)caller;
  if (size != 1 || *(const char *)request == 2) {
    err->code = SN_EINVAL;
    snprintf(err->message, sizeof err->message, "not today");
    return SN_EINVAL;
  }
  sn__bytes_put(response, *(const char *)request ? "\0\0\0\0\0" : "\1\0\0\0\0", 5);
  return SN_OK;
}

void ros1_node_open_fixture(fixture *s) {
  s->heard = (heard){0};
  s->calls = 0;
  ros1_rig_open(&s->rig, true);
  s->text = sn__ros1_advertise(s->rig.node, "/text", &sn__std_string_type, false);
  s->latched = sn__ros1_advertise(s->rig.node, "/latched", &sn__std_string_type, true);
  assert_non_null(
      sn__ros1_subscribe(s->rig.node, "/in", &sn__std_string_type, ros1_node_take, &s->heard));
  assert_non_null(sn__ros1_add_service(s->rig.node, "/turn", "std_srvs/SetBool",
                                       &sn_call_switch_type, &sn_call_outcome_type, ros1_node_serve,
                                       NULL, &s->calls));
  assert_true(sn__ros1_set_parameter(s->rig.node, "/robot", "<robot name=\"&amp;\"/>"));
  (void)ros1_rig_hear(&s->rig, "registerSubscriber", "/in", 0);
  ros1_rig_run(&s->rig, 2);
}

void ros1_node_publish(sn__ros1_publication *topic, const char *text) {
  char bytes[128];
  const size_t length = strlen(text);
  sn__u32_set(bytes, (uint32_t)length);
  memcpy(bytes + 4, text, length);
  sn__ros1_publish(topic, bytes, 4 + length, 0);
}

int ros1_node_subscribe(fixture *s, const char *topic, sn__bytes *bytes) {
  char field[96];
  snprintf(field, sizeof field, "topic=%s", topic);
  const char *fields[] = {"callerid=/peer", field, "type=std_msgs/String", "md5sum=" STRING, NULL};
  const int fd = ros1_connect(ros1_rig_tcpros_port(&s->rig));
  ros1_send_header(fd, fields);
  const size_t size = ros1_receive_frame(&s->rig, fd, bytes);
  assert_non_null(memmem(bytes->data, size, "md5sum=" STRING, 39));
  assert_non_null(memmem(bytes->data, size, "string data\n", 12));
  sn__bytes_drop(bytes, size);
  return fd;
}

void ros1_node_assert_message(fixture *s, int fd, sn__bytes *bytes, const char *text) {
  const size_t size = ros1_receive_frame(&s->rig, fd, bytes);
  assert_int_equal(size, 8 + strlen(text));
  assert_int_equal(sn__u32_at(bytes->data + 4), strlen(text));
  assert_memory_equal(bytes->data + 8, text, strlen(text));
  sn__bytes_drop(bytes, size);
}
