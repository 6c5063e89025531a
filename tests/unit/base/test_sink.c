#include "base/number.h"
#include "base/sink.h"
#include "sinew/random.h"
#include "sn_test.h"

static const char *quoted(const char *text) {
  static char out[256];
  sn__sink sink = {.out = out, .size = sizeof out};
  sn__sink_quoted(&sink, text);
  const size_t length = sn__sink_end(&sink);
  assert_int_equal(length, strlen(out));
  return out;
}

SN_TEST(quoted_text_reads_back_as_json_and_yaml) {
  assert_string_equal(quoted(""), "\"\"");
  assert_string_equal(quoted("a b"), "\"a b\"");
  assert_string_equal(quoted("\"\\/"), "\"\\\"\\\\/\"");
  assert_string_equal(quoted("\t\n\x1b\x7f"), "\"\\u0009\\u000a\\u001b\\u007f\"");
  assert_string_equal(quoted("\xC2\x85\xC2\xA0"), "\"\\u0085\xC2\xA0\"");
  assert_string_equal(quoted("\xE2\x80\xA7\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\xAA"),
                      "\"\xE2\x80\xA7\\u2028\\u2029\xE2\x80\xAA\"");
  assert_string_equal(quoted("\xEF\xBB\xBF\xEF\xBF\xBD\xEF\xBF\xBE\xEF\xBF\xBF"),
                      "\"\\ufeff\xEF\xBF\xBD\\ufffe\\uffff\"");
  assert_string_equal(quoted("\xF0\x9F\xA6\xBF"), "\"\xF0\x9F\xA6\xBF\"");
  assert_string_equal(quoted("a\xFFz\xC3"), "\"a\\ufffdz\\ufffd\"");
}

SN_TEST(numbers_read_back_the_same) {
  sn_random random;
  sn_random_init(&random, 3);
  for (size_t i = sn_test_cases(2000); i > 0; i--) {
    union {
      uint64_t bits;
      double real;
    } u = {.bits = sn_random_bits(&random)};
    u.real = i == 1 ? -0.0 : u.real;
    if (!isfinite(u.real)) {
      continue;
    }
    char out[64];
    sn__sink sink = {.out = out, .size = sizeof out};
    sn__sink_number(&sink, u.real);
    const size_t length = sn__sink_end(&sink);
    union {
      double real;
      uint64_t bits;
    } back;
    assert_int_equal(sn__number_parse(out, length, &back.real), SN__NUMBER_OK);
    assert_true(back.bits == u.bits);
  }
}

SN_TEST(text_without_room_is_counted) {
  for (size_t size = 0; size < 8; size++) {
    char out[8] = "xxxxxxx";
    sn__sink sink = {.out = out, .size = size};
    sn__sink_text(&sink, "ab");
    sn__sink_signed(&sink, -34);
    assert_int_equal(sn__sink_end(&sink), 5);
    assert_int_equal(size == 0 ? 0 : strlen(out), size == 0 ? 0 : size < 6 ? size - 1 : 5);
    assert_memory_equal(out, "ab-34", size == 0 ? 0 : strlen(out));
  }
}
