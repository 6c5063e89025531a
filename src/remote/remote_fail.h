/** @file
 *  Fill an sn_error and return its code, in one expression. */
#ifndef SN_REMOTE_REMOTE_FAIL_H
#define SN_REMOTE_REMOTE_FAIL_H

#include "sinew/status.h"

/** Fill @p err, printf-like. @return @p status */
sn_status sn__remote_fail(sn_error *err, sn_status status, const char *format, ...) SN_PRINTF(3, 4);

#endif
