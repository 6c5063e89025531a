/** @file
 *  Prints data of a system for people: values, messages, tables, durations. Control characters are
 *  replaced. */
#ifndef SINEW_APP_CONTROL_PRINT_H
#define SINEW_APP_CONTROL_PRINT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** JSON on one line, numbers with as few digits as they need. */
void control_print_value(FILE *out, const json_t *value);

/** An object as lines `name: value`, objects within it indented; another value on one line. */
void control_print_lines(FILE *out, const json_t *value, int indent);

/** The text of a member; @p otherwise if it is not a text. */
const char *control_text(const json_t *object, const char *name, const char *otherwise);

/** `830 ns`, `12.4 us`, `1.30 ms`, `2.50 s`. */
void control_format_ns(int64_t duration_ns, char *out, size_t size);

#define CONTROL_COLUMNS_MAX 12
#define CONTROL_CELL_SIZE 64

/** Collects rows, then prints them with aligned columns. Zero-initialise. */
typedef struct control_table {
  int columns;
  size_t count, size;
  char (*cells)[CONTROL_CELL_SIZE]; /**< [count][columns] */
  unsigned right;                   /**< bit i: column i is aligned to the right */
} control_table;

/** Add a row of table->columns texts, cleaned and truncated. */
void control_table_add(control_table *table, const char *const *texts);

/** Print all rows and free them. */
void control_table_print(control_table *table, FILE *out, int indent);

#endif
