/* The operation getState: counters of the bridge. */
#include <stdio.h>
#include <string.h>

#include "ros/bridge.h"

typedef struct state {
  bool connected, shut_down;
  uint64_t master_losses, sent, received, calls, dropped, refused, timed_out, subscribers,
      publishers, refused_messages, lost, clock_jumps;
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
    SN_MSG_FIELD(state, "clock_jumps", clock_jumps, ""),
    SN_MSG_FIELD(state, "lossy_inputs", lossy_inputs, ""),
    SN_MSG_FIELD(state, "lost_messages", lost_messages, ""),
};

static const sn_msg_type state_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "BridgeState"), .brief = "State of a ROS bridge.",
    .size = sizeof(state), .fields = fields, .field_count = sizeof fields / sizeof *fields};

/* Counters of the node: their place in sn__ros_counts and in the response. */
static const struct {
  size_t source, target;
} counters[SN__BRIDGE_COUNTS] = {
    {offsetof(sn__ros_counts, losses), offsetof(state, master_losses)},
    {offsetof(sn__ros_counts, sent), offsetof(state, sent)},
    {offsetof(sn__ros_counts, received), offsetof(state, received)},
    {offsetof(sn__ros_counts, calls), offsetof(state, calls)},
    {offsetof(sn__ros_counts, dropped), offsetof(state, dropped)},
    {offsetof(sn__ros_counts, refused), offsetof(state, refused)},
    {offsetof(sn__ros_counts, timed_out), offsetof(state, timed_out)},
    {offsetof(sn__ros_counts, subscribers), offsetof(state, subscribers)},
    {offsetof(sn__ros_counts, publishers), offsetof(state, publishers)},
    {offsetof(sn__ros_counts, lost), offsetof(state, lost)},
};

void sn__bridge_update_counts(sn__bridge *bridge) {
  sn__ros_counts c = bridge->transport->counts(bridge->node);
  c.lost += bridge->dropped_inputs;
  atomic_store_explicit(&bridge->is_connected, c.is_connected, memory_order_relaxed);
  atomic_store_explicit(&bridge->is_shut_down, c.is_shut_down, memory_order_relaxed);
  for (size_t i = 0; i < SN__BRIDGE_COUNTS; i++) {
    uint64_t value;
    memcpy(&value, (const char *)&c + counters[i].source, sizeof value);
    atomic_store_explicit(&bridge->counts[i], value, memory_order_relaxed);
  }
}

void sn__bridge_record_loss(sn__bridge *bridge, const char *port, uint64_t count) {
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

void sn__bridge_reset_losses(sn__bridge *bridge) {
  bridge->dropped_inputs = 0;
  for (size_t i = 0; i < SN__BRIDGE_LOSSES_MAX; i++) {
    atomic_store_explicit(&bridge->losses[i].count, 0, memory_order_relaxed);
  }
}

/* As many as fit; `lost` is the sum of all. */
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
  (void)request;
  (void)err;
  out->connected = atomic_load_explicit(&bridge->is_connected, memory_order_relaxed);
  out->shut_down = atomic_load_explicit(&bridge->is_shut_down, memory_order_relaxed);
  for (size_t i = 0; i < SN__BRIDGE_COUNTS; i++) {
    const uint64_t value = atomic_load_explicit(&bridge->counts[i], memory_order_relaxed);
    memcpy((char *)out + counters[i].target, &value, sizeof value);
  }
  out->refused_messages = atomic_load_explicit(&bridge->refused_inputs, memory_order_relaxed);
  out->clock_jumps = atomic_load_explicit(&bridge->clock_jumps, memory_order_relaxed);
  list_losses(bridge, out);
  return SN_OK;
}

const sn_operation sn__bridge_operations[] = {
    {"getState", SN_CLIENT_THREAD | SN_READ_ONLY, NULL, &state_type, get_state,
     "Connection to the graph, and message counters."},
    {0}};
