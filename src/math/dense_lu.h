/** @file
 *  Internal: further dense solvers. */
#ifndef SN_MATH_DENSE_LU_H
#define SN_MATH_DENSE_LU_H

#include "sinew/dense.h"

/** P A = L U with partial pivoting in place.
 *  @param pivot  n row indices out
 *  @return false if A is singular to working precision, whatever the units of the unknowns (the
 *          scale of the columns); @p a is then undefined */
bool sn__lu_factor(size_t n, double *a, size_t *pivot) SN_RT;

/** Solve A x = b in place of @p b, with the factors of sn__lu_factor(). */
void sn__lu_solve(size_t n, const double *lu, const size_t *pivot, double *b) SN_RT;

/** A = Q R by Householder reflections in place (@p a is rows x columns, rows >= columns): R above
 *  and on the diagonal, reflectors below it.
 *  @param tau  columns numbers out */
void sn__qr_factor(size_t rows, size_t columns, double *a, double *tau) SN_RT;

/** Least squares: minimise |A x - b|. @p b (rows numbers) receives x in its first columns entries;
 *  the norm of the rest is the residual.
 *  @return false if A does not have full column rank to working precision; b is then undefined */
bool sn__qr_solve(size_t rows, size_t columns, const double *qr, const double *tau,
                  double *b) SN_RT;

#endif
