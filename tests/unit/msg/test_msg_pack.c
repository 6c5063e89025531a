#include <stdlib.h>

#include "msg/msg_copier.h"
#include "msg/msg_text.h"
#include "random_msg.h"
#include "sinew/msg_types.h"
#include "sn_test.h"

static const sn_msg_capacity capacity = {.item_count = 7, .text_size = 12};

static const sn_names *some_names(sn_arena *arena) {
  static const char *const texts[] = {"leg1", "leg2", "", "head", "tail"};
  const sn_names *names = NULL;
  assert_int_equal(sn_names_create(arena, texts, 5, &names, NULL), SN_OK);
  return names;
}

/* One random message of a type, packed into just as many bytes as it takes, at any address. */
static void pack_and_unpack(const sn_msg_type *type, const sn_msg_copier *copier, void *msg,
                            sn_random *random) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "unpacked", 0);
  const size_t size = sn__msg_pack(copier, msg, NULL);
  assert_true(size <= sn_msg_size(type, &capacity));
  const size_t shift = (size_t)sn_random_below(random, 8);
  char *bytes = malloc(shift + size + 1);
  assert_non_null(bytes);
  bytes[shift + size] = 'x';
  assert_int_equal(sn__msg_pack(copier, msg, bytes + shift), size);
  assert_int_equal(bytes[shift + size], 'x');
  void *same = sn_msg_create(&arena, type, &capacity);
  assert_int_equal(sn_msg_copy(type, same, msg), SN_OK);
  sn_random_msg_spoil(type, msg, 0x41); /* nothing in the bytes points there */
  void *unpacked = sn__msg_unpack(copier, bytes + shift, &arena);
  assert_non_null(unpacked);
  memset(bytes, 0x42, shift + size); /* nor from the message to the bytes */
  assert_true(sn__msg_equal(type, unpacked, same));
  free(bytes);
  sn_arena_release(&arena);
}

SN_TEST(what_is_unpacked_equals_what_was_packed) {
  sn_random random;
  sn_random_init(&random, 31);
  for (size_t t = 0; t < sn_msg_type_count(); t++) {
    const sn_msg_type *type = sn_msg_type_at(t);
    sn_arena arena;
    sn_arena_init_growing(&arena, "packed", 0);
    const sn_random_msg_config config = {.table = some_names(&arena)};
    void *msg = sn_msg_create(&arena, type, &capacity);
    const sn_msg_copier *copier = sn__msg_copier_create(&arena, type);
    assert_non_null(copier);
    for (size_t n = 0; n < sn_test_cases(60); n++) {
      sn_random_msg_fill(type, msg, &config, &random);
      pack_and_unpack(type, copier, msg, &random);
    }
    sn_arena_release(&arena);
  }
}

/* The size follows the contents, not the room. */
SN_TEST(an_empty_message_is_small_however_much_room_it_has) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "empty", 0);
  const sn_msg_capacity large = {.item_count = 10000, .text_size = 1000};
  sn_joint_state *msg = sn_msg_create(&arena, &sn_joint_state_type, &large);
  const sn_msg_copier *copier = sn__msg_copier_create(&arena, &sn_joint_state_type);
  const size_t empty = sn__msg_pack(copier, msg, NULL);
  assert_true(empty < sizeof *msg);
  msg->position.count = 10;
  assert_int_equal(sn__msg_pack(copier, msg, NULL), empty + 10 * sizeof(double));
  sn_arena_release(&arena);
}

SN_TEST(no_memory_gives_no_message) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "whole", 0);
  sn_joint_state *msg = sn_msg_create(&arena, &sn_joint_state_type, NULL);
  const sn_msg_copier *copier = sn__msg_copier_create(&arena, &sn_joint_state_type);
  msg->position.count = 20;
  assert_int_equal(sn_msg_names_add(&msg->name, "a", 1), SN_OK);
  char bytes[1024];
  assert_true(sn__msg_pack(copier, msg, bytes) <= sizeof bytes);
  char memory[1024];
  size_t refused = 0;
  for (size_t size = 0; size <= sizeof memory; size++) {
    sn_arena small;
    sn_arena_init(&small, "small", memory, size);
    void *unpacked = sn__msg_unpack(copier, bytes, &small);
    refused += unpacked == NULL;
    assert_true(unpacked == NULL || sn__msg_equal(&sn_joint_state_type, unpacked, msg));
  }
  assert_true(refused > 20 * sizeof(double) && refused < sizeof memory);
  sn_arena_release(&arena);
}
