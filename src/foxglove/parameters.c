/* Properties as parameters: get, set and watch. */
#define _POSIX_C_SOURCE 200809L /* strdup() */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "foxglove/server_internal.h"

static const char robot_description[] = "/robot_description";

enum { VALUES_MAX = 64 << 20 };

/* Append the value of a parameter as JSON. Any thread. */
static sn_status write_value(sn__fox_server *server, const char *name, sn__buffer *reply,
                             sn_error *err) {
  if (strcmp(name, robot_description) == 0) {
    const char *urdf = server->shapes.urdf;
    sn__json_text(reply, NULL, urdf);
    return urdf != NULL ? SN_OK
                        : sn__fail(err, SN_ENOENT, "%s: no component serves a robot model",
                                   robot_description);
  }
  sn_component *component = NULL;
  const char *path = NULL;
  sn_system_hold(server->system);
  sn_status status = sn__remote_find(server->system, name, &component, &path, err);
  if (status == SN_OK) {
    status = path == NULL ? sn__fail(err, SN_EINVAL, "expected component.property")
                          : sn__remote_append_property(reply, NULL, server->system, component, path,
                                                       VALUES_MAX, err);
  }
  sn_system_release(server->system);
  return status;
}

static void write_parameter(sn__buffer *reply, const char *name, const char *value, size_t length) {
  sn__json_open(reply, NULL, '{');
  sn__json_text(reply, "name", name);
  if (length != 4 || memcmp(value, "null", 4) != 0) {
    sn__json_raw(reply, "value", value, length);
  }
  sn__json_close(reply, '}');
}

static void begin_values(sn__buffer *reply) {
  sn__json_open(reply, NULL, '{');
  sn__json_text(reply, "op", "parameterValues");
  sn__json_open(reply, "parameters", '[');
}

static void end_values(sn__buffer *reply, const char *id) {
  sn__json_close(reply, ']');
  if (id != NULL) {
    sn__json_text(reply, "id", id);
  }
  sn__json_close(reply, '}');
}

/* The first refusal is reported, the others are counted. */
static void refuse(sn__fox_task *task, const char *name, const sn_error *err) {
  if (task->refused_count++ == 0) {
    (void)sn__fail(&task->err, err->code, "%.80s: %.150s", name, err->message);
  }
}

static void add_value(sn__fox_server *server, sn__fox_task *task, const char *name) {
  sn__buffer value = {.max = VALUES_MAX};
  sn_error err = {SN_OK, ""};
  if (write_value(server, name, &value, &err) == SN_OK && !value.failed) {
    write_parameter(&task->reply, name, value.data, value.used);
  } else {
    refuse(task, name, &err);
  }
  sn__buffer_free(&value);
}

static void run_get(sn__fox_server *server, sn__fox_task *task) {
  const sn__fox_catalog *catalog = &server->catalog;
  task->reply.max = VALUES_MAX;
  begin_values(&task->reply);
  for (size_t i = 0; i < json_array_size(task->json); i++) {
    add_value(server, task, json_string_value(json_array_get(task->json, i)));
  }
  for (size_t i = 0; json_array_size(task->json) == 0 && i < catalog->parameter_count; i++) {
    if (!catalog->parameters[i].is_part) {
      add_value(server, task, catalog->parameters[i].name);
    }
  }
  end_values(&task->reply, task->text);
}

static void set_value(sn__fox_server *server, sn__fox_task *task, const json_t *parameter) {
  const char *name = json_string_value(json_object_get(parameter, "name"));
  sn_error err = {SN_OK, ""};
  if (sn__remote_set_json(&server->context, name, json_object_get(parameter, "value"), &err) !=
      SN_OK) {
    refuse(task, name, &err);
  }
}

static void run_set(sn__fox_server *server, sn__fox_task *task) {
  task->reply.max = VALUES_MAX;
  for (size_t i = 0; i < json_array_size(task->json); i++) {
    set_value(server, task, json_array_get(task->json, i));
  }
  begin_values(&task->reply);
  const size_t refused = task->refused_count;
  for (size_t i = 0; i < json_array_size(task->json); i++) {
    const json_t *name = json_object_get(json_array_get(task->json, i), "name");
    add_value(server, task, json_string_value(name));
  }
  if (refused > 0) { /* what cannot be set can often not be read either: count it once */
    task->refused_count = refused;
  }
  end_values(&task->reply, task->text);
}

static void finish(sn__fox_server *server, sn__fox_client *client, sn__fox_task *task) {
  if (task->work == run_set) {
    sn__fox_parameters_tick(server, 0);
  }
  if (client == NULL) {
    return;
  }
  if (task->refused_count > 0) {
    char message[320];
    char more[40] = "";
    if (task->refused_count > 1) {
      snprintf(more, sizeof more, " (and %zu more)", task->refused_count - 1);
    }
    snprintf(message, sizeof message, "%s%s", task->err.message, more);
    sn__fox_client_warn(client, message);
  }
  if (!task->reply.failed) {
    sn__fox_client_send_reply(client, &task->reply);
  }
}

static void begin(sn__fox_client *client, const json_t *list, const char *id, sn__fox_work *work) {
  sn__fox_task *task = sn__fox_task_create(client->server, work, finish);
  if (task == NULL) {
    return;
  }
  task->json = json_deep_copy(list);
  task->text = id == NULL ? NULL : strdup(id);
  task->is_slow = true; /* also for get, to keep the order */
  if (task->json == NULL || (id != NULL && task->text == NULL)) {
    sn__fox_task_free(task);
  } else if (!sn__fox_task_submit(task, client)) {
    sn__fox_client_warn(client, "too many of your requests wait: try again later");
  }
}

void sn__fox_client_get(void *context, const json_t *names, const char *id) {
  begin(context, names, id, run_get);
}

void sn__fox_client_set(void *context, const json_t *parameters, const char *id) {
  sn__fox_client *client = context;
  if (client->may_change) {
    begin(client, parameters, id, run_set);
  } else {
    sn__fox_client_warn(client,
                        "setting parameters needs the token: call /sinew/authorize with it");
  }
}

/* ---- watching ---- */

static void watch_one(sn__fox_client *client, size_t index, bool is_on) {
  sn__fox_server *server = client->server;
  if ((client->watched[index] != 0) != is_on) {
    client->watched[index] = is_on;
    server->watchers[index] += is_on ? 1 : (size_t)-1;
  }
}

void sn__fox_client_watch(void *context, const json_t *names, bool is_on) {
  sn__fox_client *client = context;
  sn__fox_server *server = client->server;
  const sn__fox_catalog *catalog = &server->catalog;
  for (size_t i = 0; json_array_size(names) == 0 && i < catalog->parameter_count; i++) {
    if (!catalog->parameters[i].is_part || !is_on) {
      watch_one(client, i, is_on);
    }
  }
  for (size_t i = 0; i < json_array_size(names); i++) {
    const char *name = json_string_value(json_array_get(names, i));
    const int index = sn__fox_find_parameter(catalog, name);
    if (index >= 0) {
      watch_one(client, (size_t)index, is_on);
    } else {
      char message[240];
      snprintf(message, sizeof message, "unknown parameter '%.100s'", name);
      sn__fox_client_warn(client, message);
    }
  }
  sn__fox_parameters_tick(server, 0);
}

static void run_poll(sn__fox_server *server, sn__fox_task *task) {
  for (size_t i = 0; i < server->catalog.parameter_count; i++) {
    sn__buffer value = {.max = VALUES_MAX};
    sn_error err;
    if (task->watched[i] &&
        write_value(server, server->catalog.parameters[i].name, &value, &err) == SN_OK) {
      sn__buffer_append(&value, "", 1);
      task->values[i] = value.failed ? NULL : value.data;
      value.data = value.failed ? value.data : NULL;
    }
    sn__buffer_free(&value);
  }
}

/* @param changed  [parameters] */
static void send_changes(sn__fox_server *server, sn__fox_client *client, const bool *changed) {
  sn__buffer reply = {.max = VALUES_MAX};
  size_t count = 0;
  begin_values(&reply);
  for (size_t i = 0; i < server->catalog.parameter_count; i++) {
    if (client->watched[i] != 0 && changed[i]) {
      const char *value = server->values[i];
      write_parameter(&reply, server->catalog.parameters[i].name, value, strlen(value));
      count++;
    }
  }
  end_values(&reply, NULL);
  if (count > 0 && !reply.failed) {
    sn__fox_client_send_reply(client, &reply);
  }
  sn__buffer_free(&reply);
}

static void finish_poll(sn__fox_server *server, sn__fox_client *client, sn__fox_task *task) {
  (void)client;
  bool *changed = task->watched;
  for (size_t i = 0; i < server->catalog.parameter_count; i++) {
    char **value = &task->values[i];
    changed[i] =
        *value != NULL && (server->values[i] == NULL || strcmp(server->values[i], *value) != 0);
    if (changed[i]) {
      char *old = server->values[i];
      server->values[i] = *value;
      *value = old; /* freed with the task */
    }
  }
  for (sn__fox_client *c = server->clients; c != NULL; c = c->next) {
    send_changes(server, c, changed);
  }
  server->watch_is_busy = false;
}

/* Drops the values that are no longer watched. */
static bool find_watched(sn__fox_server *server, bool *watched) {
  bool is_any = false;
  for (size_t i = 0; i < server->catalog.parameter_count; i++) {
    watched[i] = server->watchers[i] > 0;
    is_any |= watched[i];
    if (!watched[i]) {
      free(server->values[i]);
      server->values[i] = NULL;
    }
  }
  return is_any;
}

void sn__fox_parameters_tick(sn__fox_server *server, int64_t now_ns) {
  if (now_ns == 0) {
    server->watch_ns = 0; /* at the next tick */
  }
  if (now_ns == 0 || server->watch_is_busy || now_ns < server->watch_ns) {
    return;
  }
  server->watch_ns = now_ns + 500 * SN__FOX_MS;
  const size_t count = server->catalog.parameter_count;
  sn__fox_task *task = sn__fox_task_create(server, run_poll, finish_poll);
  if (task == NULL) {
    return;
  }
  task->watched = calloc(count, sizeof *task->watched);
  task->values = calloc(count, sizeof *task->values);
  if (task->watched == NULL || task->values == NULL || !find_watched(server, task->watched)) {
    sn__fox_task_free(task);
    return;
  }
  server->watch_is_busy = true;
  (void)sn__fox_task_submit(task, NULL);
}
