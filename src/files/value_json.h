/** @file
 *  Internal: property trees from JSON that jansson has parsed. The bridges use it, too. */
#ifndef SN_FILES_VALUE_JSON_H
#define SN_FILES_VALUE_JSON_H

#include "sinew/value.h"

struct json_t; /* of jansson.h */

/** As sn_value_parse_text(), which reads JSON as well, without parsing.
 *  @param json  unchanged; jansson iterates over non-const objects only */
SN_API sn_status sn__value_from_json(sn_arena *arena, struct json_t *json, const char *file,
                                     sn_report *report, const sn_value **out);

#endif
