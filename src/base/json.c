#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

/* ---- texts ---- */

static unsigned decode(const char *text, size_t length) {
  static const unsigned masks[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  unsigned code = (unsigned char)text[0] & masks[length];
  for (size_t i = 1; i < length; i++) {
    code = code << 6 | ((unsigned char)text[i] & 0x3F);
  }
  return code;
}

/* YAML 1.1 takes U+0085, U+2028 and U+2029 for line ends and rejects U+FFFE and U+FFFF. */
static bool is_plain(unsigned code) {
  return code >= 0x20 && code != '"' && code != '\\' && !(code >= 0x7F && code < 0xA0) &&
         code != 0x2028 && code != 0x2029 && code != 0xFEFF && code != 0xFFFE && code != 0xFFFF;
}

size_t sn__json_plain_length(const char *text) {
  const char *at = text;
  while (*at != '\0') {
    const size_t length = sn__text_utf8_length(at);
    if (length == 0 || !is_plain(decode(at, length))) {
      break;
    }
    at += length;
  }
  return (size_t)(at - text);
}

size_t sn__json_escape(const char **text, char out[SN__JSON_ESCAPE_SIZE]) {
  static const char hex[] = "0123456789abcdef";
  const size_t length = sn__text_utf8_length(*text);
  const unsigned code = length == 0 ? 0xFFFD : decode(*text, length);
  *text += length == 0 ? 1 : length;
  out[0] = '\\';
  if (code == '"' || code == '\\') {
    out[1] = (char)code;
    return 2;
  }
  out[1] = 'u';
  for (int i = 0; i < 4; i++) {
    out[2 + i] = hex[code >> (12 - 4 * i) & 15];
  }
  return SN__JSON_ESCAPE_SIZE;
}

static void put_string(sn__buffer *out, const char *text) {
  char piece[SN__JSON_ESCAPE_SIZE];
  sn__buffer_append(out, "\"", 1);
  for (;;) {
    const size_t length = sn__json_plain_length(text);
    sn__buffer_append(out, text, length);
    text += length;
    if (*text == '\0') {
      break;
    }
    sn__buffer_append(out, piece, sn__json_escape(&text, piece));
  }
  sn__buffer_append(out, "\"", 1);
}

/* ---- values ---- */

/* A value follows another one unless the last byte opens an object or a list, or ends a name or a
   line. */
static void begin_value(sn__buffer *out, const char *name) {
  if (out->used > 0 && strchr("{[:\n", out->data[out->used - 1]) == NULL) {
    sn__buffer_append(out, ",", 1);
  }
  if (name != NULL) {
    put_string(out, name);
    sn__buffer_append(out, ":", 1);
  }
}

void sn__json_raw(sn__buffer *out, const char *name, const char *json, size_t length) {
  begin_value(out, name);
  sn__buffer_append(out, json, length);
}

void sn__json_open(sn__buffer *out, const char *name, char bracket) {
  sn__json_raw(out, name, &bracket, 1);
}

void sn__json_close(sn__buffer *out, char bracket) {
  sn__buffer_append(out, &bracket, 1);
}

void sn__json_null(sn__buffer *out, const char *name) {
  sn__json_raw(out, name, "null", 4);
}

void sn__json_text(sn__buffer *out, const char *name, const char *value) {
  if (value == NULL) {
    sn__json_null(out, name);
    return;
  }
  begin_value(out, name);
  put_string(out, value);
}

void sn__json_bool(sn__buffer *out, const char *name, bool value) {
  sn__json_raw(out, name, value ? "true" : "false", value ? 4 : 5);
}

void sn__json_int(sn__buffer *out, const char *name, int64_t value) {
  char number[32];
  const int length = snprintf(number, sizeof number, "%" PRId64, value);
  sn__json_raw(out, name, number, (size_t)length);
}

void sn__json_count(sn__buffer *out, const char *name, uint64_t value) {
  char number[32];
  const int length = snprintf(number, sizeof number, "%" PRIu64, value);
  sn__json_raw(out, name, number, (size_t)length);
}

/* "-0" would be an integer, which has no sign. */
size_t sn__json_number(double value, char out[SN__NUMBER_SIZE]) {
  if (!isfinite(value) || (value == 0.0 && signbit(value))) {
    memcpy(out, isfinite(value) ? "-0.0" : "null", 5);
    return 4;
  }
  return sn__number_format(value, out);
}

void sn__json_real(sn__buffer *out, const char *name, double value) {
  char number[SN__NUMBER_SIZE];
  sn__json_raw(out, name, number, sn__json_number(value, number));
}
