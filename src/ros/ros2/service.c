/* Services: a request is a sample of one topic, its response one of another, and both begin with
   whose it is. A thread of the pool does what is asked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ros/ros2/blob.h"
#include "ros/ros2/node_state.h"

#define CDR_HEADER 4
#define COMPLAIN_NS INT64_C(5000000000)

static bool run(sn__remote_job *job, sn__remote_lane lane) {
  sn__ros2_call *call = (sn__ros2_call *)job;
  if (lane == SN__REMOTE_QUICK) {
    return false; /* an operation may wait for its component */
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

void sn__ros2_forget_calls(sn__ros2_node *node) {
  while (node->calls != NULL) {
    free_call(node, node->calls);
  }
}

/* Other implementations of ROS 2 over DDS put the name of a request elsewhere: their bytes would be
   misread. Those that have it in front say so. */
static bool is_understood(dds_entity_t reader, dds_instance_handle_t publisher) {
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

/* Now and then one is told. */
static void complain(sn__ros2_node *node, sn__ros2_service *service, const char *what,
                     const char *why) {
  if (service->told_ns == 0 || node->now_ns - service->told_ns > COMPLAIN_NS) {
    char text[SN__ROS2_NAME_SIZE];
    snprintf(text, sizeof text, "%s%s", what, why);
    service->told_ns = node->now_ns;
    node->config.log(node->config.context, SN_LOG_WARNING, text, service->name);
  }
}

static void refuse(sn__ros2_node *node, sn__ros2_service *service, const char *what,
                   const char *why) {
  node->counts.refused++;
  complain(node, service, what, why);
}

void sn__ros2_take_request(sn__ros2_service *service, dds_instance_handle_t publisher,
                           const char *caller) {
  sn__ros2_node *node = service->node;
  static const char refused[] = "a request was refused: ";
  if (!is_understood(service->reader, publisher)) {
    refuse(node, service, refused, "its client is not one of rmw_cyclonedds_cpp");
    return;
  }
  if (service->hear != NULL) { /* whatever else is wrong with the request */
    service->hear(service->context, caller);
  }
  const size_t room = service->ask != NULL ? SN__ROS2_LATE_MAX : SN__ROS2_CALLS_MAX;
  const bool has_room =
      service->open_calls < room && node->in.used <= SN__ROS2_CALL_BYTES_MAX - node->call_bytes;
  sn__ros2_call *call = has_room ? calloc(1, sizeof *call) : NULL;
  if (call == NULL) {
    refuse(node, service, refused, "too many wait");
    return;
  }
  const char *why =
      sn__ros2_request_read(node->in.data, node->in.used, call->header, &call->request);
  call->job.run = run;
  call->job.is_urgent = service->hear != NULL;
  call->service = service;
  snprintf(call->caller, sizeof call->caller, "%s", caller);
  call->next = node->calls;
  node->calls = call;
  service->open_calls++;
  node->call_bytes += call->request.used;
  if (why != NULL) {
    free_call(node, call);
    refuse(node, service, refused, why);
    return;
  }
  node->counts.calls++;
  if (service->ask != NULL) {
    service->ask(service->context, call, caller, call->request.data, call->request.used);
  } else {
    sn__remote_pool_add(&node->pool, &call->job);
  }
}

/* @param bytes  the response, with the header of CDR; nothing if the service has none */
static void send(const sn__ros2_call *call, const void *bytes, size_t size) {
  sn__ros2_service *service = call->service;
  sn__ros2_node *node = service->node;
  node->out.used = 0;
  node->out.is_lost = false;
  sn__bytes_put(&node->out, "\0\1\0\0", CDR_HEADER);
  sn__bytes_put(&node->out, call->header, sizeof call->header);
  if (service->response == NULL) {
    sn__bytes_put(&node->out, "", 1); /* the member that nobody reads */
  } else {
    sn__bytes_put(&node->out, (const char *)bytes + CDR_HEADER, size - CDR_HEADER);
  }
  if (node->out.is_lost ||
      sn__blob_write(service->writer, node->out.data, node->out.used) != DDS_RETCODE_OK) {
    refuse(node, service, "", "a response was not sent");
  }
}

static void answer(sn__ros2_node *node, const sn__ros2_call *call) {
  if (call->status !=
      SN_OK) { /* services of ROS 2 have no failure, and who serves has counted it */
    complain(node, call->service, "", call->err.message);
  } else if (call->response.is_lost) {
    refuse(node, call->service, "", "the response is too large");
  } else {
    send(call, call->response.data, call->response.used);
  }
}

void sn__ros2_answer_call(void *context, const void *bytes, size_t size) {
  sn__ros2_call *call = context;
  send(call, bytes, size);
  free_call(call->service->node, call);
}

void sn__ros2_refuse_call(void *context, const char *why) {
  sn__ros2_call *call = context;
  refuse(call->service->node, call->service, "", why);
  free_call(call->service->node, call);
}

void sn__ros2_answer(sn__ros2_node *node) {
  for (sn__remote_job *job = sn__remote_pool_take_done(&node->pool); job != NULL;
       job = sn__remote_pool_take_done(&node->pool)) {
    sn__ros2_call *call = (sn__ros2_call *)job;
    answer(node, call);
    free_call(node, call);
  }
}

/* ---- what there is ---- */

/* Name of a topic, of its type, and what the endpoint tells of itself. */
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
         sn_msg_type_hash_ros2(msg, message, hash) == SN_OK &&
         sn__ros2_user_data(id, hash, out->user_data, sizeof out->user_data);
}

/* The service, whose request and response are set. */
static bool add(sn__ros2_node *node, const char *name, const char *type,
                const sn__ros2_service *what) {
  sn__ros2_service *service = SN_NEW(&node->arena, sn__ros2_service, 1);
  const char *copy = sn_arena_text(&node->arena, name, strlen(name));
  /* Any number of 16 bytes that no other service has: ours, and a count. */
  uint8_t id[16];
  memcpy(id, node->gid.bytes, sizeof id);
  const uint32_t count = (uint32_t)++node->service_count;
  for (size_t i = 0; i < 4; i++) {
    id[12 + i] = (uint8_t)(count >> (24 - 8 * i));
  }
  endpoint asked;
  endpoint answered;
  if (service == NULL || copy == NULL ||
      !describe(name, type, what->request, SN__ROS2_REQUEST, id, &asked) ||
      !describe(name, type, what->response, SN__ROS2_RESPONSE, id, &answered)) {
    return false;
  }
  const dds_entity_t writer =
      sn__ros2_add_writer(node, answered.topic, answered.type, answered.user_data, false);
  sn__ros2_subscription *reader =
      writer > 0
          ? sn__ros2_add_reader(node, asked.topic, asked.type, asked.user_data, node->config.depth)
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

bool sn__ros2_offer(void *node, const char *name, const char *type, const sn_msg_type *request,
                    const sn_msg_type *response, sn__graph_serve *serve, sn__graph_hear *hear,
                    void *context) {
  const sn__ros2_service what = {
      .request = request, .response = response, .serve = serve, .hear = hear, .context = context};
  return add(node, name, type, &what);
}

bool sn__ros2_offer_late(void *node, const char *name, const char *type, const sn_msg_type *request,
                         const sn_msg_type *response, sn__graph_ask *ask, void *context) {
  const sn__ros2_service what = {
      .request = request, .response = response, .ask = ask, .context = context};
  return add(node, name, type, &what);
}
