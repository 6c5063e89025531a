#include <pthread.h>
#include <sched.h>

#include "rt/ports/queue.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { LENGTH_MAX = 8, WIDTH = 8 };

typedef struct shared {
  sn__queue queue;
  unsigned char memory[4096];
  uint64_t slots[LENGTH_MAX + 3][WIDTH];
  uint64_t count;
  bool drop_oldest;
  uint64_t dropped, refused;
  _Atomic bool is_done;
} shared;

static void start(shared *s, uint64_t length, bool drop_oldest) {
  memset(s, 0, sizeof *s);
  sn_arena arena;
  sn_arena_init(&arena, "queue", s->memory, sizeof s->memory);
  assert_true(sn__queue_init(&s->queue, &arena, length));
  s->drop_oldest = drop_oldest;
}

static sn__queue_result put(shared *s, uint64_t value) {
  for (size_t k = 0; k < WIDTH; k++) {
    s->slots[s->queue.back][k] = value;
  }
  const sn__queue_result result = sn__queue_push(&s->queue, s->drop_oldest);
  s->dropped += result == SN__QUEUE_DROPPED ? 1 : 0;
  s->refused += result == SN__QUEUE_REFUSED ? 1 : 0;
  return result;
}

/* Oracle: a plain list that holds the values that must be waiting. */
SN_TEST(a_random_walk_agrees_with_a_list) {
  static shared s;
  sn_random random;
  for (uint64_t seed = 0; seed < 200; seed++) {
    sn_random_init(&random, seed);
    const uint64_t length = 1 + sn_random_below(&random, LENGTH_MAX);
    start(&s, length, sn_random_below(&random, 2) == 0);
    uint64_t list[LENGTH_MAX];
    uint64_t count = 0;
    for (uint64_t i = 1; i < 400; i++) {
      if (sn_random_below(&random, 5) < 3) {
        const sn__queue_result result = put(&s, i);
        if (count < length) {
          assert_int_equal(result, SN__QUEUE_GOOD);
          list[count++] = i;
        } else if (s.drop_oldest) {
          assert_int_equal(result, SN__QUEUE_DROPPED);
          memmove(list, list + 1, (count - 1) * sizeof *list);
          list[count - 1] = i;
        } else {
          assert_int_equal(result, SN__QUEUE_REFUSED);
        }
      } else {
        assert_int_equal(sn__queue_pop(&s.queue), count > 0);
        if (count > 0) {
          assert_int_equal(s.slots[s.queue.front][0], list[0]);
          memmove(list, list + 1, --count * sizeof *list);
        }
      }
      assert_int_equal(sn__queue_count(&s.queue), count);
    }
  }
}

/* However long the queue is: also after a crowd, once its slots have come back. */
SN_TEST(a_reader_that_keeps_up_needs_few_slots) {
  static shared s;
  for (uint64_t crowd = 0; crowd <= LENGTH_MAX + 2; crowd++) {
    start(&s, LENGTH_MAX, true);
    for (uint64_t i = 0; i < crowd; i++) {
      put(&s, i);
    }
    while (sn__queue_pop(&s.queue)) {
    }
    bool is_used[LENGTH_MAX + 3] = {false};
    size_t used = 0;
    for (uint64_t i = 0; i < 1000; i++) {
      if (i >= LENGTH_MAX && !is_used[s.queue.back]) {
        is_used[s.queue.back] = true;
        used++;
      }
      assert_int_equal(put(&s, i), SN__QUEUE_GOOD);
      assert_true(sn__queue_pop(&s.queue));
      assert_int_equal(s.slots[s.queue.front][0], i);
    }
    assert_true(used <= 3);
  }
}

static void *write_all(void *data) {
  shared *s = data;
  for (uint64_t i = 1; i <= s->count; i++) {
    put(s, i);
    if (i % 64 == 0) {
      sched_yield(); /* on one core the reader must get a turn now and then */
    }
  }
  atomic_store(&s->is_done, true);
  return NULL;
}

/* Every message is either read, whole and in order, or counted as lost: none vanishes. */
static void run_threads(uint64_t length, bool drop_oldest) {
  static shared s;
  start(&s, length, drop_oldest);
  s.count = sn_test_cases(100000);
  pthread_t writer;
  assert_int_equal(pthread_create(&writer, NULL, write_all, &s), 0);
  uint64_t last = 0;
  uint64_t read = 0;
  for (;;) {
    const bool was_done = atomic_load(&s.is_done);
    if (sn__queue_pop(&s.queue)) {
      const uint64_t *slot = s.slots[s.queue.front];
      assert_true(slot[0] > last);
      for (size_t k = 1; k < WIDTH; k++) {
        assert_int_equal(slot[k], slot[0]);
      }
      last = slot[0];
      read++;
    } else if (was_done) {
      break;
    }
  }
  pthread_join(writer, NULL);
  assert_int_equal(read + s.dropped + s.refused, s.count);
  assert_int_equal(drop_oldest ? s.refused : s.dropped, 0);
  if (drop_oldest) {
    assert_int_equal(last, s.count); /* the newest always arrives */
  }
}

SN_TEST(two_threads_lose_nothing_uncounted) {
  run_threads(1, true);
  run_threads(1, false);
  run_threads(LENGTH_MAX, true);
  run_threads(LENGTH_MAX, false);
}
