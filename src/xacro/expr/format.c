/* Formatting of values: `'{:.3f}'.format(x)` and `'%d' % n`. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xacro/expr/expr.h"

/* A specification: [0][width][.precision][letter]. */
typedef struct spec {
  bool has_zeros;
  int width, precision; /* -1: not given */
  char letter;          /* '\0': none */
} spec;

static const char *read_count(const char *at, int *out) {
  *out = 0;
  while (*at >= '0' && *at <= '9' && *out < 1000) {
    *out = 10 * *out + (*at++ - '0');
  }
  return at;
}

/* @return behind it; NULL: it is not of that form */
static const char *read_spec(const char *at, spec *out) {
  *out = (spec){.has_zeros = *at == '0', .precision = -1};
  at = read_count(at, &out->width);
  if (*at == '.') {
    at = read_count(at + 1, &out->precision);
  }
  if (*at != '\0' && strchr("dfgexs", *at) != NULL) {
    out->letter = *at++;
  }
  return out->width > 200 || out->precision > 100 ? NULL : at;
}

/* The C library formats numbers in any locale; the library never sets one. */
static bool put_number(sn__xacro *x, sn__xtext *out, spec s, double number) {
  char text[512];
  const int precision = s.precision < 0 ? 6 : s.precision;
  const int width = s.width;
  int length = 0;
  if (s.letter == 'f') {
    length =
        snprintf(text, sizeof text, s.has_zeros ? "%0*.*f" : "%*.*f", width, precision, number);
  } else if (s.letter == 'e') {
    length =
        snprintf(text, sizeof text, s.has_zeros ? "%0*.*e" : "%*.*e", width, precision, number);
  } else {
    length =
        snprintf(text, sizeof text, s.has_zeros ? "%0*.*g" : "%*.*g", width, precision, number);
  }
  return length > 0 && length < (int)sizeof text
             ? sn__xtext_add(x, out, text)
             : sn__xacro_fail(x, SN_EMODEL, NULL, "a number is too long to be formatted");
}

static bool put_integer(sn__xacro *x, sn__xtext *out, spec s, int64_t integer) {
  char text[300];
  if (s.letter == 'x') {
    snprintf(text, sizeof text, s.has_zeros ? "%0*" PRIx64 : "%*" PRIx64, s.width,
             (uint64_t)integer);
  } else {
    snprintf(text, sizeof text, s.has_zeros ? "%0*" PRId64 : "%*" PRId64, s.width, integer);
  }
  return sn__xtext_add(x, out, text);
}

/* A text is filled with blanks on its right, as Python does in braces. */
static bool put_text(sn__xacro *x, sn__xtext *out, spec s, sn__xvalue value) {
  const char *text = sn__xvalue_text(x, value);
  if (text == NULL) {
    return false;
  }
  char blanks[256];
  const size_t length = strlen(text);
  const size_t missing = (size_t)s.width > length ? (size_t)s.width - length : 0;
  memset(blanks, ' ', missing);
  return sn__xtext_add(x, out, text) && sn__xtext_put(x, out, blanks, missing);
}

static bool put_value(sn__xacro *x, sn__xtext *out, spec s, sn__xvalue value) {
  int64_t integer = 0;
  double number = 0.0;
  if (s.letter == 's' || value.kind == SN__X_TEXT || (s.letter == '\0' && s.precision < 0)) {
    const bool is_plain = s.letter == 's' || s.letter == '\0';
    if (!is_plain) {
      return sn__xacro_fail(x, SN_EMODEL, NULL, "a text cannot be formatted as '%c'", s.letter);
    }
    return value.kind == SN__X_INT && s.letter == '\0' ? put_integer(x, out, s, value.as.integer)
                                                       : put_text(x, out, s, value);
  }
  const bool wants_integer = s.letter == 'd' || s.letter == 'x';
  if (wants_integer && value.kind == SN__X_FLOAT && fabs(value.as.number) < 9.2e18) {
    return put_integer(x, out, s, (int64_t)value.as.number);
  }
  if (wants_integer && sn__xvalue_integer(value, &integer)) {
    return put_integer(x, out, s, integer);
  }
  if (wants_integer || !sn__xvalue_number(value, &number)) {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "a %s cannot be formatted as '%c'",
                          sn__xkind_name(value.kind), s.letter == '\0' ? 'g' : s.letter);
  }
  return put_number(x, out, s, number);
}

static bool bad_format(sn__xacro *x, const char *format) {
  return sn__xacro_fail(x, SN_EMODEL, "{}, {0}, {name}, {:.3f}, {:03d}; %s, %d, %.3f, %g",
                        "'%.80s' is not a format", format);
}

/* The value of `{}`, `{0}` or `{name}`; @p at is behind the name after it. */
static const sn__xvalue *named_value(sn__xacro *x, const sn__xcall *call, const char **at,
                                     size_t *next) {
  const size_t length = strcspn(*at, ":}");
  const char *name = sn__xacro_copy(x, *at, length);
  *at += length;
  int64_t index = 0;
  if (name == NULL) {
    return NULL;
  }
  if (length > 0 && !sn__xliteral_int(name, &index)) {
    return sn__xdict_find(x, call->keywords, sn__xstring(name));
  }
  const size_t wanted = length == 0 ? (*next)++ : (size_t)index;
  return wanted < call->count ? &call->arguments[wanted] : NULL;
}

bool sn__xformat_braces(sn__xacro *x, const char *format, const sn__xcall *call, sn__xvalue *out) {
  sn__xtext text = {0};
  size_t next = 0;
  for (const char *at = format; *at != '\0';) {
    const size_t plain = strcspn(at, "{}");
    if (!sn__xtext_put(x, &text, at, plain)) {
      return false;
    }
    at += plain;
    if (at[0] != '\0' && at[0] == at[1]) { /* {{ is a brace */
      if (!sn__xtext_put(x, &text, at, 1)) {
        return false;
      }
      at += 2;
    } else if (*at == '{') {
      spec s = {.precision = -1};
      at++;
      const sn__xvalue *value = named_value(x, call, &at, &next);
      at = *at == ':' ? read_spec(at + 1, &s) : at;
      if (value == NULL || at == NULL || *at != '}') {
        return bad_format(x, format);
      }
      if (!put_value(x, &text, s, *value)) {
        return false;
      }
      at++;
    } else if (*at == '}') {
      return bad_format(x, format);
    }
  }
  *out = sn__xstring(sn__xtext_end(x, &text));
  return out->as.text != NULL;
}

bool sn__xformat_percent(sn__xacro *x, const char *format, sn__xvalue values, sn__xvalue *out) {
  sn__xtext text = {0};
  const bool is_tuple = values.kind == SN__X_TUPLE;
  const size_t count = is_tuple ? values.as.list->count : 1;
  size_t next = 0;
  for (const char *at = format; *at != '\0';) {
    const size_t plain = strcspn(at, "%");
    if (!sn__xtext_put(x, &text, at, plain)) {
      return false;
    }
    at += plain;
    if (*at == '%' && at[1] == '%') {
      at += 2;
      if (!sn__xtext_add(x, &text, "%")) {
        return false;
      }
    } else if (*at == '%') {
      spec s;
      at = read_spec(at + 1, &s);
      if (at == NULL || s.letter == '\0' || next == count) {
        return bad_format(x, format);
      }
      if (!put_value(x, &text, s, is_tuple ? values.as.list->items[next] : values)) {
        return false;
      }
      next++;
    }
  }
  *out = sn__xstring(sn__xtext_end(x, &text));
  return next == count ? out->as.text != NULL : bad_format(x, format);
}

bool sn__xformat_round(sn__xacro *x, double number, int digits, sn__xvalue *out) {
  char text[700];
  double result = 0.0;
  if (digits < 0) {
    const double unit = pow(10.0, -digits);
    result = nearbyint(number / unit) * unit;
  } else {
    snprintf(text, sizeof text, "%.*f", digits, number);
    if (!sn__xliteral_float(text, &result)) {
      return sn__xacro_fail(x, SN_EMODEL, NULL, "round(%g, %d) is not a number", number, digits);
    }
  }
  *out = sn__xfloat(result);
  return true;
}
