/** @file
 *  Internal: what the files about properties share. */
#ifndef SN_RT_COMPONENTS_PROPERTY_H
#define SN_RT_COMPONENTS_PROPERTY_H

#include "sinew/property.h"

/** Bytes of the member in the struct. */
size_t sn__property_size(const sn_property *property);

/** As sn_property_init(), but a bad initial value goes into the report.
 *  @return also SN_EINVAL */
sn_status sn__property_init(const sn_property *table, void *object, const char *path,
                            sn_arena *arena, sn_report *report);

/** Would zero, the empty text or the empty list do? Reports it if not. */
bool sn__property_check_zero(const sn_property *property, const char *path, sn_report *report);

/** Is the table of a component's type good for a struct of @p size bytes: names, kinds, offsets,
 *  initial values?
 *  @return SN_OK, SN_EINVAL with the first reason, or SN_ENOMEM */
sn_status sn__property_check_table(const sn_property *table, size_t size, const char *type,
                                   sn_error *err);

/** Where a value is, for messages: put together only when one is needed. */
typedef struct sn__property_path {
  const struct sn__property_path *parent; /**< NULL for the first part */
  const char *name;                       /**< NULL: an item of a list */
  size_t item;
} sn__property_path;

enum { SN__PROPERTY_PATH_SIZE = 200 };

/** `follow.servos[2].kp`; cut if it is too long. */
void sn__property_path_text(const sn__property_path *path, char text[SN__PROPERTY_PATH_SIZE]);

/** Bytes of a name of anything, with its NUL. */
#define SN__NAME_SIZE 64
#define SN__NAME_FLAW "is no name: up to 63 letters, digits and _ make one, no digit first"

/** Is it a name? */
bool sn__name_is_good(const char *name);

#endif
