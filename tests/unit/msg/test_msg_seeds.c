/* The first byte of a seed chooses the type that the fuzz targets of messages read. A new type
   moves the others, and a changed one no longer reads what it did: such seeds tell a fuzzer
   nothing. */
#include <stdlib.h>

#include "msg/wire/msg_ros1.h"
#include "sinew/arena.h"
#include "sinew/msg_types.h"
#include "sinew/msg_wire.h"
#include "sn_test.h"

typedef sn_status read_function(const sn_msg_type *type, const void *bytes, size_t size, void *msg,
                                sn_error *err);

static sn_status read_json(const sn_msg_type *type, const void *bytes, size_t size, void *msg,
                           sn_error *err) {
  return sn_msg_from_json(type, bytes, size, msg, err);
}

static void expect_seed(const char *folder, read_function *read, const char *name) {
  char path[500];
  (void)snprintf(path, sizeof path, SINEW_DOCS "/../tests/fuzz/corpus/%s/%s", folder, name);
  size_t size;
  char *bytes = sn_test_read_file(path, &size);
  assert_true(size > 1);
  const size_t choice = (unsigned char)bytes[0];
  assert_true(choice < sn_msg_type_count());
  const sn_msg_type *type = sn_msg_type_at(choice);
  assert_string_equal(type->name, name);
  sn_arena arena;
  sn_arena_init_growing(&arena, "seed", 0);
  const sn_msg_capacity capacity = {.item_count = 64, .text_size = 200};
  void *msg = sn_msg_create(&arena, type, &capacity);
  sn_error err = {SN_OK, ""};
  if (read(type, bytes + 1, size - 1, msg, &err) != SN_OK) {
    fail_msg("%s: %s", path, err.message);
  }
  sn_arena_release(&arena);
  free(bytes);
}

SN_TEST(seeds_are_messages_of_the_types_that_they_are_named_after) {
  static const char *const names[] = {"BalanceState",       "BatteryState",    "JointState",
                                      "ResourceAssignment", "ServoModelArray", "TimerEvent"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    expect_seed("cdr", sn_cdr_read, names[i]);
    expect_seed("ros1msg", sn__ros1_read, names[i]);
    expect_seed("msgjson", read_json, names[i]);
  }
}
