/* What the gate has to say: everything is counted, people are told once a second. */
#include <string.h>

#include "gate/gate_data.h"

enum { TOLD_AGAIN_NS = 1000000000 };

const char *sn_gate_reason_text(sn_gate_reason reason) {
  static const char *const texts[SN_GATE_REASON_COUNT] = {
      [SN_GATE_LENGTHS] = "names, positions, velocities and efforts do not fit each other",
      [SN_GATE_NOT_FINITE] = "a number is not finite",
      [SN_GATE_DUPLICATE] = "the joint is there twice",
      [SN_GATE_OLD] = "the stamp is older than allowed",
      [SN_GATE_FUTURE] = "the stamp lies in the future",
      [SN_GATE_UNKNOWN] = "there is no such joint",
      [SN_GATE_NOT_OWNER] = "the source does not own it",
      [SN_GATE_NOT_DRIVEN] = "it cannot move",
      [SN_GATE_EARLY] = "written before it counted",
      [SN_GATE_STOPPED] = "emergency stop",
      [SN_GATE_CLAMPED] = "the reference is outside of the limits",
      [SN_GATE_SILENT] = "no reference in time, held",
      [SN_GATE_LOST] = "its owner is gone, held",
      [SN_GATE_UNMEASURED] = "the start waits for its measured position",
      [SN_GATE_OUTSIDE] = "measured outside of its limits, no start",
      [SN_GATE_BLIND] = "limp and not measured, the last command is held",
  };
  return (unsigned)reason < SN_GATE_REASON_COUNT ? texts[reason] : "unknown reason";
}

void sn__gate_count(sn_gate *gate, sn_gate_reason reason, int source, int joint) {
  if (source >= 0) {
    gate->sources[source].counts.reasons[reason]++;
  }
  if (joint >= 0) {
    gate->joints[joint].counts.reasons[reason]++;
  }
}

void sn__gate_report(sn_gate *gate, const sn_gate_event *event) {
  sn__gate_count(gate, event->reason, event->source, event->joint);
  sn__gate_told *told =
      &gate->told[(size_t)event->reason * (gate->source_count + 1) + (size_t)(event->source + 1)];
  told->count++;
  const int64_t age_ns = sn__gate_age_ns(event->now_ns, told->at_ns);
  const bool is_too_soon = told->was_told && age_ns >= 0 && age_ns < TOLD_AGAIN_NS;
  if (is_too_soon || gate->event_count == gate->event_capacity) {
    return;
  }
  const size_t end = (gate->event_begin + gate->event_count) % gate->event_capacity;
  gate->event_count++;
  gate->events[end] = *event;
  gate->events[end].count = told->count;
  *told = (sn__gate_told){.at_ns = event->now_ns, .was_told = true};
}

bool sn_gate_next_event(sn_gate *gate, sn_gate_event *event) {
  if (gate->event_count == 0) {
    return false;
  }
  *event = gate->events[gate->event_begin];
  gate->event_begin = (gate->event_begin + 1) % gate->event_capacity;
  gate->event_count--;
  return true;
}
