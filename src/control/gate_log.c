#include "control/gate_log.h"

#include <string.h>

static bool has_kept(const sn__gate_log *log, const sn_names *joints) {
  bool is_same = log->joints != NULL && log->joint_count == sn_names_count(joints);
  for (size_t i = 0; is_same && i < log->joint_count; i++) {
    is_same = strcmp(log->joints[i], sn_names_at(joints, i)) == 0;
  }
  return is_same;
}

/* The names of another robot stay beside: there may be lines with them. */
sn_status sn__gate_log_keep(sn__gate_log *log, const sn_names *joints) {
  if (has_kept(log, joints)) {
    return SN_OK;
  }
  if (log->arena.name == NULL) {
    sn_arena_init_growing(&log->arena, "names for the log", 0);
  }
  const size_t count = sn_names_count(joints);
  const char **kept = SN_NEW(&log->arena, const char *, count);
  for (size_t i = 0; kept != NULL && i < count; i++) {
    const char *name = sn_names_at(joints, i);
    kept[i] = sn_arena_text(&log->arena, name, strlen(name));
    if (kept[i] == NULL) {
      return SN_ENOMEM;
    }
  }
  if (kept == NULL) {
    return SN_ENOMEM;
  }
  log->joints = kept;
  log->joint_count = count;
  return SN_OK;
}

void sn__gate_log_release(sn__gate_log *log) {
  if (log->arena.name != NULL) {
    sn_arena_release(&log->arena);
  }
}

static const char *keep_stranger(sn__gate_log *log, const char *name) {
  for (size_t i = 0; i < log->stranger_count; i++) {
    if (strcmp(log->strangers[i], name) == 0) {
      return log->strangers[i];
    }
  }
  if (log->stranger_count == SN__GATE_STRANGERS) {
    return "(and others)";
  }
  return memcpy(log->strangers[log->stranger_count++], name, SN_GATE_NAME_MAX);
}

void sn__gate_log_write(sn__gate_log *log, const sn_component *component,
                        const sn_gate_event *event, const char *source) {
  const char *joint = event->joint >= 0        ? log->joints[event->joint]
                      : event->name[0] != '\0' ? keep_stranger(log, event->name)
                                               : NULL;
  sn_log_arg args[SN_LOG_ARGS_MAX];
  size_t count = 0;
  args[count++] = (sn_log_arg){.kind = SN_LOG_TEXT, .value.text = source};
  if (joint != NULL) {
    args[count++] = (sn_log_arg){.kind = SN_LOG_TEXT, .value.text = joint};
  }
  args[count++] =
      (sn_log_arg){.kind = SN_LOG_TEXT, .value.text = sn_gate_reason_text(event->reason)};
  args[count++] = (sn_log_arg){.kind = SN_LOG_INT, .value.integer = (int64_t)event->count};
  sn_component_log(
      component, event->now_ns, SN_LOG_WARNING,
      joint != NULL ? "source '{}', joint '{}': {} ({} times)" : "source '{}': {} ({} times)",
      count, args);
}
