#define _GNU_SOURCE /* accept4() */

#include "foxglove/server.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "foxglove/house.h"
#include "foxglove/listen.h"
#include "remote/remote_fail.h"
#include "sinew/msg_stop.h"

enum {
  CONNECTIONS_BESIDE = 64, /* of HTTP, beside the clients' */
  ACCEPTS_AT_ONCE = 32,
  HEAD_SIZE = 4096, /* of a request */
  HEADS_MAX = 128,  /* that are read at a time */
  TIMEOUT_S = 5,
  PING_S = 15,
  IDLE_TICK_US = 200000,
  CALL_TIMEOUT_MS = 5000
};

static const lws_retry_bo_t patience = {.secs_since_valid_ping = PING_S,
                                        .secs_since_valid_hangup = 2 * PING_S};

/* ---- lines for the log ---- */

void sn__fox_notice_write(sn__fox_server *server, int which, const char *text) {
  sn__fox_notice *notice = &server->notices[which];
  const int64_t now_ns = sn_clock_now_ns(&server->clock);
  notice->unsaid++;
  if (now_ns >= notice->next_ns) {
    const sn_log_arg count = {.kind = SN_LOG_INT, .value.integer = (int64_t)notice->unsaid};
    sn_component_log(server->config.component, sn_clock_now_ns(sn_system_clock(server->system)),
                     SN_LOG_WARNING, text, 1, &count);
    notice->next_ns = now_ns + 1000 * SN__FOX_MS;
    notice->unsaid = 0;
  }
}

/* ---- connections ---- */

static void accept_some(sn__fox_server *server, int fd) {
  for (int i = 0; i < ACCEPTS_AT_ONCE; i++) {
    const int accepted = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (accepted < 0) {
      return;
    }
    if (server->connection_count >= server->config.clients_max + CONNECTIONS_BESIDE) {
      close(accepted);
      server->counts.refused++;
      sn__fox_notice_write(server, SN__FOX_NOTICE_FULL,
                           "refused a connection, there are too many ({})");
    } else if (lws_adopt_socket_vhost(server->vhost, accepted) != NULL) {
      server->connection_count++;
    }
  }
}

static int serve_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                      size_t size) {
  sn__fox_server *server = lws_context_user(lws_get_context(wsi));
  switch (reason) {
    case LWS_CALLBACK_RAW_RX_FILE:
      accept_some(server, (int)lws_get_socket_fd(wsi));
      return 0;
    case LWS_CALLBACK_WSI_DESTROY:
      server->connection_count -= server->connection_count > 0 && wsi != server->listener;
      return 0;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
      sn__fox_tasks_collect(server);
      return 0;
    default:
      return sn__fox_http(wsi, reason, user, in, size);
  }
}

/* ---- clients ---- */

static bool has_token(sn__fox_server *server, struct lws *wsi) {
  static const char bearer[] = "Bearer ";
  const size_t length = sizeof bearer - 1;
  char value[400];
  const int size = lws_hdr_copy(wsi, value, sizeof value, WSI_TOKEN_HTTP_AUTHORIZATION);
  return size > (int)length && strncmp(value, bearer, length) == 0 &&
         sn__secret_is(value + length, (size_t)size - length, server->config.token);
}

static int filter(sn__fox_server *server, struct lws *wsi) {
  const unsigned problem = sn__fox_check_names(server, wsi);
  if (problem != 0) {
    sn__fox_notice_write(server, SN__FOX_NOTICE_REFUSED,
                         "refused a connection with another Host or Origin ({})");
    (void)lws_return_http_status(wsi, problem, NULL);
    return -1;
  }
  if (server->client_count >= server->config.clients_max) {
    server->counts.refused++;
    sn__fox_notice_write(server, SN__FOX_NOTICE_FULL, "refused a client, there are too many ({})");
    (void)lws_return_http_status(wsi, HTTP_STATUS_SERVICE_UNAVAILABLE, NULL);
    return -1;
  }
  return 0;
}

static int serve_client(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                        size_t size) {
  sn__fox_server *server = lws_context_user(lws_get_context(wsi));
  sn__fox_client **client = user;
  switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
      return filter(server, wsi);
    case LWS_CALLBACK_ESTABLISHED:
      *client = sn__fox_client_open(server, wsi, sn__fox_is_local(wsi) || has_token(server, wsi));
      return *client == NULL ? -1 : 0;
    case LWS_CALLBACK_RECEIVE:
      return *client != NULL && sn__fox_client_receive(*client, in, size) ? 0 : -1;
    case LWS_CALLBACK_SERVER_WRITEABLE:
      return *client != NULL && sn__fox_client_write(*client) ? 0 : -1;
    case LWS_CALLBACK_CLOSED:
      if (*client != NULL) {
        sn__fox_client_close(*client);
        *client = NULL;
      }
      return 0;
    default:
      return 0;
  }
}

static const struct lws_protocols protocols[] = {
    {"http", serve_http, sizeof(sn__fox_page), 4096, 0, NULL, 0},
    {"foxglove.sdk.v1", serve_client, sizeof(sn__fox_client *), 65536, 0, NULL, 0},
    {"foxglove.websocket.v1", serve_client, sizeof(sn__fox_client *), 65536, 0, NULL, 0},
    {NULL, NULL, 0, 0, 0, NULL, 0}};

/* ---- the loop ---- */

static void tick(lws_sorted_usec_list_t *list) {
  void *begin = (char *)list - offsetof(sn__fox_server, tick);
  sn__fox_server *server = begin;
  const int64_t now_ns = sn_clock_now_ns(&server->clock);
  sn__fox_streams_tick(server, now_ns);
  sn__fox_look_at_parameters(server, now_ns);
  for (sn__fox_client *client = server->clients; client != NULL; client = client->next) {
    sn__fox_client_tick(client, now_ns);
  }
  lws_sul_schedule(server->lws, 0, &server->tick, tick,
                   server->clients == NULL ? IDLE_TICK_US : SN__FOX_TICK_US);
}

static void *serve(void *context) {
  sn__fox_server *server = context;
  lws_sul_schedule(server->lws, 0, &server->tick, tick, 1);
  while (!atomic_load(&server->is_ending) && lws_service(server->lws, 0) >= 0) {
  }
  return NULL;
}

static void wake(void *context) {
  lws_cancel_service(((sn__fox_server *)context)->lws);
}

/* ---- beginning ---- */

static sn_status open_sockets(sn__fox_server *server, sn_error *err) {
  const sn__fox_config *config = &server->config;
  int fd = -1;
  const sn_status status = sn__fox_listen(config->address, config->port, &fd, &server->port, err);
  if (status != SN_OK) {
    return status;
  }
  lws_set_log_level(0, NULL); /* it would print */
  const unsigned room = (unsigned)(config->clients_max + CONNECTIONS_BESIDE + ACCEPTS_AT_ONCE);
  const struct lws_context_creation_info info = {
      .port = CONTEXT_PORT_NO_LISTEN_SERVER,
      .protocols = protocols,
      .gid = -1,
      .uid = -1,
      .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_VALIDATE_UTF8,
      .user = server,
      .max_http_header_data = HEAD_SIZE,
      .max_http_header_pool = HEADS_MAX,
      .keepalive_timeout = TIMEOUT_S,
      .timeout_secs = TIMEOUT_S,
      .timeout_secs_ah_idle = TIMEOUT_S,
      .fd_limit_per_thread = room + 8,
      .server_string = "sinew",
      .vhost_name = "cockpit",
      .retry_and_idle_policy = &patience};
  server->lws = lws_create_context(&info);
  server->vhost = server->lws == NULL ? NULL : lws_create_vhost(server->lws, &info);
  const lws_sock_file_fd_type listener = {.filefd = fd};
  server->listener = server->vhost == NULL
                         ? NULL
                         : lws_adopt_descriptor_vhost(server->vhost, LWS_ADOPT_RAW_FILE_DESC,
                                                      listener, "http", NULL);
  if (server->listener == NULL) {
    close(fd);
    return sn__remote_fail(err, SN_EIO, "libwebsockets does not begin");
  }
  const bool has_colons = strchr(config->address, ':') != NULL;
  const bool is_any = strcmp(config->address, "0.0.0.0") == 0 || strcmp(config->address, "::") == 0;
  snprintf(server->url, sizeof server->url, "http://%s%s%s:%d/", has_colons && !is_any ? "[" : "",
           is_any ? "127.0.0.1" : config->address, has_colons && !is_any ? "]" : "", server->port);
  return SN_OK;
}

/* A text property, on the heap; NULL: none, or no memory. */
static char *read_text(sn_system *system, const char *component, const char *property) {
  char *text = NULL;
  sn_system_hold(system);
  sn_component *owner = component == NULL ? NULL : sn_system_find(system, component);
  for (size_t size = 64 * 1024; owner != NULL && size <= (size_t)64 << 20; size *= 4) {
    sn_error err;
    char *json = malloc(size);
    const sn_status status =
        json == NULL ? SN_ENOMEM : sn_system_get(system, owner, property, json, size, &err);
    if (status == SN_OK) {
      json_t *value = json_loads(json, JSON_DECODE_ANY, NULL);
      text = json_is_string(value) ? strdup(json_string_value(value)) : NULL;
      json_decref(value);
    }
    free(json);
    if (status != SN_ENOSPC) {
      break;
    }
  }
  sn_system_release(system);
  return text;
}

static sn_status find_robot(sn__fox_server *server, sn_error *err) {
  const char *component = server->catalog.robot_component;
  char *urdf = read_text(server->system, component, "robot_description");
  char *file = read_text(server->system, component, "robot_file");
  char *packages = read_text(server->system, component, "package_path");
  const sn_status status =
      urdf == NULL ? SN_OK : sn__shapes_make(&server->shapes, urdf, file, packages, err);
  free(packages);
  free(urdf);
  free(file);
  return status;
}

/* An emergency stop waits for nothing, so it is resolved beforehand. */
static sn_status find_stops(sn__fox_server *server, sn_error *err) {
  const sn__fox_catalog *catalog = &server->catalog;
  const sn_msg_capacity capacity = {.text_size = 4096};
  server->stop_request = sn_msg_create(&server->stop_arena, &sn_call_stop_type, &capacity);
  if (server->stop_request == NULL) {
    return sn__remote_fail(err, SN_ENOMEM, "no memory");
  }
  sn_status status = SN_OK;
  for (size_t i = 0; i < catalog->service_count && status == SN_OK; i++) {
    const sn__fox_service *service = &catalog->services[i];
    if (service->duty == SN__FOX_STOP) {
      status = sn_caller_open(server->system, service->operation, &server->stops[i], err);
    }
  }
  return status;
}

static sn_status make(sn__fox_server *server, sn_error *err) {
  sn_status status =
      sn__fox_catalog_make(&server->catalog, server->system, server->config.component, err);
  if (status != SN_OK) {
    return status;
  }
  const sn__fox_catalog *catalog = &server->catalog;
  server->streams = calloc(catalog->channel_count, sizeof *server->streams);
  server->inlets = calloc(catalog->input_count + 1, sizeof *server->inlets);
  server->values = calloc(catalog->parameter_count, sizeof *server->values);
  server->watchers = calloc(catalog->parameter_count, sizeof *server->watchers);
  server->stops = calloc(catalog->service_count, sizeof *server->stops);
  if (server->streams == NULL || server->inlets == NULL || server->values == NULL ||
      server->watchers == NULL || server->stops == NULL) {
    return sn__remote_fail(err, SN_ENOMEM, "no memory for what there is to tell");
  }
  status = find_robot(server, err);
  status = status == SN_OK ? find_stops(server, err) : status;
  status = status == SN_OK ? sn__fox_streams_open(server, err) : status;
  return status == SN_OK ? open_sockets(server, err) : status;
}

static void destroy(sn__fox_server *server) {
  if (server->lws != NULL) {
    lws_context_destroy(server->lws); /* clients are closed in it */
  }
  sn__fox_tasks_end(server);
  sn__fox_streams_close(server);
  sn__fox_inlets_close(server);
  for (size_t i = 0; server->stops != NULL && i < server->catalog.service_count; i++) {
    if (sn_caller_is_ready(&server->stops[i])) {
      sn_caller_close(&server->stops[i]);
    }
  }
  for (size_t i = 0; server->values != NULL && i < server->catalog.parameter_count; i++) {
    free(server->values[i]);
  }
  free(server->stops);
  free(server->values);
  free(server->watchers);
  sn_arena_release(&server->stop_arena);
  sn__shapes_free(&server->shapes);
  sn__fox_catalog_free(&server->catalog);
  free(server);
}

sn_status sn__fox_server_start(const sn__fox_config *config, sn__fox_server **out, sn_error *err) {
  sn__fox_server *server = calloc(1, sizeof *server);
  if (server == NULL) {
    return sn__remote_fail(err, SN_ENOMEM, "no memory");
  }
  server->config = *config;
  server->system = config->component->system;
  server->context = (sn__remote_context){.system = server->system,
                                         .taps = &server->taps,
                                         .log = config->log,
                                         .counts = &server->counts,
                                         .timeout_ns_max = CALL_TIMEOUT_MS * SN__FOX_MS};
  sn_clock_init_monotonic(&server->clock);
  sn_arena_init_growing(&server->stop_arena, "stop", 16 * 1024);
  snprintf(server->session, sizeof server->session, "%" PRIx64 "-%lx",
           (uint64_t)sn_clock_now_ns(&server->clock), (unsigned long)getpid());
  sn_status status = make(server, err);
  if (status == SN_OK) {
    status = sn__remote_pool_start(&server->pool, wake, server, err);
  }
  if (status == SN_OK) {
    status = sn__remote_thread_start(&server->thread, serve, server, err);
    if (status != SN_OK) {
      sn__remote_pool_end(&server->pool);
    }
  }
  if (status != SN_OK) {
    destroy(server);
    return status;
  }
  *out = server;
  return SN_OK;
}

/* The pool wakes the sockets' loop when something is done: so it ends before the loop goes. */
void sn__fox_server_stop(sn__fox_server *server) {
  atomic_store(&server->is_ending, true);
  wake(server);
  pthread_join(server->thread, NULL);
  sn__remote_pool_end(&server->pool);
  destroy(server);
}

const char *sn__fox_server_address(const sn__fox_server *server) {
  return server->url;
}
