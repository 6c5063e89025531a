/** @file
 *  Files that may be handed out: regular ones that lie below a folder, whatever links say. */
#ifndef SN_FOXGLOVE_HTTP_FILES_H
#define SN_FOXGLOVE_HTTP_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"

/** Open a file to read, if it is a regular one that lies below @p root with every link followed.
 *  What was opened is what was looked at: nobody can change it in between.
 *  @param root  a folder
 *  @param size  bytes that it has now
 *  @return a descriptor, or -1 */
int sn__file_open_below(const char *root, const char *path, int64_t *size);

/** Open the recording @p name in @p folder: letters, digits and `_-.+`, not beginning with a point,
 *  that end in `.mcap`. @return as above */
int sn__file_open_recording(const char *folder, const char *name, int64_t *size);

/** The recordings in a folder as a list of JSON, the newest first, 1000 at most. */
void sn__file_write_recordings(sn__buffer *reply, const char *folder);

/** The type of a file by its name: `text/html; charset=utf-8`; of an unknown one
 *  `application/octet-stream`. */
const char *sn__file_type(const char *name);

/** Is it the name of a mesh or of an image? */
bool sn__file_is_shape(const char *name);

#endif
