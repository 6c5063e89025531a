/** @file
 *  Internal: decimal numbers as text, the same on every machine and in every locale. */
#ifndef SN_BASE_NUMBER_H
#define SN_BASE_NUMBER_H

#include <stddef.h>

#include "sinew/api.h"

typedef enum sn__number_result {
  SN__NUMBER_OK,
  SN__NUMBER_NOT_A_NUMBER, /**< not of the form below */
  SN__NUMBER_OUT_OF_RANGE  /**< a number too large for a double */
} sn__number_result;

/** Read the whole of @p text (@p length bytes, no NUL needed) as
 *  `[+-]? (digits [. digits*] | . digits+) ([eE] [+-]? digits)?`: no blanks, no hexadecimal, no
 * infinity, no NaN, and the decimal point is a point in every locale.
 *  @param out  the nearest double, ties to even; 0 or a subnormal if the number is tiny. Set only
 *              with SN__NUMBER_OK
 *  RT: yes, O(length), no allocation.  Threads: any. */
SN_API sn__number_result sn__number_parse(const char *text, size_t length, double *out) SN_RT;

/** Bytes that a number takes as text, with the NUL. */
#define SN__NUMBER_SIZE 32

/** Write @p value with as few digits as read back to the same value, with a point in every locale.
 * Infinity and NaN become "inf", "-inf", "nan" or "-nan".
 *  @return the length
 *  RT: yes.  Threads: any. */
SN_API size_t sn__number_format(double value, char out[SN__NUMBER_SIZE]) SN_RT;
size_t sn__number_format_single(float value, char out[SN__NUMBER_SIZE]) SN_RT;

#endif
