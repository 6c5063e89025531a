/* Texts as numbers and truth values. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "base/text.h"
#include "xacro/context.h"

/* The text without blanks around it. */
static const char *trim(const char *text, size_t *length) {
  while (sn__text_is_blank(*text)) {
    text++;
  }
  *length = strlen(text);
  while (*length > 0 && sn__text_is_blank(text[*length - 1])) {
    (*length)--;
  }
  return text;
}

bool sn__xliteral_int(const char *text, int64_t *out) {
  size_t length = 0;
  const char *begin = trim(text, &length);
  const size_t sign = *begin == '+' || *begin == '-' ? 1 : 0;
  if (length == sign || strspn(begin + sign, "0123456789") != length - sign) {
    return false;
  }
  errno = 0;
  const intmax_t value = strtoimax(begin, NULL, 10);
  if (errno != 0) {
    return false;
  }
  *out = value;
  return true;
}

static bool is_word(const char *text, size_t length, const char *word) {
  return length == strlen(word) && strncasecmp(text, word, length) == 0;
}

bool sn__xliteral_float(const char *text, double *out) {
  size_t length = 0;
  const char *begin = trim(text, &length);
  const sn__number_result result = sn__number_parse(begin, length, out);
  const bool is_negative = length > 0 && *begin == '-';
  if (result == SN__NUMBER_OK) {
    return true;
  }
  const size_t sign = length > 0 && (*begin == '+' || *begin == '-') ? 1 : 0;
  if (result == SN__NUMBER_OUT_OF_RANGE || is_word(begin + sign, length - sign, "inf") ||
      is_word(begin + sign, length - sign, "infinity")) {
    *out = is_negative ? -INFINITY : INFINITY;
    return true;
  }
  if (is_word(begin + sign, length - sign, "nan")) {
    *out = NAN;
    return true;
  }
  return false;
}

bool sn__xliteral_truth(sn__xvalue value, bool *out) {
  int64_t integer = 0;
  if (value.kind != SN__X_TEXT) {
    *out = sn__xvalue_truth(value);
    return true;
  }
  if (strcmp(value.as.text, "true") == 0 || strcmp(value.as.text, "True") == 0) {
    *out = true;
  } else if (strcmp(value.as.text, "false") == 0 || strcmp(value.as.text, "False") == 0) {
    *out = false;
  } else if (sn__xliteral_int(value.as.text, &integer)) {
    *out = integer != 0;
  } else {
    return false;
  }
  return true;
}

sn__xvalue sn__xliteral(sn__xacro *x, const char *text) {
  const size_t length = strlen(text);
  int64_t integer = 0;
  double number = 0.0;
  bool truth = false;
  if (length >= 2 && text[0] == '\'' && text[length - 1] == '\'') {
    const char *inside = sn__xacro_copy(x, text + 1, length - 2);
    return sn__xstring(inside == NULL ? "" : inside);
  }
  if (strchr(text, '_') != NULL) { /* 1_000 is a name here, not a number */
    return sn__xstring(text);
  }
  if (sn__xliteral_int(text, &integer)) {
    return sn__xint(integer);
  }
  if (sn__xliteral_float(text, &number)) {
    return sn__xfloat(number);
  }
  return sn__xliteral_truth(sn__xstring(text), &truth) ? sn__xbool(truth) : sn__xstring(text);
}
