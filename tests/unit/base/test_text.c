#include "base/text.h"
#include "sinew/random.h"
#include "sn_test.h"

/* A second decoder: by the value of the code point, not by the ranges of its bytes. Returns the
   length of the character at text, 0 if there is none; *point is its code point. */
static size_t decode(const unsigned char *text, size_t length, uint32_t *point) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned lead = text[0];
  const size_t size = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : 4;
  if ((size == 4 && lead >> 3 != 30) || size > length) {
    return 0;
  }
  uint32_t value = size == 1 ? lead : lead & (0x7Fu >> size);
  for (size_t i = 1; i < size; i++) {
    if (text[i] >> 6 != 2) {
      return 0;
    }
    value = value << 6 | (text[i] & 0x3Fu);
  }
  *point = value;
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  return value < least[size] || value > 0x10FFFF || is_surrogate ? 0 : size;
}

static size_t encode(uint32_t point, char *text) {
  if (point < 0x80) {
    text[0] = (char)point;
    return 1;
  }
  const size_t size = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  for (size_t i = size; i-- > 1; point >>= 6) {
    text[i] = (char)(0x80 | (point & 0x3F));
  }
  text[0] = (char)((0xF00u >> size & 0xFF) | point);
  return size;
}

static bool is_control_point(uint32_t point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0);
}

/* What the cleaned text should be, without a bound. */
static size_t clean_by_points(const char *text, char *out) {
  const size_t length = strlen(text);
  size_t used = 0;
  for (size_t i = 0; i < length;) {
    const unsigned char *at = (const unsigned char *)text + i;
    uint32_t point = 0;
    const size_t size = decode(at, length - i, &point);
    const size_t step = size == 0 ? 1 : size;
    for (size_t j = 0; j < step; j++) {
      if (size == 0 || is_control_point(point)) {
        used += (size_t)snprintf(out + used, 5, "\\x%02x", (unsigned)at[j]);
      } else {
        out[used++] = (char)at[j];
      }
    }
    i += step;
  }
  out[used] = '\0';
  return used;
}

/* Random bytes, rich in control characters and in starts, middles and pieces of UTF-8. */
static void random_text(sn_random *random, char *text, size_t length) {
  size_t used = 0;
  while (used < length) {
    char piece[4];
    size_t size = 1;
    switch (sn_random_below(random, 4)) {
      case 0:
        piece[0] = (char)(1 + sn_random_below(random, 255));
        break;
      case 1:
        piece[0] = (char)('a' + sn_random_below(random, 26));
        break;
      case 2:
        size = encode((uint32_t)(0x80 + sn_random_below(random, 0x110000 - 0x80)), piece);
        break;
      default:
        size = encode((uint32_t)(0x80 + sn_random_below(random, 0x40)), piece);
        break;
    }
    size -= sn_random_below(random, 8) == 0 && size > 1; /* sometimes cut short */
    for (size_t i = 0; i < size && used < length; i++) {
      text[used++] = piece[i];
    }
  }
  text[used] = '\0';
}

SN_TEST(every_code_point_passes_unless_it_is_a_control) {
  for (uint32_t point = 1; point <= 0x10FFFF; point++) {
    char text[5];
    char cleaned[32];
    text[encode(point, text)] = '\0';
    const size_t length = sn__text_clean(text, cleaned, sizeof cleaned);
    const bool is_surrogate = point >= 0xD800 && point <= 0xDFFF;
    const bool passes = !is_control_point(point) && !is_surrogate;
    if ((strcmp(cleaned, text) == 0) != passes || sn__text_has_control(text) == passes) {
      fail_msg("U+%04X came out as '%s'", (unsigned)point, cleaned);
    }
    assert_int_equal(length, strlen(cleaned));
  }
}

SN_TEST(random_bytes_are_cleaned_as_by_code_points) {
  sn_random random;
  sn_random_init(&random, 1);
  const size_t cases = sn_test_cases(100000);
  for (size_t i = 0; i < cases; i++) {
    char text[32];
    char expected[200];
    char cleaned[200];
    random_text(&random, text, sn_random_below(&random, 31));
    const size_t length = clean_by_points(text, expected);
    assert_int_equal(sn__text_clean(text, cleaned, sizeof cleaned), length);
    assert_string_equal(cleaned, expected);
    assert_int_equal(sn__text_has_control(text), strcmp(text, expected) != 0);
    assert_false(sn__text_has_control(cleaned));
  }
}

/* For any size: the whole text, or the longest prefix of whole characters followed by "...".
 * Nothing is written past the end. */
static void assert_cut_well(const char *text, size_t size) {
  char whole[400];
  char cut[400];
  const size_t whole_length = clean_by_points(text, whole);
  memset(cut, '#', sizeof cut);
  const size_t length = sn__text_clean(text, cut, size);
  for (size_t i = size; i < sizeof cut; i++) {
    assert_int_equal(cut[i], '#');
  }
  if (size == 0) {
    assert_int_equal(length, 0);
    return;
  }
  assert_int_equal(length, strlen(cut));
  assert_true(length < size);
  if (whole_length < size) {
    assert_string_equal(cut, whole);
  } else if (size < 4) {
    assert_memory_equal(cut, "...", length);
    assert_int_equal(length, size - 1);
  } else {
    assert_string_equal(cut + length - 3, "...");
    assert_memory_equal(cut, whole, length - 3);
    cut[length - 3] = '\0';
    assert_false(sn__text_has_control(cut));
    assert_true(size - 1 - length < 8); /* the largest piece is \xNN\xNN */
  }
}

SN_TEST(text_is_cut_at_a_whole_character) {
  sn_random random;
  sn_random_init(&random, 2);
  const size_t cases = sn_test_cases(2000);
  for (size_t i = 0; i < cases; i++) {
    char text[40];
    random_text(&random, text, sn_random_below(&random, 39));
    for (size_t size = 0; size < 80; size++) {
      assert_cut_well(text, size);
    }
  }
}

__attribute__((format(printf, 3, 4))) static size_t format(char *out, size_t size,
                                                           const char *pattern, ...) {
  va_list args;
  va_start(args, pattern);
  const size_t length = sn__text_format(out, size, pattern, args);
  va_end(args);
  return length;
}

SN_TEST(formatted_text_is_cleaned_too) {
  char text[64];
  const size_t length = format(text, sizeof text, "joint '%s': %d", "a\tb\x9B", 7);
  assert_string_equal(text, "joint 'a\\x09b\\x9b': 7");
  assert_int_equal(length, strlen(text));
}

SN_TEST(formatted_text_beyond_the_line_ends_with_dots) {
  static const char *const characters[] = {"a", "\u00e4", "\u20ac", "\U0001F916"};
  for (size_t i = 0; i < 4; i++) {
    for (size_t length = SN__TEXT_MAX - 12; length < SN__TEXT_MAX + 12; length++) {
      char name[2 * SN__TEXT_MAX] = "";
      char text[4 * SN__TEXT_MAX];
      size_t used = length % (i + 1); /* so that the line is cut within a character or not */
      memset(name, '-', used);
      for (; used < length; used += i + 1) {
        memcpy(name + used, characters[i], i + 1);
      }
      const size_t written = format(text, sizeof text, "%s", name);
      assert_int_equal(written, strlen(text));
      const bool has_dots = strcmp(text + written - 3, "...") == 0;
      assert_true(has_dots || (length < SN__TEXT_MAX && written == length));
      assert_null(strchr(text, '\\')); /* no partial character before the dots */
    }
  }
}
