/* Oracle: jansson reads back what the writer wrote. */
#include <jansson.h>
#include <math.h>

#include "base/json.h"
#include "base/text.h"
#include "sinew/random.h"
#include "sn_test.h"

SN_TEST(writer_separates_values_and_names_them) {
  sn__buffer out = {0};
  sn__json_open(&out, NULL, '{');
  sn__json_int(&out, "a", -3);
  sn__json_open(&out, "b", '[');
  sn__json_bool(&out, NULL, true);
  sn__json_real(&out, NULL, 0.5);
  sn__json_null(&out, NULL);
  sn__json_open(&out, NULL, '{');
  sn__json_close(&out, '}');
  sn__json_close(&out, ']');
  sn__json_count(&out, "n", UINT64_MAX);
  sn__json_raw(&out, "r", "[1]", 3);
  sn__json_text(&out, "c", "\"\n\x01\\");
  sn__json_close(&out, '}');
  static const char expected[] =
      "{\"a\":-3,\"b\":[true,0.5,null,{}],\"n\":18446744073709551615,\"r\":[1],"
      "\"c\":\"\\\"\\u000a\\u0001\\\\\"}";
  assert_int_equal(out.used, sizeof expected - 1);
  assert_memory_equal(out.data, expected, out.used);
  sn__buffer_free(&out);
}

SN_TEST(number_that_is_not_finite_is_null) {
  sn__buffer out = {0};
  sn__json_open(&out, NULL, '[');
  sn__json_real(&out, NULL, (double)NAN);
  sn__json_real(&out, NULL, (double)INFINITY);
  sn__json_real(&out, NULL, -0.0);
  sn__json_close(&out, ']');
  assert_int_equal(out.used, 16);
  assert_memory_equal(out.data, "[null,null,-0.0]", 16);
  sn__buffer_free(&out);
}

static bool is_utf8(const char *text) {
  size_t length = 1;
  while (*text != '\0' && length > 0) {
    length = sn__text_utf8_length(text);
    text += length;
  }
  return length > 0;
}

/* Bytes that make up two- and three-byte characters now and then. */
static void random_text(sn_random *random, char *text, size_t size) {
  static const unsigned char lead[] = {'a', '"', '\\', 0x7F, 0x01, 0xC2, 0x85, 0xE2, 0x80, 0xA8};
  const size_t length = (size_t)(sn_random_bits(random) % size);
  for (size_t i = 0; i < length; i++) {
    const uint64_t bits = sn_random_bits(random);
    const unsigned byte = bits & 256 ? lead[(bits >> 9) % sizeof lead] : (unsigned)(bits & 255);
    text[i] = (char)(byte == 0 ? 'z' : byte);
  }
  text[length] = '\0';
}

SN_TEST(every_text_is_valid_json_and_reads_back) {
  sn_random random;
  sn_random_init(&random, 11);
  sn__buffer out = {0};
  for (size_t k = sn_test_cases(5000); k > 0; k--) {
    char text[24];
    random_text(&random, text, sizeof text);
    sn__buffer_clear(&out);
    sn__json_text(&out, NULL, text);
    json_t *json = json_loadb(out.data, out.used, JSON_DECODE_ANY, NULL);
    assert_non_null(json);
    if (is_utf8(text)) {
      assert_string_equal(json_string_value(json), text);
    }
    for (size_t i = 0; i < out.used; i++) {
      assert_true((unsigned char)out.data[i] >= 0x20 && out.data[i] != 0x7F);
    }
    json_decref(json);
  }
  sn__buffer_free(&out);
}
