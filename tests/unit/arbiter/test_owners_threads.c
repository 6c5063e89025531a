#include <pthread.h>
#include <stdatomic.h>

#include "arbiter/owners.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { JOINTS = 16 };

SN_TEST(table_changes_as_a_whole_and_only_by_commit) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "owners", 0);
  sn_owners *owners = sn__owners_create(&arena, JOINTS);
  assert_non_null(owners);
  sn_component a = {.name = "a"};
  sn_component b = {.name = "b"};
  assert_int_equal(sn__owners_now(owners)->version, 0);
  sn_owner_table *next = sn__owners_prepare(owners);
  next->owners[3] = &a;
  assert_null(sn__owners_now(owners)->owners[3]);
  sn__owners_commit(owners);
  assert_ptr_equal(sn__owners_now(owners)->owners[3], &a);
  next = sn__owners_prepare(owners);
  next->owners[4] = &b;
  sn__owners_commit(owners);
  const sn_owner_table *now = sn__owners_now(owners);
  assert_int_equal(now->version, 2);
  assert_ptr_equal(now->owners[3], &a); /* what was not changed stays */
  assert_ptr_equal(now->owners[4], &b);
  sn_arena_release(&arena);
}

/* A table with a history: of each joint the present owner and the one before it. */
typedef struct history {
  const sn_component *now[JOINTS], *before[JOINTS];
} history;

static void expect_history(const sn_owner_table *table, const history *h) {
  for (size_t j = 0; j < JOINTS; j++) {
    assert_ptr_equal(table->owners[j], h->now[j]);
    assert_ptr_equal(table->former[j], h->before[j]);
  }
}

/* Tables that are overtaken before they were read leave no gap in what is remembered. */
SN_TEST(the_owner_before_is_remembered_whichever_tables_are_read) {
  static const sn_component people[3] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
  sn_arena arena;
  sn_random random;
  sn_random_init(&random, 7);
  sn_arena_init_growing(&arena, "owners", 0);
  sn_owners *owners = sn__owners_create(&arena, JOINTS);
  history h = {.now = {NULL}};
  for (uint64_t version = 1; version <= 2000; version++) {
    sn_owner_table *next = sn__owners_prepare(owners);
    for (size_t j = 0; j < JOINTS; j++) {
      const size_t who = sn_random_below(&random, 8); /* mostly as it was */
      if (who < 4) {
        next->owners[j] = who < 3 ? &people[who] : NULL;
        h.before[j] = next->owners[j] == h.now[j] ? h.before[j] : h.now[j];
        h.now[j] = next->owners[j];
      }
    }
    sn__owners_commit(owners);
    if (sn_random_below(&random, 2) == 0) {
      const sn_owner_table *now = sn__owners_now(owners);
      assert_int_equal(now->version, version);
      expect_history(now, &h);
    }
  }
  sn_arena_release(&arena);
}

/* The reader has one table for its whole cycle. */
SN_TEST(a_table_that_is_read_does_not_change_whatever_is_committed) {
  static const sn_component people[3] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
  sn_arena arena;
  sn_arena_init_growing(&arena, "owners", 0);
  sn_owners *owners = sn__owners_create(&arena, JOINTS);
  for (size_t cycle = 0; cycle < 50; cycle++) {
    const sn_owner_table *now = sn__owners_now(owners);
    history before;
    memcpy(before.now, now->owners, sizeof before.now);
    memcpy(before.before, now->former, sizeof before.before);
    for (size_t i = 0; i < 1 + cycle % 3; i++) {
      sn_owner_table *next = sn__owners_prepare(owners);
      for (size_t j = 0; j < JOINTS; j++) {
        next->owners[j] = &people[(cycle + i + j) % 3];
      }
      sn__owners_commit(owners);
      expect_history(now, &before);
    }
  }
  sn_arena_release(&arena);
}

SN_TEST(a_table_needs_all_of_its_memory_and_no_more) {
  static _Alignas(16) unsigned char memory[8192];
  static const sn_component person = {.name = "a"};
  sn_owners *owners = NULL;
  size_t size = 0;
  sn_arena arena;
  for (; owners == NULL; size += 8) {
    assert_true(size + 1024 <= sizeof memory);
    memset(memory, 0xAA, sizeof memory);
    sn_arena_init(&arena, "little", memory, size);
    owners = sn__owners_create(&arena, JOINTS);
    assert_true(owners != NULL || sn_arena_used(&arena) == 0);
  }
  for (size_t i = 0; i < 6; i++) { /* all slots come round */
    sn_owner_table *next = sn__owners_prepare(owners);
    next->owners[i] = next->owners[JOINTS - 1 - i] = &person;
    sn__owners_commit(owners);
    const sn_owner_table *now = sn__owners_now(owners);
    for (size_t j = 0; j < JOINTS; j++) {
      assert_ptr_equal(now->owners[j], j <= i || j >= JOINTS - 1 - i ? &person : NULL);
      assert_null(now->former[j]);
    }
  }
  for (size_t i = size - 8; i < sizeof memory; i++) { /* the loop has counted on */
    assert_int_equal(memory[i], 0xAA);
  }
}

typedef struct race {
  sn_owners *owners;
  const sn_component *people;
  size_t count;
  atomic_bool is_over;
} race;

static void *hand_over(void *context) {
  race *r = context;
  for (size_t i = 0; i < r->count; i++) {
    sn_owner_table *next = sn__owners_prepare(r->owners);
    for (size_t j = 0; j < JOINTS; j++) {
      next->owners[j] = &r->people[i % 3];
    }
    sn__owners_commit(r->owners);
  }
  atomic_store(&r->is_over, true);
  return NULL;
}

SN_TEST(reader_never_sees_a_mixture) {
  static const sn_component people[3] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
  sn_arena arena;
  sn_arena_init_growing(&arena, "owners", 0);
  race r = {.owners = sn__owners_create(&arena, JOINTS),
            .people = people,
            .count = sn_test_cases(200000)};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, hand_over, &r), 0);
  uint64_t version = 0;
  while (!atomic_load(&r.is_over)) {
    const sn_owner_table *now = sn__owners_now(r.owners);
    assert_true(now->version >= version);
    version = now->version;
    for (size_t j = 1; j < JOINTS; j++) {
      assert_ptr_equal(now->owners[j], now->owners[0]);
    }
  }
  pthread_join(thread, NULL);
  assert_int_equal(sn__owners_now(r.owners)->version, r.count);
  sn_arena_release(&arena);
}
