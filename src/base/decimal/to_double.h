/** @file
 *  Internal: the double that is nearest to a decimal number. */
#ifndef SN_BASE_DECIMAL_TO_DOUBLE_H
#define SN_BASE_DECIMAL_TO_DOUBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/api.h"

/** @param digits  not 0; the number is digits * 10^exponent
 *  @return false if this method cannot tell: too near to the middle between two doubles, subnormal,
 *          too large
 *  RT: yes.  Threads: any. */
bool sn__double_from_decimal(uint64_t digits, int exponent, double *out) SN_RT;

#endif
