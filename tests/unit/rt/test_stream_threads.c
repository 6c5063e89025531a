#include <pthread.h>
#include <sched.h>

#include "rt/ports/stream.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { WRITERS = 3, LENGTH_MAX = 200 };

/* Content: `count` words, the first one of which is the number of the record. */
static bool put(sn__stream *stream, uint16_t tag, uint64_t number, size_t count) {
  uint64_t *words = sn__stream_begin(stream, count * sizeof *words);
  if (words == NULL) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(words[i], 0); /* the reader has cleared it */
    words[i] = number;
  }
  sn__stream_end(words, count * sizeof *words, tag);
  return true;
}

static size_t count_of(uint64_t number) {
  return 1 + (size_t)(number * 7919 % LENGTH_MAX);
}

static uint64_t check(const uint64_t *words) {
  for (size_t i = 1; i < count_of(words[0]); i++) {
    assert_int_equal(words[i], words[0]);
  }
  return words[0];
}

/* Oracle: a plain list of what must be waiting. Rings of many sizes, so that records end everywhere
   relative to the end of the ring. */
SN_TEST(a_random_walk_agrees_with_a_list) {
  enum { LIST = 4096 };
  static uint64_t list[LIST];
  sn_random random;
  for (uint64_t seed = 0; seed < 100; seed++) {
    sn_random_init(&random, seed);
    const size_t size = 4096 + 64 * sn_random_below(&random, 4000);
    sn__stream *stream = sn__stream_create(size);
    assert_non_null(stream);
    size_t first = 0, next = 0, refused = 0;
    uint64_t bytes = 0; /* of what waits */
    for (uint64_t i = 1; i < LIST; i++) {
      const bool is_reading = sn_random_below(&random, 1000) < (i / 256 % 2 == 0 ? 300 : 700);
      uint16_t tag = 0;
      const uint64_t *words = is_reading ? sn__stream_look(stream, &tag) : NULL;
      assert_int_equal(words != NULL, is_reading && first < next);
      if (words != NULL) {
        assert_int_equal(check(words), list[first]);
        assert_int_equal(tag, list[first] % 1000);
        bytes -= 8 * count_of(list[first++]) + 8;
        sn__stream_drop(stream);
      } else if (put(stream, (uint16_t)(i % 1000), i, count_of(i))) {
        bytes += 8 * count_of(i) + 8;
        list[next++] = i;
      } else {
        refused++;
        assert_true(bytes + 2 * (8 * LENGTH_MAX + 8) > size); /* it is full but for the end */
      }
      assert_true(bytes <= size);
    }
    (void)refused;
    sn__stream_destroy(stream);
  }
}

SN_TEST(what_has_half_the_size_fits_into_an_empty_ring_from_any_place) {
  sn__stream *stream = sn__stream_create(1024);
  for (size_t i = 0; i < 300; i++) {
    uint16_t tag = 0;
    assert_true(put(stream, 1, 0, 1 + i % 5));
    assert_non_null(sn__stream_look(stream, &tag));
    sn__stream_drop(stream);
    assert_true(put(stream, 1, 0, sn__stream_content_max(stream) / 8));
    assert_non_null(sn__stream_look(stream, &tag));
    sn__stream_drop(stream);
    assert_null(sn__stream_look(stream, &tag));
  }
  assert_null(sn__stream_begin(stream, 2048));
  sn__stream_destroy(stream);
}

/* Also with a ring of which a part would do: the same memory is used again and again. */
SN_TEST(a_reader_that_keeps_up_needs_a_short_part) {
  const size_t size = 1 << 20;
  sn__stream *stream = sn__stream_create(size);
  const uint8_t *beyond = stream->bytes + size / 4;
  for (uint64_t i = 1; i < 20000; i++) {
    uint16_t tag = 0;
    const uint64_t *words = NULL;
    assert_true(put(stream, 1, i, count_of(i)));
    while ((words = sn__stream_look(stream, &tag)) != NULL) {
      assert_true((const uint8_t *)words < beyond);
      sn__stream_drop(stream);
    }
  }
  sn__stream_destroy(stream);
}

/* A record that another thread has begun holds back those behind it, and keeps its place. */
SN_TEST(records_are_read_in_the_order_in_which_they_began) {
  sn__stream *stream = sn__stream_create(4096);
  uint16_t tag = 0;
  uint64_t *slow = sn__stream_begin(stream, 8);
  assert_true(put(stream, 2, 0, 4));
  assert_null(sn__stream_look(stream, &tag));
  sn__stream_end(slow, 8, 1);
  assert_non_null(sn__stream_look(stream, &tag));
  assert_int_equal(tag, 1);
  sn__stream_drop(stream);
  assert_non_null(sn__stream_look(stream, &tag));
  assert_int_equal(tag, 2);
  sn__stream_destroy(stream);
}

typedef struct writer {
  sn__stream *stream;
  pthread_t thread;
  uint16_t tag;
  uint64_t count, refused;
  _Atomic bool is_done;
} writer;

static void *write_all(void *data) {
  writer *w = data;
  for (uint64_t i = 1; i <= w->count; i++) {
    w->refused += !put(w->stream, w->tag, i, count_of(i));
    if (i % 64 == 0) {
      sched_yield(); /* on one core the reader must get a turn now and then */
    }
  }
  atomic_store(&w->is_done, true);
  return NULL;
}

static bool are_done(writer *writers) {
  bool good = true;
  for (size_t i = 0; i < WRITERS; i++) {
    good = atomic_load(&writers[i].is_done) && good;
  }
  return good;
}

/* Every record is either read, whole and in the order of its writer, or was refused. */
static void run_threads(size_t size) {
  writer writers[WRITERS];
  uint64_t last[WRITERS] = {0}, read[WRITERS] = {0};
  sn__stream *stream = sn__stream_create(size);
  for (uint16_t i = 0; i < WRITERS; i++) {
    writers[i] = (writer){.stream = stream, .tag = i, .count = sn_test_cases(30000)};
    assert_int_equal(pthread_create(&writers[i].thread, NULL, write_all, &writers[i]), 0);
  }
  for (bool is_last = false;;) {
    uint16_t tag = 0;
    const uint64_t *words = sn__stream_look(stream, &tag);
    if (words != NULL) {
      assert_true(tag < WRITERS);
      const uint64_t number = check(words);
      assert_true(number > last[tag]);
      last[tag] = number;
      read[tag]++;
      sn__stream_drop(stream);
    } else if (is_last) {
      break;
    } else {
      is_last = are_done(writers);
    }
  }
  for (size_t i = 0; i < WRITERS; i++) {
    pthread_join(writers[i].thread, NULL);
    assert_int_equal(read[i] + writers[i].refused, writers[i].count);
  }
  sn__stream_destroy(stream);
}

SN_TEST(threads_lose_nothing_uncounted) {
  run_threads(4096);
  run_threads(1 << 16);
  run_threads(1 << 20);
}
