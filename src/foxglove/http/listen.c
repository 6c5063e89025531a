/* The listening socket, and the start of libwebsockets with or without TLS. */
#define _GNU_SOURCE /* SOCK_CLOEXEC */

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fail.h"
#include "foxglove/server_internal.h"

enum { PORT_DEFAULT = 8080, PORT_LAST = 8099 };

/* ---- the listening socket ---- */

/* @return 0 or errno */
static int try_port(const char *address, int port, int *fd, uint16_t *used) {
  struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
  const int on = 1;
  const bool is_v4 = inet_pton(AF_INET, address, &v4.sin_addr) == 1;
  if (!is_v4 && inet_pton(AF_INET6, address, &v6.sin6_addr) != 1) {
    return EINVAL;
  }
  struct sockaddr *at = is_v4 ? (struct sockaddr *)&v4 : (struct sockaddr *)&v6;
  socklen_t size = is_v4 ? sizeof v4 : sizeof v6;
  *fd = socket(at->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (*fd < 0) {
    return errno;
  }
  (void)setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(*fd, at, size) != 0 || listen(*fd, 128) != 0 || getsockname(*fd, at, &size) != 0) {
    const int problem = errno;
    close(*fd);
    return problem;
  }
  *used = ntohs(is_v4 ? v4.sin_port : v6.sin6_port);
  return 0;
}

sn_status sn__fox_listen(const char *address, int port, int *fd, uint16_t *used, sn_error *err) {
  const int first = port < 0 ? PORT_DEFAULT : port;
  const int last = port < 0 ? PORT_LAST : port;
  int problem = EADDRINUSE;
  for (int i = first; i <= last && problem == EADDRINUSE; i++) {
    problem = try_port(address, i, fd, used);
  }
  if (problem == EADDRINUSE && port < 0) {
    return sn__fail(err, SN_EBUSY, "all ports from %d to %d of %s are taken", first, last, address);
  }
  if (problem == EADDRINUSE) {
    return sn__fail(err, SN_EBUSY,
                    "port %d of %s is taken: set another 'port', or 0 for any free one", port,
                    address);
  }
  if (problem != 0) {
    return sn__fail(err, problem == EINVAL ? SN_EINVAL : SN_EIO, "cannot listen at %s, port %d: %s",
                    address, first, strerror(problem));
  }
  return SN_OK;
}

/* ---- libwebsockets ---- */

bool sn__fox_has_tls(const sn__fox_config *config) {
  return config->certificate[0] != '\0';
}

/* libwebsockets reports reasons to its log only. Keep the first one, in the thread that starts the
   server. */
static _Thread_local char reason[160];

static void keep_reason(int level, const char *line) {
  (void)level;
  if (reason[0] == '\0') {
    snprintf(reason, sizeof reason, "%s", line);
    reason[strcspn(reason, "\r\n")] = '\0';
  }
}

static void ignore_line(int level, const char *line) {
  (void)level, (void)line;
}

sn_status sn__fox_tls_start(const sn__fox_config *config, struct lws_context_creation_info *info,
                            struct lws_context **context, struct lws_vhost **vhost, sn_error *err) {
  if (sn__fox_has_tls(config)) {
    info->options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
    info->ssl_cert_filepath = config->certificate;
    info->ssl_private_key_filepath = config->key;
    info->alpn = "http/1.1"; /* browsers would choose HTTP/2, which has no Host header */
  }
  reason[0] = '\0';
  lws_set_log_level(LLL_ERR, keep_reason);
  *context = lws_create_context(info);
  *vhost = *context == NULL ? NULL : lws_create_vhost(*context, info);
  lws_set_log_level(0, ignore_line);
  if (*vhost != NULL) {
    return SN_OK;
  }
  if (sn__fox_has_tls(config) && *context != NULL) {
    return sn__fail(
        err, SN_EINVAL,
        "certificate '%.60s' and key '%.60s' are refused, expected a pair in PEM: %.100s",
        config->certificate, config->key, reason);
  }
  return sn__fail(err, SN_EIO, "libwebsockets does not start: %s", reason);
}
