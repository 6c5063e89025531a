#include "model/urdf/package_xml.h"

#include <string.h>

#include "base/text.h"

static bool is_at(const char *text, const char *end, const char *word) {
  const size_t length = strlen(word);
  return (size_t)(end - text) >= length && memcmp(text, word, length) == 0;
}

static bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

/* The end of the next `word`; the end of the text if there is none. */
static const char *skip_past(const char *at, const char *end, const char *word) {
  while (at < end && !is_at(at, end, word)) {
    at++;
  }
  return at < end ? at + strlen(word) : end;
}

static bool copy_name(const char *at, const char *end, char *name, size_t name_size) {
  size_t length = 0;
  while (at < end && sn__text_is_blank(*at)) {
    at++;
  }
  for (; at < end && is_name_char(*at) && length + 1 < name_size; at++) {
    name[length++] = *at;
  }
  name[length] = '\0';
  while (at < end && sn__text_is_blank(*at)) {
    at++;
  }
  return length > 0 && is_at(at, end, "</name");
}

bool sn__package_name(const char *text, size_t size, char *name, size_t name_size) {
  const char *end = text + size;
  for (const char *at = text; at < end;) {
    if (is_at(at, end, "<!--")) {
      at = skip_past(at, end, "-->");
    } else if (is_at(at, end, "<name") && end - at > 5 &&
               (at[5] == '>' || sn__text_is_blank(at[5]))) {
      return copy_name(skip_past(at, end, ">"), end, name, name_size);
    } else {
      at++;
    }
  }
  return false;
}
