#define _POSIX_C_SOURCE 200809L

#include "common/excerpt.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LINE_SHOWN = 100, SIZE_MAX_SHOWN = 32 << 20 };

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

void excerpt_free(excerpt *e) {
  free(e->text);
  *e = (excerpt){0};
}

/* Keep a file in memory. Only a regular one: a pipe has been read once and is empty now. */
static void keep(excerpt *e, const char *path) {
  excerpt_free(e);
  e->file = path;
  e->line = 1;
  struct stat facts;
  if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size > SIZE_MAX_SHOWN) {
    return;
  }
  FILE *file = fopen(path, "rb");
  e->text = malloc((size_t)facts.st_size + 1);
  if (file != NULL && e->text != NULL) {
    e->size = fread(e->text, 1, (size_t)facts.st_size, file);
  }
  if (file != NULL) {
    fclose(file);
  }
}

/* Where a line begins. Messages mostly come in the order of lines, so the search goes on. */
static const char *find_line(excerpt *e, unsigned line) {
  if (line < e->line) {
    e->line = 1;
    e->offset = 0;
  }
  while (e->line < line) {
    const char *end = memchr(e->text + e->offset, '\n', e->size - e->offset);
    if (end == NULL) {
      return NULL;
    }
    e->offset = (size_t)(end - e->text) + 1;
    e->line++;
  }
  return e->text + e->offset;
}

void excerpt_print(excerpt *e, FILE *out, sn_place place) {
  if (place.line == 0 || place.column == 0) {
    return;
  }
  if (e->file == NULL || strcmp(e->file, place.file) != 0) {
    keep(e, place.file);
  }
  const char *begin = e->text == NULL ? NULL : find_line(e, place.line);
  if (begin == NULL) {
    return;
  }
  const size_t rest = e->size - e->offset;
  char line[LINE_SHOWN + 1];
  size_t length = 0;
  for (size_t i = 0; i < rest && length < LINE_SHOWN && begin[i] != '\n'; i++) {
    const unsigned char c = (unsigned char)begin[i];
    if (c == '\0') {
      return; /* not plain text */
    }
    if ((c & 0xC0) != 0x80) { /* one place for each UTF-8 character, as columns count them */
      line[length++] = c == '\t' || c == '\r' ? ' ' : c >= 0x20 && c < 0x7F ? (char)c : '?';
    }
  }
  line[length] = '\0';
  if (place.column <= length) {
    fprintf(out, "%5u | %s\n      | %*s^\n", place.line, line, (int)place.column - 1, "");
  }
}
