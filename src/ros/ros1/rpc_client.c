#include "ros/ros1/rpc_client.h"

#include "base/fail.h"
#include "ros/ros1/http.h"

static void send_request(sn__link *link) {
  sn__rpc_client *client = link->owner;
  if (client != NULL) {
    sn__link_send(link, client->request.data, client->request.used);
  }
}

static sn_status take_response(sn__link *link, sn_error *err) {
  sn__rpc_client *client = link->owner;
  sn__http_message message;
  const sn_status status =
      sn__http_parse(link->in.data, link->in.used, SN__RPC_SIZE_MAX, &message, err);
  if (client == NULL || status == SN_EBUSY) {
    return SN_OK;
  }
  if (status != SN_OK || message.is_request || message.code != 200) {
    return status != SN_OK ? status : sn__fail(err, SN_ESYNTAX, "HTTP status %d", message.code);
  }
  const size_t come = link->in.used - message.body_start;
  client->is_complete = message.ends_by_close ? link->has_ended : come >= message.body_size;
  if (client->is_complete) {
    sn__link_close(link);
  }
  return SN_OK;
}

static void complete(sn__link *link) {
  sn__rpc_client *client = link->owner;
  if (client == NULL) {
    return;
  }
  client->link = NULL;
  if (!client->is_complete) {
    const sn_error gone = {SN_EIO, "the connection was closed"};
    client->done(client, SN_EIO, NULL, link->failure.code == SN_OK ? &gone : &link->failure);
    return;
  }
  sn_error err = {SN_OK, ""};
  sn__http_message http;
  sn__rpc_message message;
  const sn__rpc_value *value = NULL;
  sn_arena arena;
  sn_arena_init_growing(&arena, "XML-RPC", 4096);
  sn_status status = sn__http_parse(link->in.data, link->in.used, SN__RPC_SIZE_MAX, &http, &err);
  if (status == SN_OK) {
    status = sn__rpc_parse(&arena, link->in.data + http.body_start,
                           http.ends_by_close ? link->in.used - http.body_start : http.body_size,
                           &message, &err);
  }
  if (status == SN_OK) {
    status = sn__rpc_answer(&message, &value, &err);
  }
  link->net->refused += status != SN_OK && status != SN_EINVAL;
  client->done(client, status, value, &err);
  sn_arena_release(&arena);
}

static const sn__link_role role = {
    .connected = send_request, .input = take_response, .closed = complete};

void sn__rpc_client_begin(sn__rpc_client *client, const char *method) {
  client->request.used = 0;
  client->request.failed = false;
  sn__rpc_begin_call(&client->writer, &client->request, method);
}

bool sn__rpc_client_send(sn__rpc_client *client, const char *host, int port) {
  sn__rpc_end(&client->writer);
  sn__bytes head = {0};
  sn__http_put_request(&head, host, port, client->request.used);
  sn__bytes_put(&head, client->request.data, client->request.used);
  const bool failed = head.failed || client->request.failed;
  sn__bytes_free(&client->request);
  client->request = head;
  client->is_complete = false;
  client->link = failed ? NULL : sn__net_dial(client->net, host, port, &role, client);
  return client->link != NULL;
}

void sn__rpc_client_cancel(sn__rpc_client *client) {
  if (client->link != NULL) {
    client->link->owner = NULL;
    sn__link_close(client->link);
    client->link = NULL;
  }
}

void sn__rpc_client_free(sn__rpc_client *client) {
  sn__rpc_client_cancel(client);
  sn__bytes_free(&client->request);
}
