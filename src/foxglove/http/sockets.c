/* Callbacks of libwebsockets: accept and check connections, hand them to http.c or client.c. */
#define _GNU_SOURCE /* accept4() */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fail.h"
#include "foxglove/server_internal.h"
#include "remote/remote_starved.h"

enum {
  ACCEPTS_AT_ONCE = 32,
  HEAD_SIZE = 4096, /* of a request */
  HEADS_MAX = 128,  /* requests that are read at a time */
  TIMEOUT_S = 5,
  PING_S = 15,
};

static const lws_retry_bo_t keepalive = {.secs_since_valid_ping = PING_S,
                                         .secs_since_valid_hangup = 2 * PING_S};

/* ---- connections ---- */

/* Otherwise the loop would report the listener as readable again and again. */
static void pause_accepting(sn__fox_server *server) {
  sn__remote_log_starved(server->system, server->config.component->name, &server->starved);
  server->accept_ns = sn_clock_now_ns(&server->clock) + SN__REMOTE_ACCEPT_PAUSE_NS;
  (void)lws_rx_flow_control(server->listener, 0);
}

void sn__fox_sockets_tick(sn__fox_server *server, int64_t now_ns) {
  if (server->accept_ns != 0 && now_ns >= server->accept_ns) {
    server->accept_ns = 0;
    (void)lws_rx_flow_control(server->listener, 1);
  }
}

static void accept_some(sn__fox_server *server, int fd) {
  for (int i = 0; i < ACCEPTS_AT_ONCE; i++) {
    const int accepted = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    sn__fox_connection connection;
    if (accepted < 0) {
      if (sn__remote_is_starved(errno)) {
        pause_accepting(server);
      }
      return;
    }
    if (!sn__fox_connection_init(&connection, accepted, sn_clock_now_ns(&server->clock))) {
      close(accepted); /* closed already */
    } else if (!sn__fox_connection_make_room(server)) {
      close(accepted);
      server->counts.refused++;
      sn__fox_warn(server, SN__FOX_WARN_FULL, "refused a connection: there are too many");
    } else {
      struct lws *wsi = lws_adopt_socket_vhost(server->vhost, accepted);
      if (wsi != NULL) {
        sn__fox_connection_add(server, &connection, wsi);
      }
    }
  }
}

/* @return as a callback */
static int refuse(sn__fox_server *server, struct lws *wsi, unsigned status) {
  sn__fox_warn(server, SN__FOX_WARN_REFUSED, "refused a connection with a wrong Host or Origin");
  (void)lws_return_http_status(wsi, status, NULL);
  return 1;
}

/* Headers are checked before any upgrade: libwebsockets takes a handshake without a subprotocol for
   the first protocol in the list. */
static int confirm_upgrade(sn__fox_server *server, struct lws *wsi, const char *to) {
  const unsigned problem = sn__fox_check_names(server, wsi);
  if (problem != 0) {
    return refuse(server, wsi, problem);
  }
  if (strcasecmp(to, "websocket") != 0) {
    (void)lws_return_http_status(wsi, HTTP_STATUS_BAD_REQUEST, "WebSocket is the only upgrade");
    return 1;
  }
  return 0;
}

static int serve_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                      size_t size) {
  sn__fox_server *server = lws_context_user(lws_get_context(wsi));
  sn__fox_connection *connection = NULL;
  switch (reason) {
    case LWS_CALLBACK_RAW_RX_FILE:
      accept_some(server, (int)lws_get_socket_fd(wsi));
      return 0;
    case LWS_CALLBACK_WSI_DESTROY:
      sn__fox_connection_remove(server, wsi);
      return 0;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
      sn__fox_tasks_collect(server);
      return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
      return confirm_upgrade(server, wsi, in);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: /* a WebSocket with another subprotocol */
      (void)lws_return_http_status(wsi, HTTP_STATUS_BAD_REQUEST,
                                   "the subprotocol must be foxglove.websocket.v1");
      return -1;
    case LWS_CALLBACK_HTTP:
      connection = sn__fox_connection_of(server, wsi);
      if (connection != NULL) {
        connection->heard_ns = sn_clock_now_ns(&server->clock);
      }
      return sn__fox_http(wsi, reason, user, in, size);
    default:
      return sn__fox_http(wsi, reason, user, in, size);
  }
}

/* ---- clients ---- */

/* A wrong token does not close the connection: the emergency stop needs none. */
static bool has_token(sn__fox_server *server, struct lws *wsi,
                      const sn__fox_connection *connection) {
  static const char bearer[] = "Bearer ";
  const size_t length = sizeof bearer - 1;
  char value[400];
  const int size = lws_hdr_copy(wsi, value, sizeof value, WSI_TOKEN_HTTP_AUTHORIZATION);
  return size > (int)length && strncmp(value, bearer, length) == 0 &&
         sn__fox_check_token(server, &connection->party, value + length, (size_t)size - length,
                             NULL);
}

static int filter(sn__fox_server *server, struct lws *wsi) {
  sn__fox_connection *connection = sn__fox_connection_of(server, wsi);
  const unsigned problem = connection == NULL ? 421 : sn__fox_check_names(server, wsi);
  if (problem != 0) {
    (void)refuse(server, wsi, problem);
    return -1;
  }
  connection->may_change = connection->is_ours || has_token(server, wsi, connection);
  connection->admission = sn__fox_client_admit(server, connection);
  if (connection->admission == SN__FOX_REJECTED) {
    server->counts.refused++;
    sn__fox_warn(server, SN__FOX_WARN_FULL, "refused a client: there are too many");
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
      *client = sn__fox_client_open(server, wsi, sn__fox_connection_of(server, wsi));
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

/* ---- start ---- */

static void print_url(sn__fox_server *server) {
  const sn__fox_config *config = &server->config;
  const bool is_any = strcmp(config->address, "0.0.0.0") == 0 || strcmp(config->address, "::") == 0;
  const bool has_colons = strchr(config->address, ':') != NULL && !is_any;
  snprintf(server->url, sizeof server->url, "%s://%s%s%s:%d/",
           sn__fox_has_tls(config) ? "https" : "http", has_colons ? "[" : "",
           is_any ? "127.0.0.1" : config->address, has_colons ? "]" : "", server->port);
}

sn_status sn__fox_sockets_open(sn__fox_server *server, sn_error *err) {
  const sn__fox_config *config = &server->config;
  int fd = -1;
  sn_status status = sn__fox_listen(config->address, config->port, &fd, &server->port, err);
  if (status != SN_OK) {
    return status;
  }
  const size_t room =
      config->clients_max + SN__FOX_STOP_ONLY_MAX + SN__FOX_HTTP_MAX + ACCEPTS_AT_ONCE;
  struct lws_context_creation_info info = {
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
      .fd_limit_per_thread = (unsigned)room + 8,
      .server_string = "sinew",
      .vhost_name = "cockpit",
      .retry_and_idle_policy = &keepalive};
  status = sn__fox_tls_start(config, &info, &server->lws, &server->vhost, err);
  const lws_sock_file_fd_type listener = {.filefd = fd};
  server->listener = status != SN_OK
                         ? NULL
                         : lws_adopt_descriptor_vhost(server->vhost, LWS_ADOPT_RAW_FILE_DESC,
                                                      listener, "http", NULL);
  if (server->listener == NULL) {
    close(fd);
    return status != SN_OK ? status : sn__fail(err, SN_EIO, "libwebsockets does not start");
  }
  print_url(server);
  return SN_OK;
}
