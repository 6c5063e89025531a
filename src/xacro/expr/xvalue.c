#include "xacro/expr/xvalue.h"

#include <string.h>

#include "xacro/context.h"

enum { COMPARE_DEPTH_MAX = 64 };

/* ---- lists and dicts ---- */

/* Room for one more of @p count items. */
static bool grow(sn__xacro *x, void **items, size_t count, size_t *capacity, size_t item_size) {
  if (count < *capacity) {
    return true;
  }
  if (count >= SN__XLIST_MAX) {
    return sn__xacro_fail(x, SN_ELIMIT, NULL, "a list has more than %u items", SN__XLIST_MAX);
  }
  const size_t room = 2 * count + 4;
  void *grown = sn__xacro_alloc(x, room * item_size);
  if (grown == NULL) {
    return false;
  }
  if (count > 0) {
    memcpy(grown, *items, count * item_size);
  }
  *items = grown;
  *capacity = room;
  return true;
}

bool sn__xlist_make(sn__xacro *x, sn__xkind kind, sn__xvalue *out) {
  sn__xlist *list = sn__xacro_alloc(x, sizeof *list);
  *out = (sn__xvalue){.kind = kind, .as.list = list};
  return list != NULL;
}

bool sn__xlist_add(sn__xacro *x, sn__xlist *list, sn__xvalue item) {
  void *items = list->items;
  if (!grow(x, &items, list->count, &list->capacity, sizeof *list->items)) {
    return false;
  }
  list->items = items;
  list->items[list->count++] = item;
  return true;
}

bool sn__xdict_make(sn__xacro *x, sn__xvalue *out) {
  sn__xdict *dict = sn__xacro_alloc(x, sizeof *dict);
  *out = (sn__xvalue){.kind = SN__X_DICT, .as.dict = dict};
  return dict != NULL;
}

const sn__xvalue *sn__xdict_find(sn__xacro *x, const sn__xdict *dict, sn__xvalue key) {
  for (size_t i = 0; i < dict->count; i++) {
    if (sn__xvalue_equal(x, dict->pairs[i].key, key)) {
      return &dict->pairs[i].value;
    }
  }
  return NULL;
}

bool sn__xdict_set(sn__xacro *x, sn__xdict *dict, sn__xvalue key, sn__xvalue value) {
  if (key.kind == SN__X_LIST || key.kind == SN__X_DICT) {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "a %s cannot be the key of a dict",
                          sn__xkind_name(key.kind));
  }
  for (size_t i = 0; i < dict->count; i++) {
    if (sn__xvalue_equal(x, dict->pairs[i].key, key)) {
      dict->pairs[i].value = value;
      return x->status == SN_OK;
    }
  }
  void *pairs = dict->pairs;
  if (x->status != SN_OK || !grow(x, &pairs, dict->count, &dict->capacity, sizeof *dict->pairs)) {
    return false;
  }
  dict->pairs = pairs;
  dict->pairs[dict->count++] = (sn__xpair){key, value};
  return true;
}

/* ---- kinds ---- */

const char *sn__xkind_name(sn__xkind kind) {
  static const char *const names[] = {"None",  "bool", "int",      "float",  "str",       "list",
                                      "tuple", "dict", "function", "module", "namespace", "block"};
  return names[kind];
}

bool sn__xvalue_truth(sn__xvalue value) {
  switch (value.kind) {
    case SN__X_NONE:
      return false;
    case SN__X_BOOL:
      return value.as.truth;
    case SN__X_INT:
      return value.as.integer != 0;
    case SN__X_FLOAT:
      return value.as.number != 0.0;
    case SN__X_TEXT:
      return *value.as.text != '\0';
    case SN__X_LIST:
    case SN__X_TUPLE:
      return value.as.list->count > 0;
    case SN__X_DICT:
      return value.as.dict->count > 0;
    default:
      return true;
  }
}

bool sn__xvalue_integer(sn__xvalue value, int64_t *out) {
  if (value.kind != SN__X_INT && value.kind != SN__X_BOOL) {
    return false;
  }
  *out = value.kind == SN__X_BOOL ? value.as.truth : value.as.integer;
  return true;
}

bool sn__xvalue_number(sn__xvalue value, double *out) {
  int64_t integer = 0;
  if (value.kind == SN__X_FLOAT) {
    *out = value.as.number;
    return true;
  }
  if (!sn__xvalue_integer(value, &integer)) {
    return false;
  }
  *out = (double)integer;
  return true;
}

/* ---- comparison ---- */

/* NOLINTNEXTLINE(misc-no-recursion): COMPARE_DEPTH_MAX bounds it */
static bool equal_at(sn__xacro *x, sn__xvalue a, sn__xvalue b, int depth);

/* NOLINTNEXTLINE(misc-no-recursion): as above */
static bool equal_lists(sn__xacro *x, const sn__xlist *a, const sn__xlist *b, int depth) {
  bool is_equal = a->count == b->count;
  for (size_t i = 0; is_equal && i < a->count; i++) {
    is_equal = equal_at(x, a->items[i], b->items[i], depth + 1);
  }
  return is_equal;
}

/* NOLINTNEXTLINE(misc-no-recursion): as above */
static bool equal_dicts(sn__xacro *x, const sn__xdict *a, const sn__xdict *b, int depth) {
  bool is_equal = a->count == b->count;
  for (size_t i = 0; is_equal && i < a->count; i++) {
    const sn__xvalue *other = sn__xdict_find(x, b, a->pairs[i].key);
    is_equal = other != NULL && equal_at(x, a->pairs[i].value, *other, depth + 1);
  }
  return is_equal;
}

/* NOLINTNEXTLINE(misc-no-recursion): as above */
static bool equal_at(sn__xacro *x, sn__xvalue a, sn__xvalue b, int depth) {
  int64_t m = 0, n = 0;
  double p = 0.0, q = 0.0;
  if (sn__xvalue_integer(a, &m) && sn__xvalue_integer(b, &n)) {
    return m == n;
  }
  if (sn__xvalue_number(a, &p) && sn__xvalue_number(b, &q)) {
    return p == q;
  }
  if (a.kind != b.kind || depth > COMPARE_DEPTH_MAX || !sn__xacro_step(x, 1)) {
    return false;
  }
  switch (a.kind) {
    case SN__X_NONE:
      return true;
    case SN__X_TEXT:
      return strcmp(a.as.text, b.as.text) == 0;
    case SN__X_LIST:
    case SN__X_TUPLE:
      return a.as.list == b.as.list || equal_lists(x, a.as.list, b.as.list, depth);
    case SN__X_DICT:
      return a.as.dict == b.as.dict || equal_dicts(x, a.as.dict, b.as.dict, depth);
    default:
      return a.as.function == b.as.function;
  }
}

bool sn__xvalue_equal(sn__xacro *x, sn__xvalue a, sn__xvalue b) {
  return equal_at(x, a, b, 0);
}

static int sign_of(double difference) {
  return difference < 0.0 ? -1 : difference > 0.0;
}

/* The first items that differ decide. */
/* NOLINTNEXTLINE(misc-no-recursion): sn__xacro_enter() bounds it */
static bool compare_lists(sn__xacro *x, const sn__xlist *a, const sn__xlist *b, int *order,
                          bool *is_ordered) {
  for (size_t i = 0; i < a->count && i < b->count; i++) {
    if (!sn__xvalue_equal(x, a->items[i], b->items[i])) {
      bool good = sn__xacro_enter(x);
      if (good) {
        good = sn__xvalue_compare(x, a->items[i], b->items[i], order, is_ordered);
        sn__xacro_leave(x);
      }
      return good;
    }
  }
  *order = a->count < b->count ? -1 : a->count > b->count;
  return true;
}

/* NOLINTNEXTLINE(misc-no-recursion): sn__xacro_enter() bounds it */
bool sn__xvalue_compare(sn__xacro *x, sn__xvalue a, sn__xvalue b, int *order, bool *is_ordered) {
  int64_t m = 0, n = 0;
  double p = 0.0, q = 0.0;
  *is_ordered = true;
  if (sn__xvalue_integer(a, &m) && sn__xvalue_integer(b, &n)) {
    *order = m < n ? -1 : m > n;
  } else if (sn__xvalue_number(a, &p) && sn__xvalue_number(b, &q)) {
    *is_ordered = p == p && q == q;
    *order = p == q ? 0 : sign_of(p < q ? -1.0 : 1.0);
  } else if (a.kind == SN__X_TEXT && b.kind == SN__X_TEXT) {
    *order = sign_of((double)strcmp(a.as.text, b.as.text));
  } else if (a.kind == b.kind && (a.kind == SN__X_LIST || a.kind == SN__X_TUPLE)) {
    return compare_lists(x, a.as.list, b.as.list, order, is_ordered);
  } else {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "a %s and a %s have no order", sn__xkind_name(a.kind),
                          sn__xkind_name(b.kind));
  }
  return true;
}
