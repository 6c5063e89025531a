/* Both wires of ROS by the same properties. */
#include <stdlib.h>

#include "msg/msg_text.h"
#include "msg/wire/msg_ros1.h"
#include "random_msg.h"
#include "sinew/msg_types.h"
#include "sinew/msg_wire.h"
#include "sn_test.h"

typedef struct codec {
  const char *name;
  sn_status (*write)(const sn_msg_type *type, const void *msg, void *out, size_t size,
                     size_t *written);
  sn_status (*read)(const sn_msg_type *type, const void *bytes, size_t size, void *msg,
                    sn_error *err);
  sn_status (*make)(const sn_msg_type *type, const void *bytes, size_t size, sn_arena *arena,
                    void **out, sn_error *err);
  size_t spare; /* bytes that may follow a message */
} codec;

static const codec wires[] = {{"cdr", sn_cdr_write, sn_cdr_read, sn_cdr_make, 3},
                              {"ros1", sn__ros1_write, sn__ros1_read, sn__ros1_make, 0}};
#define WIRE_COUNT (sizeof wires / sizeof wires[0])

static const sn_msg_capacity capacity = {.item_count = 6, .text_size = 10};

/* The bytes of a message in a block of exactly their size; free it. */
static uint8_t *write_all(const codec *wire, const sn_msg_type *type, const void *msg,
                          size_t *size) {
  const sn_status status = wire->write(type, msg, NULL, 0, size);
  assert_int_equal(status, *size == 0 ? SN_OK : SN_ENOSPC);
  uint8_t *bytes = malloc(*size);
  assert_non_null(bytes);
  size_t written = 0;
  assert_int_equal(wire->write(type, msg, bytes, *size, &written), SN_OK);
  assert_int_equal(written, *size);
  return bytes;
}

/* Runs a check on two messages of each type, the first one filled at random. */
typedef void check_function(const codec *wire, const sn_msg_type *type, void *from, void *to,
                            sn_random *random);

static void for_each_type(size_t cases, const sn_msg_capacity *to_capacity, check_function *check) {
  sn_random random;
  sn_random_init(&random, 31);
  for (size_t t = 0; t < sn_msg_type_count(); t++) {
    const sn_msg_type *type = sn_msg_type_at(t);
    sn_arena arena;
    sn_arena_init_growing(&arena, "wire", 0);
    const char *const texts[] = {"a", "", "c d"};
    sn_random_msg_config config = {.is_valid_time = true};
    assert_int_equal(sn_names_create(&arena, texts, 3, &config.table, NULL), SN_OK);
    void *from = sn_msg_create(&arena, type, &capacity);
    void *to = sn_msg_create(&arena, type, to_capacity);
    for (size_t n = 0; n < WIRE_COUNT * sn_test_cases(cases); n++) {
      sn_random_msg_fill(type, from, &config, &random);
      sn_random_msg_fill(type, to, &config, &random); /* nothing of it may stay */
      check(&wires[n % WIRE_COUNT], type, from, to, &random);
    }
    sn_arena_release(&arena);
  }
}

static void check_round_trip(const codec *wire, const sn_msg_type *type, void *from, void *to,
                             sn_random *random) {
  (void)random;
  size_t size = 0;
  uint8_t *bytes = write_all(wire, type, from, &size);
  sn_error err = {SN_OK, ""};
  const sn_status status = wire->read(type, bytes, size, to, &err);
  assert_string_equal(err.message, "");
  assert_int_equal(status, SN_OK);
  assert_true(sn__msg_equal(type, from, to));
  size_t again_size = 0;
  uint8_t *again = write_all(wire, type, to, &again_size);
  assert_int_equal(again_size, size);
  assert_memory_equal(again, bytes, size);
  free(again);
  free(bytes);
}

SN_TEST(every_type_survives_a_round_trip) {
  for_each_type(100, &capacity, check_round_trip);
}

/* A message of the type that is as *to* was before. */
static void *copy_of(sn_arena *arena, const sn_msg_type *type, const void *msg) {
  void *copy = sn_msg_create(arena, type, NULL);
  assert_int_equal(sn_msg_copy(type, copy, msg), SN_OK);
  return copy;
}

static void check_truncated(const codec *wire, const sn_msg_type *type, void *from, void *to,
                            sn_random *random) {
  (void)random;
  sn_arena arena;
  sn_arena_init_growing(&arena, "before", 0);
  const void *before = copy_of(&arena, type, to);
  size_t size = 0;
  uint8_t *bytes = write_all(wire, type, from, &size);
  for (size_t part = 0; part < size; part++) {
    uint8_t *cut = malloc(part); /* its own block, so that the sanitizer sees a byte too many */
    assert_true(cut != NULL || part == 0);
    if (part > 0) {
      memcpy(cut, bytes, part);
    }
    size_t written = 0;
    uint8_t *room = malloc(part);
    assert_int_equal(wire->write(type, from, room, part, &written), SN_ENOSPC);
    assert_int_equal(written, size);
    sn_error err = {SN_OK, ""};
    assert_int_equal(wire->read(type, cut, part, to, &err), SN_ESYNTAX);
    assert_true(err.message[0] != '\0');
    assert_true(sn__msg_equal(type, to, before));
    free(room);
    free(cut);
  }
  free(bytes);
  sn_arena_release(&arena);
}

SN_TEST(every_part_of_a_message_is_refused) {
  for_each_type(3, &capacity, check_truncated);
}

static void check_longer(const codec *wire, const sn_msg_type *type, void *from, void *to,
                         sn_random *random) {
  (void)random;
  size_t size = 0;
  uint8_t *bytes = write_all(wire, type, from, &size);
  uint8_t *longer = calloc(1, size + 8);
  assert_non_null(longer);
  memcpy(longer, bytes, size);
  for (size_t more = 0; more <= 8; more++) {
    const sn_status expected = more <= wire->spare ? SN_OK : SN_ESYNTAX;
    assert_int_equal(wire->read(type, longer, size + more, to, NULL), expected);
  }
  free(longer);
  free(bytes);
}

SN_TEST(bytes_behind_a_message_are_refused_but_for_padding) {
  for_each_type(3, &capacity, check_longer);
}

static size_t refused_count;

static void check_small(const codec *wire, const sn_msg_type *type, void *from, void *to,
                        sn_random *random) {
  (void)random;
  sn_arena arena;
  sn_arena_init_growing(&arena, "before", 0);
  const void *before = copy_of(&arena, type, to);
  size_t size = 0;
  uint8_t *bytes = write_all(wire, type, from, &size);
  const sn_status status = wire->read(type, bytes, size, to, NULL);
  if (status == SN_OK) {
    assert_true(sn__msg_equal(type, to, from));
  } else {
    assert_int_equal(status, SN_ENOSPC);
    assert_true(sn__msg_equal(type, to, before));
    refused_count++;
  }
  free(bytes);
  sn_arena_release(&arena);
}

SN_TEST(what_does_not_fit_leaves_the_message_untouched) {
  const sn_msg_capacity small = {.item_count = 3, .text_size = 6};
  refused_count = 0;
  for_each_type(50, &small, check_small);
  assert_true(refused_count > 0);
}

static void check_mutated(const codec *wire, const sn_msg_type *type, void *from, void *to,
                          sn_random *random) {
  size_t size = 0;
  uint8_t *bytes = write_all(wire, type, from, &size);
  for (size_t n = 0; n < 4 && size > 0; n++) {
    bytes[sn_random_below(random, size)] = (uint8_t)sn_random_bits(random);
  }
  if (wire->read(type, bytes, size, to, NULL) == SN_OK) {
    /* Whatever was read is a message like any other. */
    uint8_t *copy = malloc(size);
    size_t written = 0;
    const sn_status status = wire->write(type, to, copy, size, &written);
    assert_true(status == SN_OK || status == SN_ENOSPC || status == SN_ELIMIT);
    free(copy);
  }
  free(bytes);
}

SN_TEST(damaged_bytes_do_no_harm) {
  for_each_type(100, &capacity, check_mutated);
}

/* What is made of bytes is what is read from them into a message with room for everything; what is
   refused leaves nothing behind. */
static void check_made(const codec *wire, const sn_msg_type *type, void *from, void *to,
                       sn_random *random) {
  size_t size = 0;
  uint8_t *bytes = write_all(wire, type, from, &size);
  sn_arena arena;
  sn_arena_init_growing(&arena, "made", 0);
  const size_t damages = sn_random_below(random, 4);
  for (size_t i = 0; i < damages && size > 4; i++) {
    bytes[4 + sn_random_below(random, (uint32_t)size - 4)] = (uint8_t)sn_random_below(random, 256);
  }
  void *made = NULL;
  sn_error err = {SN_OK, ""};
  const sn_status status = wire->make(type, bytes, size, &arena, &made, &err);
  const sn_status read = wire->read(type, bytes, size, to, NULL);
  if (status == SN_OK) {
    if (read == SN_OK) {
      assert_true(sn__msg_equal(type, made, to));
    } else {
      assert_int_equal(read, SN_ENOSPC); /* it has more than there is room for */
    }
    size_t again_size = 0;
    if (wire->write(type, made, NULL, 0, &again_size) != SN_ELIMIT) {
      uint8_t *again = write_all(wire, type, made, &again_size);
      void *twin = NULL;
      assert_int_equal(wire->make(type, again, again_size, &arena, &twin, &err), SN_OK);
      assert_true(sn__msg_equal(type, made, twin));
      free(again);
    }
  } else {
    assert_int_equal(status, SN_ESYNTAX);
    assert_true(err.message[0] != '\0');
    assert_null(made);
    assert_int_equal(sn_arena_used(&arena), 0);
    assert_int_not_equal(read, SN_OK);
  }
  sn_arena_release(&arena);
  free(bytes);
}

SN_TEST(a_message_is_made_with_the_room_that_it_needs) {
  const sn_msg_capacity large = {.item_count = 6, .text_size = 10};
  for_each_type(30, &large, check_made);
}

/* A type that the library does not know: every kind of number, arrays, nested arrays, nothing. */
typedef struct every {
  bool b[3];
  int8_t i8;
  int16_t i16;
  uint16_t u16;
  int64_t i64;
  sn_seq_u16 u16s;
  sn_seq_i64 i64s;
  sn_header headers[2];
} every;

SN_TEST(types_of_users_work_the_same_way) {
  static const sn_msg_type empty_type = {SN_MSG_TYPE_NAMES("std_srvs", "Nothing"), .brief = ""};
  static const sn_msg_field fields[] = {
      SN_MSG_FIELD_ARRAY(every, "b", b, ""),
      SN_MSG_FIELD(every, "i8", i8, ""),
      SN_MSG_FIELD(every, "i16", i16, ""),
      SN_MSG_FIELD(every, "u16", u16, ""),
      SN_MSG_FIELD(every, "i64", i64, ""),
      SN_MSG_FIELD(every, "u16s", u16s, ""),
      SN_MSG_FIELD(every, "i64s", i64s, ""),
      {.name = "headers",
       .kind = SN_MSG_NESTED,
       .shape = SN_MSG_ARRAY,
       .offset = offsetof(every, headers),
       .size = sizeof(sn_header),
       .count = 2,
       .nested = &sn_header_type,
       .unit = ""},
  };
  static const sn_msg_type type = {SN_MSG_TYPE_NAMES("test_msgs", "Every"), .brief = "",
                                   .size = sizeof(every), .fields = fields,
                                   .field_count = sizeof fields / sizeof fields[0]};
  sn_random random;
  sn_random_init(&random, 32);
  sn_arena arena;
  sn_arena_init_growing(&arena, "every", 0);
  void *from = sn_msg_create(&arena, &type, &capacity);
  void *to = sn_msg_create(&arena, &type, &capacity);
  const sn_random_msg_config config = {.is_valid_time = true};
  for (size_t n = 0; n < 100; n++) {
    sn_random_msg_fill(&type, from, &config, &random);
    check_round_trip(&wires[n % WIRE_COUNT], &type, from, to, &random);
    sn_msg_reset(&type, to);
    assert_int_equal(sn_msg_copy(&type, to, from), SN_OK);
    assert_true(sn__msg_equal(&type, to, from));
  }
  const uint8_t empty[] = {0, 1, 0, 0, 0};
  size_t size = 0;
  uint8_t bytes[8] = {9, 9, 9, 9, 9, 9, 9, 9};
  assert_int_equal(sn_cdr_write(&empty_type, from, bytes, sizeof bytes, &size), SN_OK);
  assert_int_equal(size, sizeof empty);
  assert_memory_equal(bytes, empty, size);
  assert_int_equal(sn_cdr_read(&empty_type, empty, sizeof empty, to, NULL), SN_OK);
  assert_int_equal(sn_cdr_read(&empty_type, empty, 4, to, NULL), SN_ESYNTAX);
  assert_int_equal(sn__ros1_write(&empty_type, from, bytes, 0, &size), SN_OK);
  assert_int_equal(size, 0);
  assert_int_equal(sn__ros1_read(&empty_type, bytes, 0, to, NULL), SN_OK);
  sn_arena_release(&arena);
}
