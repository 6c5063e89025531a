/** @file
 *  Internal: reads properties of an expected kind and reports others. */
#ifndef SN_FILES_VALUE_READ_H
#define SN_FILES_VALUE_READ_H

#include <stdbool.h>

#include "sinew/value.h"
#include "sinew/vec3.h"

/** Is the property of this kind? An empty scalar (`key:` in YAML) counts as an empty bag or list.
 *  @return false with an error reported if not */
bool sn__value_expect(sn_report *report, const sn_value *value, sn_value_kind kind);

/** The text of a scalar, or NULL with an error reported. */
const char *sn__value_expect_text(sn_report *report, const sn_value *value);

/** Three finite numbers: a list of three, or a bag with x, y, z (or X, Y, Z).
 *  @return false if it is neither */
bool sn__value_vec3(const sn_value *value, sn_vec3 *out);

/** As sn_value_load() for a file that another file names at the place @p asked: if it cannot be
 * read, the error is reported there. */
sn_status sn__value_load_for(sn_arena *arena, const char *path, sn_place asked, sn_report *report,
                             const sn_value **out);

#endif
