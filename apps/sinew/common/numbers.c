#define _POSIX_C_SOURCE 200809L

#include "common/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "common/print.h"

/* Not strspn(): with a sanitizer it first walks to the end of the text, which makes long lines
 * quadratic. */
static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static const char *skip_blanks(const char *text) {
  while (is_blank(*text)) {
    text++;
  }
  return text;
}

static const char *skip_piece(const char *text) {
  while (*text != '\0' && !is_blank(*text)) {
    text++;
  }
  return text;
}

static number_result complain(const number_reader *reader, const char *what, const char *problem,
                              const char *piece) {
  char clean[64];
  text_clean(piece, clean, sizeof clean);
  clean[strcspn(clean, " \t?")] = '\0';
  fprintf(stderr, "<stdin>:%zu: error: %s: %s%s%s%s\n", reader->line, what, problem,
          *clean == '\0' ? "" : " '", clean, *clean == '\0' ? "" : "'");
  return NUMBERS_BAD;
}

static number_result parse(const number_reader *reader, const char *what, size_t count,
                           double *out) {
  char problem[96];
  const char *text = skip_blanks(reader->text);
  for (size_t found = 0;; found++) {
    if (*text == '\0' && found == count) {
      return NUMBERS_GOOD;
    }
    if (*text == '\0' || found == count) {
      size_t total = found;
      while (*text != '\0') {
        total++;
        text = skip_blanks(skip_piece(text));
      }
      snprintf(problem, sizeof problem, "%zu numbers, expected %zu", total, count);
      return complain(reader, what, problem, "");
    }
    const char *end = skip_piece(text);
    if (sn__number_parse(text, (size_t)(end - text), &out[found]) != SN__NUMBER_OK) {
      return complain(reader, what, "not a finite number:", text);
    }
    text = skip_blanks(end);
  }
}

number_result numbers_read(number_reader *reader, const char *what, size_t count, double *out) {
  for (;;) {
    const ssize_t length = getline(&reader->text, &reader->capacity, stdin);
    if (length < 0 && !feof(stdin) && !ferror(stdin)) {
      return complain(reader, what, "the line is too long", "");
    }
    if (length < 0) {
      return NUMBERS_END; /* main() distinguishes errors from the end */
    }
    reader->line++;
    if (strlen(reader->text) != (size_t)length) {
      return complain(reader, what, "the line contains a NUL byte", "");
    }
    if (*skip_blanks(reader->text) != '\0' || count == 0) {
      return parse(reader, what, count, out);
    }
  }
}

void numbers_free(number_reader *reader) {
  free(reader->text);
}

void numbers_print(const double *numbers, size_t count) {
  char text[16 * (SN__NUMBER_SIZE + 1)];
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    if (sizeof text - used < SN__NUMBER_SIZE + 1) {
      (void)fwrite(text, 1, used, stdout);
      used = 0;
    }
    text[used] = ' ';
    used += i == 0 ? 0 : 1;
    used += sn__number_format(numbers[i], text + used);
  }
  (void)fwrite(text, 1, used, stdout);
}

/* strtod() alone also reads 0x1 and nan. */
const char *number_at(const char *text, double *out) {
  char *end = NULL;
  *out = strtod(text, &end);
  const size_t length = strspn(text, "0123456789+-.eE");
  return length > 0 && end == text + length && isfinite(*out) ? end : NULL;
}

bool numbers_list(const char *text, size_t max, double *out, size_t *count) {
  static const char between[] = " \t\r\n,";
  *count = 0;
  for (text += strspn(text, between); *text != '\0'; text += strspn(text, between)) {
    if (*count == max || (text = number_at(text, &out[*count])) == NULL) {
      return false;
    }
    (*count)++;
  }
  return true;
}
