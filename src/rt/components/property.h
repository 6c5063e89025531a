/** @file
 *  Internal: what the files about properties share. */
#ifndef SN_RT_COMPONENTS_PROPERTY_H
#define SN_RT_COMPONENTS_PROPERTY_H

#include "rt/components/property_access.h"
#include "sinew/property.h"

/** Bytes of the member in the struct. */
size_t sn__property_size(const sn_property *property);

/** As sn__property_init_values(), but an invalid initial value goes into the report.
 *  @return also SN_EINVAL */
sn_status sn__property_init(const sn_property *table, void *object, const char *path,
                            sn_arena *arena, sn_report *report);

/** Is zero, the empty text or the empty list a valid value? Reports it if not. */
bool sn__property_check_zero(const sn_property *property, const char *path, sn_report *report);

/** Check the table of a component type with a struct of @p size bytes: names, kinds, offsets,
 *  initial values.
 *  @return SN_OK, SN_EINVAL with the first reason, or SN_ENOMEM */
sn_status sn__property_check_table(const sn_property *table, size_t size, const char *type,
                                   sn_error *err);

/** The path of a value. Its text is composed only when a message needs it. */
typedef struct sn__property_path {
  const struct sn__property_path *parent; /**< NULL for the first part */
  const char *name;                       /**< NULL: an item of a list */
  size_t item;
} sn__property_path;

enum { SN__PROPERTY_PATH_SIZE = 200 };

/** `follow.servos[2].kp`; cut if it is too long. */
void sn__property_path_text(const sn__property_path *path, char text[SN__PROPERTY_PATH_SIZE]);

/* ---- property_check.c: values of a file against a property; problems go to the report ---- */

bool sn__property_read_real(sn_report *report, const sn__property_path *at,
                            const sn_property *property, const sn_value *value, double *out);
bool sn__property_read_integer(sn_report *report, const sn__property_path *at,
                               const sn_property *property, const sn_value *value, int64_t *out);
bool sn__property_read_boolean(sn_report *report, const sn__property_path *at,
                               const sn_value *value, bool *out);
/** A text, and one of the choices if there are any. */
bool sn__property_check_text(sn_report *report, const sn__property_path *at,
                             const sn_property *property, const sn_value *value);
/** A list of the right length, or an empty scalar if the list may be empty. */
bool sn__property_check_list(sn_report *report, const sn__property_path *at,
                             const sn_property *property, const sn_value *value);
/** @return false also for an empty scalar, which is valid */
bool sn__property_check_bag(sn_report *report, const sn__property_path *at, const sn_value *value);
void sn__property_report_unknown(sn_report *report, const sn__property_path *at,
                                 const sn_property *table, const sn_value *item);
/** Is it an empty scalar (`key:` in YAML)? Lists and bags may be written like that. */
bool sn__value_is_empty(const sn_value *value);

/** Bytes of a name of anything, with its NUL. */
#define SN__NAME_SIZE 64
#define SN__NAME_FLAW "is not a valid name: use up to 63 letters, digits and _, no digit first"

/** Is it a valid name? */
bool sn__name_is_good(const char *name);

#endif
