/* How the bridge stands, for whoever asks. */
#include <stdio.h>
#include <string.h>

#include "ros/bridge.h"

typedef struct state {
  bool connected, shut_down;
  uint64_t master_losses, sent, received, calls, dropped, refused, timed_out, subscribers,
      publishers, refused_messages, lost;
  sn_msg_names lossy_inputs;
  sn_seq_u64 lost_messages;
} state;

static const sn_msg_field fields[] = {
    SN_MSG_FIELD(state, "connected", connected, ""),
    SN_MSG_FIELD(state, "shut_down", shut_down, ""),
    SN_MSG_FIELD(state, "master_losses", master_losses, ""),
    SN_MSG_FIELD(state, "sent", sent, ""),
    SN_MSG_FIELD(state, "received", received, ""),
    SN_MSG_FIELD(state, "calls", calls, ""),
    SN_MSG_FIELD(state, "dropped", dropped, ""),
    SN_MSG_FIELD(state, "refused", refused, ""),
    SN_MSG_FIELD(state, "timed_out", timed_out, ""),
    SN_MSG_FIELD(state, "subscribers", subscribers, ""),
    SN_MSG_FIELD(state, "publishers", publishers, ""),
    SN_MSG_FIELD(state, "refused_messages", refused_messages, ""),
    SN_MSG_FIELD(state, "lost", lost, ""),
    SN_MSG_FIELD(state, "lossy_inputs", lossy_inputs, ""),
    SN_MSG_FIELD(state, "lost_messages", lost_messages, ""),
};

static const sn_msg_type state_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "BridgeState"),
                                       .brief = "How a bridge to a graph of nodes stands.",
                                       .size = sizeof(state), .fields = fields,
                                       .field_count = sizeof fields / sizeof *fields};

/* In the order of the fields; the messages that were refused are counted as they come. */
void sn__bridge_note_counts(sn__bridge *bridge) {
  const sn__graph_counts c = bridge->face->counts(bridge->node);
  const uint64_t values[SN__BRIDGE_COUNTS] = {
      c.is_connected, c.is_shut_down, c.losses,     c.sent,
      c.received,     c.calls,        c.dropped,    c.refused,
      c.timed_out,    c.subscribers,  c.publishers, c.lost + bridge->dropped_inputs};
  for (size_t i = 0; i < SN__BRIDGE_COUNTS; i++) {
    atomic_store_explicit(&bridge->counts[i], values[i], memory_order_relaxed);
  }
}

void sn__bridge_note_loss(sn__bridge *bridge, const char *port, uint64_t count) {
  const size_t known = atomic_load_explicit(&bridge->loss_count, memory_order_relaxed);
  size_t at = 0;
  while (at < known && strcmp(bridge->losses[at].port, port) != 0) {
    at++;
  }
  if (at == SN__BRIDGE_LOSSES_MAX) {
    return;
  }
  atomic_store_explicit(&bridge->losses[at].count, count, memory_order_relaxed);
  if (at == known) {
    snprintf(bridge->losses[at].port, sizeof bridge->losses[at].port, "%s", port);
    atomic_store_explicit(&bridge->loss_count, known + 1, memory_order_release);
  }
}

void sn__bridge_forget_losses(sn__bridge *bridge) {
  bridge->dropped_inputs = 0;
  for (size_t i = 0; i < SN__BRIDGE_LOSSES_MAX; i++) {
    atomic_store_explicit(&bridge->losses[i].count, 0, memory_order_relaxed);
  }
}

/* As many as there is room for: the sum is complete. */
static void list_losses(sn__bridge *bridge, state *out) {
  const size_t known = atomic_load_explicit(&bridge->loss_count, memory_order_acquire);
  sn_msg_names_clear(&out->lossy_inputs);
  out->lost_messages.count = 0;
  for (size_t i = 0; i < known && out->lost_messages.count < out->lost_messages.capacity; i++) {
    const char *port = bridge->losses[i].port;
    const uint64_t count = atomic_load_explicit(&bridge->losses[i].count, memory_order_relaxed);
    if (count > 0 && sn_msg_names_add(&out->lossy_inputs, port, strlen(port)) == SN_OK) {
      out->lost_messages.data[out->lost_messages.count++] = count;
    }
  }
}

static sn_status get_state(sn_component *component, const void *request, void *response,
                           sn_error *err) {
  sn__bridge *bridge = (sn__bridge *)component;
  state *out = response;
  uint64_t c[SN__BRIDGE_COUNTS];
  (void)request;
  (void)err;
  for (size_t i = 0; i < SN__BRIDGE_COUNTS; i++) {
    c[i] = atomic_load_explicit(&bridge->counts[i], memory_order_relaxed);
  }
  out->connected = c[0] != 0;
  out->shut_down = c[1] != 0;
  uint64_t *const fields_of[] = {
      &out->master_losses, &out->sent,      &out->received,    &out->calls,      &out->dropped,
      &out->refused,       &out->timed_out, &out->subscribers, &out->publishers, &out->lost};
  for (size_t i = 2; i < SN__BRIDGE_COUNTS; i++) {
    *fields_of[i - 2] = c[i];
  }
  out->refused_messages = atomic_load_explicit(&bridge->refused_inputs, memory_order_relaxed);
  list_losses(bridge, out);
  return SN_OK;
}

const sn_operation sn__bridge_operations[] = {
    {"getState", SN_CLIENT_THREAD | SN_READ_ONLY, NULL, &state_type, get_state,
     "Whether there is a graph, and what went over the wires."},
    {0}};
