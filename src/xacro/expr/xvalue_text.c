/* Values as text, as Python prints them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "xacro/context.h"

/* ---- floats ---- */

/* A number as its significant digits: 0.DIGITS * 10^point. */
typedef struct decimal {
  char digits[SN__NUMBER_SIZE];
  int count;
  int point;
  bool is_negative;
} decimal;

static void add_digit(decimal *d, char digit, bool is_fraction) {
  if (d->count > 0 || digit != '0') {
    d->digits[d->count++] = digit;
    d->point += is_fraction ? 0 : 1;
  } else {
    d->point -= is_fraction ? 1 : 0;
  }
}

/* Digits and exponent of a finite number. */
static decimal take_apart(double value) {
  char text[SN__NUMBER_SIZE];
  sn__number_format(value, text);
  decimal d = {.is_negative = signbit(value) != 0};
  bool is_fraction = false;
  const char *at = text;
  for (; *at != '\0' && *at != 'e'; at++) {
    if (*at == '.') {
      is_fraction = true;
    } else if (*at >= '0' && *at <= '9') {
      add_digit(&d, *at, is_fraction);
    }
  }
  int exponent = 0;
  if (*at == 'e') {
    (void)sscanf(at + 1, "%d", &exponent);
  }
  d.point += exponent;
  while (d.count > 1 && d.digits[d.count - 1] == '0') {
    d.count--;
  }
  if (d.count == 0) { /* zero */
    d.digits[d.count++] = '0';
    d.point = 1;
  }
  return d;
}

/* A finite number of at least 1e15: Python writes exponents from 1e16 on. */
static void put_large(double value, char out[SN__XFLOAT_SIZE]) {
  const decimal d = take_apart(value);
  const char *sign = d.is_negative ? "-" : "";
  if (d.point > 16) {
    snprintf(out, SN__XFLOAT_SIZE, "%s%c%s%.*se%+03d", sign, d.digits[0], d.count > 1 ? "." : "",
             d.count - 1, d.digits + 1, d.point - 1);
  } else if (d.point >= d.count) {
    snprintf(out, SN__XFLOAT_SIZE, "%s%.*s%.*s.0", sign, d.count, d.digits, d.point - d.count,
             "0000000000000000");
  } else {
    snprintf(out, SN__XFLOAT_SIZE, "%s%.*s.%.*s", sign, d.point, d.digits, d.count - d.point,
             d.digits + d.point);
  }
}

void sn__xfloat_text(double value, char out[SN__XFLOAT_SIZE]) {
  if (fabs(value) >= 1e15 && isfinite(value)) {
    put_large(value, out);
    return;
  }
  /* Below 1e15 it is as in Python, but for the sign of NaN, and 1 for 1.0. */
  const size_t length = sn__number_format(isnan(value) ? (double)NAN : value, out);
  if (isfinite(value) && strpbrk(out, ".e") == NULL) {
    memcpy(out + length, ".0", sizeof ".0");
  }
}

/* ---- everything else ---- */

static bool put_quoted(sn__xacro *x, sn__xtext *out, const char *text) {
  const bool is_double = strchr(text, '\'') != NULL && strchr(text, '"') == NULL;
  const char quote = is_double ? '"' : '\'';
  bool good = sn__xtext_put(x, out, &quote, 1);
  for (; good && *text != '\0'; text++) {
    char escaped[8];
    const unsigned char c = (unsigned char)*text;
    if (c == (unsigned char)quote || c == '\\') {
      snprintf(escaped, sizeof escaped, "\\%c", c);
    } else if (c == '\n' || c == '\t' || c == '\r') {
      snprintf(escaped, sizeof escaped, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
    } else if (c < 0x20 || c == 0x7f) {
      snprintf(escaped, sizeof escaped, "\\x%02x", c);
    } else {
      snprintf(escaped, sizeof escaped, "%c", c);
    }
    good = sn__xtext_add(x, out, escaped);
  }
  return good && sn__xtext_put(x, out, &quote, 1);
}

/* NOLINTNEXTLINE(misc-no-recursion): sn__xacro_enter() bounds it */
static bool put_value(sn__xacro *x, sn__xtext *out, sn__xvalue value);

/* NOLINTNEXTLINE(misc-no-recursion): as above */
static bool put_list(sn__xacro *x, sn__xtext *out, const sn__xlist *list, bool is_tuple) {
  bool good = sn__xtext_add(x, out, is_tuple ? "(" : "[");
  for (size_t i = 0; good && i < list->count; i++) {
    good = (i == 0 || sn__xtext_add(x, out, ", ")) && put_value(x, out, list->items[i]);
  }
  const char *end = !is_tuple ? "]" : list->count == 1 ? ",)" : ")";
  return good && sn__xtext_add(x, out, end);
}

/* NOLINTNEXTLINE(misc-no-recursion): as above */
static bool put_dict(sn__xacro *x, sn__xtext *out, const sn__xdict *dict) {
  bool good = sn__xtext_add(x, out, "{");
  for (size_t i = 0; good && i < dict->count; i++) {
    good = (i == 0 || sn__xtext_add(x, out, ", ")) && put_value(x, out, dict->pairs[i].key) &&
           sn__xtext_add(x, out, ": ") && put_value(x, out, dict->pairs[i].value);
  }
  return good && sn__xtext_add(x, out, "}");
}

static bool put_scalar(sn__xacro *x, sn__xtext *out, sn__xvalue value) {
  char text[SN__XFLOAT_SIZE];
  switch (value.kind) {
    case SN__X_BOOL:
      return sn__xtext_add(x, out, value.as.truth ? "True" : "False");
    case SN__X_INT:
      snprintf(text, sizeof text, "%" PRId64, value.as.integer);
      return sn__xtext_add(x, out, text);
    case SN__X_FLOAT:
      sn__xfloat_text(value.as.number, text);
      return sn__xtext_add(x, out, text);
    case SN__X_TEXT:
      return put_quoted(x, out, value.as.text);
    case SN__X_NONE:
      return sn__xtext_add(x, out, "None");
    default:
      return sn__xacro_fail(x, SN_EMODEL, NULL, "a %s has no text", sn__xkind_name(value.kind));
  }
}

/* NOLINTNEXTLINE(misc-no-recursion): as above */
static bool put_value(sn__xacro *x, sn__xtext *out, sn__xvalue value) {
  if (!sn__xacro_enter(x)) {
    return false;
  }
  bool good = false;
  if (value.kind == SN__X_LIST || value.kind == SN__X_TUPLE) {
    good = put_list(x, out, value.as.list, value.kind == SN__X_TUPLE);
  } else if (value.kind == SN__X_DICT) {
    good = put_dict(x, out, value.as.dict);
  } else {
    good = put_scalar(x, out, value);
  }
  sn__xacro_leave(x);
  return good && sn__xacro_step(x, 1);
}

const char *sn__xvalue_repr(sn__xacro *x, sn__xvalue value) {
  const size_t begin = x->scratch.length;
  return put_value(x, &x->scratch, value) ? sn__xacro_take_scratch(x, begin) : NULL;
}

bool sn__xvalue_put(sn__xacro *x, sn__xvalue value) {
  return value.kind == SN__X_TEXT ? sn__xtext_add(x, &x->scratch, value.as.text)
                                  : put_value(x, &x->scratch, value);
}

const char *sn__xvalue_text(sn__xacro *x, sn__xvalue value) {
  return value.kind == SN__X_TEXT ? value.as.text : sn__xvalue_repr(x, value);
}
