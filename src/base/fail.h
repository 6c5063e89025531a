/** @file
 *  Internal: fill an sn_error and return its code, in one expression. */
#ifndef SN_BASE_FAIL_H
#define SN_BASE_FAIL_H

#include "sinew/status.h"

/** Writes the message into @p err, which may be NULL, and returns @p code. */
sn_status sn__fail(sn_error *err, sn_status code, const char *format, ...) SN_PRINTF(3, 4);

#endif
