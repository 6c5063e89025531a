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

/** P A = L U with partial pivoting in place.
 *  @param pivot  n row indices out
 *  @return false if A is singular to working precision, whatever the units of the unknowns (the
 *          scale of the columns); @p a is then undefined */
SN_API bool sn_lu_factor(size_t n, double *a, size_t *pivot) SN_RT;

/** Solve A x = b in place of @p b, with the factors of sn_lu_factor(). */
SN_API void sn_lu_solve(size_t n, const double *lu, const size_t *pivot, double *b) SN_RT;

/** A = Q R by Householder reflections in place (@p a is rows x columns, rows >= columns): R above
 *  and on the diagonal, reflectors below it.
 *  @param tau  columns numbers out */
SN_API void sn_qr_factor(size_t rows, size_t columns, double *a, double *tau) SN_RT;

/** Least squares: minimise |A x - b|. @p b (rows numbers) receives x in its first columns entries;
 *  the norm of the rest is the residual.
 *  @return false if A does not have full column rank to working precision; b is then undefined */
SN_API bool sn_qr_solve(size_t rows, size_t columns, const double *qr, const double *tau,
                        double *b) SN_RT;

SN_END_DECLS

#endif
