/** @file
 *  Internal: properties of the kind that is wanted, or a complaint. */
#ifndef SN_MODEL_PROPS_READ_H
#define SN_MODEL_PROPS_READ_H

#include <stdbool.h>

#include "sinew/props.h"
#include "sinew/vec3.h"

/** Is the property of this kind? An empty scalar (`key:` in YAML) counts as an empty bag or list.
 *  @return false with an error reported if not */
bool sn__prop_expect(sn_report *report, const sn_prop *prop, sn_prop_kind kind);

/** The text of a scalar, or NULL with an error reported. */
const char *sn__prop_expect_text(sn_report *report, const sn_prop *prop);

/** Three finite numbers: a list of three, or a bag with x, y, z (or X, Y, Z).
 *  @return false if it is neither */
bool sn__prop_vec3(const sn_prop *prop, sn_vec3 *out);

/** As sn_props_load() for a file that another one names, at the place @p asked: if it cannot be
 *  read, that is the place to tell. */
sn_status sn__props_load_for(sn_arena *arena, const char *path, sn_place asked, sn_report *report,
                             const sn_prop **out);

#endif
