/* How the bridge stands, for whoever asks. */
#include "graph/bridge.h"

typedef struct state {
  bool connected, shut_down;
  uint64_t master_losses, sent, received, calls, dropped, refused, timed_out, subscribers,
      publishers, refused_messages;
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
};

static const sn_msg_type state_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "BridgeState"),
                                       .brief = "How a bridge to a graph of nodes stands.",
                                       .size = sizeof(state), .fields = fields,
                                       .field_count = sizeof fields / sizeof *fields};

/* In the order of the fields; the messages that were refused are counted as they come. */
void sn__bridge_note_counts(sn__bridge *bridge) {
  const sn__graph_counts c = bridge->face->counts(bridge->node);
  const uint64_t values[SN__BRIDGE_COUNTS] = {
      c.is_connected, c.is_shut_down, c.losses,    c.sent,        c.received,  c.calls,
      c.dropped,      c.refused,      c.timed_out, c.subscribers, c.publishers};
  for (size_t i = 0; i < SN__BRIDGE_COUNTS; i++) {
    atomic_store_explicit(&bridge->counts[i], values[i], memory_order_relaxed);
  }
}

static sn_status get_state(sn_component *component, const void *request, void *response,
                           sn_error *err) {
  sn__bridge *bridge = (sn__bridge *)component;
  uint64_t c[SN__BRIDGE_COUNTS];
  (void)request;
  (void)err;
  for (size_t i = 0; i < SN__BRIDGE_COUNTS; i++) {
    c[i] = atomic_load_explicit(&bridge->counts[i], memory_order_relaxed);
  }
  *(state *)response = (state){
      .connected = c[0] != 0,
      .shut_down = c[1] != 0,
      .master_losses = c[2],
      .sent = c[3],
      .received = c[4],
      .calls = c[5],
      .dropped = c[6],
      .refused = c[7],
      .timed_out = c[8],
      .subscribers = c[9],
      .publishers = c[10],
      .refused_messages = atomic_load_explicit(&bridge->refused_inputs, memory_order_relaxed)};
  return SN_OK;
}

const sn_operation sn__bridge_operations[] = {
    {"getState", SN_CLIENT_THREAD | SN_ONLY_ASKS, NULL, &state_type, get_state,
     "Whether there is a graph, and what went over the wires."},
    {0}};
