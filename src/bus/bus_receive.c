#include "bus/bus_receive.h"

#include <string.h>

void sn__bus_drop(sn_bus_engine *engine, size_t count) {
  memmove(engine->in, engine->in + count, engine->in_count - count);
  engine->in_count -= count;
}

/* An adapter that joins the two data lines receives its own bytes. The echo precedes any answer, so
   it is recognised by comparing bytes; after that it is only counted, since a byte may be damaged.
   @return whether the input may be the beginning of an echo */
static bool drop_echo(sn_bus_engine *engine) {
  if (engine->may_echo && !engine->echoes) {
    const size_t count =
        engine->in_count < engine->out_count ? engine->in_count : engine->out_count;
    engine->may_echo = memcmp(engine->in, engine->out, count) == 0;
    if (engine->may_echo && count < engine->out_count) {
      return true;
    }
    engine->echoes = engine->may_echo;
    engine->echo_left = engine->echoes ? engine->out_count : 0;
  }
  const size_t count = engine->echo_left < engine->in_count ? engine->echo_left : engine->in_count;
  engine->echo_left -= count;
  engine->stats.echo_bytes += count;
  sn__bus_drop(engine, count);
  return false;
}

/* The first unanswered item, from the next on, that this answer fits. Servos answer in order. */
static size_t item_of(const sn_bus_engine *engine, const sn_bus_status *status) {
  const size_t first = engine->listens ? 0 : engine->next_item;
  for (size_t i = first; i < engine->request.count; i++) {
    if (sn__bus_status_answers(engine->config.protocol, &engine->request, i, status)) {
      return i;
    }
  }
  return SIZE_MAX;
}

/* Item `item` of the request has answered: event->status. */
static void take_answer(sn_bus_engine *engine, size_t item, int64_t now_ns, sn_bus_event *event) {
  engine->has_answered[item] = true;
  engine->next_item = item + 1;
  engine->answered++;
  engine->stats.answers++;
  const int64_t latency_ns = now_ns > engine->sent_ns ? now_ns - engine->sent_ns : 0;
  engine->stats.latency_sum_ns += latency_ns;
  if (latency_ns > engine->stats.latency_max_ns) {
    engine->stats.latency_max_ns = latency_ns;
  }
  event->kind = SN_BUS_ANSWER;
  event->item = engine->item_index[item];
  event->tries = (unsigned)engine->tries;
  event->damaged = engine->damaged_of[event->item];
  event->answered = engine->answered;
}

static bool take_packet(sn_bus_engine *engine, int64_t now_ns, sn_bus_event *event) {
  const size_t item = item_of(engine, &event->status);
  if (item == SIZE_MAX || sn__bus_reply_count(engine->config.protocol, &engine->request) == 0) {
    const size_t next = engine->next_item < engine->request.count ? engine->next_item : 0;
    engine->stats.strays++;
    engine->stray_id = event->status.id;
    engine->stray_for = engine->items[next].id;
    return false;
  }
  take_answer(engine, item, now_ns, event);
  return true;
}

/* The sender of a damaged packet is unknown: attribute it to the servo whose turn it is. */
static void count_damage(sn_bus_engine *engine) {
  engine->stats.damaged++;
  if (engine->next_item < engine->request.count) {
    engine->damaged_of[engine->item_index[engine->next_item]]++;
  }
}

static void count_garbage(sn_bus_engine *engine, size_t count) {
  engine->stats.spoilt += engine->is_spoilt || count == 0 ? 0 : 1;
  engine->is_spoilt = count > 0;
  engine->stats.garbage_bytes += count;
}

/* The next part of the packet that answers a fast sync read. Its bytes are kept until the end:
   every CRC covers all bytes from the first. */
static bool next_part(sn_bus_engine *engine, int64_t now_ns, sn_bus_event *event) {
  const sn_bus_request *request = &engine->request;
  while (engine->in_count > 0 && engine->next_item < request->count && !engine->is_broken) {
    const size_t part = engine->next_item;
    const sn_bus_parse result = engine->config.protocol->parse_part(
        request, part, engine->in, engine->in_count, &event->status);
    if (result == SN_BUS_MORE) {
      return false;
    }
    if (result == SN_BUS_PACKET) {
      engine->is_spoilt = false;
      engine->stats.busy_ns +=
          (int64_t)sn__bus_reply_size(engine->config.protocol, request, part) * engine->byte_ns;
      take_answer(engine, part, now_ns, event);
      return true;
    }
    if (result == SN_BUS_CHECKSUM) {
      count_damage(engine);
      engine->is_broken = true;
    } else {
      count_garbage(engine, 1);
      sn__bus_drop(engine, 1);
    }
  }
  if (engine->is_broken) { /* discard until the line is silent */
    count_garbage(engine, engine->in_count);
    sn__bus_drop(engine, engine->in_count);
  }
  return false;
}

bool sn__bus_next_answer(sn_bus_engine *engine, int64_t now_ns, bool is_last, sn_bus_event *event) {
  if (drop_echo(engine) && !is_last) {
    return false;
  }
  if (engine->request.kind == SN_BUS_FAST_SYNC_READ) {
    return next_part(engine, now_ns, event);
  }
  size_t at = 0;
  bool found = false;
  while (!found && at < engine->in_count) {
    size_t used = 0;
    const sn_bus_parse result = engine->config.protocol->parse(
        engine->in + at, engine->in_count - at, engine->reply_max, &used, &event->status);
    if (result == SN_BUS_MORE && !is_last) {
      break;
    }
    if (result == SN_BUS_PACKET) {
      engine->is_spoilt = false;
      engine->stats.busy_ns += (int64_t)used * engine->byte_ns;
      found = take_packet(engine, now_ns, event);
    } else {
      used = 1;
      count_garbage(engine, 1);
      if (result == SN_BUS_CHECKSUM) {
        count_damage(engine);
      }
    }
    at += used;
  }
  if (found) {
    engine->in_used = at; /* the event points into it */
  } else {
    sn__bus_drop(engine, at);
  }
  return found;
}
