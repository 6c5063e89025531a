#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "xacro/expr/expr.h"

static const sn__xtoken bad = {.kind = SN__XT_BAD};

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_name_part(char c) {
  return is_name_start(c) || is_digit(c);
}

/* ---- numbers ---- */

static size_t skip_digits(const char *text, size_t at) {
  while (is_digit(text[at]) || (text[at] == '_' && is_digit(text[at + 1]))) {
    at++;
  }
  return at;
}

/* Length of a decimal number; *is_float if it has a point or an exponent. */
static size_t number_length(const char *text, bool *is_float) {
  size_t length = skip_digits(text, 0);
  if (text[length] == '.') {
    *is_float = true;
    length = skip_digits(text, length + 1);
  }
  if (text[length] == 'e' || text[length] == 'E') {
    const size_t sign = text[length + 1] == '+' || text[length + 1] == '-' ? 1 : 0;
    if (is_digit(text[length + 1 + sign])) {
      *is_float = true;
      length = skip_digits(text, length + 1 + sign);
    }
  }
  return length;
}

/* 0x1f, 0o17 and 0b101. @return its base, 10 if it has no prefix */
static int base_of(const char *text) {
  const char letter = text[0] == '0' ? (char)(text[1] | 0x20) : ' ';
  return letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
}

static sn__xtoken take_prefixed(sn__xacro *x, const char **at, int base) {
  char *end = NULL;
  errno = 0;
  const char *digits = *at + 2;
  const intmax_t value = isxdigit((unsigned char)*digits) ? strtoimax(digits, &end, base) : 0;
  if (end == NULL || end == digits || errno != 0 || is_name_part(*end)) {
    sn__xacro_fail(x, SN_EMODEL, NULL, "'%.40s' is not an integer of 64 bits", *at);
    return bad;
  }
  *at = end;
  return (sn__xtoken){.kind = SN__XT_NUMBER, .value = sn__xint(value)};
}

static sn__xtoken take_number(sn__xacro *x, const char **at) {
  enum { DIGITS_MAX = 400 };
  const int base = base_of(*at);
  if (base != 10) {
    return take_prefixed(x, at, base);
  }
  char digits[DIGITS_MAX + 1];
  bool is_float = false;
  const size_t length = number_length(*at, &is_float);
  size_t used = 0;
  for (size_t i = 0; i < length && used < DIGITS_MAX; i++) {
    if ((*at)[i] != '_') {
      digits[used++] = (*at)[i];
    }
  }
  digits[used] = '\0';
  sn__xvalue value = sn__xnone();
  int64_t integer = 0;
  double number = 0.0;
  if (!is_float && sn__xliteral_int(digits, &integer)) {
    value = sn__xint(integer);
  } else if (is_float && sn__xliteral_float(digits, &number)) {
    value = sn__xfloat(number);
  }
  if (value.kind == SN__X_NONE || is_name_part((*at)[length])) {
    sn__xacro_fail(x, SN_EMODEL, NULL, "'%.40s' is not a number of 64 bits", *at);
    return bad;
  }
  *at += length;
  return (sn__xtoken){.kind = SN__XT_NUMBER, .value = value};
}

/* ---- strings ---- */

static char escaped(char c) {
  return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
}

/* One literal in quotes, added to @p out. */
static bool take_literal(sn__xacro *x, const char **at, sn__xtext *out) {
  const char quote = **at;
  const char *c = *at + 1;
  for (; *c != quote; c++) {
    if (*c == '\0') {
      return sn__xacro_fail(x, SN_EMODEL, NULL, "the text %.40s has no end: a %c is missing", *at,
                            quote);
    }
    char plain = *c;
    if (*c == '\\' && c[1] != '\0' && strchr("\\'\"ntr", c[1]) != NULL) {
      plain = escaped(*++c);
    }
    if (!sn__xtext_put(x, out, &plain, 1)) {
      return false;
    }
  }
  *at = c + 1;
  return true;
}

/* Literals side by side are one text. */
static sn__xtoken take_string(sn__xacro *x, const char **at) {
  sn__xtext out = {0};
  while (**at == '\'' || **at == '"') {
    if (!take_literal(x, at, &out)) {
      return bad;
    }
    while (sn__text_is_blank(**at)) {
      (*at)++;
    }
  }
  const char *text = sn__xtext_end(x, &out);
  return text == NULL ? bad : (sn__xtoken){.kind = SN__XT_STRING, .value = sn__xstring(text)};
}

/* ---- names and signs ---- */

static sn__xtoken take_name(sn__xacro *x, const char **at) {
  size_t length = 0;
  while (is_name_part((*at)[length])) {
    length++;
  }
  const char *name = sn__xacro_copy(x, *at, length);
  if (name == NULL) {
    return bad;
  }
  if (strncmp(name, "__", 2) == 0) {
    sn__xacro_fail(x, SN_EMODEL, NULL, "'%.60s': names with two leading underscores are refused",
                   name);
    return bad;
  }
  *at += length;
  return (sn__xtoken){.kind = SN__XT_NAME, .name = name};
}

static sn__xtoken take_sign(sn__xacro *x, const char **at) {
  static const char *const signs[] = {"**", "//", "==", "!=", "<=", ">=", "<", ">",
                                      "+",  "-",  "*",  "/",  "%",  "(",  ")", "[",
                                      "]",  "{",  "}",  ",",  ":",  ".",  "=", NULL};
  for (const char *const *sign = signs; *sign != NULL; sign++) {
    const size_t length = strlen(*sign);
    if (strncmp(*at, *sign, length) == 0) {
      sn__xtoken token = {.kind = SN__XT_SIGN};
      memcpy(token.sign, *sign, length + 1);
      *at += length;
      return token;
    }
  }
  sn__xacro_fail(x, SN_EMODEL, NULL, "'%.20s' cannot stand in an expression", *at);
  return bad;
}

sn__xtoken sn__xtoken_next(sn__xacro *x, const char **at) {
  while (sn__text_is_blank(**at)) {
    (*at)++;
  }
  const char c = **at;
  if (c == '\0') {
    return (sn__xtoken){.kind = SN__XT_END};
  }
  if (is_digit(c) || (c == '.' && is_digit((*at)[1]))) {
    return take_number(x, at);
  }
  if (c == '\'' || c == '"') {
    return take_string(x, at);
  }
  return is_name_start(c) ? take_name(x, at) : take_sign(x, at);
}
