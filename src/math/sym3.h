/** @file
 *  Internal: symmetric matrices of three rows. */
#ifndef SN_MATH_SYM3_H
#define SN_MATH_SYM3_H

#include "sinew/vec3.h"

/** R S R^T: the same tensor in the axes of another frame. */
sn_sym3 sn__sym3_rotate(sn_mat3 r, sn_sym3 s) SN_RT;

/** The eigenvalues in ascending order, to about 1e-15 of the largest (cyclic Jacobi). All entries
 *  must be finite. */
sn_vec3 sn__sym3_eigenvalues(sn_sym3 s) SN_RT;

#endif
