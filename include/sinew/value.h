/** @file
 *  A property tree: named texts, lists and bags, read from YAML or from an OROCOS `.cpf` file, each
 *  with its place for messages. */
#ifndef SINEW_VALUE_H
#define SINEW_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/report.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

typedef enum sn_value_kind {
  SN_VALUE_TEXT, /**< a scalar, kept as it was written */
  SN_VALUE_LIST, /**< ordered items without names */
  SN_VALUE_BAG   /**< ordered items with unique names */
} sn_value_kind;

/** One property; immutable, in the arena it was parsed into. */
typedef struct sn_value {
  const char *name; /**< empty for the root and for list items */
  sn_value_kind kind;
  const char *text; /**< of a scalar; NULL otherwise */
  size_t item_count;
  const struct sn_value *const *items; /**< of a list or bag */
  sn_place place;      /**< of the value; of the name if the value is a list or bag */
  sn_place name_place; /**< of the name, if it has one; else as `place` */
  const char *type;    /**< of a `struct` of a .cpf file, as stated there; NULL for all else */
} sn_value;

/** Limits against hostile files. */
#define SN_VALUE_SIZE_MAX (16u << 20) /**< bytes of a file */
#define SN_VALUE_DEPTH_MAX 64         /**< nested lists and bags */

/** Parse YAML (one document: mappings, sequences and scalars; no anchors, aliases or tags).
 *  @param file    name for messages; copied
 *  @param report  receives every problem; must not be NULL
 *  @param out     the root bag; set on success, untouched on failure
 *  @return SN_OK, SN_ESYNTAX, SN_ELIMIT, SN_ENOMEM, or SN_EUNSUPPORTED (built without YAML)
 *  RT: no.  Threads: one owner of arena and report. */
SN_API sn_status sn_value_parse_yaml(sn_arena *arena, const char *text, size_t size,
                                     const char *file, sn_report *report, const sn_value **out);

/** Parse one value in the form that a YAML file has it: `0.5`, `[left, right]`, `{gain: 2}`.
 *  Parameters and result as for sn_value_parse_yaml(), but the root may be of any kind. Without
 * YAML in the build, plain scalars are read and all else is SN_EUNSUPPORTED. */
SN_API sn_status sn_value_parse_text(sn_arena *arena, const char *text, size_t size,
                                     const char *file, sn_report *report, const sn_value **out);

/** Read a file and parse it: `.cpf` and `.xml` as OROCOS, all else as YAML.
 *  Parameters as for sn_value_parse_yaml().
 *  @return as above, or SN_EIO with the reason in the report
 *  RT: no. */
SN_API sn_status sn_value_load(sn_arena *arena, const char *path, sn_report *report,
                               const sn_value **out);

/** The item of a bag with this name, or NULL (also if @p value is not a bag). */
SN_API const sn_value *sn_value_find(const sn_value *value, const char *name);

/** The number that a scalar's whole text denotes, in every locale. @return false if it is not a
 * finite decimal number; @p out untouched */
SN_API bool sn_value_number(const sn_value *value, double *out);

SN_END_DECLS

#endif
