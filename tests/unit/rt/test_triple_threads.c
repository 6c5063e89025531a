#include <pthread.h>

#include "rt/ports/triple.h"
#include "sn_test.h"

/* A slot is good if all its numbers are the same: half-written ones are not. */
enum { WIDTH = 16 };

typedef struct shared {
  sn__triple triple;
  uint64_t slots[SN__TRIPLE_SLOTS][WIDTH];
  uint64_t count;
} shared;

static void put(shared *s, uint64_t value) {
  for (size_t k = 0; k < WIDTH; k++) {
    s->slots[s->triple.back][k] = value;
  }
  sn__triple_publish(&s->triple);
}

static void *write_all(void *data) {
  shared *s = data;
  for (uint64_t i = 1; i <= s->count; i++) {
    put(s, i);
  }
  return NULL;
}

SN_TEST(nothing_is_there_before_the_first_write) {
  static shared s;
  sn__triple_init(&s.triple);
  assert_false(sn__triple_take(&s.triple));
}

SN_TEST(a_reader_sees_the_latest_once) {
  static shared s;
  sn__triple_init(&s.triple);
  put(&s, 1);
  put(&s, 2);
  put(&s, 3);
  assert_true(sn__triple_take(&s.triple));
  assert_int_equal(s.slots[s.triple.front][0], 3);
  assert_false(sn__triple_take(&s.triple));
  assert_int_equal(s.slots[s.triple.front][WIDTH - 1], 3); /* old data stays readable */
}

SN_TEST(a_reader_in_another_thread_sees_whole_and_ever_newer_values) {
  static shared s;
  sn__triple_init(&s.triple);
  s.count = sn_test_cases(200000);
  pthread_t writer;
  assert_int_equal(pthread_create(&writer, NULL, write_all, &s), 0);
  uint64_t last = 0;
  while (last < s.count) {
    if (sn__triple_take(&s.triple)) {
      const uint64_t *slot = s.slots[s.triple.front];
      assert_true(slot[0] > last);
      for (size_t k = 1; k < WIDTH; k++) {
        assert_int_equal(slot[k], slot[0]);
      }
      last = slot[0];
    }
  }
  pthread_join(writer, NULL);
}
