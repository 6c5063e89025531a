/* Service calls, the token, and assets. */
#define _POSIX_C_SOURCE 200809L /* strdup() */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "foxglove/server_internal.h"
#include "remote/stop_line.h"

#define CALL_TIMEOUT_S 5.0

enum { ASSET_MAX = 32 << 20, STOPS_MAX = 16 };

/* ---- answers ---- */

static void send_failure(sn__fox_client *client, uint32_t service, uint32_t call,
                         const char *reason) {
  sn__buffer reply = {0};
  sn__json_open(&reply, NULL, '{');
  sn__json_text(&reply, "op", "serviceCallFailure");
  sn__json_count(&reply, "serviceId", service);
  sn__json_count(&reply, "callId", call);
  sn__json_text(&reply, "message", reason);
  sn__json_close(&reply, '}');
  sn__fox_client_send_reply(client, &reply);
  sn__buffer_free(&reply);
}

static void send_response(sn__fox_client *client, uint32_t service, uint32_t call, const char *json,
                          size_t size) {
  static const char encoding[] = "json";
  unsigned char head[13 + sizeof encoding - 1];
  head[0] = SN__FOX_RESPONSE;
  sn__fox_put_u32(head + 1, service);
  sn__fox_put_u32(head + 5, call);
  sn__fox_put_u32(head + 9, sizeof encoding - 1);
  memcpy(head + 13, encoding, sizeof encoding - 1);
  sn__fox_client_send(client, true, head, sizeof head, json, size);
}

/* ---- the emergency stop ---- */

static void wait_for_stop(sn__fox_server *server, sn__fox_task *task) {
  (void)sn__remote_stop_wait(server->system, &task->stop, &task->err);
}

static void finish_stop(sn__fox_server *server, sn__fox_client *client, sn__fox_task *task) {
  (void)server;
  if (client == NULL) {
    return;
  }
  client->stop_count--;
  if (task->err.code != SN_OK) {
    send_failure(client, task->target, task->call_id, task->err.message);
  } else {
    send_response(client, task->target, task->call_id, "{}", 2);
  }
}

/* The robot stops in this thread, before anything else, even if the request is invalid: then only
   who and why are missing. The answer follows when all have obeyed, or should have. */
static void stop(sn__fox_client *client, uint32_t service, uint32_t call, const void *bytes,
                 size_t size) {
  sn__fox_server *server = client->server;
  sn__stop_line arguments;
  sn__stop_arguments_read(bytes, size, &arguments);
  const sn__remote_stop requested =
      sn__remote_stop_request(server->system, arguments.who, arguments.why);
  sn__fox_task *task = client->stop_count < STOPS_MAX
                           ? sn__fox_task_create(server, wait_for_stop, finish_stop)
                           : NULL;
  if (task == NULL) {
    send_failure(
        client, service, call,
        "the stop is requested; whether all obey is not known: too many of your stops wait");
    return;
  }
  task->stop = requested;
  task->target = service;
  task->call_id = call;
  client->stop_count++;
  sn__fox_task_submit_urgent(task, client);
}

/* ---- the token ---- */

bool sn__fox_check_token(sn__fox_server *server, const sn__party *party, const char *given,
                         size_t length, unsigned *wait_s) {
  const int64_t now_ns = sn_clock_now_ns(&server->clock);
  const unsigned seconds = sn__throttle_wait_s(&server->throttle, party, now_ns);
  if (wait_s != NULL) {
    *wait_s = seconds;
  }
  if (seconds == 0 && given != NULL && sn__secret_equals(given, length, server->config.token)) {
    return true;
  }
  if (seconds == 0) {
    sn__throttle_record(&server->throttle, party, now_ns);
  }
  sn__fox_warn(server, SN__FOX_WARN_TOKEN, "a client gave a wrong token");
  return false;
}

static void authorize(sn__fox_client *client, uint32_t service, uint32_t call, const void *bytes,
                      size_t size) {
  sn__fox_server *server = client->server;
  json_t *json = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, NULL);
  const json_t *token = json_object_get(json, "token");
  const bool needs_none = client->may_change && server->config.token[0] == '\0';
  unsigned wait_s = 0;
  const bool is_right =
      needs_none || sn__fox_check_token(server, &client->party, json_string_value(token),
                                        json_string_length(token), &wait_s);
  json_decref(json);
  client->may_change |= is_right;
  if (is_right) {
    send_response(client, service, call, "{\"may_change\":true}", 19);
    return;
  }
  char message[100] = "this is not the token";
  if (wait_s > 0) {
    snprintf(message, sizeof message, "too many wrong tokens: try again in %u s", wait_s);
  } else if (server->config.token[0] == '\0') {
    snprintf(message, sizeof message,
             "no token is configured: set token_file of the component cockpit");
  }
  client->wrong_tokens++;
  send_failure(client, service, call, message);
  if (client->wrong_tokens >= SN__FOX_WRONG_TOKENS_MAX) {
    client->is_leaving = true;
  }
}

/* ---- other calls ---- */

static void run_call(sn__fox_server *server, sn__fox_task *task) {
  const char *operation = server->catalog.services[task->target - 1].operation;
  task->err.code = sn__remote_call_json(&server->context, operation, task->json, CALL_TIMEOUT_S,
                                        &task->reply, &task->err);
  if (task->err.code == SN_OK && task->reply.used == 0) {
    sn__buffer_append(&task->reply, "{}", 2);
  }
}

static void finish_call(sn__fox_server *server, sn__fox_client *client, sn__fox_task *task) {
  (void)server;
  if (client == NULL) {
    return;
  }
  if (task->err.code != SN_OK || task->reply.failed) {
    send_failure(client, task->target, task->call_id,
                 task->err.code != SN_OK ? task->err.message : "no memory for the answer");
  } else {
    send_response(client, task->target, task->call_id, task->reply.data, task->reply.used);
  }
}

static void begin_call(sn__fox_client *client, uint32_t service, uint32_t call, json_t *arguments) {
  sn__fox_task *task = sn__fox_task_create(client->server, run_call, finish_call);
  if (task == NULL) {
    json_decref(arguments);
    send_failure(client, service, call, "no memory");
    return;
  }
  task->json = arguments;
  task->target = service;
  task->call_id = call;
  task->is_slow = true;
  if (!sn__fox_task_submit(task, client)) {
    send_failure(client, service, call, "too many of your calls wait: try again later");
  }
}

void sn__fox_client_call(void *context, uint32_t service, uint32_t call, bool is_json,
                         const void *bytes, size_t size) {
  sn__fox_client *client = context;
  const sn__fox_catalog *catalog = &client->server->catalog;
  if (service == 0 || service > catalog->service_count) {
    send_failure(client, service, call, "unknown service");
    return;
  }
  const sn__fox_service_kind kind = catalog->services[service - 1].kind;
  if (kind == SN__FOX_STOP) {
    stop(client, service, call, bytes, size);
  } else if (client->is_stop_only) {
    send_failure(client, service, call, SN__FOX_STOP_ONLY_TEXT);
  } else if (kind == SN__FOX_AUTHORIZE) {
    authorize(client, service, call, bytes, size);
  } else if (!client->may_change && kind != SN__FOX_READ) {
    send_failure(client, service, call, "this needs the token: call /sinew/authorize with it");
  } else if (!is_json && size > 0) {
    send_failure(client, service, call, "the request must be JSON, encoding 'json'");
  } else {
    json_error_t problem = {.column = 0};
    json_t *arguments =
        size == 0 ? json_object() : json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &problem);
    if (arguments != NULL) {
      begin_call(client, service, call, arguments);
    } else {
      char message[240];
      snprintf(message, sizeof message, "JSON, column %d: %.150s", problem.column, problem.text);
      send_failure(client, service, call, message);
    }
  }
}

/* ---- assets ---- */

static void read_asset(sn__fox_server *server, sn__fox_task *task) {
  int64_t size = 0;
  const int fd = sn__shapes_open_uri(&server->shapes, task->text, &size);
  task->reply.max = ASSET_MAX;
  char *room = fd < 0 || size > ASSET_MAX ? NULL : sn__buffer_reserve(&task->reply, (size_t)size);
  ssize_t count = 0;
  while (room != NULL && task->reply.used < (size_t)size &&
         (count = read(fd, room + task->reply.used, (size_t)size - task->reply.used)) > 0) {
    task->reply.used += (size_t)count;
  }
  if (fd < 0 || room == NULL || task->reply.used < (size_t)size) {
    (void)sn__fail(
        &task->err, SN_ENOENT,
        fd < 0 ? "the robot has no such file" : "the file is too large or cannot be read");
  }
  if (fd >= 0) {
    close(fd);
  }
}

static void finish_asset(sn__fox_server *server, sn__fox_client *client, sn__fox_task *task) {
  (void)server;
  if (client == NULL) {
    return;
  }
  const bool failed = task->err.code != SN_OK;
  const size_t length = failed ? strlen(task->err.message) : 0;
  unsigned char head[10 + sizeof task->err.message];
  head[0] = SN__FOX_ASSET;
  sn__fox_put_u32(head + 1, task->target);
  head[5] = failed;
  sn__fox_put_u32(head + 6, (uint32_t)length);
  memcpy(head + 10, task->err.message, length);
  sn__fox_client_send(client, true, head, 10 + length, task->reply.data,
                      failed ? 0 : task->reply.used);
}

void sn__fox_client_fetch(void *context, const char *uri, uint32_t request) {
  sn__fox_client *client = context;
  sn__fox_task *task = sn__fox_task_create(client->server, read_asset, finish_asset);
  if (task == NULL) {
    return;
  }
  task->text = strdup(uri);
  task->target = request;
  task->is_slow = true;
  if (task->text == NULL) {
    sn__fox_task_free(task);
  } else if (!sn__fox_task_submit(task, client)) {
    sn__fox_client_warn(client, "too many of your requests wait: try again later");
  }
}
