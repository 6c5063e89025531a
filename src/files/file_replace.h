/** @file
 *  Internal: a file that is replaced as a whole. */
#ifndef SN_FILES_FILE_REPLACE_H
#define SN_FILES_FILE_REPLACE_H

#include <stddef.h>

#include "sinew/status.h"

/** Write a file: readers see the old one or the new one, and after a failure the old one is
 *  intact. A link stays a link, and permissions stay.
 *  @return SN_OK; SN_EIO: the reason is in @p err, with the path
 *  RT: no.  Threads: any; one at a time for a path. */
sn_status sn__file_replace(const char *path, const char *text, size_t size, sn_error *err);

#endif
