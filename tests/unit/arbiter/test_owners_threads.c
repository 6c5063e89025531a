#include <pthread.h>
#include <stdatomic.h>

#include "arbiter/owners.h"
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
