/** @file
 *  Internal: which of the known names a user may have meant. */
#ifndef SN_BASE_NEAREST_H
#define SN_BASE_NEAREST_H

#include <stddef.h>

#include "sinew/api.h"

/** Longer names are never suggested. */
#define SN__NEAREST_MAX 64

typedef struct sn__nearest {
  const char *wanted;
  const char *name; /**< the best so far; NULL if none is near */
  size_t distance;
} sn__nearest;

/** Edit distance: letters to insert, delete, replace or swap with their neighbour; SIZE_MAX if a
 * name is longer than SN__NEAREST_MAX. */
size_t sn__edit_distance(const char *a, const char *b);

/** Start a search for @p wanted, which must stay valid. */
SN_API void sn__nearest_init(sn__nearest *nearest, const char *wanted);

/** Compare with one known name. Near means at most a third of the letters differ, or only the case
 * does. */
SN_API void sn__nearest_offer(sn__nearest *nearest, const char *name);

/** `did you mean 'x'?`, or @p otherwise, which may be NULL, if nothing is near. */
SN_API const char *sn__nearest_hint(const sn__nearest *nearest, char *text, size_t size,
                                    const char *otherwise);

#endif
