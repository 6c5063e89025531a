#include "bus/bus_schedule.h"
#include "bus/families/servo_link.h"

static void take_answer(sn__servo_bus *bus, const sn_bus_event *event, int64_t now_ns) {
  const size_t servo = bus->asked_servos[event->item];
  const sn_bus_status *status = &event->status;
  sn_servo_reading reading = {0};
  switch (bus->asked) {
    case SN__ASK_STATE:
      sn__servo_take_state(bus, servo, status, now_ns);
      break;
    case SN__ASK_TASK:
      sn__servo_task_done(bus, servo, status);
      break;
    case SN__ASK_SUPPLY:
      if (status->size == bus->config.family->supply.size) {
        bus->config.family->read_supply(status->data, &reading);
        sn__servo_take_supply(bus, servo, &reading);
      }
      break;
    case SN__ASK_TORQUE:
      sn__servo_take_torque(bus, servo, status);
      break;
    case SN__ASK_PING:
      bus->servos[servo].ping_answers++;
      bus->servos[servo].is_fast =
          sn__servo_is_fast(bus->config.family, status->data, status->size);
      break;
    default:
      break;
  }
}

/* How much longer than its bytes an answer takes: the delay of the servo and of the adapter. A
   longer time was caused by a stalled host, not by a servo, and is ignored. */
static void learn_gap(sn__servo_bus *bus, size_t answered, int64_t now_ns) {
  if (answered == bus->asked_count && bus->engine.tries == 1) {
    const int64_t gap_ns = (now_ns - bus->asked_ns - bus->asked_wire_ns) / (int64_t)answered;
    const int64_t most_ns = bus->engine.config.answer_ns;
    bus->gap_ns += ((gap_ns < 0 ? 0 : gap_ns > most_ns ? most_ns : gap_ns) - bus->gap_ns) / 8;
  } else if (answered < bus->asked_count && now_ns >= bus->end_ns) {
    bus->gap_ns += bus->engine.byte_ns; /* cut off: answers take longer than estimated */
  }
}

static void take_done(sn__servo_bus *bus, const sn_bus_event *event, int64_t now_ns) {
  if (bus->asked == SN__ASK_STATE) {
    if (bus->is_fast) {
      bus->fast_misses = bus->engine.tries == 1 ? 0 : bus->fast_misses + 1;
    }
    learn_gap(bus, event->answered, now_ns);
  } else if (bus->asked == SN__ASK_PING) {
    const bool is_garbled = bus->engine.stats.spoilt != bus->garbage_seen;
    sn__servo_ping_done(bus, bus->asked_servos[0], is_garbled, now_ns);
  } else if (bus->asked == SN__ASK_TASK && bus->is_unanswered) {
    sn__servo_task_done(bus, bus->asked_servos[0], NULL);
  }
}

static void count_trouble(sn__servo_bus *bus, const sn_bus_event *event) {
  sn__servo_state *state = &bus->servos[bus->asked_servos[event->item]].state;
  state->retried += event->tries - 1;
  state->damaged += event->damaged;
}

void sn__servo_bus_step(sn__servo_bus *bus, int64_t now_ns) {
  sn_bus_event event;
  while (sn__bus_engine_step(&bus->engine, now_ns, &event)) {
    if (event.kind != SN_BUS_DONE && bus->asked != SN__ASK_GOALS) {
      count_trouble(bus, &event);
    }
    if (event.kind == SN_BUS_ANSWER) {
      take_answer(bus, &event, now_ns);
    } else if (event.kind == SN_BUS_MISSING && bus->asked != SN__ASK_PING) {
      if (now_ns < bus->end_ns) { /* an answer cut off by the end of the cycle is not missing */
        sn__servo_missed(bus, bus->asked_servos[event.item]);
      }
    } else if (event.kind == SN_BUS_DONE) {
      take_done(bus, &event, now_ns);
    }
  }
  if (bus->phase != SN__PHASES && sn__bus_engine_is_idle(&bus->engine) &&
      !sn__bus_ask_next(bus, now_ns)) {
    sn__bus_close_cycle(bus);
  }
}
