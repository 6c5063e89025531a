/** @file
 *  Texts that are written in turns and read one after the other, in one temporary file. */
#ifndef SINEW_APP_SPOOL_H
#define SINEW_APP_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct spool {
  FILE *file; /**< removed when it is closed */
  bool failed;
} spool;

/** One text: its blocks in the file, and what is not there yet. All zero is an empty one. */
typedef struct spool_text {
  char *pending;
  size_t used;
  struct spool_block *blocks;
  size_t block_count, block_room;
} spool_text;

/** @return false: no temporary file can be made; errno says why */
bool spool_open(spool *s);
void spool_close(spool *s);
void spool_text_free(spool_text *text);

/** Append to a text. After a failure `failed` is set and nothing more is kept. */
void spool_put(spool *s, spool_text *text, const char *bytes, size_t size);

/** Write a whole text. @return false: it could not be read or written */
bool spool_copy(spool *s, const spool_text *text, FILE *out);

#endif
