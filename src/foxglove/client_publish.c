/* Inputs that clients write to: one source for all of them, the last message counts. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "foxglove/server_internal.h"
#include "sinew/msg_cdr.h"
#include "sinew/msg_json.h"

static bool write_now(sn_source *source, bool is_json, const void *bytes, size_t size,
                      sn_error *err) {
  const sn_msg_type *type = sn_source_type(source);
  void *msg = sn_source_msg(source);
  sn_status status = is_json ? sn_msg_from_json(type, bytes, size, msg, err)
                             : sn_cdr_read(type, bytes, size, msg, err);
  if (status == SN_OK) {
    status = sn_source_write(source);
    if (status == SN_EINVAL) {
      (void)sn__fail(err, status, "a number is not finite");
    }
  }
  return status == SN_OK;
}

/* ---- opening and closing ---- */

static void open_source(sn__fox_server *server, sn__fox_task *task) {
  (void)sn_source_open(server->system, server->catalog.inputs[task->a].port, NULL, &task->source,
                       &task->err);
}

static void close_source(sn__fox_server *server, sn__fox_task *task) {
  (void)server;
  sn_source_close(task->source);
  task->source = NULL;
}

static void undo(sn__fox_task *task) {
  sn_source_close(task->source);
}

static void change(sn__fox_server *server, uint32_t input, sn__fox_work *work);

static void tell_users(sn__fox_server *server, uint32_t input, const char *reason) {
  for (sn__fox_client *client = server->clients; client != NULL; client = client->next) {
    for (size_t i = 0; i < client->advertised_count; i++) {
      if (client->advertised[i].input == input) {
        char message[320];
        snprintf(message, sizeof message, "%s cannot be written: %s",
                 server->catalog.inputs[input].topic, reason);
        sn__fox_client_complain(client, message);
      }
    }
  }
}

static void write_waiting(sn__fox_server *server, uint32_t input) {
  sn__fox_inlet *inlet = &server->inlets[input];
  sn_error err = {SN_OK, ""};
  if (inlet->waiting != NULL && !write_now(inlet->source, inlet->waiting_is_json, inlet->waiting,
                                           inlet->waiting_size, &err)) {
    tell_users(server, input, err.message);
  }
}

static void forget_waiting(sn__fox_inlet *inlet) {
  free(inlet->waiting);
  inlet->waiting = NULL;
}

static void finish(sn__fox_server *server, sn__fox_client *client, sn__fox_task *task) {
  (void)client;
  const uint32_t input = task->a;
  sn__fox_inlet *inlet = &server->inlets[input];
  const bool was_opened = inlet->state == SN__FOX_OPENING;
  inlet->source = task->source;
  inlet->state = task->source == NULL ? SN__FOX_CLOSED : SN__FOX_OPEN;
  if (was_opened && inlet->source == NULL) {
    tell_users(server, input, task->err.message);
  } else if (was_opened && inlet->users > 0) {
    write_waiting(server, input);
  } else if (was_opened) { /* nobody wants it any more */
    change(server, input, close_source);
  } else if (inlet->users > 0) { /* somebody wants it again */
    change(server, input, open_source);
    return;
  }
  forget_waiting(inlet);
}

static void change(sn__fox_server *server, uint32_t input, sn__fox_work *work) {
  sn__fox_inlet *inlet = &server->inlets[input];
  sn__fox_task *task = sn__fox_task_create(server, work, finish);
  if (task != NULL) {
    task->a = input;
    task->source = inlet->source;
    task->undo = undo;
    inlet->source = NULL;
    inlet->state = work == open_source ? SN__FOX_OPENING : SN__FOX_CLOSING;
    (void)sn__fox_task_begin(task, NULL);
  }
}

void sn__fox_inlet_use(sn__fox_server *server, uint32_t input, int users) {
  sn__fox_inlet *inlet = &server->inlets[input];
  inlet->users = (size_t)((int64_t)inlet->users + users);
  if (inlet->users > 0 && inlet->state == SN__FOX_CLOSED) {
    change(server, input, open_source);
  } else if (inlet->users == 0 && inlet->state == SN__FOX_OPEN) {
    change(server, input, close_source);
  }
}

/* What comes while the way is being opened waits; the latest of it. */
static void keep_waiting(sn__fox_inlet *inlet, bool is_json, const void *bytes, size_t size) {
  char *copy = malloc(size + 1);
  if (copy != NULL) {
    forget_waiting(inlet);
    memcpy(copy, bytes, size);
    inlet->waiting = copy;
    inlet->waiting_size = size;
    inlet->waiting_is_json = is_json;
  }
}

bool sn__fox_inlet_write(sn__fox_server *server, uint32_t input, bool is_json, const void *bytes,
                         size_t size, sn_error *err) {
  sn__fox_inlet *inlet = &server->inlets[input];
  if (inlet->state == SN__FOX_OPEN) {
    return write_now(inlet->source, is_json, bytes, size, err);
  }
  if (inlet->state == SN__FOX_CLOSED) {
    change(server, input, open_source); /* who had it may have let it go */
  }
  keep_waiting(inlet, is_json, bytes, size);
  return true;
}

void sn__fox_inlets_close(sn__fox_server *server) {
  for (size_t i = 0; server->inlets != NULL && i < server->catalog.input_count; i++) {
    sn_source_close(server->inlets[i].source);
    forget_waiting(&server->inlets[i]);
  }
  free(server->inlets);
}
