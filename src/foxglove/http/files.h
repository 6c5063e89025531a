/** @file
 *  Files that may be served: regular files below a folder, after following links. */
#ifndef SN_FOXGLOVE_HTTP_FILES_H
#define SN_FOXGLOVE_HTTP_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"

/** Open a regular file below @p root, with every link followed. The check applies to the open file,
 * so replacing a link does not defeat it.
 *  @param root  a folder
 *  @param size  bytes that it has now
 *  @return a descriptor, or -1 */
int sn__file_open_below(const char *root, const char *path, int64_t *size);

/** Open the recording @p name in @p folder: letters, digits and `_-.+`, not beginning with a dot,
 *  that end in `.mcap`. @return as above */
int sn__file_open_recording(const char *folder, const char *name, int64_t *size);

/** Append the recordings in a folder as a JSON list, newest first, at most 1000. */
void sn__file_write_recordings(sn__buffer *reply, const char *folder);

/** The media type by the file's name; `application/octet-stream` if unknown. */
const char *sn__file_type(const char *name);

/** Is it the name of a mesh or an image? */
bool sn__file_is_shape(const char *name);

#endif
