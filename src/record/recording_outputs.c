/* Selects the recorded outputs: by name, by pattern, or all. */
#define _POSIX_C_SOURCE 200809L

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "record/recording.h"

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

static bool is_pattern(const char *wish) {
  return strpbrk(wish, "*?[") != NULL;
}

/* The last wish that fits decides. @param is_used  [wishes], set for those that fit an output */
static bool is_wanted(const sn_recorder_config *config, const char *path, bool *is_used) {
  bool is_in = config->output_count == 0 || config->outputs[0][0] == '!';
  for (size_t i = 0; i < config->output_count; i++) {
    const char *wish = config->outputs[i];
    const bool removes = wish[0] == '!';
    if (fnmatch(wish + (removes ? 1 : 0), path, FNM_NOESCAPE) == 0) {
      is_in = !removes;
      is_used[i] = true;
    }
  }
  return is_in;
}

/* Names that fit none of the listed outputs may be those of services, which are not listed: opening
   them tells. A pattern that fits none is a mistake; what is left out need not exist. */
static sn_status add_others(const sn_recorder_config *config, const bool *is_used,
                            const char **paths, size_t *count, sn_error *err) {
  for (size_t i = 0; i < config->output_count; i++) {
    const char *wish = config->outputs[i];
    if (is_used[i] || wish[0] == '!') {
      continue;
    }
    if (is_pattern(wish)) {
      return sn__fail(err, SN_ENOENT,
                      "recorder: '%.100s' fits no output; 'sinew ls' lists the components", wish);
    }
    paths[(*count)++] = wish;
  }
  return SN_OK;
}

static sn_status select_outputs(sn__recording *recording, const sn_recorder_config *config,
                                const output_list *all, const char *const **out, sn_error *err) {
  sn_arena *arena = &recording->arena;
  const char **paths = SN_NEW(arena, const char *, all->count + config->output_count + 1);
  bool *is_used = SN_NEW(arena, bool, config->output_count + 1);
  if (paths == NULL || is_used == NULL) {
    return sn__fail(err, SN_ENOMEM, "recorder: no memory");
  }
  size_t count = 0;
  for (size_t i = 0; i < all->count; i++) {
    if (is_wanted(config, all->paths[i], is_used)) {
      paths[count++] = all->paths[i];
    }
  }
  const sn_status status = add_others(config, is_used, paths, &count, err);
  if (status == SN_OK && count == 0) {
    return sn__fail(err, SN_EINVAL, "recorder: no outputs to record");
  }
  *out = paths;
  recording->topic_count = count;
  return status;
}

/* The system is held while the list of outputs is made. Everything slow comes later, without the
   lock; an output that is removed in the meantime is an error then. */
sn_status sn__recording_choose(sn__recording *recording, const sn_recorder_config *config,
                               const char *const **paths, sn_error *err) {
  output_list list = {.arena = &recording->arena};
  sn_system_hold(recording->system);
  list_all(&list, recording->system);
  list.paths = SN_NEW(&recording->arena, const char *, list.count + 1);
  if (list.paths != NULL) {
    list_all(&list, recording->system);
  }
  sn_status status = list.paths == NULL || list.is_full
                         ? sn__fail(err, SN_ENOMEM, "recorder: no memory")
                         : select_outputs(recording, config, &list, paths, err);
  if (status == SN_OK) {
    recording->topics = SN_NEW(&recording->arena, sn__recording_topic, recording->topic_count);
    status = recording->topics == NULL ? sn__fail(err, SN_ENOMEM, "recorder: no memory") : SN_OK;
  }
  sn_system_release(recording->system);
  return status;
}
