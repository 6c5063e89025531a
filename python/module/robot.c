/* sinew.Robot: an immutable model, and distances between its links. */
#include <string.h>

#include "collision/collision.h"
#include "model/robot_file.h"
#include "py.h"

/* ---- loading ---- */

static PyObject *load_into(py_robot *robot, const char *path) {
  sn_arena arena; /* of problems and properties, which the model does not need later */
  sn_arena_init_growing(&arena, "problems", 64 * 1024);
  sn_report *report = NULL;
  sn_robot_file file = {.urdf = path};
  sn_status status = sn_report_create(&arena, &report, NULL);
  if (status == SN_OK) {
    status = sn__robot_file_find(&arena, path, report, &file);
  }
  if (status == SN_OK) {
    const sn_model_config config = {.properties = file.properties,
                                    .package_path = robot->package_path};
    status = sn_model_load(&robot->arena, file.urdf, &config, report, &robot->model, NULL);
  }
  if (status == SN_OK) {
    robot->path = sn_arena_text(&robot->arena, file.urdf, strlen(file.urdf));
    status = robot->path == NULL ? SN_ENOMEM : SN_OK;
  }
  PyObject *result = (PyObject *)robot;
  if (status != SN_OK) {
    result = status == SN_ENOMEM ? py_no_memory() : py_fail_report(report, path);
  }
  sn_arena_release(&arena);
  return result;
}

PyObject *py_load(PyObject *module, PyObject *args, PyObject *kwargs) {
  static const char *const names[] = {"path", "package_path", NULL};
  PyObject *path = NULL;
  const char *package_path = NULL;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O&|z:load", PY_KEYWORDS(names),
                                   PyUnicode_FSConverter, &path, &package_path)) {
    return NULL;
  }
  py_robot *robot = PyObject_New(py_robot, py_robot_type);
  PyObject *result = NULL;
  if (robot != NULL) {
    sn_arena_init_growing(&robot->arena, "robot", 256 * 1024);
    robot->model = NULL;
    robot->collision = NULL;
    robot->package_path = package_path == NULL
                              ? NULL
                              : sn_arena_text(&robot->arena, package_path, strlen(package_path));
    result = load_into(robot, PyBytes_AsString(path));
  }
  Py_DECREF(path);
  if (result == NULL) {
    Py_XDECREF((PyObject *)robot);
  }
  return result;
}

static void robot_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  sn_arena_release(&((py_robot *)self)->arena);
  PyObject_Free(self);
  Py_DECREF((PyObject *)type);
}

/* ---- facts ---- */

static const sn_model *model_of(PyObject *self) {
  return ((py_robot *)self)->model;
}

static PyObject *get_name(PyObject *self, void *closure) {
  (void)closure;
  return PyUnicode_FromString(sn_model_name(model_of(self)));
}

static PyObject *get_path(PyObject *self, void *closure) {
  (void)closure;
  return PyUnicode_DecodeFSDefault(((py_robot *)self)->path);
}

static PyObject *get_joints(PyObject *self, void *closure) {
  (void)closure;
  return py_names(sn_model_joint_names(model_of(self)));
}

static PyObject *get_chains(PyObject *self, void *closure) {
  (void)closure;
  return py_names(sn_model_chain_names(model_of(self)));
}

static PyObject *get_dof(PyObject *self, void *closure) {
  (void)closure;
  return PyLong_FromSize_t(sn_model_dof(model_of(self)));
}

static PyObject *get_links(PyObject *self, void *closure) {
  const sn_model *model = model_of(self);
  const size_t count = sn_model_link_count(model);
  PyObject *tuple = PyTuple_New((Py_ssize_t)count);
  (void)closure;
  for (size_t i = 0; tuple != NULL && i < count; i++) {
    PyObject *name = PyUnicode_FromString(sn_model_link(model, i)->name);
    if (name == NULL || PyTuple_SetItem(tuple, (Py_ssize_t)i, name) != 0) {
      Py_CLEAR(tuple);
    }
  }
  return tuple;
}

/* One number of every joint of the sorted pose. */
static PyObject *joint_numbers(PyObject *self, void *closure) {
  const size_t offset = *(const size_t *)closure;
  const sn_model *model = model_of(self);
  const size_t count = sn_model_pose_size(model);
  py_array array;
  if (!py_array_make_shape(1, &count, &array)) {
    return NULL;
  }
  for (size_t i = 0; i < count; i++) {
    memcpy(&array.data[i], (const char *)sn_model_joint(model, i) + offset, sizeof(double));
  }
  return py_array_finish(&array);
}

static PyObject *robot_repr(PyObject *self) {
  const sn_model *model = model_of(self);
  return PyUnicode_FromFormat("<sinew.Robot '%s': %zu links, %zu joints, %zu dof>",
                              sn_model_name(model), sn_model_link_count(model),
                              sn_model_pose_size(model), sn_model_dof(model));
}

/* ---- chains ---- */

/* `chain("leg1")` is one that the robot declares, or a limb that was derived. */
static PyObject *robot_chain(PyObject *self, PyObject *args, PyObject *kwargs) {
  static const char *const names[] = {"base", "tip", "solver", NULL};
  const char *base = NULL;
  const char *tip = NULL;
  const char *solver = "auto";
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|zs:chain", PY_KEYWORDS(names), &base, &tip,
                                   &solver)) {
    return NULL;
  }
  const sn_model *model = model_of(self);
  if (tip == NULL) {
    const int index = sn_model_chain_index(model, base);
    if (index < 0) {
      PyErr_Format(py_error, "the robot '%s' has no chain '%s'; give the links of its ends",
                   sn_model_name(model), base);
      return NULL;
    }
    const sn_chain *chain = sn_model_chain(model, (size_t)index, true);
    base = sn_model_link(model, (size_t)chain->first_link)->name;
    tip = sn_model_link(model, (size_t)chain->last_link)->name;
  }
  return py_chain_make((py_robot *)self, base, tip, solver);
}

/* ---- distances ---- */

static bool need_collision(py_robot *robot) {
  sn_error err;
  const sn__collision_config config = {.robot_file = robot->path,
                                       .package_path = robot->package_path};
  if (robot->collision == NULL && sn__collision_create(&robot->arena, robot->model, &config, NULL,
                                                       &robot->collision, &err) != SN_OK) {
    (void)py_fail(&err);
    return false;
  }
  return true;
}

static bool nearest(py_robot *robot, const double *q, sn__near *near) {
  if (sn__collision_nearest(robot->collision, q, near)) {
    return true;
  }
  PyErr_SetString(py_error, "the robot has no pair of links that could meet");
  return false;
}

static PyObject *robot_distance(PyObject *self, PyObject *argument) {
  py_robot *robot = (py_robot *)self;
  py_numbers q;
  const size_t n = sn_model_pose_size(robot->model);
  if (!need_collision(robot) || !py_numbers_take(argument, "q", n, &q)) {
    return NULL;
  }
  sn__near near = {0};
  PyObject *result = NULL;
  py_array array;
  if (q.is_single) {
    result = nearest(robot, q.data, &near) ? PyFloat_FromDouble(near.distance) : NULL;
  } else if (py_array_make_shape(1, &q.rows, &array)) {
    bool is_good = true;
    for (size_t i = 0; is_good && i < q.rows; i++) {
      is_good = nearest(robot, q.data + i * n, &near) && py_rows_go_on(i);
      array.data[i] = near.distance;
    }
    result = py_array_finish(&array);
  }
  py_numbers_release(&q);
  return result;
}

static PyObject *robot_nearest(PyObject *self, PyObject *argument) {
  py_robot *robot = (py_robot *)self;
  py_numbers q;
  if (!need_collision(robot) ||
      !py_numbers_take(argument, "q", sn_model_pose_size(robot->model), &q)) {
    return NULL;
  }
  sn__near near;
  PyObject *result = NULL;
  if (!q.is_single) {
    PyErr_SetString(PyExc_ValueError, "q is an array of poses, expected one pose");
  } else if (nearest(robot, q.data, &near)) {
    result = Py_BuildValue("dss", near.distance, sn__collision_name(robot->collision, near.link_a),
                           sn__collision_name(robot->collision, near.link_b));
  }
  py_numbers_release(&q);
  return result;
}

/* ---- the type ---- */

static size_t lower_offset = offsetof(sn_joint, lower), upper_offset = offsetof(sn_joint, upper),
              velocity_offset = offsetof(sn_joint, velocity_max),
              effort_offset = offsetof(sn_joint, effort_max);

static PyGetSetDef attributes[] = {
    {"name", get_name, NULL, "Name of the robot.", NULL},
    {"path", get_path, NULL, "File of the robot.", NULL},
    {"joints", get_joints, NULL, "Names of the movable joints: the order of every pose.", NULL},
    {"links", get_links, NULL, "Names of the links, the root first.", NULL},
    {"chains", get_chains, NULL, "Names of the chains, declared or derived.", NULL},
    {"dof", get_dof, NULL, "Independent joints.", NULL},
    {"lower", joint_numbers, NULL, "Lower limits of the joints, rad or m.", &lower_offset},
    {"upper", joint_numbers, NULL, "Upper limits of the joints, rad or m.", &upper_offset},
    {"velocity_max", joint_numbers, NULL, "Largest speeds of the joints, rad/s or m/s.",
     &velocity_offset},
    {"effort_max", joint_numbers, NULL, "Largest efforts of the joints, N·m or N.", &effort_offset},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef methods[] = {
    {"chain", (PyCFunction)(void (*)(void))robot_chain, METH_VARARGS | METH_KEYWORDS,
     "chain($self, base, tip=None, solver='auto')\n--\n\n"
     "The chain from the link base down to the link tip, or the chain of that name.\n\n"
     "solver: of inverse kinematics: 'auto', 'analytic' or 'numeric'."},
    {"distance", robot_distance, METH_O,
     "distance($self, q, /)\n--\n\n"
     "Distance between the nearest links in m; negative: they are in contact.\n\n"
     "q: pose of the whole robot, or an array of them, which gives an array."},
    {"nearest", robot_nearest, METH_O,
     "nearest($self, q, /)\n--\n\n"
     "The same for one pose, with the names of both links: (distance, link, link)."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, PY_SLOT(robot_dealloc)},
    {Py_tp_repr, PY_SLOT(robot_repr)},
    {Py_tp_methods, PY_SLOT(methods)},
    {Py_tp_getset, PY_SLOT(attributes)},
    {Py_tp_doc, PY_SLOT("A robot; made by sinew.load(). It never changes.")},
    {0, NULL}};

PyType_Spec py_robot_spec = {"sinew.Robot", sizeof(py_robot), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
