#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* By RFC 3629, table 3-7 of Unicode: no overlong forms, no surrogates, nothing above U+10FFFF. */
size_t sn__text_utf8_length(const char *text) {
  const unsigned char *bytes = (const unsigned char *)text;
  const unsigned char lead = bytes[0];
  if (lead < 0x80) {
    return 1;
  }
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) {
    return 0;
  }
  const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (bytes[1] < low || bytes[1] > high) {
    return 0;
  }
  for (size_t i = 2; i < length; i++) {
    if (bytes[i] < 0x80 || bytes[i] > 0xBF) { /* NUL fails here too, so we never read past it */
      return 0;
    }
  }
  return length;
}

static bool is_control(const unsigned char *text, size_t length) {
  return (length == 1 && (text[0] < 0x20 || text[0] == 0x7F)) ||
         (length == 2 && text[0] == 0xC2 && text[1] < 0xA0);
}

size_t sn__text_clean(const char *text, char *out, size_t size) {
  if (size == 0) {
    return 0;
  }
  const unsigned char *in = (const unsigned char *)text;
  size_t used = 0;
  size_t cut = 0; /* longest prefix that leaves room for "..." */
  while (*in != '\0') {
    size_t length = sn__text_utf8_length((const char *)in);
    char piece[16];
    size_t piece_size = 0;
    if (length == 0 || is_control(in, length)) {
      length = length == 0 ? 1 : length;
      for (size_t i = 0; i < length; i++) {
        piece_size += (size_t)snprintf(piece + piece_size, sizeof piece - piece_size, "\\x%02x",
                                       (unsigned)in[i]);
      }
    } else {
      memcpy(piece, in, length);
      piece_size = length;
    }
    if (used + piece_size + 1 > size) {
      static const char ellipsis[] = "...";
      const size_t room = size - 1 - cut < 3 ? size - 1 - cut : 3;
      memcpy(out + cut, ellipsis, room);
      used = cut + room;
      break;
    }
    memcpy(out + used, piece, piece_size);
    used += piece_size;
    cut = used + 4 <= size ? used : cut;
    in += length;
  }
  out[used] = '\0';
  return used;
}

size_t sn__text_clean_line(const char line[SN__TEXT_MAX], char *out, size_t size) {
  /* One byte less than the line: a text that fills the line does not fit, and the cut falls before
   * a last, incomplete character. */
  const size_t room = SN__TEXT_MAX - 1;
  return sn__text_clean(line, out, size < room ? size : room);
}

size_t sn__text_format(char *out, size_t size, const char *format, va_list args) {
  char raw[SN__TEXT_MAX] = "";
  vsnprintf(raw, sizeof raw, format, args);
  return sn__text_clean_line(raw, out, size);
}

static bool has_control_except(const char *text, const char *allowed) {
  const unsigned char *in = (const unsigned char *)text;
  while (*in != '\0') {
    const size_t length = sn__text_utf8_length((const char *)in);
    if (length == 0 || (is_control(in, length) && strchr(allowed, *in) == NULL)) {
      return true;
    }
    in += length;
  }
  return false;
}

bool sn__text_has_control(const char *text) {
  return has_control_except(text, "");
}

bool sn__text_has_control_in_lines(const char *text) {
  return has_control_except(text, "\t\n\r");
}
