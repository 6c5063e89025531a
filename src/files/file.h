/** @file
 *  Internal: a whole file in memory. Only the `load` functions use it. */
#ifndef SN_FILES_FILE_H
#define SN_FILES_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/arena.h"
#include "sinew/report.h"
#include "sinew/status.h"

typedef struct sn__file {
  char *text; /**< on the heap, with a NUL behind it */
  size_t size;
} sn__file;

/** Read a regular file of at most @p size_max bytes; anything else is rejected (SN_EIO).
 *  @param report  receives the reason of a failure; may be NULL
 *  @param err     likewise; may be NULL
 *  @return SN_OK, SN_EIO, SN_ELIMIT or SN_ENOMEM */
sn_status sn__file_read(const char *path, size_t size_max, sn_report *report, sn__file *file,
                        sn_error *err);

void sn__file_free(sn__file *file);

/** `name` relative to the folder of the file @p path; an absolute name is unchanged.
 *  @return NULL if memory runs out */
const char *sn__file_beside(sn_arena *arena, const char *path, const char *name);

/** Does the path end with @p ending, such as `.yaml`? */
bool sn__file_has_ending(const char *path, const char *ending);

#endif
