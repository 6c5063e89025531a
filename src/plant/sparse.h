/** @file
 *  Internal: symmetric positive definite matrices with the shape of a mass matrix. Joints of
 *  different branches are not coupled, so most entries of a robot with several limbs are 0;
 *  elimination from the tips to the base fills in none of them (Featherstone, *Rigid Body Dynamics
 *  Algorithms*, 2008, section 6.5). Mimic joints that couple branches cause fill-in, which is part
 *  of the shape. */
#ifndef SN_PLANT_SPARSE_H
#define SN_PLANT_SPARSE_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/arena.h"
#include "sinew/tree.h"

/** The shape. Rows are in the order of elimination; `place[k]` is the entry of row k in the pose.
 *  The six rows of a floating base come last, with places -6 .. -1. */
typedef struct sn__sparse {
  size_t count;
  int *place;    /**< [count] */
  int *above;    /**< columns right of the diagonal, row after row */
  size_t *start; /**< [count + 1] where those of row k begin in `above` */
} sn__sparse;

/** @param tree    NULL: a diagonal matrix of @p n rows
 *  @param n       entries of the pose
 *  @param floats  the base has six rows
 *  @return false if the arena is full */
bool sn__sparse_create(sn_arena *arena, const sn_tree *tree, size_t n, bool floats,
                       sn__sparse *out);

/** Factor in place: L D L^T. A pivot that rounding made too small is raised.
 *  @param a  count x count; only entries of the shape are read. RT: yes */
void sn__sparse_factor(const sn__sparse *shape, double *a);

/** Solve with the factors in place of @p x. RT: yes */
void sn__sparse_solve(const sn__sparse *shape, const double *a, double *x);

/** y = A x. RT: yes */
void sn__sparse_apply(const sn__sparse *shape, const double *a, const double *x, double *y);

#endif
