#include "gate/gate_log.h"

static void log_silent(const sn_component *component, const sn_gate_event *event,
                       const char *source, const char *joint) {
  const sn_log_arg args[] = {
      {.kind = SN_LOG_TEXT, .value.text = source},
      {.kind = SN_LOG_TEXT, .value.text = joint},
      {.kind = SN_LOG_REAL, .value.real = event->value},
      {.kind = SN_LOG_INT, .value.integer = (int64_t)event->count},
  };
  sn_component_log(component, event->now_ns, SN_LOG_WARNING,
                   "source '{}', joint '{}': no reference for {} s, it brakes and is held ({} "
                   "times)",
                   4, args);
}

void sn__gate_log_write(const sn_component *component, const sn_names *joints,
                        const sn_gate_event *event, const char *source) {
  const char *joint = event->joint >= 0        ? sn_names_at(joints, (size_t)event->joint)
                      : event->name[0] != '\0' ? event->name
                                               : NULL;
  if (event->reason == SN_GATE_SILENT) {
    log_silent(component, event, source, joint);
    return;
  }
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
