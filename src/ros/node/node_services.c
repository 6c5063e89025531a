/* Services of the node itself. A request is made from its bytes with the memory that it needs; so
   is the response. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "ros/node/node_interfaces.h"

typedef struct service {
  sn__bridge *bridge;
  const sn__node_service *table;
} service;

void *sn__answer_alloc(sn__node_answer *answer, size_t count, size_t size) {
  void *items =
      sn_arena_alloc_array(answer->arena, count > 0 ? count : 1, size, _Alignof(max_align_t));
  if (items == NULL) {
    answer->is_out_of_memory = true;
  } else {
    memset(items, 0, count * size);
  }
  return items;
}

sn_msg_text sn__answer_text(sn__node_answer *answer, const char *text) {
  const size_t length = strlen(text);
  char *copy = sn_arena_text(answer->arena, text, length);
  answer->is_out_of_memory = answer->is_out_of_memory || copy == NULL;
  return (sn_msg_text){
      .data = copy, .count = copy == NULL ? 0 : length, .capacity = copy == NULL ? 0 : length};
}

sn_msg_names sn__answer_names(sn__node_answer *answer, size_t count, size_t text_size) {
  sn_msg_names list = {.starts = sn__answer_alloc(answer, count, sizeof *list.starts),
                       .text = sn__answer_alloc(answer, text_size, 1)};
  if (list.starts != NULL && list.text != NULL) {
    list.capacity = count;
    list.text_capacity = text_size;
  }
  return list;
}

static sn_status write_response(const sn__bridge *bridge, const sn_msg_type *type, const void *msg,
                                sn__bytes *out, sn_error *err) {
  size_t size = 0;
  (void)bridge->transport->write(type, msg, NULL, 0, &size);
  char *room = sn__bytes_reserve(out, size);
  if (room == NULL) {
    return sn__fail(err, SN_ENOMEM, "the response of %zu bytes is too large", size);
  }
  const sn_status status = bridge->transport->write(type, msg, room, size, &size);
  out->used += status == SN_OK ? size : 0;
  return status == SN_OK ? SN_OK : sn__fail(err, status, "%s", sn_status_text(status));
}

static sn_status respond(const service *s, sn_arena *arena, void *request, sn__bytes *out,
                         sn_error *err) {
  sn__node_answer answer = {.bridge = s->bridge, .arena = arena};
  void *response = sn__answer_alloc(&answer, 1, s->table->response->size);
  sn_status status =
      response == NULL ? SN_ENOMEM : s->table->respond(&answer, request, response, err);
  if (answer.is_out_of_memory) {
    status = sn__fail(err, SN_ENOMEM, "out of memory for the response");
  }
  return status == SN_OK ? write_response(s->bridge, s->table->response, response, out, err)
                         : status;
}

static sn_status serve(void *context, const char *node, const void *bytes, size_t size,
                       sn__bytes *out, sn_error *err) {
  const service *s = context;
  (void)node;
  sn_arena arena;
  sn_arena_init_growing(&arena, "node", 0);
  void *request = NULL;
  sn_status status =
      s->table->request == NULL
          ? SN_OK
          : s->bridge->transport->make(s->table->request, bytes, size, &arena, &request, err);
  if (status != SN_OK) {
    atomic_fetch_add_explicit(&s->bridge->refused_inputs, 1, memory_order_relaxed);
  } else {
    status = respond(s, &arena, request, out, err);
  }
  sn_arena_release(&arena);
  return status;
}

static bool add(sn__bridge *bridge, const sn__node_service *table) {
  char relative[2 * SN__GRAPH_NAME_SIZE];
  char name[SN__GRAPH_NAME_SIZE];
  if (*table->name == '/') {
    snprintf(relative, sizeof relative, "%s", table->name);
  } else {
    snprintf(relative, sizeof relative, "~%s", table->name);
  }
  service *s = SN_NEW(&bridge->arena, service, 1);
  if (s == NULL || !sn__graph_name_resolve(&bridge->names, relative, name, sizeof name)) {
    return false;
  }
  *s = (service){.bridge = bridge, .table = table};
  return bridge->transport->add_service(bridge->node, name, table->type, table->request,
                                        table->response, serve, NULL, s);
}

sn_status sn__node_add_services(sn__bridge *bridge, const sn__node_service *services, size_t count,
                                sn_error *err) {
  for (size_t i = 0; i < count; i++) {
    if (!add(bridge, &services[i])) {
      return sn__fail(err, SN_ENOMEM, "out of memory for the service %s", services[i].name);
    }
  }
  return SN_OK;
}
