#include <stdint.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "sn_test.h"

static void buffer_never_grows_beyond_its_bound(void **state) {
  (void)state;
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

static void buffer_keeps_what_was_appended(void **state) {
  (void)state;
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

static void list_grows_in_few_steps_and_keeps_its_items(void **state) {
  (void)state;
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

static void list_whose_size_overflows_stays_as_it_was(void **state) {
  (void)state;
  size_t capacity = 0;
  int *list = sn__list_grow(NULL, &capacity, 4, sizeof *list);
  assert_non_null(list);
  const size_t before = capacity;
  assert_null(sn__list_grow(list, &capacity, SIZE_MAX / 2, sizeof *list));
  assert_null(sn__list_grow(list, &capacity, SIZE_MAX / sizeof *list + 2, sizeof *list));
  assert_int_equal(capacity, before);
  free(list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(buffer_never_grows_beyond_its_bound),
      cmocka_unit_test(buffer_keeps_what_was_appended),
      cmocka_unit_test(list_grows_in_few_steps_and_keeps_its_items),
      cmocka_unit_test(list_whose_size_overflows_stays_as_it_was),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
