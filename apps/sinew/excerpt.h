/** @file
 *  The line of a file that a message is about, shown with a mark below the column. */
#ifndef SINEW_APP_EXCERPT_H
#define SINEW_APP_EXCERPT_H

#include <stddef.h>
#include <stdio.h>

#include "sinew/report.h"

/** Print the line and a caret; nothing if the file cannot be read again, the line is not there, or
 *  it is not plain text. */
void excerpt_print(FILE *out, sn_place place);

/** Copy a text with everything but printable ASCII and UTF-8 above U+009F replaced by '?'. */
void excerpt_clean(const char *text, char *out, size_t size);

#endif
