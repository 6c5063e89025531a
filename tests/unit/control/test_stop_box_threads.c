#include <pthread.h>

#include "control/stop_box.h"
#include "sn_test.h"

enum { CALLERS = 4 };

static void first_wish_is_told_with_its_text(void **state) {
  (void)state;
  sn__stop_box box = {0};
  sn__stop_text text;
  assert_int_equal(sn__stop_box_count(&box), 0);
  assert_false(sn__stop_box_take(&box, 0, &text));
  sn__stop_box_put(&box, "operator", "a\x1b[31mred reason");
  sn__stop_box_put(&box, "somebody", "else");
  assert_int_equal(sn__stop_box_count(&box), 2);
  assert_true(sn__stop_box_take(&box, 0, &text));
  assert_string_equal(text.who, "operator");
  assert_string_equal(text.why, "a\\x1b[31mred reason");
  assert_false(sn__stop_box_take(&box, 1, &text)); /* emptied together */
}

static void full_box_still_counts(void **state) {
  (void)state;
  sn__stop_box box = {0};
  sn__stop_text text;
  for (int i = 0; i < 100; i++) {
    sn__stop_box_put(&box, "w", "y");
  }
  assert_int_equal(sn__stop_box_count(&box), 100);
  assert_true(sn__stop_box_take(&box, 0, &text));
  sn__stop_box_put(&box, "new", "one");
  assert_true(sn__stop_box_take(&box, 100, &text));
  assert_string_equal(text.who, "new");
}

typedef struct caller {
  sn__stop_box *box;
  size_t count;
  char who[2];
} caller;

static void *call(void *context) {
  const caller *c = context;
  for (size_t i = 0; i < c->count; i++) {
    sn__stop_box_put(c->box, c->who, c->who);
  }
  return NULL;
}

static void no_wish_is_lost_and_no_text_is_a_mixture(void **state) {
  (void)state;
  static sn__stop_box box;
  caller callers[CALLERS];
  pthread_t threads[CALLERS];
  const size_t count = sn_test_cases(20000);
  for (int i = 0; i < CALLERS; i++) {
    callers[i] = (caller){.box = &box, .count = count, .who = {(char)('a' + i), '\0'}};
    assert_int_equal(pthread_create(&threads[i], NULL, call, &callers[i]), 0);
  }
  uint64_t seen = 0;
  while (seen < CALLERS * count) {
    sn__stop_text text;
    const uint64_t before = seen;
    seen = sn__stop_box_count(&box);
    assert_true(seen >= before);
    if (sn__stop_box_take(&box, before, &text)) {
      assert_string_equal(text.who, text.why);
      assert_int_equal(strlen(text.who), 1);
    }
  }
  for (int i = 0; i < CALLERS; i++) {
    pthread_join(threads[i], NULL);
  }
  assert_int_equal(sn__stop_box_count(&box), CALLERS * count);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_wish_is_told_with_its_text),
      cmocka_unit_test(full_box_still_counts),
      cmocka_unit_test(no_wish_is_lost_and_no_text_is_a_mixture),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
