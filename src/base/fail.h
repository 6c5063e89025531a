/** @file
 *  Internal: fill an sn_error and return its code in one expression. The bridges and the program
 * use it, too. */
#ifndef SN_BASE_FAIL_H
#define SN_BASE_FAIL_H

#include "sinew/status.h"

/** Write the message into @p err, which may be NULL, with controls and bytes that are not UTF-8
 *  escaped. */
SN_API void sn__fail_text(sn_error *err, sn_status code, const char *format, ...) SN_PRINTF(3, 4);

/** The same, and the value is @p code. A macro, so that readers and static analysers see that the
 * call returns a failure. */
#define sn__fail(err, code, ...) (sn__fail_text((err), (code), __VA_ARGS__), (code))

#endif
