/* The one document type that is accepted. */
#include <string.h>

#include "base/text.h"
#include "files/xml.h"

/* Does the text at `at` begin with these words, separated by blanks? @return their end, or NULL */
static const char *match_words(const char *at, const char *end, const char *const *words) {
  for (; *words != NULL; words++) {
    const size_t length = strlen(*words);
    while (at < end && sn__text_is_blank(*at)) {
      at++;
    }
    if ((size_t)(end - at) < length || memcmp(at, *words, length) != 0) {
      return NULL;
    }
    at += length;
  }
  return at;
}

static const char *match_doctype(const sn__xml_config *config, const char *at, const char *end) {
  static const char *const quotes[] = {"\"", "'"};
  const char *name = config->doctype_name, *system = config->doctype_system;
  const char *behind = NULL;
  for (size_t i = 0; behind == NULL && i < 2; i++) {
    const char *q = quotes[i];
    const char *const words[] = {"<!DOCTYPE", name, "SYSTEM", q, system, q, ">", NULL};
    behind = match_words(at, end, words);
  }
  return behind;
}

const char *sn__xml_blank_doctype(sn_arena *arena, const sn__xml_config *config, const char *text,
                                  size_t size) {
  const char *end = text + size;
  const char *at = config->doctype_name == NULL || size == 0 ? NULL : memchr(text, '<', size);
  while (at != NULL) {
    const char *behind = match_doctype(config, at, end);
    if (behind != NULL) {
      char *copy = sn_arena_text(arena, text, size);
      for (size_t i = (size_t)(at - text); copy != NULL && i < (size_t)(behind - text); i++) {
        copy[i] = copy[i] == '\n' ? '\n' : ' ';
      }
      return copy;
    }
    at = memchr(at + 1, '<', (size_t)(end - at) - 1);
  }
  return text;
}
