/** @file
 *  Internal: cleaning, checking and hashing of texts. */
#ifndef SN_BASE_TEXT_H
#define SN_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"

/** A blank of a text file: space, tab or line end. */
static inline bool sn__text_is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/** Is a text nothing but blanks? Also if it is empty. */
static inline bool sn__text_is_empty(const char *text) {
  while (sn__text_is_blank(*text)) {
    text++;
  }
  return *text == '\0';
}

/** FNV-1a of a text up to its NUL, or its first @p length_max bytes, folded to 32 bits. */
static inline uint32_t sn__text_hash(const char *text, size_t length_max) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < length_max && text[i] != '\0'; i++) {
    hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
  }
  return (uint32_t)(hash ^ (hash >> 32));
}

/** Bytes of the UTF-8 character at the beginning of @p text; 0 if it is not valid. Never reads past
 * a NUL. */
size_t sn__text_utf8_length(const char *text);

/** Copy @p text into @p out (size bytes, always ends with NUL) with control characters, C1 controls
 *  and bytes that are not UTF-8 as \\xNN. Cuts at a whole character, with "..." at the end.
 *  @return the length written. May not alias. */
size_t sn__text_clean(const char *text, char *out, size_t size);

/** Bytes, with the NUL, of a line before it is cleaned. */
#define SN__TEXT_MAX 1024

/** As sn__text_clean() for a line that may have been cut to SN__TEXT_MAX bytes, perhaps inside a
 * character: then it ends with "..." even if @p out is large. */
size_t sn__text_clean_line(const char line[SN__TEXT_MAX], char *out, size_t size);

/** printf into a bounded buffer, cleaned as above. @return the length written. */
size_t sn__text_format(char *out, size_t size, const char *format, va_list args) SN_PRINTF(3, 0);

/** Is there a control character (C0, DEL or C1), or a byte that is not UTF-8? */
bool sn__text_has_control(const char *text);

/** Likewise, but tabs and line ends are allowed. */
bool sn__text_has_control_in_lines(const char *text);

#endif
