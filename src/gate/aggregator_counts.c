/* What was taken and what refused, for whoever asks from outside. */
#include <string.h>

#include "base/fail.h"
#include "gate/aggregator.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_counts.h"

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
    add(list, of, name, sn_gate_reason_text((sn_gate_reason)i), counts->reasons[i]);
  }
}

sn_status sn__aggregator_get_counts(sn_component *component, const void *request, void *response,
                                    sn_error *err) {
  const sn__aggregator *a = (const sn__aggregator *)component;
  const sn_msg_text *wanted = &((const sn_call_name *)request)->name;
  const sn_names *joints = sn_model_joint_names(a->model);
  sn_gate_count_list *list = response;
  bool is_known = wanted->count == 0;
  list->header.stamp_ns = a->now_ns;
  list->counts.count = 0;
  list->complete = true;
  for (size_t i = 0; i < a->source_count; i++) {
    if (wanted->count == 0 || strcmp(wanted->data, a->sources[i].name) == 0) {
      add_all(list, "source", a->sources[i].name, sn_gate_source_counts(a->gate, i));
      is_known = true;
    }
  }
  for (size_t i = 0; i < sn_names_count(joints); i++) {
    const char *name = sn_names_at(joints, i);
    if (wanted->count == 0 || strcmp(wanted->data, name) == 0) {
      add_all(list, "joint", name, sn_gate_joint_counts(a->gate, i));
      is_known = true;
    }
  }
  return is_known ? SN_OK
                  : sn__fail(err, SN_ENOENT, "'%.80s' is no source and no joint", wanted->data);
}
