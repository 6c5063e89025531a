/* Functions that Python has without an import. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "xacro/expr/expr.h"

static bool wrong(sn__xacro *x, const sn__xcall *call, const char *expected) {
  const char *text = sn__xvalue_repr(x, call->arguments[0]);
  return sn__xacro_fail(x, SN_EMODEL, NULL, "%s(%.80s): expected %s", call->name,
                        text == NULL ? "..." : text, expected);
}

/* ---- conversions ---- */

static bool run_str(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  *out = sn__xstring(call->count == 0 ? "" : sn__xvalue_text(x, call->arguments[0]));
  return out->as.text != NULL;
}

static bool run_repr(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  *out = sn__xstring(sn__xvalue_repr(x, call->arguments[0]));
  return out->as.text != NULL;
}

static bool run_int(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  const sn__xvalue value = call->count == 0 ? sn__xint(0) : call->arguments[0];
  int64_t integer = 0;
  double number = 0.0;
  if (value.kind == SN__X_TEXT ? sn__xliteral_int(value.as.text, &integer)
                               : sn__xvalue_integer(value, &integer)) {
    *out = sn__xint(integer);
    return true;
  }
  if (value.kind == SN__X_FLOAT && fabs(value.as.number) < 9.2e18) {
    number = trunc(value.as.number);
    *out = sn__xint((int64_t)number);
    return true;
  }
  return wrong(x, call, "an integer of 64 bits");
}

static bool run_float(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  const sn__xvalue value = call->count == 0 ? sn__xint(0) : call->arguments[0];
  double number = 0.0;
  if (value.kind == SN__X_TEXT ? !sn__xliteral_float(value.as.text, &number)
                               : !sn__xvalue_number(value, &number)) {
    return wrong(x, call, "a number");
  }
  *out = sn__xfloat(number);
  return true;
}

static bool run_bool(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  (void)x;
  *out = sn__xbool(call->count == 1 && sn__xvalue_truth(call->arguments[0]));
  return true;
}

static bool copy_items(sn__xacro *x, const sn__xcall *call, sn__xkind kind, sn__xvalue *out) {
  bool good = sn__xlist_make(x, kind, out);
  const sn__xlist *items =
      good && call->count == 1 ? sn__xvalue_items(x, call->arguments[0]) : NULL;
  good = good && (call->count == 0 || items != NULL);
  for (size_t i = 0; good && items != NULL && i < items->count; i++) {
    good = sn__xlist_add(x, out->as.list, items->items[i]);
  }
  return good;
}

static bool run_list(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  return copy_items(x, call, SN__X_LIST, out);
}

static bool run_tuple(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  return copy_items(x, call, SN__X_TUPLE, out);
}

static bool add_pairs(sn__xacro *x, sn__xdict *dict, const sn__xdict *from) {
  bool good = true;
  for (size_t i = 0; good && i < from->count; i++) {
    good = sn__xdict_set(x, dict, from->pairs[i].key, from->pairs[i].value);
  }
  return good;
}

/* dict(a=1), dict(other), dict([(key, value)]). */
static bool run_dict(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  bool good = sn__xdict_make(x, out);
  if (good && call->count == 1 && call->arguments[0].kind == SN__X_DICT) {
    good = add_pairs(x, out->as.dict, call->arguments[0].as.dict);
  } else if (good && call->count == 1) {
    const sn__xlist *items = sn__xvalue_items(x, call->arguments[0]);
    for (size_t i = 0; items != NULL && good && i < items->count; i++) {
      const sn__xlist *pair = sn__xvalue_items(x, items->items[i]);
      good = pair != NULL && pair->count == 2
                 ? sn__xdict_set(x, out->as.dict, pair->items[0], pair->items[1])
                 : wrong(x, call, "pairs of key and value");
    }
    good = good && items != NULL;
  }
  return good && add_pairs(x, out->as.dict, call->keywords);
}

/* ---- numbers ---- */

static bool run_abs(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  double number = 0.0;
  if (!sn__xvalue_number(call->arguments[0], &number)) {
    return wrong(x, call, "a number");
  }
  if (call->arguments[0].kind == SN__X_FLOAT) {
    *out = sn__xfloat(fabs(number));
    return true;
  }
  return sn__xoperator_unary(x, number < 0.0 ? "-" : "+", call->arguments[0], out);
}

/* To the nearest even number at a tie, as Python does. */
static bool run_round(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  double number = 0.0;
  int64_t digits = 0;
  const bool has_digits = call->count == 2;
  if (!sn__xvalue_number(call->arguments[0], &number) || !isfinite(number) ||
      (has_digits && !sn__xvalue_integer(call->arguments[1], &digits)) || llabs(digits) > 300) {
    return wrong(x, call, "a finite number, and an int for the digits");
  }
  if (call->arguments[0].kind != SN__X_FLOAT && digits >= 0) {
    return sn__xoperator_unary(x, "+", call->arguments[0], out);
  }
  if (has_digits) { /* decimal rounding: the C library prints it exactly */
    return sn__xformat_round(x, number, (int)digits, out);
  }
  if (!(fabs(number) < 9.2e18)) {
    return wrong(x, call, "a number of at most 64 bits");
  }
  *out = sn__xint((int64_t)nearbyint(number));
  return true;
}

/* ---- several values ---- */

/* The arguments, or the items of the only one. */
static bool values_of(sn__xacro *x, const sn__xcall *call, sn__xlist *out) {
  if (call->count != 1) {
    *out = (sn__xlist){.items = (sn__xvalue *)call->arguments, .count = call->count};
    return true;
  }
  const sn__xlist *items = sn__xvalue_items(x, call->arguments[0]);
  if (items != NULL) {
    *out = *items;
  }
  return items != NULL;
}

static bool extreme(sn__xacro *x, const sn__xcall *call, int wanted, sn__xvalue *out) {
  sn__xlist values = {0};
  if (!values_of(x, call, &values) || values.count == 0) {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "%s() of nothing", call->name);
  }
  *out = values.items[0];
  for (size_t i = 1; i < values.count; i++) {
    int order = 0;
    bool is_ordered = true;
    if (!sn__xvalue_compare(x, values.items[i], *out, &order, &is_ordered)) {
      return false;
    }
    *out = is_ordered && order == wanted ? values.items[i] : *out;
  }
  return true;
}

static bool run_min(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  return extreme(x, call, -1, out);
}

static bool run_max(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  return extreme(x, call, 1, out);
}

static bool run_sum(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  const sn__xlist *items = sn__xvalue_items(x, call->arguments[0]);
  *out = sn__xint(0);
  bool good = items != NULL;
  for (size_t i = 0; good && i < items->count; i++) {
    good = sn__xoperator_binary(x, "+", *out, items->items[i], out);
  }
  return good;
}

/* any() and all(), by name. */
static bool run_any_all(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  const sn__xlist *items = sn__xvalue_items(x, call->arguments[0]);
  const bool is_all = call->name[1] == 'l';
  bool truth = is_all;
  for (size_t i = 0; items != NULL && i < items->count && truth == is_all; i++) {
    truth = sn__xvalue_truth(items->items[i]);
  }
  *out = sn__xbool(truth);
  return items != NULL;
}

static bool run_len(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  const sn__xlist *items = sn__xvalue_items(x, call->arguments[0]);
  *out = sn__xint(items == NULL ? 0 : (int64_t)items->count);
  return items != NULL;
}

static bool run_sorted(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  if (!copy_items(x, call, SN__X_LIST, out)) {
    return false;
  }
  sn__xvalue *items = out->as.list->items;
  for (size_t i = 1; i < out->as.list->count; i++) { /* lists in robots are short; it is stable */
    const sn__xvalue item = items[i];
    size_t at = i;
    int order = -1;
    bool is_ordered = true;
    while (at > 0 && sn__xacro_step(x, 1)) {
      if (!sn__xvalue_compare(x, item, items[at - 1], &order, &is_ordered)) {
        return false;
      }
      if (order >= 0 || !is_ordered) {
        break;
      }
      items[at] = items[at - 1];
      at--;
    }
    items[at] = item;
  }
  return x->status == SN_OK;
}

static bool run_reversed(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  if (!copy_items(x, call, SN__X_LIST, out)) {
    return false;
  }
  sn__xlist *list = out->as.list;
  for (size_t i = 0; i < list->count / 2; i++) {
    const sn__xvalue item = list->items[i];
    list->items[i] = list->items[list->count - 1 - i];
    list->items[list->count - 1 - i] = item;
  }
  return true;
}

static bool run_range(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  int64_t numbers[3] = {0, 0, 1};
  for (size_t i = 0; i < call->count; i++) {
    const size_t at = call->count == 1 ? 1 : i;
    if (!sn__xvalue_integer(call->arguments[i], &numbers[at])) {
      return wrong(x, call, "integers");
    }
  }
  if (numbers[2] == 0) {
    return wrong(x, call, "a step other than 0");
  }
  bool good = sn__xlist_make(x, SN__X_LIST, out);
  for (int64_t i = numbers[0]; good && (numbers[2] > 0 ? i < numbers[1] : i > numbers[1]);) {
    good = sn__xacro_step(x, 1) && sn__xlist_add(x, out->as.list, sn__xint(i));
    if (__builtin_add_overflow(i, numbers[2], &i)) {
      break;
    }
  }
  return good;
}

static bool add_tuple(sn__xacro *x, sn__xlist *list, sn__xvalue a, sn__xvalue b) {
  sn__xvalue pair = sn__xnone();
  return sn__xlist_make(x, SN__X_TUPLE, &pair) && sn__xlist_add(x, pair.as.list, a) &&
         sn__xlist_add(x, pair.as.list, b) && sn__xlist_add(x, list, pair);
}

static bool run_enumerate(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  const sn__xlist *items = sn__xvalue_items(x, call->arguments[0]);
  bool good = items != NULL && sn__xlist_make(x, SN__X_LIST, out);
  for (size_t i = 0; good && i < items->count; i++) {
    good = add_tuple(x, out->as.list, sn__xint((int64_t)i), items->items[i]);
  }
  return good;
}

static bool run_zip(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  const sn__xlist *a = sn__xvalue_items(x, call->arguments[0]);
  const sn__xlist *b = a == NULL ? NULL : sn__xvalue_items(x, call->arguments[1]);
  bool good = b != NULL && sn__xlist_make(x, SN__X_LIST, out);
  for (size_t i = 0; good && i < a->count && i < b->count; i++) {
    good = add_tuple(x, out->as.list, a->items[i], b->items[i]);
  }
  return good;
}

/* map(float, items): the result is a list. */
/* NOLINTNEXTLINE(misc-no-recursion): a function of map() cannot be called by map() */
static bool run_map(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  const sn__xvalue function = call->arguments[0];
  const sn__xlist *items = sn__xvalue_items(x, call->arguments[1]);
  if (items == NULL || function.kind != SN__X_FUNCTION) {
    return items != NULL && wrong(x, call, "the name of a function");
  }
  bool good = sn__xlist_make(x, SN__X_LIST, out);
  for (size_t i = 0; good && i < items->count; i++) {
    static const sn__xdict none = {0};
    sn__xvalue value = sn__xnone();
    sn__xcall inner = {function.as.function->name, call->scope, &items->items[i], 1, &none};
    good = sn__xacro_step(x, 1) && sn__xfunction_call(x, function.as.function, &inner, &value) &&
           sn__xlist_add(x, out->as.list, value);
  }
  return good;
}

const sn__xfunction sn__xbuiltin_functions[] = {
    {"python", "str", 0, 1, false, run_str, NULL},
    {"python", "repr", 1, 1, false, run_repr, NULL},
    {"python", "int", 0, 1, false, run_int, NULL},
    {"python", "float", 0, 1, false, run_float, NULL},
    {"python", "bool", 0, 1, false, run_bool, NULL},
    {"python", "list", 0, 1, false, run_list, NULL},
    {"python", "tuple", 0, 1, false, run_tuple, NULL},
    {"python", "dict", 0, 1, true, run_dict, NULL},
    {"python", "abs", 1, 1, false, run_abs, NULL},
    {"python", "round", 1, 2, false, run_round, NULL},
    {"python", "min", 1, 16, false, run_min, NULL},
    {"python", "max", 1, 16, false, run_max, NULL},
    {"python", "sum", 1, 1, false, run_sum, NULL},
    {"python", "any", 1, 1, false, run_any_all, NULL},
    {"python", "all", 1, 1, false, run_any_all, NULL},
    {"python", "len", 1, 1, false, run_len, NULL},
    {"python", "sorted", 1, 1, false, run_sorted, NULL},
    {"python", "reversed", 1, 1, false, run_reversed, NULL},
    {"python", "range", 1, 3, false, run_range, NULL},
    {"python", "enumerate", 1, 1, false, run_enumerate, NULL},
    {"python", "zip", 2, 2, false, run_zip, NULL},
    {"python", "map", 2, 2, false, run_map, NULL},
    {0}};
