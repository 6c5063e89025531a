/* Selects the recorded outputs: by name, by pattern, or all. */
#define _POSIX_C_SOURCE 200809L

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "record/recording.h"

typedef struct output {
  const char *path; /* component.port */
  bool is_derived;
} output;

/* A position in the list of all outputs, which is counted first, then filled. */
typedef struct output_list {
  sn_arena *arena;
  output *items; /* NULL while counting */
  size_t count;
  bool is_full; /* no memory */
} output_list;

static void list_output(output_list *list, const char *component, const sn_port *port) {
  if (list->items != NULL) {
    const size_t size = strlen(component) + strlen(port->name) + 2;
    char *path = SN_NEW(list->arena, char, size);
    if (path == NULL) {
      list->is_full = true;
      return;
    }
    snprintf(path, size, "%s.%s", component, port->name);
    list->items[list->count] = (output){path, (port->flags & SN_PORT_DERIVED) != 0};
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
        list_output(list, component->name, port);
      }
    }
  }
}

static bool is_pattern(const char *wish) {
  return strpbrk(wish, "*?[") != NULL;
}

/* Whether an output is recorded: all of it, or a derived one less often. */
typedef enum choice { LEFT_OUT, BY_DEFAULT, ASKED_FOR } choice;

/* The last wish that fits decides. @param is_used  [wishes], set for those that fit an output */
static choice choose(const sn_recorder_config *config, const char *path, bool *is_used) {
  choice result = config->output_count == 0 || config->outputs[0][0] == '!' ? BY_DEFAULT : LEFT_OUT;
  for (size_t i = 0; i < config->output_count; i++) {
    const char *wish = config->outputs[i];
    const bool removes = wish[0] == '!';
    if (fnmatch(wish + (removes ? 1 : 0), path, FNM_NOESCAPE) == 0) {
      result = removes ? LEFT_OUT : ASKED_FOR;
      is_used[i] = true;
    }
  }
  return result;
}

static int64_t interval_of(const sn__recording *recording, bool is_thinned) {
  const int64_t wanted_ns = recording->interval_ns;
  return is_thinned && wanted_ns < SN_RECORDER_DERIVED_NS ? SN_RECORDER_DERIVED_NS : wanted_ns;
}

/* Names that fit none of the listed outputs may be those of services, which are not listed: opening
   them tells. A pattern that fits none is a mistake; what is left out need not exist. */
static sn_status add_others(sn__recording *recording, const sn_recorder_config *config,
                            const bool *is_used, const char **paths, sn_error *err) {
  for (size_t i = 0; i < config->output_count; i++) {
    const char *wish = config->outputs[i];
    if (is_used[i] || wish[0] == '!') {
      continue;
    }
    if (is_pattern(wish)) {
      return sn__fail(err, SN_ENOENT,
                      "recorder: '%.100s' fits no output; 'sinew ls' lists the components", wish);
    }
    recording->topics[recording->topic_count].interval_ns = recording->interval_ns;
    paths[recording->topic_count++] = wish;
  }
  return SN_OK;
}

static sn_status select_outputs(sn__recording *recording, const sn_recorder_config *config,
                                const output_list *all, const char *const **out, sn_error *err) {
  sn_arena *arena = &recording->arena;
  const size_t room = all->count + config->output_count + 1;
  const char **paths = SN_NEW(arena, const char *, room);
  bool *is_used = SN_NEW(arena, bool, config->output_count + 1);
  recording->topics = SN_NEW(arena, sn__recording_topic, room);
  if (paths == NULL || is_used == NULL || recording->topics == NULL) {
    return sn__fail(err, SN_ENOMEM, "recorder: no memory");
  }
  for (size_t i = 0; i < all->count; i++) {
    const output *item = &all->items[i];
    const choice chosen = choose(config, item->path, is_used);
    if (chosen != LEFT_OUT) {
      recording->topics[recording->topic_count].interval_ns =
          interval_of(recording, item->is_derived && chosen == BY_DEFAULT);
      paths[recording->topic_count++] = item->path;
    }
  }
  const sn_status status = add_others(recording, config, is_used, paths, err);
  if (status == SN_OK && recording->topic_count == 0) {
    return sn__fail(err, SN_EINVAL, "recorder: no outputs to record");
  }
  *out = paths;
  return status;
}

/* The system is held while the list of outputs is made. Everything slow comes later, without the
   lock; an output that is removed in the meantime is an error then. */
sn_status sn__recording_choose(sn__recording *recording, const sn_recorder_config *config,
                               const char *const **paths, sn_error *err) {
  output_list list = {.arena = &recording->arena};
  sn_system_hold(recording->system);
  list_all(&list, recording->system);
  list.items = SN_NEW(&recording->arena, output, list.count + 1);
  if (list.items != NULL) {
    list_all(&list, recording->system);
  }
  const sn_status status = list.items == NULL || list.is_full
                               ? sn__fail(err, SN_ENOMEM, "recorder: no memory")
                               : select_outputs(recording, config, &list, paths, err);
  sn_system_release(recording->system);
  return status;
}
