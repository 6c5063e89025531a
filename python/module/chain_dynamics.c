/* Dynamics of a chain: each call takes one state or an array of them. */
#include "py.h"
#include "sinew/dyn.h"
#include "sinew/dyn_derivatives.h"

/* The vectors of a call; those that the caller left out are NULL. */
typedef struct state {
  sn_dyn_world world;
  py_numbers vectors[3]; /* q, then the others */
  bool is_given[3];
} state;

static const double *row_of(const state *s, size_t which, size_t row, size_t n) {
  return s->is_given[which] ? s->vectors[which].data + row * n : NULL;
}

static void release(state *s) {
  for (size_t i = 0; i < 3; i++) {
    if (s->is_given[i]) {
      py_numbers_release(&s->vectors[i]);
    }
  }
}

static bool need_dynamics(py_chain *chain) {
  sn_error err;
  if (chain->dynamics == NULL &&
      sn_dyn_create(&chain->arena, &chain->chain->tree, &chain->dynamics, &err) != SN_OK) {
    (void)py_fail(&err);
    return false;
  }
  return true;
}

static bool need_derivatives(py_chain *chain) {
  sn_error err;
  if (chain->derivatives == NULL && sn_dyn_derivatives_create(&chain->arena, &chain->chain->tree,
                                                              &chain->derivatives, &err) != SN_OK) {
    (void)py_fail(&err);
    return false;
  }
  return true;
}

static bool take_gravity(PyObject *object, sn_vec3 *gravity) {
  py_numbers numbers;
  *gravity = sn_vec3_make(0.0, 0.0, -9.81);
  if (object == NULL) {
    return true;
  }
  if (!py_numbers_take(object, "gravity", 3, &numbers)) {
    return false;
  }
  *gravity = sn_vec3_make(numbers.data[0], numbers.data[1], numbers.data[2]);
  py_numbers_release(&numbers);
  return true;
}

/* q and two more vectors of the same shape, each of which may be None. */
static bool take_state(py_chain *chain, PyObject *args, PyObject *kwargs, const char *format,
                       const char *const *names, state *out) {
  const size_t n = chain->chain->joint_count;
  PyObject *objects[3] = {NULL, Py_None, Py_None};
  PyObject *gravity = NULL;
  *out = (state){0};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, format, PY_KEYWORDS(names), &objects[0],
                                   &objects[1], &objects[2], &gravity) ||
      !need_dynamics(chain) || !take_gravity(gravity, &out->world.gravity)) {
    return false;
  }
  for (size_t i = 0; i < 3; i++) {
    if (i > 0 && objects[i] == Py_None) {
      continue;
    }
    out->is_given[i] =
        i == 0 ? py_numbers_take(objects[0], names[0], n, &out->vectors[0])
               : py_numbers_take_like(objects[i], names[i], n, &out->vectors[0], &out->vectors[i]);
    if (!out->is_given[i]) {
      release(out);
      return false;
    }
  }
  return true;
}

static bool has_acceleration(sn_status status) {
  if (status != SN_OK) {
    PyErr_SetString(py_error, "a joint moves nothing with mass: there is no acceleration");
  }
  return status == SN_OK;
}

PyObject *py_chain_rnea(PyObject *self, PyObject *args, PyObject *kwargs) {
  static const char *const names[] = {"q", "qd", "qdd", "gravity", NULL};
  py_chain *chain = (py_chain *)self;
  const size_t n = chain->chain->joint_count;
  state s;
  py_array tau;
  if (!take_state(chain, args, kwargs, "O|OOO:rnea", names, &s)) {
    return NULL;
  }
  bool is_good = py_array_make(&s.vectors[0], 1, &n, &tau);
  for (size_t i = 0; is_good && i < s.vectors[0].rows; i++) {
    sn_dyn_inverse(chain->dynamics, &s.world, row_of(&s, 0, i, n), row_of(&s, 1, i, n),
                   row_of(&s, 2, i, n), tau.data + i * n, NULL);
    is_good = py_rows_go_on(i);
  }
  release(&s);
  return py_array_finish(&tau);
}

PyObject *py_chain_forward_dynamics(PyObject *self, PyObject *args, PyObject *kwargs) {
  static const char *const names[] = {"q", "qd", "tau", "gravity", NULL};
  py_chain *chain = (py_chain *)self;
  const size_t n = chain->chain->joint_count;
  state s;
  py_array qdd;
  if (!take_state(chain, args, kwargs, "O|OOO:forward_dynamics", names, &s)) {
    return NULL;
  }
  bool is_good = py_array_make(&s.vectors[0], 1, &n, &qdd);
  for (size_t i = 0; is_good && i < s.vectors[0].rows; i++) {
    const sn_status status =
        sn_dyn_forward(chain->dynamics, &s.world, row_of(&s, 0, i, n), row_of(&s, 1, i, n),
                       row_of(&s, 2, i, n), qdd.data + i * n);
    is_good = has_acceleration(status) && py_rows_go_on(i);
  }
  release(&s);
  return py_array_finish(&qdd);
}

PyObject *py_chain_mass_matrix(PyObject *self, PyObject *argument) {
  py_chain *chain = (py_chain *)self;
  const size_t n = chain->chain->joint_count;
  const size_t shape[] = {n, n};
  py_numbers q;
  py_array mass;
  if (!need_dynamics(chain) || !py_numbers_take(argument, "q", n, &q)) {
    return NULL;
  }
  bool is_good = py_array_make(&q, 2, shape, &mass);
  for (size_t i = 0; is_good && i < q.rows; i++) {
    sn_dyn_mass_matrix(chain->dynamics, q.data + i * n, mass.data + i * n * n);
    is_good = py_rows_go_on(i);
  }
  py_numbers_release(&q);
  return py_array_finish(&mass);
}

PyObject *py_chain_rnea_derivatives(PyObject *self, PyObject *args, PyObject *kwargs) {
  static const char *const names[] = {"q", "qd", "qdd", "gravity", NULL};
  py_chain *chain = (py_chain *)self;
  const size_t n = chain->chain->joint_count;
  state s;
  py_array out[3];
  if (!need_derivatives(chain) ||
      !take_state(chain, args, kwargs, "O|OOO:rnea_derivatives", names, &s)) {
    return NULL;
  }
  bool is_good = py_arrays_make(&s.vectors[0], 2, (size_t[]){n, n}, out);
  for (size_t i = 0; is_good && i < s.vectors[0].rows; i++) {
    const sn_inverse_derivatives one = {.by_q = out[0].data + i * n * n,
                                        .by_qd = out[1].data + i * n * n,
                                        .by_qdd = out[2].data + i * n * n};
    sn_dyn_inverse_derivatives(chain->derivatives, &s.world, row_of(&s, 0, i, n),
                               row_of(&s, 1, i, n), row_of(&s, 2, i, n), &one);
    is_good = py_rows_go_on(i);
  }
  release(&s);
  return py_arrays_finish(out);
}

PyObject *py_chain_forward_dynamics_derivatives(PyObject *self, PyObject *args, PyObject *kwargs) {
  static const char *const names[] = {"q", "qd", "tau", "gravity", NULL};
  py_chain *chain = (py_chain *)self;
  const size_t n = chain->chain->joint_count;
  state s;
  py_array out[3];
  if (!need_derivatives(chain) ||
      !take_state(chain, args, kwargs, "O|OOO:forward_dynamics_derivatives", names, &s)) {
    return NULL;
  }
  bool is_good = py_arrays_make(&s.vectors[0], 2, (size_t[]){n, n}, out);
  for (size_t i = 0; is_good && i < s.vectors[0].rows; i++) {
    const sn_forward_derivatives one = {.by_q = out[0].data + i * n * n,
                                        .by_qd = out[1].data + i * n * n,
                                        .by_tau = out[2].data + i * n * n};
    const sn_status status =
        sn_dyn_forward_derivatives(chain->derivatives, &s.world, row_of(&s, 0, i, n),
                                   row_of(&s, 1, i, n), row_of(&s, 2, i, n), &one);
    is_good = has_acceleration(status) && py_rows_go_on(i);
  }
  release(&s);
  return py_arrays_finish(out);
}
