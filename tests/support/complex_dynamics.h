/** @file
 *  Inverse dynamics in complex numbers, written for derivatives by complex steps: with an imaginary
 *  part of 1e-30 in one argument the imaginary parts of the results are the derivative, to rounding
 *  errors. In the frames of the bodies, on inertia tensors: shares no code with the library. */
#ifndef SN_TEST_COMPLEX_DYNAMICS_H
#define SN_TEST_COMPLEX_DYNAMICS_H

#include <complex.h>

#include "sinew/dyn.h"

/** The arguments; each vector has coord_count numbers. */
typedef struct sn_test_complex_state {
  const sn_tree *tree;
  const double complex *q, *qd, *qdd;
  double complex displacement[6]; /**< of the base, in its frame; its square is neglected */
  double complex twist[6];
  double complex acceleration[6];
  const sn_dyn_world *world; /**< gravity, attitude of the base, forces */
} sn_test_complex_state;

/** @param tau     out: coord_count numbers
 *  @param wrench  out: 6 numbers */
void sn_test_complex_inverse(const sn_test_complex_state *state, double complex *tau,
                             double complex *wrench);

#endif
