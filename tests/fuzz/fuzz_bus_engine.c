/* Input decides what arrives on a line at any time, in pieces, with wrong lengths and ids, while an
   engine asks one thing, or a bus drives four servos. Some of it is given the right checksum, or it
   would never get far.

   Whatever it is: every servo that was asked answers or is missing, once; what is taken for an
   answer is one; an exchange ends in its time; and no goal jumps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bus/bus_engine.h"
#include "bus/families/servo_bus.h"
#include "bus/families/servo_link.h"
#include "fuzz_input.h"
#include "sinew/arena.h"
#include "sinew/fault.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SERVOS = 4, ANSWER_NS = 500000, PERIOD_NS = 5000000, CYCLES_MAX = 60 };

static const char *const families[] = {"dynamixel", "feetech_sts", "feetech_scs", "herkulex"};
static const double VELOCITY_MAX = 4.0;

/* ---- right checksums, each in its own way ---- */

static size_t seal_dynamixel(uint8_t *p, size_t size) {
  unsigned crc = 0;
  memcpy(p, (const uint8_t[]){0xFF, 0xFF, 0xFD, 0x00}, 4);
  p[5] = (uint8_t)(size - 7);
  p[6] = 0;
  p[7] = 0x55;
  for (size_t bit = 0; bit < 8 * (size - 2); bit++) {
    const unsigned in = p[bit / 8] >> (7 - bit % 8) & 1u;
    crc = (crc << 1 & 0xFFFFu) ^ ((crc >> 15 & 1u) != in ? 0x8005u : 0u);
  }
  p[size - 2] = (uint8_t)(crc & 0xFF);
  p[size - 1] = (uint8_t)(crc >> 8);
  return size;
}

static size_t seal_feetech(uint8_t *p, size_t size) {
  unsigned sum = 0;
  p[0] = p[1] = 0xFF;
  p[3] = (uint8_t)(size - 4);
  for (size_t i = 2; i + 1 < size; i++) {
    sum += p[i];
  }
  p[size - 1] = (uint8_t)(255u - sum % 256u);
  return size;
}

static size_t seal_herkulex(uint8_t *p, size_t size) {
  unsigned sum = 0;
  p[0] = p[1] = 0xFF;
  p[2] = (uint8_t)size;
  for (size_t i = 2; i < size; i++) {
    sum ^= i == 5 || i == 6 ? 0u : p[i];
  }
  p[5] = (uint8_t)(sum & 0xFE);
  p[6] = (uint8_t)(p[5] ^ 0xFE);
  return size;
}

/* Up to 40 bytes of the fuzz_input, as they are or as a packet with the right checksum. */
static size_t bytes_of(fuzz_input *s, const sn_bus_protocol *protocol, uint8_t *out) {
  const uint8_t how = next(s);
  const size_t size = how % 41;
  for (size_t i = 0; i < size; i++) {
    out[i] = next(s);
  }
  if (how < 128 || size < protocol->status_size) {
    return size;
  }
  return (protocol == &sn_bus_dynamixel ? seal_dynamixel
          : protocol == &sn_bus_feetech ? seal_feetech
                                        : seal_herkulex)(out, size);
}

/* Moves the bytes: out as many as the port likes to take, in whatever the input decides. */
static void pass_bytes(fuzz_input *s, sn_bus_engine *engine, int64_t now_ns) {
  size_t count = 0;
  (void)sn__bus_engine_output(engine, &count);
  if (count > 0) {
    const uint8_t taken = next(s);
    sn__bus_engine_wrote(engine, taken == 0 || taken > count ? count : taken, now_ns);
  }
  uint8_t bytes[41];
  const size_t got = bytes_of(s, engine->config.protocol, bytes);
  sn__bus_engine_input(engine, bytes, got, now_ns);
}

/* ---- one exchange ---- */

static sn_bus_request request_of(fuzz_input *s, const sn_bus_protocol *protocol, sn_bus_item *items,
                                 const uint8_t *data) {
  const sn_bus_kind kind = (sn_bus_kind)(next(s) % (SN_BUS_REBOOT + 1));
  const size_t count = 1 + next(s) % SERVOS;
  const uint16_t address = next(s), size = 1 + next(s) % 12;
  for (size_t i = 0; i < count; i++) {
    items[i] = (sn_bus_item){(uint8_t)(1 + i), address, kind == SN_BUS_JOG ? 3 : size};
  }
  (void)protocol;
  return (sn_bus_request){.kind = kind, .count = count, .items = items, .data = data};
}

static void check_answer(const sn_bus_engine *engine, const sn_bus_request *request,
                         const sn_bus_event *event) {
  const sn_bus_status *status = &event->status;
  SN_ASSERT(event->item < request->count);
  SN_ASSERT(status->id == request->items[event->item].id);
  SN_ASSERT(status->size == 0 || (status->data >= engine->in &&
                                  status->data + status->size <= engine->in + sizeof engine->in));
  const bool is_read = request->kind == SN_BUS_READ || request->kind == SN_BUS_SYNC_READ ||
                       request->kind == SN_BUS_FAST_SYNC_READ || request->kind == SN_BUS_BULK_READ;
  SN_ASSERT(!is_read || status->size == request->items[event->item].size || status->size == 0);
}

static void exchange(fuzz_input *s, const sn_bus_protocol *protocol, bool listens) {
  static const uint8_t data[64];
  sn_bus_engine engine;
  sn_bus_item items[SERVOS];
  sn__bus_engine_init(&engine, &(sn_bus_engine_config){
                                   .protocol = protocol, .baud = 1000000, .answer_ns = ANSWER_NS});
  const sn_bus_request request = request_of(s, protocol, items, data);
  int64_t now_ns = 0;
  const int64_t until_ns = 20 * ANSWER_NS;
  if (!(listens ? sn__bus_engine_listen : sn__bus_engine_begin)(&engine, &request, now_ns,
                                                                until_ns)) {
    return;
  }
  size_t reported[SERVOS] = {0}, answers = 0, missing = 0, done = 0;
  while (done == 0) {
    pass_bytes(s, &engine, now_ns);
    sn_bus_event event;
    for (size_t n = 0; n < 200 && sn__bus_engine_step(&engine, now_ns, &event); n++) {
      if (event.kind == SN_BUS_ANSWER) {
        check_answer(&engine, &request, &event);
        answers++;
      }
      missing += event.kind == SN_BUS_MISSING;
      done += event.kind == SN_BUS_DONE;
      if (event.kind != SN_BUS_DONE) {
        SN_ASSERT(event.item < request.count);
        reported[event.item]++;
        SN_ASSERT(reported[event.item] == 1 || listens);
      }
    }
    SN_ASSERT(now_ns <= until_ns + 512 * 10000 + ANSWER_NS); /* its last byte, and no more */
    now_ns += s->size == 0 ? 200000 : 1000 * (int64_t)next(s) + 20000;
  }
  SN_ASSERT(done == 1 && sn__bus_engine_is_idle(&engine));
  SN_ASSERT(listens || answers + missing == sn__bus_reply_count(protocol, &request));
}

/* ---- a bus ---- */

static sn__servo_bus *create(sn_arena *arena, const sn_servo_family *family, bool is_noisy) {
  sn__servo_mount mounts[SERVOS];
  for (size_t i = 0; i < SERVOS; i++) {
    mounts[i] = (sn__servo_mount){.id = (uint8_t)(1 + i),
                                  .direction = 1,
                                  .zero = family->counts_centre,
                                  .gear = 1.0,
                                  .goal_min = -1.0,
                                  .goal_max = 1.0,
                                  .velocity_max = VELOCITY_MAX,
                                  .torque_limit = 1.0};
  }
  const sn__servo_bus_config config = {.family = family,
                                       .baud = 1000000,
                                       .answer_ns = ANSWER_NS,
                                       .period_ns = PERIOD_NS,
                                       .servos = mounts,
                                       .count = SERVOS,
                                       .temperature_max = 70.0};
  sn__servo_bus *bus = NULL;
  SN_ASSERT(sn__servo_bus_create(arena, &config, &bus, NULL) == SN_OK);
  bus->byte_error = is_noisy ? 0.01 : 0.0;
  sn__servo_bus_arm(bus, true);
  return bus;
}

static void check_bus(const sn__servo_bus *bus, const double *sent, const bool *held) {
  for (size_t i = 0; i < SERVOS; i++) {
    const sn__servo *servo = &bus->servos[i];
    const sn__servo_state state = sn__servo_bus_state(bus, i);
    SN_ASSERT(state.link <= SN__LINK_RELEASE);
    SN_ASSERT(isfinite(state.q) && isfinite(state.qd) && isfinite(state.load));
    SN_ASSERT(!state.has_position || fabs(state.qd) <= 1e3 * VELOCITY_MAX);
    if (held[i] && state.link == SN__LINK_HOLD) {
      SN_ASSERT(fabs(servo->sent - sent[i]) <= VELOCITY_MAX * 1e-9 * PERIOD_NS + 1e-12);
    }
  }
}

static void drive(fuzz_input *s, const sn_servo_family *family, bool is_noisy) {
  static char memory[65536];
  sn_arena arena;
  sn_arena_init(&arena, "fuzz", memory, sizeof memory);
  sn__servo_bus *bus = create(&arena, family, is_noisy);
  int64_t now_ns = 0;
  for (size_t n = 0; n < CYCLES_MAX && s->size > 0; n++) {
    double sent[SERVOS];
    bool held[SERVOS];
    for (size_t i = 0; i < SERVOS; i++) {
      sent[i] = bus->servos[i].sent;
      held[i] = bus->servos[i].state.link == SN__LINK_HOLD;
      sn__servo_bus_goal(bus, i, (next(s) - 128) / 64.0, false);
    }
    const int64_t end_ns = now_ns + PERIOD_NS;
    sn__servo_bus_cycle(bus, now_ns);
    sn__servo_bus_step(bus, now_ns);
    while (!sn__servo_bus_is_over(bus)) {
      pass_bytes(s, &bus->engine, now_ns);
      sn__servo_bus_step(bus, now_ns);
      SN_ASSERT(now_ns <= end_ns + 512 * 10000 + ANSWER_NS);
      now_ns += s->size == 0 ? 200000 : 4000 * (int64_t)next(s) + 20000;
    }
    check_bus(bus, sent, held);
    sn__servo_event event;
    while (sn__servo_bus_next_event(bus, &event)) {
      SN_ASSERT(event.servo < SERVOS);
    }
    now_ns = now_ns > end_ns ? now_ns : end_ns;
    if (next(s) == 255) {
      sn__servo_bus_lost(bus, now_ns);
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_input s = {data, size};
  const uint8_t how = next(&s);
  const sn_servo_family *family = sn__servo_family_find(families[how % 4]);
  if ((how & 4) != 0) {
    drive(&s, family, (how & 8) != 0);
  } else {
    exchange(&s, family->protocol, (how & 8) != 0);
  }
  return 0;
}
