/** @file
 *  Internal: which of the known names a user may have meant. */
#ifndef SN_BASE_NEAREST_H
#define SN_BASE_NEAREST_H

#include <stddef.h>

#include "sinew/api.h"

/** Longer names are never taken for a slip of another. */
#define SN__NEAREST_MAX 64

typedef struct sn__nearest {
  const char *wanted;
  const char *name; /**< the best so far; NULL if none is near */
  size_t distance;
} sn__nearest;

/** Letters that must be put in, left out, changed or swapped with their neighbour, to get from one
 *  name to the other; SIZE_MAX if one is longer than SN__NEAREST_MAX. */
size_t sn__edit_distance(const char *a, const char *b);

/** Begin: nothing is near to @p wanted, which must stay where it is. */
SN_API void sn__nearest_init(sn__nearest *nearest, const char *wanted);

/** Look at one known name. Near is a third of the letters wrong at most, or capitals. */
SN_API void sn__nearest_offer(sn__nearest *nearest, const char *name);

/** `did you mean 'x'?`, or @p otherwise, which may be NULL, if nothing is near. */
SN_API const char *sn__nearest_hint(const sn__nearest *nearest, char *text, size_t size,
                                    const char *otherwise);

#endif
