#include "bus/bus_engine.h"
#include "sim/servo_sim.h"
#include "sn_test.h"

static const sn_bus_protocol *const protocols[] = {&sn_bus_dynamixel, &sn_bus_feetech,
                                                   &sn_bus_feetech, &sn_bus_herkulex};

typedef struct rig {
  servo_sim sim;
  sn_bus_engine engine;
  int64_t now_ns;
  size_t answered, missing, done;
  size_t answers_of[8], missing_of[8];
  uint8_t data[8][32];
  unsigned faults[8];
} rig;

static rig *rig_of(sim_kind kind, size_t servo_count) {
  static rig r;
  memset(&r, 0, sizeof r);
  servo_sim_init(&r.sim, kind, 1000000, 7);
  for (size_t i = 0; i < servo_count; i++) {
    servo_sim_add(&r.sim, (uint8_t)(1 + i), 1030)->q = 0.1 * (double)i;
  }
  sn__bus_engine_init(&r.engine,
                      &(sn_bus_engine_config){.protocol = protocols[kind], .baud = 1000000});
  return &r;
}

static void take_events(rig *r) {
  sn_bus_event event;
  while (sn__bus_engine_step(&r->engine, r->now_ns, &event)) {
    if (event.kind == SN_BUS_ANSWER) {
      r->answered++;
      if (event.item < 8) {
        r->answers_of[event.item]++;
        r->faults[event.item] = event.status.faults;
        memcpy(r->data[event.item], event.status.data,
               event.status.size < 32 ? event.status.size : 32);
      }
    } else if (event.kind == SN_BUS_MISSING) {
      r->missing++;
      r->missing_of[event.item]++;
    } else {
      r->done++;
    }
  }
}

/* Runs until the exchange has ended; the time jumps to the next event. */
static void run(rig *r) {
  r->answered = r->missing = r->done = 0;
  memset(r->answers_of, 0, sizeof r->answers_of);
  memset(r->missing_of, 0, sizeof r->missing_of);
  for (size_t i = 0; i < 100000 && r->done == 0; i++) {
    size_t count = 0;
    const uint8_t *out = sn__bus_engine_output(&r->engine, &count);
    if (count > 0) {
      servo_sim_receive(&r->sim, out, count, r->now_ns);
      sn__bus_engine_wrote(&r->engine, count, r->now_ns);
    }
    const int64_t in_ns = servo_sim_next_ns(&r->sim, 1);
    const int64_t wake_ns = sn__bus_engine_wake_ns(&r->engine);
    const int64_t next_ns = in_ns < wake_ns ? in_ns : wake_ns;
    r->now_ns = next_ns > r->now_ns && next_ns != INT64_MAX ? next_ns : r->now_ns;
    uint8_t bytes[64];
    const size_t got = servo_sim_transmit(&r->sim, r->now_ns, bytes, sizeof bytes);
    if (got > 0) {
      sn__bus_engine_input(&r->engine, bytes, got, r->now_ns);
    }
    take_events(r);
  }
  assert_int_equal(r->done, 1);
}

static void ask(rig *r, sn_bus_kind kind, const sn_bus_item *items, size_t count,
                const uint8_t *data) {
  const sn_bus_request request = {.kind = kind, .count = count, .items = items, .data = data};
  assert_true(sn__bus_engine_begin(&r->engine, &request, r->now_ns, INT64_MAX));
  run(r);
}

SN_TEST(every_family_answers_a_ping_and_a_read) {
  static const sn_bus_item state_block[] = {{2, 132, 4}, {2, 56, 2}, {2, 56, 2}, {2, 58, 2}};
  for (int kind = 0; kind < 4; kind++) {
    rig *r = rig_of((sim_kind)kind, 3);
    ask(r, SN_BUS_PING, &(sn_bus_item){3, 0, 0}, 1, NULL);
    assert_int_equal(r->answered, 1);
    ask(r, SN_BUS_READ, &state_block[kind], 1, NULL);
    assert_int_equal(r->answered, 1);
    const int raw = kind == SIM_FEETECH_SCS ? r->data[0][0] << 8 | r->data[0][1]
                                            : r->data[0][1] << 8 | r->data[0][0];
    assert_int_equal(raw, r->sim.servos[1].counts);
    assert_int_equal(r->engine.stats.retries, 0);
  }
}

SN_TEST(a_sync_read_brings_all_in_one_exchange) {
  for (int kind = 0; kind < 2; kind++) {
    rig *r = rig_of((sim_kind)kind, 8);
    sn_bus_item items[8];
    for (size_t i = 0; i < 8; i++) {
      items[i] = (sn_bus_item){(uint8_t)(1 + i), kind == 0 ? 132 : 56, kind == 0 ? 4 : 2};
    }
    ask(r, SN_BUS_SYNC_READ, items, 8, NULL);
    assert_int_equal(r->answered, 8);
    assert_int_equal(r->engine.stats.exchanges, 1);
    /* never ends before its bytes could have passed */
    const sn_bus_request request = {.kind = SN_BUS_SYNC_READ, .count = 8, .items = items};
    assert_true(r->now_ns >= sn__bus_engine_duration_ns(&r->engine, &request));
  }
}

/* A silent servo on a strict bus blocks those behind it: the others are asked again. */
SN_TEST(a_missing_servo_does_not_silence_the_others) {
  rig *r = rig_of(SIM_FEETECH_STS, 4);
  r->sim.servos[1].is_unplugged = true;
  r->sim.is_strict = false;
  sn_bus_item items[4];
  for (size_t i = 0; i < 4; i++) {
    items[i] = (sn_bus_item){(uint8_t)(1 + i), 56, 8};
  }
  ask(r, SN_BUS_SYNC_READ, items, 4, NULL);
  assert_int_equal(r->answered, 3);
  assert_int_equal(r->missing, 1);
  assert_int_equal(r->missing_of[1], 1);
  assert_int_equal(r->engine.stats.retries, 2); /* the bound */
}

SN_TEST(tries_are_bounded_in_number_and_time) {
  rig *r = rig_of(SIM_DYNAMIXEL, 0);
  ask(r, SN_BUS_PING, &(sn_bus_item){1, 0, 0}, 1, NULL);
  assert_int_equal(r->missing, 1);
  assert_int_equal(r->engine.stats.exchanges, 3);
  const sn_bus_request request = {
      .kind = SN_BUS_PING, .count = 1, .items = &(sn_bus_item){1, 0, 0}};
  assert_true(sn__bus_engine_begin(&r->engine, &request, r->now_ns, r->now_ns + 2000000));
  const int64_t until_ns = r->now_ns + 2000000;
  run(r); /* no time for another try */
  assert_int_equal(r->engine.stats.exchanges, 4);
  assert_true(r->now_ns <= until_ns);
}

SN_TEST(an_echo_is_not_an_answer) {
  for (int kind = 0; kind < 4; kind++) {
    rig *r = rig_of((sim_kind)kind, 1);
    r->sim.echoes = true;
    for (size_t i = 0; i < 3; i++) {
      /* Feetech: the echo of this request looks like its answer: same id, same length */
      ask(r, SN_BUS_READ, &(sn_bus_item){1, 56, 2}, 1, NULL);
      assert_int_equal(r->answered, 1);
    }
    assert_true(r->engine.stats.echo_bytes > 0);
    r->sim.servos[0].is_unplugged = true;
    ask(r, SN_BUS_READ, &(sn_bus_item){1, 56, 2}, 1, NULL);
    assert_int_equal(r->answered, 0);
  }
}

SN_TEST(an_answer_with_the_wrong_id_is_not_accepted) {
  for (int kind = 0; kind < 4; kind++) {
    rig *r = rig_of((sim_kind)kind, 2);
    r->sim.servos[0].answers_as = 2;
    ask(r, SN_BUS_READ, &(sn_bus_item){1, 58, 2}, 1, NULL);
    assert_int_equal(r->answered, 0);
    assert_int_equal(r->missing, 1);
    assert_true(r->engine.stats.strays > 0);
  }
}

SN_TEST(faults_come_with_the_answer) {
  static const struct {
    uint8_t faults;
    unsigned expected;
  } cases[4][2] = {{{0x20, SN_SERVO_FAULT_ALERT}, {0x04, SN_SERVO_FAULT_ALERT}},
                   {{0x20, SN_SERVO_FAULT_OVERLOAD}, {0x04, SN_SERVO_FAULT_TEMPERATURE}},
                   {{0x20, SN_SERVO_FAULT_OVERLOAD}, {0x01, SN_SERVO_FAULT_VOLTAGE}},
                   {{0x10, SN_SERVO_FAULT_OVERLOAD}, {0x04, SN_SERVO_FAULT_TEMPERATURE}}};
  for (int kind = 0; kind < 4; kind++) {
    for (size_t i = 0; i < 2; i++) {
      rig *r = rig_of((sim_kind)kind, 1);
      r->sim.servos[0].faults = cases[kind][i].faults;
      ask(r, SN_BUS_READ, &(sn_bus_item){1, 58, 2}, 1, NULL);
      assert_int_equal(r->answered, 1);
      assert_int_equal(r->faults[0], cases[kind][i].expected);
    }
  }
}

SN_TEST(listening_finds_every_servo_of_a_broadcast) {
  rig *r = rig_of(SIM_DYNAMIXEL, 6);
  const sn_bus_request request = {
      .kind = SN_BUS_PING, .count = 1, .items = &(sn_bus_item){SN_BUS_BROADCAST, 0, 0}};
  assert_true(sn__bus_engine_listen(&r->engine, &request, r->now_ns, INT64_MAX));
  run(r);
  assert_int_equal(r->answered, 6);
}

SN_TEST(two_servos_with_one_id_are_noticed) {
  for (int kind = 0; kind < 4; kind++) {
    rig *r = rig_of((sim_kind)kind, 2);
    r->sim.servos[1].id = 1;
    r->sim.servos[1].delay_ns = 900000; /* one after the other */
    const sn_bus_request request = {
        .kind = SN_BUS_PING, .count = 1, .items = &(sn_bus_item){1, 0, 0}};
    assert_true(sn__bus_engine_listen(&r->engine, &request, r->now_ns, INT64_MAX));
    run(r);
    assert_int_equal(r->answered, 2);
    r->sim.servos[1].delay_ns = r->sim.servos[0].delay_ns + 25000; /* at the same time */
    assert_true(sn__bus_engine_listen(&r->engine, &request, r->now_ns, INT64_MAX));
    run(r);
    assert_true(r->answered != 1 || r->engine.stats.garbage_bytes > 0);
  }
}

SN_TEST(unrequested_bytes_are_dropped) {
  rig *r = rig_of(SIM_FEETECH_STS, 1);
  uint8_t noise[3000];
  memset(noise, 0xFF, sizeof noise);
  sn__bus_engine_input(&r->engine, noise, sizeof noise, 0); /* while idle */
  ask(r, SN_BUS_READ, &(sn_bus_item){1, 56, 2}, 1, NULL);
  assert_int_equal(r->answered, 1);
  /* while it waits: more bytes than fit */
  const sn_bus_request request = {
      .kind = SN_BUS_READ, .count = 1, .items = &(sn_bus_item){1, 56, 2}};
  assert_true(sn__bus_engine_begin(&r->engine, &request, r->now_ns, INT64_MAX));
  size_t count = 0;
  (void)sn__bus_engine_output(&r->engine, &count);
  sn__bus_engine_wrote(&r->engine, count, r->now_ns);
  sn__bus_engine_input(&r->engine, noise, sizeof noise, r->now_ns);
  r->now_ns += 10000000;
  run(r); /* asked again, answered */
  assert_int_equal(r->answered, 1);
}
