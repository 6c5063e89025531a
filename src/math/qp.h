/** @file
 *  Internal: small dense quadratic programmes: minimise x'Hx / 2 + g'x subject to lower <= Ax <=
 *  upper, H positive definite.
 *
 *  The dual method of Goldfarb and Idnani, "A numerically stable dual method for solving strictly
 *  convex quadratic programs", Mathematical Programming 27 (1983): it begins with the minimum
 *  without bounds and adds violated rows one by one. A warm start adds those first that were active
 *  in a similar task; the solution does not depend on it, only the time. */
#ifndef SN_MATH_QP_H
#define SN_MATH_QP_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/status.h"

/** A row of A. Only entries first .. first + count - 1 differ from 0. */
typedef struct sn__qp_row {
  const double *values; /**< [count] */
  size_t first, count;
  double lower, upper; /**< lower <= upper; infinite: no bound */
} sn__qp_row;

typedef struct sn__qp_task {
  size_t variable_count, row_count;
  const double *hessian;  /**< [variables][variables], symmetric */
  const double *gradient; /**< [variables] */
  const sn__qp_row *rows; /**< [row_count] */
  bool
      *hints; /**< [row_count] in: rows that are likely active; out: those that were; may be NULL */
} sn__qp_task;

typedef enum sn__qp_outcome {
  SN__QP_SOLVED,
  SN__QP_INFEASIBLE, /**< no x is within all bounds */
  SN__QP_NOT_CONVEX, /**< H is not positive definite, or a number is not finite */
  SN__QP_TOO_LONG    /**< more changes of the active rows than the bound; rounding errors */
} sn__qp_outcome;

typedef struct sn__qp_result {
  sn__qp_outcome outcome;
  size_t round_count; /**< changes of the active rows */
  size_t row;         /**< of SN__QP_INFEASIBLE: cannot be satisfied together with the others */
} sn__qp_result;

/** Opaque. Lives in the arena it was created from. */
typedef struct sn__qp sn__qp;

/** @return SN_OK or SN_ENOMEM. RT: no, allocates. Threads: one owner. */
sn_status sn__qp_create(sn_arena *arena, size_t variables_max, size_t rows_max, sn__qp **out,
                        sn_error *err);

/** Solve a task. More variables or rows than the maximum are a fault.
 *  @param x            out: [variables]; undefined unless solved
 *  @param multipliers  out: [row_count] of the rows, positive at a lower bound, negative at an
 * upper one, so that Hx + g = A' multipliers; may be NULL
 *  @return outcome == SN__QP_SOLVED
 *  RT: yes, O(variables^3 + rounds * (variables^2 + entries of A)). */
bool sn__qp_solve(sn__qp *qp, const sn__qp_task *task, double *x, double *multipliers,
                  sn__qp_result *result) SN_RT;

#endif
