#define _GNU_SOURCE /* accept4() */

#include "foxglove/server.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "foxglove/server_internal.h"

enum { IDLE_TICK_US = 200000, CALL_TIMEOUT_MS = 5000 };

void sn__fox_warn(sn__fox_server *server, sn__fox_warning which, const char *text) {
  sn_component_log_limited(server->config.component, &server->warnings[which],
                           sn_clock_now_ns(sn_system_clock(server->system)), SN_LOG_WARNING, text,
                           0, NULL);
}

/* ---- the loop ---- */

static void tick(lws_sorted_usec_list_t *list) {
  void *begin = (char *)list - offsetof(sn__fox_server, tick);
  sn__fox_server *server = begin;
  const int64_t now_ns = sn_clock_now_ns(&server->clock);
  sn__fox_sockets_tick(server, now_ns);
  sn__fox_streams_tick(server, now_ns);
  sn__fox_parameters_tick(server, now_ns);
  sn__health_update(&server->health, server->system, now_ns);
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

/* ---- start and stop ---- */

/* The value of a text property, on the heap. @return NULL: missing, or out of memory */
static char *read_text(sn_system *system, const char *component, const char *property) {
  char *text = NULL;
  sn__buffer json = {.max = (size_t)64 << 20};
  sn_error err;
  sn_system_hold(system);
  sn_component *owner = component == NULL ? NULL : sn_system_find(system, component);
  if (owner != NULL &&
      sn__remote_append_property(&json, NULL, system, owner, property, json.max, &err) == SN_OK) {
    json_t *value = json_loadb(json.data, json.used, JSON_DECODE_ANY, NULL);
    text = json_is_string(value) ? strdup(json_string_value(value)) : NULL;
    json_decref(value);
  }
  sn_system_release(system);
  sn__buffer_free(&json);
  return text;
}

static sn_status find_robot(sn__fox_server *server, sn_error *err) {
  const char *component = server->catalog.robot_component;
  char *urdf = read_text(server->system, component, "robot_description");
  char *file = read_text(server->system, component, "robot_file");
  char *packages = read_text(server->system, component, "package_path");
  const sn_status status =
      urdf == NULL ? SN_OK : sn__shapes_init(&server->shapes, urdf, file, packages, err);
  free(packages);
  free(urdf);
  free(file);
  return status;
}

static sn_status make(sn__fox_server *server, sn_error *err) {
  sn_status status =
      sn__fox_catalog_init(&server->catalog, server->system, server->config.component, err);
  if (status != SN_OK) {
    return status;
  }
  const sn__fox_catalog *catalog = &server->catalog;
  server->streams = calloc(catalog->channel_count, sizeof *server->streams);
  server->sources = calloc(catalog->input_count + 1, sizeof *server->sources);
  server->values = calloc(catalog->parameter_count, sizeof *server->values);
  server->watchers = calloc(catalog->parameter_count, sizeof *server->watchers);
  if (server->streams == NULL || server->sources == NULL || server->values == NULL ||
      server->watchers == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for the catalog");
  }
  status = find_robot(server, err);
  status = status == SN_OK ? sn__fox_streams_open(server, err) : status;
  return status == SN_OK ? sn__fox_sockets_open(server, err) : status;
}

static void destroy(sn__fox_server *server) {
  if (server->lws != NULL) {
    lws_context_destroy(server->lws); /* closes the clients */
  }
  sn__fox_tasks_end(server);
  sn__fox_streams_close(server);
  sn__fox_sources_close(server);
  for (size_t i = 0; server->values != NULL && i < server->catalog.parameter_count; i++) {
    free(server->values[i]);
  }
  free(server->values);
  free(server->watchers);
  sn__shapes_free(&server->shapes);
  sn__fox_catalog_free(&server->catalog);
  free(server);
}

sn_status sn__fox_server_start(const sn__fox_config *config, sn__fox_server **out, sn_error *err) {
  sn__fox_server *server = calloc(1, sizeof *server);
  if (server == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory");
  }
  server->config = *config;
  server->system = config->component->system;
  server->context = (sn__remote_context){.system = server->system,
                                         .taps = &server->taps,
                                         .log = config->log,
                                         .counts = &server->counts,
                                         .timeout_ns_max = CALL_TIMEOUT_MS * SN__FOX_MS,
                                         .is_network = true};
  sn_clock_init_monotonic(&server->clock);
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

/* The pool wakes the socket loop when a task is done, so it ends before the loop is destroyed. */
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
