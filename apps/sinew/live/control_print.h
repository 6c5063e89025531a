/** @file
 *  What came from a system, printed for people: values, messages, tables, durations. No control
 *  character gets to the terminal. */
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

/** The text of a member, or another word if it is none. */
const char *control_text(const json_t *object, const char *name, const char *otherwise);

/** `830 ns`, `12.4 us`, `1.30 ms`, `2.50 s`. */
void control_format_ns(int64_t duration_ns, char *out, size_t size);

/** A decimal number, all of the text. */
bool control_read_number(const char *text, double *out);

#define CONTROL_COLUMNS_MAX 12
#define CONTROL_CELL_SIZE 64

/** Rows are collected, then printed with columns as wide as they need. All zero is empty. */
typedef struct control_table {
  int columns;
  size_t count, size;
  char (*cells)[CONTROL_CELL_SIZE]; /**< [count][columns] */
  unsigned right;                   /**< bit i: column i is aligned to the right */
} control_table;

/** Add one row of table->columns texts, cleaned and cut to their room. */
void control_table_add(control_table *table, const char *const *texts);

/** Print all rows and free them. */
void control_table_print(control_table *table, FILE *out, int indent);

#endif
