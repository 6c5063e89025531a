/** @file
 *  Properties of components: declared once in a table, checked whenever they are set, documented
 *  by the same table (docs/components.md).
 *
 *  A property is a member of the component's struct. Its initial value is written as in a
 *  deployment file: `0.5`, `[left, right]`, `{gain: 2}`. */
#ifndef SINEW_PROPERTY_H
#define SINEW_PROPERTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/report.h"
#include "sinew/status.h"
#include "sinew/value.h"

SN_BEGIN_DECLS

/** What the member of the struct is. */
typedef enum sn_property_kind {
  SN_PROPERTY_BOOL,  /**< bool */
  SN_PROPERTY_INT,   /**< int64_t */
  SN_PROPERTY_REAL,  /**< double; always finite */
  SN_PROPERTY_TEXT,  /**< const char *, never NULL */
  SN_PROPERTY_REALS, /**< sn_reals */
  SN_PROPERTY_TEXTS, /**< sn_texts */
  SN_PROPERTY_TREE,  /**< const sn_value *: any YAML value, unchecked; NULL if not set */
  SN_PROPERTY_BAG,   /**< a struct with its own table of properties */
  SN_PROPERTY_BAGS   /**< sn_bags: a list of such structs */
} sn_property_kind;

/** Lists. The items are valid until the property is set again. */
typedef struct sn_reals {
  const double *data;
  size_t count;
} sn_reals;

typedef struct sn_texts {
  const char *const *data;
  size_t count;
} sn_texts;

typedef struct sn_bags {
  const void *data; /**< structs, one behind the other */
  size_t count;
} sn_bags;

enum {
  SN_PROPERTY_LIVE = 1,     /**< may be changed while the component runs, at the start of a cycle */
  SN_PROPERTY_REQUIRED = 2, /**< has no initial value: the deployment must set it */
  SN_PROPERTY_PATH = 4, /**< names a file, a folder or a device: not settable over the network */
  SN_PROPERTY_INPUT = 8 /**< a text that names a file which configure reads if it exists. Recordings
                             contain a copy of the file, so it must not hold secrets */
};

/** One property; constant data. Made by the macros below. A table ends with an entry without a
 *  name. */
typedef struct sn_property {
  const char *name;
  sn_property_kind kind;
  size_t offset;                   /**< of the member in the struct */
  unsigned flags;                  /**< SN_PROPERTY_LIVE, _REQUIRED, _PATH, _INPUT */
  const char *initial;             /**< as in a deployment file; NULL: zero, empty */
  double min, max;                 /**< of a number, or of each in a list; both 0: any */
  size_t count_min, count_max;     /**< items of a list; both 0: any number */
  const char *choices;             /**< of a text: `a|b|c`; NULL: any */
  const char *unit;                /**< of a number: `rad/s`, `messages`; empty: dimensionless */
  const char *doc;                 /**< its purpose, one sentence */
  const struct sn_property *items; /**< table of a bag, or of each in a list of bags */
  size_t item_size;                /**< of the struct of a bag, or of each in a list */
  const char *alias;               /**< another spelling, accepted on input; NULL: none */
} sn_property;

/** The property @p wire_name, stored in @p member of the struct @p type, whose C type gives the
 *  kind. Further fields of sn_property follow: `.unit = "rad", .initial = "0.5", .doc = "…"`. */
#define SN_PROPERTY(type, wire_name, member, ...)                          \
  {                                                                        \
    .name = (wire_name), .kind = SN_PROPERTY_KIND_OF(((type *)0)->member), \
    .offset = offsetof(type, member), __VA_ARGS__                          \
  }

/** A nested bag: @p member is a struct, @p table its properties. */
#define SN_PROPERTY_BAG_OF(type, wire_name, member, table, ...)                     \
  {                                                                                 \
    .name = (wire_name), .kind = SN_PROPERTY_BAG, .offset = offsetof(type, member), \
    .items = (table), .item_size = sizeof((type *)0)->member, __VA_ARGS__           \
  }

/** A list of bags: @p member is an sn_bags of @p item structs. */
#define SN_PROPERTY_BAGS_OF(type, wire_name, member, item, table, ...)               \
  {                                                                                  \
    .name = (wire_name), .kind = SN_PROPERTY_BAGS, .offset = offsetof(type, member), \
    .items = (table), .item_size = sizeof(item), __VA_ARGS__                         \
  }

#define SN_PROPERTY_KIND_OF(x) \
  _Generic((x), bool                             \
           : SN_PROPERTY_BOOL, int64_t           \
           : SN_PROPERTY_INT, double             \
           : SN_PROPERTY_REAL, const char *      \
           : SN_PROPERTY_TEXT, sn_reals          \
           : SN_PROPERTY_REALS, sn_texts         \
           : SN_PROPERTY_TEXTS, const sn_value *  \
           : SN_PROPERTY_TREE)

/** @return the entry of a table with this name or alias, or NULL; a table of NULL is empty */
SN_API const sn_property *sn_property_find(const sn_property *table, const char *name);

/** The property at @p path: `name`, or `bag.name` for one in a nested bag.
 *  @param offset  of the struct that it is a member of, in the struct of @p table
 *  @return NULL if there is none, @p offset untouched
 *  RT: yes.  Threads: any. */
SN_API const sn_property *sn_property_at(const sn_property *table, const char *path,
                                         size_t *offset) SN_RT;

/** `real number`, `list of texts`, …; static. */
SN_API const char *sn_property_kind_text(sn_property_kind kind);

/** Set every property of @p object, a struct that @p table describes, to its initial value. An
 *  invalid initial value in the table is a fault; sn_component_registry_add() checks for it.
 *  @return SN_OK, SN_ENOMEM, or SN_EUNSUPPORTED (a list or bag, in a build without YAML)
 *  RT: no, allocates.  Threads: one owner. */
SN_API sn_status sn_property_init(const sn_property *table, void *object, sn_arena *arena);

/** Set one property from a value of a file. Type, range, count and choices are checked; the report
 *  receives every problem with its place and the property as @p path (`follow.gain`). A bag may
 *  name some of its properties, the others keep their values. Lists are replaced as a whole.
 *  @param object  the struct that has the property as a member
 *  @param arena   for texts and lists; must outlive the value. Unchanged on failure
 *  @return SN_OK, SN_EINVAL (see the report) or SN_ENOMEM; on failure nothing is changed
 *  RT: no, allocates.  Threads: one owner. */
SN_API sn_status sn_property_set(const sn_property *property, void *object, const sn_value *value,
                                 const char *path, sn_arena *arena, sn_report *report);

/** Set several properties from a bag, all or none. Unknown names are errors.
 *  @param path  of the object: its properties are reported as `path.name`; empty: as `name`
 *  @return as sn_property_set() */
SN_API sn_status sn_property_set_all(const sn_property *table, void *object, const sn_value *bag,
                                     const char *path, sn_arena *arena, sn_report *report);

/** Report every required property, also of nested bags, that @p bag does not set.
 *  @param bag    all that is set, in one bag; NULL: nothing
 *  @param place  for the report
 *  @return SN_OK or SN_EINVAL
 *  RT: no.  Threads: one owner of the report. */
SN_API sn_status sn_property_check_required(const sn_property *table, const sn_value *bag,
                                            const char *path, sn_place place, sn_report *report);

/** Print the value as JSON on one line, which is also valid in a deployment file.
 *  @param object  the struct that has the property as a member
 *  @param out     @p size bytes; truncated if too small, always ends with a NUL if size > 0
 *  @return the length of the whole text without the NUL
 *  RT: no, formats.  Threads: owner of the object. */
SN_API size_t sn_property_print(const sn_property *property, const void *object, char *out,
                                size_t size);

/** Print all properties of a table as one JSON object; otherwise as sn_property_print(). */
SN_API size_t sn_property_print_all(const sn_property *table, const void *object, char *out,
                                    size_t size);

SN_END_DECLS

#endif
