#include "msg/sink.h"

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
