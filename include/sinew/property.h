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

SN_END_DECLS

#endif
