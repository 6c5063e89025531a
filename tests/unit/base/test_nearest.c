#include "base/nearest.h"
#include "sinew/random.h"
#include "sn_test.h"

/* Oracle: the recurrence itself, without any table. */
static size_t slow_distance(const char *a, size_t m, const char *b, size_t n) {
  if (m == 0 || n == 0) {
    return m + n;
  }
  size_t best = slow_distance(a, m - 1, b, n - 1) + (a[m - 1] != b[n - 1]);
  const size_t left = slow_distance(a, m - 1, b, n) + 1;
  const size_t right = slow_distance(a, m, b, n - 1) + 1;
  best = left < best ? left : best;
  best = right < best ? right : best;
  if (m > 1 && n > 1 && a[m - 1] == b[n - 2] && a[m - 2] == b[n - 1]) {
    const size_t swapped = slow_distance(a, m - 2, b, n - 2) + 1;
    best = swapped < best ? swapped : best;
  }
  return best;
}

SN_TEST(distance_is_that_of_the_recurrence) {
  sn_random random;
  sn_random_init(&random, 5);
  for (size_t k = sn_test_cases(500); k > 0; k--) {
    char words[2][8] = {"", ""};
    for (size_t w = 0; w < 2; w++) {
      const size_t length = sn_random_bits(&random) % 6;
      for (size_t i = 0; i < length; i++) {
        words[w][i] = (char)('a' + sn_random_bits(&random) % 3);
      }
    }
    assert_int_equal(sn__edit_distance(words[0], words[1]),
                     slow_distance(words[0], strlen(words[0]), words[1], strlen(words[1])));
  }
}

static const char *nearest_of(const char *wanted, const char *const *names) {
  sn__nearest nearest;
  sn__nearest_init(&nearest, wanted);
  for (; *names != NULL; names++) {
    sn__nearest_offer(&nearest, *names);
  }
  return nearest.name;
}

SN_TEST(typing_errors_are_recognised_and_other_words_are_not) {
  static const char *const names[] = {"gain", "period", "activation_delay", "x", NULL};
  assert_string_equal(nearest_of("gian", names), "gain");
  assert_string_equal(nearest_of("GAIN", names), "gain");
  assert_string_equal(nearest_of("preiod", names), "period");
  assert_string_equal(nearest_of("activationDelay", names), "activation_delay");
  assert_null(nearest_of("y", names));
  assert_null(nearest_of("", names));
  assert_null(nearest_of("deadline", names));
  char text[64];
  sn__nearest nearest;
  sn__nearest_init(&nearest, "gan");
  assert_null(sn__nearest_hint(&nearest, text, sizeof text, NULL));
  sn__nearest_offer(&nearest, "gain");
  assert_string_equal(sn__nearest_hint(&nearest, text, sizeof text, NULL), "did you mean 'gain'?");
}

SN_TEST(long_names_are_never_suggested) {
  char a[200];
  memset(a, 'a', sizeof a);
  a[199] = '\0';
  assert_true(sn__edit_distance(a, "b") == SIZE_MAX);
  const char *const names[] = {a, "aaa", NULL};
  assert_ptr_equal(nearest_of(a, names), a);
  assert_string_equal(nearest_of("aaaa", names), "aaa");
}
