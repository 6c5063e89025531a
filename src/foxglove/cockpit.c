/* The component `cockpit`, which runs the server. */
#define _POSIX_C_SOURCE 200809L

#include "foxglove/cockpit.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "foxglove/http/access.h"
#include "foxglove/server.h"
#include "remote/remote_log.h"
#include "sinew/msg_calls.h"

enum { TOKEN_MIN = 16, TOKEN_MAX = 256, ADDRESS_SIZE = 96 };

typedef struct cockpit {
  sn_component component;
  const char *address, *token_file, *certificate, *key, *recordings;
  int64_t port, clients_max;
  sn_texts hosts, origins;
  char token[TOKEN_MAX + 1];
  sn__remote_log *log; /* from configure to cleanup */
  sn__fox_server *server;
  const sn__playback *playback; /* NULL: the system is not a recording */
  char url[ADDRESS_SIZE];       /* of the running server; under the mutex */
  pthread_mutex_t mutex;
} cockpit;

static const sn_property properties[] = {
    SN_PROPERTY(cockpit, "address", address, .initial = "127.0.0.1",
                .doc = "The address to listen on; any but loopback needs a token."),
    SN_PROPERTY(cockpit, "port", port, .unit = "", .initial = "-1", .min = -1, .max = 65535,
                .doc = "The port; 0: any free one; -1: 8080, or the next free one up to 8099."),
    SN_PROPERTY(cockpit, "token_file", token_file, .flags = SN_PROPERTY_PATH,
                .doc =
                    "A file with the token that clients on other machines need to change anything: "
                    "16 to 256 characters."),
    SN_PROPERTY(cockpit, "certificate", certificate, .flags = SN_PROPERTY_PATH,
                .doc = "A file with a certificate (PEM): pages and clients are served with TLS."),
    SN_PROPERTY(cockpit, "key", key, .flags = SN_PROPERTY_PATH,
                .doc = "The file with its private key (PEM)."),
    SN_PROPERTY(cockpit, "hosts", hosts,
                .doc = "Additional host names of the server, without port."),
    SN_PROPERTY(cockpit, "origins", origins,
                .doc = "Additional origins whose pages may connect: https://app.foxglove.dev"),
    SN_PROPERTY(cockpit, "recordings", recordings, .initial = "recordings",
                .flags = SN_PROPERTY_PATH, .doc = "The folder whose recordings can be downloaded."),
    SN_PROPERTY(cockpit, "clients_max", clients_max, .unit = "clients", .initial = "32", .min = 1,
                .max = 256, .doc = "Maximum number of clients."),
    {0}};

/* ---- configure ---- */

/* The token is not a property: every client can read those. */
static sn_status read_token(cockpit *self, sn_error *err) {
  self->token[0] = '\0';
  if (self->token_file[0] == '\0') {
    return SN_OK;
  }
  FILE *file = fopen(self->token_file, "re");
  if (file == NULL) {
    return sn__fail(err, SN_EIO, "token_file '%.150s': %s", self->token_file, strerror(errno));
  }
  char line[TOKEN_MAX + 3] = "";
  const bool is_read = fgets(line, sizeof line, file) != NULL;
  fclose(file);
  line[strcspn(line, "\r\n")] = '\0';
  const size_t length = strlen(line);
  if (!is_read || length < TOKEN_MIN || length > TOKEN_MAX) {
    return sn__fail(err, SN_EINVAL,
                    "token_file '%.100s': its first line has %zu characters, expected %d to %d",
                    self->token_file, length, TOKEN_MIN, TOKEN_MAX);
  }
  memcpy(self->token, line, length + 1);
  return SN_OK;
}

static sn_status configure(sn_component *component, sn_error *err) {
  cockpit *self = (cockpit *)component;
  sn__address address;
  if (!sn__address_parse(self->address, &address)) {
    return sn__fail(err, SN_EINVAL,
                    "'%.100s' is not an address: expected 127.0.0.1, ::1, 0.0.0.0, ...",
                    self->address);
  }
  const sn_status status = read_token(self, err);
  if (status != SN_OK) {
    return status;
  }
  if (!sn__address_is_loopback(&address) && self->token[0] == '\0') {
    return sn__fail(err, SN_EINVAL,
                    "address %s can be reached from elsewhere: that needs a token_file",
                    self->address);
  }
  if ((self->certificate[0] == '\0') != (self->key[0] == '\0')) {
    return sn__fail(err, SN_EINVAL, "TLS needs both 'certificate' and 'key', '%s' is empty",
                    self->key[0] == '\0' ? "key" : "certificate");
  }
  self->log = SN_NEW(sn_component_arena(component), sn__remote_log, 1);
  if (self->log == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for lines of the log");
  }
  sn__remote_log_init(self->log);
  pthread_mutex_init(&self->mutex, NULL);
  return SN_OK;
}

static void cleanup(sn_component *component) {
  cockpit *self = (cockpit *)component;
  sn__remote_log_end(self->log);
  self->log = NULL;
  pthread_mutex_destroy(&self->mutex);
}

/* ---- serving ---- */

static void set_url(cockpit *self, const char *url) {
  pthread_mutex_lock(&self->mutex);
  snprintf(self->url, sizeof self->url, "%s", url);
  pthread_mutex_unlock(&self->mutex);
}

static void warn_if_clear(const cockpit *self) {
  sn__address address;
  if (self->certificate[0] == '\0' && sn__address_parse(self->address, &address) &&
      !sn__address_is_loopback(&address)) {
    const sn_log_arg text = {.kind = SN_LOG_TEXT, .value.text = self->address};
    sn_component_log(&self->component, sn_clock_now_ns(sn_system_clock(self->component.system)),
                     SN_LOG_WARNING,
                     "{} is served without TLS: the token crosses the network in the clear; set "
                     "'certificate' and 'key'",
                     1, &text);
  }
}

static sn_status on_system_started(sn_component *component, sn_error *err) {
  cockpit *self = (cockpit *)component;
  const sn__fox_config config = {.component = component,
                                 .address = self->address,
                                 .port = (int)self->port,
                                 .token = self->token,
                                 .certificate = self->certificate,
                                 .key = self->key,
                                 .hosts = self->hosts,
                                 .origins = self->origins,
                                 .recordings = self->recordings,
                                 .clients_max = (size_t)self->clients_max,
                                 .log = self->log,
                                 .playback = self->playback};
  const sn_status status = sn__fox_server_start(&config, &self->server, err);
  if (status == SN_OK) {
    set_url(self, sn__fox_server_address(self->server));
    const sn_log_arg url = {.kind = SN_LOG_TEXT, .value.text = self->url};
    sn_component_log(component, sn_clock_now_ns(sn_system_clock(component->system)), SN_LOG_INFO,
                     "serving {}", 1, &url);
    warn_if_clear(self);
  }
  return status;
}

static void on_system_stopping(sn_component *component) {
  cockpit *self = (cockpit *)component;
  set_url(self, "");
  sn__fox_server_stop(self->server);
  self->server = NULL;
}

void sn__cockpit_log(sn_component *component, const sn_log_record *record) {
  const cockpit *self = (const cockpit *)component;
  if (self->log != NULL) {
    sn__remote_log_add(self->log, record);
  }
}

void sn__cockpit_play(sn_component *component, const sn__playback *playback) {
  ((cockpit *)component)->playback = playback;
}

static sn_status get_address(sn_component *component, const void *request, void *response,
                             sn_error *err) {
  cockpit *self = (cockpit *)component;
  (void)request;
  if (self->log == NULL) {
    return sn__fail(err, SN_ENOTCONFIGURED, "the component is not configured");
  }
  pthread_mutex_lock(&self->mutex);
  const sn_status status = sn_msg_text_set(&((sn_call_text *)response)->text, self->url);
  pthread_mutex_unlock(&self->mutex);
  return status;
}

void sn__cockpit_address(sn_component *component, char *out, size_t size) {
  cockpit *self = (cockpit *)component;
  out[0] = '\0';
  if (self->log != NULL) {
    pthread_mutex_lock(&self->mutex);
    snprintf(out, size, "%s", self->url);
    pthread_mutex_unlock(&self->mutex);
  }
}

static const sn_operation operations[] = {
    {"getAddress", SN_CLIENT_THREAD | SN_READ_ONLY, NULL, &sn_call_text_type, get_address,
     "The URL for browsers; empty while the server does not run."},
    {0}};

/* Declared by apps/sinew/run/bridges.h. */
extern const sn_component_type sn_cockpit_component;
const sn_component_type sn_cockpit_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "cockpit",
    .doc = "Serves the system to browsers and to Foxglove.",
    .size = sizeof(cockpit),
    .properties = properties,
    .operations = operations,
    .example =
        "components:\n"
        "  cockpit: {type: cockpit, properties: {port: 8090, clients_max: 4}}\n",
    .configure = configure,
    .cleanup = cleanup,
    .on_system_started = on_system_started,
    .on_system_stopping = on_system_stopping,
};
