/* Service server: requests are served in pool threads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "ros/ros1/node_state.h"

/* Timeout of a request, from its first byte or from the start of a single-request connection, and
   of the transmission of its response. */
#define REQUEST_NS INT64_C(10000000000)

static bool run(sn__remote_job *job, sn__remote_lane lane) {
  sn__ros1_call *call = (sn__ros1_call *)job;
  if (lane == SN__REMOTE_QUICK) {
    return false; /* operations may block */
  }
  call->status = call->service->serve(call->service->context, call->caller, call->request.data,
                                      call->request.used, &call->response, &call->err);
  return true;
}

static void free_call(sn__ros1_node *node, sn__ros1_call *call) {
  sn__ros1_call **at = &node->calls;
  while (*at != call) {
    at = &(*at)->next;
  }
  *at = call->next;
  sn__bytes_free(&call->request);
  sn__bytes_free(&call->response);
  free(call);
}

/* One request at a time: reading is suspended until the response is sent. */
static sn_status take_request(sn__link *link, sn_error *err) {
  sn__ros1_call *call = link->owner;
  size_t used = 0;
  if (call->is_running) {
    return SN_OK;
  }
  const sn_status status =
      sn__tcpros_frame(link->in.data, link->in.used, SN__ROS1_MESSAGE_MAX, &used, err);
  if (status == SN_EBUSY && link->in.used > 0 && link->deadline_ns == 0) {
    link->deadline_ns = link->net->now_ns + REQUEST_NS;
  }
  if (status != SN_OK) {
    return status == SN_EBUSY ? SN_OK : status;
  }
  link->deadline_ns = 0;
  call->request.used = call->response.used = 0;
  call->request.failed = call->response.failed = false;
  if (call->service->on_arrival != NULL) { /* even if the request is invalid */
    call->service->on_arrival(call->service->context, call->caller);
  }
  sn__bytes_put(&call->request, link->in.data + 4, used - 4);
  sn__bytes_drop(&link->in, used);
  if (call->request.failed) {
    return sn__fail(err, SN_ENOMEM, "out of memory");
  }
  sn__ros1_node *node = call->service->entry.node;
  node->call_count++;
  link->messages++;
  call->is_running = true;
  link->is_paused = true;
  sn__remote_pool_add(&node->pool, &call->job);
  return SN_OK;
}

static void on_closed(sn__link *link) {
  sn__ros1_call *call = link->owner;
  call->link = NULL;
  if (!call->is_running) {
    free_call(call->service->entry.node, call);
  }
}

static void no_op(sn__link *link) {
  (void)link;
}

static const sn__link_role role = {.connected = no_op, .input = take_request, .closed = on_closed};

/* A success byte, then the response or the error message. */
static void answer(sn__ros1_call *call) {
  const bool is_good = call->status == SN_OK && !call->response.failed;
  const char *why = call->status == SN_OK ? "the response is too large" : call->err.message;
  const char *data = is_good ? call->response.data : why;
  const size_t size = is_good ? call->response.used : strlen(why);
  sn__bytes out = {0};
  sn__bytes_put(&out, is_good ? "\1" : "\0", 1);
  sn__bytes_u32(&out, (uint32_t)size);
  sn__bytes_put(&out, data, size);
  if (out.failed) {
    sn__link_close(call->link);
  } else {
    sn__link_send(call->link, out.data, out.used);
  }
  sn__bytes_free(&out);
}

bool sn__service_collect(sn__ros1_node *node, sn__remote_job *job) {
  if (job->run != run) {
    return false;
  }
  sn__ros1_call *call = (sn__ros1_call *)job;
  sn__link *link = call->link;
  call->is_running = false;
  if (link == NULL) {
    free_call(node, call);
    return true;
  }
  answer(call);
  link->ends_after_output = !call->is_persistent;
  link->is_paused = !call->is_persistent;
  link->deadline_ns = call->is_persistent ? 0 : link->net->now_ns + REQUEST_NS; /* to receive it */
  sn_error err = {SN_OK, ""};
  if (call->is_persistent &&
      take_request(link, &err) != SN_OK) { /* the next request may be here already */
    node->net.refused++;
    sn__link_close(link);
  }
  return true;
}

static void put_header(const sn__ros1_service *s, sn__bytes *out) {
  char type[SN__ROS1_NAME_SIZE];
  const size_t start = sn__tcpros_begin(out);
  sn__tcpros_put(out, "callerid", s->entry.node->config.name);
  sn__tcpros_put(out, "md5sum", s->md5);
  snprintf(type, sizeof type, "%sRequest", s->type);
  sn__tcpros_put(out, "request_type", type);
  snprintf(type, sizeof type, "%sResponse", s->type);
  sn__tcpros_put(out, "response_type", type);
  sn__tcpros_put(out, "type", s->type);
  sn__tcpros_end(out, start);
}

static bool is_set(const sn__tcpros_header *header, const char *field) {
  char value[8];
  return sn__tcpros_get(header, field, value, sizeof value) &&
         (strcmp(value, "1") == 0 || strcmp(value, "True") == 0);
}

sn_status sn__service_join(sn__ros1_node *node, sn__link *link, const sn__tcpros_header *header,
                           sn_error *err) {
  char text[SN__ROS1_NAME_SIZE];
  (void)sn__tcpros_get(header, "service", text, sizeof text);
  sn__ros1_service *s = (sn__ros1_service *)sn__ros1_find(node->services, text);
  if (s == NULL) {
    return sn__tcpros_reject(link, err, "this node has no such service");
  }
  if (!sn__tcpros_get(header, "md5sum", text, sizeof text) ||
      (strcmp(text, "*") != 0 && strcmp(text, s->md5) != 0)) {
    return sn__tcpros_reject(link, err, "the service has a different definition: md5sum differs");
  }
  sn__ros1_call *call = calloc(1, sizeof *call);
  sn__bytes reply = {0};
  put_header(s, &reply);
  if (call == NULL || reply.failed) {
    free(call);
    sn__bytes_free(&reply);
    return sn__fail(err, SN_ENOMEM, "out of memory");
  }
  call->job.run = run;
  call->job.is_urgent = s->on_arrival != NULL;
  call->service = s;
  call->link = link;
  call->is_persistent = is_set(header, "persistent");
  if (!sn__tcpros_get(header, "callerid", call->caller, sizeof call->caller)) {
    snprintf(call->caller, sizeof call->caller, "unknown");
  }
  call->next = node->calls;
  node->calls = call;
  link->role = &role;
  link->owner = call;
  link->deadline_ns = call->is_persistent ? 0 : link->net->now_ns + REQUEST_NS;
  link->ends_after_output = is_set(header, "probe"); /* asks for the type only */
  sn__link_send(link, reply.data, reply.used);
  sn__bytes_free(&reply);
  return SN_OK;
}

/* All links are closed; the remaining calls were dropped by the pool. */
void sn__service_end(sn__ros1_node *node) {
  while (node->calls != NULL) {
    free_call(node, node->calls);
  }
}
