/* What the gate reports: events as lines of the log, and the operation getCounts. */
#include <string.h>

#include "base/fail.h"
#include "gate/gate_component.h"
#include "msg/types/msg_counts.h"
#include "sinew/msg_calls.h"

/* ---- the log ---- */

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

static void log_event(const sn_component *component, const sn_names *joints,
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
      (sn_log_arg){.kind = SN_LOG_TEXT, .value.text = sn__gate_reason_text(event->reason)};
  args[count++] = (sn_log_arg){.kind = SN_LOG_INT, .value.integer = (int64_t)event->count};
  sn_component_log(
      component, event->now_ns, SN_LOG_WARNING,
      joint != NULL ? "source '{}', joint '{}': {} ({} times)" : "source '{}': {} ({} times)",
      count, args);
}

void sn__gate_component_log_events(sn__gate_component *a) {
  sn_gate_event event;
  while (sn__gate_next_event(a->gate, &event)) {
    log_event(&a->component, sn_model_joint_names(a->model), &event,
              event.source < 0 ? "measured" : a->sources[event.source].name);
  }
}

/* ---- counts ---- */

static void add(sn_gate_count_list *list, const char *of, const char *name, const char *what,
                uint64_t count) {
  if (count == 0) {
    return;
  }
  if (list->counts.count == list->counts.capacity) {
    list->complete = false;
    return;
  }
  sn_gate_count *row = &list->counts.data[list->counts.count];
  row->count = count;
  if (sn_msg_text_set(&row->of, of) == SN_OK && sn_msg_text_set(&row->name, name) == SN_OK &&
      sn_msg_text_set(&row->what, what) == SN_OK) {
    list->counts.count++;
  } else {
    list->complete = false;
  }
}

static void add_all(sn_gate_count_list *list, const char *of, const char *name,
                    const sn_gate_counts *counts) {
  add(list, of, name, "taken", counts->taken);
  for (int i = 0; i < SN_GATE_REASON_COUNT; i++) {
    add(list, of, name, sn__gate_reason_text((sn_gate_reason)i), counts->reasons[i]);
  }
}

sn_status sn__gate_component_get_counts(sn_component *component, const void *request,
                                        void *response, sn_error *err) {
  const sn__gate_component *a = (const sn__gate_component *)component;
  const sn_msg_text *wanted = &((const sn_call_name *)request)->name;
  const sn_names *joints = sn_model_joint_names(a->model);
  sn_gate_count_list *list = response;
  bool is_known = wanted->count == 0;
  list->header.stamp_ns = a->now_ns;
  list->counts.count = 0;
  list->complete = true;
  for (size_t i = 0; i < a->source_count; i++) {
    if (wanted->count == 0 || strcmp(wanted->data, a->sources[i].name) == 0) {
      add_all(list, "source", a->sources[i].name, sn__gate_source_counts(a->gate, i));
      is_known = true;
    }
  }
  for (size_t i = 0; i < sn_names_count(joints); i++) {
    const char *name = sn_names_at(joints, i);
    if (wanted->count == 0 || strcmp(wanted->data, name) == 0) {
      add_all(list, "joint", name, sn__gate_joint_counts(a->gate, i));
      is_known = true;
    }
  }
  return is_known ? SN_OK
                  : sn__fail(err, SN_ENOENT, "unknown source or joint '%.80s'", wanted->data);
}
