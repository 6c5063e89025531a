/** @file
 *  Solvers of one chain, one for each thread. Calls of several Python threads wait for each other;
 *  none needs the GIL while it solves. */
#ifndef SINEW_PYTHON_IK_POOL_H
#define SINEW_PYTHON_IK_POOL_H

#include "sinew/ik.h"
#include "sinew/model.h"

typedef struct py_ik_pool py_ik_pool;

/** The most threads of a batch. */
#define PY_IK_JOBS_MAX 256

/** @return NULL with an exception. The model and the texts must outlive it. Needs the GIL */
py_ik_pool *py_ik_pool_create(const sn_model *model, const char *base, const char *tip,
                              const char *solver);

/** NULL is allowed. */
void py_ik_pool_destroy(py_ik_pool *pool);

/** Name of the solver and what it recognised. */
const char *py_ik_pool_solver(const py_ik_pool *pool);

/** Queries that are alike except for pose and seed. */
typedef struct py_ik_work {
  const sn_pose *poses;
  size_t count;
  const double *seeds; /**< NULL: the middle of the ranges */
  bool has_one_seed;   /**< for all poses, otherwise [count][dof] */
  double timeout_s;    /**< of each */
  unsigned free_axes;
  double *solutions; /**< out: [count][dof], rows of NaN where there is none */
} py_ik_work;

/** Solve them with @p jobs threads. Ctrl-C ends it.
 *  @return false with an exception. Needs the GIL, and releases it while it works */
bool py_ik_pool_run(py_ik_pool *pool, const py_ik_work *work, size_t jobs);

/** Wait for the first solver and lock it. Needs the GIL, and releases it while it waits. */
sn_ik *py_ik_pool_lock(py_ik_pool *pool);
void py_ik_pool_unlock(py_ik_pool *pool);

/** The middle of the ranges, [dof]. */
const double *py_ik_pool_middle(const py_ik_pool *pool);

#endif
