#include "base/sink.h"

#include <math.h>
#include <stdbool.h>

#include "base/number.h"
#include "base/text.h"

void sn__sink_unsigned(sn__sink *sink, uint64_t value) {
  char digits[20];
  size_t first = sizeof digits;
  do {
    digits[--first] = (char)('0' + value % 10);
    value /= 10;
  } while (value > 0);
  sn__sink_put(sink, digits + first, sizeof digits - first);
}

void sn__sink_signed(sn__sink *sink, int64_t value) {
  if (value < 0) {
    sn__sink_put(sink, "-", 1);
  }
  sn__sink_unsigned(sink, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* In integers: a double does not hold all nanoseconds. */
void sn__sink_seconds(sn__sink *sink, int64_t time_ns) {
  const uint64_t per_s = 1000000000;
  const uint64_t size_ns = time_ns < 0 ? 0 - (uint64_t)time_ns : (uint64_t)time_ns;
  sn__sink_text(sink, time_ns < 0 ? "-" : "");
  sn__sink_unsigned(sink, size_ns / per_s);
  char decimals[10] = ".";
  uint64_t rest = size_ns % per_s;
  for (size_t i = sizeof decimals - 1; i > 0; i--) {
    decimals[i] = (char)('0' + rest % 10);
    rest /= 10;
  }
  sn__sink_put(sink, decimals, sizeof decimals);
}

void sn__sink_number(sn__sink *sink, double value) {
  char text[SN__NUMBER_SIZE];
  if (value == 0.0 && signbit(value)) {
    sn__sink_text(sink, "-0.0"); /* "-0" would be read as an integer, which has no sign */
  } else {
    sn__sink_put(sink, text, sn__number_format(value, text));
  }
}

static unsigned decode(const char *text, size_t length) {
  static const unsigned masks[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  unsigned code = (unsigned char)text[0] & masks[length];
  for (size_t i = 1; i < length; i++) {
    code = code << 6 | ((unsigned char)text[i] & 0x3F);
  }
  return code;
}

/* YAML 1.1 takes U+0085, U+2028 and U+2029 for line ends and refuses U+FFFE and U+FFFF. */
static bool must_be_escaped(unsigned code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029 ||
         code == 0xFEFF || code == 0xFFFE || code == 0xFFFF;
}

void sn__sink_quoted(sn__sink *sink, const char *text) {
  static const char hex[] = "0123456789abcdef";
  sn__sink_put(sink, "\"", 1);
  for (const char *at = text; *at != '\0';) {
    const size_t length = sn__text_utf8_length(at);
    const unsigned code = length == 0 ? 0xFFFD : decode(at, length);
    if (code == '"' || code == '\\') {
      const char escaped[2] = {'\\', *at};
      sn__sink_put(sink, escaped, 2);
    } else if (length == 0 || must_be_escaped(code)) {
      const char escaped[6] = {
          '\\',          'u', hex[code >> 12 & 15], hex[code >> 8 & 15], hex[code >> 4 & 15],
          hex[code & 15]};
      sn__sink_put(sink, escaped, 6);
    } else {
      sn__sink_put(sink, at, length);
    }
    at += length == 0 ? 1 : length;
  }
  sn__sink_put(sink, "\"", 1);
}
