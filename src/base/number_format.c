#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

/* snprintf() writes the decimal point of the process's locale, which may take several bytes. Any
 * other byte of a number is one of these letters. */
static size_t replace_mark(char *text) {
  size_t length = 0;
  bool in_mark = false;
  for (const char *in = text; *in != '\0'; in++) {
    const bool is_letter = strchr("+-0123456789einfa", *in) != NULL;
    if (is_letter) {
      text[length++] = *in;
    } else if (!in_mark) {
      text[length++] = '.';
    }
    in_mark = !is_letter;
  }
  text[length] = '\0';
  return length;
}

/* Fewer digits may round a number near the end of the range out of it. */
static bool reads_back(const char *text, size_t length, double value, bool is_single) {
  double back = 0.0;
  if (sn__number_parse(text, length, &back) != SN__NUMBER_OK) {
    return false;
  }
  return back == value ||
         (is_single && fabs(back) <= (double)FLT_MAX && (float)back == (float)value);
}

static size_t format(double value, int digits_min, int digits_max, bool is_single,
                     char out[SN__NUMBER_SIZE]) {
  for (int digits = digits_min;; digits++) {
    snprintf(out, SN__NUMBER_SIZE, "%.*g", digits, value);
    const size_t length = replace_mark(out);
    if (digits == digits_max || !isfinite(value) || reads_back(out, length, value, is_single)) {
      return length;
    }
  }
}

size_t sn__number_format(double value, char out[SN__NUMBER_SIZE]) {
  return format(value, 15, 17, false, out);
}

size_t sn__number_format_single(float value, char out[SN__NUMBER_SIZE]) {
  return format((double)value, 6, 9, true, out);
}
