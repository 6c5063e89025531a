/* Selects the recorded outputs, and checks that their queues fit into memory. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "record/recording.h"
#include "rt/ports/tap_internal.h"

/* A position in the list of all outputs, which is counted first, then filled. */
typedef struct output_list {
  sn_arena *arena;
  const char **paths; /* NULL while counting */
  size_t count;
  bool is_full; /* no memory */
} output_list;

static void list_output(output_list *list, const char *component, const char *port) {
  if (list->paths != NULL) {
    const size_t size = strlen(component) + strlen(port) + 2;
    char *path = SN_NEW(list->arena, char, size);
    if (path == NULL) {
      list->is_full = true;
      return;
    }
    snprintf(path, size, "%s.%s", component, port);
    list->paths[list->count] = path;
  }
  list->count++;
}

static void list_all(output_list *list, const sn_system *system) {
  list->count = 0;
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    const sn_component *component = sn_system_component_at(system, i);
    const sn_port *port = component->type->ports;
    for (; port != NULL && port->name != NULL && !list->is_full; port++) {
      if (port->kind == SN_PORT_OUT) {
        list_output(list, component->name, port->name);
      }
    }
  }
}

static sn_status find_outputs(sn__recording *recording, const sn_recorder_config *config,
                              const char *const **paths, sn_error *err) {
  if (config->outputs != NULL) {
    *paths = config->outputs;
    recording->topic_count = config->output_count;
  } else {
    output_list list = {.arena = &recording->arena};
    list_all(&list, recording->system);
    list.paths = SN_NEW(&recording->arena, const char *, list.count);
    if (list.paths != NULL) {
      list_all(&list, recording->system);
    }
    if (list.paths == NULL || list.is_full) {
      return sn__fail(err, SN_ENOMEM, "recorder: no memory");
    }
    *paths = list.paths;
    recording->topic_count = list.count;
  }
  if (recording->topic_count == 0) {
    return sn__fail(err, SN_EINVAL, "recorder: no outputs to record");
  }
  return SN_OK;
}

/* The buffer is a number of messages, which can be long. */
static sn_status check_memory(const sn__recording *recording, const char *const *paths,
                              size_t memory_max, sn_error *err) {
  const size_t limit = memory_max == 0 ? SN_RECORDER_MEMORY : memory_max;
  const sn_connection connection = {.buffer = recording->buffer};
  size_t bytes = 0;
  for (size_t i = 0; i < recording->topic_count; i++) {
    const size_t more = sn__tap_memory(recording->system, paths[i], &connection);
    bytes = more > SIZE_MAX - bytes ? SIZE_MAX : bytes + more;
  }
  if (bytes <= limit) {
    return SN_OK;
  }
  const double per_message = (double)bytes / (double)recording->buffer;
  return sn__fail(err, SN_ELIMIT,
                  "recorder: a buffer of %zu messages of each of %zu outputs takes %.0f MB, "
                  "memory_max is %.0f MB: set buffer to %.0f or less, or memory_max higher",
                  recording->buffer, recording->topic_count, 1e-6 * (double)bytes,
                  1e-6 * (double)limit, fmax(1.0, 0.95 * (double)limit / per_message));
}

/* The system is held while the list of outputs is made. Everything slow comes later, without the
   lock; an output that is removed in the meantime is an error then. */
sn_status sn__recording_choose(sn__recording *recording, const sn_recorder_config *config,
                               const char *const **paths, sn_error *err) {
  sn_system_hold(recording->system);
  sn_status status = find_outputs(recording, config, paths, err);
  if (status == SN_OK) {
    status = check_memory(recording, *paths, config->memory_max, err);
  }
  sn_system_release(recording->system);
  return status;
}
