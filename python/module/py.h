/** @file
 *  What the files of the Python module share. It uses the stable interface of CPython 3.11, and
 *  numpy only through the buffer protocol and its Python functions: one binary serves every later
 *  version of both. Every function needs the GIL unless it says otherwise. */
#ifndef SINEW_PYTHON_PY_H
#define SINEW_PYTHON_PY_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "sinew/model.h"
#include "sinew/pose.h"
#include "sinew/report.h"
#include "sinew/status.h"

/** A function or text for a slot of a type: the interface of Python has `void *` for both. */
#define PY_SLOT(value) (__extension__(void *)(value))

/** The names of arguments, which the interface of Python does not change in spite of its type. */
#define PY_KEYWORDS(names) ((char **)(names))

/* ---- module.c ---- */

extern PyObject *py_error;       /**< sinew.Error */
extern PyObject *py_no_solution; /**< sinew.NoSolution, a kind of it */

/** Raise sinew.Error with the message of @p err. @return NULL */
PyObject *py_fail(const sn_error *err);

/** Raise sinew.Error with the errors of a report, one per line. @return NULL */
PyObject *py_fail_report(const sn_report *report, const char *path);

/** Raise a MemoryError. @return NULL */
PyObject *py_no_memory(void);

/** Raise a MemoryError unless there is memory. @return whether there is */
bool py_need(const void *memory);

/** The time in 50 ms: how long a wait without the GIL may last before Ctrl-C is looked for. Needs
 * no GIL. */
struct timespec py_soon(void);

/** A tuple of the names. */
PyObject *py_names(const sn_names *names);

/* ---- arrays.c: numbers from and to numpy ---- */

/** Finite numbers of the caller: one vector, or rows of equal length. */
typedef struct py_numbers {
  Py_buffer view; /**< holds the memory */
  const double *data;
  size_t rows;
  bool is_single; /**< one vector; the result is one, too */
} py_numbers;

/** Find numpy's functions. @return false with an exception */
bool py_arrays_init(void);

/** Take an array of the shape (columns,) or (n, columns), or anything that numpy converts to one.
 *  @param what  its name in messages
 *  @return false with an exception; otherwise end with py_numbers_release() */
bool py_numbers_take(PyObject *object, const char *what, size_t columns, py_numbers *out);

/** The same, and it must have as many rows as @p like. */
bool py_numbers_take_like(PyObject *object, const char *what, size_t columns,
                          const py_numbers *like, py_numbers *out);

/** The same, but numbers that are not finite are allowed. */
bool py_numbers_take_any(PyObject *object, const char *what, size_t columns, py_numbers *out);

void py_numbers_release(py_numbers *numbers);

/** A new array of numpy, C-contiguous. */
typedef struct py_array {
  PyObject *object;
  Py_buffer view;
  double *data; /**< float64, not initialised */
} py_array;

/** An array whose first dimension is left out if @p like is single.
 *  @param ndim,shape  of one result
 *  @return false with an exception; otherwise fill it and end with py_array_finish() */
bool py_array_make(const py_numbers *like, int ndim, const size_t *shape, py_array *out);

/** An array with these dimensions. */
bool py_array_make_shape(int ndim, const size_t *shape, py_array *out);

/** @return the array, which is the caller's; NULL if an exception is set, also that of making it */
PyObject *py_array_finish(py_array *array);

/** Three arrays of the same shape. End with py_arrays_finish() in any case.
 *  @return false with an exception */
bool py_arrays_make(const py_numbers *like, int ndim, const size_t *shape, py_array out[3]);

/** @return the tuple of them, which is the caller's; NULL if an exception is set */
PyObject *py_arrays_finish(py_array arrays[3]);

/** After each row of a call with many: Ctrl-C ends it. @return false with an exception */
bool py_rows_go_on(size_t row);

/** Poses of the caller, as 4 x 4 matrices or rows of x y z qx qy qz qw.
 *  @param poses  out: free it with PyMem_Free()
 *  @return false with an exception */
bool py_poses_take(PyObject *object, const char *what, sn_pose **poses, size_t *count,
                   bool *is_single);

/** A pose as a matrix of 4 x 4, row by row. Needs no GIL. */
void py_pose_write(const sn_pose *pose, double *matrix);

/* ---- the types ---- */

/** A loaded robot; the arena holds everything. */
typedef struct py_robot {
  PyObject_HEAD sn_arena arena;
  const sn_model *model;
  const char *path;                /**< of the URDF */
  const char *package_path;        /**< or NULL */
  struct sn__collision *collision; /**< NULL until the first distance */
} py_robot;

/** A pool of solvers (ik_pool.h). */
struct py_ik_pool;

/** A chain of a robot, which it keeps alive. */
typedef struct py_chain {
  PyObject_HEAD py_robot *robot;
  sn_arena arena;
  const sn_chain *chain;
  const char *base, *tip;
  struct sn_dyn_data *dynamics;           /**< NULL until they are asked for */
  struct sn_dyn_derivatives *derivatives; /**< likewise */
  struct py_ik_pool *pool;
} py_chain;

extern PyType_Spec py_robot_spec, py_chain_spec, py_trajectory_spec;
extern PyTypeObject *py_robot_type, *py_chain_type, *py_trajectory_type;

/** sinew.load() (robot.c). */
PyObject *py_load(PyObject *module, PyObject *args, PyObject *kwargs);

/** Create a chain (chain.c). */
PyObject *py_chain_make(py_robot *robot, const char *base, const char *tip, const char *solver);

/** Methods of chains in files of their own. */
PyObject *py_chain_rnea(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *py_chain_mass_matrix(PyObject *self, PyObject *argument);
PyObject *py_chain_forward_dynamics(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *py_chain_rnea_derivatives(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *py_chain_forward_dynamics_derivatives(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *py_chain_ik(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *py_chain_ik_all(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *py_chain_ik_batch(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *py_chain_retime(PyObject *self, PyObject *args, PyObject *kwargs);

/** Functions of the module: servos, identification, recordings. */
PyObject *py_servo(PyObject *module, PyObject *args);
PyObject *py_servo_check(PyObject *module, PyObject *args);
PyObject *py_servo_models(PyObject *module, PyObject *argument);
PyObject *py_identify(PyObject *module, PyObject *args);
PyObject *py_read(PyObject *module, PyObject *args);

#endif
