/* Starting libwebsockets, with a certificate and a key or without. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "foxglove/server_internal.h"

bool sn__fox_has_tls(const sn__fox_config *config) {
  return config->certificate[0] != '\0';
}

/* libwebsockets gives its reasons to the log only: the first one since the start is kept here. Only
   the thread that starts a server writes or reads it. */
static _Thread_local char reason[160];

static void keep_reason(int level, const char *line) {
  (void)level;
  if (reason[0] == '\0') {
    snprintf(reason, sizeof reason, "%s", line);
    reason[strcspn(reason, "\r\n")] = '\0';
  }
}

static void stay_silent(int level, const char *line) {
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
  lws_set_log_level(0, stay_silent);
  if (*vhost != NULL) {
    return SN_OK;
  }
  if (sn__fox_has_tls(config) && *context != NULL) {
    return sn__fail(
        err, SN_EINVAL,
        "certificate '%.60s' and key '%.60s' are refused, expected a pair in PEM: %.100s",
        config->certificate, config->key, reason);
  }
  return sn__fail(err, SN_EIO, "libwebsockets does not begin: %s", reason);
}
