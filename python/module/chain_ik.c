/* Inverse kinematics of a chain: one solution, all of them, or a batch. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "ik_pool.h"
#include "py.h"

/* More than any closed form has; a numeric solver may find more for a redundant arm. */
enum { SOLUTIONS_MAX = 256 };

/* What the three methods have in common. */
typedef struct query {
  sn_pose *poses;
  size_t count;
  bool is_single;
  py_numbers seed;
  bool has_seed;
  double timeout_s;
  unsigned free_axes;
} query;

/* "rz", "x,rz": bits of SN_IK_FREE_... */
static bool take_free(const char *text, unsigned *out) {
  static const char *const names[] = {"x", "y", "z", "rx", "ry", "rz"};
  *out = 0;
  while (*text != '\0') {
    const size_t length = strcspn(text, ", ");
    bool is_known = length == 0;
    for (unsigned i = 0; i < 6; i++) {
      if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0) {
        *out |= 1u << i;
        is_known = true;
      }
    }
    if (!is_known) {
      PyErr_Format(PyExc_ValueError, "free is '%s', expected some of x, y, z, rx, ry, rz", text);
      return false;
    }
    text += length + strspn(text + length, ", ");
  }
  return true;
}

static bool take_seed(py_chain *chain, PyObject *object, query *out) {
  if (object == Py_None) {
    return true;
  }
  if (!py_numbers_take(object, "seed", chain->chain->joint_count, &out->seed)) {
    return false;
  }
  out->has_seed = true;
  if (out->seed.is_single || out->seed.rows == out->count) {
    return true;
  }
  PyErr_Format(PyExc_ValueError, "seed has %zu rows, expected one for all, or %zu", out->seed.rows,
               out->count);
  return false;
}

static void release(query *q) {
  PyMem_Free(q->poses);
  if (q->has_seed) {
    py_numbers_release(&q->seed);
  }
}

static bool take_query(py_chain *chain, PyObject *poses, PyObject *seed, const char *free,
                       query *out) {
  if (!(out->timeout_s >= 0.0) || isinf(out->timeout_s)) {
    PyErr_SetString(PyExc_ValueError, "timeout must be a finite number of seconds, not negative");
    return false;
  }
  if (!take_free(free, &out->free_axes) ||
      !py_poses_take(poses, "pose", &out->poses, &out->count, &out->is_single)) {
    return false;
  }
  if (!take_seed(chain, seed, out)) {
    release(out);
    return false;
  }
  return true;
}

/* A query for one pose. */
static bool take_one(py_chain *chain, PyObject *args, PyObject *kwargs, const char *format,
                     query *out) {
  static const char *const names[] = {"pose", "seed", "timeout", "free", NULL};
  PyObject *pose = NULL;
  PyObject *seed = Py_None;
  const char *free = "";
  *out = (query){.timeout_s = 1.0};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, format, PY_KEYWORDS(names), &pose, &seed,
                                   &out->timeout_s, &free) ||
      !take_query(chain, pose, seed, free, out)) {
    return false;
  }
  if (!out->is_single || (out->has_seed && !out->seed.is_single)) {
    PyErr_SetString(PyExc_ValueError, "several poses or seeds, expected one: use ik_batch()");
    release(out);
    return false;
  }
  return true;
}

static const double *seed_of(const py_chain *chain, const query *q) {
  return q->has_seed ? q->seed.data : py_ik_pool_middle(chain->pool);
}

static bool is_without_solution(sn_ik_code code) {
  return code == SN_IK_NO_SOLUTION || code == SN_IK_TIMED_OUT || code == SN_IK_REFUSED;
}

/* Called while the solver is locked: the text is that of its last query. */
static void raise_code(const sn_ik *ik, sn_ik_code code) {
  char text[400];
  sn_ik_explain(ik, text, sizeof text);
  PyErr_Format(is_without_solution(code) ? py_no_solution : py_error, "%s: %s",
               sn_ik_code_name(code), text);
}

PyObject *py_chain_ik(PyObject *self, PyObject *args, PyObject *kwargs) {
  py_chain *chain = (py_chain *)self;
  const size_t n = chain->chain->joint_count;
  query q;
  py_array solution;
  if (!take_one(chain, args, kwargs, "O|Ods:ik", &q)) {
    return NULL;
  }
  PyObject *result = NULL;
  if (py_array_make_shape(1, &n, &solution)) {
    const sn_ik_options options = {.free_axes = q.free_axes, .clamp_seed = true};
    sn_ik *ik = py_ik_pool_lock(chain->pool);
    sn_ik_code code = SN_IK_OK;
    Py_BEGIN_ALLOW_THREADS;
    code = sn_ik_search(ik, q.poses, 1, seed_of(chain, &q), n, q.timeout_s, &options, solution.data,
                        NULL);
    Py_END_ALLOW_THREADS;
    result = py_array_finish(&solution);
    if (code != SN_IK_OK) {
      Py_CLEAR(result);
      raise_code(ik, code);
    }
    py_ik_pool_unlock(chain->pool);
  }
  release(&q);
  return result;
}

static PyObject *copy_rows(const double *rows, size_t count, size_t n) {
  const size_t shape[] = {count, n};
  py_array array;
  if (!py_array_make_shape(2, shape, &array)) {
    return NULL;
  }
  memcpy(array.data, rows, count * n * sizeof *rows);
  return py_array_finish(&array);
}

PyObject *py_chain_ik_all(PyObject *self, PyObject *args, PyObject *kwargs) {
  py_chain *chain = (py_chain *)self;
  const size_t n = chain->chain->joint_count;
  query q;
  if (!take_one(chain, args, kwargs, "O|Ods:ik_all", &q)) {
    return NULL;
  }
  PyObject *result = NULL;
  double *rows = PyMem_Malloc(SOLUTIONS_MAX * n * sizeof *rows);
  if (rows == NULL) {
    result = py_no_memory();
  } else {
    const sn_ik_options options = {.free_axes = q.free_axes, .clamp_seed = true};
    sn_ik_result found = {.solution_count = 0};
    sn_ik *ik = py_ik_pool_lock(chain->pool);
    sn_error err = {SN_OK, ""};
    sn_ik_code code = SN_IK_OK;
    const sn_status status =
        sn_ik_set_default_timeout(ik, q.timeout_s > 0.0 ? q.timeout_s : 1e-9, &err);
    Py_BEGIN_ALLOW_THREADS;
    code =
        sn_ik_get_all(ik, q.poses, 1, seed_of(chain, &q), n, &options, rows, SOLUTIONS_MAX, &found);
    Py_END_ALLOW_THREADS;
    if (status != SN_OK) {
      result = py_fail(&err);
    } else if (code == SN_IK_OK || is_without_solution(code)) {
      result = copy_rows(rows, code == SN_IK_OK ? found.solution_count : 0, n);
    } else {
      raise_code(ik, code);
    }
    py_ik_pool_unlock(chain->pool);
  }
  PyMem_Free(rows);
  release(&q);
  return result;
}

static size_t processor_count(void) {
  const long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : (size_t)count;
}

PyObject *py_chain_ik_batch(PyObject *self, PyObject *args, PyObject *kwargs) {
  static const char *const names[] = {"poses", "jobs", "seed", "timeout", "free", NULL};
  py_chain *chain = (py_chain *)self;
  PyObject *poses = NULL;
  PyObject *seed = Py_None;
  const char *free = "";
  int jobs = 0;
  query q = {.timeout_s = 1.0};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|iOds:ik_batch", PY_KEYWORDS(names), &poses,
                                   &jobs, &seed, &q.timeout_s, &free)) {
    return NULL;
  }
  if (jobs < 0) {
    PyErr_Format(PyExc_ValueError, "jobs is %d, expected 0 or more", jobs);
    return NULL;
  }
  if (!take_query(chain, poses, seed, free, &q)) {
    return NULL;
  }
  const size_t shape[] = {q.count, chain->chain->joint_count};
  py_array solutions;
  PyObject *result = NULL;
  if (py_array_make_shape(2, shape, &solutions)) {
    const py_ik_work work = {.poses = q.poses,
                             .count = q.count,
                             .seeds = q.has_seed ? q.seed.data : NULL,
                             .has_one_seed = q.has_seed && q.seed.is_single,
                             .timeout_s = q.timeout_s,
                             .free_axes = q.free_axes,
                             .solutions = solutions.data};
    const bool is_good =
        py_ik_pool_run(chain->pool, &work, jobs == 0 ? processor_count() : (size_t)jobs);
    result = py_array_finish(&solutions);
    if (!is_good) {
      Py_CLEAR(result);
    }
  }
  release(&q);
  return result;
}
