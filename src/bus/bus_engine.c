#include "bus/bus_engine.h"

#include <string.h>

#include "bus/bus_receive.h"
#include "sinew/fault.h"

enum { BITS_PER_BYTE = 10, ANSWER_DEFAULT_NS = 2000000, RETRIES_DEFAULT = 2, RETRIES_MAX = 10 };
enum { DUPLICATE_NS = 20000000 }; /* two servos with one id answer at about the same time */

void sn__bus_engine_init(sn_bus_engine *engine, const sn_bus_engine_config *config) {
  SN_ASSERT(config->protocol != NULL);
  SN_ASSERT(config->baud > 0);
  memset(engine, 0, sizeof *engine);
  engine->config = *config;
  if (config->answer_ns == 0) {
    engine->config.answer_ns = ANSWER_DEFAULT_NS;
  }
  engine->config.retries = config->retries == 0            ? RETRIES_DEFAULT
                           : config->retries < 0           ? 0
                           : config->retries > RETRIES_MAX ? RETRIES_MAX
                                                           : config->retries;
  engine->byte_ns = (BITS_PER_BYTE * INT64_C(1000000000) + config->baud - 1) / config->baud;
}

/* Bytes of all answers. */
static size_t reply_bytes(const sn_bus_engine *engine, const sn_bus_request *request) {
  const sn_bus_protocol *protocol = engine->config.protocol;
  const size_t replies = sn__bus_reply_count(protocol, request);
  size_t bytes = 0;
  for (size_t i = 0; i < replies; i++) {
    bytes += sn__bus_reply_size(protocol, request, i);
  }
  return bytes;
}

int64_t sn__bus_engine_duration_ns(const sn_bus_engine *engine, const sn_bus_request *request) {
  uint8_t out[SN_BUS_PACKET_MAX];
  const size_t count = engine->config.protocol->build(request, out, sizeof out);
  return count == 0 ? 0 : (int64_t)(count + reply_bytes(engine, request)) * engine->byte_ns;
}

static size_t written_size(const sn_bus_request *request) {
  size_t size = 0;
  const bool writes = request->kind == SN_BUS_WRITE || request->kind == SN_BUS_SYNC_WRITE ||
                      request->kind == SN_BUS_BULK_WRITE || request->kind == SN_BUS_JOG;
  for (size_t i = 0; writes && i < request->count; i++) {
    size += request->items[i].size;
  }
  return size;
}

/* Reject packets longer than any answer to this request. */
static size_t reply_size_max(const sn_bus_engine *engine) {
  size_t size_max = 0;
  const sn_bus_protocol *protocol = engine->config.protocol;
  for (size_t i = 0; i < engine->request.count; i++) {
    const size_t size = sn__bus_reply_size(protocol, &engine->request, i);
    size_max = size > size_max ? size : size_max;
  }
  return size_max + size_max / 3; /* Dynamixel's stuffing */
}

/* Puts engine->request on the wire. */
static bool send(sn_bus_engine *engine, int64_t now_ns) {
  engine->out_count =
      engine->config.protocol->build(&engine->request, engine->out, sizeof engine->out);
  if (engine->out_count == 0 || engine->out_count > engine->config.protocol->packet_max) {
    engine->state = SN_BUS_IDLE;
    return false;
  }
  engine->out_done = 0;
  engine->reply_max = reply_size_max(engine);
  engine->in_count = engine->in_used = 0;
  engine->echo_left = engine->echoes ? engine->out_count : 0;
  engine->may_echo = true;
  engine->is_spoilt = engine->is_broken = false;
  engine->next_item = 0;
  memset(engine->has_answered, 0, sizeof engine->has_answered);
  engine->active_ns = now_ns;
  engine->state = SN_BUS_SENDING;
  engine->stats.exchanges++;
  return true;
}

bool sn__bus_engine_begin(sn_bus_engine *engine, const sn_bus_request *request, int64_t now_ns,
                          int64_t until_ns) {
  const size_t size = request->count <= SN_BUS_ITEMS_MAX ? written_size(request) : SIZE_MAX;
  if (engine->state != SN_BUS_IDLE || size > sizeof engine->data ||
      !sn__bus_request_is_valid(engine->config.protocol, request)) {
    return false;
  }
  engine->request = *request;
  memcpy(engine->items, request->items, request->count * sizeof *engine->items);
  engine->request.items = engine->items;
  if (size > 0) {
    memcpy(engine->data, request->data, size);
  }
  engine->request.data = engine->data;
  for (size_t i = 0; i < request->count; i++) {
    engine->item_index[i] = i;
  }
  memset(engine->damaged_of, 0, sizeof engine->damaged_of);
  engine->answered = engine->reported = 0;
  engine->tries = 1;
  engine->until_ns = until_ns;
  engine->listens = false;
  return send(engine, now_ns);
}

bool sn__bus_engine_listen(sn_bus_engine *engine, const sn_bus_request *request, int64_t now_ns,
                           int64_t until_ns) {
  const bool begun = sn__bus_engine_begin(engine, request, now_ns, until_ns);
  engine->listens = begun;
  return begun;
}

const uint8_t *sn__bus_engine_output(const sn_bus_engine *engine, size_t *count) {
  *count = engine->state == SN_BUS_SENDING ? engine->out_count - engine->out_done : 0;
  return engine->out + engine->out_done;
}

void sn__bus_engine_wrote(sn_bus_engine *engine, size_t count, int64_t now_ns) {
  SN_ASSERT(engine->state == SN_BUS_SENDING);
  SN_ASSERT(count <= engine->out_count - engine->out_done);
  engine->out_done += count;
  engine->active_ns = now_ns;
  if (engine->out_done < engine->out_count) {
    return;
  }
  engine->sent_ns = now_ns + (int64_t)engine->out_count * engine->byte_ns;
  engine->active_ns = engine->sent_ns;
  engine->stats.sent_bytes += engine->out_count;
  engine->stats.busy_ns += (int64_t)engine->out_count * engine->byte_ns;
  engine->state = SN_BUS_WAITING;
}

void sn__bus_engine_input(sn_bus_engine *engine, const uint8_t *bytes, size_t count,
                          int64_t now_ns) {
  sn__bus_drop(engine, engine->in_used);
  engine->in_used = 0;
  engine->stats.received_bytes += count;
  if (engine->state == SN_BUS_IDLE ||
      (engine->state == SN_BUS_SENDING && engine->out_done == 0)) { /* nothing was sent yet */
    engine->stats.garbage_bytes += count;
    return;
  }
  const size_t room = sizeof engine->in - engine->in_count;
  const size_t taken = count < room ? count : room;
  engine->stats.garbage_bytes += count - taken;
  memcpy(engine->in + engine->in_count, bytes, taken);
  engine->in_count += taken;
  if (now_ns > engine->active_ns) {
    engine->active_ns = now_ns;
  }
}

static bool is_answered(const sn_bus_engine *engine) {
  if (engine->listens) {
    return false;
  }
  const size_t replies = sn__bus_reply_count(engine->config.protocol, &engine->request);
  /* Servos answer in order: after the last answer the remaining ones are missing. */
  return replies == 0 || engine->next_item == engine->request.count;
}

/* Keeps the items that have not answered. */
static size_t keep_missing(sn_bus_engine *engine) {
  size_t left = 0;
  for (size_t i = 0; i < engine->request.count; i++) {
    if (!engine->has_answered[i]) {
      engine->items[left] = engine->items[i];
      engine->item_index[left] = engine->item_index[i];
      left++;
    }
  }
  return left;
}

/* End of a try: retry the missing items, or finish. @return whether there is another try */
static bool try_again(sn_bus_engine *engine, int64_t now_ns) {
  if (engine->listens || sn__bus_reply_count(engine->config.protocol, &engine->request) == 0) {
    engine->request.count = 0;
    return false;
  }
  const size_t left = keep_missing(engine);
  engine->request.count = left;
  if (left == 0 || engine->tries > engine->config.retries ||
      engine->request.kind == SN_BUS_REBOOT) {
    return false;
  }
  const int64_t worst_ns =
      sn__bus_engine_duration_ns(engine, &engine->request) + engine->config.answer_ns;
  if (engine->until_ns - now_ns < worst_ns) {
    return false;
  }
  if (engine->request.kind == SN_BUS_FAST_SYNC_READ) {
    engine->request.kind =
        SN_BUS_SYNC_READ; /* one silent or outdated servo breaks a fast read for all */
  }
  engine->tries++;
  engine->stats.retries++;
  return send(engine, now_ns);
}

/* When unanswered items become missing: after enough silence on the line, or at the caller's
   deadline. */
static int64_t silence_end_ns(const sn_bus_engine *engine) {
  const bool waits_for_twin = engine->listens && engine->answered > 0 &&
                              engine->items[0].id != SN_BUS_BROADCAST &&
                              engine->config.answer_ns > DUPLICATE_NS;
  const int64_t silence_ns =
      engine->active_ns + (waits_for_twin ? DUPLICATE_NS : engine->config.answer_ns);
  if (engine->until_ns >= silence_ns) {
    return silence_ns;
  }
  return engine->until_ns > engine->sent_ns ? engine->until_ns : engine->sent_ns;
}

bool sn__bus_engine_step(sn_bus_engine *engine, int64_t now_ns, sn_bus_event *event) {
  sn__bus_drop(engine, engine->in_used);
  engine->in_used = 0;
  if (engine->state == SN_BUS_WAITING) {
    const bool is_silent = now_ns >= silence_end_ns(engine);
    if (sn__bus_next_answer(engine, now_ns, is_silent, event)) {
      return true;
    }
    /* A write without an answer ends with its last byte. */
    const bool is_over = is_answered(engine) && now_ns >= engine->sent_ns;
    if (!is_over && !is_silent) {
      return false;
    }
    if (try_again(engine, now_ns)) {
      return false;
    }
    engine->state = SN_BUS_ENDING;
  }
  if (engine->state != SN_BUS_ENDING) {
    return false;
  }
  if (engine->reported < engine->request.count) {
    const size_t item = engine->item_index[engine->reported++];
    *event = (sn_bus_event){.kind = SN_BUS_MISSING,
                            .item = item,
                            .tries = (unsigned)engine->tries,
                            .damaged = engine->damaged_of[item],
                            .answered = engine->answered};
    engine->stats.missing++;
    return true;
  }
  *event = (sn_bus_event){.kind = SN_BUS_DONE, .answered = engine->answered};
  engine->state = SN_BUS_IDLE;
  return true;
}

int64_t sn__bus_engine_wake_ns(const sn_bus_engine *engine) {
  switch (engine->state) {
    case SN_BUS_IDLE:
      return INT64_MAX;
    case SN_BUS_WAITING:
      return is_answered(engine) ? engine->sent_ns : silence_end_ns(engine);
    default:
      return engine->active_ns;
  }
}

bool sn__bus_engine_is_idle(const sn_bus_engine *engine) {
  return engine->state == SN_BUS_IDLE;
}

void sn__bus_engine_reset(sn_bus_engine *engine) {
  engine->state = SN_BUS_IDLE;
  engine->in_count = engine->in_used = engine->out_count = engine->out_done = 0;
  engine->echo_left = 0;
}
