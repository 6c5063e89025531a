/* Arithmetic, comparison and indexing, with Python's rules. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "xacro/expr/expr.h"
#include "xacro/scope.h"

static bool wrong_types(sn__xacro *x, const char *sign, sn__xvalue a, sn__xvalue b) {
  return sn__xacro_fail(x, SN_EMODEL,
                        a.kind == SN__X_TEXT || b.kind == SN__X_TEXT
                            ? "str(...) makes a text, float(...) a number"
                            : NULL,
                        "'%s' is not defined for a %s and a %s", sign, sn__xkind_name(a.kind),
                        sn__xkind_name(b.kind));
}

static bool too_large(sn__xacro *x, const char *sign) {
  return sn__xacro_fail(x, SN_EMODEL, "write 1.0 instead of 1 for a float",
                        "the integer result of '%s' has more than 64 bits", sign);
}

static bool divided_by_zero(sn__xacro *x, const char *sign) {
  return sn__xacro_fail(x, SN_EMODEL, NULL, "division by zero in '%s'", sign);
}

/* ---- integers ---- */

static bool power_of_integers(sn__xacro *x, int64_t base, int64_t exponent, sn__xvalue *out) {
  int64_t result = 1;
  while (exponent > 0) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) {
      return too_large(x, "**");
    }
    exponent >>= 1;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) {
      return too_large(x, "**");
    }
  }
  *out = sn__xint(result);
  return true;
}

/* Rounds down, and the remainder has the sign of the divisor. */
static bool divide_integers(sn__xacro *x, const char *sign, int64_t a, int64_t b, sn__xvalue *out) {
  if (b == 0) {
    return divided_by_zero(x, sign);
  }
  if (a == INT64_MIN && b == -1) {
    return too_large(x, sign);
  }
  int64_t quotient = a / b, remainder = a % b;
  if (remainder != 0 && (remainder < 0) != (b < 0)) {
    quotient--;
    remainder += b;
  }
  *out = sn__xint(sign[0] == '%' ? remainder : quotient);
  return true;
}

/* @param is_done  false: the result is a float */
static bool integers(sn__xacro *x, const char *sign, int64_t a, int64_t b, sn__xvalue *out,
                     bool *is_done) {
  int64_t result = 0;
  bool is_large = false;
  *is_done = true;
  switch (sign[0]) {
    case '+':
      is_large = __builtin_add_overflow(a, b, &result);
      break;
    case '-':
      is_large = __builtin_sub_overflow(a, b, &result);
      break;
    case '*':
      if (sign[1] == '*') {
        *is_done = b >= 0;
        return b < 0 || power_of_integers(x, a, b, out);
      }
      is_large = __builtin_mul_overflow(a, b, &result);
      break;
    default:
      *is_done = strcmp(sign, "/") != 0;
      return !*is_done || divide_integers(x, sign, a, b, out);
  }
  *out = sn__xint(result);
  return !is_large || too_large(x, sign);
}

/* ---- floats ---- */

/* The remainder has the sign of the divisor, also if it is zero. */
static double floor_remainder(double a, double b) {
  const double remainder = fmod(a, b);
  if (remainder == 0.0) {
    return copysign(0.0, b);
  }
  return (remainder < 0.0) != (b < 0.0) ? remainder + b : remainder;
}

/* From the remainder, which is exact: a / b may round up to the next integer. */
static double floor_quotient(double a, double b) {
  const double quotient = (a - floor_remainder(a, b)) / b;
  return quotient == 0.0 ? copysign(0.0, a / b) : nearbyint(quotient);
}

static bool power_of_floats(sn__xacro *x, double a, double b, sn__xvalue *out) {
  if (a == 0.0 && b < 0.0) {
    return divided_by_zero(x, "**");
  }
  if (a < 0.0 && isfinite(b) && b != floor(b)) {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "a negative number has no power of a fraction");
  }
  *out = sn__xfloat(pow(a, b));
  return true;
}

static bool floats(sn__xacro *x, const char *sign, double a, double b, sn__xvalue *out) {
  if ((sign[0] == '/' || sign[0] == '%') && b == 0.0) {
    return divided_by_zero(x, sign);
  }
  switch (sign[0]) {
    case '+':
      *out = sn__xfloat(a + b);
      return true;
    case '-':
      *out = sn__xfloat(a - b);
      return true;
    case '*':
      if (sign[1] == '*') {
        return power_of_floats(x, a, b, out);
      }
      *out = sn__xfloat(a * b);
      return true;
    case '/':
      *out = sn__xfloat(sign[1] == '/' ? floor_quotient(a, b) : a / b);
      return true;
    default:
      *out = sn__xfloat(floor_remainder(a, b));
      return true;
  }
}

/* ---- texts and lists ---- */

static bool concatenate(sn__xacro *x, sn__xvalue a, sn__xvalue b, sn__xvalue *out) {
  if (a.kind == SN__X_TEXT) {
    sn__xtext text = {0};
    const bool good = sn__xtext_add(x, &text, a.as.text) && sn__xtext_add(x, &text, b.as.text);
    const char *whole = good ? sn__xtext_end(x, &text) : NULL;
    *out = sn__xstring(whole);
    return whole != NULL;
  }
  bool good = sn__xlist_make(x, a.kind, out);
  for (int part = 0; good && part < 2; part++) {
    const sn__xlist *list = part == 0 ? a.as.list : b.as.list;
    for (size_t i = 0; good && i < list->count; i++) {
      good = sn__xlist_add(x, out->as.list, list->items[i]);
    }
  }
  return good;
}

static bool repeat(sn__xacro *x, sn__xvalue a, int64_t count, sn__xvalue *out) {
  sn__xvalue whole = sn__xstring("");
  bool good = a.kind == SN__X_TEXT || sn__xlist_make(x, a.kind, &whole);
  /* Each round makes it longer, or the size is zero and one round is enough. */
  const int64_t rounds = sn__xvalue_truth(a) ? count : 0;
  for (int64_t i = 0; good && i < rounds; i++) {
    good = sn__xacro_step(x, 1) && concatenate(x, whole, a, &whole);
  }
  *out = whole;
  return good;
}

static bool is_sequence(sn__xvalue value) {
  return value.kind == SN__X_TEXT || value.kind == SN__X_LIST || value.kind == SN__X_TUPLE;
}

/* ---- interface ---- */

bool sn__xoperator_unary(sn__xacro *x, const char *sign, sn__xvalue a, sn__xvalue *out) {
  int64_t integer = 0;
  double number = 0.0;
  const bool is_minus = sign[0] == '-';
  if (sn__xvalue_integer(a, &integer)) {
    *out = sn__xint(is_minus ? (int64_t)(0 - (uint64_t)integer) : integer);
    return integer != INT64_MIN || !is_minus || too_large(x, sign);
  }
  if (!sn__xvalue_number(a, &number)) {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "'%s' is not defined for a %s", sign,
                          sn__xkind_name(a.kind));
  }
  *out = sn__xfloat(is_minus ? -number : number);
  return true;
}

bool sn__xoperator_binary(sn__xacro *x, const char *sign, sn__xvalue a, sn__xvalue b,
                          sn__xvalue *out) {
  int64_t m = 0, n = 0;
  double p = 0.0, q = 0.0;
  bool is_done = false;
  if (sn__xvalue_integer(a, &m) && sn__xvalue_integer(b, &n)) {
    if (!integers(x, sign, m, n, out, &is_done) || is_done) {
      return is_done && x->status == SN_OK;
    }
  }
  if (sn__xvalue_number(a, &p) && sn__xvalue_number(b, &q)) {
    return floats(x, sign, p, q, out);
  }
  if (strcmp(sign, "%") == 0 && a.kind == SN__X_TEXT) {
    return sn__xformat_percent(x, a.as.text, b, out);
  }
  if (strcmp(sign, "+") == 0 && a.kind == b.kind && is_sequence(a)) {
    return concatenate(x, a, b, out);
  }
  if (strcmp(sign, "*") == 0 && is_sequence(a) && sn__xvalue_integer(b, &n)) {
    return repeat(x, a, n, out);
  }
  if (strcmp(sign, "*") == 0 && is_sequence(b) && sn__xvalue_integer(a, &m)) {
    return repeat(x, b, m, out);
  }
  return wrong_types(x, sign, a, b);
}

static bool contains(sn__xacro *x, sn__xvalue item, sn__xvalue container, bool *out) {
  if (container.kind == SN__X_TEXT && item.kind == SN__X_TEXT) {
    *out = strstr(container.as.text, item.as.text) != NULL;
    return true;
  }
  if (container.kind == SN__X_DICT) {
    *out = sn__xdict_find(x, container.as.dict, item) != NULL;
    return true;
  }
  if (container.kind == SN__X_SCOPE && item.kind == SN__X_TEXT) {
    *out = sn__xscope_contains(container.as.scope, item.as.text);
    return true;
  }
  if (container.kind != SN__X_LIST && container.kind != SN__X_TUPLE) {
    return wrong_types(x, "in", item, container);
  }
  *out = false;
  for (size_t i = 0; i < container.as.list->count && !*out; i++) {
    *out = sn__xvalue_equal(x, item, container.as.list->items[i]);
  }
  return true;
}

/* `is`: the same object, which for our values is the same kind and the same value. */
static bool is_same(sn__xacro *x, sn__xvalue a, sn__xvalue b) {
  return a.kind == b.kind && sn__xvalue_equal(x, a, b);
}

bool sn__xoperator_compare(sn__xacro *x, const char *sign, sn__xvalue a, sn__xvalue b, bool *out) {
  const bool is_negated =
      sign[0] == '!' || strncmp(sign, "not", 3) == 0 || strcmp(sign, "is not") == 0;
  int order = 0;
  bool is_ordered = true, good = true, truth = false;
  if (strstr(sign, "in") != NULL) {
    good = contains(x, a, b, &truth);
  } else if (strncmp(sign, "is", 2) == 0) {
    truth = is_same(x, a, b);
  } else if (strcmp(sign, "==") == 0 || strcmp(sign, "!=") == 0) {
    truth = sn__xvalue_equal(x, a, b);
  } else {
    good = sn__xvalue_compare(x, a, b, &order, &is_ordered);
    const bool takes_equal = sign[1] == '=';
    truth = is_ordered && (order == 0 ? takes_equal : (order < 0) == (sign[0] == '<'));
  }
  *out = truth != is_negated;
  return good && x->status == SN_OK;
}
