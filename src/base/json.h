/** @file
 *  Internal: the JSON writer of the library, the bridges and the program. It appends to a buffer
 * and keeps no state: a comma is written where the last byte calls for one. */
#ifndef SN_BASE_JSON_H
#define SN_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/number.h"
#include "sinew/api.h"

/** Bytes of the longest piece that sn__json_escape() writes. */
#define SN__JSON_ESCAPE_SIZE 6

/** Bytes at the beginning of @p text that a JSON string holds as they are. */
size_t sn__json_plain_length(const char *text);

/** Escape the character that @p text begins with and move @p text past it. Quotes, backslashes,
 *  controls, and the line ends and byte order marks that YAML or a terminal would obey are escaped;
 *  a byte that is not UTF-8 becomes U+FFFD.
 *  @param text  not empty
 *  @return the bytes in @p out */
size_t sn__json_escape(const char **text, char out[SN__JSON_ESCAPE_SIZE]);

/** As few digits as read back to the same number; `null` if it is not finite.
 *  @return the length */
size_t sn__json_number(double value, char out[SN__NUMBER_SIZE]);

/** Each of these writes one value. @param name  in an object; NULL in a list */
SN_API void sn__json_open(sn__buffer *out, const char *name, char bracket);
/** @param value  NULL: null */
SN_API void sn__json_text(sn__buffer *out, const char *name, const char *value);
SN_API void sn__json_null(sn__buffer *out, const char *name);
SN_API void sn__json_bool(sn__buffer *out, const char *name, bool value);
SN_API void sn__json_int(sn__buffer *out, const char *name, int64_t value);
SN_API void sn__json_count(sn__buffer *out, const char *name, uint64_t value);
SN_API void sn__json_real(sn__buffer *out, const char *name, double value);
/** @param json  @p length bytes of JSON, copied; with none, the caller appends the value itself */
SN_API void sn__json_raw(sn__buffer *out, const char *name, const char *json, size_t length);

/** Ends what sn__json_open() began. */
SN_API void sn__json_close(sn__buffer *out, char bracket);

#endif
