#define _XOPEN_SOURCE 700 /* realpath() */

#include "bus_tools/bus_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/whole_file.h"

#define LINE_SIZE 1024

bool bus_file_load(bus_file *file, const char *path) {
  *file = (bus_file){.text = NULL};
  snprintf(file->path, sizeof file->path, "%s", path);
  FILE *in = fopen(path, "rb");
  if (in == NULL) {
    fprintf(stderr, "sinew bus: cannot read '%s': %s\n", path, strerror(errno));
    return false;
  }
  file->text = malloc(SN_VALUE_SIZE_MAX + 1);
  file->size = file->text == NULL ? 0 : fread(file->text, 1, SN_VALUE_SIZE_MAX, in);
  const bool is_read = file->text != NULL && ferror(in) == 0 && feof(in) != 0;
  fclose(in);
  if (!is_read) {
    fprintf(stderr, "sinew bus: cannot read '%s'\n", path);
    free(file->text);
    return false;
  }
  file->text[file->size] = '\0';
  for (size_t i = 0; i < file->size; i++) {
    file->line_count += file->text[i] == '\n';
  }
  file->line_count++;
  file->changed = calloc(file->line_count, sizeof *file->changed);
  return file->changed != NULL;
}

/* A line without its line end. @return its length */
static size_t line_at(const bus_file *file, size_t number, const char **out) {
  const char *at = file->text;
  for (size_t i = 0; i < number; i++) {
    at = strchr(at, '\n') + 1;
  }
  *out = at;
  return strcspn(at, "\n");
}

static bool is_range(const char *name) {
  return strcmp(name, "zero") == 0 || strcmp(name, "direction") == 0 || strcmp(name, "min") == 0 ||
         strcmp(name, "max") == 0;
}

static bool needs_quotes(const char *text) {
  return *text == '\0' || strpbrk(text, ":{}[],#&*!|>'\"%@` ") != NULL;
}

bool bus_file_set(bus_file *file, const sn_value *servo, const sn__servo_range *range) {
  const size_t number = servo->place.line - 1u;
  const char *line = NULL;
  const size_t length = number < file->line_count ? line_at(file, number, &line) : 0;
  size_t indent = 0;
  while (indent < length && line[indent] == ' ') {
    indent++;
  }
  const char *open = length == 0 ? NULL : memchr(line, '{', length);
  const char *close = length == 0 ? NULL : memchr(line, '}', length);
  if (open == NULL || close == NULL || line[indent] != '-' || file->changed[number] != NULL) {
    fprintf(stderr,
            "sinew bus: %s:%u: write each servo on a line of its own, as '- {joint: …, id: …}'\n",
            file->path, servo->place.line);
    return false;
  }
  char *out = malloc(LINE_SIZE);
  if (out == NULL) {
    return false;
  }
  int used = snprintf(out, LINE_SIZE, "%*s- {", (int)indent, "");
  for (size_t i = 0; i < servo->item_count && used < LINE_SIZE; i++) {
    const sn_value *item = servo->items[i];
    if (item->kind == SN_VALUE_TEXT && !is_range(item->name)) {
      const char *quote = needs_quotes(item->text) ? "'" : "";
      used += snprintf(out + used, (size_t)(LINE_SIZE - used), "%s: %s%s%s, ", item->name, quote,
                       item->text, quote);
    }
  }
  if (used < LINE_SIZE) {
    used += snprintf(out + used, (size_t)(LINE_SIZE - used),
                     "zero: %.0f, direction: %d, min: %.4f, max: %.4f}%.*s", range->zero,
                     (int)range->direction, range->min, range->max,
                     (int)(line + length - close - 1), close + 1);
  }
  if (used >= LINE_SIZE) {
    free(out);
    fprintf(stderr, "sinew bus: %s:%u: the line would get too long\n", file->path,
            servo->place.line);
    return false;
  }
  file->changed[number] = out;
  return true;
}

void bus_file_print(const bus_file *file) {
  for (size_t i = 0; i < file->line_count; i++) {
    if (file->changed[i] != NULL) {
      printf("%s:%zu: %s\n", file->path, i + 1, file->changed[i]);
    }
  }
}

static void write_lines(const bus_file *file, FILE *out) {
  for (size_t i = 0; i < file->line_count; i++) {
    const char *line = NULL;
    const size_t length = line_at(file, i, &line);
    if (file->changed[i] != NULL) {
      fputs(file->changed[i], out);
    } else {
      fwrite(line, 1, length, out);
    }
    if (line[length] == '\n') {
      fputc('\n', out);
    }
  }
}

bool bus_file_save(const bus_file *file) {
  char *real = realpath(file->path, NULL); /* a link stays; its target is replaced */
  whole_file whole;
  bool good = whole_file_open(&whole, real == NULL ? file->path : real);
  if (good) {
    write_lines(file, whole.out);
    good = whole_file_close(&whole);
  }
  free(real);
  if (!good) {
    fprintf(stderr, "sinew bus: cannot write '%s': %s\n", file->path, strerror(errno));
  }
  return good;
}

void bus_file_free(bus_file *file) {
  for (size_t i = 0; i < file->line_count && file->changed != NULL; i++) {
    free(file->changed[i]);
  }
  free(file->changed);
  free(file->text);
}
