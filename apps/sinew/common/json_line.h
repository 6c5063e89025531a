/** @file
 *  Results for machines. */
#ifndef SINEW_APP_JSON_LINE_H
#define SINEW_APP_JSON_LINE_H

#include <jansson.h>

/** Print a value on one line, numbers to the last bit, and release it.
 *  @return EXIT_GOOD, or EXIT_FAULT if there is no memory, NULL for @p json included */
int json_line_print(json_t *json);

#endif
