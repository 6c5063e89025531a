/** @file
 *  Small dense linear algebra on row-major arrays of the caller: no allocation, no recursion. Meant
 * for sizes up to a few dozen. RT: yes, O(n^3) or less.  Threads: any. */
#ifndef SINEW_DENSE_H
#define SINEW_DENSE_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"

SN_BEGIN_DECLS

/** A = L L^T in place: the lower triangle of @p a (n x n, row-major) becomes L, the rest is not
 *  read or written.
 *  @return false if A is not positive definite to working precision; @p a is then undefined */
SN_API bool sn_cholesky_factor(size_t n, double *a) SN_RT;

/** Solve L L^T x = b in place of @p b. */
SN_API void sn_cholesky_solve(size_t n, const double *l, double *b) SN_RT;

SN_END_DECLS

#endif
