/** @file
 *  Lines of numbers on standard input and output. */
#ifndef SINEW_APP_NUMBERS_H
#define SINEW_APP_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

/** A reader of lines; starts zeroed. */
typedef struct number_reader {
  size_t line; /**< number of the line read last, from 1 */
  char *text;
  size_t capacity;
} number_reader;

typedef enum number_result { NUMBERS_GOOD, NUMBERS_END, NUMBERS_BAD } number_result;

/** Read the next line that is not blank as exactly @p count finite numbers. Prints an error with
 * the number of the line.
 *  @param what  for the message: "joint positions" */
number_result numbers_read(number_reader *reader, const char *what, size_t count, double *out);

void numbers_free(number_reader *reader);

/** Print numbers with as few digits as read back to the same ones, and blanks between them, without
 * a line end. */
void numbers_print(const double *numbers, size_t count);

/** A finite decimal number at the start of a text. @return where it ends, or NULL */
const char *number_at(const char *text, double *out);

/** All numbers of a text, with blanks or commas between them.
 *  @param count  out
 *  @return false: more than @p max, or something else in between */
bool numbers_list(const char *text, size_t max, double *out, size_t *count);

#endif
