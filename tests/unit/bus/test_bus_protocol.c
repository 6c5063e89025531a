/* Packets as the makers print them:
   - ROBOTIS e-Manual, "DYNAMIXEL Protocol 2.0", chapter "Instruction Details"
   - Feetech, "SCS Communication Protocol" manual, examples 1 to 8
   - Dongbu Robot, "HerkuleX Manual" (DRS-0101/DRS-0201), chapter 6 "Command Examples"
   Both sides are compared with them: the packets of the library, and those of the simulated servo
   (servo_wire.c). */
#include "bus_protocol_rig.h"
#include "sn_test.h"

static void check_bytes(const uint8_t *bytes, size_t count, const char *expected) {
  uint8_t want[SN_BUS_PACKET_MAX];
  assert_int_equal(count, bus_protocol_hex(expected, want));
  assert_memory_equal(bytes, want, count);
}

static const printed_request requests[] = {
    {WIRE_DYNAMIXEL, SN_BUS_PING, {{1, 0, 0}}, 1, "", 0, "FF FF FD 00 01 03 00 01 19 4E"},
    {WIRE_DYNAMIXEL, SN_BUS_PING, {{254, 0, 0}}, 1, "", 0, "FF FF FD 00 FE 03 00 01 31 42"},
    {WIRE_DYNAMIXEL,
     SN_BUS_READ,
     {{1, 132, 4}},
     1,
     "",
     0,
     "FF FF FD 00 01 07 00 02 84 00 04 00 1D 15"},
    {WIRE_DYNAMIXEL,
     SN_BUS_WRITE,
     {{1, 116, 4}},
     1,
     "00 02 00 00",
     0,
     "FF FF FD 00 01 09 00 03 74 00 00 02 00 00 CA 89"},
    {WIRE_DYNAMIXEL, SN_BUS_REBOOT, {{1, 0, 0}}, 1, "", 0, "FF FF FD 00 01 03 00 08 2F 4E"},
    {WIRE_DYNAMIXEL,
     SN_BUS_SYNC_READ,
     {{1, 132, 4}, {2, 132, 4}},
     2,
     "",
     0,
     "FF FF FD 00 FE 09 00 82 84 00 04 00 01 02 CE FA"},
    {WIRE_DYNAMIXEL,
     SN_BUS_SYNC_WRITE,
     {{1, 116, 4}, {2, 116, 4}},
     2,
     "96 00 00 00 AA 00 00 00",
     0,
     "FF FF FD 00 FE 11 00 83 74 00 04 00 01 96 00 00 00 02 AA 00 00 00 82 87"},
    {WIRE_DYNAMIXEL,
     SN_BUS_BULK_READ,
     {{1, 144, 2}, {2, 146, 1}},
     2,
     "",
     0,
     "FF FF FD 00 FE 0D 00 92 01 90 00 02 00 02 92 00 01 00 1A 05"},
    {WIRE_DYNAMIXEL,
     SN_BUS_FAST_SYNC_READ,
     {{3, 132, 4}, {7, 132, 4}, {4, 132, 4}},
     3,
     "",
     0,
     "FF FF FD 00 FE 0A 00 8A 84 00 04 00 03 07 04 20 F2"},
    {WIRE_DYNAMIXEL,
     SN_BUS_BULK_WRITE,
     {{1, 32, 2}, {2, 31, 1}},
     2,
     "A0 00 50",
     0,
     "FF FF FD 00 FE 10 00 93 01 20 00 02 00 A0 00 02 1F 00 01 00 50 B7 68"},
    {WIRE_FEETECH, SN_BUS_PING, {{1, 0, 0}}, 1, "", 0, "FF FF 01 02 01 FB"},
    {WIRE_FEETECH, SN_BUS_READ, {{1, 0x38, 2}}, 1, "", 0, "FF FF 01 04 02 38 02 BE"},
    {WIRE_FEETECH,
     SN_BUS_WRITE,
     {{1, 0x2A, 6}},
     1,
     "00 08 00 00 E8 03",
     0,
     "FF FF 01 09 03 2A 00 08 00 00 E8 03 D5"},
    {WIRE_FEETECH,
     SN_BUS_SYNC_WRITE,
     {{1, 0x2A, 6}, {2, 0x2A, 6}, {3, 0x2A, 6}, {4, 0x2A, 6}},
     4,
     "00 08 00 00 E8 03 00 08 00 00 E8 03 00 08 00 00 E8 03 00 08 00 00 E8 03",
     0,
     "FF FF FE 20 83 2A 06 01 00 08 00 00 E8 03 02 00 08 00 00 E8 03 "
     "03 00 08 00 00 E8 03 04 00 08 00 00 E8 03 58"},
    {WIRE_FEETECH,
     SN_BUS_SYNC_READ,
     {{1, 0x38, 8}, {2, 0x38, 8}},
     2,
     "",
     0,
     "FF FF FE 06 82 38 08 01 02 36"},
    {WIRE_HERKULEX,
     SN_BUS_READ,
     {{253, SN_BUS_EEP + 0x1E, 4}},
     1,
     "",
     0,
     "FF FF 09 FD 02 EC 12 1E 04"},
    {WIRE_HERKULEX,
     SN_BUS_WRITE,
     {{253, SN_BUS_EEP + 0x1E, 4}},
     1,
     "C8 00 E8 03",
     0,
     "FF FF 0D FD 01 C8 36 1E 04 C8 00 E8 03"},
    {WIRE_HERKULEX, SN_BUS_WRITE, {{253, 0x35, 1}}, 1, "01", 0, "FF FF 0A FD 03 C0 3E 35 01 01"},
    {WIRE_HERKULEX,
     SN_BUS_WRITE,
     {{253, 0x30, 2}},
     1,
     "00 00",
     0,
     "FF FF 0B FD 03 C6 38 30 02 00 00"},
    {WIRE_HERKULEX, SN_BUS_WRITE, {{253, 0x34, 1}}, 1, "60", 0, "FF FF 0A FD 03 A0 5E 34 01 60"},
    {WIRE_HERKULEX, SN_BUS_READ, {{253, 0x35, 1}}, 1, "", 0, "FF FF 09 FD 04 C4 3A 35 01"},
};

#define REQUEST_COUNT (sizeof requests / sizeof *requests)

SN_TEST(requests_are_the_manuals_packets) {
  for (size_t i = 0; i < REQUEST_COUNT; i++) {
    uint8_t out[SN_BUS_PACKET_MAX];
    const size_t count = bus_protocol_build(&requests[i], out, sizeof out);
    check_bytes(out, count, requests[i].packet);
  }
}

/* The manual's example of S_JOG is addressed to one servo, ours to all: the bytes differ in the id
   and what follows for the checksums, 0x03 of exclusive or. */
SN_TEST(jog_is_the_manuals_packet_to_all) {
  uint8_t out[SN_BUS_PACKET_MAX];
  const uint8_t data[] = {0x00, 0x02, 0x04};
  const sn_bus_item item = {0xFD, 0, 3};
  const sn_bus_request request = {
      .kind = SN_BUS_JOG, .count = 1, .items = &item, .data = data, .play_time = 0x3C};
  const size_t count = sn_bus_herkulex.build(&request, out, sizeof out);
  assert_int_equal(out[3], SN_BUS_BROADCAST);
  const uint8_t checksum = out[5] ^ (0xFE ^ 0xFD);
  out[3] = 0xFD;
  out[5] = checksum & 0xFE;
  out[6] = (uint8_t)(~out[5] & 0xFE);
  check_bytes(out, count, "FF FF 0C FD 06 30 CE 3C 00 02 04 FD");
}

SN_TEST(servo_reads_the_manuals_requests) {
  for (size_t i = 0; i < REQUEST_COUNT; i++) {
    uint8_t bytes[SN_BUS_PACKET_MAX];
    const size_t count = bus_protocol_hex(requests[i].packet, bytes);
    wire_request found;
    size_t used = 0;
    assert_true(wire_read(requests[i].family, bytes, count, &used, &found));
    assert_int_equal(used, count);
    for (size_t k = 2; k < count; k++) { /* any change is detected, except HerkuleX's lowest bits */
      bytes[k] ^= 0x10;
      assert_false(wire_read(requests[i].family, bytes, count, &used, &found));
      bytes[k] ^= 0x10;
    }
  }
}

typedef struct printed_status {
  wire_family family;
  const char *packet;
  uint8_t id, command, error;
  unsigned address;
  const char *data;
} printed_status;

static const printed_status statuses[] = {
    {WIRE_DYNAMIXEL, "FF FF FD 00 01 07 00 55 00 06 04 26 65 5D", 1, 0, 0, 0, "06 04 26"},
    {WIRE_DYNAMIXEL, "FF FF FD 00 02 07 00 55 00 06 04 26 6F 6D", 2, 0, 0, 0, "06 04 26"},
    {WIRE_DYNAMIXEL, "FF FF FD 00 01 08 00 55 00 A6 00 00 00 8C C0", 1, 0, 0, 0, "A6 00 00 00"},
    {WIRE_DYNAMIXEL, "FF FF FD 00 02 08 00 55 00 1F 08 00 00 BA BE", 2, 0, 0, 0, "1F 08 00 00"},
    {WIRE_DYNAMIXEL, "FF FF FD 00 01 04 00 55 00 A1 0C", 1, 0, 0, 0, ""},
    {WIRE_DYNAMIXEL, "FF FF FD 00 01 06 00 55 00 77 00 C3 69", 1, 0, 0, 0, "77 00"},
    {WIRE_DYNAMIXEL, "FF FF FD 00 02 05 00 55 00 24 8B A9", 2, 0, 0, 0, "24"},
    {WIRE_FEETECH, "FF FF 01 02 00 FC", 1, 0, 0, 0, ""},
    {WIRE_FEETECH, "FF FF 01 04 00 18 05 DD", 1, 0, 0, 0, "18 05"},
    {WIRE_FEETECH, "FF FF 01 0A 00 00 08 00 00 00 00 79 1E 55", 1, 0, 0, 0,
     "00 08 00 00 00 00 79 1E"},
    {WIRE_FEETECH, "FF FF 02 0A 00 FF 07 00 00 00 00 77 23 53", 2, 0, 0, 0,
     "FF 07 00 00 00 00 77 23"},
    {WIRE_HERKULEX, "FF FF 0F FD 42 4C B2 1E 04 B8 01 40 1F 00 00", 253, 0x42, 0, 0x1E,
     "B8 01 40 1F"},
    {WIRE_HERKULEX, "FF FF 0C FD 44 C2 3C 35 01 01 00 42", 253, 0x44, 0, 0x35, "01"},
};

SN_TEST(statuses_of_the_manuals_are_parsed) {
  for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
    const printed_status *printed = &statuses[i];
    uint8_t bytes[64], data[64], again[128];
    const size_t count = bus_protocol_hex(printed->packet, bytes);
    const size_t data_count = bus_protocol_hex(printed->data, data);
    for (size_t cut = 1; cut < count; cut++) {
      size_t used = 1;
      sn_bus_status status;
      assert_int_equal(
          bus_protocol_protocols[printed->family]->parse(bytes, cut, 64, &used, &status),
          SN_BUS_MORE);
      assert_int_equal(used, 0);
    }
    size_t used = 0;
    sn_bus_status status = {0};
    assert_int_equal(
        bus_protocol_protocols[printed->family]->parse(bytes, count, 64, &used, &status),
        SN_BUS_PACKET);
    assert_int_equal(used, count);
    assert_int_equal(status.id, printed->id);
    assert_int_equal(status.command, printed->command);
    assert_int_equal(status.error, printed->error);
    assert_int_equal(status.address, printed->address);
    assert_int_equal(status.size, data_count);
    assert_memory_equal(status.data, data, data_count);

    /* and the servo's side writes the same */
    uint8_t params[64];
    size_t param_count = 0;
    if (printed->family == WIRE_HERKULEX) {
      params[param_count++] = (uint8_t)printed->address;
      params[param_count++] = (uint8_t)data_count;
    }
    memcpy(params + param_count, data, data_count);
    param_count += data_count;
    const uint8_t detail = printed->family == WIRE_HERKULEX ? bytes[count - 1] : 0;
    const size_t size = wire_write(printed->family, printed->id, (uint8_t)(printed->command - 0x40),
                                   printed->error, detail, params, param_count, again);
    check_bytes(again, size, printed->packet);
  }
}

/* The e-Manual's answer of three servos in one packet, and what is left of it when a byte is wrong.
 */
SN_TEST(a_fast_sync_read_comes_in_parts) {
  static const char *const printed =
      "FF FF FD 00 FE 19 00 55 00 03 A6 00 00 00 84 08 00 07 1F 08 00 00 16 CA "
      "00 04 FF 03 00 00 D1 9E";
  static const sn_bus_item items[] = {{3, 132, 4}, {7, 132, 4}, {4, 132, 4}};
  static const uint8_t positions[3][4] = {{0xA6}, {0x1F, 0x08}, {0xFF, 0x03}};
  const sn_bus_request request = {.kind = SN_BUS_FAST_SYNC_READ, .count = 3, .items = items};
  uint8_t bytes[64], again[64];
  const size_t count = bus_protocol_hex(printed, bytes);
  sn_bus_status status;
  size_t used = wire_write_parts(3, 4, again);
  for (size_t i = 0; i < 3; i++) {
    const size_t end = 16 + 8 * i;
    assert_int_equal(sn_bus_dynamixel.parse_part(&request, i, bytes, end - 1, &status),
                     SN_BUS_MORE);
    assert_int_equal(sn_bus_dynamixel.parse_part(&request, i, bytes, end, &status), SN_BUS_PACKET);
    assert_int_equal(status.id, items[i].id);
    assert_int_equal(status.size, 4);
    assert_memory_equal(status.data, positions[i], 4);
    used += wire_write_part(items[i].id, 0, positions[i], 4, again, used);
  }
  check_bytes(again, used, printed);
  assert_int_equal(used, count);
  for (size_t at = 0; at < count; at++) { /* parts before the damage are valid */
    bytes[at] ^= 0x20;
    for (size_t i = 0; i < 3; i++) {
      const bool is_good = at >= 16 + 8 * i;
      assert_int_equal(
          sn_bus_dynamixel.parse_part(&request, i, bytes, count, &status) == SN_BUS_PACKET,
          is_good);
    }
    bytes[at] ^= 0x20;
  }
}
