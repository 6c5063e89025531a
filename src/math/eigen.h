/** @file
 *  Internal: eigenvalues and eigenvectors of a small symmetric matrix. */
#ifndef SN_MATH_EIGEN_H
#define SN_MATH_EIGEN_H

#include <stddef.h>

/** A = V diag(values) V^T by cyclic Jacobi rotations (Golub and Van Loan, *Matrix Computations*,
 *  section 8.5), to about 1e-15 of the largest value.
 *  @param a       n x n, row-major, symmetric; overwritten
 *  @param values  n numbers out, unordered
 *  @param v       n x n out: eigenvectors as columns
 *  RT: yes, O(n^3), at most 30 sweeps. */
void sn__eigen_symmetric(size_t n, double *a, double *values, double *v);

#endif
