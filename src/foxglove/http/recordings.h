/** @file
 *  The recordings that can be downloaded: regular `.mcap` files in one folder. */
#ifndef SN_FOXGLOVE_HTTP_RECORDINGS_H
#define SN_FOXGLOVE_HTTP_RECORDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"

/** Open the recording @p name in @p folder: letters, digits and `_-.+`, not beginning with a dot,
 *  that end in `.mcap`. @return a descriptor, or -1 */
int sn__recordings_open(const char *folder, const char *name, int64_t *size);

/** Append the recordings in a folder as a JSON list, newest first, at most 1000. No file is opened:
 *  the thread that serves must not wait for a slow disk. */
void sn__recordings_list(sn__buffer *reply, const char *folder);

/** Append what one recording says about itself as a JSON object: length in s and messages, if it
 *  has statistics; robot, if it is known; problem, if the file is damaged or has no end. Reads
 *  about 300 kB at most. @return false: there is no such recording */
bool sn__recordings_describe(sn__buffer *reply, const char *folder, const char *name);

#endif
