/* Bus protocols: random requests, damaged and foreign packets. */
#include "bus_protocol_rig.h"
#include "sinew/random.h"
#include "sn_test.h"

static uint8_t likely_byte(sn_random *r) { /* favours headers and stuffing */
  static const uint8_t often[] = {0xFF, 0xFF, 0xFF, 0xFD, 0xFD, 0x00};
  return sn_random_below(r, 2) == 0 ? often[sn_random_below(r, sizeof often)]
                                    : (uint8_t)sn_random_below(r, 256);
}

/* Packets with any bytes pass from one side to the other. */
SN_TEST(random_writes_reach_the_servo) {
  sn_random r;
  sn_random_init(&r, 1);
  for (size_t n = 0; n < sn_test_cases(20000); n++) {
    const wire_family family = (wire_family)(n % 3);
    uint8_t data[24], out[SN_BUS_PACKET_MAX];
    const sn_bus_item item = {(uint8_t)sn_random_below(&r, 253), (uint16_t)sn_random_below(&r, 64),
                              (uint16_t)(1 + sn_random_below(&r, sizeof data))};
    for (size_t i = 0; i < item.size; i++) {
      data[i] = likely_byte(&r);
    }
    const sn_bus_request request = {.kind = SN_BUS_WRITE, .count = 1, .items = &item, .data = data};
    const size_t count = bus_protocol_protocols[family]->build(&request, out, sizeof out);
    wire_request found;
    size_t used = 0;
    assert_true(wire_read(family, out, count, &used, &found));
    assert_int_equal(used, count);
    assert_int_equal(found.id, item.id);
    const size_t before = family == WIRE_FEETECH ? 1 : 2;
    assert_int_equal(found.params[0], item.address);
    assert_int_equal(found.count, before + item.size);
    assert_memory_equal(found.params + before, data, item.size);
  }
}

/* Answers between garbage: exactly these are found. */
SN_TEST(answers_are_found_in_garbage) {
  sn_random r;
  sn_random_init(&r, 2);
  for (size_t n = 0; n < sn_test_cases(20000); n++) {
    const wire_family family = (wire_family)(n % 3);
    const sn_bus_protocol *protocol = bus_protocol_protocols[family];
    uint8_t bytes[256], data[16];
    size_t count = 0;
    const size_t garbage = sn_random_below(&r, 40);
    for (size_t i = 0; i < garbage; i++) {
      bytes[count++] = (uint8_t)sn_random_below(&r, 255); /* no FF: the header must stay findable */
    }
    const size_t size = 1 + sn_random_below(&r, 10);
    uint8_t params[18] = {0x30, (uint8_t)size};
    const size_t before = family == WIRE_HERKULEX ? 2 : 0;
    for (size_t i = 0; i < size; i++) {
      data[i] = params[before + i] = likely_byte(&r);
    }
    const uint8_t id = (uint8_t)sn_random_below(&r, 253);
    count += wire_write(family, id, 4, 0, 0, params, before + size, bytes + count);

    size_t found = 0, at = 0;
    while (at < count) {
      size_t used = 0;
      sn_bus_status status;
      const sn_bus_parse result =
          protocol->parse(bytes + at, count - at, SN_BUS_PACKET_MAX, &used, &status);
      if (result == SN_BUS_PACKET) {
        found++;
        assert_int_equal(status.id, id);
        assert_int_equal(status.size, size);
        assert_memory_equal(status.data, data, size);
      }
      at += result == SN_BUS_MORE ? 1 : used; /* as after a time-out */
    }
    assert_int_equal(found, 1);
  }
}

/* A packet with one wrong byte is never accepted. HerkuleX does not protect the lowest bit. */
SN_TEST(one_wrong_byte_is_never_accepted) {
  sn_random r;
  sn_random_init(&r, 3);
  for (size_t n = 0; n < sn_test_cases(30000); n++) {
    const wire_family family = (wire_family)(n % 3);
    uint8_t bytes[64], params[8] = {0x3A, 2};
    const size_t count_params = family == WIRE_HERKULEX ? 4 : 2;
    for (size_t i = count_params - 2; i < count_params; i++) {
      params[i] = (uint8_t)sn_random_below(&r, 256);
    }
    const size_t count = wire_write(family, 7, 4, 0, 0, params, count_params, bytes);
    const size_t at = sn_random_below(&r, count);
    const uint8_t change = (uint8_t)(1 + sn_random_below(&r, 255));
    if (family == WIRE_HERKULEX && change == 1) {
      continue;
    }
    bytes[at] ^= change;
    size_t used = 0;
    sn_bus_status status;
    assert_int_not_equal(
        bus_protocol_protocols[family]->parse(bytes, count, SN_BUS_PACKET_MAX, &used, &status),
        SN_BUS_PACKET);
  }
}

SN_TEST(oversized_and_undersized_packets_are_garbage) {
  static const char *const packets[][2] = {
      {"FF FF FD 00 01 03 00 55 19 4E 00", "FF FF FD 00 01 FF FF 55 00 00 00"},
      {"FF FF 01 01 00 FC", "FF FF 01 FF 00 FC"},
      {"FF FF 08 FD 44 C2 3C 35 01", "FF FF E9 FD 44 C2 3C 35 01"}};
  for (size_t family = 0; family < 3; family++) {
    for (size_t i = 0; i < 2; i++) {
      uint8_t bytes[32];
      const size_t count = bus_protocol_hex(packets[family][i], bytes);
      size_t used = 0;
      sn_bus_status status;
      assert_int_equal(bus_protocol_protocols[family]->parse(bytes, count, 64, &used, &status),
                       SN_BUS_GARBAGE);
      assert_int_equal(used, 1);
    }
  }
}

SN_TEST(an_answer_to_another_request_does_not_match) {
  const sn_bus_item items[] = {{1, 56, 2}, {2, 56, 2}};
  const sn_bus_request request = {.kind = SN_BUS_SYNC_READ, .count = 2, .items = items};
  const uint8_t data[] = {1, 2, 3};
  sn_bus_status status = {.id = 2, .data = data, .size = 2};
  assert_false(sn__bus_status_answers(&sn_bus_feetech, &request, 0, &status));
  assert_true(sn__bus_status_answers(&sn_bus_feetech, &request, 1, &status));
  status.size = 3; /* an answer to something else */
  assert_false(sn__bus_status_answers(&sn_bus_feetech, &request, 1, &status));
  status.size = 0; /* refused */
  assert_false(sn__bus_status_answers(&sn_bus_feetech, &request, 1, &status));
  status.faults = SN_SERVO_FAULT_REFUSED;
  assert_true(sn__bus_status_answers(&sn_bus_feetech, &request, 1, &status));
}

SN_TEST(herkulex_answers_for_its_registers_only) {
  const sn_bus_item item = {1, 58, 2};
  const sn_bus_request request = {.kind = SN_BUS_READ, .count = 1, .items = &item};
  const uint8_t data[] = {1, 2};
  sn_bus_status status = {.id = 1, .command = 0x44, .address = 58, .data = data, .size = 2};
  assert_true(sn__bus_status_answers(&sn_bus_herkulex, &request, 0, &status));
  status.address = 60;
  assert_false(sn__bus_status_answers(&sn_bus_herkulex, &request, 0, &status));
  status.address = 58;
  status.command = 0x42;
  assert_false(sn__bus_status_answers(&sn_bus_herkulex, &request, 0, &status));
}

SN_TEST(invalid_requests_are_not_built) {
  uint8_t out[SN_BUS_PACKET_MAX];
  const uint8_t data[600] = {0};
  sn_bus_item items[SN_BUS_ITEMS_MAX + 1] = {{1, 10, 2}, {2, 11, 2}};
  const sn_bus_request bad[] = {
      {.kind = SN_BUS_SYNC_READ, .count = 2, .items = items}, /* two addresses */
      {.kind = SN_BUS_READ, .count = 2, .items = items},      /* two servos */
      {.kind = SN_BUS_READ, .count = 0, .items = items},      /* none */
      {.kind = (sn_bus_kind)77, .count = 1, .items = items},  /* invalid kind */
      {.kind = SN_BUS_READ, .count = 1, .items = &(sn_bus_item){255, 1, 1}},
      {.kind = SN_BUS_READ, .count = 1, .items = &(sn_bus_item){1, 1, 0}},
      {.kind = SN_BUS_WRITE, .count = 1, .items = &(sn_bus_item){1, 1, 512}, .data = data},
      {.kind = SN_BUS_SYNC_READ, .count = SN_BUS_ITEMS_MAX + 1, .items = items}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    for (size_t family = 0; family < 3; family++) {
      assert_int_equal(bus_protocol_protocols[family]->build(&bad[i], out, sizeof out), 0);
    }
  }
  for (size_t size = 0; size < 16;
       size++) { /* too small: returns 0 and does not write past the end */
    const sn_bus_request request = {
        .kind = SN_BUS_WRITE, .count = 1, .items = &(sn_bus_item){1, 1, 8}, .data = data};
    for (size_t family = 0; family < 3; family++) {
      memset(out, 0xEE, sizeof out);
      const size_t count = bus_protocol_protocols[family]->build(&request, out, size);
      assert_true(count <= size);
      assert_int_equal(out[size], 0xEE);
    }
  }
  assert_int_equal(
      sn_bus_feetech.build(&(sn_bus_request){.kind = SN_BUS_JOG, .count = 1, .items = items}, out,
                           sizeof out),
      0);
}
