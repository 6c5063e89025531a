/** @file
 *  The line of a file that a message is about, shown with a mark below the column. */
#ifndef SINEW_APP_EXCERPT_H
#define SINEW_APP_EXCERPT_H

#include <stddef.h>
#include <stdio.h>

#include "sinew/report.h"

/** Reads each file once, however many messages are about it. Zero-initialise. */
typedef struct excerpt {
  const char *file; /**< the file in memory; NULL if there is none */
  char *text;
  size_t size;
  unsigned line; /**< where the last search ended, to go on from there */
  size_t offset;
} excerpt;

/** Print the line and a caret; nothing if the file cannot be read again, the line is not there, or
 *  it is not plain text. */
void excerpt_print(excerpt *e, FILE *out, sn_place place);

void excerpt_free(excerpt *e);

/** Copy a text with everything but printable ASCII and UTF-8 above U+009F replaced by '?'. */
void excerpt_clean(const char *text, char *out, size_t size);

#endif
