/** @file
 *  Internal: a small non-linear least-squares fit with bounds. */
#ifndef SN_LEGS_LEAST_SQUARES_H
#define SN_LEGS_LEAST_SQUARES_H

#include <stddef.h>

enum { SN__LEAST_SQUARES_MAX = 12 };

/** Minimise the sum of squares of residuals over `count` bounded variables. */
typedef struct sn__least_squares {
  size_t count;                /**< at most SN__LEAST_SQUARES_MAX */
  const double *lower, *upper; /**< may be infinite */
  /** Write the residuals at @p x. @return how many, always the same */
  size_t (*evaluate)(void *context, const double *x, double *rows);
  void *context;
  double *rows; /**< room for the residuals */
  double *jac;  /**< room for residuals times variables */
} sn__least_squares;

/** The method of Levenberg and Marquardt (Nocedal and Wright, *Numerical Optimization*, section
 *  10.3) with forward differences; a variable on a bound that the gradient pushes out stays there.
 *  @param x  in: where to begin; out: where it ends, inside the bounds
 *  @return the sum of squares there
 *  RT: bounded, at most 60 rounds. */
double sn__least_squares_solve(const sn__least_squares *task, double *x);

#endif
