#include "excerpt.h"

#include <string.h>

enum { LINE_SHOWN = 100 };

void excerpt_clean(const char *text, char *out, size_t size) {
  size_t i = 0;
  for (; text[i] != '\0' && i + 1 < size; i++) {
    const unsigned char c = (unsigned char)text[i];
    const unsigned char before = i == 0 ? 0 : (unsigned char)text[i - 1];
    const int is_control = c < 0x20 || c == 0x7F || (before == 0xC2 && c < 0xA0);
    out[i] = is_control ? '?' : text[i];
  }
  out[i] = '\0';
}

/* Read line number `line`, up to LINE_SHOWN bytes of it. @return its length, 0 if it has none */
static size_t read_line(FILE *file, unsigned line, char *text) {
  unsigned at = 1;
  size_t length = 0;
  int c;
  while ((c = getc(file)) != EOF && at <= line) {
    if (c == '\n') {
      at++;
    } else if (at == line) {
      if (c == '\0' || length == LINE_SHOWN) {
        break; /* not plain text, or enough of it */
      }
      text[length++] = (char)c;
    }
  }
  text[length] = '\0';
  return length;
}

void excerpt_print(FILE *out, sn_place place) {
  FILE *file = place.line == 0 || place.column == 0 ? NULL : fopen(place.file, "rb");
  if (file == NULL) {
    return;
  }
  char raw[LINE_SHOWN + 1];
  char line[LINE_SHOWN + 1];
  const size_t length = read_line(file, place.line, raw);
  fclose(file);
  if (length == 0 || place.column > length) {
    return;
  }
  for (size_t i = 0; i < length; i++) { /* a tab would shift the mark, a cut character breaks it */
    const unsigned char c = (unsigned char)raw[i];
    line[i] = raw[i] == '\t' ? ' ' : c >= 0x20 && c < 0x7F ? raw[i] : '?';
  }
  line[length] = '\0';
  fprintf(out, "%5u | %s\n      | %*s^\n", place.line, line, (int)place.column - 1, "");
}
