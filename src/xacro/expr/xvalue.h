/** @file
 *  Internal: values of xacro expressions. They behave as the values of Python of the same names,
 * but integers have 64 bits: a larger one is an error. */
#ifndef SN_XACRO_EXPR_XVALUE_H
#define SN_XACRO_EXPR_XVALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files/xml.h"

typedef struct sn__xacro sn__xacro;
typedef struct sn__xscope sn__xscope;
typedef struct sn__xlist sn__xlist;
typedef struct sn__xdict sn__xdict;

typedef enum sn__xkind {
  SN__X_NONE,
  SN__X_BOOL,
  SN__X_INT,
  SN__X_FLOAT,
  SN__X_TEXT,
  SN__X_LIST,
  SN__X_TUPLE,
  SN__X_DICT,
  SN__X_FUNCTION, /**< an entry of the table of functions */
  SN__X_MODULE,   /**< `math`, `python` or `xacro` */
  SN__X_SCOPE,    /**< the properties of a file that was included with `ns` */
  SN__X_BLOCK     /**< an element: a block parameter or property */
} sn__xkind;

typedef struct sn__xvalue {
  sn__xkind kind;
  union {
    bool truth;
    int64_t integer;
    double number;
    const char *text; /**< ends with NUL and contains none */
    sn__xlist *list;  /**< also of a tuple */
    sn__xdict *dict;
    const struct sn__xfunction *function;
    const char *module;
    sn__xscope *scope;
    const sn__xml_node *block;
  } as;
} sn__xvalue;

struct sn__xlist {
  sn__xvalue *items;
  size_t count, capacity;
};

typedef struct sn__xpair {
  sn__xvalue key, value;
} sn__xpair;

struct sn__xdict {
  sn__xpair *pairs; /**< in the order of insertion */
  size_t count, capacity;
};

#define SN__XLIST_MAX 100000u /**< items of a list or dict */
#define SN__XTEXT_MAX ((size_t)1 << 20)

/* ---- make ---- */

static inline sn__xvalue sn__xnone(void) {
  return (sn__xvalue){.kind = SN__X_NONE};
}
static inline sn__xvalue sn__xbool(bool truth) {
  return (sn__xvalue){.kind = SN__X_BOOL, .as.truth = truth};
}
static inline sn__xvalue sn__xint(int64_t integer) {
  return (sn__xvalue){.kind = SN__X_INT, .as.integer = integer};
}
static inline sn__xvalue sn__xfloat(double number) {
  return (sn__xvalue){.kind = SN__X_FLOAT, .as.number = number};
}
static inline sn__xvalue sn__xstring(const char *text) {
  return (sn__xvalue){.kind = SN__X_TEXT, .as.text = text};
}

/** An empty list, tuple or dict. @return false: no memory */
bool sn__xlist_make(sn__xacro *x, sn__xkind kind, sn__xvalue *out);
bool sn__xlist_add(sn__xacro *x, sn__xlist *list, sn__xvalue item);

bool sn__xdict_make(sn__xacro *x, sn__xvalue *out);
bool sn__xdict_set(sn__xacro *x, sn__xdict *dict, sn__xvalue key, sn__xvalue value);
/** @return NULL if there is no such key */
const sn__xvalue *sn__xdict_find(sn__xacro *x, const sn__xdict *dict, sn__xvalue key);

/* ---- ask ---- */

/** "int", "str": as Python names the type. */
const char *sn__xkind_name(sn__xkind kind);

bool sn__xvalue_truth(sn__xvalue value);

/** Is it a bool, an int or a float? The number is then in @p out. */
bool sn__xvalue_number(sn__xvalue value, double *out);

/** Is it a bool or an int? */
bool sn__xvalue_integer(sn__xvalue value, int64_t *out);

/** Python's `==`. Nested deeper than 64 levels, two values differ. */
bool sn__xvalue_equal(sn__xacro *x, sn__xvalue a, sn__xvalue b);

/** Python's `<`: -1, 0 or 1 in @p order; *is_ordered is false where a NaN is compared.
 *  @return false with an error: these two have no order */
bool sn__xvalue_compare(sn__xacro *x, sn__xvalue a, sn__xvalue b, int *order, bool *is_ordered);

/* ---- text ---- */

/** `str(value)`. @return NULL: no memory, or too long */
const char *sn__xvalue_text(sn__xacro *x, sn__xvalue value);
/** Append it to the scratch text of the expansion. */
bool sn__xvalue_put(sn__xacro *x, sn__xvalue value);
/** `repr(value)`. */
const char *sn__xvalue_repr(sn__xacro *x, sn__xvalue value);

enum { SN__XFLOAT_SIZE = 40 };
/** `repr()` of a float. */
void sn__xfloat_text(double value, char out[SN__XFLOAT_SIZE]);

/* ---- literals ---- */

/** `int(text)` and `float(text)`: blanks around the number are ignored.
 *  @return false if it is none, or an integer of more than 64 bits */
bool sn__xliteral_int(const char *text, int64_t *out);
bool sn__xliteral_float(const char *text, double *out);

/** A property's text as value: quotes removed, a number, a bool, or the text itself. */
sn__xvalue sn__xliteral(sn__xacro *x, const char *text);

/** The truth of a condition: a bool, a number, or the text of one.
 *  @return false if it is neither */
bool sn__xliteral_truth(sn__xvalue value, bool *out);

#endif
