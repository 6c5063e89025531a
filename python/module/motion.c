/* sinew.Trajectory: a motion through waypoints, as fast as the limits allow. */
#include <math.h>
#include <string.h>

#include "py.h"
#include "sinew/retime.h"

typedef struct py_trajectory {
  PyObject_HEAD py_chain *chain;
  sn_arena arena;
  sn_retimer *retimer;
  double duration_s;
  size_t waypoint_count;
} py_trajectory;

/* ---- limits ---- */

/* A number for all joints, or one for each; None leaves the values as they are. */
static bool take_limit(PyObject *object, const char *what, size_t n, double *out) {
  if (object == Py_None) {
    return true;
  }
  if (PyFloat_Check(object) || PyLong_Check(object)) {
    const double value = PyFloat_AsDouble(object);
    for (size_t i = 0; i < n; i++) {
      out[i] = value;
    }
    return !PyErr_Occurred();
  }
  py_numbers numbers;
  if (!py_numbers_take(object, what, n, &numbers)) {
    return false;
  }
  memcpy(out, numbers.data, n * sizeof *out);
  py_numbers_release(&numbers);
  return true;
}

/* Without limits of the robot, joints get 1 rad/s or m/s. */
static bool take_limits(const py_chain *chain, PyObject *const objects[3], sn_otg_limits *limits) {
  const size_t n = chain->chain->joint_count;
  double *rows = PyMem_Malloc((n + 1) * sizeof *rows);
  if (!py_need(rows)) {
    return false;
  }
  bool is_good = true;
  for (size_t i = 0; is_good && i < n; i++) {
    const double fastest =
        sn_model_joint(chain->robot->model, (size_t)chain->chain->joints[i])->velocity_max;
    rows[i] = isfinite(fastest) ? fastest : 1.0;
  }
  is_good = is_good && take_limit(objects[0], "velocity", n, rows);
  for (size_t i = 0; is_good && i < n; i++) {
    limits[i].velocity = rows[i];
    rows[i] *= 4.0;
  }
  is_good = is_good && take_limit(objects[1], "acceleration", n, rows);
  for (size_t i = 0; is_good && i < n; i++) {
    limits[i].acceleration = rows[i];
    rows[i] *= 4.0;
  }
  is_good = is_good && take_limit(objects[2], "jerk", n, rows);
  for (size_t i = 0; is_good && i < n; i++) {
    limits[i].jerk = rows[i];
  }
  PyMem_Free(rows);
  return is_good;
}

/* ---- creation ---- */

static bool plan(py_trajectory *self, const sn_retimer_config *config, const py_numbers *points) {
  sn_error err;
  const sn_retime_path path = {.q = points->data, .count = points->rows};
  sn_status status = sn_retimer_create(&self->arena, config, &self->retimer, &err);
  if (status == SN_OK) {
    Py_BEGIN_ALLOW_THREADS;
    status = sn_retime(self->retimer, &path, &self->duration_s, &err);
    Py_END_ALLOW_THREADS;
  }
  self->waypoint_count = points->rows;
  if (status != SN_OK) {
    (void)py_fail(&err);
  }
  return status == SN_OK;
}

static py_trajectory *make(py_chain *chain) {
  py_trajectory *self = PyObject_New(py_trajectory, py_trajectory_type);
  if (self != NULL) {
    Py_INCREF((PyObject *)chain);
    self->chain = chain;
    self->retimer = NULL;
    sn_arena_init_growing(&self->arena, "trajectory", 64 * 1024);
  }
  return self;
}

PyObject *py_chain_retime(PyObject *self, PyObject *args, PyObject *kwargs) {
  static const char *const names[] = {"waypoints",  "velocity", "acceleration", "jerk", "torque",
                                      "tool_speed", NULL};
  py_chain *chain = (py_chain *)self;
  const size_t n = chain->chain->joint_count;
  PyObject *waypoints = NULL;
  PyObject *limits[3] = {Py_None, Py_None, Py_None};
  PyObject *torque = Py_None;
  double tool_speed = 0.0;
  py_numbers points;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OOOOd:retime", PY_KEYWORDS(names), &waypoints,
                                   &limits[0], &limits[1], &limits[2], &torque, &tool_speed) ||
      !py_numbers_take(waypoints, "waypoints", n, &points)) {
    return NULL;
  }
  py_trajectory *made = make(chain);
  sn_otg_limits *table = made == NULL ? NULL : SN_NEW(&made->arena, sn_otg_limits, n);
  double *torques = made == NULL ? NULL : SN_NEW(&made->arena, double, n);
  bool is_good = table != NULL && torques != NULL && take_limits(chain, limits, table) &&
                 take_limit(torque, "torque", n, torques);
  if (is_good) {
    const sn_retimer_config config = {.joint_count = n,
                                      .waypoint_max = points.rows < 2 ? 2 : points.rows,
                                      .limits = table,
                                      .lower = chain->chain->lower,
                                      .upper = chain->chain->upper,
                                      .chain = chain->chain,
                                      .torque_max = torque == Py_None ? NULL : torques,
                                      .tool_speed_max = tool_speed};
    is_good = plan(made, &config, &points);
  } else if (!PyErr_Occurred()) {
    py_no_memory();
  }
  py_numbers_release(&points);
  if (!is_good) {
    Py_XDECREF((PyObject *)made);
    return NULL;
  }
  return (PyObject *)made;
}

static void trajectory_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  py_trajectory *self = (py_trajectory *)object;
  sn_arena_release(&self->arena);
  Py_DECREF((PyObject *)self->chain);
  PyObject_Free(object);
  Py_DECREF((PyObject *)type);
}

/* ---- reading ---- */

/* One time gives three vectors, an array of n times three arrays of n x dof. */
static PyObject *trajectory_at(PyObject *object, PyObject *argument) {
  const py_trajectory *self = (py_trajectory *)object;
  const size_t n = self->chain->chain->joint_count;
  const bool is_single = PyFloat_Check(argument) || PyLong_Check(argument);
  PyObject *times = is_single ? Py_BuildValue("(O)", argument) : Py_NewRef(argument);
  PyObject *column = times == NULL ? NULL : PyObject_CallMethod(times, "__len__", NULL);
  const size_t count = column == NULL ? 0 : PyLong_AsSize_t(column);
  py_numbers t;
  PyObject *result = NULL;
  Py_XDECREF(column);
  if (!PyErr_Occurred() && py_numbers_take(times, "t", count, &t)) {
    py_numbers rows = {.rows = count, .is_single = is_single};
    py_array out[3];
    bool is_good = py_arrays_make(&rows, 1, &n, out);
    for (size_t i = 0; is_good && i < count; i++) {
      (void)sn_retimer_at(self->retimer, t.data[i], out[0].data + i * n, out[1].data + i * n,
                          out[2].data + i * n);
      is_good = py_rows_go_on(i);
    }
    result = py_arrays_finish(out);
    py_numbers_release(&t);
  }
  Py_XDECREF(times);
  return result;
}

static PyObject *get_duration(PyObject *self, void *closure) {
  (void)closure;
  return PyFloat_FromDouble(((py_trajectory *)self)->duration_s);
}

static PyObject *trajectory_repr(PyObject *object) {
  const py_trajectory *self = (py_trajectory *)object;
  char duration[32];
  snprintf(duration, sizeof duration, "%.3f", self->duration_s);
  return PyUnicode_FromFormat("<sinew.Trajectory: %zu joints, %zu waypoints, %s s>",
                              self->chain->chain->joint_count, self->waypoint_count, duration);
}

static PyGetSetDef attributes[] = {{"duration", get_duration, NULL, "How long it takes, s.", NULL},
                                   {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef methods[] = {
    {"at", trajectory_at, METH_O,
     "at($self, t, /)\n--\n\n"
     "Positions, velocities and accelerations at a time in s, or at each of n times (n x dof).\n\n"
     "Before 0 it is at the first waypoint, after its duration at the last, at rest."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, PY_SLOT(trajectory_dealloc)},
    {Py_tp_repr, PY_SLOT(trajectory_repr)},
    {Py_tp_methods, PY_SLOT(methods)},
    {Py_tp_getset, PY_SLOT(attributes)},
    {Py_tp_doc, PY_SLOT("A motion through waypoints; made by Chain.retime().")},
    {0, NULL}};

PyType_Spec py_trajectory_spec = {"sinew.Trajectory", sizeof(py_trajectory), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
