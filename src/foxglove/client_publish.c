/* Publishing: a client advertises a channel to an input, and its messages go to the input's source.
   All clients share one source per input; the latest message counts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "foxglove/server_internal.h"

/* ---- sources: opened by the first channel, closed with the last ---- */

static void open_source(sn__fox_server *server, sn__fox_task *task) {
  (void)sn_source_open(server->system, server->catalog.inputs[task->target].port, NULL,
                       &task->source, &task->err);
}

static void close_source(sn__fox_server *server, sn__fox_task *task) {
  (void)server;
  sn_source_close(task->source);
  task->source = NULL;
}

static void undo(sn__fox_task *task) {
  sn_source_close(task->source);
}

static void warn_publishers(sn__fox_server *server, uint32_t input, const char *reason) {
  char message[320];
  snprintf(message, sizeof message, "%s cannot be written: %s", server->catalog.inputs[input].topic,
           reason);
  for (sn__fox_client *client = server->clients; client != NULL; client = client->next) {
    for (size_t i = 0; i < client->advertised_count; i++) {
      if (client->advertised[i].input == input) {
        sn__fox_client_warn(client, message);
      }
    }
  }
}

static void write_pending(sn__fox_server *server, uint32_t input) {
  sn__fox_source *source = &server->sources[input];
  sn_error err = {SN_OK, ""};
  if (source->has_pending &&
      sn__remote_publish(source->source, source->pending_encoding, source->pending.data,
                         source->pending.used, &err) != SN_OK) {
    warn_publishers(server, input, err.message);
  }
}

static void drop_pending(sn__fox_source *source) {
  sn__buffer_free(&source->pending);
  source->has_pending = false;
}

static void change_source(sn__fox_server *server, uint32_t input, sn__fox_work *work);

static void finish(sn__fox_server *server, sn__fox_client *client, sn__fox_task *task) {
  (void)client;
  const uint32_t input = task->target;
  sn__fox_source *source = &server->sources[input];
  const bool was_opened = source->state == SN__FOX_OPENING;
  source->source = task->source;
  source->state = task->source == NULL ? SN__FOX_CLOSED : SN__FOX_OPEN;
  if (was_opened && source->source == NULL) {
    warn_publishers(server, input, task->err.message);
  } else if (was_opened && source->users > 0) {
    write_pending(server, input);
  } else if (was_opened) { /* the last channel has gone meanwhile */
    change_source(server, input, close_source);
  } else if (source->users > 0) { /* a new channel has come meanwhile */
    change_source(server, input, open_source);
    return;
  }
  drop_pending(source);
}

/* Opening and closing wait for the system's lock: a task of the pool. */
static void change_source(sn__fox_server *server, uint32_t input, sn__fox_work *work) {
  sn__fox_source *source = &server->sources[input];
  sn__fox_task *task = sn__fox_task_create(server, work, finish);
  if (task != NULL) {
    task->target = input;
    task->source = source->source;
    task->undo = undo;
    source->source = NULL;
    source->state = work == open_source ? SN__FOX_OPENING : SN__FOX_CLOSING;
    (void)sn__fox_task_submit(task, NULL);
  }
}

static void use_source(sn__fox_server *server, uint32_t input, int users) {
  sn__fox_source *source = &server->sources[input];
  source->users = (size_t)((int64_t)source->users + users);
  if (source->users > 0 && source->state == SN__FOX_CLOSED) {
    change_source(server, input, open_source);
  } else if (source->users == 0 && source->state == SN__FOX_OPEN) {
    change_source(server, input, close_source);
  }
}

void sn__fox_sources_close(sn__fox_server *server) {
  for (size_t i = 0; server->sources != NULL && i < server->catalog.input_count; i++) {
    sn_source_close(server->sources[i].source);
    drop_pending(&server->sources[i]);
  }
  free(server->sources);
}

/* ---- channels of a client ---- */

static sn__fox_advertised *find_advertised(sn__fox_client *client, uint32_t id) {
  for (size_t i = 0; i < client->advertised_count; i++) {
    if (client->advertised[i].id == id) {
      return &client->advertised[i];
    }
  }
  return NULL;
}

void sn__fox_client_advertise(void *context, uint32_t id, const char *topic, const char *encoding) {
  sn__fox_client *client = context;
  const int input = sn__fox_find_input(&client->server->catalog, topic);
  const bool is_json = strcmp(encoding, "json") == 0;
  char message[240];
  if (!client->may_change) {
    snprintf(message, sizeof message, "publishing needs the token: call /sinew/authorize with it");
  } else if (input < 0) {
    snprintf(message, sizeof message, "unknown input '%.100s': expected /component/port", topic);
  } else if (!is_json && strcmp(encoding, "cdr") != 0) {
    snprintf(message, sizeof message, "the encoding is '%.60s', expected json or cdr", encoding);
  } else if (find_advertised(client, id) != NULL) {
    snprintf(message, sizeof message, "channel %u is advertised already", (unsigned)id);
  } else if (client->advertised_count == SN__FOX_ADVERTISED_MAX) {
    snprintf(message, sizeof message, "too many channels: at most %d per client",
             SN__FOX_ADVERTISED_MAX);
  } else {
    client->advertised[client->advertised_count++] = (sn__fox_advertised){
        .id = id, .input = (uint32_t)input, .encoding = is_json ? SN__REMOTE_JSON : SN__REMOTE_CDR};
    use_source(client->server, (uint32_t)input, 1);
    return;
  }
  sn__fox_client_warn(client, message);
}

void sn__fox_client_unadvertise(void *context, uint32_t id) {
  sn__fox_client *client = context;
  sn__fox_advertised *channel = find_advertised(client, id);
  if (channel == NULL) {
    sn__fox_client_warn(client, "this channel is not advertised");
    return;
  }
  use_source(client->server, channel->input, -1);
  *channel = client->advertised[--client->advertised_count];
}

void sn__fox_client_unadvertise_all(sn__fox_client *client) {
  for (size_t i = 0; i < client->advertised_count; i++) {
    use_source(client->server, client->advertised[i].input, -1);
  }
  client->advertised_count = 0;
}

/* Until the source is open, the latest message waits. */
static void keep_pending(sn__fox_source *source, sn__remote_encoding encoding, const void *bytes,
                         size_t size) {
  source->pending.max = SN__FOX_MESSAGE_MAX;
  sn__buffer_clear(&source->pending);
  sn__buffer_append(&source->pending, bytes, size);
  source->pending_encoding = encoding;
  source->has_pending = !source->pending.failed;
}

void sn__fox_client_publish(void *context, uint32_t id, const void *bytes, size_t size) {
  sn__fox_client *client = context;
  sn__fox_server *server = client->server;
  const sn__fox_advertised *channel = find_advertised(client, id);
  if (channel == NULL) {
    sn__fox_client_warn(client, "this channel is not advertised");
    return;
  }
  client->published_ns = client->heard_ns;
  sn__fox_source *source = &server->sources[channel->input];
  if (source->state != SN__FOX_OPEN) {
    if (source->state == SN__FOX_CLOSED) { /* another writer may have left the input */
      change_source(server, channel->input, open_source);
    }
    keep_pending(source, channel->encoding, bytes, size);
    return;
  }
  sn_error err = {SN_OK, ""};
  if (sn__remote_publish(source->source, channel->encoding, bytes, size, &err) != SN_OK) {
    char message[320];
    snprintf(message, sizeof message, "%s: %s", server->catalog.inputs[channel->input].topic,
             err.message);
    sn__fox_client_warn(client, message);
  }
}
