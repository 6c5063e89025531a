/** @file
 *  Properties of components: declared once by a table, checked when they are set, shown with their
 *  documentation.
 *
 *  A property is a member of the component's struct. Its initial value is a text in the form that a
 *  deployment file has it: `0.5`, `[left, right]`, `{gain: 2}`. */
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
  SN_PROPERTY_TREE,  /**< const sn_value *: whatever the file says, NULL if it says nothing */
  SN_PROPERTY_BAG,   /**< a struct with properties of its own */
  SN_PROPERTY_BAGS   /**< sn_bags: a list of such structs */
} sn_property_kind;

/** Lists. The items live as long as the value, that is until the next change. */
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
  SN_PROPERTY_INPUT = 8 /**< a text that names a file which configure reads, if it is there: a
                             recording holds a copy of it, so nothing secret */
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
  const char *unit;                /**< for people; NULL if there is none */
  const char *doc;                 /**< one sentence for people */
  const struct sn_property *items; /**< table of a bag, or of each in a list of bags */
  size_t item_size;                /**< of the struct of a bag, or of each in a list */
  const char *alias;               /**< another spelling, accepted on input; NULL: none */
} sn_property;

/** The property @p wire_name in @p member of the struct @p type; kind by the member's type. What
 *  follows are further fields of sn_property: `.unit = "rad", .initial = "0.5", .doc = "…"`. */
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

/** The word for people: `real number`, `list of texts`, … */
SN_API const char *sn_property_kind_text(sn_property_kind kind);

/** Give every property of @p object (a struct that @p table describes) its initial value. A bad
 *  initial value in the table is a fault; sn_component_registry_add() looks for them.
 *  @return SN_OK, SN_ENOMEM, or SN_EUNSUPPORTED (a list or bag, in a build without YAML)
 *  RT: no, allocates.  Threads: one owner. */
SN_API sn_status sn_property_init(const sn_property *table, void *object, sn_arena *arena);

/** Set one property from a value of a file: type, range, count and choices are checked, and every
 *  problem goes into the report with its place, naming the property as @p path (`follow.gain`). A
 *  bag may name some of its properties; the others stay. Lists are replaced whole.
 *  @param object  the struct that has the property as a member
 *  @param arena   where texts and lists go: must outlive the value. Unchanged on failure
 *  @return SN_OK, SN_EINVAL (see the report) or SN_ENOMEM; on failure nothing was changed
 *  RT: no, allocates.  Threads: one owner. */
SN_API sn_status sn_property_set(const sn_property *property, void *object, const sn_value *value,
                                 const char *path, sn_arena *arena, sn_report *report);

/** Set several properties from a bag; unknown names are problems. All or nothing.
 *  @param path  of the object: its properties are `path.name`; empty: `name`
 *  @return as sn_property_set() */
SN_API sn_status sn_property_set_all(const sn_property *table, void *object, const sn_value *bag,
                                     const char *path, sn_arena *arena, sn_report *report);

/** Report every property that is required, in nested bags too, and not named by @p bag.
 *  @param bag    all that was set, in one bag; NULL: nothing
 *  @param place  for the report, where the bag has no place for it
 *  @return SN_OK or SN_EINVAL
 *  RT: no.  Threads: one owner of the report. */
SN_API sn_status sn_property_check_required(const sn_property *table, const sn_value *bag,
                                            const char *path, sn_place place, sn_report *report);

/** The value as JSON on one line, which is also how a deployment file may have it.
 *  @param object  the struct that has the property as a member
 *  @param out     @p size bytes, always ends with a NUL if size > 0; cut if there is no room
 *  @return the bytes that all of it takes, without the NUL
 *  RT: no, formats.  Threads: owner of the object. */
SN_API size_t sn_property_print(const sn_property *property, const void *object, char *out,
                                size_t size);

/** All properties of a table as one object of JSON; else as sn_property_print(). */
SN_API size_t sn_property_print_all(const sn_property *table, const void *object, char *out,
                                    size_t size);

SN_END_DECLS

#endif
