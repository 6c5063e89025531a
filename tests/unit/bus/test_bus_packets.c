/* Random requests and answers of the three families, against encoders that are written a second
   time from the manuals: byte by byte, a CRC by bits, stuffing by search. */
#include "bus/families/bus_protocol.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { ROOM = 65536, DYNAMIXEL, FEETECH, HERKULEX };

typedef struct packet {
  uint8_t bytes[ROOM];
  size_t size;
} packet;

static const sn_bus_protocol *const protocols[] = {&sn_bus_dynamixel, &sn_bus_feetech,
                                                   &sn_bus_herkulex};

static void put(packet *p, unsigned byte) {
  assert_true(p->size < ROOM);
  p->bytes[p->size++] = (uint8_t)byte;
}

static void put_word(packet *p, unsigned word) {
  put(p, word & 0xFF);
  put(p, word >> 8);
}

static void put_all(packet *p, const uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    put(p, bytes[i]);
  }
}

/* ---- the three frames ---- */

static unsigned crc16(const uint8_t *bytes, size_t count) {
  unsigned crc = 0;
  for (size_t i = 0; i < 8 * count; i++) {
    const unsigned bit = bytes[i / 8] >> (7 - i % 8) & 1;
    crc = ((crc >> 15 ^ bit) & 1) != 0 ? (crc << 1 ^ 0x8005) & 0xFFFF : crc << 1 & 0xFFFF;
  }
  return crc;
}

static void frame_dynamixel(packet *p, unsigned id, const packet *body) {
  static const uint8_t head[] = {0xFF, 0xFF, 0xFD};
  static packet stuffed;
  stuffed.size = 0;
  for (size_t i = 0; i < body->size; i++) {
    put(&stuffed, body->bytes[i]);
    if (stuffed.size >= 3 && memcmp(stuffed.bytes + stuffed.size - 3, head, 3) == 0) {
      put(&stuffed, 0xFD);
    }
  }
  p->size = 0;
  put_all(p, head, 3);
  put(p, 0);
  put(p, id);
  put_word(p, (unsigned)stuffed.size + 2);
  put_all(p, stuffed.bytes, stuffed.size);
  put_word(p, crc16(p->bytes, p->size));
}

/* The body begins with the instruction or the error. */
static void frame_feetech(packet *p, unsigned id, const packet *body) {
  p->size = 0;
  put(p, 0xFF);
  put(p, 0xFF);
  put(p, id);
  put(p, (unsigned)body->size + 1);
  put_all(p, body->bytes, body->size);
  unsigned sum = 0;
  for (size_t i = 2; i < p->size; i++) {
    sum += p->bytes[i];
  }
  put(p, 255 - sum % 256);
}

/* The body begins with the command. */
static void frame_herkulex(packet *p, unsigned id, const packet *body) {
  unsigned sum = (unsigned)body->size + 6;
  sum ^= id;
  for (size_t i = 0; i < body->size; i++) {
    sum ^= body->bytes[i];
  }
  p->size = 0;
  put(p, 0xFF);
  put(p, 0xFF);
  put(p, (unsigned)body->size + 6);
  put(p, id);
  put(p, body->bytes[0]);
  put(p, sum & 0xFE);
  put(p, ~sum & 0xFE);
  put_all(p, body->bytes + 1, body->size - 1);
}

static void frame(int family, packet *p, unsigned id, const packet *body) {
  (family == DYNAMIXEL ? frame_dynamixel
   : family == FEETECH ? frame_feetech
                       : frame_herkulex)(p, id, body);
}

/* ---- requests ---- */

typedef struct any_request {
  sn_bus_request request;
  sn_bus_item items[SN_BUS_ITEMS_MAX + 1];
  uint8_t data[ROOM];
} any_request;

static bool is_to_many(sn_bus_kind kind) {
  return kind >= SN_BUS_SYNC_READ && kind <= SN_BUS_JOG;
}

static bool is_same_registers(sn_bus_kind kind) {
  return kind == SN_BUS_SYNC_READ || kind == SN_BUS_FAST_SYNC_READ || kind == SN_BUS_SYNC_WRITE;
}

static bool needs_registers(sn_bus_kind kind) {
  return kind != SN_BUS_PING && kind != SN_BUS_REBOOT && kind != SN_BUS_JOG;
}

/* Mostly valid, and full of bytes that need stuffing. */
static void make_request(any_request *a, sn_random *random) {
  static const uint8_t bytes[] = {0xFF, 0xFF, 0xFD, 0xFF, 0x00};
  static const uint16_t sizes[] = {1, 2, 4, 4, 4, 12, 240, 251, 252, 255, 256, 512, 513, 0};
  static const size_t counts[] = {1, 2, 3, 5, 20, 63, 64, 65};
  static const uint16_t addresses[] = {0,   5,   60,  132,    254,    255,   256,
                                       300, 511, 512, 0xFFFD, 0xFFFF, 0xFF00};
  const sn_bus_kind kind = (sn_bus_kind)sn_random_below(random, SN_BUS_REBOOT + 1);
  const bool is_one = !is_to_many(kind) && sn_random_below(random, 20) != 0;
  const uint64_t ids = sn_random_below(random, 3);
  a->request = (sn_bus_request){.kind = kind,
                                .count = is_one ? 1 : counts[sn_random_below(random, 8)],
                                .items = a->items,
                                .data = a->data,
                                .play_time = (uint8_t)sn_random_below(random, 256)};
  a->request.count = sn_random_below(random, 50) == 0 ? 0 : a->request.count;
  const sn_bus_item usual = {0, addresses[sn_random_below(random, 13)],
                             sizes[sn_random_below(random, 14)]};
  if (usual.size > 12 && a->request.count > 3 && sn_random_below(random, 2) == 0) {
    a->request.count = 3; /* the longest frames are refused anyway */
  }
  for (size_t i = 0; i <= SN_BUS_ITEMS_MAX; i++) {
    a->items[i] = usual;
    a->items[i].id =
        (uint8_t)(ids == 0 ? 250 + sn_random_below(random, 5) : sn_random_below(random, 253));
    if (!is_same_registers(kind) || sn_random_below(random, 200) == 0) {
      a->items[i].address = addresses[sn_random_below(random, 6)];
      a->items[i].size = sizes[sn_random_below(random, 5)];
    }
    if (is_one) {
      a->items[i] = (sn_bus_item){a->items[i].id, usual.address, usual.size};
    }
    if (i >= a->request.count) { /* nothing reads what is not of the request */
      a->items[i] = (sn_bus_item){0xEE, 0x7777, 3333};
    }
  }
  for (size_t i = 0; i < 1024 || (i < ROOM && usual.size > 12); i++) {
    a->data[i] = sn_random_below(random, 4) == 0 ? (uint8_t)sn_random_below(random, 256)
                                                 : bytes[sn_random_below(random, 5)];
  }
}

static bool is_valid(const sn_bus_protocol *protocol, const sn_bus_request *r) {
  if ((protocol->kinds >> r->kind & 1) == 0 || r->count < 1 || r->count > SN_BUS_ITEMS_MAX ||
      (!is_to_many(r->kind) && r->count > 1)) {
    return false;
  }
  bool is_good = true;
  for (size_t i = 0; i < r->count; i++) {
    const sn_bus_item *item = &r->items[i];
    const bool to_all =
        !is_to_many(r->kind) && r->kind != SN_BUS_READ && item->id == SN_BUS_BROADCAST;
    is_good = is_good && (to_all || item->id <= protocol->id_max);
    is_good = is_good &&
              (!needs_registers(r->kind) || (item->size >= 1 && item->size <= SN_BUS_PACKET_MAX));
    is_good = is_good && (!is_same_registers(r->kind) ||
                          (item->size == r->items[0].size && item->address == r->items[0].address));
  }
  return is_good;
}

static void expect_dynamixel(const sn_bus_request *r, packet *out) {
  static const uint8_t instructions[] = {1, 2, 3, 0x82, 0x8A, 0x83, 0x92, 0x93, 0, 8};
  static packet body;
  body.size = 0;
  const bool writes = r->kind == SN_BUS_SYNC_WRITE || r->kind == SN_BUS_BULK_WRITE;
  const uint8_t *data = r->data;
  put(&body, instructions[r->kind]);
  if (r->kind == SN_BUS_READ || r->kind == SN_BUS_WRITE || is_same_registers(r->kind)) {
    put_word(&body, r->items[0].address);
  }
  if (r->kind == SN_BUS_READ || is_same_registers(r->kind)) {
    put_word(&body, r->items[0].size);
  }
  if (r->kind == SN_BUS_WRITE) {
    put_all(&body, data, r->items[0].size);
  }
  for (size_t i = 0; is_to_many(r->kind) && i < r->count; i++) {
    put(&body, r->items[i].id);
    if (!is_same_registers(r->kind)) {
      put_word(&body, r->items[i].address);
      put_word(&body, r->items[i].size);
    }
    if (writes) {
      put_all(&body, data, r->items[i].size);
      data += r->items[i].size;
    }
  }
  frame_dynamixel(out, is_to_many(r->kind) ? SN_BUS_BROADCAST : r->items[0].id, &body);
}

/* @return false: the family cannot say it */
static bool expect_feetech(const sn_bus_request *r, packet *out) {
  static const uint8_t instructions[] = {1, 2, 3, 0x82, 0, 0x83};
  static packet body;
  body.size = 0;
  const sn_bus_item *item = &r->items[0];
  const uint8_t *data = r->data;
  put(&body, instructions[r->kind]);
  if (r->kind != SN_BUS_PING) {
    put(&body, item->address);
  }
  if (r->kind == SN_BUS_READ || is_to_many(r->kind)) {
    put(&body, item->size);
  }
  if (r->kind == SN_BUS_WRITE) {
    put_all(&body, data, item->size);
  }
  for (size_t i = 0; is_to_many(r->kind) && i < r->count; i++) {
    put(&body, r->items[i].id);
    if (r->kind == SN_BUS_SYNC_WRITE) {
      put_all(&body, data, item->size);
      data += item->size;
    }
  }
  frame_feetech(out, is_to_many(r->kind) ? SN_BUS_BROADCAST : item->id, &body);
  return item->address <= 255 && body.size + 1 <= 255 &&
         (r->kind == SN_BUS_PING || item->size <= 255);
}

static bool expect_herkulex(const sn_bus_request *r, packet *out) {
  static packet body;
  body.size = 0;
  const sn_bus_item *item = &r->items[0];
  const bool is_permanent = item->address >= SN_BUS_EEP;
  const bool is_register = r->kind == SN_BUS_READ || r->kind == SN_BUS_WRITE;
  put(&body, r->kind == SN_BUS_PING    ? 7
             : r->kind == SN_BUS_READ  ? (is_permanent ? 2 : 4)
             : r->kind == SN_BUS_WRITE ? (is_permanent ? 1 : 3)
             : r->kind == SN_BUS_JOG   ? 6
                                       : 9);
  if (is_register) {
    put(&body, item->address & 0xFF);
    put(&body, item->size);
  }
  if (r->kind == SN_BUS_WRITE) {
    put_all(&body, r->data, item->size);
  }
  if (r->kind == SN_BUS_JOG) {
    put(&body, r->play_time);
    for (size_t i = 0; i < r->count; i++) {
      put_all(&body, r->data + 3 * i, 3);
      put(&body, r->items[i].id);
    }
  }
  frame_herkulex(out, r->kind == SN_BUS_JOG ? SN_BUS_BROADCAST : item->id, &body);
  return out->size <= 223 && (!is_register || (item->address < 512 && item->size <= 223));
}

static void check_build(int family, const any_request *a, sn_random *random) {
  const sn_bus_protocol *protocol = protocols[family - DYNAMIXEL];
  static packet expected;
  static uint8_t out[ROOM];
  const bool valid = is_valid(protocol, &a->request);
  assert_int_equal(sn__bus_request_is_valid(protocol, &a->request), valid);
  bool can = valid;
  if (valid && family == DYNAMIXEL) {
    expect_dynamixel(&a->request, &expected);
  } else if (valid) {
    can = (family == FEETECH ? expect_feetech : expect_herkulex)(&a->request, &expected);
  }
  if (!can) {
    assert_int_equal(protocol->build(&a->request, out, ROOM), 0);
    return;
  }
  /* A stuffing byte may need room at the end. */
  const size_t enough = expected.size + (family == DYNAMIXEL ? 1 : 0);
  assert_int_equal(protocol->build(&a->request, out, enough), expected.size);
  assert_memory_equal(out, expected.bytes, expected.size);
  const size_t room =
      sn_random_below(random, 3) == 0 ? sn_random_below(random, expected.size) : expected.size - 1;
  memset(out, 0xAA, enough + 8);
  assert_int_equal(protocol->build(&a->request, out, room), 0);
  for (size_t i = room; i < enough + 8; i++) {
    assert_int_equal(out[i], 0xAA); /* nothing beyond its room */
  }
}

SN_TEST(requests_are_those_of_a_second_encoder) {
  static any_request a;
  sn_random random;
  sn_random_init(&random, sn_test_seed(0));
  for (size_t i = 0; i < sn_test_cases(5000); i++) {
    make_request(&a, &random);
    for (int family = DYNAMIXEL; family <= HERKULEX; family++) {
      check_build(family, &a, &random);
    }
  }
}

/* ---- answers ---- */

typedef struct answer {
  uint8_t id, error, command, address, data[240];
  size_t size;
} answer;

/* HerkuleX: the errors come last, and only reads have data. */
static void encode(int family, const answer *a, packet *out) {
  static packet body;
  body.size = 0;
  if (family == DYNAMIXEL) {
    put(&body, 0x55);
  }
  put(&body, family == HERKULEX ? a->command : a->error);
  if (family == HERKULEX && (a->command == 0x42 || a->command == 0x44)) {
    put(&body, a->address);
    put(&body, (unsigned)a->size);
  }
  put_all(&body, a->data, a->size);
  if (family == HERKULEX) {
    put(&body, a->error);
    put(&body, 0x5A);
  }
  frame(family, out, a->id, &body);
}

static void make_answer(int family, answer *a, sn_random *random) {
  static const uint8_t bytes[] = {0xFF, 0xFF, 0xFD, 0x00};
  static const uint8_t commands[] = {0x41, 0x42, 0x43, 0x44, 0x47, 0x49, 0x46};
  a->id = (uint8_t)sn_random_below(random, family == DYNAMIXEL ? 253 : 254);
  a->error = (uint8_t)(1u << sn_random_below(random, 9));
  a->command = commands[sn_random_below(random, 7)];
  a->address = (uint8_t)sn_random_below(random, 256);
  a->size = sn_random_below(random, 4) == 0 ? 0 : sn_random_below(random, 200);
  const bool has_data = family != HERKULEX || a->command == 0x42 || a->command == 0x44;
  a->size = has_data ? a->size : 0;
  for (size_t i = 0; i < a->size; i++) {
    a->data[i] = sn_random_below(random, 2) == 0 ? bytes[sn_random_below(random, 4)]
                                                 : (uint8_t)sn_random_below(random, 256);
  }
}

static unsigned faults_of(int family, uint8_t error) {
  static const unsigned feetech[] = {SN_SERVO_FAULT_VOLTAGE,     SN_SERVO_FAULT_POSITION,
                                     SN_SERVO_FAULT_TEMPERATURE, SN_SERVO_FAULT_ELECTRICAL,
                                     SN_SERVO_FAULT_POSITION,    SN_SERVO_FAULT_OVERLOAD,
                                     SN_SERVO_FAULT_REFUSED,     SN_SERVO_FAULT_REFUSED};
  static const unsigned herkulex[] = {SN_SERVO_FAULT_VOLTAGE,     SN_SERVO_FAULT_POSITION,
                                      SN_SERVO_FAULT_TEMPERATURE, SN_SERVO_FAULT_REFUSED,
                                      SN_SERVO_FAULT_OVERLOAD,    SN_SERVO_FAULT_ELECTRICAL,
                                      SN_SERVO_FAULT_MEMORY,      SN_SERVO_FAULT_REFUSED};
  if (error == 0) {
    return 0;
  }
  if (family == DYNAMIXEL) {
    return error == 0x80 ? SN_SERVO_FAULT_ALERT : SN_SERVO_FAULT_REFUSED;
  }
  size_t bit = 0;
  while (error >> bit != 1) {
    bit++;
  }
  return (family == FEETECH ? feetech : herkulex)[bit];
}

static sn_bus_parse parse(int family, const packet *p, size_t count, size_t size_max, size_t *used,
                          sn_bus_status *status) {
  static uint8_t bytes[ROOM]; /* parsing may change them */
  memset(bytes, 0xAA, count + 16);
  memcpy(bytes, p->bytes, count < p->size ? count : p->size); /* what comes later is not known */
  return protocols[family - DYNAMIXEL]->parse(bytes, count, size_max, used, status);
}

static void check_parse(int family, const answer *a, sn_random *random) {
  static packet p;
  size_t used = 100;
  sn_bus_status status;
  encode(family, a, &p);
  for (size_t count = 1; count < p.size; count++) {
    assert_int_equal(parse(family, &p, count, p.size, &used, &status), SN_BUS_MORE);
    assert_int_equal(used, 0);
  }
  assert_int_equal(parse(family, &p, p.size + 3, p.size, &used, &status), SN_BUS_PACKET);
  assert_int_equal(used, p.size);
  assert_int_equal(status.id, a->id);
  assert_int_equal(status.error, a->error);
  assert_int_equal(status.faults, faults_of(family, a->error));
  assert_int_equal(status.command, family == HERKULEX ? a->command : 0);
  const bool is_read = family == HERKULEX && (a->command == 0x42 || a->command == 0x44);
  assert_int_equal(status.address, is_read ? a->address : 0);
  assert_int_equal(status.size, a->size);
  assert_non_null(status.data);
  assert_memory_equal(status.data, a->data, a->size);
  assert_int_equal(parse(family, &p, p.size, p.size - 1, &used, &status),
                   SN_BUS_GARBAGE); /* too long */
  assert_int_equal(used, 1);
  /* One bit of damage is seen; only HerkuleX does not protect the lowest one of a byte. */
  const size_t at = sn_random_below(random, p.size);
  p.bytes[at] ^= (uint8_t)(2u << sn_random_below(random, 7));
  const sn_bus_parse damaged = parse(family, &p, p.size, ROOM, &used, &status);
  assert_int_not_equal(damaged, SN_BUS_PACKET);
  assert_int_equal(used, damaged == SN_BUS_MORE ? 0 : 1);
}

SN_TEST(answers_of_a_second_encoder_are_understood_and_damage_is_seen) {
  sn_random random;
  sn_random_init(&random, sn_test_seed(0));
  for (size_t i = 0; i < sn_test_cases(1500); i++) {
    for (int family = DYNAMIXEL; family <= HERKULEX; family++) {
      answer a;
      make_answer(family, &a, &random);
      check_parse(family, &a, &random);
    }
  }
}

/* The CRC is right, but nothing is stuffed. */
static void frame_plain(packet *p, const uint8_t *body, size_t size) {
  static const uint8_t head[] = {0xFF, 0xFF, 0xFD, 0x00, 1};
  p->size = 0;
  put_all(p, head, sizeof head);
  put_word(p, (unsigned)size + 2);
  put_all(p, body, size);
  put_word(p, crc16(p->bytes, p->size));
}

SN_TEST(a_header_in_the_middle_of_an_answer_is_garbage) {
  static packet p;
  static const struct {
    uint8_t body[8];
    size_t size;
    sn_bus_parse result;
  } cases[] = {{{0x55, 0, 0xFF, 0xFF, 0xFD, 0x00}, 6, SN_BUS_GARBAGE},
               {{0x55, 0, 0xFF, 0xFF, 0xFD}, 5, SN_BUS_GARBAGE},
               {{0x55, 0, 0xFF, 0xFF, 0xFD, 0xFD}, 6, SN_BUS_PACKET},
               {{0x55, 0, 0xFF, 0xFF, 0xFF, 0xFD, 0x07}, 7, SN_BUS_GARBAGE},
               {{0x55, 0, 0xFF, 0xFD, 0x07}, 5, SN_BUS_PACKET},
               {{0x55, 0, 0xFF, 0x00, 0xFF, 0xFD, 0x07}, 7, SN_BUS_PACKET}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    size_t used = 0;
    sn_bus_status status;
    frame_plain(&p, cases[i].body, cases[i].size);
    assert_int_equal(parse(DYNAMIXEL, &p, p.size, ROOM, &used, &status), cases[i].result);
    assert_int_equal(used, cases[i].result == SN_BUS_PACKET ? p.size : 1);
  }
}

SN_TEST(long_answers_are_understood_and_impossible_ones_seen_early) {
  static packet p, body;
  size_t used = 0;
  sn_bus_status status;
  for (size_t size = 200; size < 2000; size += 37) {
    body.size = 0;
    put(&body, 0x55);
    put(&body, 0);
    for (size_t i = 0; i < size; i++) {
      put(&body, (unsigned)(i * 7 % 251));
    }
    frame_dynamixel(&p, 3, &body);
    assert_int_equal(parse(DYNAMIXEL, &p, p.size - 1, ROOM, &used, &status), SN_BUS_MORE);
    assert_int_equal(parse(DYNAMIXEL, &p, p.size, ROOM, &used, &status), SN_BUS_PACKET);
    assert_int_equal(status.size, size);
    assert_memory_equal(status.data, body.bytes + 2, size);
  }
  /* Seven bytes say how long it is, and whose. */
  assert_int_equal(parse(DYNAMIXEL, &p, 7, p.size, &used, &status), SN_BUS_MORE);
  assert_int_equal(parse(DYNAMIXEL, &p, 7, p.size - 1, &used, &status), SN_BUS_GARBAGE);
  p.bytes[4] = 253;
  assert_int_equal(parse(DYNAMIXEL, &p, 6, ROOM, &used, &status), SN_BUS_MORE);
  assert_int_equal(parse(DYNAMIXEL, &p, 7, ROOM, &used, &status), SN_BUS_GARBAGE);
}

/* ---- answers in parts ---- */

/* Of each servo its error, id, data and the CRC of all that came before. */
static void make_parts(packet *p, const sn_bus_request *r, const uint8_t *errors,
                       const uint8_t *data) {
  static const uint8_t head[] = {0xFF, 0xFF, 0xFD, 0x00, SN_BUS_BROADCAST};
  const size_t size = r->items[0].size;
  p->size = 0;
  put_all(p, head, sizeof head);
  put_word(p, (unsigned)(1 + r->count * (size + 4)));
  put(p, 0x55);
  for (size_t i = 0; i < r->count; i++) {
    put(p, errors[i]);
    put(p, r->items[i].id);
    put_all(p, data + i * size, size);
    put_word(p, crc16(p->bytes, p->size));
  }
}

SN_TEST(parts_of_a_second_encoder_are_understood_and_damage_is_seen) {
  static packet p;
  static uint8_t data[64 * 16], errors[64];
  sn_bus_item items[64];
  sn_random random;
  sn_random_init(&random, sn_test_seed(0));
  for (size_t k = 0; k < sn_test_cases(300); k++) {
    const sn_bus_request r = {
        .kind = SN_BUS_FAST_SYNC_READ, .count = 1 + sn_random_below(&random, 64), .items = items};
    const uint16_t size = (uint16_t)(1 + sn_random_below(&random, 16));
    for (size_t i = 0; i < 64; i++) {
      items[i] = i < r.count ? (sn_bus_item){(uint8_t)sn_random_below(&random, 253), 132, size}
                             : (sn_bus_item){0xEE, 0x7777, 3333};
      errors[i] = (uint8_t)(sn_random_below(&random, 2) * 0x80 + sn_random_below(&random, 2) * 3);
    }
    for (size_t i = 0; i < sizeof data; i++) {
      data[i] = (uint8_t)sn_random_below(&random, 256);
    }
    make_parts(&p, &r, errors, data);
    sn_bus_status status;
    for (size_t i = 0; i < r.count; i++) {
      const size_t end = 8 + (i + 1) * (size + 4u);
      assert_int_equal(sn_bus_dynamixel.parse_part(&r, i, p.bytes, end - 1, &status), SN_BUS_MORE);
      assert_int_equal(sn_bus_dynamixel.parse_part(&r, i, p.bytes, end, &status), SN_BUS_PACKET);
      assert_int_equal(status.id, items[i].id);
      assert_int_equal(status.error, errors[i]);
      assert_int_equal(status.faults, ((errors[i] & 0x80) != 0 ? SN_SERVO_FAULT_ALERT : 0u) |
                                          ((errors[i] & 3) != 0 ? SN_SERVO_FAULT_REFUSED : 0u));
      assert_int_equal(status.size, size);
      assert_memory_equal(status.data, data + i * size, size);
    }
    const size_t last = r.count - 1, at = sn_random_below(&random, p.size);
    p.bytes[at] ^= (uint8_t)(1u << sn_random_below(&random, 8));
    assert_int_equal(sn_bus_dynamixel.parse_part(&r, last, p.bytes, p.size, &status),
                     at < 8 ? SN_BUS_GARBAGE : SN_BUS_CHECKSUM);
    make_parts(&p, &r, errors, data); /* whole, but of another servo */
    items[last].id ^= 1;
    assert_int_equal(sn_bus_dynamixel.parse_part(&r, last, p.bytes, p.size, &status),
                     SN_BUS_CHECKSUM);
  }
}

/* Frames with a right checksum that no servo sends. */
SN_TEST(frames_that_are_no_answers_are_garbage) {
  static packet p, body;
  body.size = 0;
  size_t used = 0;
  sn_bus_status status;
  put(&body, 0x54); /* not a status */
  put(&body, 0);
  frame_dynamixel(&p, 1, &body);
  assert_int_equal(parse(DYNAMIXEL, &p, p.size, ROOM, &used, &status), SN_BUS_GARBAGE);
  body.size = 0;
  put(&body, 0x55);
  put(&body, 0);
  frame_dynamixel(&p, 253, &body); /* no servo has this id */
  assert_int_equal(parse(DYNAMIXEL, &p, p.size, ROOM, &used, &status), SN_BUS_GARBAGE);
  body.size = 1;
  frame_dynamixel(&p, 1, &body); /* no error */
  assert_int_equal(parse(DYNAMIXEL, &p, p.size, ROOM, &used, &status), SN_BUS_GARBAGE);
  body.size = 0;
  put(&body, 0);
  frame_feetech(&p, 254, &body);
  assert_int_equal(parse(FEETECH, &p, p.size, ROOM, &used, &status), SN_BUS_GARBAGE);
  frame_feetech(&p, 253, &body);
  assert_int_equal(parse(FEETECH, &p, p.size, ROOM, &used, &status), SN_BUS_PACKET);
  body.size = 0;
  frame_feetech(&p, 1, &body); /* no error */
  assert_int_equal(parse(FEETECH, &p, p.size, ROOM, &used, &status), SN_BUS_GARBAGE);
  static const uint8_t bodies[][8] = {{0x40, 0, 0}, {0x4A, 0, 0},    {0x47, 1, 0, 0},
                                      {0x44, 0, 0}, {0x44, 3, 0, 0}, {0x44, 3, 2, 7, 0, 0}};
  static const size_t sizes[] = {3, 3, 4, 3, 4, 6};
  for (size_t i = 0; i < 6; i++) { /* commands that do not exist, lengths that do not agree */
    memcpy(body.bytes, bodies[i], 8);
    body.size = sizes[i];
    frame_herkulex(&p, 1, &body);
    assert_int_equal(parse(HERKULEX, &p, p.size, ROOM, &used, &status), SN_BUS_GARBAGE);
    assert_int_equal(used, 1);
  }
  memcpy(body.bytes, (const uint8_t[]){0x47, 0, 0}, 3);
  body.size = 3;
  frame_herkulex(&p, 254, &body);
  assert_int_equal(parse(HERKULEX, &p, p.size, ROOM, &used, &status), SN_BUS_GARBAGE);
  frame_herkulex(&p, 253, &body);
  assert_int_equal(parse(HERKULEX, &p, p.size, ROOM, &used, &status), SN_BUS_PACKET);
}

SN_TEST(every_fault_has_a_text) {
  for (unsigned fault = 1; fault <= SN_SERVO_FAULT_ALERT; fault *= 2) {
    assert_string_not_equal(sn__servo_fault_text(fault), "unknown fault");
  }
  assert_string_equal(sn__servo_fault_text(3), "unknown fault");
}

SN_TEST(as_many_answers_come_as_were_asked_for) {
  const sn_bus_item items[] = {{1, 10, 4}, {2, 20, 6}, {SN_BUS_BROADCAST, 0, 1}};
  sn_bus_request r = {.kind = SN_BUS_WRITE, .count = 1, .items = items};
  assert_int_equal(sn__bus_reply_count(&sn_bus_dynamixel, &r), 1);
  assert_int_equal(sn__bus_reply_count(&sn_bus_herkulex, &r), 0); /* writes are not answered */
  r.items = &items[2];
  assert_int_equal(sn__bus_reply_count(&sn_bus_dynamixel, &r), 0);
  r = (sn_bus_request){.kind = SN_BUS_FAST_SYNC_READ, .count = 2, .items = items};
  assert_int_equal(sn__bus_reply_count(&sn_bus_dynamixel, &r), 2);
  /* FF FF FD 00 id length length 55 before the first part; each part: error, id, data, CRC. */
  assert_int_equal(sn__bus_reply_size(&sn_bus_dynamixel, &r, 0), 8 + 2 + 4 + 2);
  assert_int_equal(sn__bus_reply_size(&sn_bus_dynamixel, &r, 1), 2 + 6 + 2);
  r.kind = SN_BUS_PING; /* a Dynamixel says its model and its firmware */
  assert_int_equal(sn__bus_reply_size(&sn_bus_dynamixel, &r, 0), 11 + 3);
  assert_int_equal(sn_bus_dynamixel.command_of(&r), 0); /* as in all of its answers */
  r.kind = SN_BUS_READ;
  assert_int_equal(sn__bus_reply_size(&sn_bus_feetech, &r, 0), 6 + 4);
  assert_int_equal(sn__bus_reply_size(&sn_bus_herkulex, &r, 0), 7 + 2 + 4 + 2);
  r.kind = SN_BUS_REBOOT;
  assert_int_equal(sn__bus_reply_size(&sn_bus_herkulex, &r, 0), 7 + 2);
}
