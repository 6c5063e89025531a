#define _POSIX_C_SOURCE 200809L

#include "common/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"

enum { LINE_SHOWN = 100, SIZE_MAX_SHOWN = 32 << 20, PROGRESS_WIDTH = 25 };

/* The file that the last message was about, read once however many messages there are. */
typedef struct excerpt {
  const char *file; /* NULL: none */
  char *text;
  size_t size;
  unsigned line; /* where the last search ended, to continue from there */
  size_t offset;
} excerpt;

void text_clean(const char *text, char *out, size_t size) {
  size_t i = 0;
  for (; text[i] != '\0' && i + 1 < size; i++) {
    const unsigned char c = (unsigned char)text[i];
    const unsigned char before = i == 0 ? 0 : (unsigned char)text[i - 1];
    const int is_control = c < 0x20 || c == 0x7F || (before == 0xC2 && c < 0xA0);
    out[i] = is_control ? '?' : text[i];
  }
  out[i] = '\0';
}

static void excerpt_free(excerpt *e) {
  free(e->text);
  *e = (excerpt){0};
}

/* Read a regular file: a pipe was read before and is empty now. */
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

/* The start of a line. Messages mostly come in the order of lines, so the search continues. */
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

/* The line and a caret below the column; nothing if the file or the line cannot be shown. */
static void excerpt_print(excerpt *e, sn_place place) {
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
    fprintf(stderr, "%5u | %s\n      | %*s^\n", place.line, line, (int)place.column - 1, "");
  }
}

void place_print(sn_place place) {
  excerpt e = {0};
  excerpt_print(&e, place);
  excerpt_free(&e);
}

void problems_print(const sn_report *report) {
  excerpt lines = {0};
  for (size_t i = 0; i < sn_report_count(report); i++) {
    const sn_problem *problem = sn_report_at(report, i);
    const bool is_error = problem->severity == SN_SEVERITY_ERROR;
    char file[512];
    text_clean(problem->place.file, file, sizeof file);
    fprintf(stderr, "%s:%u:%u: %s: %s\n", file, problem->place.line, problem->place.column,
            is_error ? "error" : "warning", problem->message);
    excerpt_print(&lines, problem->place);
    if (problem->hint != NULL) {
      fprintf(stderr, "      = hint: %s\n", problem->hint);
    }
  }
  const size_t found = sn_report_error_count(report) + sn_report_warning_count(report);
  if (found > sn_report_count(report)) {
    fprintf(stderr, "and %zu more\n", found - sn_report_count(report));
  }
  excerpt_free(&lines);
}

int out_of_memory(void) {
  fputs("sinew: out of memory\n", stderr);
  return EXIT_FAULT;
}

int json_line_print(json_t *json) {
  char *text = json == NULL ? NULL : json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(json);
  if (text == NULL) {
    return out_of_memory();
  }
  puts(text);
  free(text);
  return EXIT_GOOD;
}

void progress_show(const char *what, double part) {
  const double shown = fmin(fmax(part, 0.0), 1.0);
  char bar[PROGRESS_WIDTH + 1];
  memset(bar, ' ', PROGRESS_WIDTH);
  memset(bar, '=', (size_t)(shown * PROGRESS_WIDTH));
  bar[PROGRESS_WIDTH] = '\0';
  fprintf(stderr, "\r%s [%s] %3d %%", what, bar, (int)(100.0 * shown));
}

void progress_end(void) {
  fputs("\r\033[K", stderr);
}
