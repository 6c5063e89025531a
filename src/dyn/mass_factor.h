/** @file
 *  Internal: the factored mass matrix. */
#ifndef SN_DYN_MASS_FACTOR_H
#define SN_DYN_MASS_FACTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/dyn.h"

/** Factor the mass matrix inside the workspace, for sn__dyn_mass_solve(). It uses the sparsity of
 * the tree; with mimic joints, plain Cholesky.
 *  @return SN_OK, or SN_EMODEL if the matrix is not positive definite
 *  RT: yes. */
sn_status sn__dyn_mass_factor(sn_dyn_data *data, const double *q) SN_RT;

/** Solve M x = b in place of @p b (coord_count numbers) with the last factors. Forward dynamics of
 * a robot with mimic joints replaces them. A fault if the last factorisation failed or none was
 * made. RT: yes. */
void sn__dyn_mass_solve(sn_dyn_data *data, double *b) SN_RT;

/** Factor a symmetric matrix as L^T L in place. Row i has entries only in the columns i, up[i],
 *  up[up[i]], ..., which end with -1; the others are not read.
 *  @return false if it is not positive definite */
bool sn__mass_factor_rows(size_t n, const int *up, double *l) SN_RT;

#endif
