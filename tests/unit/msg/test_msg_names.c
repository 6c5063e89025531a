#include <stdlib.h>

#include "msg/msg_names_internal.h"
#include "sinew/msg_types.h"
#include "sinew/random.h"
#include "sn_test.h"

/* A message with a list that has room for 4 names of 32 bytes together. */
static sn_msg_names *list_create(sn_arena *arena) {
  const sn_msg_capacity capacity = {.item_count = 4, .text_size = 8};
  sn_joint_state *joints = sn_msg_create(arena, &sn_joint_state_type, &capacity);
  assert_non_null(joints);
  return &joints->name;
}

static const sn_names *table_create(sn_arena *arena, const char *a, const char *b) {
  const char *const texts[] = {a, b};
  const sn_names *names = NULL;
  assert_int_equal(sn_names_create(arena, texts, 2, &names, NULL), SN_OK);
  return names;
}

SN_TEST(names_are_the_same_whether_shared_or_own) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "names", 0);
  const sn_names *table = table_create(&arena, "elbow", "wrist");
  sn_msg_names *shared = list_create(&arena);
  sn_msg_names *own = list_create(&arena);
  sn_msg_names_share(shared, table);
  assert_int_equal(sn_msg_names_add(own, "elbow!", 5), SN_OK);
  assert_false(sn__msg_names_equal(shared, own));
  assert_int_equal(sn_msg_names_add(own, "wrist", 5), SN_OK);
  assert_true(sn__msg_names_equal(shared, own));
  assert_true(sn__msg_names_equal(own, shared));
  const sn_msg_names *const lists[] = {shared, own};
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(lists[i]->count, 2);
    assert_string_equal(sn_msg_names_at(lists[i], 0), "elbow");
    assert_string_equal(sn_msg_names_at(lists[i], 1), "wrist");
    assert_int_equal(sn__msg_names_index(lists[i], "wrist"), 1);
    assert_int_equal(sn__msg_names_index(lists[i], "wris"), -1);
    assert_int_equal(sn__msg_names_index(lists[i], ""), -1);
    sn_assert_fault(sn_msg_names_at(lists[i], 2), "index < list->count");
  }
  sn_arena_release(&arena);
}

SN_TEST(order_and_bounds_of_names_matter) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "names", 0);
  sn_msg_names *a = list_create(&arena);
  sn_msg_names *b = list_create(&arena);
  sn_msg_names_share(a, table_create(&arena, "x", "y"));
  sn_msg_names_share(b, table_create(&arena, "y", "x"));
  assert_false(sn__msg_names_equal(a, b));
  sn_msg_names_share(b, table_create(&arena, "x", "y")); /* another table, the same names */
  assert_true(sn__msg_names_equal(a, b));
  sn_msg_names_clear(a);
  sn_msg_names_clear(b);
  assert_true(sn__msg_names_equal(a, b));
  sn_msg_names_add(a, "xy", 2);
  sn_msg_names_add(a, "", 0);
  sn_msg_names_add(b, "x", 1);
  sn_msg_names_add(b, "y", 1);
  assert_false(sn__msg_names_equal(a, b));
  sn_arena_release(&arena);
}

SN_TEST(own_names_are_limited_to_their_capacity) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "names", 0);
  sn_msg_names *list = list_create(&arena);
  const char *const long_name = "thirty-two bytes are one too many";
  assert_int_equal(sn_msg_names_add(list, long_name, 32), SN_ENOSPC);
  assert_int_equal(list->count, 0);
  assert_int_equal(sn_msg_names_add(list, long_name, 31), SN_OK);
  assert_int_equal(sn_msg_names_add(list, "", 0), SN_ENOSPC); /* no room for its NUL */
  sn_msg_names_clear(list);
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(sn_msg_names_add(list, "same", 4), SN_OK); /* a name may stand twice */
  }
  assert_int_equal(sn_msg_names_add(list, "", 0), SN_ENOSPC);
  assert_int_equal(list->count, 4);
  sn_arena_release(&arena);
}

SN_TEST(adding_to_a_shared_table_starts_a_list_of_its_own) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "names", 0);
  const sn_names *table = table_create(&arena, "x", "y");
  sn_msg_names *list = list_create(&arena);
  sn_msg_names_add(list, "old", 3);
  sn_msg_names_share(list, table);
  assert_int_equal(sn_msg_names_add(list, "much too long for this little list", 34), SN_ENOSPC);
  assert_ptr_equal(list->table, table); /* unchanged */
  assert_int_equal(sn_msg_names_add(list, "new", 3), SN_OK);
  assert_null(list->table);
  assert_int_equal(list->count, 1);
  assert_string_equal(sn_msg_names_at(list, 0), "new");
  sn_msg_names_share(list, NULL);
  assert_int_equal(list->count, 0);
  sn_arena_release(&arena);
}

SN_TEST(copies_share_tables_and_copy_texts) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "names", 0);
  const char *const texts[] = {"a", "b", "c", "d", "e", "f"};
  const sn_names *table = NULL;
  assert_int_equal(sn_names_create(&arena, texts, 6, &table, NULL), SN_OK);
  sn_msg_names *from = list_create(&arena);
  sn_msg_names *to = list_create(&arena);
  sn_msg_names_share(from, table); /* more names than either list has room for */
  assert_int_equal(sn_msg_names_copy(to, from), SN_OK);
  assert_ptr_equal(to->table, table);
  assert_int_equal(to->count, 6);
  sn_msg_names_clear(from);
  sn_msg_names_add(from, "own", 3);
  assert_int_equal(sn_msg_names_copy(to, from), SN_OK);
  sn_msg_names_clear(from);
  sn_msg_names_add(from, "!!!", 3);
  assert_string_equal(sn_msg_names_at(to, 0), "own");
  sn_msg_names none = {0};
  assert_int_equal(sn_msg_names_copy(&none, from), SN_ENOSPC);
  assert_int_equal(none.count, 0);
  sn_arena_release(&arena);
}
