#include "live/control_print.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "common/print.h"

/* The fewest digits that read back as the same value. */
static char *dump(const json_t *value) {
  for (size_t digits = 15; digits < 17; digits++) {
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(digits));
    json_t *again = text == NULL ? NULL : json_loads(text, JSON_DECODE_ANY, NULL);
    const bool is_same = again != NULL && json_equal(again, value);
    json_decref(again);
    if (is_same) {
      return text;
    }
    free(text);
  }
  return json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
}

void control_print_value(FILE *out, const json_t *value) {
  char *text = dump(value);
  const size_t size = text == NULL ? 1 : strlen(text) + 1;
  char *clean = malloc(size);
  if (text != NULL && clean != NULL) {
    text_clean(text, clean, size);
    fputs(clean, out);
  }
  free(clean);
  free(text);
}

void control_print_lines(FILE *out, const json_t *value, int indent) {
  if (!json_is_object(value)) {
    fprintf(out, "%*s", indent, "");
    control_print_value(out, value);
    fputc('\n', out);
    return;
  }
  const char *name;
  json_t *member;
  json_object_foreach((json_t *)value, name, member) {
    char clean[128];
    text_clean(name, clean, sizeof clean);
    fprintf(out, "%*s%s:", indent, "", clean);
    if (json_is_object(member) && json_object_size(member) > 0) {
      fputc('\n', out);
      control_print_lines(out, member, indent + 2);
    } else {
      fputc(' ', out);
      control_print_value(out, member);
      fputc('\n', out);
    }
  }
}

const char *control_text(const json_t *object, const char *name, const char *otherwise) {
  const char *text = json_string_value(json_object_get(object, name));
  return text == NULL ? otherwise : text;
}

void control_format_ns(int64_t duration_ns, char *out, size_t size) {
  static const char *const units[] = {"ns", "us", "ms", "s"};
  double value = (double)duration_ns;
  size_t unit = 0;
  while (unit < 3 && value >= 999.5) {
    value /= 1000.0;
    unit++;
  }
  const int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  snprintf(out, size, "%.*f %s", digits, value, units[unit]);
}

void control_table_add(control_table *table, const char *const *texts) {
  const size_t columns = (size_t)table->columns;
  void *cells =
      sn__list_grow(table->cells, &table->size, table->count + 1, columns * sizeof *table->cells);
  if (cells == NULL) {
    return; /* out of memory: the row is missing */
  }
  table->cells = cells;
  for (size_t i = 0; i < columns; i++) {
    text_clean(texts[i], table->cells[table->count * columns + i], CONTROL_CELL_SIZE);
  }
  table->count++;
}

/* Count characters: skip UTF-8 continuation bytes. */
static int width_of(const char *text) {
  int width = 0;
  for (; *text != '\0'; text++) {
    width += ((unsigned char)*text & 0xc0) != 0x80;
  }
  return width;
}

void control_table_print(control_table *table, FILE *out, int indent) {
  int widths[CONTROL_COLUMNS_MAX] = {0};
  const size_t columns = (size_t)table->columns;
  for (size_t i = 0; i < table->count * columns; i++) {
    const int width = width_of(table->cells[i]);
    widths[i % columns] = width > widths[i % columns] ? width : widths[i % columns];
  }
  for (size_t i = 0; i < table->count * columns; i++) {
    const size_t column = i % columns;
    const int blank = widths[column] - width_of(table->cells[i]);
    const bool is_last = column + 1 == columns;
    const bool is_right = (table->right >> column & 1u) != 0;
    fprintf(out, "%*s%*s%s%*s%s", column == 0 ? indent : 0, "", is_right ? blank : 0, "",
            table->cells[i], is_right || is_last ? 0 : blank, "", is_last ? "\n" : "  ");
  }
  free(table->cells);
  table->cells = NULL;
  table->count = table->size = 0;
}
