#include <stdint.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "sn_test.h"

SN_TEST(buffer_never_grows_beyond_its_bound) {
  sn__buffer buffer = {.max = 64};
  for (int i = 0; i < 7; i++) {
    sn__buffer_append(&buffer, "0123456789", 10);
  }
  assert_true(buffer.failed);
  assert_int_equal(buffer.used, 60);
  sn__buffer_append(&buffer, "x", 1); /* would fit, but nothing follows a failure */
  assert_int_equal(buffer.used, 60);
  assert_null(sn__buffer_reserve(&buffer, SIZE_MAX));
  sn__buffer_clear(&buffer);
  assert_false(buffer.failed);
  sn__buffer_append(&buffer, "ab", 2);
  assert_memory_equal(buffer.data, "ab", 2);
  sn__buffer_free(&buffer);
  assert_null(buffer.data);
  assert_int_equal(buffer.max, 64);
}

SN_TEST(buffer_keeps_what_was_appended) {
  sn__buffer buffer = {0};
  for (unsigned i = 0; i < 100000; i++) {
    const unsigned char byte = (unsigned char)(i * 7);
    sn__buffer_append(&buffer, &byte, 1);
  }
  assert_false(buffer.failed);
  for (unsigned i = 0; i < 100000; i++) {
    assert_int_equal((unsigned char)buffer.data[i], (unsigned char)(i * 7));
  }
  sn__buffer_shrink(&buffer, 100);
  assert_null(buffer.data);
}

SN_TEST(list_grows_in_few_steps_and_keeps_its_items) {
  int *list = NULL;
  size_t capacity = 0;
  size_t moves = 0;
  for (int i = 0; i < 1000; i++) {
    const size_t before = capacity;
    list = sn__list_grow(list, &capacity, (size_t)i + 1, sizeof *list);
    assert_non_null(list);
    assert_true(capacity > (size_t)i);
    moves += capacity != before;
    list[i] = i;
  }
  assert_true(moves <= 10);
  for (int i = 0; i < 1000; i++) {
    assert_int_equal(list[i], i);
  }
  free(list);
}

SN_TEST(list_whose_size_overflows_stays_as_it_was) {
  size_t capacity = 0;
  int *list = sn__list_grow(NULL, &capacity, 4, sizeof *list);
  assert_non_null(list);
  const size_t before = capacity;
  assert_null(sn__list_grow(list, &capacity, SIZE_MAX / 2, sizeof *list));
  assert_null(sn__list_grow(list, &capacity, SIZE_MAX / sizeof *list + 2, sizeof *list));
  assert_int_equal(capacity, before);
  free(list);
}
