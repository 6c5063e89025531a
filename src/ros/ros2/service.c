/* Service server: requests and responses are samples of two topics; both start with a header that
   identifies the call. Requests are served in pool threads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ros/ros2/blob.h"
#include "ros/ros2/node_state.h"

#define CDR_HEADER 4

static bool run(sn__remote_job *job, sn__remote_lane lane) {
  sn__ros2_call *call = (sn__ros2_call *)job;
  if (lane == SN__REMOTE_QUICK) {
    return false; /* operations may block */
  }
  const bool is_empty = call->service->request == NULL;
  call->status =
      call->service->serve(call->service->context, call->caller, call->request.data,
                           is_empty ? 0 : call->request.used, &call->response, &call->err);
  return true;
}

static void free_call(sn__ros2_node *node, sn__ros2_call *call) {
  sn__ros2_call **at = &node->calls;
  while (*at != call) {
    at = &(*at)->next;
  }
  *at = call->next;
  call->service->open_calls--;
  node->call_bytes -= call->request.used;
  sn__bytes_free(&call->request);
  sn__bytes_free(&call->response);
  free(call);
}

void sn__ros2_drop_calls(sn__ros2_node *node) {
  while (node->calls != NULL) {
    free_call(node, node->calls);
  }
}

/* Other RMW implementations do not put the call header into the sample, so it would be misread.
   Clients of rmw_cyclonedds_cpp have `clientid` in their user data. */
static bool is_cyclone_client(dds_entity_t reader, dds_instance_handle_t publisher) {
  dds_builtintopic_endpoint_t *writer = dds_get_matched_publication_data(reader, publisher);
  bool is_good = false;
  if (writer != NULL) {
    void *data = NULL;
    size_t size = 0;
    if (dds_qget_userdata(writer->qos, &data, &size)) {
      is_good = sn__ros2_has_key(data, size, "clientid");
      dds_free(data);
    }
    dds_builtintopic_free_endpoint(writer);
  }
  return is_good;
}

static void warn(sn__ros2_node *node, sn__ros2_service *service, const char *what,
                 const char *why) {
  uint64_t suppressed;
  if (sn_log_limit_pass(&service->warnings, node->now_ns, &suppressed)) {
    char text[SN__ROS2_NAME_SIZE];
    snprintf(text, sizeof text, "%s%s", what, why);
    node->config.log(node->config.context, SN_LOG_WARNING, text, service->name);
  }
}

static void reject(sn__ros2_node *node, sn__ros2_service *service, const char *what,
                   const char *why) {
  node->counts.refused++;
  warn(node, service, what, why);
}

void sn__ros2_take_request(sn__ros2_service *service, dds_instance_handle_t publisher,
                           const char *caller) {
  sn__ros2_node *node = service->node;
  static const char rejected[] = "request rejected: ";
  if (!is_cyclone_client(service->reader, publisher)) {
    reject(node, service, rejected, "the client does not use rmw_cyclonedds_cpp");
    return;
  }
  if (service->on_arrival != NULL) { /* even if the request is invalid */
    service->on_arrival(service->context, caller);
  }
  const size_t limit = service->on_request != NULL ? SN__ROS2_DEFERRED_MAX : SN__ROS2_CALLS_MAX;
  const bool has_room =
      service->open_calls < limit && node->in.used <= SN__ROS2_CALL_BYTES_MAX - node->call_bytes;
  sn__ros2_call *call = has_room ? calloc(1, sizeof *call) : NULL;
  if (call == NULL) {
    reject(node, service, rejected, "too many pending requests");
    return;
  }
  const char *why =
      sn__ros2_request_read(node->in.data, node->in.used, call->header, &call->request);
  call->job.run = run;
  call->job.is_urgent = service->on_arrival != NULL;
  call->service = service;
  snprintf(call->caller, sizeof call->caller, "%s", caller);
  call->next = node->calls;
  node->calls = call;
  service->open_calls++;
  node->call_bytes += call->request.used;
  if (why != NULL) {
    free_call(node, call);
    reject(node, service, rejected, why);
    return;
  }
  node->counts.calls++;
  if (service->on_request != NULL) {
    service->on_request(service->context, call, caller, call->request.data, call->request.used);
  } else {
    sn__remote_pool_add(&node->pool, &call->job);
  }
}

/* @param bytes  the response including the CDR header; unused if the service has no response */
static void send(const sn__ros2_call *call, const void *bytes, size_t size) {
  sn__ros2_service *service = call->service;
  sn__ros2_node *node = service->node;
  node->out.used = 0;
  node->out.failed = false;
  sn__bytes_put(&node->out, "\0\1\0\0", CDR_HEADER);
  sn__bytes_put(&node->out, call->header, sizeof call->header);
  if (service->response == NULL) {
    sn__bytes_put(&node->out, "", 1); /* empty structs have one dummy octet */
  } else {
    sn__bytes_put(&node->out, (const char *)bytes + CDR_HEADER, size - CDR_HEADER);
  }
  if (node->out.failed ||
      sn__blob_write(service->writer, node->out.data, node->out.used) != DDS_RETCODE_OK) {
    reject(node, service, "", "cannot send a response");
  }
}

static void respond(sn__ros2_node *node, const sn__ros2_call *call) {
  if (call->status != SN_OK) { /* ROS 2 services cannot return a failure; it is already counted */
    warn(node, call->service, "", call->err.message);
  } else if (call->response.failed) {
    reject(node, call->service, "", "the response is too large");
  } else {
    send(call, call->response.data, call->response.used);
  }
}

void sn__ros2_respond(void *context, const void *bytes, size_t size) {
  sn__ros2_call *call = context;
  send(call, bytes, size);
  free_call(call->service->node, call);
}

void sn__ros2_reject(void *context, const char *why) {
  sn__ros2_call *call = context;
  reject(call->service->node, call->service, "", why);
  free_call(call->service->node, call);
}

void sn__ros2_send_responses(sn__ros2_node *node) {
  for (sn__remote_job *job = sn__remote_pool_take_done(&node->pool); job != NULL;
       job = sn__remote_pool_take_done(&node->pool)) {
    sn__ros2_call *call = (sn__ros2_call *)job;
    respond(node, call);
    free_call(node, call);
  }
}

/* ---- setup ---- */

typedef struct endpoint {
  char topic[SN__ROS2_NAME_SIZE], type[SN__ROS2_NAME_SIZE], user_data[SN__ROS2_NAME_SIZE];
} endpoint;

static bool describe(const char *name, const char *type, const sn_msg_type *msg, sn__ros2_part part,
                     const uint8_t id[16], endpoint *out) {
  char message[SN__ROS2_NAME_SIZE];
  char hash[SN_MSG_TYPE_HASH_SIZE];
  return sn__ros2_service_topic(name, part, out->topic, sizeof out->topic) &&
         sn__ros2_part_dds_name(type, part, out->type, sizeof out->type) &&
         sn__ros2_part_name(type, part, message, sizeof message) &&
         sn__msg_type_hash_ros2(msg, message, hash) == SN_OK &&
         sn__ros2_user_data(id, hash, out->user_data, sizeof out->user_data);
}

static bool add(sn__ros2_node *node, const char *name, const char *type,
                const sn__ros2_service *what) {
  sn__ros2_service *service = SN_NEW(&node->arena, sn__ros2_service, 1);
  const char *copy = sn_arena_text(&node->arena, name, strlen(name));
  /* A unique id: the gid of the participant and a counter. */
  uint8_t id[16];
  memcpy(id, node->gid.bytes, sizeof id);
  const uint32_t count = (uint32_t)++node->service_count;
  for (size_t i = 0; i < 4; i++) {
    id[12 + i] = (uint8_t)(count >> (24 - 8 * i));
  }
  endpoint request;
  endpoint response;
  if (service == NULL || copy == NULL ||
      !describe(name, type, what->request, SN__ROS2_REQUEST, id, &request) ||
      !describe(name, type, what->response, SN__ROS2_RESPONSE, id, &response)) {
    return false;
  }
  const dds_entity_t writer =
      sn__ros2_add_writer(node, response.topic, response.type, response.user_data, false);
  sn__ros2_subscription *reader = writer > 0
                                      ? sn__ros2_add_reader(node, request.topic, request.type,
                                                            request.user_data, node->config.depth)
                                      : NULL;
  if (reader == NULL) {
    return false;
  }
  *service = *what;
  service->node = node;
  service->name = copy;
  service->reader = reader->reader;
  service->writer = writer;
  reader->context = service;
  return true;
}

bool sn__ros2_add_service(void *node, const char *name, const char *type,
                          const sn_msg_type *request, const sn_msg_type *response,
                          sn__ros_serve *serve, sn__ros_on_arrival *on_arrival, void *context) {
  const sn__ros2_service what = {.request = request,
                                 .response = response,
                                 .serve = serve,
                                 .on_arrival = on_arrival,
                                 .context = context};
  return add(node, name, type, &what);
}

bool sn__ros2_add_deferred_service(void *node, const char *name, const char *type,
                                   const sn_msg_type *request, const sn_msg_type *response,
                                   sn__ros_on_request *on_request, void *context) {
  const sn__ros2_service what = {
      .request = request, .response = response, .on_request = on_request, .context = context};
  return add(node, name, type, &what);
}
