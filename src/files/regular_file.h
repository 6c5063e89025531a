/** @file
 *  Internal: input files must be regular files. Reading a pipe, a device or a socket could block
 * for ever, perhaps while a lock is held. */
#ifndef SN_FILES_REGULAR_FILE_H
#define SN_FILES_REGULAR_FILE_H

#include <stdint.h>

/** Open a regular file for reading; anything else is refused, without waiting for it.
 *  @param size  receives its size in bytes
 *  @param why   receives the reason of a failure; valid until the next call of strerror()
 *  @return a descriptor, or -1
 *  RT: no.  Threads: any. */
int sn__regular_open(const char *path, int64_t *size, const char **why);

/** Create @p path as a new regular file: an existing file of that name is removed first, and links
 * are never followed.
 *  @param mode  as for open()
 *  @return a descriptor for writing, or -1 with errno set
 *  RT: no.  Threads: any. */
int sn__regular_create(const char *path, unsigned mode);

#endif
