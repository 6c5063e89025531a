/** @file
 *  Output of the commands: problems for people, JSON for programs, progress. */
#ifndef SINEW_APP_PRINT_H
#define SINEW_APP_PRINT_H

#include <jansson.h>
#include <stddef.h>

#include "sinew/report.h"

/** Copy a text with control characters replaced by '?', for terminals. */
void text_clean(const char *text, char *out, size_t size);

/** Print the line of a file and a caret below the column; nothing if it cannot be shown. */
void place_print(sn_place place);

/** Print every problem to standard error as `file:line:column: error: message`, with the line of
 *  the file and the hint. */
void problems_print(const sn_report *report);

/** Print that memory is exhausted. @return EXIT_FAULT */
int out_of_memory(void);

/** Print a value on one line, numbers to the last bit, and release it.
 *  @return EXIT_GOOD, or EXIT_FAULT if memory runs out, NULL for @p json included */
int json_line_print(json_t *json);

/** Draw `what [====     ]  40 %` over the line of standard error. @param part  0 .. 1 */
void progress_show(const char *what, double part);

/** Clear the line. */
void progress_end(void);

#endif
