/** @file
 *  Internal: a whole file in memory. Only the `load` functions use it. */
#ifndef SN_MODEL_FILE_H
#define SN_MODEL_FILE_H

#include <stddef.h>

#include "sinew/report.h"
#include "sinew/status.h"

typedef struct sn__file {
  char *text; /**< on the heap, with a NUL behind it */
  size_t size;
} sn__file;

/** Read a file of at most @p size_max bytes.
 *  @param report  receives the reason of a failure; may be NULL
 *  @param err     likewise; may be NULL
 *  @return SN_OK, SN_EIO, SN_ELIMIT or SN_ENOMEM */
sn_status sn__file_read(const char *path, size_t size_max, sn_report *report, sn__file *file,
                        sn_error *err);

void sn__file_free(sn__file *file);

#endif
