#include "base/sink.h"

#include <math.h>

#include "base/json.h"

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
  sn__sink_put(sink, text,
               isfinite(value) ? sn__json_number(value, text) : sn__number_format(value, text));
}

void sn__sink_quoted(sn__sink *sink, const char *text) {
  char piece[SN__JSON_ESCAPE_SIZE];
  sn__sink_put(sink, "\"", 1);
  for (;;) {
    const size_t length = sn__json_plain_length(text);
    sn__sink_put(sink, text, length);
    text += length;
    if (*text == '\0') {
      break;
    }
    sn__sink_put(sink, piece, sn__json_escape(&text, piece));
  }
  sn__sink_put(sink, "\"", 1);
}
