/** @file
 *  Files that may be served: regular files below a folder, after following links. */
#ifndef SN_FOXGLOVE_HTTP_FILES_H
#define SN_FOXGLOVE_HTTP_FILES_H

#include <stdbool.h>
#include <stdint.h>

/** Open a regular file below @p root, with every link followed. The check applies to the open file,
 * so replacing a link does not defeat it.
 *  @param root  a folder
 *  @param size  bytes that it has now
 *  @return a descriptor, or -1 */
int sn__file_open_below(const char *root, const char *path, int64_t *size);

/** Does a name have this ending, and more before it? Upper and lower case are equal. */
bool sn__file_ends_with(const char *name, const char *end);

/** The media type by the file's name; `application/octet-stream` if unknown. */
const char *sn__file_type(const char *name);

/** Is it the name of a mesh or an image? */
bool sn__file_is_shape(const char *name);

#endif
