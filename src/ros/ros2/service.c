/* Service server: requests and responses are samples of two topics (service_wire.h). Requests are
   served in pool threads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ros/ros2/node_state.h"
#include "sinew/msg_wire.h"

#define CDR_HEADER 4
#define GREETING_SIZE 1024           /* an empty response is small */
#define TAKE_MAX 64                  /* requests of one service per step */
#define HOLD_NS INT64_C(10000000000) /* longest wait for the reader of a client */
#define HELD_MAX 256                 /* responses that wait for one */

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
  if (call->held_ns != 0) {
    node->held_count--;
  } else {
    call->service->open_calls--;
  }
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

/* The request in node->in. @return NULL, or why it is invalid */
static const char *read_request(sn__ros2_node *node, sn__ros2_call *call) {
  if (call->client.form == SN__WIRE_HEADER) {
    return sn__ros2_request_read(node->in.data, node->in.used, call->header, &call->request);
  }
  if (node->in.used < CDR_HEADER) {
    return "it is too short";
  }
  sn__bytes_put(&call->request, node->in.data, node->in.used);
  return call->request.failed ? "out of memory" : NULL;
}

/* Pending requests to the service by the process of this client: its gids have the same first 12
   bytes. */
static size_t count_pending(const sn__ros2_service *service, const sn__wire_client *client) {
  size_t count = 0;
  for (const sn__ros2_call *call = service->node->calls; call != NULL; call = call->next) {
    count += call->service == service && call->held_ns == 0 &&
             memcmp(call->client.writer.bytes, client->writer.bytes, 12) == 0;
  }
  return count;
}

/* One process gets half of the room at most, so that others are served while it floods. */
static bool has_room(const sn__ros2_node *node, const sn__ros2_service *service,
                     const sn__wire_client *client) {
  const size_t limit = service->on_request != NULL ? SN__ROS2_DEFERRED_MAX : SN__ROS2_CALLS_MAX;
  return service->open_calls < limit && count_pending(service, client) < limit / 2 &&
         node->in.used <= SN__ROS2_CALL_BYTES_MAX - node->call_bytes;
}

static sn__ros2_call *add_call(sn__ros2_service *service, const sn__wire_client *client) {
  sn__ros2_node *node = service->node;
  sn__ros2_call *call = has_room(node, service, client) ? calloc(1, sizeof *call) : NULL;
  if (call != NULL) {
    call->job.run = run;
    call->job.is_urgent = service->on_arrival != NULL;
    call->service = service;
    call->client = *client;
    sn__ros2_call **end = &node->calls; /* in order of arrival */
    while (*end != NULL) {
      end = &(*end)->next;
    }
    *end = call;
    service->open_calls++;
  }
  return call;
}

static void take_request(sn__ros2_service *service, const sn__wire_client *client) {
  sn__ros2_node *node = service->node;
  static const char rejected[] = "request rejected: ";
  char caller[SN__ROS2_NAME_SIZE];
  sn__ros2_find_node(node, &client->writer, caller, sizeof caller);
  if (client->form == SN__WIRE_FOREIGN) {
    reject(node, service, rejected,
           "the client uses neither rmw_fastrtps_cpp nor rmw_cyclonedds_cpp");
    return;
  }
  if (service->on_arrival != NULL) { /* even if the request is invalid */
    service->on_arrival(service->context, caller);
  }
  sn__ros2_call *call = add_call(service, client);
  if (call == NULL) {
    reject(node, service, rejected, "too many pending requests");
    return;
  }
  snprintf(call->caller, sizeof call->caller, "%s", caller);
  const char *why = read_request(node, call);
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

void sn__ros2_take_requests(sn__ros2_node *node) {
  sn__wire_client client;
  for (sn__ros2_service *service = node->first_service; service != NULL; service = service->next) {
    int count = 0;
    while (count < TAKE_MAX && sn__wire_take(service->wire, &node->in, &client)) {
      take_request(service, &client);
      count++;
    }
    if (count == TAKE_MAX) { /* the rest in the next step */
      sn__ros2_wake(node);
    }
  }
}

/* ---- responses ---- */

/* The response of the service, in the form that the client expects. */
static sn__wire_result send(const sn__ros2_call *call) {
  const sn__ros2_service *service = call->service;
  sn__bytes *out = &service->node->out;
  out->used = 0;
  out->failed = false;
  sn__bytes_put(out, "\0\1\0\0", CDR_HEADER);
  if (call->client.form == SN__WIRE_HEADER) {
    sn__bytes_put(out, call->header, sizeof call->header);
  }
  if (service->response == NULL) {
    sn__bytes_put(out, "", 1); /* empty structs have one dummy octet */
  } else {
    sn__bytes_put(out, call->response.data + CDR_HEADER, call->response.used - CDR_HEADER);
  }
  return out->failed ? SN__WIRE_FAILED
                     : sn__wire_respond(service->wire, &call->client, out->data, out->used);
}

/* Send the response and end the call. A new client is often found by its requests first: until its
   reader is found as well, the response waits, since it would be lost. */
static void finish(sn__ros2_node *node, sn__ros2_call *call) {
  const sn__wire_result result = send(call);
  if (result == SN__WIRE_NOT_YET && call->held_ns == 0 && node->held_count < HELD_MAX) {
    call->held_ns = node->now_ns;
    node->held_count++;
    call->service->open_calls--; /* it does not keep others from calling */
  }
  if (result == SN__WIRE_NOT_YET && node->now_ns - call->held_ns < HOLD_NS) {
    return;
  }
  if (result != SN__WIRE_SENT) {
    reject(node, call->service, "",
           result == SN__WIRE_FAILED ? "cannot send a response"
                                     : "no response was sent: the client left");
  }
  free_call(node, call);
}

void sn__ros2_respond(void *context, const void *bytes, size_t size) {
  sn__ros2_call *call = context;
  sn__bytes_put(&call->response, bytes, size);
  if (call->response.failed) {
    sn__ros2_reject(call, "the response is too large");
  } else {
    finish(call->service->node, call);
  }
}

void sn__ros2_reject(void *context, const char *why) {
  sn__ros2_call *call = context;
  reject(call->service->node, call->service, "", why);
  free_call(call->service->node, call);
}

void sn__ros2_send_held(sn__ros2_node *node) {
  if (node->held_count == 0) {
    return;
  }
  for (sn__ros2_call *call = node->calls, *next; call != NULL; call = next) {
    next = call->next;
    if (call->held_ns != 0) {
      finish(node, call);
    }
  }
}

/* A service that was served in the pool. */
static void respond(sn__ros2_node *node, sn__ros2_call *call) {
  if (call->status != SN_OK) { /* ROS 2 services cannot return a failure; it is already counted */
    warn(node, call->service, "", call->err.message);
    free_call(node, call);
  } else if (call->response.failed) {
    sn__ros2_reject(call, "the response is too large");
  } else {
    finish(node, call);
  }
}

void sn__ros2_send_responses(sn__ros2_node *node) {
  for (sn__remote_job *job = sn__remote_pool_take_done(&node->pool); job != NULL;
       job = sn__remote_pool_take_done(&node->pool)) {
    respond(node, (sn__ros2_call *)job);
  }
}

/* ---- setup ---- */

typedef struct names {
  char topic[SN__ROS2_NAME_SIZE], type[SN__ROS2_NAME_SIZE], user_data[SN__ROS2_NAME_SIZE];
} names;

static sn__wire_endpoint endpoint_of(const names *n) {
  return (sn__wire_endpoint){.topic = n->topic, .type = n->type, .user_data = n->user_data};
}

static bool describe(const char *name, const char *type, const sn_msg_type *msg, sn__ros2_part part,
                     const uint8_t id[16], names *out) {
  char message[SN__ROS2_NAME_SIZE];
  char hash[SN_MSG_TYPE_HASH_SIZE];
  return sn__ros2_service_topic(name, part, out->topic, sizeof out->topic) &&
         sn__ros2_part_dds_name(type, part, out->type, sizeof out->type) &&
         sn__ros2_part_name(type, part, message, sizeof message) &&
         sn__msg_type_hash_ros2(msg, message, hash) == SN_OK &&
         sn__ros2_user_data(id, hash, out->user_data, sizeof out->user_data);
}

/* A response of zeros to no request of no client, into node->out. */
static bool write_greeting(sn__ros2_node *node, const sn_msg_type *type) {
  static const uint8_t header[SN__ROS2_CALL_HEADER];
  char bytes[GREETING_SIZE] = {0, 1};
  size_t size = CDR_HEADER + 1; /* empty structs have one dummy octet */
  const sn_msg_capacity least = {.item_count = 1, .text_size = 1}; /* it is empty */
  const void *msg = type == NULL ? NULL : sn_msg_create(&node->arena, type, &least);
  if (type != NULL &&
      (msg == NULL || sn_cdr_write(type, msg, bytes, sizeof bytes, &size) != SN_OK)) {
    return false;
  }
  node->out.used = 0;
  node->out.failed = false;
  sn__bytes_put(&node->out, bytes, CDR_HEADER);
  sn__bytes_put(&node->out, header, sizeof header);
  sn__bytes_put(&node->out, bytes + CDR_HEADER, size - CDR_HEADER);
  return !node->out.failed;
}

static bool add(sn__ros2_node *node, const char *name, const char *type,
                const sn__ros2_service *what) {
  sn__ros2_service *service = SN_NEW(&node->arena, sn__ros2_service, 1);
  const char *copy = sn_arena_text(&node->arena, name, strlen(name));
  const char *type_copy = sn_arena_text(&node->arena, type, strlen(type));
  /* A unique id: the gid of the participant and a counter. */
  uint8_t id[16];
  memcpy(id, node->gid.bytes, sizeof id);
  const uint32_t count = (uint32_t)++node->service_count;
  for (size_t i = 0; i < 4; i++) {
    id[12 + i] = (uint8_t)(count >> (24 - 8 * i));
  }
  names request;
  names response;
  if (service == NULL || copy == NULL || type_copy == NULL ||
      !describe(name, type, what->request, SN__ROS2_REQUEST, id, &request) ||
      !describe(name, type, what->response, SN__ROS2_RESPONSE, id, &response)) {
    return false;
  }
  *service = *what;
  if (!write_greeting(node, what->response)) {
    return false;
  }
  const sn__wire_names wire = {.request = endpoint_of(&request),
                               .response = endpoint_of(&response),
                               .depth = node->config.depth,
                               .greeting = node->out.data,
                               .greeting_size = node->out.used};
  service->wire = sn__wire_serve(node->wire, &wire, &service->reader, &service->writer);
  service->node = node;
  service->name = copy;
  service->type = type_copy;
  service->next = node->first_service;
  node->first_service = service;
  return service->wire != NULL;
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

bool sn__ros2_find_service(const void *node, const char *name, sn__service_types *out) {
  static const char suffix[] = "_Request";
  for (const sn__ros2_service *s = ((const sn__ros2_node *)node)->first_service; s != NULL;
       s = s->next) {
    char whole[SN__SERVICE_NAME_SIZE];
    if (sn__ros2_part_name(s->type, SN__ROS2_REQUEST, whole, sizeof whole)) {
      whole[strlen(whole) - (sizeof suffix - 1)] = '\0';
      sn__service_types_init(out, whole, s->request, s->response);
      if (sn__service_types_find(out, name) != NULL) {
        return true;
      }
    }
  }
  return false;
}
