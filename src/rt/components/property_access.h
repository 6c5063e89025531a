/** @file
 *  Internal: values of properties set and printed by name. */
#ifndef SN_RT_COMPONENTS_PROPERTY_ACCESS_H
#define SN_RT_COMPONENTS_PROPERTY_ACCESS_H

#include "sinew/property.h"

/** Set every property of @p object, a struct that @p table describes, to its initial value. An
 *  invalid initial value in the table is a fault; sn_component_registry_add() checks for it.
 *  @return SN_OK, SN_ENOMEM, or SN_EUNSUPPORTED (a list or bag, in a build without YAML)
 *  RT: no, allocates.  Threads: one owner. */
sn_status sn__property_init_values(const sn_property *table, void *object, sn_arena *arena);

/** Set one property from a value of a file. Type, range, count and choices are checked; the report
 *  receives every problem with its place and the property as @p path (`follow.gain`). A bag may
 *  name some of its properties, the others keep their values. Lists are replaced as a whole.
 *  @param object  the struct that has the property as a member
 *  @param arena   for texts and lists; must outlive the value. Unchanged on failure
 *  @return SN_OK, SN_EINVAL (see the report) or SN_ENOMEM; on failure nothing is changed
 *  RT: no, allocates.  Threads: one owner. */
sn_status sn__property_set(const sn_property *property, void *object, const sn_value *value,
                           const char *path, sn_arena *arena, sn_report *report);

/** Set several properties from a bag, all or none. Unknown names are errors.
 *  @param path  of the object: its properties are reported as `path.name`; empty: as `name`
 *  @return as sn__property_set() */
sn_status sn__property_set_all(const sn_property *table, void *object, const sn_value *bag,
                               const char *path, sn_arena *arena, sn_report *report);

/** Report every required property, also of nested bags, that @p bag does not set.
 *  @param bag    all that is set, in one bag; NULL: nothing
 *  @param place  for the report
 *  @return SN_OK or SN_EINVAL
 *  RT: no.  Threads: one owner of the report. */
sn_status sn__property_check_required(const sn_property *table, const sn_value *bag,
                                      const char *path, sn_place place, sn_report *report);

/** Print the value as JSON on one line, which is also valid in a deployment file.
 *  @param object  the struct that has the property as a member
 *  @param out     @p size bytes; truncated if too small, always ends with a NUL if size > 0
 *  @return the length of the whole text without the NUL
 *  RT: no, formats.  Threads: owner of the object. */
size_t sn__property_print(const sn_property *property, const void *object, char *out, size_t size);

/** Print all properties of a table as one JSON object; otherwise as sn__property_print(). */
size_t sn__property_print_all(const sn_property *table, const void *object, char *out, size_t size);

#endif
