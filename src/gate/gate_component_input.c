/* The writers of the gate, their rights, and their messages. */
#include "arbiter/owners.h"
#include "base/fail.h"
#include "gate/gate_component.h"

/* The number of the writer of an input; a component is one source, whichever inputs it writes to.
 */
static int add_source(sn__gate_component *a, const sn_input *input) {
  const sn_component *writer = sn_input_writer(input);
  for (size_t i = 0; writer != NULL && i < a->source_count; i++) {
    if (a->sources[i].component == writer) {
      return (int)i;
    }
  }
  if (a->source_count == SN__SOURCES_MAX) {
    return -1;
  }
  a->sources[a->source_count] =
      (sn__gate_writer){.component = writer, .name = writer == NULL ? "outside" : writer->name};
  return (int)a->source_count++;
}

static bool add_sources(sn__gate_component *a, const sn_inputs *inputs, int *numbers) {
  bool is_good = inputs->count <= SN__SOURCES_MAX;
  for (size_t i = 0; is_good && i < inputs->count; i++) {
    numbers[i] = add_source(a, &inputs->items[i]);
    is_good = numbers[i] >= 0;
  }
  return is_good;
}

sn_status sn__gate_component_find_sources(sn__gate_component *a, sn_error *err) {
  a->source_count = 0;
  if (!add_sources(a, &a->joints, a->joints_source) ||
      !add_sources(a, &a->limps, a->limps_source)) {
    return sn__fail(err, SN_ELIMIT, "more than %d sources", SN__SOURCES_MAX);
  }
  /* Two sources that both move everything would fight. */
  if (!sn_requester_is_ready(&a->owners) && (a->source_count > 1 || a->supports.count > 1)) {
    return sn__fail(err, SN_EINVAL,
                    "%zu sources are connected without an arbiter: connect 'owners', or only one "
                    "source",
                    a->source_count > 1 ? a->source_count : a->supports.count);
  }
  return add_sources(a, &a->supports, a->supports_source)
             ? SN_OK
             : sn__fail(err, SN_ELIMIT, "more than %d sources", SN__SOURCES_MAX);
}

/* ---- one cycle ---- */

static int source_of(const sn__gate_component *a, const sn_component *component) {
  for (size_t i = 0; component != NULL && i < a->source_count; i++) {
    if (a->sources[i].component == component) {
      return (int)i;
    }
  }
  return -1;
}

static void apply_owners(sn__gate_component *a, int64_t now_ns) {
  sn__gate_own(a->gate, a->joint_owners, now_ns);
  sn__supports_own(a->support_gate, a->joint_owners);
}

void sn__gate_component_update_owners(sn__gate_component *a, int64_t now_ns) {
  const sn_owner_table *table =
      sn_requester_is_ready(&a->owners) ? sn__owners_now((sn_owners *)a->owners.iface) : NULL;
  if (a->knows_owners && (table == NULL || table->version == a->owners_version)) {
    return;
  }
  const size_t n = sn_model_pose_size(a->model);
  /* An owner that got a joint and lost it since the last cycle may have commanded it. */
  for (size_t i = 0; table != NULL && i < n; i++) {
    const bool is_changed = source_of(a, table->owners[i]) != a->joint_owners[i];
    a->joint_owners[i] = is_changed ? source_of(a, table->former[i]) : a->joint_owners[i];
  }
  apply_owners(a, now_ns);
  for (size_t i = 0; i < n; i++) {
    /* Without a table there is at most one source. */
    a->joint_owners[i] = table != NULL         ? source_of(a, table->owners[i])
                         : a->source_count > 0 ? 0
                                               : -1;
  }
  apply_owners(a, now_ns);
  a->knows_owners = true;
  a->owners_version = table == NULL ? 0 : table->version;
}

static void read_measured(sn__gate_component *a, int64_t now_ns) {
  size_t left = SN_INPUT_BURST_MAX;
  for (const sn_joint_state *msg; (msg = sn_input_next(&a->measured, &left)) != NULL;) {
    (void)sn__gate_measure(a->gate, msg, now_ns);
  }
}

/* All new messages in order. @return whether there were any */
static bool read_joints(sn__gate_component *a, int64_t now_ns) {
  bool is_new = false;
  for (size_t i = 0; i < a->joints.count; i++) {
    size_t left = SN_INPUT_BURST_MAX;
    for (const sn_joint_state *msg; (msg = sn_input_next(&a->joints.items[i], &left)) != NULL;) {
      (void)sn__gate_take(a->gate, (size_t)a->joints_source[i], msg, now_ns);
      is_new = true;
    }
  }
  return is_new;
}

static bool read_limps(sn__gate_component *a, int64_t now_ns) {
  bool is_new = false;
  for (size_t i = 0; i < a->limps.count; i++) {
    size_t left = SN_INPUT_BURST_MAX;
    for (const sn_servo_goal *msg; (msg = sn_input_next(&a->limps.items[i], &left)) != NULL;) {
      (void)sn__gate_let_go(a->gate, (size_t)a->limps_source[i], msg, now_ns);
      is_new = true;
    }
  }
  return is_new;
}

/* Joints of a writer that stopped or was disconnected are held at once. */
static void drop_stopped_writers(sn__gate_component *a, const sn_inputs *inputs, const int *numbers,
                                 int64_t now_ns) {
  for (size_t i = 0; i < inputs->count; i++) {
    const size_t number = (size_t)numbers[i];
    const sn_component *expected = a->sources[number].component;
    const sn_component *writer = sn_input_writer(&inputs->items[i]);
    if (writer != expected ||
        (writer != NULL && sn_component_state_now(writer) != SN_STATE_RUNNING)) {
      sn__gate_lose(a->gate, number, now_ns);
    }
  }
}

static void warn_about_supports(sn__gate_component *a, sn__gate_writer *from, sn_gate_reason reason,
                                int chain, int64_t now_ns) {
  const sn_names *chains = sn_model_chain_names(a->model);
  const sn_log_arg args[] = {
      {.kind = SN_LOG_TEXT, .value.text = from->name},
      {.kind = SN_LOG_TEXT, .value.text = chain < 0 ? "" : sn_names_at(chains, (size_t)chain)},
      {.kind = SN_LOG_TEXT, .value.text = sn__gate_reason_text(reason)},
  };
  sn_component_log_limited(&a->component, &from->support_warnings, now_ns, SN_LOG_WARNING,
                           "source '{}', support of '{}': {}", 3, args);
}

static void read_supports(sn__gate_component *a, int64_t now_ns) {
  for (size_t i = 0; i < a->supports.count; i++) {
    size_t left = SN_INPUT_BURST_MAX;
    for (const sn_support_state *msg;
         (msg = sn_input_next(&a->supports.items[i], &left)) != NULL;) {
      const int number = a->supports_source[i];
      int chain = -1;
      const sn_gate_reason reason = sn__supports_take(
          a->support_gate, sn_requester_is_ready(&a->owners) ? number : 0, msg, &chain);
      if (reason != SN_GATE_REASON_COUNT) {
        warn_about_supports(a, &a->sources[number], reason, chain, now_ns);
      }
    }
  }
}

bool sn__gate_component_read(sn__gate_component *a, int64_t now_ns) {
  read_measured(a, now_ns);
  const bool has_joints = read_joints(a, now_ns);
  const bool has_limps = read_limps(a, now_ns);
  drop_stopped_writers(a, &a->joints, a->joints_source, now_ns);
  drop_stopped_writers(a, &a->limps, a->limps_source, now_ns);
  read_supports(a, now_ns);
  return has_joints || has_limps;
}
